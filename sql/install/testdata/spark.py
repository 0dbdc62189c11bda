"""Runs SQL in Apache Spark, in this process. A question in JSON a line in; its answer, or its error, out.

{"sql": text}: runs a statement or a script; {"rows": [[text or null, ...], ...]}
{"parse": text}: reads a statement and does nothing else
{"define": name, "source": text}: a batch Python function of Unity Catalog, from the text of its body
{"view": name, "columns": [name, ...], "rows": [[text or null, ...], ...]}: a temporary view
"""
import json
import logging
import os
import sys

os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what Spark prints is no answer

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql.functions import PandasUDFType, pandas_udf

logging.disable(logging.CRITICAL)  # errors are answers
builder = SparkSession.builder.master("local[2]")
for key, value in {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # it starts faster
    "spark.driver.memory": "1g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.default.parallelism": "1",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.scripting.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.warehouse.dir": os.getcwd(),
    "spark.jars": os.environ["BADGER_SPARK_JARS"],
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.sources.default": "delta",
    "spark.databricks.delta.snapshotPartitions": "1",
}.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()


def text(v):
    return v if v is None or isinstance(v, str) else str(v)


def answer(question):
    if "sql" in question:
        return {"rows": [[text(v) for v in row] for row in spark.sql(question["sql"]).collect()]}
    if "parse" in question:
        spark._jsparkSession.sessionState().sqlParser().parsePlan(question["parse"])
    elif "define" in question:
        # Spark sends the function to a process of its own by value, with the globals that it reads.
        space = {"__name__": "__main__"}
        exec(compile(question["source"], question["define"], "exec"), space)
        spark.udf.register(question["define"], pandas_udf(space["score"], "string", PandasUDFType.SCALAR_ITER).asNondeterministic())
    else:
        frame = spark.createDataFrame(pd.DataFrame(question["rows"], columns=question["columns"], dtype=object), ", ".join(f"`{c}` STRING" for c in question["columns"]))
        frame.coalesce(1).createOrReplaceTempView(question["view"])
    return {}


for line in sys.stdin:
    try:
        reply = answer(json.loads(line))
    except Exception as e:
        reply = {"error": str(e)[:3000]}
    print(json.dumps(reply), file=out, flush=True)
