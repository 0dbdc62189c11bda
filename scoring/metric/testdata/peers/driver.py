"""Answers pairs of tables with the verdicts of published programs, imported from checkouts beside each other.

usage: driver.py DIRECTORY PROGRAM, with one JSON object a line on standard input:
    {"gold": {"names": [...], "rows": [[...]]}, "pred": {...}, "ordered": bool, "question": str, "category": str,
     "gold_sql": str, "pred_sql": str, "condition_cols": [...], "ignore_order": bool}
and one JSON value a line on standard output. A cell is null, a JSON scalar, NaN, -Infinity, {"decimal": text}, {"date": text} or
{"timestamp": text}.
DIRECTORY holds mini_dev, sql-eval, test-suite-sql-eval and Spider2. See README.md.
"""
import contextlib
import datetime
import decimal
import importlib.util
import io
import json
import os
import sys
import tempfile
import types
import warnings

warnings.simplefilter("ignore")


class Stub(types.ModuleType):
    """Stands for any module that the programs import for databases, clouds and progress bars."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub(self.__name__ + "." + name)

    def __call__(self, *args, **kwargs):
        return self


STUBS = """func_timeout sqlalchemy utils utils.creds psycopg2 pymysql evaluation_utils google google.cloud google.cloud.bigquery
snowflake snowflake.connector tqdm parse""".split()


def load(directory, *path):
    """Imports one file without its databases, in a directory of its own because one program opens a log on import."""
    for name in STUBS:
        sys.modules.setdefault(name, Stub(name))
    where = os.path.join(os.path.abspath(directory), *path)
    spec = importlib.util.spec_from_file_location("peer", where)
    module = importlib.util.module_from_spec(spec)
    out, err, home = sys.stdout, sys.stderr, os.getcwd()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        try:
            spec.loader.exec_module(module)
        finally:
            os.chdir(home)
            sys.stdout, sys.stderr = out, err
    return module


def cell(v):
    if isinstance(v, dict):
        kind, text = next(iter(v.items()))
        read = {"decimal": decimal.Decimal, "date": datetime.date.fromisoformat, "timestamp": datetime.datetime.fromisoformat}
        return read[kind](text)
    return v


def rows(table):
    """The rows as a driver returns them. All NaN are one object, which Python finds equal to itself, as a warehouse does."""
    return [tuple(cell(v) for v in row) for row in table["rows"]]


def fetched(table):
    """The rows as a driver returns them, each NaN an object of its own, which equals nothing."""
    return [tuple(float("nan") if v != v else v for v in row) for row in rows(table)]


def spelled(v):
    """Reads a value as whoever normalizes before test-suite's comparison: whole floats and numeric text are numbers."""
    if isinstance(v, str):
        if v.lower().lstrip("+-") in ("nan", "inf", "infinity"):
            return v
        for number in int, float:
            try:
                v = number(v)
                break
            except ValueError:
                pass
    if isinstance(v, (bool, float, decimal.Decimal)):
        v = float(v)
        return int(v) if v.is_integer() else v
    if isinstance(v, datetime.date):
        return str(v)
    return v


def frame(table, pandas):
    """What pandas.read_sql_query makes of rows that a driver fetched."""
    return pandas.DataFrame.from_records(rows(table), columns=table["names"], coerce_float=True)


def from_csv(table, pandas):
    """What pandas reads back from the CSV file that rows were saved to."""
    return pandas.read_csv(io.StringIO(pandas.DataFrame(rows(table), columns=table["names"]).to_csv(index=False)))


def ex_bird(directory):
    peer = load(directory, "mini_dev", "evaluation", "evaluation_ex.py")
    return lambda c: peer.calculate_ex(fetched(c["pred"]), fetched(c["gold"]))


def soft_f1_bird(directory):
    peer = load(directory, "mini_dev", "evaluation", "evaluation_f1.py")
    return lambda c: peer.calculate_f1_score(fetched(c["pred"]), fetched(c["gold"]))


def ex_multiset(directory):
    peer = load(directory, "test-suite-sql-eval", "exec_eval.py")
    return lambda c: int(peer.multiset_eq(rows(c["gold"]), rows(c["pred"])))


def ex_permuted(directory):
    peer = load(directory, "test-suite-sql-eval", "exec_eval.py")
    norm = lambda t: [tuple(spelled(v) for v in row) for row in rows(t)]
    return lambda c: int(peer.result_eq(norm(c["gold"]), norm(c["pred"]), c["ordered"]))


def match_spider2(directory):
    import pandas
    peer = load(directory, "Spider2", "spider2-snow", "evaluation_suite", "evaluate.py")

    def answer(c):
        try:
            return peer.compare_pandas_table(from_csv(c["pred"], pandas), from_csv(c["gold"], pandas), c["condition_cols"], c["ignore_order"])
        except Exception:  # evaluate.py counts any error as wrong
            return 0
    return answer


def match_defog(directory):
    import pandas
    peer = load(directory, "sql-eval", "eval", "eval.py")

    def answer(c):
        gold, pred = frame(c["gold"], pandas), frame(c["pred"], pandas)
        try:
            if peer.compare_df(gold.copy(), pred.copy(), c["category"], c["question"], c["gold_sql"], c["pred_sql"]):
                return "exact"
            return "subset" if peer.subset_df(gold.copy(), pred.copy(), c["category"], c["question"]) else "none"
        except Exception:
            return "stopped"
    return answer


def main():
    answer = globals()[sys.argv[2]](sys.argv[1])
    for line in sys.stdin:
        case = json.loads(line)
        with contextlib.redirect_stdout(io.StringIO()):
            verdict = answer(case)
        print(json.dumps(verdict))


if __name__ == "__main__":
    main()
