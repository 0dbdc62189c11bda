"""The comparison of two small results as one would write it with Databend's UDF server kit and pandas."""

import json
import sys

import pandas
from databend_udf import UDFServer, udf


def frame(text):
    result = json.loads(text)
    return pandas.DataFrame(result["rows"], columns=result["columns"])


def agreement(gold, pred):
    """The share of rows that are equal, whatever the order of rows and columns."""
    columns = sorted(set(gold.columns) & set(pred.columns))
    if not columns or gold.empty or pred.empty:
        return 0.0
    both = gold[columns].merge(pred[columns].drop_duplicates(), on=columns, how="inner")
    return min(1.0, len(both) / max(len(gold), len(pred)))


@udf(name="hybrid_ex", input_types=["VARCHAR", "VARCHAR"], result_type="DOUBLE")
def hybrid_ex(gold: str, pred: str) -> float:
    return agreement(frame(gold), frame(pred))


if __name__ == "__main__":
    server = UDFServer(sys.argv[1])
    server.add_function(hybrid_ex)
    server.serve()
