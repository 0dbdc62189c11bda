--- admin: The language of the one function that talks to badger serve.
CREATE EXTENSION IF NOT EXISTS plpython3u
--- admin: Sends one row to badger serve and returns the result as it came. A session keeps its connection open. Overload is tried again.
--- drop: DROP FUNCTION IF EXISTS {{in "_call"}}(text, json)
CREATE OR REPLACE FUNCTION {{in "_call"}}(name text, body json) RETURNS json
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $badger$
import http.client, time, urllib.parse

URL = urllib.parse.urlsplit({{py .Values.Endpoint}})
TOKEN_FILE = {{py .Values.TokenFile}}

def connect():
    kind = http.client.HTTPSConnection if URL.scheme == "https" else http.client.HTTPConnection
    GD["badger connection"] = c = kind(URL.netloc, timeout=660)
    return c

headers = {"Content-Type": "application/json"}
if TOKEN_FILE:
    with open(TOKEN_FILE) as f:
        token = f.read().strip()
    # What http.client says of a header that it refuses would show the token.
    if not (token.isascii() and token.isprintable() and token):
        plpy.error("%s: expected one line with the token" % TOKEN_FILE)
    headers["Authorization"] = "Bearer " + token
wait = 0.1
for attempt in range(9):
    connection = GD.get("badger connection") or connect()
    try:
        connection.request("POST", URL.path.rstrip("/") + "/v1/databricks/" + name, body.encode(), headers)
        reply = connection.getresponse()
        text = reply.read().decode(errors="replace")
        if reply.status == 200:
            return text
        problem = "badger serve answered with HTTP status %d: %s" % (reply.status, text[:300])
        if reply.status not in (429, 503):
            break
    except (OSError, http.client.HTTPException) as e:
        connection.close()
        GD.pop("badger connection", None)
        problem = "badger serve cannot be reached: %s" % e
    # SET badger.attempts lets those who cannot wait give up earlier.
    if attempt + 1 >= int(plpy.execute("SELECT current_setting('badger.attempts', true) AS n")[0]["n"] or 9):
        break
    time.sleep(wait)
    wait = min(2 * wait, 5)
plpy.error(problem)
$badger$
--- admin: What the function is for, and the mark by which badger knows it.
COMMENT ON FUNCTION {{in "_call"}}(text, json) IS 'Sends one row to badger serve. [badger-helper]'
--- admin: A new function may be called by everyone until that is taken away.
REVOKE ALL ON FUNCTION {{in "_call"}}(text, json) FROM PUBLIC
--- admin: The functions over it run with the rights of whoever calls them.
GRANT EXECUTE ON FUNCTION {{in "_call"}}(text, json) TO {{id .Values.Roles.Owner}}, {{id .Values.Roles.Caller}}
--- owner: Functions of an earlier version whose arguments were others would stay beside the new ones and make calls ambiguous.
DO $badger$
DECLARE f record;
BEGIN
  FOR f IN
    SELECT p.oid::regprocedure AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = {{lit .Values.Schema}} AND obj_description(p.oid, 'pg_proc') LIKE '%[badger:%'
      AND (p.proname, replace(pg_get_function_arguments(p.oid), '"', ''), pg_get_function_result(p.oid)) NOT IN (VALUES
{{range $i, $f := .Functions}}{{if $i}},
{{end}}        ({{lit .Name}}, {{lit (pgargs .)}}, {{lit (type .Result)}}){{end}})
  LOOP
    EXECUTE 'DROP FUNCTION ' || f.name;
  END LOOP;
END $badger$
