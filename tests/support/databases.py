"""Databases that run the SQL of a model: SQLite, DuckDB, and a PostgreSQL server of this process. Each makes a table of
a data frame whose columns may be called anything, and gives the rows of the query."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import pwd
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path

import pandas as pd
import pytest

from bough.output import sql
from bough.output.sql_dialect import quoted

KEY = "Row Number"


def plain(X):
    return [{c: None if pd.isna(v) else v for c, v in r.items()} for r in X.to_dict("records")]


def type_of(column):
    """The type of a column in a database."""
    values = [v for v in column.values if v is not None]
    if column.kind == "numeric" or any(isinstance(v, float) for v in values):
        return "DOUBLE PRECISION"
    if column.kind == "boolean" or (values and all(isinstance(v, bool) for v in values)):
        return "BOOLEAN"
    return "BIGINT" if values and all(isinstance(v, int) for v in values) else "TEXT"


def sqlite_rows(model, X, table="data", dialect="sqlite", **options):
    connection = sqlite3.connect(":memory:")
    names = [KEY, *X.columns]
    connection.execute(f"CREATE TABLE {quoted(table)} ({', '.join(map(quoted, names))})")
    rows = [(i, *r.values()) for i, r in enumerate(plain(X))]
    connection.executemany(f"INSERT INTO {quoted(table)} VALUES ({', '.join('?' * len(names))})", rows)
    return connection.execute(sql.to_sql(model, table, dialect, **options)).fetchall()


def duckdb_rows(model, X, table="data", dialect="duckdb", **options):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect(config={"threads": 1})
    names = [f"c{i}" for i in range(X.shape[1])]
    frame = X.set_axis(names, axis=1).assign(n=range(len(X)))
    connection.register("of pandas", frame)
    parts = [f"CAST(n AS BIGINT) AS {quoted(KEY)}"]
    parts += [
        f"CAST({n} AS {type_of(c)}) AS {quoted(c.name)}" for n, c in zip(names, columns_of(model, X), strict=True)
    ]
    connection.execute(f'CREATE TABLE {quoted(table)} AS SELECT {", ".join(parts)} FROM "of pandas"')
    return connection.execute(sql.to_sql(model, table, dialect, **options)).fetchall()


def columns_of(model, X):
    by_name = {c.name: c for c in model.schema.columns}
    return [by_name[c] for c in X.columns]


# ---- PostgreSQL -------------------------------------------------------------------------------------


def postgresql_rows(model, X, table="data", dialect="postgresql", **options):
    """Every cell as the server writes it, but of the type that the model predicts: see `typed`."""
    columns = columns_of(model, X)
    types = [f"{quoted(KEY)} BIGINT", *(f"{quoted(c.name)} {type_of(c)}" for c in columns)]
    rows = ["\t".join(map(cell, [i, *r.values()])) for i, r in enumerate(plain(X))]
    query = sql.to_sql(model, table, dialect, **options)
    script = [
        f"CREATE TEMP TABLE {quoted(table)} ({', '.join(types)});",
        f"COPY {quoted(table)} FROM STDIN;",
        *rows,
        "\\.",
        f"COPY ({query}) TO STDOUT;",
    ]
    told = server().psql("\n".join([*script, ""]))
    return [typed(model, line.split("\t"), options) for line in told.split("\n")[:-1]]


def cell(value):
    """A cell as COPY reads it."""
    if value is None:
        return "\\N"
    text = repr(float(value)) if isinstance(value, float) else str(value)
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def typed(model, cells, options):
    n_keys = 1 if isinstance(options.get("key"), str) else len(options.get("key") or ())
    keys, prediction, shares = [int(c) for c in cells[:n_keys]], cells[n_keys], cells[n_keys + 1 :]
    if model.classes is None:
        return (*keys, float(prediction))
    kind = type(model.classes.tolist()[0])
    if kind is bool:
        found = prediction == "t"
    elif kind is str:
        found = unescaped(prediction)
    else:
        found = kind(prediction)
    return (*keys, found, *map(float, shares))


def unescaped(text):
    marks = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "\\": "\\"}
    out, letters = [], iter(text)
    for c in letters:
        out.append(marks[next(letters)] if c == "\\" else c)
    return "".join(out)


class Server:
    """A PostgreSQL server on a socket in a folder of its own; it runs until this process ends."""

    def __init__(self, programs):
        self.programs = programs
        self.folder = tempfile.mkdtemp(prefix="bough-pg-")
        self.owner, options = os.getpid(), {}
        if os.geteuid() == 0:  # it refuses to run as root
            user = pwd.getpwnam("postgres" if has_user("postgres") else "nobody")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            options = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        data = f"{self.folder}/data"
        made = [programs / "initdb", "-D", data, "-A", "trust", "-U", "bough", "-E", "UTF8", "--locale=C", "--no-sync"]
        subprocess.run(made, check=True, capture_output=True, cwd=self.folder, timeout=120, **options)
        settings = ["listen_addresses=", f"unix_socket_directories={self.folder}", "fsync=off", "jit=off"]
        started = [programs / "postgres", "-D", data, *(part for s in settings for part in ("-c", s))]
        self.log = open(f"{self.folder}/log", "wb")  # noqa: SIM115 (the server's, as long as it runs)
        streams = {"stdout": self.log, "stderr": self.log, "stdin": subprocess.DEVNULL}
        self.process = subprocess.Popen(started, cwd=self.folder, **streams, **options)
        atexit.register(self.stop)
        ready = [programs / "pg_isready", "-h", self.folder, "-t", "1"]
        for _ in range(600):
            if subprocess.run(ready, check=False, capture_output=True, timeout=60).returncode == 0:
                return
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(0.1)
                break
        raise RuntimeError(f"PostgreSQL does not start: {Path(self.folder, 'log').read_text()[-2000:]}")

    def psql(self, script):
        command = [self.programs / "psql", "-X", "-q", "-h", self.folder, "-U", "bough", "-d", "postgres"]
        command += ["-v", "ON_ERROR_STOP=1", "-f", "-"]
        environment = {**os.environ, "PGCLIENTENCODING": "UTF8"}
        done = subprocess.run(
            command, input=script.encode(), capture_output=True, check=False, env=environment, timeout=600
        )
        if done.returncode:
            raise RuntimeError(done.stderr.decode()[-2000:])
        return done.stdout.decode()

    def stop(self):
        if os.getpid() != self.owner:  # a fork of the tests
            return
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        shutil.rmtree(self.folder, ignore_errors=True)


def has_user(name):
    with contextlib.suppress(KeyError):
        return bool(pwd.getpwnam(name))
    return False


@functools.cache
def postgresql_programs():
    """The folder of the newest server that is installed; None if there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda p: float(p.parts[-3]))
    on_path = shutil.which("postgres")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


@functools.cache
def running():
    return Server(postgresql_programs())


def server():
    if postgresql_programs() is None:
        pytest.skip("no PostgreSQL server is installed (Debian: apt install postgresql)")
    return running()
