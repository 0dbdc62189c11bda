"""Runs the Python that is installed in a warehouse, as the warehouse would.

In: {"kind": "databricks" or "redshift", "source": text, "batches": [[column, ...], ...], "event": {...}, "slept": bool}. Out: the results as JSON. With slept no
time passes, and what would have is in the output: {"results": ..., "slept": [seconds, ...]}.
"""
import json
import sys
import time

slept = []
question = json.load(sys.stdin)
if question.get("slept"):
    time.sleep = slept.append
space = {}
exec(compile(question["source"], question["kind"], "exec"), space)
if question["kind"] == "redshift":
    print(space["handler"](question["event"], None))
else:
    import pandas as pd

    out = []
    for series in space["score"](iter([tuple(pd.Series(c) for c in batch) for batch in question["batches"]])):
        assert isinstance(series, pd.Series)
        out.append(series.tolist())
    print(json.dumps({"results": out, "slept": slept} if question.get("slept") else out))
