"""Says of pairs of queries whether sqlglot reads both as one tree, parentheses left out: one JSON document a line in, one out."""
import json
import sys

import sqlglot
from sqlglot import exp


def dump(node):
    """The tree as nested lists, without parentheses, chains of AND and OR flat."""
    if isinstance(node, list):
        return [dump(n) for n in node]
    if not isinstance(node, exp.Expression):
        return str(node).lower()
    if isinstance(node, exp.Paren):
        return dump(node.this)
    if isinstance(node, (exp.And, exp.Or)):
        out = [type(node).__name__]
        for side in (dump(node.this), dump(node.expression)):
            out.extend(side[1:] if side[0] == out[0] else [side])
        return out
    return [type(node).__name__] + [[k, dump(v)] for k, v in sorted(node.args.items()) if v]


def tree(sql, dialect):
    return dump(sqlglot.parse_one(sql, dialect=dialect))


for line in sys.stdin:
    pair = json.loads(line)
    try:
        same = tree(pair["a"], pair["dialect"]) == tree(pair["b"], pair["dialect"])
        print(json.dumps({"same": same}))
    except sqlglot.errors.SqlglotError as e:
        print(json.dumps({"error": str(e)[:200]}))
