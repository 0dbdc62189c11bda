"""Parses files of SQL with sqlglot, and prints the calls in the last one of functions that are not SQL's, as JSON, each as NAME/ARGUMENTS: calls.py DIALECT FILE...

A file that is not one statement, or that sqlglot does not understand, is an error.
"""

import json
import sys

import sqlglot
from sqlglot import exp

calls: set[str] = set()
for path in sys.argv[2:]:
    with open(path) as file:
        statements = sqlglot.parse(file.read(), read=sys.argv[1])
    if len(statements) != 1 or statements[0] is None or statements[0].find(exp.Command):
        sys.exit(f"{path}: expected one statement that sqlglot reads")
    calls = {f"{call.name.lower()}/{len(call.expressions)}" for call in statements[0].find_all(exp.Anonymous)}
print(json.dumps(sorted(calls)))
