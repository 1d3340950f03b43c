"""The command `bough`: its options, its exit codes, and what happens when something goes wrong."""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from .._version import __version__
from ..errors import BoughError, ParameterError
from ..output import OUTPUTS
from ..output.sql_dialect import DIALECTS
from ..registry import KINDS, did_you_mean
from ..tables.built_in import BUILT_IN
from ..tables.files import ENDINGS
from . import INTERRUPTED
from .commands import SHELVES, check, list_plugins, predict, show
from .compare import compare
from .completion import SHELLS, completion
from .demo import demo
from .elsewhere import export, report
from .explaining import why_not
from .fitting import fit
from .rules import add_rules
from .terminal import Output, complain, give_up_output, prepare_output, sentence
from .values import assignment, integer, number, separator, share

OK, FAILED, USAGE, PIPE_CLOSED = 0, 1, 2, 141

DATA_HELP = f"a file ({ENDINGS}), - for a text file from the standard input, or built-in data: {', '.join(BUILT_IN)}"

EXAMPLES = """\
example:
  bough fit iris                            grows a tree, tests it, writes iris.bough
  bough fit sales.csv --target price        the same with a table of your own
  bough show iris.bough                     prints the tree
  bough predict iris.bough new.csv          predicts other rows

exit codes: 0 success, 1 data or file error, 2 usage error, 130 interrupted
"""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence."""

    commands: dict[str, Parser]  # of the command itself

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **options)

    def error(self, message: str) -> NoReturn:
        found = re.fullmatch(r"argument (\S+): invalid choice: '(.*)' \(choose from (.*)\)", message)
        if found:
            known = re.findall(r"[\w-]+", found[3])
            what = "command" if found[1] == "COMMAND" else found[1]
            guess = did_you_mean(found[2], known)
            message = f"there is no {what} {found[2]!r}{guess or '.'} It must be one of {', '.join(known)}"
        complain(f"{message}{' See' if message.endswith('?') else '; see'} '{self.prog} --help'.")
        raise SystemExit(USAGE)


def parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """The arguments; an option that a command lacks is refused with the one that was probably meant."""
    top = parser()
    args, unknown = top.parse_known_args(argv)
    if not unknown:
        return args
    own = top.commands[args.command]
    option = next((u.partition("=")[0] for u in unknown if u.startswith("-") and len(u) > 1), None)
    if option is None:
        own.error(f"unexpected argument{'s' if len(unknown) > 1 else ''}: {' '.join(unknown)}")
    names = [n for n in own._option_string_actions if n.startswith("--")]
    own.error(f"{args.command} has no option {option}{did_you_mean(option, names)}".rstrip("."))


# ---- the parser -------------------------------------------------------------------------------------


def parser() -> Parser:
    top = Parser(
        prog="bough",
        description="Decision trees: fit them on a table, look at them, predict with them.",
        epilog=EXAMPLES,
    )
    top.add_argument("--version", action="version", version=f"bough {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True, dest="command")
    for add in (
        add_fit,
        add_predict,
        add_show,
        add_why_not,
        add_report,
        add_export,
        add_compare,
        add_check,
        add_list,
        add_demo,
        add_completion,
    ):
        add(commands)
    top.commands = dict(commands.choices)
    return top


def command(commands: Any, name: str, run: Callable[[argparse.Namespace, Output], None], example: str) -> Parser:
    assert run.__doc__ is not None
    made: Parser = commands.add_parser(
        name, help=run.__doc__.rstrip(".").lower(), description=run.__doc__, epilog=f"example:\n  {example}\n"
    )
    made.set_defaults(run=run)
    manner = made.add_argument_group("output").add_mutually_exclusive_group()
    manner.add_argument("--json", action="store_true", help="print one JSON value and nothing else")
    manner.add_argument("--quiet", action="store_true", help="print only the result, and errors")
    return made


def add_reading(p: Parser) -> None:
    """How a text file is read."""
    p.add_argument("--sep", type=separator, metavar="CHAR", help="separator of a text file, such as ; or tab")
    p.add_argument("--decimal", type=separator, default=".", metavar="CHAR", help="the decimal mark (.)")
    p.add_argument("--thousands", type=separator, metavar="CHAR", help="the mark between thousands: , in 1,234.50")
    p.add_argument("--encoding", metavar="NAME", default="utf-8", help="encoding of a text file (utf-8)")
    p.add_argument(
        "--text",
        metavar="COL[,COL]",
        action="append",
        default=[],
        help="columns to read as text, whatever they hold",
    )


def add_tree(p: Parser) -> None:
    p.add_argument("--tree", type=integer(0), default=0, metavar="N", help="which tree of a forest; the first is 0")


def add_problem(p: Parser) -> None:
    """What is to be learned from a table."""
    p.add_argument("--target", metavar="COL", help="the column to predict; built-in data has one of its own")
    p.add_argument(
        "--task",
        choices=["auto", "classification", "regression"],
        default="auto",
        help="what to predict; auto (the default) takes fractions and more than 20 different integers for "
        "regression, everything else for classification",
    )
    p.add_argument("--categorical", metavar="COL[,COL]", action="append", default=[], help="columns without an order")
    p.add_argument("--drop", metavar="COL[,COL]", action="append", default=[], help="columns to ignore")


def add_fit(commands: Any) -> None:
    p = command(commands, "fit", fit, "bough fit sales.csv --target price --max-depth 5 --set min_info_gain=0.01")
    p.add_argument("data", metavar="DATA", help=DATA_HELP)
    p.add_argument("more", metavar="DATA", nargs="*", help="with --dask: more files of the same table")
    add_reading(p)
    add_problem(p)
    p.add_argument(
        "--test-share",
        type=share,
        default=0.25,
        metavar="SHARE",
        help="share of the rows held out to test the tree (0.25)",
    )
    p.add_argument(
        "--ordered",
        metavar="COL=LOW,…,HIGH",
        action="append",
        default=[],
        help="a column whose categories have an order, lowest first",
    )
    p.add_argument("--out", metavar="FILE", help="the model file; by default DATA's name with .bough")
    p.add_argument("--force", action="store_true", help="overwrite an existing file")
    p.add_argument(
        "--dask",
        nargs="?",
        const="local",
        metavar="ADDRESS",
        help="grow on the Dask cluster of this scheduler, or on one of this machine; DATA may be 'data/*.parquet'",
    )
    tree = p.add_argument_group("tree", "`bough list` shows the names; defaults are those of bough.TreeClassifier")
    tree.add_argument(
        "--system",
        metavar="NAME",
        help="a published combination, which other options override; or best or readable: chosen by cross-validation",
    )
    for kind in KINDS:
        tree.add_argument(f"--{kind}", metavar="NAME", help=SHELVES[kind].title)
    tree.add_argument("--max-depth", type=integer(1), metavar="N", help="longest path from the root to a leaf")
    tree.add_argument("--min-samples-leaf", type=number, metavar="N", help="fewest rows in a leaf, or their share")
    tree.add_argument(
        "--min-samples-split", type=number, metavar="N", help="fewest rows in a split node, or their share"
    )
    tree.add_argument("--max-leaf-nodes", type=integer(2), metavar="N", help="most leaves; the best grow first")
    add_rules(p.add_argument_group("constraints", "which splits are allowed"))
    tree.add_argument("--ccp-alpha", type=number, metavar="X", help="price of a leaf in cost-complexity pruning")
    tree.add_argument(
        "--random-state",
        type=integer(0, 2**32 - 1),
        default=0,
        metavar="SEED",
        help="seed (0)",
    )
    tree.add_argument("--n-jobs", type=int, metavar="N", help="threads; -1: all processors")
    tree.add_argument(
        "--set",
        type=assignment,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="any other parameter, such as min_info_gain=0.01 or split_params.candidates=3; the value is JSON or text",
    )


def add_predict(commands: Any) -> None:
    p = command(commands, "predict", predict, "bough predict iris.bough new.csv --proba --out predictions.csv")
    p.add_argument("model", metavar="MODEL", help="a file that `bough fit` wrote")
    p.add_argument("data", metavar="DATA", help=f"{DATA_HELP}; columns are matched by name, others ignored")
    add_reading(p)
    p.add_argument("--proba", action="store_true", help="add a column with the probability of each class")
    p.add_argument(
        "--keep",
        metavar="COL[,COL]",
        action="append",
        default=[],
        help="columns of DATA to write before the prediction, such as a key",
    )
    p.add_argument("--why", action="store_true", help="add a column with the conditions that lead to the prediction")
    p.add_argument("--out", metavar="FILE.csv", help="write there instead of to the terminal")
    p.add_argument("--force", action="store_true", help="overwrite an existing file")


def add_show(commands: Any) -> None:
    p = command(commands, "show", show, "bough show iris.bough --why 51 --data iris")
    p.add_argument("model", metavar="MODEL", help="a file that `bough fit` wrote")
    add_tree(p)
    p.add_argument("--max-depth", type=integer(0), metavar="N", help="levels of the tree that are shown")
    p.add_argument("--all", action="store_true", help="show every node, not only about 60")
    p.add_argument("--digits", type=integer(1, 17), metavar="N", help="significant digits (6; terms of a sum: 3)")
    p.add_argument("--p-values", action="store_true", help="show the adjusted p-values of the columns at each node")
    what = p.add_mutually_exclusive_group()
    what.add_argument("--rules", action="store_true", help="one rule for each leaf instead of the tree")
    what.add_argument("--dot", action="store_true", help="the tree in DOT, for graphviz")
    what.add_argument("--why", type=int, metavar="ROW", help="the path of one row of --data; the first row is 1")
    p.add_argument("--data", metavar="DATA", help=f"for --why: {DATA_HELP}")
    add_reading(p)


def add_why_not(commands: Any) -> None:
    p = command(commands, "why-not", why_not, "bough why-not iris.bough iris --row 51 --wanted setosa")
    p.add_argument("model", metavar="MODEL", help="a file that `bough fit` wrote")
    p.add_argument("data", metavar="DATA", help=f"the table with the row: {DATA_HELP}")
    add_reading(p)
    p.add_argument("--row", type=int, default=1, metavar="N", help="the number of the row; the first row is 1 (1)")
    p.add_argument("--wanted", required=True, metavar="CLASS", help="the prediction you want; for regression LOW:HIGH")
    p.add_argument("--fixed", metavar="COL[,COL]", action="append", default=[], help="columns that may not change")
    p.add_argument("--up", metavar="COL[,COL]", action="append", default=[], help="columns that may only rise")
    p.add_argument("--down", metavar="COL[,COL]", action="append", default=[], help="columns that may only fall")
    p.add_argument(
        "--cost",
        type=assignment,
        action="append",
        default=[],
        metavar="COL=PRICE",
        help="price of moving a column by one standard deviation, or to another category (1)",
    )
    p.add_argument("-n", type=integer(1), default=3, metavar="N", help="most changes to print (3)")
    p.add_argument("--background", metavar="DATA", help="rows that show what is typical; by default the rows of DATA")


def add_report(commands: Any) -> None:
    p = command(commands, "report", report, "bough report iris.bough iris -o iris.html --open")
    p.add_argument("model", metavar="MODEL", help="a file that `bough fit` wrote")
    p.add_argument("data", metavar="DATA", nargs="?", help=f"rows for the figures and scores: {DATA_HELP}")
    add_tree(p)
    add_reading(p)
    p.add_argument("--target", metavar="COL", help="the target column; built-in data has its own")
    p.add_argument(
        "--include-rows",
        action="store_true",
        help="put some rows of DATA into the page, to follow",
    )
    p.add_argument("--groups", metavar="COL", help="scores by the values of this column, which the tree need not use")
    p.add_argument("-o", "--out", metavar="FILE.html", help="the page; by default MODEL's name with .html")
    p.add_argument("--force", action="store_true", help="overwrite an existing file")
    p.add_argument("--open", action="store_true", help="open it in the browser")


def add_export(commands: Any) -> None:
    p = command(commands, "export", export, "bough export iris.bough --sql iris.sql --dialect duckdb --table flowers")
    p.add_argument("model", metavar="MODEL", help="a file that `bough fit` wrote")
    form = p.add_mutually_exclusive_group(required=True)
    for o in OUTPUTS.values():
        form.add_argument(f"--{o.name}", metavar="FILE", dest=o.module, help=f"write {o.title}; - for standard output")
    p.add_argument("--table", metavar="NAME", default="data", help="for --sql: the table to read from (data)")
    p.add_argument("--dialect", metavar="NAME", default="ansi", help=f"for --sql: one of {', '.join(DIALECTS)} (ansi)")
    p.add_argument("--proba", action="store_true", help="for --sql: add the probability of each class")
    p.add_argument("--key", metavar="COL", action="append", help="for --sql: a key column to keep in the output")
    p.add_argument("--force", action="store_true", help="overwrite an existing file")


def add_compare(commands: Any) -> None:
    p = command(commands, "compare", compare, "bough compare iris wine --systems cart ctree --report report.html")
    p.add_argument("data", metavar="DATA", nargs="+", help=f"{DATA_HELP}; or a folder of files")
    add_reading(p)
    p.add_argument("--systems", metavar="NAME", nargs="+", required=True, help="names of `bough list systems`")
    add_problem(p)
    p.add_argument("--repeats", type=integer(1), default=10, metavar="N", help="how often the rows are split (10)")
    p.add_argument("--folds", type=number, default=5, metavar="N", help="folds of a split, or a share to test on (5)")
    p.add_argument("--measure", metavar="NAME", help="what to compare (accuracy; r2 for regression)")
    p.add_argument(
        "--grid",
        type=assignment,
        action="append",
        default=[],
        metavar="SYSTEM.PARAMETER=[VALUES]",
        help="values to choose from by cross-validation within the training rows",
    )
    p.add_argument(
        "--along",
        type=assignment,
        action="append",
        default=[],
        metavar="PARAMETER=[VALUES]",
        help="run every system once for each value",
    )
    p.add_argument("--random-state", type=integer(0, 2**32 - 1), default=0, metavar="SEED", help="seed (0)")
    p.add_argument("--n-jobs", type=int, default=-1, metavar="N", help="processes; -1, the default: all processors")
    p.add_argument("--results", metavar="FILE.jsonl", help="file of finished folds; a stopped run continues from it")
    p.add_argument("--report", metavar="FILE.html", help="write a page with tables, tests and plots")
    p.add_argument("--force", action="store_true", help="overwrite an existing report")


def add_check(commands: Any) -> None:
    p = command(commands, "check", check, "bough check iris.bough")
    p.add_argument("model", metavar="MODEL", help="a file that `bough fit` wrote")


def add_list(commands: Any) -> None:
    p = command(commands, "list", list_plugins, "bough list criterion")
    p.add_argument("kind", metavar="KIND", nargs="?", help=f"only one of: {', '.join(SHELVES)}")


def add_completion(commands: Any) -> None:
    p = command(commands, "completion", completion, "bough completion bash >> ~/.bash_completion")
    p.add_argument("shell", metavar="SHELL", choices=list(SHELLS), help=f"one of {', '.join(SHELLS)}")
    p.set_defaults(commands=commands.choices)


def add_demo(commands: Any) -> None:
    command(commands, "demo", demo, "bough demo")


# ---- the command ------------------------------------------------------------------------------------


def run(argv: Sequence[str] | None) -> None:
    args = parsed(argv)

    def note(message: Warning | str, *_: Any, **__: Any) -> None:
        if not args.quiet:
            complain(f"note: {' '.join(str(message).split())}")

    with warnings.catch_warnings():
        warnings.showwarning = note
        args.run(args, Output(args.json, args.quiet))
    sys.stdout.flush()


OPTIONS = {"categorical_features": "--categorical", "ordinal_features": "--ordered"}


def in_options(text: str) -> str:
    """An error of the library in terms of the command line: its options, and rows counted from 1."""
    text = re.sub(r"\b(categorical_features|ordinal_features)\b", lambda m: OPTIONS[m[1]], text)
    return re.sub(r"\brow (\d+)\b", lambda m: f"row {int(m[1]) + 1}", text)


def main(argv: Sequence[str] | None) -> int:
    """What `bough.cli.main` does once everything is imported."""
    try:
        prepare_output()
        run(argv)
        return OK
    except SystemExit as e:  # --help, --version and wrong usage
        return e.code if isinstance(e.code, int) else OK
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        return PIPE_CLOSED
    except ParameterError as e:
        complain(in_options(sentence(e)))
        return USAGE
    except (BoughError, OSError, ValueError, TypeError, OverflowError, MemoryError) as e:
        complain(in_options(sentence(e)))
        return FAILED
    finally:
        give_up_output()
