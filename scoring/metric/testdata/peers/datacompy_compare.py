"""Times DataComPy on two Parquet files of equal column names: usage: datacompy_compare.py GOLD PRED KEY.

Prints one JSON object: median milliseconds of the comparison alone over at least three runs, the verdict, and the peak memory of this process in
megabytes, reading included.
"""
import json
import resource
import statistics
import sys
import time

import pandas as pd

try:
    from datacompy import PandasCompare
except ImportError:
    from datacompy import Compare as PandasCompare

gold, pred, key = sys.argv[1:4]
left, right = pd.read_parquet(gold), pd.read_parquet(pred)
times, verdict = [], None
while len(times) < 3:
    start = time.perf_counter()
    verdict = PandasCompare(left, right, join_columns=key, rel_tol=0.01).matches()
    times.append(time.perf_counter() - start)
print(json.dumps({
    "ms": statistics.median(times) * 1000,
    "verdict": bool(verdict),
    "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))
