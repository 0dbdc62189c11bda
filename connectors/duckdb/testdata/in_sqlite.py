"""Runs pairs of queries on small databases in SQLite and compares their results with those given.

One JSON object a line on the input: case_id, ddl, tables, queries, results. It ends with status 1
where SQLite returns something else.
"""

import collections
import json
import re
import sqlite3
import sys


def load(pair, backwards):
    db = sqlite3.connect(":memory:")
    db.executescript(pair["ddl"] + ";")
    db.execute("PRAGMA foreign_keys = OFF")
    for table in pair["tables"] or []:
        given = {c.lower() for c in table["columns"]}
        # Columns that no query reads are not in the small database, and some may not be NULL.
        needed = [(name, kind) for _, name, kind, notnull, _, key in db.execute(f'PRAGMA table_info("{table["name"]}")')
                  if (notnull or key) and name.lower() not in given]
        names = table["columns"] + [name for name, _ in needed]
        rows = table["rows"][::-1] if backwards else table["rows"]
        for i, row in enumerate(rows):
            own = [1000 + i if "int" in (kind or "").lower() else f"own {i}" for _, kind in needed]
            columns = ", ".join(f'"{n}"' for n in names)
            insert = f'INSERT INTO "{table["name"]}" ({columns}) VALUES ({", ".join("?" * len(names))})'
            try:
                db.execute(insert, row + own)
            except sqlite3.IntegrityError:  # a check on a column that no query reads
                for value in [i] + re.findall("'([^']*)'", pair["ddl"]) + [int(n) + 1 for n in re.findall(r"\b\d{1,9}\b", pair["ddl"])]:
                    try:
                        db.execute(insert, row + [value] * len(own))
                        break
                    except sqlite3.IntegrityError as e:
                        failed = e
                else:
                    raise failed
    return db


def plain(value):
    """What two engines may write in two ways: 1 and 1.0, 2.5 and '2.5'."""
    try:
        return round(float(value), 5)
    except (TypeError, ValueError):
        return value.rstrip() if isinstance(value, str) else value


def bag(rows):
    return collections.Counter(tuple(plain(v) for v in row) for row in rows)


checked, wrong = 0, 0
for line in sys.stdin:
    pair = json.loads(line)
    checked += 1
    why = ""
    for backwards in (False, True):
        try:
            db = load(pair, backwards)
            results = [db.execute(q).fetchall() for q in pair["queries"]]
        except sqlite3.Error as e:
            why = str(e)
            continue
        for query, got, want in zip(pair["queries"], results, pair["results"]):
            if bag(got) != bag(want):
                why = f"{query} returns {got}, not {want}"
        if results[0] == results[1]:
            why = "no difference"
    if why:
        wrong += 1
        print(pair["case_id"], why)
print(f"{checked} checked in SQLite {sqlite3.sqlite_version}, {wrong} wrong")
sys.exit(wrong > 0)
