"""Computes scores in an engine: engines.py ENGINE DIRECTORY ROWS [ADDRESS OF FLIGHT].

DIRECTORY has pairs.jsonl, with gold and result in each line, and the printed badger_functions.py or badger_function.xml
of the engine. Row i is pair i modulo their number. Prints the eight bytes of each value in hexadecimal, or NULL:
hybrid_ex of all rows, then ex_multiset and row_f1 of the pairs.
"""
import json, os, struct, sys

engine, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
address = sys.argv[4] if len(sys.argv) > 4 else None
sys.path.insert(0, folder)
pairs = [json.loads(line) for line in open(os.path.join(folder, "pairs.jsonl"))]


def column(name, n):
    import pyarrow as pa
    base = pa.array([p[name] for p in pairs], pa.string())
    return base.take(pa.array([i % len(pairs) for i in range(n)]))


def table(n):
    import pyarrow as pa
    return pa.table({"i": list(range(n)), "gold": column("gold", n), "result": column("result", n)})


def with_duckdb(function, n):
    import badger_functions, duckdb
    con = duckdb.connect()
    badger_functions.register(con, names=[function])
    con.register("t", table(n))
    return [r[0] for r in con.execute("SELECT %s(gold, result) FROM t ORDER BY i" % function).fetchall()]


def with_datafusion(function, n):
    import badger_functions, datafusion
    ctx = datafusion.SessionContext()
    badger_functions.register(ctx, names=[function])
    ctx.register_record_batches("t", [table(n).to_batches(max_chunksize=8192)])
    out = ctx.sql("SELECT i, %s(gold, result) AS s FROM t ORDER BY i" % function).to_arrow_table()
    return out.column("s").to_pylist()


def with_chdb(function, n):
    import chdb, pyarrow.parquet
    file = os.path.join(folder, "rows-%d.parquet" % n)
    pyarrow.parquet.write_table(table(n), file)
    query = "SELECT %s(gold, result) FROM file('%s') ORDER BY i" % (function, file)
    text = str(chdb.query(query, "JSONCompactEachRow", udf_path=folder))
    return [json.loads(line)[0] for line in text.splitlines()]


def with_flight(function, n):
    import badger_functions
    for name, handler, rows, kinds, result in badger_functions.FUNCTIONS:
        if name == function:
            call = badger_functions.caller(handler, rows, kinds, result, address, "", None)
            return call(column("gold", n), column("result", n)).to_pylist()


def with_spark(function, n):
    from pyspark.sql import SparkSession
    import pandas as pd
    from pyspark.sql.functions import pandas_udf
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.addPyFile(os.path.join(folder, "badger_functions.py"))

    @pandas_udf("double")
    def score(gold: pd.Series, result: pd.Series) -> pd.Series:
        import badger_functions
        import pyarrow as pa
        handler, rows, kinds, out = [f[1:] for f in badger_functions.FUNCTIONS if f[0] == function][0]
        call = badger_functions.caller(handler, rows, kinds, out, address, "", None)
        return call(pa.array(gold, pa.string()), pa.array(result, pa.string())).to_pandas()

    frame = spark.createDataFrame(table(n).to_pandas(), "i long, gold string, result string")
    values = [r[0] for r in frame.select("i", score("gold", "result").alias("s")).orderBy("i").select("s").collect()]
    return [None if v is None or v != v else v for v in values]


run = globals()["with_" + engine]
for function, n in (("hybrid_ex", count), ("ex_multiset", len(pairs)), ("row_f1", len(pairs))):
    for value in run(function, n):
        print("NULL" if value is None else struct.pack(">d", value).hex())
