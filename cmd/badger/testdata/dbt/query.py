"""Prints the rows of a query on a DuckDB file as JSON: query.py FILE QUERY"""

import json
import sys

import duckdb

print(json.dumps(duckdb.connect(sys.argv[1], read_only=True).sql(sys.argv[2]).fetchall(), default=str))
