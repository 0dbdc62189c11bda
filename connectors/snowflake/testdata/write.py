"""Merges score rows with Snowflake's connector for Python as its users do: executemany into a temporary table, then MERGE. Prints rows, seconds and the process's peak
megabytes."""

import resource
import sys
import time

import snowflake.connector

snowflake.connector.paramstyle = "qmark"
port, n = sys.argv[1], int(sys.argv[2])
connection = snowflake.connector.connect(
    user="tester", password="swordfish", account="acme", host="127.0.0.1", port=int(port), protocol="http", database="DEMO", schema="PUBLIC",
    session_parameters={"CLIENT_OUT_OF_BAND_TELEMETRY_ENABLED": False, "CLIENT_TELEMETRY_ENABLED": False},
)
columns = "eval_run_id VARCHAR, case_id VARCHAR, metric VARCHAR, value FLOAT, passed BOOLEAN, reason VARCHAR, detail VARCHAR, scored_at VARCHAR"
names = [c.split()[0] for c in columns.split(", ")]
cursor = connection.cursor()
cursor.execute(f"CREATE TABLE scores ({columns})")
rows = [
    ("01JC5Z3V8T7XK2", f"case-{i // 10:06}", f"metric-{i % 10}", i / n, i % 2 == 0, "all rows and columns agree within the tolerance",
     '{"columns":[{"gold":"a","pred":"b","source":"values"}],"rows":{"gold":10,"pred":10,"matched":10}}', f"2024-11-19 07:06:40.{i:06}+00:00")
    for i in range(n)
]
best = float("inf")
for turn in range(3):
    start = time.perf_counter()
    cursor.execute(f"CREATE TEMPORARY TABLE stage{turn} ({columns})")
    for at in range(0, n, 8000):
        cursor.executemany(f"INSERT INTO stage{turn} ({', '.join(names)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows[at : at + 8000])
    key = " AND ".join(f"t.{k} = s.{k}" for k in names[:3])
    update = ", ".join(f"{k} = s.{k}" for k in names[3:])
    values = ", ".join(f"s.{k}" for k in names)
    cursor.execute(f"MERGE INTO scores AS t USING stage{turn} AS s ON {key} WHEN MATCHED THEN UPDATE SET {update} WHEN NOT MATCHED THEN INSERT ({', '.join(names)}) VALUES ({values})")
    best = min(best, time.perf_counter() - start)
print(cursor.execute("SELECT COUNT(*) FROM scores").fetchone()[0], best, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)
