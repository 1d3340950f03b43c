"""Dask itself: imported when needed, missed with one sentence; and what is said when a cluster is lost."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import BoughError, ParameterError, module_of, shown

PATIENCE = 10.0  # seconds for a client that is on its way back to its scheduler


class ClusterError(BoughError, RuntimeError):
    """The cluster went away, or lost something that it cannot make again."""


def needs(module: str) -> Any:
    """The module of that name."""
    return module_of(module, "bough.dask", "dask")


def client_of(given: Any) -> Any:
    """The client that was given, or the one that there is."""
    distributed = needs("distributed")
    if given is not None:
        if not isinstance(given, distributed.Client):
            raise ParameterError(f"client is {shown(given)}; it must be a dask.distributed.Client or None.")
        found = given
    else:
        try:
            found = distributed.default_client()
        except ValueError:
            raise ParameterError(
                "There is no Dask client; make one, client = dask.distributed.Client(...), or give client=."
            ) from None
    deadline = time.monotonic() + PATIENCE
    while found.status == "connecting" and time.monotonic() < deadline:  # as it may be after Ctrl-C
        time.sleep(0.02)
    if found.status != "running":
        raise ClusterError(f"The Dask client is {found.status}; make a new one that reaches its scheduler.")
    if found.asynchronous:
        raise ParameterError("client is asynchronous; fit waits for the cluster and needs a plain Client.")
    return found


@contextmanager
def told_in_a_sentence(client: Any) -> Iterator[None]:
    """A lost cluster as one error, whatever Dask makes of it."""
    distributed = needs("distributed")
    from concurrent.futures import CancelledError as Cancelled

    address = client.scheduler.address if client.scheduler is not None else "its address"
    try:
        yield
    except distributed.KilledWorker as e:
        raise ClusterError(
            f"Workers died again and again at one piece of work ({e.task}), most often for lack of memory: give them "
            "more, or smaller partitions."
        ) from None
    except (Cancelled, distributed.CancelledError, OSError, TimeoutError) as e:
        raise ClusterError(
            f"The scheduler at {address} is lost, or part of the data that no task can make again "
            f"({type(e).__name__}); nothing was fitted."
        ) from None
