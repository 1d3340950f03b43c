"""Dask as the engine of a fit: partitions are futures made by tasks, so that what a dead worker held comes back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from ..distributed import portions
from ..distributed.engine import Engine, Part, Rows, Work, together
from .collection import Piece, rows_of
from .extra import needs

FAN_IN = 4  # results that are added up in one place
USUAL_MEMORY = 4 << 30  # bytes of a worker that tells no limit


class Cluster(Engine):
    """The partitions of a table. Their futures may be those that the user's collection holds: they are let go of, and
    never cancelled. Futures hold rows and nothing else: Dask copies an object while a task changes it."""

    def __init__(self, client: Any, token: str, pieces: list[Piece]) -> None:
        self.client, self.token = client, token
        self.sizes = [1] * len(pieces)
        self.made: list[Any] = []  # futures that are to be let go of
        self.calls = 0
        parts = [x for *three, _ in pieces for x in three if x is not None]
        made = iter(client.compute(parts))
        self.rows: list[Piece] = [
            (*(None if x is None else next(made) for x in three), taken)  # type: ignore[misc]
            for *three, taken in pieces
        ]

    def keep(self, which: list[int], sizes: list[int]) -> None:
        self.rows, self.sizes = [self.rows[i] for i in which], sizes

    def twin(self, name: str) -> Cluster:
        twin = Cluster(self.client, f"{self.token}-{name}", [])
        twin.rows, twin.sizes = self.rows, self.sizes
        return twin

    def share(self, value: Any) -> Any:
        self.made.append(self.submit("share", identity, value))  # by a task, so that it is not lost with a worker
        return self.made[-1]

    # ---- where ----------------------------------------------------------------------------------

    def threads(self) -> dict[str, int]:
        found: dict[str, int] = self.client.nthreads()
        return found or {"": 1}

    def slots(self) -> list[Any]:
        return [at for at, n in self.threads().items() for _ in range(n)]

    def memory(self) -> int:
        limits = [w.get("memory_limit") for w in self.client.scheduler_info(n_workers=-1)["workers"].values()]
        return min((int(m) for m in limits if m), default=USUAL_MEMORY)

    def owners(self, threads: dict[str, int]) -> list[str]:
        """The worker of each partition; asked anew for each call, as a worker may be gone."""
        tables = [piece[0] for piece in self.rows]
        who = self.client.who_has(tables)
        load = dict.fromkeys(threads, 0)
        owners = []
        for future, size in zip(tables, self.sizes, strict=True):
            have = [a for a in who.get(future.key, ()) if a in load] or list(load)
            at = min(have, key=lambda a: load[a])
            load[at] += size
            owners.append(at)
        return owners

    def groups(self) -> list[tuple[str, list[int]]]:
        """The partitions of each thread of each worker, in order."""
        threads = self.threads()
        mine: defaultdict[str, list[int]] = defaultdict(list)
        for i, at in enumerate(self.owners(threads)):
            mine[at].append(i)
        groups = []
        for at, which in mine.items():
            n = min(threads[at], len(which))
            groups += [(at, which[t::n]) for t in range(n)]
        return groups

    def stretches(self) -> list[tuple[str, list[int]]]:
        """The partitions in their order, those that follow each other on a worker together."""
        runs: list[tuple[str, list[int]]] = []
        for i, at in enumerate(self.owners(self.threads())):
            if runs and runs[-1][0] == at:
                runs[-1][1].append(i)
            else:
                runs.append((at, [i]))
        return runs

    # ---- work -----------------------------------------------------------------------------------

    def submit(self, name: str, work: Work, *args: Any, at: str | None = None) -> Any:
        self.calls += 1
        where = {} if at is None else {"workers": [at], "allow_other_workers": True}
        key = f"bough-{name}-{self.token}-{self.calls}"
        return self.client.submit(work, *args, key=key, pure=False, **where)

    def begin(self, at: str | None, which: list[int], work: Work, *args: Any) -> Any:
        """Work on some of the partitions."""
        return self.submit(work.__name__, on_parts, work, [self.rows[i] for i in which], which, *args, at=at)

    def each(self, work: Work, *args: Any) -> list[Any]:
        found: list[Any] = self.client.gather([self.begin(None, [i], work, *args) for i in range(len(self.rows))])
        return found

    def ahead(self, work: Work, *args: Any) -> Any:
        return [self.begin(at, which, work, *args) for at, which in self.groups()]

    def together(self, how: str, work: Work, add: Callable[[list[Any]], Any], *args: Any) -> tuple[Any, int]:
        if how == "in turn":
            done = None
            for at, which in self.stretches():
                done = self.begin(at, which, work, *args, done)
            return self.client.gather(done), 1
        groups = self.groups() if how == "added" else [(at, [i]) for i, at in enumerate(self.owners(self.threads()))]
        found = [(at, self.begin(at, which, work, *args)) for at, which in groups]
        n = len(found)
        while len(found) > 2:  # the last two are added here, which saves a call
            some = [found[i : i + FAN_IN] for i in range(0, len(found), FAN_IN)]
            found = [
                s[0] if len(s) == 1 else (s[0][0], self.submit("add", add, [f for _, f in s], at=s[0][0])) for s in some
            ]
        return add(self.client.gather([f for _, f in found])), n

    def moved(self, take: Work, grow: Work, shared: Any, requests: Sequence[Any], *args: Any) -> Iterator[Any]:
        """As many at a time as there are threads, so that only the rows of those are held twice."""
        from distributed import as_completed

        threads = self.threads()
        busy = dict.fromkeys(threads, 0)
        where: dict[str, str] = {}
        todo = list(reversed(requests))

        def begin() -> Any:
            at = min(busy, key=lambda a: busy[a] / threads[a])
            busy[at] += 1
            request = todo.pop()
            taken = self.ahead(take, shared, *args, request)
            future = self.submit("grow", unless_given_up, grow, taken, shared, request, at=at)
            where[future.key] = at
            return future

        running = as_completed([begin() for _ in range(min(len(todo), sum(threads.values())))], loop=self.client.loop)
        for future in running:
            grown = self.client.gather(future)
            busy[where.pop(future.key)] -= 1
            if todo:
                running.add(begin())
            yield grown

    def alone(self, work: Work, *args: Any, at: Any = None) -> Any:
        if at is None:
            at = max(self.groups(), key=lambda g: sum(self.sizes[i] for i in g[1]))[0]
        self.made.append(self.submit(work.__name__, on_all_rows, work, self.rows, *args, at=at))
        return self.made[-1]

    def result(self, begun: Any) -> Any:
        return self.client.gather(begun)

    def end(self) -> None:
        distributed = needs("distributed")
        try:
            if self.rows and self.client.status == "running":
                self.client.cancel(self.made)
                self.client.run(portions.forget, self.token, on_error="ignore")
        except (OSError, TimeoutError, ValueError, RuntimeError, distributed.CancelledError):
            pass  # the cluster may be gone
        self.rows, self.made = [], []


# ---- tasks ----------------------------------------------------------------------------------------------


def identity(x: Any) -> Any:
    return x


def on_parts(work: Work, pieces: list[Piece], which: list[int], *args: Any) -> Any:
    return work([Part(i, partial(rows_of, piece)) for i, piece in zip(which, pieces, strict=True)], *args)


def on_all_rows(work: Work, pieces: list[Piece], *args: Any) -> Any:
    rows: Rows = together([rows_of(piece) for piece in pieces])
    return unless_given_up(work, rows, *args)


def unless_given_up(work: Work, *args: Any) -> Any:
    return work(*args, Stop())


class Stop:
    """Asked by the core while it grows: raises once the driver has given the task up."""

    def __init__(self) -> None:
        from distributed import get_worker

        try:
            worker = get_worker()
            self.state, self.key = worker.state, worker.get_current_task()
        except ValueError:  # not in a task
            self.state = self.key = None

    def __call__(self, share: float) -> None:
        if self.state is None:
            return
        task = self.state.tasks.get(self.key)
        if task is None or task.state in ("cancelled", "released", "forgotten"):
            raise RuntimeError("the fit was given up")

    # An estimator asks in other words.
    update = __call__

    def finish(self, attributes: dict[str, Any]) -> None:
        pass
