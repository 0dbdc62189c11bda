"""Runs the Python that is installed in a warehouse, as the warehouse would.

In: {"kind": "databricks" or "redshift", "source": text, "batches": [[column, ...], ...], "event": {...}}. Out: the results as JSON.
"""
import json
import sys

question = json.load(sys.stdin)
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
    print(json.dumps(out))
