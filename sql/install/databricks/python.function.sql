--- owner: The body of {{.Function.Name}}: it sends rows to badger serve, {{.RowsOf .Function}} at most a call.
--- drop: DROP FUNCTION IF EXISTS {{in (print .Function.Name "__rows")}}
CREATE OR REPLACE FUNCTION {{in (print .Function.Name "__rows")}}(badger_token STRING{{range .Function.Params}}, {{id .Name}} {{argtype .Type}}{{end}})
RETURNS STRING
LANGUAGE PYTHON
NOT DETERMINISTIC
COMMENT {{lit .Comment}}
PARAMETER STYLE PANDAS
HANDLER 'score'
AS $$
import http.client, json, ssl, time, urllib.error, urllib.request
import pandas as pd

URL = {{py (print .Values.Endpoint "/v1/databricks/" .Function.Of.Name "/batch")}}
ROWS, BYTES = {{.RowsOf .Function}}, 8 << 20  # of a request at most; the server takes 10 MiB
CA = {{py .CA}}  # certificates in PEM of the authorities of the server; "": those of the system

def plain(v):
    if v is None or v is pd.NA or (isinstance(v, float) and v != v):
        return None
    return v.item() if hasattr(v, "item") else v

def call(rows, token):
    body = ('{"rows":[' + ",".join(rows) + "]}").encode()
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = "Bearer " + token
    tls = ssl.create_default_context(cadata=CA) if CA else None
    for attempt in range(8):
        after = ""
        try:
            with urllib.request.urlopen(urllib.request.Request(URL, body, headers), timeout=660, context=tls) as r:
                return r.read().decode()
        except urllib.error.HTTPError as e:
            text = e.read(3000).decode(errors="replace")
            if e.code == 400 and '"code":"resource_exhausted"' in text:
                return None if len(rows) > 1 else '{"results":[' + failed(text, rows[0]) + "]}"
            if e.code not in (429, 503) or attempt == 7:
                raise RuntimeError("badger serve answered with HTTP status %d: %s" % (e.code, text[:300])) from None
            after = e.headers.get("Retry-After", "")
        except (OSError, http.client.HTTPException) as e:  # refused, or cut in the middle of a reply
            if attempt == 7:
                raise RuntimeError("badger serve cannot be reached: %s" % getattr(e, "reason", e)) from None
        time.sleep(max(min(30, 0.25 * 2 ** attempt), min(300, int(after)) if after.isdigit() else 0))

def failed(text, row):  # the result of a row that is too large alone
{{- if .Scores}}
    fault, metrics = json.loads(text), json.loads(row)[1] or ""
    return json.dumps([dict(metric=m.strip(), status="failed", code=fault["code"], reason=fault["reason"]) for m in metrics.split(",")])
{{- else if .JSON}}
    return text
{{- else}}
    return "null"
{{- end}}

def answers(rows, token):
    text = call(rows, token)
    if text is None:  # too large together
        half = len(rows) // 2
        return answers(rows[:half], token) + answers(rows[half:], token)
    return results(text, len(rows))

def parts(rows):
    part, size = [], 0
    for row in rows:
        if part and (len(part) == ROWS or size + len(row) > BYTES):
            yield part
            part, size = [], 0
        part.append(row)
        size += len(row) + 1
    if part:
        yield part

def results(text, n):
    # Each result stays the text that the server wrote, digit for digit.
    out, at, decode = [], text.index("[") + 1, json.JSONDecoder().raw_decode
    while len(out) < n:
        _, end = decode(text, at)
        out.append(text[at:end])
        at = end + 1
    return [None if v == "null" else v for v in out]

def score(batches):
    for columns in batches:
        if isinstance(columns, pd.Series):  # one argument comes alone, and not in a tuple
            columns = (columns,)
        token = columns[0].iloc[0] if len(columns[0]) else ""
        rows = [[plain(v) for v in row] for row in zip(*columns[1:])] if len(columns) > 1 else [[] for _ in columns[0]]
        out = []
        for part in parts(map(json.dumps, rows)):
            out += answers(part, token)
        yield pd.Series(out, dtype=object)
$$
--- owner: {{.Why}}
--- drop: DROP FUNCTION IF EXISTS {{in .Function.Name}}
CREATE OR REPLACE FUNCTION {{in .Function.Name}}({{range $i, $p := .Function.Params}}{{if $i}}, {{end}}{{id .Name}} {{argtype .Type}}{{if .Optional}} DEFAULT NULL{{end}} COMMENT {{lit (oneline .Doc)}}{{end}})
RETURNS {{type .Function.Result}}
NOT DETERMINISTIC
COMMENT {{lit .Comment}}
RETURN {{if .JSON}}{{else}}CAST(get_json_object(concat('{"v":', {{end}}{{in (print .Function.Name "__rows")}}(secret({{lit .Values.Secret.Scope}}, {{lit .Values.Secret.Key}}){{range .Function.Params}}, {{id $.Function.Name .Name}}{{end}}){{if .JSON}}{{else}}, '}'), '$.v') AS {{type .Function.Result}}){{end}}
