"""The eigenvector of the least eigenvalue of a covariance matrix, with the sign that Eigen's solver leaves it with.

The authors' program subtracts from r points their mean, and takes as normal the first eigenvector of their covariance,
by Eigen's `SelfAdjointEigenSolver`: Householder reflections to three diagonals, then implicit QR steps with
Wilkinson's shift, then a sort. The same steps here, for many matrices at once.
"""

from __future__ import annotations

import numpy as np

STEPS = 40


def normals_of(points: np.ndarray) -> np.ndarray:
    """Unit normals of hyperplanes through r points each (number × r × r)."""
    r = points.shape[2]
    if r == 1:
        return np.ones((len(points), 1))
    if r == 2:
        return of_two(points)
    away = points - points.mean(axis=1, keepdims=True)
    covariance = np.einsum("npi,npj->nij", away, away) / (r - 1)
    return first_eigenvectors(covariance)


def of_two(points: np.ndarray) -> np.ndarray:
    """What the steps below come to for two points: one rotation, or none."""
    dx, dy = points[:, 1, 0] - points[:, 0, 0], points[:, 1, 1] - points[:, 0, 1]
    length = np.hypot(dx, dy)
    steep = np.abs(dy) > np.abs(dx)
    with np.errstate(invalid="ignore", divide="ignore"):
        x = np.where(steep, -np.abs(dy), -dy * np.sign(dx)) / length
        y = np.where(steep, dx * np.sign(dy), np.abs(dx)) / length
    return np.stack([np.where(dx == 0, 1, np.where(dy == 0, 0, x)), np.where(dx == 0, 0, np.where(dy == 0, 1, y))], 1)


def first_eigenvectors(A: np.ndarray) -> np.ndarray:
    """Eigenvectors of the least eigenvalues (number × n) of symmetric matrices (number × n × n)."""
    scale = np.abs(A).max(axis=(1, 2))
    A = A / np.where(scale == 0, 1, scale)[:, None, None]
    diagonal, beside, Q = tridiagonal(A)
    qr(diagonal, beside, Q)
    n = A.shape[1]
    order = np.tile(np.arange(n), (len(A), 1))
    every = np.arange(len(A))
    least = diagonal.argmin(axis=1)  # the first step of a sort by exchange
    order[every, 0] = least
    return Q[every, :, order[:, 0]]


def tridiagonal(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The diagonal, what is beside it, and the orthogonal matrices that lead there."""
    count, n, _ = A.shape
    Q = np.tile(np.eye(n), (count, 1, 1))
    A = A.copy()
    for i in range(n - 2):
        x = A[:, i + 1 :, i]
        tail = (x[:, 1:] ** 2).sum(axis=1)
        quiet = tail <= np.finfo(float).tiny
        beta = np.sqrt(x[:, 0] ** 2 + tail)
        beta = np.where(quiet, x[:, 0], np.where(x[:, 0] >= 0, -beta, beta))
        with np.errstate(invalid="ignore", divide="ignore"):
            v = np.where(quiet[:, None], 0, x / (x[:, :1] - beta[:, None]))
            tau = np.where(quiet, 0, (beta - x[:, 0]) / beta)
        v[:, 0] = 1
        H = np.tile(np.eye(n), (count, 1, 1))
        H[:, i + 1 :, i + 1 :] -= tau[:, None, None] * v[:, :, None] * v[:, None, :]
        A = H @ A @ H
        Q = Q @ H
    return (
        np.einsum("nii->ni", A).copy(),
        np.stack([A[:, i + 1, i] for i in range(n - 1)], axis=1),
        Q,
    )


def qr(diagonal: np.ndarray, beside: np.ndarray, Q: np.ndarray) -> None:
    """QR steps until nothing is left beside the diagonals."""
    n = diagonal.shape[1]
    epsilon, tiny = np.finfo(float).eps, np.finfo(float).tiny
    for _ in range(STEPS * n):
        size = np.abs(diagonal)
        gone = np.abs(beside) <= np.maximum(tiny, 2 * epsilon * (size[:, :-1] + size[:, 1:]))
        beside[gone] = 0
        left = beside != 0
        if not left.any():
            return
        # of each matrix the last block that is not done: from start to end
        end = np.where(left.any(axis=1), n - 1 - left[:, ::-1].argmax(axis=1), 0)
        for e in range(1, n):
            start = np.full(len(end), e - 1)
            for s in range(e - 2, -1, -1):
                start = np.where((start == s + 1) & (beside[:, s] != 0), s, start)
            for s in range(e):
                mine = np.flatnonzero((end == e) & (start == s))
                if len(mine):
                    step(diagonal, beside, Q, mine, s, e)


def step(diagonal: np.ndarray, beside: np.ndarray, Q: np.ndarray, mine: np.ndarray, start: int, end: int) -> None:
    """One step with Wilkinson's shift on the block from ``start`` to ``end`` of the matrices ``mine``."""
    d, b, q = diagonal[mine], beside[mine], Q[mine]
    td, e = (d[:, end - 1] - d[:, end]) * 0.5, b[:, end - 1]
    h = np.hypot(td, e)
    with np.errstate(invalid="ignore", divide="ignore"):
        shifted = d[:, end] - e * e / (td + np.where(td > 0, h, -h))
        small = d[:, end] - e / ((td + np.where(td > 0, h, -h)) / e)  # where e² is no number any more
    mu = np.where(td == 0, d[:, end] - np.abs(e), np.where(e * e == 0, small, shifted))
    x, z = d[:, start] - mu, b[:, start].copy()
    for k in range(start, end):
        c, s = givens(x, z)
        sdk = s * d[:, k] + c * b[:, k]
        dkp1 = s * b[:, k] + c * d[:, k + 1]
        d[:, k] = c * (c * d[:, k] - s * b[:, k]) - s * (c * b[:, k] - s * d[:, k + 1])
        d[:, k + 1] = s * sdk + c * dkp1
        b[:, k] = c * sdk - s * dkp1
        if k > start:
            b[:, k - 1] = c * b[:, k - 1] - s * z
        x = b[:, k].copy()
        if k < end - 1:
            z = -s * b[:, k + 1]
            b[:, k + 1] = c * b[:, k + 1]
        left, right = q[:, :, k].copy(), q[:, :, k + 1].copy()
        q[:, :, k] = c[:, None] * left - s[:, None] * right
        q[:, :, k + 1] = s[:, None] * left + c[:, None] * right
    diagonal[mine], beside[mine], Q[mine] = d, b, q


def givens(p: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cosine and sine of the rotation that takes q away."""
    with np.errstate(invalid="ignore", divide="ignore"):
        t = q / p
        u = np.sqrt(1 + t * t) * np.where(p < 0, -1, 1)
        c1, s1 = 1 / u, -t / u
        t = p / q
        u = np.sqrt(1 + t * t) * np.where(q < 0, -1, 1)
        s2, c2 = -1 / u, t / u
    c = np.where(q == 0, np.where(p < 0, -1.0, 1.0), np.where(p == 0, 0.0, np.where(np.abs(p) > np.abs(q), c1, c2)))
    s = np.where(q == 0, 0.0, np.where(p == 0, np.where(q < 0, 1.0, -1.0), np.where(np.abs(p) > np.abs(q), s1, s2)))
    return c, s
