"""The rows of a fit on a cluster: which worker has which, and pieces of work for all of them."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from . import worker
from .collection import Piece
from .extra import needs

FAN_IN = 4  # counts that are added up in one place
USUAL_MEMORY = 4 << 30  # bytes of a worker that tells no limit


class Cluster:
    """The partitions of a table as futures, made by tasks, so that what a dead worker held comes back. They may be
    those that the user's collection holds: they are let go of, and never cancelled."""

    def __init__(self, client: Any, token: str) -> None:
        self.client, self.token = client, token
        self.rows: list[Piece] = []
        self.sizes: list[int] = []
        self.setup: Any = None
        self.history: list[bytes] = []  # the splits of each level, pickled: Dask would look for futures in lists
        self.made: list[Any] = []  # futures that are to be let go of
        self.calls = 0

    def load(self, pieces: list[Piece]) -> None:
        """Begins to make the rows of each partition."""
        parts = [x for *three, _ in pieces for x in three if x is not None]
        made = iter(self.client.compute(parts))
        self.rows = [
            (*(None if x is None else next(made) for x in three), taken)  # type: ignore[misc]
            for *three, taken in pieces
        ]

    def keep(self, which: list[int], sizes: list[int]) -> None:
        """Goes on with some of the partitions, of which the rows are known."""
        self.rows, self.sizes = [self.rows[i] for i in which], sizes

    def twin(self, name: str) -> Cluster:
        """The same rows for another tree, which grows at the same time."""
        twin = Cluster(self.client, f"{self.token}-{name}")
        twin.rows, twin.sizes = self.rows, self.sizes
        return twin

    def share(self, setup: worker.Setup) -> None:
        """Gives all workers what they need to know; by a task, so that it is not lost with one of them."""
        self.setup = self.submit("setup", identity, setup)

    def sends_on(self, steps: Any) -> None:
        """The splits of a level go out with the next call."""
        self.history = [*self.history, pickle.dumps(steps)]

    def submit(self, name: str, work: Callable[..., Any], *args: Any, at: str | None = None) -> Any:
        self.calls += 1
        where = {} if at is None else {"workers": [at], "allow_other_workers": True}
        key = f"bough-{name}-{self.token}-{self.calls}"
        return self.client.submit(work, *args, key=key, pure=False, **where)

    def gather(self, futures: Any) -> Any:
        return self.client.gather(futures)

    def threads(self) -> dict[str, int]:
        found: dict[str, int] = self.client.nthreads()
        return found or {"": 1}

    def memory(self) -> int:
        """Bytes of the smallest worker."""
        limits = [w.get("memory_limit") for w in self.client.scheduler_info(n_workers=-1)["workers"].values()]
        return min((int(m) for m in limits if m), default=USUAL_MEMORY)

    def owners(self, threads: dict[str, int]) -> list[str]:
        """The worker of each partition; asked anew for each call, as a worker may be gone."""
        tables = [piece[0] for piece in self.rows]
        who = self.client.who_has(tables)
        load = dict.fromkeys(threads, 0)
        owners = []
        for i, future in enumerate(tables):
            have = [a for a in who.get(future.key, ()) if a in load] or list(load)
            at = min(have, key=lambda a: load[a])
            load[at] += self.sizes[i]
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

    def each(self, name: str, work: Callable[..., Any], *args: Any) -> list[tuple[str, Any]]:
        """A piece of work for each group of partitions: where it is done, and its future."""
        return [
            (at, self.submit(name, work, [self.rows[i] for i in which], which, self.setup, self.history, *args, at=at))
            for at, which in self.groups()
        ]

    def singly(self, name: str, work: Callable[..., Any], *args: Any) -> list[tuple[str, Any]]:
        """A piece of work for each partition, in order."""
        return [
            (at, self.submit(name, work, [self.rows[i]], [i], self.setup, self.history, *args, at=at))
            for i, at in enumerate(self.owners(self.threads()))
        ]

    def along(self, name: str, work: Callable[..., Any], *args: Any) -> Any:
        """A piece of work that goes from partition to partition, in order; each goes on from what came before."""
        runs: list[tuple[str, list[int]]] = []
        for i, at in enumerate(self.owners(self.threads())):
            if runs and runs[-1][0] == at:
                runs[-1][1].append(i)
            else:
                runs.append((at, [i]))
        done = None
        for at, which in runs:
            rows = [self.rows[i] for i in which]
            done = self.submit(name, work, rows, which, self.setup, self.history, done, *args, at=at)
        return self.gather(done)

    def added(self, counts: list[tuple[str, Any]], add: Callable[[list[Any]], Any] = worker.add) -> Any:
        """The sum of counts, added up in a tree of tasks; the last two are added here, which saves a call."""
        while len(counts) > 2:
            some = [counts[i : i + FAN_IN] for i in range(0, len(counts), FAN_IN)]
            counts = [
                s[0] if len(s) == 1 else (s[0][0], self.submit("add", add, [f for _, f in s], at=s[0][0])) for s in some
            ]
        return add(self.gather([f for _, f in counts]))

    def forget(self, fit: str) -> None:
        """Workers let go of what a fit has left with them."""
        self.client.run(worker.forget, fit, on_error="ignore")

    def end(self) -> None:
        """Lets go of everything; the cluster may be gone."""
        distributed = needs("distributed")
        try:
            if self.rows and self.client.status == "running":
                self.client.cancel([f for f in [self.setup, *self.made] if f is not None])
                self.forget(self.token)
        except (OSError, TimeoutError, ValueError, RuntimeError, distributed.CancelledError):
            pass
        self.rows, self.made, self.setup = [], [], None


def identity(x: Any) -> Any:
    return x
