--- admin: The language of the one function that talks to badger serve.
CREATE EXTENSION IF NOT EXISTS plpython3u
--- admin: Sends one row to badger serve and returns the result as it came. A session keeps its connection open. Overload is tried again.
--- drop: DROP FUNCTION IF EXISTS {{in "_call"}}(text, json)
CREATE OR REPLACE FUNCTION {{in "_call"}}(name text, body json) RETURNS json
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $badger$
import http.client, json, signal, socket, ssl, threading, time, urllib.parse

URL = urllib.parse.urlsplit({{py .Values.Endpoint}})
TOKEN_FILE = {{py .Values.TokenFile}}
CA = {{py .CA}}  # certificates in PEM of the authorities of the server; "": those of the system

# The server's own flags and settings. plpy reads them by a statement, which a parallel plan does not allow here.
try:
    import ctypes
    server = ctypes.PyDLL(None)
    flags = [ctypes.c_int.in_dll(server, name) for name in ("QueryCancelPending", "ProcDiePending")]
    setting = server.GetConfigOption
    setting.restype, setting.argtypes = ctypes.c_char_p, (ctypes.c_char_p, ctypes.c_bool, ctypes.c_bool)
    attempts = int(setting(b"badger.attempts", True, False) or 9)
except (ImportError, OSError, AttributeError):
    flags, attempts = [], 9

def ended():
    return any(flag.value for flag in flags)

def end(connection):
    if connection.sock:
        try:
            connection.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
    GD.pop("badger connection", None)
    try:
        plpy.execute("SELECT 1")  # raises the server's own error, but in a worker of a parallel plan
    except plpy.SPIError as e:
        if e.sqlstate[:2] == "57":
            raise
    plpy.error("canceling statement", sqlstate="57014")

def connect():
    if URL.scheme == "https":
        c = http.client.HTTPSConnection(URL.netloc, timeout=660, context=ssl.create_default_context(cadata=CA or None))
    else:
        c = http.client.HTTPConnection(URL.netloc, timeout=660)
    GD["badger connection"] = c
    return c

def send(connection, out):
    try:
        connection.request("POST", URL.path.rstrip("/") + "/v1/databricks/" + name, body.encode(), headers)
        reply = connection.getresponse()
        out.append((reply.status, reply.read().decode(errors="replace")))
    except Exception as e:
        out.append(e)

def failed(text):
    if name not in ("score_row", "score_case"):
        return text
    fault, metrics = json.loads(text), json.loads(body).get("metrics") or ""  # these return an array: a score for each metric
    return json.dumps([dict(metric=m.strip(), status="failed", code=fault["code"], reason=fault["reason"]) for m in metrics.split(",")])

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
    connection, out = GD.get("badger connection") or connect(), []
    # A thread waits for the reply, so that this one sees a cancelled statement. Signals are for this one.
    thread = threading.Thread(target=send, args=(connection, out), daemon=True)
    signals = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    thread.start()
    signal.pthread_sigmask(signal.SIG_SETMASK, signals)
    while thread.is_alive():
        thread.join(0.2)
        if thread.is_alive() and ended():
            end(connection)
    if isinstance(out[0], (OSError, http.client.HTTPException)):
        connection.close()
        GD.pop("badger connection", None)
        problem = "badger serve cannot be reached: %s" % out[0]
    elif isinstance(out[0], Exception):
        raise out[0]
    else:
        status, text = out[0]
        if status == 200:
            return text
        problem = "badger serve answered with HTTP status %d: %s" % (status, text[:300])
        if status == 400 and '"code":"resource_exhausted"' in text:  # this row alone is too large
            plpy.warning(problem)
            return failed(text)
        if status not in (429, 503):
            break
    # SET badger.attempts lets those who cannot wait give up earlier.
    if attempt + 1 >= attempts:
        break
    until = time.monotonic() + wait
    while time.monotonic() < until:
        time.sleep(min(0.2, max(0, until - time.monotonic())))
        if ended():
            end(connection)
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
