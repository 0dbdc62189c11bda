"""Runs the Streamlit app over a DuckDB file with badger's tables, and prints what it shows as JSON.

Arguments: the app and the database. Each line of standard input is a JSON list of steps for a new session of the app:
key=value chooses a value of the widget with that key, click=TEXT clicks a button, and sql=TEXT changes the database
before the session. The answer is a line of JSON.
"""
import json
import re
import sys

import duckdb
import sqlglot
import streamlit as st
from streamlit.testing.v1 import AppTest

app, database = sys.argv[1:]
db = duckdb.connect(database)
calls, statements = [], set()


class Cursor:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def execute(self, sql, params):
        statements.add(sql)
        calls.append([sql, *params])
        if params[0] == "broken":
            raise RuntimeError("3 answers were skipped")


class Connection:
    """A fake of Streamlit's connection to Snowflake: parameters are written %s, and names of columns are in capitals."""

    def query(self, sql, params=None, ttl=None, show_spinner=True):
        assert ttl == 0, "pages show what is stored now"
        statements.add(sql)
        frame = db.execute(sql.replace("%s", "?"), params or []).df()
        frame.columns = [c.upper() for c in frame.columns]
        return frame

    def cursor(self):
        return Cursor()


st.connection = lambda name: {"snowflake": Connection()}[name]


def session(steps):
    calls.clear()
    for sql in (s[4:] for s in steps if s.startswith("sql=")):
        db.execute(sql)
    test = AppTest.from_file(app, default_timeout=60).run()
    for step in steps:
        key, _, value = step.partition("=")
        if key == "sql":
            continue
        if key == "click":
            next(b for b in test.button if b.label == value).click().run()
            continue
        (widget,) = [w for kind in (test.selectbox, test.text_input) for w in kind if w.key == key]
        if widget.type == "selectbox":
            widget.select_index(widget.options.index(value))
        else:
            widget.set_value(value)
        if not key.startswith("run_"):  # those of a form are sent by its button
            test.run()
    tabs = {
        tab.label: {
            "headers": [h.value for h in tab.header],
            "text": [m.value for m in tab.markdown] + [t.value for t in tab.text],
            "captions": [c.value for c in tab.caption],
            "metrics": {m.label: m.value for m in tab.metric},
            "tables": [json.loads(d.value.to_json(orient="split", date_format="iso"))["data"] for d in tab.dataframe],
            "messages": [e.value for kind in (tab.info, tab.warning, tab.error, tab.success) for e in kind],
            "code": [c.value for c in tab.code],
        }
        for tab in test.tabs
    }
    return {"exceptions": [e.value for e in test.exception], "headers": [h.value for h in test.header], "tabs": tabs, "calls": list(calls)}


for line in sys.stdin:
    print(json.dumps(session(json.loads(line)), default=str), flush=True)
for sql in statements:  # as Snowflake would read them
    sqlglot.parse_one(re.sub(r"%s", "NULL", sql), read="snowflake")
