"""Checks what badger deploy snowflake writes, with what Snowflake's users have: a JSON document on standard input, one on standard output.

projects: texts of snowflake.yml, read by the Snowflake CLI's own definition of a project.
statements: SQL that sqlglot parses, which answers with the kind of each statement, "command" where it keeps the text as it is.
"""
import json
import logging
import sys

logging.disable(logging.CRITICAL)  # sqlglot says of each statement that it keeps as it is that it does
question, answer = json.load(sys.stdin), {}
if "projects" in question:
    import yaml
    from snowflake.cli.api.project.schemas.project_definition import build_project_definition

    answer["projects"] = []
    for text in question["projects"]:
        try:
            definition = build_project_definition(**yaml.safe_load(text))
            answer["projects"].append({"entities": {name: e.type for name, e in definition.entities.items()}})
        except Exception as e:
            answer["projects"].append({"error": "%s: %s" % (type(e).__name__, e)})
if "statements" in question:
    import sqlglot
    from sqlglot import exp

    answer["kinds"], answer["errors"] = [], []
    for text in question["statements"]:
        try:
            tree = sqlglot.parse_one(text, read="snowflake")
            answer["kinds"].append(type(tree).__name__.lower() + (" " + tree.kind.lower() if isinstance(tree, exp.Create) and tree.kind else ""))
        except Exception as e:
            answer["kinds"].append("error")
            answer["errors"].append("%s\n%s" % (str(e)[:300], text[:300]))
json.dump(answer, sys.stdout)
