"""Creates badger's tables in a DuckDB file from Parquet files, or runs SQL: load.py FILE TABLE=PARQUET..., load.py FILE --sql STATEMENT..."""

import sys

import duckdb

con = duckdb.connect(sys.argv[1])
if "--sql" in sys.argv:
    for statement in sys.argv[3:]:
        con.sql(statement)
else:
    con.sql("CREATE SCHEMA badger")
    for table, parquet in (a.split("=", 1) for a in sys.argv[2:]):
        con.sql(f"CREATE TABLE badger.{table} AS FROM '{parquet}'")
