"""Files that are written whole or not at all: beside their place, then moved there in one step.

A process that is killed leaves the old file, and a part beside it that the next save of the same name takes
away. Whoever writes a part holds a lock on it; a part that nobody holds is a leftover.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import zlib
from pathlib import Path

from ..errors import ParameterError, shown

try:
    import fcntl
except ImportError:  # Windows: no locks of this kind, and leftovers stay
    fcntl = None  # type: ignore[assignment]

LONGEST_NAME = 200  # bytes of a name that a part repeats; most file systems end at 255


def save(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes a file whole or not at all.

    A link is followed, an existing file keeps its mode, a new one gets the mode that the umask leaves. What is
    no plain file (a pipe, a terminal) is written to as it is.
    """
    if not isinstance(path, (str, os.PathLike)) or "\0" in str(path):
        raise ParameterError(f"path is {shown(path)}; it must be the path of a file.")
    given = Path(path)
    place = Path(os.path.realpath(given))
    if place.is_dir():
        raise IsADirectoryError(errno.EISDIR, "a file is written, but this is a folder", str(given))
    if not place.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such folder to write a file in", str(place.parent))
    try:
        old = place.stat() if place.exists() else None
        if old is not None and not stat.S_ISREG(old.st_mode):
            place.write_bytes(data)
            return
        unlink_leftovers(place)
        write_beside(place, data, old)
    except OSError as e:  # of a part the user knows nothing
        if e.errno is None:
            raise
        raise OSError(e.errno, e.strerror, str(given)) from None


def write_beside(place: Path, data: bytes, old: os.stat_result | None) -> None:
    part, handle = new_part(place)
    try:
        with os.fdopen(handle, "wb") as f:
            if old is not None:  # before anybody could read what is private
                keep_owner_and_mode(f.fileno(), old)
            f.write(data)
            f.flush()
            os.fsync(f.fileno())
            os.replace(part, place)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def new_part(place: Path) -> tuple[Path, int]:
    """A new file beside a place, locked; another writer may take it for a leftover before it is."""
    while True:
        part = place.with_name(f"{beginning(place)}{secrets.token_hex(4)}.part")
        handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o666)
        if locked(handle) and part.exists():
            return part, handle
        os.close(handle)
        part.unlink(missing_ok=True)


def beginning(place: Path) -> str:
    name = os.fsencode(place.name)
    return f".{place.name}." if len(name) <= LONGEST_NAME else f".{zlib.crc32(name):08x}."


def locked(handle: int) -> bool:
    """Whether the file is ours now; a file system without locks has no rivals either, as far as one can tell."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def unlink_leftovers(place: Path) -> None:
    """Takes away the parts of this name that a killed process left."""
    if fcntl is None:
        return
    mine = re.compile(re.escape(beginning(place)) + r"[a-z0-9_]{8}\.part")
    for name in os.listdir(place.parent):
        if not mine.fullmatch(name):
            continue
        part = place.with_name(name)
        with contextlib.suppress(OSError):  # gone already, or not ours to take away
            handle = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                part.unlink()
            finally:
                os.close(handle)


def keep_owner_and_mode(handle: int, old: os.stat_result) -> None:
    if not hasattr(os, "fchown"):
        return
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) != (old.st_uid, old.st_gid):
        with contextlib.suppress(OSError):  # only the owner's superior may give a file away
            os.fchown(handle, old.st_uid, old.st_gid)
    os.fchmod(handle, stat.S_IMODE(old.st_mode) & 0o777)
