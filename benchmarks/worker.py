"""One peer on one table, in the peer's own interpreter: `python -m benchmarks.worker PEER X.npy y.npy`.

Requests come as lines of JSON ({"fit": 3}, {"judge": true}), answers go the same way. What the
library prints is kept out of the answers."""

from __future__ import annotations

import json
import os
import sys
import time
from importlib.metadata import version
from typing import Any

import numpy as np

from .machine import pin
from .peers import PEERS
from .timing import timed


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    pin(1)
    name, *paths = sys.argv[1:]
    peer = PEERS[name]
    X, y = (np.load(path) for path in paths)
    start = time.perf_counter()
    data = peer.prepare(X, y)
    ready = {"version": version(peer.package), "prepare_seconds": time.perf_counter() - start}
    del X
    print(json.dumps(ready), file=answers)
    model = None
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, Any] = {}
        if "fit" in request:
            model = None
            answer["seconds"], model = timed(lambda: peer.fit(data), request["fit"])
        else:
            nodes, accuracy = peer.judge(data, model)
            answer = {"nodes": nodes, "accuracy": accuracy}
        print(json.dumps(answer), file=answers)


if __name__ == "__main__":
    main()
