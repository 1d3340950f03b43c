"""Messages between driver and portions: bytes that were damaged on the way are an error, never a crash."""

import numpy as np
import pytest

from bough import TreeClassifier, _core
from support.distributed import Table, different, driver_of, estimator_of, random_table


def conversation(seed):
    """A table's plan and layout, its portions, and all that driver and portions send, in order."""
    rng = np.random.default_rng(seed)
    numbers = seed % 3 == 2
    table = random_table(rng, 120, weights=[None, "any"][seed % 2], numbers=numbers)
    estimator = estimator_of("squared_error" if numbers else "gini", max_depth=4)
    if seed % 5 == 4:
        table = Table([rng.normal(size=90) for _ in range(3)], [0] * 3, rng.integers(0, 2, 90), 2)
        estimator = TreeClassifier(split="node_pca", max_depth=3)
    driver, plan, layout = driver_of(estimator, table, 6, 20 if seed % 2 else 0)
    portions = [_core.Portion(table.data(np.arange(a, b)), layout) for a, b in ((0, 3), (3, len(table.y)))]
    sent, taken = [], []
    while (asked := driver.next()) is not None:
        sent.append(asked[2])
        first = portions[0].answer(asked[2])
        both = portions[1].answer(asked[2], first)
        if asked[1] != "splits":
            driver.take(both)
            taken.append(both)
    for request in driver.batches():
        rows = [p.answer(request) for p in portions]
        sent.append(request)
        taken += rows
        driver.take(_core.grow_rows(plan, layout, request, rows))
    return table, plan, layout, portions, sent, taken


def damaged(rng, message):
    """Cut short, longer, with bytes changed, or with a number somewhere that is far too large."""
    message = bytearray(message)
    at = int(rng.integers(len(message)))
    match int(rng.integers(5)):
        case 0:
            del message[at:]
        case 1:
            message[at:at] = rng.bytes(int(rng.integers(1, 20)))
        case 2:
            message[at] ^= 1 << int(rng.integers(8))
        case 3:
            message[at : at + 8] = (int(rng.integers(2**62)) | 1 << 62).to_bytes(8, "little")[: len(message) - at]
        case _:
            message[at : at + 4] = int(rng.integers(2**32)).to_bytes(4, "little")[: len(message) - at]
    return bytes(message)


@pytest.mark.parametrize("seed", range(10))
def test_damaged_bytes_are_an_error_and_never_a_crash(seed):
    rng = np.random.default_rng([seed, 9])
    table, plan, layout, portions, sent, taken = conversation(seed)
    refused = 0
    for _ in range(300):
        driver = _core.Driver(plan, layout, [] if table.weights is None else [0.1, 2.0, 0.1], table.weight, 20)
        request, answer = (messages[int(rng.integers(len(messages)))] for messages in (sent, taken))
        for work in (
            lambda: portions[1].answer(damaged(rng, request)),  # noqa: B023
            lambda: portions[1].answer(request, damaged(rng, answer)),  # noqa: B023
            lambda: _core.add_answers([answer, damaged(rng, answer)]),  # noqa: B023
            lambda: (driver.next(), driver.take(damaged(rng, answer))),  # noqa: B023
            lambda: _core.grow_rows(plan, layout, damaged(rng, sent[-1]), taken[-2:]),
            lambda: _core.grow_rows(plan, layout, sent[-1], [taken[-2], damaged(rng, taken[-1])]),
            lambda: _core.Portion(table.data(np.arange(len(table.y))), damaged(rng, layout)),
        ):
            try:
                work()
            except (ValueError, RuntimeError, IndexError):  # no MemoryError: counts in a message are not believed
                refused += 1
    assert refused > 800


def test_a_driver_takes_only_what_it_asked_for():
    _, plan, layout, portions, sent, taken = conversation(0)
    driver = _core.Driver(plan, layout, [], 100.0, 0)
    with pytest.raises(ValueError, match="was not asked"):
        driver.take(next(a for a in taken if a[4:8] != taken[0][4:8]))
    with pytest.raises(ValueError, match="parts of the tree are missing"):
        driver.finish()
    with pytest.raises(ValueError, match="another message"):
        portions[0].answer(taken[0])
    with pytest.raises(ValueError, match="damaged"):
        portions[0].answer(sent[0][:-1])
    with pytest.raises(ValueError, match="damaged"):
        portions[0].answer(sent[0] + b"\0")
    with pytest.raises(ValueError, match="different requests"):
        _core.add_answers([taken[0], next(a for a in taken if len(a) != len(taken[0]))])


def test_bins_are_looked_into_a_few_nodes_at_a_time():
    rng = np.random.default_rng(5)
    table = Table([rng.normal(size=400) for _ in range(3)], [0] * 3, rng.integers(0, 2, 400), 2)
    found = []
    for most_numbers in (1, 1 << 18):
        driver, _, layout = driver_of(TreeClassifier(max_depth=6), table, 8, 0, most_numbers)
        portion = _core.Portion(table.data(np.arange(400)), layout)
        asked = []
        while (question := driver.next()) is not None:
            asked.append(question[0])
            answer = portion.answer(question[2])
            if question[0] != "splits":
                driver.take(answer)
        found.append((asked.count("find"), driver.finish()))
    assert found[0][0] > found[1][0] == 6
    assert different(found[0][1], found[1][1]) == []
