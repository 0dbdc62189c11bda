"""badger in Great Expectations: expectations on the table of scores, whose latest ones are in the view badger.latest_scores.

In a warehouse, a query asset with SCORES takes the place of the data frame.
"""

import badger_eval as be
import duckdb
import great_expectations as gx
import great_expectations.expectations as gxe

SCORES = "SELECT * FROM badger.latest_scores WHERE metric = 'hybrid_ex'"


def evaluate(cases: str = "cases.jsonl", database: str = "scores.duckdb"):
    be.run(cases, metrics=["hybrid_ex"], db=f"duckdb:{database}")
    with duckdb.connect(database, read_only=True) as scores:
        batch = gx.get_context(mode="ephemeral").data_sources.pandas_default.read_dataframe(scores.sql(SCORES).df())
    expectations = [
        gxe.ExpectTableRowCountToBeBetween(min_value=1),
        gxe.ExpectColumnValuesToBeInSet(column="status", value_set=["ok", "not_applicable"]),  # none failed or abstained
        gxe.ExpectColumnMeanToBeBetween(column="value", min_value=0.9),
    ]
    return batch.validate(gx.ExpectationSuite(name="answers", expectations=expectations))
