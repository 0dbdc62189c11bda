"""Scores of text-to-SQL and data agents: badger's functions on columns.

    import badger_eval as be

    table = {"gold": [gold_df, '{"columns": ["n"], "rows": [[5]]}'], "pred": [answer_df, None]}
    be.score("hybrid_ex", table, gold="gold", pred="pred")

Without an address everything is computed on this machine, by a process of the program badger.
"""

from . import functions
from .client import Client, Function, Param, connect, default, one, score, use
from .columns import lit, result
from .errors import BadgerError
from .runs import Comparison, Run, compare, report, run

__all__ = [
    "BadgerError", "Client", "Comparison", "Function", "Param", "Run", "compare", "connect", "default", "functions", "lit",
    "one", "report", "result", "run", "score", "use",
]  # fmt: skip
