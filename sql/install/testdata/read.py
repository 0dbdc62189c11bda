"""Reads CREATE FUNCTION statements with sqlglot and prints names, arguments and types, one JSON document a line.

sqlglot does not know every clause of every warehouse. What follows the result's type is therefore left out, and so are the words SECURE and
EXTERNAL; the name, the arguments and the types stay as they are.
"""
import json
import re
import sys

import sqlglot
from sqlglot import exp
from sqlglot.tokens import TokenType


def header(sql, dialect):
    """The statement up to the result's type, with a body that every dialect reads."""
    tokens = sqlglot.tokenize(sql, read=dialect)
    returns = next(i for i, t in enumerate(tokens) if t.text.upper() == "RETURNS")
    end = returns + 2
    if end < len(tokens) and tokens[end].text.upper() == "PRECISION":
        end += 1
    if end < len(tokens) and tokens[end].token_type == TokenType.L_PAREN:
        while tokens[end].token_type != TokenType.R_PAREN:
            end += 1
        end += 1
    text = sql[: tokens[end - 1].end + 1] + " AS 'x'"
    if dialect == "redshift":  # whose external functions have types for arguments; sqlglot wants names before types with lengths
        depth, starts, opening = 0, [], next(i for i, t in enumerate(tokens) if t.token_type == TokenType.L_PAREN)
        for i, t in enumerate(tokens[opening:returns], opening):
            depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(t.token_type, 0)
            if depth == 1 and t.token_type in (TokenType.L_PAREN, TokenType.COMMA) and tokens[i + 1].token_type != TokenType.R_PAREN:
                starts.append(tokens[i + 1].start)
        for start in reversed(starts):
            text = text[:start] + "argument " + text[start:]
    text = re.sub(r"^(CREATE OR REPLACE) (SECURE )?(EXTERNAL )?", r"\1 ", text)
    return re.sub(r" COMMENT '(?:[^'\\]|\\.)*'", "", text)


def statements(body):
    """The SQL statements of a procedure's body, without what only steers. Strings and comments hold no semicolon."""
    body = re.sub(r"--.*$", "", body, flags=re.M)
    for part in body.split(";"):
        found = re.search(r"(?:^|\b(?:BEGIN|THEN|ELSE|DO|LOOP)\b)\s*((?:INSERT INTO|UPDATE|MERGE(?: INTO)?|CREATE OR REPLACE (?:TEMP |TEMPORARY )?TABLE|CREATE TEMP TABLE|SELECT|WITH)\b.*)\Z", part, flags=re.S)
        if found:
            yield found.group(1)


for line in sys.stdin:
    q = json.loads(line)
    try:
        if q.get("kind") == "procedure":
            n = 0
            for text in statements(q["sql"]):
                # sqlglot knows neither variables nor INTO of procedures.
                text = re.sub(r"(?<![:\w]):(?=[a-z_]+\b)", "", text) if q["warehouse"] == "snowflake" else text
                text = re.sub(r"^SELECT INTO [\w, ]*?(?= \S+\(|(?<=v_case) )", "SELECT ", text) if q["warehouse"] == "redshift" else text
                text = re.sub(r" INTO (?:v_[a-z_]+(?:, )?)+", "", text) if q["warehouse"] == "postgres" else text
                text = re.sub(r" INTO (?:[a-z_]+(?:, )?)+", "", text, count=1) if q["warehouse"] == "snowflake" and text.startswith("SELECT") else text
                try:
                    sqlglot.parse_one(text, read=q["warehouse"])
                except Exception as e:
                    raise ValueError("%s\nin\n%s" % (e, text)) from None
                n += 1
            print(json.dumps({"statements": n}))
            continue
        if q.get("kind") == "table":
            tree = sqlglot.parse_one(q["sql"], read=q["warehouse"])
            assert isinstance(tree, exp.Create) and tree.kind in ("TABLE", "VIEW"), repr(tree)[:200]
            table = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
            columns = [[c.name, c.kind.this.name] for c in tree.this.expressions] if isinstance(tree.this, exp.Schema) else []
            print(json.dumps({"table": ".".join(p.name for p in table.parts[-2:]), "columns": columns}))
            continue
        tree = sqlglot.parse_one(header(q["sql"], q["warehouse"]), read=q["warehouse"])
        assert isinstance(tree, exp.Create) and tree.kind == "FUNCTION", repr(tree)[:200]
        function = tree.this
        name = [p.name for p in function.this.parts]
        params = []
        for p in function.expressions:
            if isinstance(p, exp.ColumnDef):
                params.append([p.name, p.kind.this.name])
            else:
                params.append(["", (p if isinstance(p, exp.DataType) else exp.DataType.build(p.sql(q["warehouse"]), dialect=q["warehouse"])).this.name])
        returns = next(p for p in tree.args["properties"].expressions if isinstance(p, exp.ReturnsProperty))
        answer = {"name": name, "params": params, "type": returns.this.this.name}
    except Exception as e:  # the test shows it with the statement
        answer = {"error": "%s: %s" % (type(e).__name__, str(e)[:300])}
    print(json.dumps(answer))
