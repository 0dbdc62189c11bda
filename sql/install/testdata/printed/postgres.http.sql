-- badger in postgres via http: 355 steps, in this order. Each may be run again.

-- 1. Run by a superuser.
-- The role that owns badger's objects. Grant it to users.
DO $badger$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'badger_owner') THEN CREATE ROLE badger_owner NOLOGIN; COMMENT ON ROLE badger_owner IS 'badger: owns badger''s objects'; END IF; END $badger$;

-- 2. Run by a superuser.
-- The role that may call the functions. Grant it to users.
DO $badger$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'badger_caller') THEN CREATE ROLE badger_caller NOLOGIN; COMMENT ON ROLE badger_caller IS 'badger: may call the functions'; END IF; END $badger$;

-- 3. Run by a superuser.
-- The role that reads scores and views. Grant it to users.
DO $badger$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'badger_reader') THEN CREATE ROLE badger_reader NOLOGIN; COMMENT ON ROLE badger_reader IS 'badger: reads scores and views'; END IF; END $badger$;

-- 4. Run by a superuser.
-- The role that writes labels, and nothing else. Grant it to users.
DO $badger$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'badger_annotator') THEN CREATE ROLE badger_annotator NOLOGIN; COMMENT ON ROLE badger_annotator IS 'badger: writes labels, and nothing else'; END IF; END $badger$;

-- 5. Run by a superuser.
-- The schema of everything that belongs to badger. It stays when badger is removed, unless its data go too.
CREATE SCHEMA IF NOT EXISTS badger;

-- 6. Run by a superuser.
-- The owner creates functions and tables in the schema.
GRANT USAGE, CREATE ON SCHEMA badger TO badger_owner;

-- 7. Run by a superuser.
-- The language of the one function that talks to badger serve.
CREATE EXTENSION IF NOT EXISTS plpython3u;

-- 8. Run by a superuser.
-- Sends one row to badger serve and returns the result as it came. A session keeps its connection open. Overload is tried again.
CREATE OR REPLACE FUNCTION badger._call(name text, body json) RETURNS json
LANGUAGE plpython3u VOLATILE PARALLEL SAFE AS $badger$
import http.client, json, signal, socket, ssl, threading, time, urllib.parse

URL = urllib.parse.urlsplit("https://badger.example.com")
TOKEN_FILE = ""
CA = ""  # certificates in PEM of the authorities of the server; "": those of the system

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
$badger$;

-- 9. Run by a superuser.
-- What the function is for, and the mark by which badger knows it.
COMMENT ON FUNCTION badger._call(text, json) IS 'Sends one row to badger serve. [badger-helper]';

-- 10. Run by a superuser.
-- A new function may be called by everyone until that is taken away.
REVOKE ALL ON FUNCTION badger._call(text, json) FROM PUBLIC;

-- 11. Run by a superuser.
-- The functions over it run with the rights of whoever calls them.
GRANT EXECUTE ON FUNCTION badger._call(text, json) TO badger_owner, badger_caller;

-- 12. Run by badger_owner.
-- Functions of an earlier version whose arguments were others would stay beside the new ones and make calls ambiguous.
DO $badger$
DECLARE f record;
BEGIN
  FOR f IN
    SELECT p.oid::regprocedure AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = 'badger' AND obj_description(p.oid, 'pg_proc') LIKE '%[badger:%'
      AND (p.proname, replace(pg_get_function_arguments(p.oid), '"', ''), pg_get_function_result(p.oid)) NOT IN (VALUES
        ('badger_version', '', 'text'),
        ('small', 'gold_sql text, agent_latency_ms double precision', 'double precision'),
        ('large_json', 'gold_result json, options json DEFAULT NULL::json', 'json'),
        ('run_settings', 'metrics text', 'json'),
        ('score_row', 'row json, metrics text DEFAULT NULL::text', 'json'))
  LOOP
    EXECUTE 'DROP FUNCTION ' || f.name;
  END LOOP;
END $badger$;

-- 13. Run by badger_owner.
-- badger_version(): The version of badger.
CREATE OR REPLACE FUNCTION badger.badger_version()
RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 AS $badger$
  SELECT (CASE WHEN json_typeof(r) <> 'object' THEN r #>> '{}' END)::text
  FROM (SELECT badger._call('badger_version', json_build_object()) AS r) c
$badger$;

-- 14. Run by badger_owner.
-- What the function says, for those who look it up, and the mark of this version.
COMMENT ON FUNCTION badger.badger_version() IS 'The version of badger. [badger:b0c50f692f51aeec]';

-- 15. Run by badger_owner.
-- small(gold_sql, agent_latency_ms): A share of it's \ "texts".
CREATE OR REPLACE FUNCTION badger.small(gold_sql text, agent_latency_ms double precision)
RETURNS double precision
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 AS $badger$
  SELECT (CASE WHEN json_typeof(r) <> 'object' THEN r #>> '{}' END)::double precision
  FROM (SELECT badger._call('small', json_build_object('gold_sql', $1, 'agent_latency_ms', $2)) AS r) c
$badger$;

-- 16. Run by badger_owner.
-- What the function says, for those who look it up, and the mark of this version.
COMMENT ON FUNCTION badger.small(text, double precision) IS 'A share of it''s \ "texts". [badger:b0c450dd385d1f63]';

-- 17. Run by badger_owner.
-- large_json(gold_result, options): Evidence.
CREATE OR REPLACE FUNCTION badger.large_json(gold_result json, options json DEFAULT NULL)
RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 AS $badger$
  SELECT badger._call('large_json', json_build_object('gold_result', $1, 'options', $2))
$badger$;

-- 18. Run by badger_owner.
-- What the function says, for those who look it up, and the mark of this version.
COMMENT ON FUNCTION badger.large_json(json, json) IS 'Evidence. [badger:be1b6cf4fae65254]';

-- 19. Run by badger_owner.
-- run_settings(metrics): What a run is made with.
CREATE OR REPLACE FUNCTION badger.run_settings(metrics text)
RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 AS $badger$
  SELECT badger._call('run_settings', json_build_object('metrics', $1))
$badger$;

-- 20. Run by badger_owner.
-- What the function says, for those who look it up, and the mark of this version.
COMMENT ON FUNCTION badger.run_settings(text) IS 'What a run is made with. [badger:5b267ae2ab40b5c0]';

-- 21. Run by badger_owner.
-- score_row(row, metrics): Scores a row.
CREATE OR REPLACE FUNCTION badger.score_row("row" json, metrics text DEFAULT NULL)
RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 AS $badger$
  SELECT badger._call('score_row', json_build_object('row', $1, 'metrics', $2))
$badger$;

-- 22. Run by badger_owner.
-- What the function says, for those who look it up, and the mark of this version.
COMMENT ON FUNCTION badger.score_row(json, text) IS 'Scores a row. [badger:9c5106dbef293e94]';

-- 23. Run by badger_owner.
-- The functions belong to the owner, whoever ran this; and they may be called by callers only.
DO $badger$
DECLARE f record;
BEGIN
  FOR f IN
    SELECT p.oid::regprocedure AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = 'badger' AND obj_description(p.oid, 'pg_proc') LIKE '%[badger:%'
  LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO %I', f.name, 'badger_owner');
    EXECUTE 'REVOKE ALL ON FUNCTION ' || f.name || ' FROM PUBLIC';
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', f.name, 'badger_caller');
  END LOOP;
END $badger$;

-- 24. Run by a superuser.
-- Callers find the schema.
GRANT USAGE ON SCHEMA badger TO badger_caller;

-- 25. Run by badger_owner.
-- The questions, with their accepted answers. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.golden_set (case_id text, question text, evidence text, schema_ddl text, dialect text, gold_sql text, gold_result text, expected_tools json, expected_clarifications json, expected_behaviour text, tags json, set_version text, gold_latency_ms double precision, gold_error text, alternatives json, database_name text, metric_options json, gold_chart text);

-- 26. Run by badger_owner.
-- The answers of agents: one row for each question, version of an agent, and batch. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.agent_runs (agent_name text, agent_version text, batch_id text, case_id text, interpretation text, sql text, result text, sql_error text, tool_calls json, response text, latency_ms double precision, gold_latency_ms double precision, ran_at timestamptz, conversation_id text, turn bigint, earlier_turns json, tokens_in bigint, tokens_out bigint, cost_usd numeric(38, 12), chart text, contexts json);

-- 27. Run by badger_owner.
-- Human labels of answers: one row for each answer and annotator. Labels from the web report are in label_log. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.human_labels (case_id text, agent_name text, batch_id text, annotator text, verdict text, note text, labelled_at timestamptz, agent_version text);

-- 28. Run by badger_owner.
-- The evaluations: one row for each run and each agent, version and batch that it scored. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.eval_runs (eval_run_id text, agent_name text, agent_version text, batch_id text, eval_run_date timestamptz, mode text, config json, judge text, versions json, counts json, tokens json, cost json, status text, answered_at timestamptz);

-- 29. Run by badger_owner.
-- The scores: one row for each run, answer and metric. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.scores (eval_run_id text, case_id text, agent_name text, agent_version text, batch_id text, metric text, metric_version bigint, status text, value double precision, label text, passed boolean, reason text, detail json, assessment_ids json, config_hash text, scored_at timestamptz, code text, usage json, gold_hash text, answer_hash text);

-- 30. Run by badger_owner.
-- The replies of judges, recorded. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.assessments (assessment_id text, kind text, backend text, model text, prompt_version text, request_hash text, reply text, tokens_in bigint, tokens_out bigint, latency_ms bigint, created_at timestamptz, detail json, payer text);

-- 31. Run by badger_owner.
-- The versions that these tables have had. The highest is the present one. A program that supports only lower versions does not write to them. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.schema_version (version bigint, badger text, reached_at timestamptz, views text);

-- 32. Run by badger_owner.
-- The promoted judge files. A row never changes. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.judges (name text, version bigint, kind text, source text, hash text, promoted_at timestamptz, promoted_by text, tested json);

-- 33. Run by badger_owner.
-- The verdicts of judges on sentinel cases, which are asked again and again: one row for each asking, metric, case and repetition. Rows are appended and never change. The replies are in assessments. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.sentinels (asking_id text, metric text, case_id text, agent_name text, agent_version text, batch_id text, repetition bigint, backend text, model text, prompt_version text, question_hash text, served json, status text, code text, passed boolean, human_label boolean, assessment_ids json, asked_at timestamptz);

-- 34. Run by badger_owner.
-- The events and failures of evaluations by the warehouse's procedure: one row for each event. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.run_log (entry_id text, logged_at timestamptz, eval_run_id text, event text, case_id text, answers bigint, message text, agent_name text, agent_version text, batch_id text);

-- 35. Run by badger_owner.
-- What the scheduled evaluation computes, as of its last call: one row for each metric, and a row whose metric is empty for the schedule itself. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.schedule (metric text, since_day text, pass_rate_drop double precision);

-- 36. Run by badger_owner.
-- The alerts: one row for each fact that was reported. A fact is reported again only if it was resolved in between. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.alerts (alert_id text, kind text, fact text, agent_name text, agent_version text, batch_id text, metric text, message text, raised_at timestamptz, resolved_at timestamptz, sent_at timestamptz);

-- 37. Run by badger_owner.
-- The evaluation that is running, in warehouses without locks: a row for each lock. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.run_locks (name text, holder text, taken_at timestamptz, beat_at timestamptz);

-- 38. Run by badger_owner.
-- Current leases: one row for each judge request in progress, and for each annotator who is labelling an answer. Rows are temporary. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.claims (claim_key text, owner text, expires_ms bigint);

-- 39. Run by badger_owner.
-- Calls of the function server that last longer than a connection, with request and reply. Rows are deleted some time after they expire. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.calls (call_id text, content_hash text, function text, request text, reply text, expires_ms bigint);

-- 40. Run by badger_owner.
-- The labelling queues: answers of a run for annotators to label, in an order. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.queues (queue_id text, name text, eval_run_id text, agent_name text, agent_version text, batch_id text, filter text, ordering text, seed bigint, annotators bigint, guideline text, options json, blind boolean, reason_required boolean, cases bigint, created_by text, created_at timestamptz, closed_at timestamptz);

-- 41. Run by badger_owner.
-- The answers of the labelling queues. They are fixed when a queue is created. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.queue_items (queue_id text, position bigint, case_id text);

-- 42. Run by badger_owner.
-- Labels from the web report and from imported files: one row for each label. Rows are appended and never change. The latest row of an annotator for an answer in a queue is used, unless it is skip or withdrawn. If there are several queues, the latest of these is used. It overrides the annotator's label in human_labels. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.label_log (label_id text, case_id text, agent_name text, agent_version text, batch_id text, annotator text, verdict text, note text, gold_wrong boolean, ambiguous boolean, labelled_at timestamptz, queue_id text, answer_hash text, decides boolean);

-- 43. Run by badger_owner.
-- The batches that someone accepted as a baseline: one row for each statement. Rows are appended and never change. The latest row of a batch is used. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.accepted (acceptance_id text, agent_name text, agent_version text, batch_id text, withdrawn boolean, accepted_by text, accepted_at timestamptz, note text);

-- 44. Run by badger_owner.
-- The deletions by badger prune: one row for each table, and one for each run whose scores were deleted. Rows have no content of answers, and are never deleted. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.deletions (deletion_id text, table_name text, eval_run_id text, case_id text, older_than timestamptz, row_count bigint, digest text, status text, deleted_by text, deleted_at timestamptz);

-- 45. Run by badger_owner.
-- The latest score of each answer and metric, from any run, with the status of that run. In sql_safety, an answer without SQL has the status ok, the value 1 and passed: there is nothing to object to.
CREATE OR REPLACE VIEW badger.latest_scores AS SELECT eval_run_id, case_id, agent_name, agent_version, batch_id, metric, metric_version, CASE WHEN status = 'not_applicable' AND metric IN ('sql_safety') AND reason IN ('no SQL of the agent given', 'no query and no result of the agent given', 'the agent gave no answer', 'the question calls for a refusal, and the agent gave no SQL', 'the question calls for a clarification, and the agent gave no SQL') THEN 'ok' ELSE status END AS status, CASE WHEN status = 'not_applicable' AND metric IN ('sql_safety') AND reason IN ('no SQL of the agent given', 'no query and no result of the agent given', 'the agent gave no answer', 'the question calls for a refusal, and the agent gave no SQL', 'the question calls for a clarification, and the agent gave no SQL') THEN 1 ELSE value END AS value, label, CASE WHEN status = 'not_applicable' AND metric IN ('sql_safety') AND reason IN ('no SQL of the agent given', 'no query and no result of the agent given', 'the agent gave no answer', 'the question calls for a refusal, and the agent gave no SQL', 'the question calls for a clarification, and the agent gave no SQL') THEN TRUE ELSE passed END AS passed, reason, detail, assessment_ids, config_hash, scored_at, code, usage, gold_hash, answer_hash, run_status, run_date FROM (
  SELECT s.eval_run_id, s.case_id, s.agent_name, s.agent_version, s.batch_id, s.metric, s.metric_version, s.status, s.value, s.label, s.passed, s.reason, s.detail, s.assessment_ids, s.config_hash, s.scored_at, s.code, s.usage, s.gold_hash, s.answer_hash, COALESCE(r.status, 'running') AS run_status, r.eval_run_date AS run_date,
         ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric ORDER BY s.scored_at DESC, CASE WHEN r.eval_run_date IS NULL THEN 1 ELSE 0 END, r.eval_run_date DESC, s.eval_run_id DESC) AS newest
  FROM badger.scores s LEFT JOIN badger.eval_runs r
  ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id) t
WHERE newest = 1;

-- 46. Run by badger_owner.
-- The majority label of each answer: passes is 1 or 0, and NULL if annotators are divided.
CREATE OR REPLACE VIEW badger.consensus AS SELECT case_id, agent_name, batch_id, CASE WHEN says > 0 THEN 1 WHEN says < 0 THEN 0 END AS passes, agent_version
FROM (SELECT case_id, agent_name, agent_version, batch_id, CASE WHEN MAX(decides) = 1 THEN SUM(decides * said) ELSE SUM(said) END AS says
  FROM (SELECT case_id, agent_name, agent_version, batch_id, annotator, decides, said
FROM (SELECT case_id, agent_name, agent_version, batch_id, annotator, decides, said, ROW_NUMBER() OVER (PARTITION BY case_id, agent_name, agent_version, batch_id, annotator, decides ORDER BY origin) AS choice
FROM (SELECT case_id, agent_name, agent_version, batch_id, annotator, 0 AS decides, said, 1 AS origin
FROM (SELECT l.case_id, l.agent_name, COALESCE(l.agent_version, CASE WHEN a.versions IS NULL THEN e.only_version ELSE a.only_version END) AS agent_version, l.batch_id, l.annotator,
        CASE WHEN l.verdict IN ('pass', '1', 'true', 'yes', 'correct') THEN 1 WHEN l.verdict IN ('fail', '0', 'false', 'no', 'incorrect') THEN -1 ELSE 0 END AS said,
        ROW_NUMBER() OVER (PARTITION BY l.case_id, l.agent_name, COALESCE(l.agent_version, CASE WHEN a.versions IS NULL THEN e.only_version ELSE a.only_version END), l.batch_id, l.annotator
                           ORDER BY CASE WHEN l.labelled_at IS NULL THEN 1 ELSE 0 END, l.labelled_at DESC, l.verdict) AS latest
  FROM (SELECT case_id, agent_name, agent_version, batch_id, annotator, verdict, labelled_at
    FROM (SELECT CAST(case_id AS text) AS raw_id, COALESCE(CAST(case_id AS text), '') AS case_id, COALESCE(CAST(agent_name AS text), '') AS agent_name, CAST(agent_version AS text) AS agent_version,
                 COALESCE(CAST(batch_id AS text), '') AS batch_id, COALESCE(CAST(annotator AS text), '') AS annotator, LOWER(TRIM(REPLACE(REPLACE(REPLACE(COALESCE(CAST(verdict AS text), ''), CHR(9), ' '), CHR(10), ' '), CHR(13), ' '))) AS verdict,
                 labelled_at AS labelled_at
          FROM badger.human_labels) k
    WHERE 1 = 1) l
  LEFT JOIN (SELECT case_id, agent_name, batch_id, COUNT(DISTINCT agent_version) AS versions, CASE WHEN COUNT(DISTINCT agent_version) = 1 THEN MIN(agent_version) END AS only_version
    FROM (SELECT case_id AS raw_id, COALESCE(CAST(case_id AS text), '') AS case_id, COALESCE(CAST(agent_name AS text), '') AS agent_name, COALESCE(CAST(agent_version AS text), '') AS agent_version,
                 COALESCE(CAST(batch_id AS text), '') AS batch_id
          FROM badger.agent_runs) k
    WHERE 1 = 1 GROUP BY case_id, agent_name, batch_id) a
  ON a.case_id = l.case_id AND a.agent_name = l.agent_name AND a.batch_id = l.batch_id
  LEFT JOIN (SELECT agent_name, batch_id, CASE WHEN COUNT(DISTINCT agent_version) = 1 THEN MIN(agent_version) END AS only_version
    FROM badger.eval_runs GROUP BY agent_name, batch_id) e
  ON e.agent_name = l.agent_name AND e.batch_id = l.batch_id) v
WHERE latest = 1 OR agent_version IS NULL
  UNION ALL SELECT case_id, agent_name, agent_version, batch_id, annotator, decides, said, 0 AS origin
  FROM (SELECT case_id, agent_name, agent_version, batch_id, annotator, decides, CASE verdict WHEN 'pass' THEN 1 WHEN 'fail' THEN -1 ELSE 0 END AS said,
          ROW_NUMBER() OVER (PARTITION BY case_id, agent_name, agent_version, batch_id, annotator, decides ORDER BY labelled_at DESC, label_id DESC) AS latest,
          ROW_NUMBER() OVER (PARTITION BY case_id, agent_name, agent_version, batch_id, decides ORDER BY labelled_at DESC, label_id DESC) AS last_said
    FROM (SELECT case_id, agent_name, agent_version, batch_id, annotator, decides, verdict, labelled_at, label_id, ROW_NUMBER() OVER (PARTITION BY case_id, agent_name, agent_version, batch_id, annotator, decides, queue_id ORDER BY labelled_at DESC, label_id DESC) AS choice
    FROM (SELECT CAST(case_id AS text) AS raw_id, COALESCE(CAST(case_id AS text), '') AS case_id, COALESCE(CAST(agent_name AS text), '') AS agent_name, COALESCE(CAST(agent_version AS text), '') AS agent_version,
                 COALESCE(CAST(batch_id AS text), '') AS batch_id, COALESCE(CAST(annotator AS text), '') AS annotator, CASE WHEN decides THEN 1 ELSE 0 END AS decides, queue_id, verdict, labelled_at, label_id
          FROM badger.label_log) k
    WHERE 1 = 1) h
    WHERE choice = 1 AND verdict NOT IN ('skip', 'withdrawn')) g
  WHERE latest = 1 AND (decides = 0 OR last_said = 1)) u) w
WHERE choice = 1 OR agent_version IS NULL) v WHERE agent_version IS NOT NULL GROUP BY case_id, agent_name, agent_version, batch_id) c;

-- 47. Run by badger_owner.
-- The complexity tier of each question, from its latest score.
CREATE OR REPLACE VIEW badger.complexity AS SELECT case_id, label AS tier FROM (
  SELECT case_id, label, ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY scored_at DESC, eval_run_id DESC, agent_name, agent_version, batch_id) AS newest
  FROM badger.latest_scores WHERE metric = 'sql_complexity' AND status = 'ok') t
WHERE newest = 1;

-- 48. Run by badger_owner.
-- The outcomes of an agent's questions, by metric and batch. unanswered counts the answers that lack what the metric needs of the agent, and the questions that have no answer: those that a run recorded, or else those of golden_set. pass_rate counts unanswered ones as not passed. coverage is the share of scored ones among those that the metric applies to. rate_of_all counts failed, unanswered and abstained ones as not passed.
CREATE OR REPLACE VIEW badger.coverage AS SELECT agent_name, agent_version, batch_id, metric, applies + not_applicable AS asked, scored, abstained, not_applicable, failed, unanswered,
       CASE WHEN applies > 0 THEN scored * 1.0 / applies END AS coverage, passed,
       CASE WHEN judged > 0 THEN passed * 1.0 / (judged + CASE WHEN metric IN ('latency_overhead', 'sql_judge_issues') THEN 0 ELSE unanswered END) END AS pass_rate, CASE WHEN judged > 0 AND applies > 0 THEN passed * 1.0 / applies END AS rate_of_all
FROM (SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, s.scored, s.abstained, s.not_applicable, s.failed, s.unanswered + CASE WHEN s.missing = 0 THEN COALESCE(n.silent, 0) ELSE 0 END AS unanswered,
        s.scored + s.abstained + s.failed + s.unanswered + CASE WHEN s.missing = 0 THEN COALESCE(n.silent, 0) ELSE 0 END AS applies, s.passed, s.judged
  FROM (SELECT agent_name, agent_version, batch_id, metric,
          COUNT(CASE WHEN status = 'ok' THEN 1 END) AS scored, COUNT(CASE WHEN status = 'abstained' THEN 1 END) AS abstained,
          COUNT(CASE WHEN status = 'not_applicable' AND reason NOT IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') THEN 1 END) AS not_applicable,
          COUNT(CASE WHEN status = 'failed' THEN 1 END) AS failed,
          COUNT(CASE WHEN status = 'not_applicable' AND reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') THEN 1 END) AS unanswered,
          MAX(COUNT(CASE WHEN status = 'not_applicable' AND reason = 'the agent gave no answer' THEN 1 END)) OVER (PARTITION BY agent_name, agent_version, batch_id) AS missing,
          COUNT(CASE WHEN passed THEN 1 END) AS passed, COUNT(CASE WHEN passed IS NOT NULL THEN 1 END) AS judged
    FROM badger.latest_scores GROUP BY agent_name, agent_version, batch_id, metric) s
  LEFT JOIN (SELECT b.agent_name, b.agent_version, b.batch_id,
      CASE WHEN v.answers > v.cases THEN v.questions - b.answered WHEN b.batch_id = v.first_batch THEN v.questions - v.answered ELSE 0 END AS silent
    FROM (SELECT agent_name, agent_version, batch_id, COUNT(DISTINCT question) AS answered FROM (SELECT a.agent_name, a.agent_version, a.batch_id, a.case_id, g.case_id AS question, ROW_NUMBER() OVER (PARTITION BY a.agent_name, a.agent_version, a.batch_id, a.case_id ORDER BY a.case_id) AS copy
      FROM (SELECT COALESCE(CAST(case_id AS text), '') AS case_id, COALESCE(CAST(agent_name AS text), '') AS agent_name, COALESCE(CAST(agent_version AS text), '') AS agent_version, COALESCE(CAST(batch_id AS text), '') AS batch_id FROM badger.agent_runs) a
      LEFT JOIN (SELECT DISTINCT COALESCE(CAST(case_id AS text), '') AS case_id FROM badger.golden_set) g ON g.case_id = a.case_id AND a.case_id <> '') a GROUP BY agent_name, agent_version, batch_id) b
    JOIN (SELECT agent_name, agent_version, COUNT(DISTINCT case_id) AS cases, COUNT(DISTINCT question) AS answered, MIN(batch_id) AS first_batch, MAX(questions) AS questions, MAX(answers) AS answers
      FROM (SELECT k.*, q.questions, SUM(CASE WHEN copy = 1 THEN 1 ELSE 0 END) OVER (PARTITION BY agent_name, agent_version) AS answers FROM (SELECT a.agent_name, a.agent_version, a.batch_id, a.case_id, g.case_id AS question, ROW_NUMBER() OVER (PARTITION BY a.agent_name, a.agent_version, a.batch_id, a.case_id ORDER BY a.case_id) AS copy
      FROM (SELECT COALESCE(CAST(case_id AS text), '') AS case_id, COALESCE(CAST(agent_name AS text), '') AS agent_name, COALESCE(CAST(agent_version AS text), '') AS agent_version, COALESCE(CAST(batch_id AS text), '') AS batch_id FROM badger.agent_runs) a
      LEFT JOIN (SELECT DISTINCT COALESCE(CAST(case_id AS text), '') AS case_id FROM badger.golden_set) g ON g.case_id = a.case_id AND a.case_id <> '') k
        CROSS JOIN (SELECT COUNT(DISTINCT COALESCE(CAST(case_id AS text), '')) AS questions FROM badger.golden_set WHERE COALESCE(CAST(case_id AS text), '') <> '') q) a GROUP BY agent_name, agent_version) v
    ON v.agent_name = b.agent_name AND v.agent_version = b.agent_version) n
  ON n.agent_name = s.agent_name AND n.agent_version = s.agent_version AND n.batch_id = s.batch_id) t;

-- 49. Run by badger_owner.
-- Version against version, by metric and complexity tier: scored is the number of answers with a value, answered the number of answers; a missing answer counts as 0 and does not pass. unfinished counts the values from runs that are not done. The view coverage shows the outcomes of the others.
CREATE OR REPLACE VIEW badger.versions_by_metric AS SELECT s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') AS tier, COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored, SUM(s.value) * 1.0 / NULLIF(COUNT(CASE WHEN s.value IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END), 0) AS mean_value,
       CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate,
       SUM(CASE WHEN s.run_status = 'done' OR s.status <> 'ok' THEN 0 ELSE 1 END) AS unfinished, COUNT(*) AS answered
FROM badger.latest_scores s LEFT JOIN badger.complexity c ON c.case_id = s.case_id
GROUP BY s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') HAVING COUNT(CASE WHEN s.status = 'ok' THEN 1 END) > 0;

-- 50. Run by badger_owner.
-- How often each metric gives the verdict that most annotators give.
CREATE OR REPLACE VIEW badger.agreement AS SELECT metric, labelled, true_pass, false_pass, true_fail, false_fail, (true_pass + true_fail) * 1.0 / labelled AS accuracy,
       CASE WHEN chance < 1.0 THEN ((true_pass + true_fail) * 1.0 / labelled - chance) / (1.0 - chance) END AS kappa
FROM (SELECT c.*, ((true_pass + false_pass) * 1.0 * (true_pass + false_fail) + (true_fail + false_fail) * 1.0 * (true_fail + false_pass)) / (labelled * 1.0 * labelled) AS chance
  FROM (SELECT s.metric, COUNT(*) AS labelled,
               SUM(CASE WHEN s.passed AND l.passes = 1 THEN 1 ELSE 0 END) AS true_pass,
               SUM(CASE WHEN s.passed AND l.passes = 0 THEN 1 ELSE 0 END) AS false_pass,
               SUM(CASE WHEN NOT s.passed AND l.passes = 0 THEN 1 ELSE 0 END) AS true_fail,
               SUM(CASE WHEN NOT s.passed AND l.passes = 1 THEN 1 ELSE 0 END) AS false_fail
    FROM badger.latest_scores s JOIN badger.consensus l
    ON l.case_id = s.case_id AND l.agent_name = s.agent_name AND l.agent_version = s.agent_version AND l.batch_id = s.batch_id
    WHERE s.passed IS NOT NULL AND l.passes IS NOT NULL GROUP BY s.metric) c) k;

-- 51. Run by badger_owner.
-- The latest batch of each agent against the latest batch before it that has scores, by metric, all versions of the agent together. A missing answer does not pass. pass_rate_change is below 0 if fewer answers pass; failed counts scores that failed. Alerts read this view.
CREATE OR REPLACE VIEW badger.degradation AS SELECT n.agent_name, n.metric, n.batch_id, b.batch_id AS batch_before, n.judged, b.judged AS judged_before, n.pass_rate, b.pass_rate AS pass_rate_before,
       n.pass_rate - b.pass_rate AS pass_rate_change, n.failed, b.failed AS failed_before
FROM (SELECT s.agent_name, s.batch_id, s.metric, a.place, ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.metric ORDER BY a.place) AS nth,
    COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged, COUNT(CASE WHEN s.status = 'failed' THEN 1 END) AS failed,
    CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate
  FROM badger.latest_scores s JOIN (SELECT agent_name, batch_id, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY CASE WHEN MAX(ran_at) IS NULL THEN 1 ELSE 0 END, MAX(ran_at) DESC, batch_id DESC) AS place
    FROM (SELECT COALESCE(CAST(agent_name AS text), '') AS agent_name, COALESCE(CAST(batch_id AS text), '') AS batch_id, ran_at AS ran_at FROM badger.agent_runs) k
    GROUP BY agent_name, batch_id) a
  ON a.agent_name = s.agent_name AND a.batch_id = s.batch_id
  GROUP BY s.agent_name, s.batch_id, s.metric, a.place) n JOIN (SELECT s.agent_name, s.batch_id, s.metric, a.place, ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.metric ORDER BY a.place) AS nth,
    COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged, COUNT(CASE WHEN s.status = 'failed' THEN 1 END) AS failed,
    CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate
  FROM badger.latest_scores s JOIN (SELECT agent_name, batch_id, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY CASE WHEN MAX(ran_at) IS NULL THEN 1 ELSE 0 END, MAX(ran_at) DESC, batch_id DESC) AS place
    FROM (SELECT COALESCE(CAST(agent_name AS text), '') AS agent_name, COALESCE(CAST(batch_id AS text), '') AS batch_id, ran_at AS ran_at FROM badger.agent_runs) k
    GROUP BY agent_name, batch_id) a
  ON a.agent_name = s.agent_name AND a.batch_id = s.batch_id
  GROUP BY s.agent_name, s.batch_id, s.metric, a.place) b ON b.agent_name = n.agent_name AND b.metric = n.metric AND b.nth = 2
WHERE n.place = 1;

-- 52. Run by badger_owner.
-- The answers that the scheduled evaluation has still to score, by batch: those that lack a score of a metric of the schedule, from its since_day on or without a date, and the rest of an interrupted call. waiting_since is the earliest day of an answer without scores, last_attempt_at the last call that tried to score the batch, and last_error why it failed; NULL if it is running or was interrupted.
CREATE OR REPLACE VIEW badger.backlog AS SELECT b.agent_name, b.agent_version, b.batch_id, b.answers, b.waiting_since, t.logged_at AS last_attempt_at, t.message AS last_error
FROM (SELECT a.agent_name, a.agent_version, a.batch_id, COUNT(*) AS answers, MIN(a.run_day) AS waiting_since
  FROM (SELECT agent_name, agent_version, batch_id, case_id, MIN(run_day) AS run_day, MAX(CASE WHEN run_day IS NULL THEN '9999' ELSE run_day END) AS last_day
    FROM (SELECT COALESCE(CAST(agent_name AS text), '') AS agent_name, COALESCE(CAST(agent_version AS text), '') AS agent_version, COALESCE(CAST(batch_id AS text), '') AS batch_id, COALESCE(CAST(case_id AS text), '') AS case_id, CASE WHEN CAST(ran_at AS text) LIKE '____-__-__%' THEN SUBSTR(CAST(ran_at AS text), 1, 10) END AS run_day
      FROM badger.agent_runs) k GROUP BY agent_name, agent_version, batch_id, case_id) a
  CROSS JOIN (SELECT COALESCE(MAX(since_day), '') AS since_day, COUNT(CASE WHEN metric <> '' THEN 1 END) AS metrics FROM badger.schedule) w
  LEFT JOIN (SELECT s.agent_name, s.agent_version, s.batch_id, s.case_id, COUNT(DISTINCT m.metric) AS metrics
    FROM badger.scores s LEFT JOIN badger.schedule m ON m.metric = s.metric GROUP BY s.agent_name, s.agent_version, s.batch_id, s.case_id) s
  ON s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id
  LEFT JOIN (SELECT DISTINCT agent_name, batch_id FROM badger.eval_runs WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed')) r
  ON r.agent_name = a.agent_name AND r.batch_id = a.batch_id
  WHERE (s.metrics IS NULL OR s.metrics < w.metrics) AND (a.last_day >= w.since_day OR r.batch_id IS NOT NULL)
  GROUP BY a.agent_name, a.agent_version, a.batch_id) b
LEFT JOIN (SELECT agent_name, agent_version, batch_id, logged_at, message, ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id ORDER BY logged_at DESC, event DESC, entry_id) AS newest
  FROM badger.run_log WHERE event IN ('batch began', 'batch failed')) t
ON t.newest = 1 AND t.agent_name = b.agent_name AND t.agent_version = b.agent_version AND t.batch_id = b.batch_id;

-- 53. Run by badger_owner.
-- What alerts report and is true now: the last evaluation failed or was interrupted, answers of a batch could not be scored, or fewer answers of the latest batch pass, or more failed, than in the batch before. Batches with a backlog are not compared. A failure with another start of its message (60 characters) is another fact.
CREATE OR REPLACE VIEW badger.open_facts AS WITH waiting AS (SELECT agent_name, agent_version, batch_id, answers, last_error FROM badger.backlog)
SELECT 'run failed' AS kind, 'run failed: ' || SUBSTR(COALESCE(message, ''), 1, 60) AS fact, CAST(NULL AS text) AS agent_name, CAST(NULL AS text) AS agent_version, CAST(NULL AS text) AS batch_id, CAST(NULL AS text) AS metric,
       'the evaluation failed: ' || COALESCE(message, '') AS message
FROM (SELECT event, message, ROW_NUMBER() OVER (ORDER BY logged_at DESC, entry_id) AS newest
  FROM badger.run_log WHERE batch_id IS NULL AND event IN ('done', 'idle', 'run failed', 'interrupted')) l
WHERE newest = 1 AND event IN ('run failed', 'interrupted')
UNION ALL
SELECT 'backlog' AS kind, 'backlog: ' || b.agent_name || ', ' || b.agent_version || ', ' || b.batch_id AS fact, b.agent_name, b.agent_version, b.batch_id, CAST(NULL AS text) AS metric,
       b.agent_name || ' ' || b.agent_version || ', batch ' || b.batch_id || ': ' || CAST(b.answers AS text) || ' answers have no scores: ' || COALESCE(b.last_error, 'the last call is running or was interrupted') AS message
FROM waiting b LEFT JOIN (SELECT DISTINCT agent_name, agent_version, batch_id FROM badger.alerts WHERE kind = 'backlog' AND resolved_at IS NULL) o
ON o.agent_name = b.agent_name AND o.agent_version = b.agent_version AND o.batch_id = b.batch_id
WHERE b.last_error IS NOT NULL OR o.batch_id IS NOT NULL
UNION ALL
SELECT 'degraded' AS kind, 'degraded: ' || d.agent_name || ', ' || d.metric || ', ' || d.batch_id AS fact, d.agent_name, CAST(NULL AS text) AS agent_version, d.batch_id, d.metric,
       d.agent_name || ', ' || d.metric || ', batch ' || d.batch_id || ': pass rate ' || COALESCE(CAST(CAST(ROUND(d.pass_rate * 100) AS bigint) AS text) || ' %', 'none') || ', before '
         || COALESCE(CAST(CAST(ROUND(d.pass_rate_before * 100) AS bigint) AS text) || ' %', 'none') || '; ' || CAST(d.failed AS text) || ' scores failed, before ' || CAST(d.failed_before AS text) AS message
FROM badger.degradation d CROSS JOIN (SELECT MAX(pass_rate_drop) AS most FROM badger.schedule) w
LEFT JOIN (SELECT DISTINCT agent_name, batch_id FROM waiting) n ON n.agent_name = d.agent_name AND (n.batch_id = d.batch_id OR n.batch_id = d.batch_before)
WHERE n.batch_id IS NULL AND (d.pass_rate_change <= -w.most OR d.failed > d.failed_before);

-- 54. Run by badger_owner.
-- The latest run of each agent, version and batch, with its outcome and its scores. pass_rate is of the verdicts of all metrics together; the view coverage has it by metric.
CREATE OR REPLACE VIEW badger.latest_run AS SELECT r.agent_name, r.agent_version, r.batch_id, r.eval_run_id, r.eval_run_date AS run_date, r.status AS run_status, r.judge, COUNT(DISTINCT s.case_id) AS cases,
       COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored, COUNT(CASE WHEN s.status = 'abstained' THEN 1 END) AS abstained,
       COUNT(CASE WHEN s.status = 'not_applicable' THEN 1 END) AS not_applicable, COUNT(CASE WHEN s.status = 'failed' THEN 1 END) AS failed,
       COUNT(CASE WHEN s.passed THEN 1 END) AS passed, AVG(CASE WHEN s.passed THEN 1.0 WHEN NOT s.passed THEN 0.0 END) AS pass_rate
FROM (SELECT eval_run_id, agent_name, agent_version, batch_id, eval_run_date, status, judge,
        ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id ORDER BY CASE WHEN eval_run_date IS NULL THEN 1 ELSE 0 END, eval_run_date DESC, eval_run_id DESC) AS newest
  FROM badger.eval_runs) r
LEFT JOIN badger.scores s ON s.eval_run_id = r.eval_run_id AND s.agent_name = r.agent_name AND s.agent_version = r.agent_version AND s.batch_id = r.batch_id
WHERE r.newest = 1 GROUP BY r.agent_name, r.agent_version, r.batch_id, r.eval_run_id, r.eval_run_date, r.status, r.judge;

-- 55. Run by badger_owner.
-- Version against version, by metric, complexity tier, batch, and the date of the run that the score is from. A missing answer counts as 0 and does not pass.
CREATE OR REPLACE VIEW badger.versions_by_batch AS SELECT s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') AS tier, s.batch_id, CAST((s.run_date AT TIME ZONE 'UTC') AS DATE) AS run_day, COUNT(*) AS answered,
       COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored, SUM(s.value) * 1.0 / NULLIF(COUNT(CASE WHEN s.value IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END), 0) AS mean_value, COUNT(CASE WHEN s.passed THEN 1 END) AS passed,
       COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged, CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate
FROM badger.latest_scores s LEFT JOIN badger.complexity c ON c.case_id = s.case_id
GROUP BY s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown'), s.batch_id, CAST((s.run_date AT TIME ZONE 'UTC') AS DATE);

-- 56. Run by badger_owner.
-- The scored answers of each agent, version, batch and metric, the worst first: place 1 did not pass and has the lowest value. Metrics without a verdict and answers that passed with the value 1 are left out.
CREATE OR REPLACE VIEW badger.worst_cases AS SELECT s.agent_name, s.agent_version, s.batch_id, s.metric,
       ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.metric ORDER BY CASE WHEN s.passed THEN 1 ELSE 0 END, CASE WHEN s.value IS NULL THEN 1 ELSE 0 END, s.value, s.case_id) AS place,
       s.case_id, COALESCE(c.tier, 'unknown') AS tier, s.value, s.passed, s.label, s.reason
FROM badger.latest_scores s LEFT JOIN badger.complexity c ON c.case_id = s.case_id
WHERE s.status = 'ok' AND s.passed IS NOT NULL AND (s.passed = FALSE OR s.value < 1);

-- 57. Run by badger_owner.
-- Judge calls and tokens for the scores of each run, by agent, version, batch and metric, including cached replies. uncounted is the number of scores whose tokens are unknown. The amount paid is in eval_runs.cost.
CREATE OR REPLACE VIEW badger.judge_cost AS SELECT eval_run_id, agent_name, agent_version, batch_id, metric, COUNT(*) AS scores, COUNT(calls) AS asked, SUM(calls) AS calls,
       SUM(CASE WHEN tokens_in >= 0 THEN tokens_in ELSE 0 END) AS tokens_in, SUM(CASE WHEN tokens_out >= 0 THEN tokens_out ELSE 0 END) AS tokens_out,
       COUNT(CASE WHEN calls > 0 AND (tokens_in < 0 OR tokens_out < 0 OR tokens_in IS NULL OR tokens_out IS NULL) THEN 1 END) AS uncounted
FROM (SELECT eval_run_id, agent_name, agent_version, batch_id, metric, CAST((usage ->> 'calls') AS bigint) AS calls,
        CAST((usage ->> 'tokens_in') AS bigint) AS tokens_in, CAST((usage ->> 'tokens_out') AS bigint) AS tokens_out FROM badger.scores) u
GROUP BY eval_run_id, agent_name, agent_version, batch_id, metric HAVING COUNT(calls) > 0;

-- 58. Run by badger_owner.
-- Why scores failed or are missing: the latest scores that failed, abstained or do not apply, by metric and reason, with one of the cases.
CREATE OR REPLACE VIEW badger.failures_by_reason AS SELECT agent_name, agent_version, batch_id, metric, status, code, reason, COUNT(*) AS answers, MIN(case_id) AS example
FROM badger.latest_scores WHERE status <> 'ok' GROUP BY agent_name, agent_version, batch_id, metric, status, code, reason;

-- 59. Run by badger_owner.
-- Questions whose accepted answer may be wrong, one row for each reason: gold_error (the accepted query failed), gold_empty (its result is empty or all NULL and an answer's is not), gold_x and gold_flex (ROSE's Refuter, or FLEX, found it wrong), gold_literal (its query compares with a string that neither question nor evidence contains, and the answer's with one that they contain), gold_logic (its query contradicts the question or has a clause without effect), people (most annotators pass an answer that the metric verdict or ex_multiset fails), answers_agree (at least two agents, or versions whose SQL differs, answered, and all of them fail). answers counts the answers that speak for the reason.
CREATE OR REPLACE VIEW badger.suspect_golds AS SELECT t.case_id, t.why AS reason, COUNT(DISTINCT t.answer) AS answers, MIN(t.agent_name) AS example_agent, MIN(t.agent_version) AS example_version, MIN(t.batch_id) AS example_batch
FROM (SELECT COALESCE(CAST(case_id AS text), '') AS case_id, 'gold_error' AS why, CAST(NULL AS text) AS answer, CAST(NULL AS text) AS agent_name, CAST(NULL AS text) AS agent_version, CAST(NULL AS text) AS batch_id
  FROM badger.golden_set WHERE CAST(gold_error AS text) <> ''
  UNION ALL
  SELECT case_id, 'gold_error' AS why, (agent_name || ' ' || agent_version || ' ' || batch_id) AS answer, agent_name, agent_version, batch_id
  FROM badger.latest_scores WHERE status = 'not_applicable' AND reason = 'the gold query failed when it ran'
  UNION ALL
  SELECT case_id, CASE WHEN metric = 'rose' THEN 'gold_x' WHEN metric = 'flex' THEN 'gold_flex' WHEN label = 'gold_empty' THEN 'gold_empty' WHEN label = 'gold_literal_foreign' THEN 'gold_literal' ELSE 'gold_logic' END AS why,
         (agent_name || ' ' || agent_version || ' ' || batch_id) AS answer, agent_name, agent_version, batch_id
  FROM badger.latest_scores WHERE status = 'ok' AND (metric = 'relation' AND label IN ('gold_empty', 'gold_literal_foreign', 'gold_vacuous_limit', 'gold_vacuous_having', 'gold_ungrouped', 'gold_and_for_or', 'gold_sort_against_question') OR metric = 'rose' AND (detail ->> 'gold_x') = 'true'
    OR metric = 'flex' AND value = 1 AND (detail ->> 'categories') LIKE '%"incorrect_ground_truth_query"%')
  UNION ALL
  SELECT s.case_id, 'people' AS why, (s.agent_name || ' ' || s.agent_version || ' ' || s.batch_id) AS answer, s.agent_name, s.agent_version, s.batch_id
  FROM badger.latest_scores s JOIN badger.consensus l ON l.case_id = s.case_id AND l.agent_name = s.agent_name AND l.agent_version = s.agent_version AND l.batch_id = s.batch_id
  WHERE l.passes = 1 AND s.passed = FALSE AND s.metric IN ('verdict', 'ex_multiset')
  UNION ALL
  SELECT s.case_id, 'answers_agree' AS why, (s.agent_name || ' ' || s.agent_version || ' ' || s.batch_id) AS answer, s.agent_name, s.agent_version, s.batch_id
  FROM badger.latest_scores s JOIN (SELECT s.case_id FROM badger.latest_scores s
    LEFT JOIN (SELECT COALESCE(CAST(case_id AS text), '') AS case_id, COALESCE(CAST(agent_name AS text), '') AS agent_name, COALESCE(CAST(agent_version AS text), '') AS agent_version, COALESCE(CAST(batch_id AS text), '') AS batch_id, MIN(CAST(sql AS text)) AS sql FROM badger.agent_runs GROUP BY 1, 2, 3, 4) k
    ON k.case_id = s.case_id AND k.agent_name = s.agent_name AND k.agent_version = s.agent_version AND k.batch_id = s.batch_id
    WHERE s.metric = 'ex_multiset' AND s.passed IS NOT NULL GROUP BY s.case_id
    HAVING (COUNT(DISTINCT s.agent_name) > 1 OR COUNT(DISTINCT s.agent_version) > 1 AND COUNT(DISTINCT COALESCE(NULLIF(k.sql, ''), s.agent_version)) > 1) AND COUNT(CASE WHEN s.passed THEN 1 END) = 0) f ON f.case_id = s.case_id
  WHERE s.metric = 'ex_multiset' AND s.passed = FALSE) t
GROUP BY t.case_id, t.why;

-- 60. Run by badger_owner.
-- Each metric over time, by batch, version and tier. dated_at is when a run first evaluated the batch. A missing answer counts as 0 and does not pass. p90 is the value that nine in ten scores do not exceed (nearest rank). metric_versions, configurations and judges count what the scores were made with: above 1, or other than in the batch before, the figures are not comparable.
CREATE OR REPLACE VIEW badger.trend AS SELECT s.agent_name, s.agent_version, s.batch_id, b.dated_at, s.metric, s.tier, COUNT(*) AS answers, COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored,
       COUNT(CASE WHEN s.status = 'ok' THEN 1 END) * 1.0 / NULLIF(COUNT(CASE WHEN s.applies = 1 THEN 1 END), 0) AS coverage, SUM(s.value) * 1.0 / NULLIF(COUNT(CASE WHEN s.value IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END), 0) AS mean_value,
       MIN(CASE WHEN s.status = 'ok' AND s.place * 10 >= s.of_ok * 9 THEN s.value END) AS p90, COUNT(CASE WHEN s.passed THEN 1 END) AS passed, COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged,
       CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate, COUNT(DISTINCT s.metric_version) AS metric_versions, MAX(s.metric_version) AS metric_version,
       COUNT(DISTINCT s.config_hash) AS configurations, MAX(s.config_hash) AS config_hash, COUNT(DISTINCT NULLIF(s.judge, '')) AS judges, MAX(NULLIF(s.judge, '')) AS judge
FROM (SELECT m.agent_name, m.agent_version, m.batch_id, m.metric, m.metric_version, m.status, m.reason, m.value, m.passed, m.config_hash, m.judge, COALESCE(c.tier, 'unknown') AS tier, m.applies,
        ROW_NUMBER() OVER (PARTITION BY m.agent_name, m.agent_version, m.batch_id, m.metric, COALESCE(c.tier, 'unknown'), CASE WHEN m.status = 'ok' THEN 1 ELSE 0 END ORDER BY m.value) AS place,
        COUNT(CASE WHEN m.status = 'ok' THEN 1 END) OVER (PARTITION BY m.agent_name, m.agent_version, m.batch_id, m.metric, COALESCE(c.tier, 'unknown')) AS of_ok
  FROM (SELECT s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric, s.metric_version, s.status, s.reason, s.value, s.passed, s.config_hash,
          CASE WHEN s.status = 'not_applicable' AND s.reason NOT IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') THEN 0 ELSE 1 END AS applies, CASE WHEN s.usage IS NULL AND s.assessment_ids IS NULL THEN '' ELSE COALESCE(r.judge, '') END AS judge
    FROM badger.latest_scores s LEFT JOIN badger.eval_runs r ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id) m
  LEFT JOIN badger.complexity c ON c.case_id = m.case_id) s
JOIN (SELECT agent_name, agent_version, batch_id, dated_at, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY CASE WHEN dated_at IS NULL THEN 0 ELSE 1 END, dated_at, batch_id, agent_version) AS place
  FROM (SELECT agent_name, agent_version, batch_id, MIN(run_date) AS dated_at FROM badger.latest_scores GROUP BY agent_name, agent_version, batch_id) d) b ON b.agent_name = s.agent_name AND b.agent_version = s.agent_version AND b.batch_id = s.batch_id
GROUP BY s.agent_name, s.agent_version, s.batch_id, b.dated_at, s.metric, s.tier;

-- 61. Run by badger_owner.
-- Each batch against the one before it of the same version (for the first of a version: the last of another version of the agent), by metric, on the cases that both have. Cases whose question, metric version, configuration (any part of it) or judge changed are counted and not compared. A missing answer counts as 0 and as not passed, but has no value if lower is better. z is McNemar's (fixed - broken) / sqrt(fixed + broken): below -1.96, more answers broke than chance explains. The command badger compare has exact tests, adjusted for many metrics, dates batches by agent_runs.ran_at, and looks only at the configuration that a metric reads.
CREATE OR REPLACE VIEW badger.batch_changes AS WITH made AS (SELECT s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric, s.metric_version, s.config_hash, s.gold_hash,
           CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 'ok' ELSE s.status END AS status, CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 0 ELSE s.value END AS value, CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN FALSE ELSE s.passed END AS passed,
           CASE WHEN s.passed IS NULL THEN 0 ELSE 1 END AS judged,
           MAX(CASE WHEN s.status = 'ok' THEN 1 ELSE 0 END) OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.metric) AS scored,
           CASE WHEN s.usage IS NULL AND s.assessment_ids IS NULL THEN '' ELSE COALESCE(r.judge, '') END AS judge
    FROM badger.latest_scores s LEFT JOIN badger.eval_runs r ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id), earlier AS (SELECT agent_name, agent_version, batch_id, version_before, batch_before FROM (
    SELECT n.agent_name, n.agent_version, n.batch_id, b.agent_version AS version_before, b.batch_id AS batch_before,
           ROW_NUMBER() OVER (PARTITION BY n.agent_name, n.agent_version, n.batch_id ORDER BY CASE WHEN b.agent_version = n.agent_version THEN 0 ELSE 1 END, b.place DESC) AS nearest
    FROM (SELECT agent_name, agent_version, batch_id, dated_at, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY CASE WHEN dated_at IS NULL THEN 0 ELSE 1 END, dated_at, batch_id, agent_version) AS place
  FROM (SELECT agent_name, agent_version, batch_id, MIN(run_date) AS dated_at FROM badger.latest_scores GROUP BY agent_name, agent_version, batch_id) d) n JOIN (SELECT agent_name, agent_version, batch_id, dated_at, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY CASE WHEN dated_at IS NULL THEN 0 ELSE 1 END, dated_at, batch_id, agent_version) AS place
  FROM (SELECT agent_name, agent_version, batch_id, MIN(run_date) AS dated_at FROM badger.latest_scores GROUP BY agent_name, agent_version, batch_id) d) b ON b.agent_name = n.agent_name AND b.place < n.place) p WHERE nearest = 1)
SELECT agent_name, metric, agent_version, batch_id, version_before, batch_before, shared, compared, other_golden_set, other_metric_version, other_configuration, other_judge, no_value,
       mean_before, mean_value, mean_value - mean_before AS mean_change, fixed, broken, CASE WHEN fixed + broken > 0 THEN (fixed - broken) / SQRT(fixed + broken) END AS z
FROM (SELECT agent_name, metric, agent_version, batch_id, version_before, batch_before, COUNT(*) AS shared, COUNT(CASE WHEN why IS NULL THEN 1 END) AS compared,
        COUNT(CASE WHEN why = 'golden set' THEN 1 END) AS other_golden_set, COUNT(CASE WHEN why = 'metric version' THEN 1 END) AS other_metric_version,
        COUNT(CASE WHEN why = 'configuration' THEN 1 END) AS other_configuration, COUNT(CASE WHEN why = 'judge' THEN 1 END) AS other_judge, COUNT(CASE WHEN why = 'no value' THEN 1 END) AS no_value,
        AVG(CASE WHEN why IS NULL THEN value_before END) AS mean_before, AVG(CASE WHEN why IS NULL THEN value END) AS mean_value,
        COUNT(CASE WHEN why IS NULL AND passed AND NOT passed_before THEN 1 END) AS fixed, COUNT(CASE WHEN why IS NULL AND NOT passed AND passed_before THEN 1 END) AS broken
  FROM (SELECT n.agent_name, n.metric, n.agent_version, n.batch_id, p.version_before, p.batch_before, n.value, n.passed, b.value AS value_before, b.passed AS passed_before, CASE WHEN n.gold_hash <> b.gold_hash THEN 'golden set' WHEN n.metric_version <> b.metric_version THEN 'metric version' WHEN n.config_hash <> b.config_hash THEN 'configuration'
             WHEN n.judge <> b.judge AND n.judge <> '' AND b.judge <> '' THEN 'judge' WHEN n.status <> 'ok' OR b.status <> 'ok' OR n.scored + b.scored = 0 THEN 'no value' END AS why
    FROM made n
    JOIN earlier p ON p.agent_name = n.agent_name AND p.agent_version = n.agent_version AND p.batch_id = n.batch_id
    JOIN made b ON b.agent_name = n.agent_name AND b.agent_version = p.version_before AND b.batch_id = p.batch_before AND b.case_id = n.case_id AND b.metric = n.metric) c
  GROUP BY agent_name, metric, agent_version, batch_id, version_before, batch_before) t;

-- 62. Run by badger_owner.
-- Causes of failures, a row for each answer and label: the issues of the SQL judge (kind issue), FLEX's errors and its reasons why right answers differ (error, difference), the relation between the results that explains most (relation), STEF's status of the filters (filters), ROSE's diagnoses (diagnosis), answers that refusal rejects (refusal), and what SQL would do other than read (safety). An answer may have several.
CREATE OR REPLACE VIEW badger.failure_labels AS SELECT l.agent_name, l.agent_version, l.batch_id, l.metric, l.kind, l.label, COALESCE(c.tier, 'unknown') AS tier, l.case_id
FROM (SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'issue' AS kind, v.label, s.case_id FROM badger.latest_scores s CROSS JOIN (SELECT 'filters_missing' AS label UNION ALL SELECT 'filters_incorrect' AS label UNION ALL SELECT 'joins_missing' AS label UNION ALL SELECT 'joins_incorrect' AS label UNION ALL SELECT 'joins_unnecessary' AS label UNION ALL SELECT 'aggregation_wrong' AS label UNION ALL SELECT 'aggregation_missing' AS label UNION ALL SELECT 'columns_missing' AS label UNION ALL SELECT 'columns_wrong' AS label UNION ALL SELECT 'ordering_wrong' AS label UNION ALL SELECT 'schema_misunderstanding' AS label UNION ALL SELECT 'logic_error' AS label UNION ALL SELECT 'performance_issue' AS label) v WHERE s.status = 'ok' AND s.metric = 'sql_judge_issues' AND (s.detail ->> 'issues') LIKE '%"' || v.label || '"%'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'error' AS kind, v.label, s.case_id FROM badger.latest_scores s CROSS JOIN (SELECT 'incorrect_schema_linking' AS label UNION ALL SELECT 'incorrect_filtering_condition' AS label UNION ALL SELECT 'missing_handling_of_nullable_column' AS label UNION ALL SELECT 'missing_handling_of_multiple_rows' AS label UNION ALL SELECT 'abused_clauses' AS label UNION ALL SELECT 'other_fatal_issues' AS label) v WHERE s.status = 'ok' AND s.metric = 'flex' AND s.value = 0 AND (s.detail ->> 'categories') LIKE '%"' || v.label || '"%'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'difference' AS kind, v.label, s.case_id FROM badger.latest_scores s CROSS JOIN (SELECT 'different_output_structure' AS label UNION ALL SELECT 'different_output_value_representation' AS label UNION ALL SELECT 'incorrect_ground_truth_query' AS label UNION ALL SELECT 'multiple_answers_available' AS label UNION ALL SELECT 'other_minor_issues' AS label) v WHERE s.status = 'ok' AND s.metric = 'flex' AND s.value = 1 AND (s.detail ->> 'categories') LIKE '%"' || v.label || '"%'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'relation' AS kind, s.label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'relation' AND s.label NOT IN ('same', 'permuted')
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'filters' AS kind, (s.detail ->> 'filters_applied_status') AS label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'stef' AND (s.detail ->> 'filters_applied_status') IS NOT NULL
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'refusal' AS kind, s.label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'refusal' AND s.value < 1
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'safety' AS kind, s.label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'sql_safety' AND s.value < 1
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'diagnosis' AS kind, 'gold_x' AS label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'rose' AND (s.detail ->> 'gold_x') = 'true'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'diagnosis' AS kind, 'amb_q' AS label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'rose' AND (s.detail ->> 'amb_q') = 'true'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'diagnosis' AS kind, 'amb_schema' AS label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'rose' AND (s.detail ->> 'amb_schema') = 'true') l LEFT JOIN badger.complexity c ON c.case_id = l.case_id;

-- 63. Run by badger_owner.
-- The labels of failure_labels, counted by version, batch and tier, with one of the cases.
CREATE OR REPLACE VIEW badger.failures_by_label AS SELECT agent_name, agent_version, batch_id, metric, kind, label, tier, COUNT(*) AS answers, MIN(case_id) AS example
FROM badger.failure_labels GROUP BY agent_name, agent_version, batch_id, metric, kind, label, tier;

-- 64. Run by badger_owner.
-- Questions that a judge found ambiguous, one row for each reason: amb_q and amb_schema (ROSE's Refuter calls the question, or the schema, ambiguous), amb_flex (FLEX finds several answers available).
CREATE OR REPLACE VIEW badger.ambiguous_questions AS SELECT t.case_id, t.why AS reason, COUNT(DISTINCT t.answer) AS answers, MIN(t.agent_name) AS example_agent, MIN(t.agent_version) AS example_version, MIN(t.batch_id) AS example_batch
FROM (SELECT case_id, CASE WHEN label = 'multiple_answers_available' THEN 'amb_flex' ELSE label END AS why, (agent_name || ' ' || agent_version || ' ' || batch_id) AS answer, agent_name, agent_version, batch_id
  FROM badger.failure_labels WHERE kind = 'diagnosis' AND label IN ('amb_q', 'amb_schema') OR kind = 'difference' AND label = 'multiple_answers_available') t
GROUP BY t.case_id, t.why;

-- 65. Run by badger_owner.
-- Where execution accuracy (ex_bird or ex_multiset) and another verdict (verdict, rose or flex) differ, by tier and by ROSE's Refuter: gold_x, amb_q or neither. false_positives pass by execution accuracy alone, false_negatives by the other verdict alone.
CREATE OR REPLACE VIEW badger.ex_discordance AS SELECT e.agent_name, e.agent_version, e.batch_id, e.metric AS ex_metric, s.metric, COALESCE(c.tier, 'unknown') AS tier, COALESCE(d.diagnosis, 'neither') AS diagnosis, COUNT(*) AS answers,
       COUNT(CASE WHEN e.passed AND NOT s.passed THEN 1 END) AS false_positives, COUNT(CASE WHEN NOT e.passed AND s.passed THEN 1 END) AS false_negatives,
       COUNT(CASE WHEN e.passed AND NOT s.passed OR NOT e.passed AND s.passed THEN 1 END) * 1.0 / COUNT(*) AS discordance
FROM badger.latest_scores e
JOIN badger.latest_scores s ON s.agent_name = e.agent_name AND s.agent_version = e.agent_version AND s.batch_id = e.batch_id AND s.case_id = e.case_id
LEFT JOIN (SELECT agent_name, agent_version, batch_id, case_id, MAX(label) AS diagnosis FROM badger.failure_labels WHERE kind = 'diagnosis' AND label IN ('gold_x', 'amb_q')
  GROUP BY agent_name, agent_version, batch_id, case_id) d ON d.agent_name = e.agent_name AND d.agent_version = e.agent_version AND d.batch_id = e.batch_id AND d.case_id = e.case_id
LEFT JOIN badger.complexity c ON c.case_id = e.case_id
WHERE e.metric IN ('ex_bird', 'ex_multiset') AND s.metric IN ('verdict', 'rose', 'flex') AND e.passed IS NOT NULL AND s.passed IS NOT NULL
GROUP BY e.agent_name, e.agent_version, e.batch_id, e.metric, s.metric, COALESCE(c.tier, 'unknown'), COALESCE(d.diagnosis, 'neither');

-- 66. Run by badger_owner.
-- The versions of all agents by each metric, on the cases for which all versions with values of the metric have one, using the latest answer of each. Place 1 has the highest mean, or the lowest in latency_overhead and sql_judge_issues; a view cannot know in which direction your own metrics are better, and places the highest first. A missing answer counts as 0, but has no value if lower is better. Versions that share no case have no row. The command badger rank also leaves out cases whose scores were made in different ways, takes all versions or those of --systems, and gives equal means the mean of their places.
CREATE OR REPLACE VIEW badger.system_ranks AS WITH made AS (SELECT s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric, s.metric_version, s.config_hash, s.gold_hash,
           CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 'ok' ELSE s.status END AS status, CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 0 ELSE s.value END AS value, CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN FALSE ELSE s.passed END AS passed,
           CASE WHEN s.passed IS NULL THEN 0 ELSE 1 END AS judged,
           MAX(CASE WHEN s.status = 'ok' THEN 1 ELSE 0 END) OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.metric) AS scored,
           CASE WHEN s.usage IS NULL AND s.assessment_ids IS NULL THEN '' ELSE COALESCE(r.judge, '') END AS judge
    FROM badger.latest_scores s LEFT JOIN badger.eval_runs r ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id)
SELECT metric, agent_name, agent_version, COUNT(*) AS shared, AVG(value) AS mean_value, AVG(CASE WHEN verdicts = 0 THEN NULL WHEN passed THEN 1.0 WHEN NOT passed THEN 0.0 END) AS pass_rate,
       RANK() OVER (PARTITION BY metric ORDER BY CASE WHEN metric IN ('latency_overhead', 'sql_judge_issues') THEN FLOOR(AVG(value) * 1000000000 + 0.5) ELSE -FLOOR(AVG(value) * 1000000000 + 0.5) END) AS place
FROM (SELECT v.metric, v.agent_name, v.agent_version, v.case_id, v.value, v.passed, MAX(v.judged) OVER (PARTITION BY v.metric) AS verdicts, COUNT(*) OVER (PARTITION BY v.metric, v.case_id) AS having_it, n.systems
  FROM (SELECT m.metric, m.agent_name, m.agent_version, m.case_id, m.status, m.value, m.passed, m.judged,
          ROW_NUMBER() OVER (PARTITION BY m.metric, m.agent_name, m.agent_version, m.case_id ORDER BY b.place DESC) AS newest
    FROM made m JOIN (SELECT agent_name, agent_version, batch_id, dated_at, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY CASE WHEN dated_at IS NULL THEN 0 ELSE 1 END, dated_at, batch_id, agent_version) AS place
  FROM (SELECT agent_name, agent_version, batch_id, MIN(run_date) AS dated_at FROM badger.latest_scores GROUP BY agent_name, agent_version, batch_id) d) b ON b.agent_name = m.agent_name AND b.agent_version = m.agent_version AND b.batch_id = m.batch_id) v
  JOIN (SELECT metric, COUNT(DISTINCT agent_name || ' ' || agent_version) AS systems FROM made WHERE status = 'ok' GROUP BY metric) n ON n.metric = v.metric
  WHERE v.newest = 1 AND v.status = 'ok') t
WHERE having_it = systems GROUP BY metric, agent_name, agent_version;

-- 67. Run by badger_owner.
-- Right answers by the position of the question in its conversation, by agent, version, batch and metric. A missing answer is wrong and counts as 0, but has no value if lower is better.
CREATE OR REPLACE VIEW badger.turns AS WITH made AS (SELECT s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric, s.metric_version, s.config_hash, s.gold_hash,
           CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 'ok' ELSE s.status END AS status, CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 0 ELSE s.value END AS value, CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN FALSE ELSE s.passed END AS passed,
           CASE WHEN s.passed IS NULL THEN 0 ELSE 1 END AS judged,
           MAX(CASE WHEN s.status = 'ok' THEN 1 ELSE 0 END) OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.metric) AS scored,
           CASE WHEN s.usage IS NULL AND s.assessment_ids IS NULL THEN '' ELSE COALESCE(r.judge, '') END AS judge
    FROM badger.latest_scores s LEFT JOIN badger.eval_runs r ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id)
SELECT m.agent_name, m.agent_version, m.batch_id, m.metric, p.turn, COUNT(*) AS answers, COUNT(CASE WHEN m.passed IS NOT NULL THEN 1 END) AS judged, COUNT(CASE WHEN m.passed THEN 1 END) AS passed,
       AVG(CASE WHEN m.passed THEN 1.0 WHEN NOT m.passed THEN 0.0 END) AS pass_rate, AVG(CASE WHEN m.status = 'ok' THEN m.value END) AS mean_value
FROM made m JOIN (SELECT agent_name, agent_version, batch_id, case_id, MAX(conversation_id) AS conversation_id, MAX(turn) AS turn FROM
      (SELECT COALESCE(CAST(agent_name AS text), '') AS agent_name, COALESCE(CAST(agent_version AS text), '') AS agent_version, COALESCE(CAST(batch_id AS text), '') AS batch_id, COALESCE(CAST(case_id AS text), '') AS case_id, COALESCE(CAST(conversation_id AS text), '') AS conversation_id, turn AS turn FROM badger.agent_runs) r
      WHERE conversation_id <> '' GROUP BY agent_name, agent_version, batch_id, case_id) p ON p.agent_name = m.agent_name AND p.agent_version = m.agent_version AND p.batch_id = m.batch_id AND p.case_id = m.case_id
WHERE p.turn IS NOT NULL GROUP BY m.agent_name, m.agent_version, m.batch_id, m.metric, p.turn;

-- 68. Run by badger_owner.
-- Whole conversations, by agent, version, batch and metric: all_right is 1 if every turn passed, 0 if one did not or could not be scored, and NULL without such turns; turns that the metric does not apply to are left out. first_wrong_turn is the first turn that did not pass. A missing answer did not pass.
CREATE OR REPLACE VIEW badger.conversations AS WITH made AS (SELECT s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric, s.metric_version, s.config_hash, s.gold_hash,
           CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 'ok' ELSE s.status END AS status, CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 0 ELSE s.value END AS value, CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN FALSE ELSE s.passed END AS passed,
           CASE WHEN s.passed IS NULL THEN 0 ELSE 1 END AS judged,
           MAX(CASE WHEN s.status = 'ok' THEN 1 ELSE 0 END) OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.metric) AS scored,
           CASE WHEN s.usage IS NULL AND s.assessment_ids IS NULL THEN '' ELSE COALESCE(r.judge, '') END AS judge
    FROM badger.latest_scores s LEFT JOIN badger.eval_runs r ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id)
SELECT m.agent_name, m.agent_version, m.batch_id, p.conversation_id, m.metric, COUNT(*) AS turns, COUNT(CASE WHEN m.passed IS NOT NULL THEN 1 END) AS judged, COUNT(CASE WHEN m.passed THEN 1 END) AS passed,
       MIN(CASE WHEN m.passed THEN 1 WHEN NOT m.passed OR m.status IN ('failed', 'abstained') THEN 0 END) AS all_right, MIN(CASE WHEN NOT m.passed THEN p.turn END) AS first_wrong_turn
FROM made m JOIN (SELECT agent_name, agent_version, batch_id, case_id, MAX(conversation_id) AS conversation_id, MAX(turn) AS turn FROM
      (SELECT COALESCE(CAST(agent_name AS text), '') AS agent_name, COALESCE(CAST(agent_version AS text), '') AS agent_version, COALESCE(CAST(batch_id AS text), '') AS batch_id, COALESCE(CAST(case_id AS text), '') AS case_id, COALESCE(CAST(conversation_id AS text), '') AS conversation_id, turn AS turn FROM badger.agent_runs) r
      WHERE conversation_id <> '' GROUP BY agent_name, agent_version, batch_id, case_id) p ON p.agent_name = m.agent_name AND p.agent_version = m.agent_version AND p.batch_id = m.batch_id AND p.case_id = m.case_id
GROUP BY m.agent_name, m.agent_version, m.batch_id, p.conversation_id, m.metric;

-- 69. Run by badger_owner.
-- What the answers of agent_runs took, by agent, version, batch and metric with verdicts. cost_usd, tokens_in and tokens_out are sums of the known values, and with_cost, with_tokens_in and with_tokens_out count these. right_answers passed the metric. cost_per_right is cost_usd, the known cost of right and wrong answers, divided by right_with_cost, the right answers with a known cost, and rounded to 12 decimals. place is 1 for the latest batch of the version. The command badger compare has medians, P95 and tests.
CREATE OR REPLACE VIEW badger.cost_by_version AS SELECT agent_name, agent_version, batch_id, metric, place, answers, right_answers, with_cost, right_with_cost, cost_usd, CAST(cost_usd / NULLIF(right_with_cost, 0) AS numeric(38, 12)) AS cost_per_right,
       with_tokens_in, tokens_in, with_tokens_out, tokens_out, with_latency, mean_latency_ms
FROM (SELECT a.agent_name, a.agent_version, a.batch_id, s.metric, o.place, COUNT(*) AS answers, COUNT(CASE WHEN s.passed THEN 1 END) AS right_answers, COUNT(a.cost_usd) AS with_cost, COUNT(CASE WHEN s.passed AND a.cost_usd IS NOT NULL THEN 1 END) AS right_with_cost,
        SUM(a.cost_usd) AS cost_usd, COUNT(a.tokens_in) AS with_tokens_in, SUM(a.tokens_in) AS tokens_in, COUNT(a.tokens_out) AS with_tokens_out, SUM(a.tokens_out) AS tokens_out, COUNT(a.latency_ms) AS with_latency, AVG(a.latency_ms) AS mean_latency_ms
  FROM (SELECT agent_name, agent_version, batch_id, case_id, ran_at, CASE WHEN cost_usd BETWEEN 0 AND 1000000 THEN cost_usd END AS cost_usd, CASE WHEN tokens_in BETWEEN 0 AND 1000000000000 THEN tokens_in END AS tokens_in, CASE WHEN tokens_out BETWEEN 0 AND 1000000000000 THEN tokens_out END AS tokens_out,
      CASE WHEN latency_ms BETWEEN 0 AND 1000000000000 THEN latency_ms END AS latency_ms,
      ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) AS copy
      FROM (SELECT COALESCE(CAST(agent_name AS text), '') AS agent_name, COALESCE(CAST(agent_version AS text), '') AS agent_version, COALESCE(CAST(batch_id AS text), '') AS batch_id, COALESCE(CAST(case_id AS text), '') AS case_id, ran_at AS ran_at, CAST(sql AS text) AS sql,
        CAST(cost_usd AS numeric(38, 12)) AS cost_usd, CAST(tokens_in AS bigint) AS tokens_in, CAST(tokens_out AS bigint) AS tokens_out, CAST(latency_ms AS double precision) AS latency_ms FROM badger.agent_runs) r) a
  JOIN badger.latest_scores s ON s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id
  JOIN (SELECT agent_name, agent_version, batch_id, ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version ORDER BY CASE WHEN MAX(ran_at) IS NULL THEN 1 ELSE 0 END, MAX(ran_at) DESC, batch_id DESC) AS place
    FROM (SELECT agent_name, agent_version, batch_id, case_id, ran_at, CASE WHEN cost_usd BETWEEN 0 AND 1000000 THEN cost_usd END AS cost_usd, CASE WHEN tokens_in BETWEEN 0 AND 1000000000000 THEN tokens_in END AS tokens_in, CASE WHEN tokens_out BETWEEN 0 AND 1000000000000 THEN tokens_out END AS tokens_out,
      CASE WHEN latency_ms BETWEEN 0 AND 1000000000000 THEN latency_ms END AS latency_ms,
      ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) AS copy
      FROM (SELECT COALESCE(CAST(agent_name AS text), '') AS agent_name, COALESCE(CAST(agent_version AS text), '') AS agent_version, COALESCE(CAST(batch_id AS text), '') AS batch_id, COALESCE(CAST(case_id AS text), '') AS case_id, ran_at AS ran_at, CAST(sql AS text) AS sql,
        CAST(cost_usd AS numeric(38, 12)) AS cost_usd, CAST(tokens_in AS bigint) AS tokens_in, CAST(tokens_out AS bigint) AS tokens_out, CAST(latency_ms AS double precision) AS latency_ms FROM badger.agent_runs) r) b GROUP BY agent_name, agent_version, batch_id) o ON o.agent_name = a.agent_name AND o.agent_version = a.agent_version AND o.batch_id = a.batch_id
  WHERE a.copy = 1 GROUP BY a.agent_name, a.agent_version, a.batch_id, s.metric, o.place HAVING COUNT(s.passed) > 0) t;

-- 70. Run by badger_owner.
-- The version of the tables.
INSERT INTO badger.schema_version (version, reached_at) SELECT 8, CURRENT_TIMESTAMP FROM (SELECT 1 AS one) o WHERE NOT EXISTS (SELECT 1 FROM badger.schema_version WHERE version >= 8);

-- 71. Run by badger_owner.
-- Rows are found by their key, and keys are unique.
CREATE UNIQUE INDEX IF NOT EXISTS eval_runs_key ON badger.eval_runs (eval_run_id, agent_name, agent_version, batch_id);

-- 72. Run by badger_owner.
-- Rows are found by their key, and keys are unique.
CREATE UNIQUE INDEX IF NOT EXISTS scores_key ON badger.scores (eval_run_id, agent_name, agent_version, batch_id, case_id, metric);

-- 73. Run by badger_owner.
-- Rows are found by their key, and keys are unique.
CREATE UNIQUE INDEX IF NOT EXISTS assessments_key ON badger.assessments (assessment_id);

-- 74. Run by badger_owner.
-- Rows are found by their key, and keys are unique.
CREATE UNIQUE INDEX IF NOT EXISTS schema_version_key ON badger.schema_version (version);

-- 75. Run by badger_owner.
-- Rows are found by their key, and keys are unique.
CREATE UNIQUE INDEX IF NOT EXISTS judges_key ON badger.judges (name, version);

-- 76. Run by badger_owner.
-- Rows are found by their key, and keys are unique.
CREATE UNIQUE INDEX IF NOT EXISTS sentinels_key ON badger.sentinels (asking_id, metric, agent_name, agent_version, batch_id, case_id, repetition);

-- 77. Run by badger_owner.
-- Rows are found by their key, and keys are unique.
CREATE UNIQUE INDEX IF NOT EXISTS run_log_key ON badger.run_log (entry_id);

-- 78. Run by badger_owner.
-- Rows are found by their key, and keys are unique.
CREATE UNIQUE INDEX IF NOT EXISTS schedule_key ON badger.schedule (metric);

-- 79. Run by badger_owner.
-- Rows are found by their key, and keys are unique.
CREATE UNIQUE INDEX IF NOT EXISTS alerts_key ON badger.alerts (alert_id);

-- 80. Run by badger_owner.
-- Rows are found by their key, and keys are unique.
CREATE UNIQUE INDEX IF NOT EXISTS run_locks_key ON badger.run_locks (name);

-- 81. Run by badger_owner.
-- Rows are found by their key, and keys are unique.
CREATE UNIQUE INDEX IF NOT EXISTS claims_key ON badger.claims (claim_key);

-- 82. Run by badger_owner.
-- Rows are found by their key, and keys are unique.
CREATE UNIQUE INDEX IF NOT EXISTS calls_key ON badger.calls (call_id);

-- 83. Run by badger_owner.
-- Rows are found by their key, and keys are unique.
CREATE UNIQUE INDEX IF NOT EXISTS queues_key ON badger.queues (queue_id);

-- 84. Run by badger_owner.
-- Rows are found by their key, and keys are unique.
CREATE UNIQUE INDEX IF NOT EXISTS queue_items_key ON badger.queue_items (queue_id, case_id);

-- 85. Run by badger_owner.
-- Rows are found by their key, and keys are unique.
CREATE UNIQUE INDEX IF NOT EXISTS label_log_key ON badger.label_log (label_id);

-- 86. Run by badger_owner.
-- Rows are found by their key, and keys are unique.
CREATE UNIQUE INDEX IF NOT EXISTS accepted_key ON badger.accepted (acceptance_id);

-- 87. Run by badger_owner.
-- Rows are found by their key, and keys are unique.
CREATE UNIQUE INDEX IF NOT EXISTS deletions_key ON badger.deletions (deletion_id, table_name, eval_run_id);

-- 88. Run by badger_owner.
-- Comments on the table golden_set and its columns, unless it is a table or view of your own.
DO $badger$
BEGIN
  IF EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'badger' AND c.relname = 'golden_set' AND c.relkind = 'r' AND coalesce(obj_description(c.oid, 'pg_class'), '[badger:table]') LIKE '%[badger:table]' AND (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) @> ARRAY['case_id', 'question', 'evidence', 'schema_ddl', 'dialect', 'gold_sql', 'gold_result', 'expected_tools', 'expected_clarifications', 'expected_behaviour', 'tags', 'set_version', 'gold_latency_ms', 'gold_error', 'alternatives', 'database_name', 'metric_options', 'gold_chart']) THEN
    COMMENT ON TABLE badger.golden_set IS 'The questions, with their accepted answers. [badger:table]';
    COMMENT ON COLUMN badger.golden_set.case_id IS 'Identifies the question. Any type is read as a string: 17, ''17'' and a UUID are all valid.';
    COMMENT ON COLUMN badger.golden_set.question IS 'The question as the user asked it.';
    COMMENT ON COLUMN badger.golden_set.evidence IS 'Hints that came with the question, such as the definition of a business term.';
    COMMENT ON COLUMN badger.golden_set.schema_ddl IS 'CREATE TABLE statements of the tables that the question is about.';
    COMMENT ON COLUMN badger.golden_set.dialect IS 'SQL dialect of both queries: snowflake, bigquery, databricks, duckdb, postgres, sqlite, …';
    COMMENT ON COLUMN badger.golden_set.gold_sql IS 'The accepted query.';
    COMMENT ON COLUMN badger.golden_set.gold_result IS 'The result of the accepted query: an inline result, or a reference table:NAME, query:ID or file:PATH.';
    COMMENT ON COLUMN badger.golden_set.expected_tools IS 'The tools that a good agent calls, in order: a list of names or of {"name", "arguments"}.';
    COMMENT ON COLUMN badger.golden_set.expected_clarifications IS 'The clarification questions of a good agent: a list of strings.';
    COMMENT ON COLUMN badger.golden_set.expected_behaviour IS 'answer (also NULL), clarify or refuse.';
    COMMENT ON COLUMN badger.golden_set.tags IS 'A list of words to slice reports by.';
    COMMENT ON COLUMN badger.golden_set.set_version IS 'Version of the golden set that the row belongs to.';
    COMMENT ON COLUMN badger.golden_set.gold_latency_ms IS 'How long the accepted query took, in milliseconds.';
    COMMENT ON COLUMN badger.golden_set.gold_error IS 'The message of the database, if the accepted query failed.';
    COMMENT ON COLUMN badger.golden_set.alternatives IS 'Further accepted answers: a list of {"sql", "result", "error", "latency_ms"}. The one with the best score is used.';
    COMMENT ON COLUMN badger.golden_set.database_name IS 'Name of the database that the question is about. Agreement with people can be shown by database.';
    COMMENT ON COLUMN badger.golden_set.metric_options IS 'Options of single metrics, by name.';
    COMMENT ON COLUMN badger.golden_set.gold_chart IS 'The accepted chart of the result, in a form of agent_runs.chart. NULL: any chart that shows the result is accepted.';
  END IF;
END $badger$;

-- 89. Run by badger_owner.
-- Comments on the table agent_runs and its columns, unless it is a table or view of your own.
DO $badger$
BEGIN
  IF EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'badger' AND c.relname = 'agent_runs' AND c.relkind = 'r' AND coalesce(obj_description(c.oid, 'pg_class'), '[badger:table]') LIKE '%[badger:table]' AND (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) @> ARRAY['agent_name', 'agent_version', 'batch_id', 'case_id', 'interpretation', 'sql', 'result', 'sql_error', 'tool_calls', 'response', 'latency_ms', 'gold_latency_ms', 'ran_at', 'conversation_id', 'turn', 'earlier_turns', 'tokens_in', 'tokens_out', 'cost_usd', 'chart', 'contexts']) THEN
    COMMENT ON TABLE badger.agent_runs IS 'The answers of agents: one row for each question, version of an agent, and batch. [badger:table]';
    COMMENT ON COLUMN badger.agent_runs.agent_name IS 'Who answered.';
    COMMENT ON COLUMN badger.agent_runs.agent_version IS 'Version of the agent.';
    COMMENT ON COLUMN badger.agent_runs.batch_id IS 'The batch that the answer belongs to, such as a night. The same agent may answer a question again in another batch.';
    COMMENT ON COLUMN badger.agent_runs.case_id IS 'The question that was answered: golden_set.case_id.';
    COMMENT ON COLUMN badger.agent_runs.interpretation IS 'The question in the agent''s own words.';
    COMMENT ON COLUMN badger.agent_runs.sql IS 'The agent''s query.';
    COMMENT ON COLUMN badger.agent_runs.result IS 'The result of the agent''s query, in the form of gold_result.';
    COMMENT ON COLUMN badger.agent_runs.sql_error IS 'The message of the database, if the agent''s query failed.';
    COMMENT ON COLUMN badger.agent_runs.tool_calls IS 'The tools that the agent called, in order: a list of {"name", "arguments"}, or a trace in a form of docs/eval/traces.md. NULL: calls were not logged. []: the agent made none.';
    COMMENT ON COLUMN badger.agent_runs.response IS 'The agent''s answer in prose.';
    COMMENT ON COLUMN badger.agent_runs.latency_ms IS 'How long the agent''s query took, in milliseconds.';
    COMMENT ON COLUMN badger.agent_runs.gold_latency_ms IS 'How long the accepted query took at the same time, if it was run again. It replaces golden_set.gold_latency_ms.';
    COMMENT ON COLUMN badger.agent_runs.ran_at IS 'When the agent answered.';
    COMMENT ON COLUMN badger.agent_runs.conversation_id IS 'The conversation that the answer is part of.';
    COMMENT ON COLUMN badger.agent_runs.turn IS 'Position of the answer in its conversation, from 1.';
    COMMENT ON COLUMN badger.agent_runs.earlier_turns IS 'The turns before it, the oldest first: a list of {"question", "sql", "response"}. NULL means the answers with the same conversation_id and a lower turn.';
    COMMENT ON COLUMN badger.agent_runs.tokens_in IS 'Tokens that the models of the agent read. NULL if unknown.';
    COMMENT ON COLUMN badger.agent_runs.tokens_out IS 'Tokens that the models of the agent wrote. NULL if unknown.';
    COMMENT ON COLUMN badger.agent_runs.cost_usd IS 'What the answer cost, in US dollars, exact to 12 decimals. NULL if unknown.';
    COMMENT ON COLUMN badger.agent_runs.chart IS 'The chart that shows the result, described as data: Vega-Lite, a Plotly figure, or fields such as {"mark", "x", "y"}. docs/eval/charts.md describes the forms.';
    COMMENT ON COLUMN badger.agent_runs.contexts IS 'The passages that the agent retrieved: a list of {"id", "text", "title", "source"}, or of strings.';
  END IF;
END $badger$;

-- 90. Run by badger_owner.
-- Comments on the table human_labels and its columns, unless it is a table or view of your own.
DO $badger$
BEGIN
  IF EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'badger' AND c.relname = 'human_labels' AND c.relkind = 'r' AND coalesce(obj_description(c.oid, 'pg_class'), '[badger:table]') LIKE '%[badger:table]' AND (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) @> ARRAY['case_id', 'agent_name', 'batch_id', 'annotator', 'verdict', 'note', 'labelled_at', 'agent_version']) THEN
    COMMENT ON TABLE badger.human_labels IS 'Human labels of answers: one row for each answer and annotator. Labels from the web report are in label_log. [badger:table]';
    COMMENT ON COLUMN badger.human_labels.case_id IS 'The question whose answer is labelled.';
    COMMENT ON COLUMN badger.human_labels.agent_name IS 'Who answered.';
    COMMENT ON COLUMN badger.human_labels.batch_id IS 'The batch that the answer belongs to.';
    COMMENT ON COLUMN badger.human_labels.annotator IS 'Who labelled the answer.';
    COMMENT ON COLUMN badger.human_labels.verdict IS 'pass, fail or unsure. 1, true, yes, correct and 0, false, no, incorrect mean the same, in upper or lower case, with any surrounding white space. Anything else is unsure.';
    COMMENT ON COLUMN badger.human_labels.note IS 'Why.';
    COMMENT ON COLUMN badger.human_labels.labelled_at IS 'When the answer was labelled. The latest label of an annotator for an answer is used.';
    COMMENT ON COLUMN badger.human_labels.agent_version IS 'Version of the agent that answered. NULL means the only version that answered the question in the batch. If several did, the label is ignored.';
  END IF;
END $badger$;

-- 91. Run by badger_owner.
-- A comment on the table eval_runs.
COMMENT ON TABLE badger.eval_runs IS 'The evaluations: one row for each run and each agent, version and batch that it scored.';

-- 92. Run by badger_owner.
-- A comment on eval_runs.eval_run_id.
COMMENT ON COLUMN badger.eval_runs.eval_run_id IS 'The run.';

-- 93. Run by badger_owner.
-- A comment on eval_runs.agent_name.
COMMENT ON COLUMN badger.eval_runs.agent_name IS 'Whose answers were scored.';

-- 94. Run by badger_owner.
-- A comment on eval_runs.agent_version.
COMMENT ON COLUMN badger.eval_runs.agent_version IS 'Version of the agent.';

-- 95. Run by badger_owner.
-- A comment on eval_runs.batch_id.
COMMENT ON COLUMN badger.eval_runs.batch_id IS 'Batch of the answers.';

-- 96. Run by badger_owner.
-- A comment on eval_runs.eval_run_date.
COMMENT ON COLUMN badger.eval_runs.eval_run_date IS 'When the run started.';

-- 97. Run by badger_owner.
-- A comment on eval_runs.mode.
COMMENT ON COLUMN badger.eval_runs.mode IS 'text2sql_only, agentic_only or both.';

-- 98. Run by badger_owner.
-- A comment on eval_runs.config.
COMMENT ON COLUMN badger.eval_runs.config IS 'Options and thresholds of metrics.';

-- 99. Run by badger_owner.
-- A comment on eval_runs.judge.
COMMENT ON COLUMN badger.eval_runs.judge IS 'Who was asked.';

-- 100. Run by badger_owner.
-- A comment on eval_runs.versions.
COMMENT ON COLUMN badger.eval_runs.versions IS 'Versions of badger, of the metrics and of judge files; the answers that were selected; and if --resume removed scores because the input had no such answers any more, their number and when.';

-- 101. Run by badger_owner.
-- A comment on eval_runs.counts.
COMMENT ON COLUMN badger.eval_runs.counts IS 'Number of scores of the run, by status.';

-- 102. Run by badger_owner.
-- A comment on eval_runs.tokens.
COMMENT ON COLUMN badger.eval_runs.tokens IS 'Judge calls and tokens for the scores.';

-- 103. Run by badger_owner.
-- A comment on eval_runs.cost.
COMMENT ON COLUMN badger.eval_runs.cost IS 'Judge calls and tokens that the whole run paid for.';

-- 104. Run by badger_owner.
-- A comment on eval_runs.status.
COMMENT ON COLUMN badger.eval_runs.status IS 'running (also: killed), done, stopped or failed. Only a run that is done has scored all of its cases.';

-- 105. Run by badger_owner.
-- A comment on eval_runs.answered_at.
COMMENT ON COLUMN badger.eval_runs.answered_at IS 'When the last of the answers was given: agent_runs.ran_at, or agent.ran_at of a case file. It dates the batch if agent_runs does not.';

-- 106. Run by badger_owner.
-- A comment on the table scores.
COMMENT ON TABLE badger.scores IS 'The scores: one row for each run, answer and metric.';

-- 107. Run by badger_owner.
-- A comment on scores.eval_run_id.
COMMENT ON COLUMN badger.scores.eval_run_id IS 'The run.';

-- 108. Run by badger_owner.
-- A comment on scores.case_id.
COMMENT ON COLUMN badger.scores.case_id IS 'The question.';

-- 109. Run by badger_owner.
-- A comment on scores.agent_name.
COMMENT ON COLUMN badger.scores.agent_name IS 'Who answered.';

-- 110. Run by badger_owner.
-- A comment on scores.agent_version.
COMMENT ON COLUMN badger.scores.agent_version IS 'Version of the agent.';

-- 111. Run by badger_owner.
-- A comment on scores.batch_id.
COMMENT ON COLUMN badger.scores.batch_id IS 'Batch of the answer.';

-- 112. Run by badger_owner.
-- A comment on scores.metric.
COMMENT ON COLUMN badger.scores.metric IS 'The metric.';

-- 113. Run by badger_owner.
-- A comment on scores.metric_version.
COMMENT ON COLUMN badger.scores.metric_version IS 'Version of the metric. Scores of different versions are not comparable.';

-- 114. Run by badger_owner.
-- A comment on scores.status.
COMMENT ON COLUMN badger.scores.status IS 'ok, abstained, not_applicable or failed.';

-- 115. Run by badger_owner.
-- A comment on scores.value.
COMMENT ON COLUMN badger.scores.value IS 'The value. NULL unless status is ok.';

-- 116. Run by badger_owner.
-- A comment on scores.label.
COMMENT ON COLUMN badger.scores.label IS 'Category, of metrics that have one.';

-- 117. Run by badger_owner.
-- A comment on scores.passed.
COMMENT ON COLUMN badger.scores.passed IS 'Verdict by the metric''s threshold. NULL if the metric has none.';

-- 118. Run by badger_owner.
-- A comment on scores.reason.
COMMENT ON COLUMN badger.scores.reason IS 'The reason for the value, or for its absence, in one sentence.';

-- 119. Run by badger_owner.
-- A comment on scores.detail.
COMMENT ON COLUMN badger.scores.detail IS 'The evidence: alignment, counts, differences.';

-- 120. Run by badger_owner.
-- A comment on scores.assessment_ids.
COMMENT ON COLUMN badger.scores.assessment_ids IS 'The recorded judge replies that the score is based on.';

-- 121. Run by badger_owner.
-- A comment on scores.config_hash.
COMMENT ON COLUMN badger.scores.config_hash IS 'Identifies the configuration of the run.';

-- 122. Run by badger_owner.
-- A comment on scores.scored_at.
COMMENT ON COLUMN badger.scores.scored_at IS 'When the score was stored.';

-- 123. Run by badger_owner.
-- A comment on scores.code.
COMMENT ON COLUMN badger.scores.code IS 'Kind of failure. NULL unless status is failed.';

-- 124. Run by badger_owner.
-- A comment on scores.usage.
COMMENT ON COLUMN badger.scores.usage IS 'Judge usage of this score: calls, tokens_in, tokens_out, repaired, the number of calls that repeated a question because of a malformed reply, judge if a tag selected it, and panel, the votes of a panel of judges. NULL without a judge call.';

-- 125. Run by badger_owner.
-- A comment on scores.gold_hash.
COMMENT ON COLUMN badger.scores.gold_hash IS 'Identifies the question with its accepted answers. Scores of a question that has changed are not comparable. NULL in rows of earlier versions.';

-- 126. Run by badger_owner.
-- A comment on scores.answer_hash.
COMMENT ON COLUMN badger.scores.answer_hash IS 'Identifies what the agent gave, with the turns before it. badger run --resume scores an answer again if it has changed. NULL if unknown.';

-- 127. Run by badger_owner.
-- A comment on the table assessments.
COMMENT ON TABLE badger.assessments IS 'The replies of judges, recorded.';

-- 128. Run by badger_owner.
-- A comment on assessments.assessment_id.
COMMENT ON COLUMN badger.assessments.assessment_id IS 'Hash of the content.';

-- 129. Run by badger_owner.
-- A comment on assessments.kind.
COMMENT ON COLUMN badger.assessments.kind IS 'Kind of question.';

-- 130. Run by badger_owner.
-- A comment on assessments.backend.
COMMENT ON COLUMN badger.assessments.backend IS 'Who was asked.';

-- 131. Run by badger_owner.
-- A comment on assessments.model.
COMMENT ON COLUMN badger.assessments.model IS 'The model that answered.';

-- 132. Run by badger_owner.
-- A comment on assessments.prompt_version.
COMMENT ON COLUMN badger.assessments.prompt_version IS 'Version of the prompt.';

-- 133. Run by badger_owner.
-- A comment on assessments.request_hash.
COMMENT ON COLUMN badger.assessments.request_hash IS 'Hash of the request. An identical request is not repeated.';

-- 134. Run by badger_owner.
-- A comment on assessments.reply.
COMMENT ON COLUMN badger.assessments.reply IS 'The reply, verbatim.';

-- 135. Run by badger_owner.
-- A comment on assessments.tokens_in.
COMMENT ON COLUMN badger.assessments.tokens_in IS 'Tokens of the request. NULL if unknown.';

-- 136. Run by badger_owner.
-- A comment on assessments.tokens_out.
COMMENT ON COLUMN badger.assessments.tokens_out IS 'Tokens of the reply. NULL if unknown.';

-- 137. Run by badger_owner.
-- A comment on assessments.latency_ms.
COMMENT ON COLUMN badger.assessments.latency_ms IS 'How long the reply took, in milliseconds.';

-- 138. Run by badger_owner.
-- A comment on assessments.created_at.
COMMENT ON COLUMN badger.assessments.created_at IS 'When.';

-- 139. Run by badger_owner.
-- A comment on assessments.detail.
COMMENT ON COLUMN badger.assessments.detail IS 'Further information about the reply.';

-- 140. Run by badger_owner.
-- A comment on assessments.payer.
COMMENT ON COLUMN badger.assessments.payer IS 'Who paid for the call: run:ID, or the name of a caller of the function server.';

-- 141. Run by badger_owner.
-- A comment on the table schema_version.
COMMENT ON TABLE badger.schema_version IS 'The versions that these tables have had. The highest is the present one. A program that supports only lower versions does not write to them.';

-- 142. Run by badger_owner.
-- A comment on schema_version.version.
COMMENT ON COLUMN badger.schema_version.version IS 'Version of the tables.';

-- 143. Run by badger_owner.
-- A comment on schema_version.badger.
COMMENT ON COLUMN badger.schema_version.badger IS 'Version of badger that brought the tables to it.';

-- 144. Run by badger_owner.
-- A comment on schema_version.reached_at.
COMMENT ON COLUMN badger.schema_version.reached_at IS 'When.';

-- 145. Run by badger_owner.
-- A comment on schema_version.views.
COMMENT ON COLUMN badger.schema_version.views IS 'Fingerprints of the views, as JSON: of their text, and of the text that the warehouse shows.';

-- 146. Run by badger_owner.
-- A comment on the table judges.
COMMENT ON TABLE badger.judges IS 'The promoted judge files. A row never changes.';

-- 147. Run by badger_owner.
-- A comment on judges.name.
COMMENT ON COLUMN badger.judges.name IS 'Name of the judge.';

-- 148. Run by badger_owner.
-- A comment on judges.version.
COMMENT ON COLUMN badger.judges.version IS 'Version of the judge.';

-- 149. Run by badger_owner.
-- A comment on judges.kind.
COMMENT ON COLUMN badger.judges.kind IS 'starlark, expression, prompt, sql, or retired for a version that switches the judge off.';

-- 150. Run by badger_owner.
-- A comment on judges.source.
COMMENT ON COLUMN badger.judges.source IS 'Text of the judge file.';

-- 151. Run by badger_owner.
-- A comment on judges.hash.
COMMENT ON COLUMN badger.judges."hash" IS 'SHA-256 of the text.';

-- 152. Run by badger_owner.
-- A comment on judges.promoted_at.
COMMENT ON COLUMN badger.judges.promoted_at IS 'When.';

-- 153. Run by badger_owner.
-- A comment on judges.promoted_by.
COMMENT ON COLUMN badger.judges.promoted_by IS 'By whom.';

-- 154. Run by badger_owner.
-- A comment on judges.tested.
COMMENT ON COLUMN badger.judges.tested IS 'The test at promotion: agreement with labels, and their number. {"untested": true} if it was promoted without a test.';

-- 155. Run by badger_owner.
-- A comment on the table sentinels.
COMMENT ON TABLE badger.sentinels IS 'The verdicts of judges on sentinel cases, which are asked again and again: one row for each asking, metric, case and repetition. Rows are appended and never change. The replies are in assessments.';

-- 156. Run by badger_owner.
-- A comment on sentinels.asking_id.
COMMENT ON COLUMN badger.sentinels.asking_id IS 'The asking: a call of badger judge sentinel, or of badger run.';

-- 157. Run by badger_owner.
-- A comment on sentinels.metric.
COMMENT ON COLUMN badger.sentinels.metric IS 'The metric that asked the judge.';

-- 158. Run by badger_owner.
-- A comment on sentinels.case_id.
COMMENT ON COLUMN badger.sentinels.case_id IS 'The question.';

-- 159. Run by badger_owner.
-- A comment on sentinels.agent_name.
COMMENT ON COLUMN badger.sentinels.agent_name IS 'Who answered.';

-- 160. Run by badger_owner.
-- A comment on sentinels.agent_version.
COMMENT ON COLUMN badger.sentinels.agent_version IS 'Version of the agent.';

-- 161. Run by badger_owner.
-- A comment on sentinels.batch_id.
COMMENT ON COLUMN badger.sentinels.batch_id IS 'Batch of the answer.';

-- 162. Run by badger_owner.
-- A comment on sentinels.repetition.
COMMENT ON COLUMN badger.sentinels.repetition IS 'Number of the reply to the same question in the asking, from 1.';

-- 163. Run by badger_owner.
-- A comment on sentinels.backend.
COMMENT ON COLUMN badger.sentinels.backend IS 'Who was asked.';

-- 164. Run by badger_owner.
-- A comment on sentinels.model.
COMMENT ON COLUMN badger.sentinels.model IS 'The model that was asked.';

-- 165. Run by badger_owner.
-- A comment on sentinels.prompt_version.
COMMENT ON COLUMN badger.sentinels.prompt_version IS 'Version of the prompt of the first call. NULL without a reply.';

-- 166. Run by badger_owner.
-- A comment on sentinels.question_hash.
COMMENT ON COLUMN badger.sentinels.question_hash IS 'Identifies everything apart from the judge that determines the verdict: the first prompt with its settings, and the version and the configuration of the metric. Only verdicts with the same hash are compared. NULL without a reply.';

-- 167. Run by badger_owner.
-- A comment on sentinels.served.
COMMENT ON COLUMN badger.sentinels.served IS 'The models that replied, as the endpoint reports them: a list of {"model", "fingerprint"}.';

-- 168. Run by badger_owner.
-- A comment on sentinels.status.
COMMENT ON COLUMN badger.sentinels.status IS 'Status of the score: ok, abstained, not_applicable or failed.';

-- 169. Run by badger_owner.
-- A comment on sentinels.code.
COMMENT ON COLUMN badger.sentinels.code IS 'Kind of failure. NULL unless status is failed.';

-- 170. Run by badger_owner.
-- A comment on sentinels.passed.
COMMENT ON COLUMN badger.sentinels.passed IS 'The verdict. NULL if there is none.';

-- 171. Run by badger_owner.
-- A comment on sentinels.human_label.
COMMENT ON COLUMN badger.sentinels.human_label IS 'The human label of the answer when the judge was asked: whether it passes. NULL if it had none.';

-- 172. Run by badger_owner.
-- A comment on sentinels.assessment_ids.
COMMENT ON COLUMN badger.sentinels.assessment_ids IS 'The recorded replies.';

-- 173. Run by badger_owner.
-- A comment on sentinels.asked_at.
COMMENT ON COLUMN badger.sentinels.asked_at IS 'When.';

-- 174. Run by badger_owner.
-- A comment on the table run_log.
COMMENT ON TABLE badger.run_log IS 'The events and failures of evaluations by the warehouse''s procedure: one row for each event.';

-- 175. Run by badger_owner.
-- A comment on run_log.entry_id.
COMMENT ON COLUMN badger.run_log.entry_id IS 'Identifies the row.';

-- 176. Run by badger_owner.
-- A comment on run_log.logged_at.
COMMENT ON COLUMN badger.run_log.logged_at IS 'When.';

-- 177. Run by badger_owner.
-- A comment on run_log.eval_run_id.
COMMENT ON COLUMN badger.run_log.eval_run_id IS 'The run. NULL before a run has started.';

-- 178. Run by badger_owner.
-- A comment on run_log.event.
COMMENT ON COLUMN badger.run_log.event IS 'began, resumed, done, idle (there was nothing to score), refused (another evaluation was running), interrupted (the call before did not finish), run failed, slice failed, answer failed, not retried (the answer failed in three calls, and its scores are failed), batch began, batch failed (answers of it have no scores after the call), or alert failed.';

-- 179. Run by badger_owner.
-- A comment on run_log.case_id.
COMMENT ON COLUMN badger.run_log.case_id IS 'The question, if the event concerns a single answer.';

-- 180. Run by badger_owner.
-- A comment on run_log.answers.
COMMENT ON COLUMN badger.run_log.answers IS 'Number of answers that the event concerns.';

-- 181. Run by badger_owner.
-- A comment on run_log.message.
COMMENT ON COLUMN badger.run_log.message IS 'The message of the database or of badger serve.';

-- 182. Run by badger_owner.
-- A comment on run_log.agent_name.
COMMENT ON COLUMN badger.run_log.agent_name IS 'Who answered, if the event concerns an answer or a batch.';

-- 183. Run by badger_owner.
-- A comment on run_log.agent_version.
COMMENT ON COLUMN badger.run_log.agent_version IS 'Version of the agent, if the event concerns an answer or a batch.';

-- 184. Run by badger_owner.
-- A comment on run_log.batch_id.
COMMENT ON COLUMN badger.run_log.batch_id IS 'The batch, if the event concerns an answer, a batch or a call for one batch.';

-- 185. Run by badger_owner.
-- A comment on the table schedule.
COMMENT ON TABLE badger.schedule IS 'What the scheduled evaluation computes, as of its last call: one row for each metric, and a row whose metric is empty for the schedule itself.';

-- 186. Run by badger_owner.
-- A comment on schedule.metric.
COMMENT ON COLUMN badger.schedule.metric IS 'The metric. The empty string is the row of the schedule itself.';

-- 187. Run by badger_owner.
-- A comment on schedule.since_day.
COMMENT ON COLUMN badger.schedule.since_day IS 'Answers of this day and later are scored. It only moves on when a call has scored everything. NULL in rows of metrics.';

-- 188. Run by badger_owner.
-- A comment on schedule.pass_rate_drop.
COMMENT ON COLUMN badger.schedule.pass_rate_drop IS 'Drop of a pass rate, from 0 to 1, that raises an alert. NULL in rows of metrics.';

-- 189. Run by badger_owner.
-- A comment on the table alerts.
COMMENT ON TABLE badger.alerts IS 'The alerts: one row for each fact that was reported. A fact is reported again only if it was resolved in between.';

-- 190. Run by badger_owner.
-- A comment on alerts.alert_id.
COMMENT ON COLUMN badger.alerts.alert_id IS 'Identifies the alert.';

-- 191. Run by badger_owner.
-- A comment on alerts.kind.
COMMENT ON COLUMN badger.alerts.kind IS 'run failed (the evaluation fails), backlog (answers of a batch could not be scored) or degraded (fewer answers pass than in the batch before).';

-- 192. Run by badger_owner.
-- A comment on alerts.fact.
COMMENT ON COLUMN badger.alerts.fact IS 'Identifies the fact: the kind, and the batch, metric or message that it is about.';

-- 193. Run by badger_owner.
-- A comment on alerts.agent_name.
COMMENT ON COLUMN badger.alerts.agent_name IS 'Who answered. NULL for run failed.';

-- 194. Run by badger_owner.
-- A comment on alerts.agent_version.
COMMENT ON COLUMN badger.alerts.agent_version IS 'Version of the agent. NULL unless the kind is backlog.';

-- 195. Run by badger_owner.
-- A comment on alerts.batch_id.
COMMENT ON COLUMN badger.alerts.batch_id IS 'The batch. NULL for run failed.';

-- 196. Run by badger_owner.
-- A comment on alerts.metric.
COMMENT ON COLUMN badger.alerts.metric IS 'The metric. NULL unless the kind is degraded.';

-- 197. Run by badger_owner.
-- A comment on alerts.message.
COMMENT ON COLUMN badger.alerts.message IS 'The alert in words.';

-- 198. Run by badger_owner.
-- A comment on alerts.raised_at.
COMMENT ON COLUMN badger.alerts.raised_at IS 'When the fact was first seen.';

-- 199. Run by badger_owner.
-- A comment on alerts.resolved_at.
COMMENT ON COLUMN badger.alerts.resolved_at IS 'When it was no longer true. NULL while it is.';

-- 200. Run by badger_owner.
-- A comment on alerts.sent_at.
COMMENT ON COLUMN badger.alerts.sent_at IS 'When the alert was sent, or raised if nothing is sent. NULL if sending failed, which the next call repeats.';

-- 201. Run by badger_owner.
-- A comment on the table run_locks.
COMMENT ON TABLE badger.run_locks IS 'The evaluation that is running, in warehouses without locks: a row for each lock.';

-- 202. Run by badger_owner.
-- A comment on run_locks.name.
COMMENT ON COLUMN badger.run_locks.name IS 'The lock: evaluate.';

-- 203. Run by badger_owner.
-- A comment on run_locks.holder.
COMMENT ON COLUMN badger.run_locks.holder IS 'The call that holds it. NULL if it is free.';

-- 204. Run by badger_owner.
-- A comment on run_locks.taken_at.
COMMENT ON COLUMN badger.run_locks.taken_at IS 'When it was taken.';

-- 205. Run by badger_owner.
-- A comment on run_locks.beat_at.
COMMENT ON COLUMN badger.run_locks.beat_at IS 'When the holder last renewed it. A lock that was not renewed for schedule.stale minutes may be taken over.';

-- 206. Run by badger_owner.
-- A comment on the table claims.
COMMENT ON TABLE badger.claims IS 'Current leases: one row for each judge request in progress, and for each annotator who is labelling an answer. Rows are temporary.';

-- 207. Run by badger_owner.
-- A comment on claims.claim_key.
COMMENT ON COLUMN badger.claims.claim_key IS 'Hash of the request, or label:QUEUE:POSITION:PLACE.';

-- 208. Run by badger_owner.
-- A comment on claims.owner.
COMMENT ON COLUMN badger.claims.owner IS 'The process that makes the request, or label:ANNOTATOR.';

-- 209. Run by badger_owner.
-- A comment on claims.expires_ms.
COMMENT ON COLUMN badger.claims.expires_ms IS 'Expiry, in milliseconds since 1970. After it, another process may make the request, or another annotator label the answer.';

-- 210. Run by badger_owner.
-- A comment on the table calls.
COMMENT ON TABLE badger.calls IS 'Calls of the function server that last longer than a connection, with request and reply. Rows are deleted some time after they expire.';

-- 211. Run by badger_owner.
-- A comment on calls.call_id.
COMMENT ON COLUMN badger.calls.call_id IS 'Names the call.';

-- 212. Run by badger_owner.
-- A comment on calls.content_hash.
COMMENT ON COLUMN badger.calls.content_hash IS 'Hash of the request. Another call with the same ID is rejected.';

-- 213. Run by badger_owner.
-- A comment on calls.function.
COMMENT ON COLUMN badger.calls."function" IS 'The function.';

-- 214. Run by badger_owner.
-- A comment on calls.request.
COMMENT ON COLUMN badger.calls.request IS 'The request.';

-- 215. Run by badger_owner.
-- A comment on calls.reply.
COMMENT ON COLUMN badger.calls.reply IS 'The reply. NULL until there is one, and if it is recomputed from judge replies.';

-- 216. Run by badger_owner.
-- A comment on calls.expires_ms.
COMMENT ON COLUMN badger.calls.expires_ms IS 'Expiry of the row, in milliseconds since 1970.';

-- 217. Run by badger_owner.
-- A comment on the table queues.
COMMENT ON TABLE badger.queues IS 'The labelling queues: answers of a run for annotators to label, in an order.';

-- 218. Run by badger_owner.
-- A comment on queues.queue_id.
COMMENT ON COLUMN badger.queues.queue_id IS 'Identifies the queue.';

-- 219. Run by badger_owner.
-- A comment on queues.name.
COMMENT ON COLUMN badger.queues.name IS 'Title of the queue.';

-- 220. Run by badger_owner.
-- A comment on queues.eval_run_id.
COMMENT ON COLUMN badger.queues.eval_run_id IS 'The run whose answers are labelled.';

-- 221. Run by badger_owner.
-- A comment on queues.agent_name.
COMMENT ON COLUMN badger.queues.agent_name IS 'Who answered.';

-- 222. Run by badger_owner.
-- A comment on queues.agent_version.
COMMENT ON COLUMN badger.queues.agent_version IS 'Version of the agent.';

-- 223. Run by badger_owner.
-- A comment on queues.batch_id.
COMMENT ON COLUMN badger.queues.batch_id IS 'Batch of the answers.';

-- 224. Run by badger_owner.
-- A comment on queues.filter.
COMMENT ON COLUMN badger.queues."filter" IS 'The selected answers of the run: the query of the URL of a list of cases.';

-- 225. Run by badger_owner.
-- A comment on queues.ordering.
COMMENT ON COLUMN badger.queues.ordering IS 'Order of the answers: listed, random, disagreement, unsure or strata.';

-- 226. Run by badger_owner.
-- A comment on queues.seed.
COMMENT ON COLUMN badger.queues.seed IS 'Seed of random choices. The same seed gives the same order.';

-- 227. Run by badger_owner.
-- A comment on queues.annotators.
COMMENT ON COLUMN badger.queues.annotators IS 'Number of annotators for each answer.';

-- 228. Run by badger_owner.
-- A comment on queues.guideline.
COMMENT ON COLUMN badger.queues.guideline IS 'Instructions for the annotators.';

-- 229. Run by badger_owner.
-- A comment on queues.options.
COMMENT ON COLUMN badger.queues.options IS 'The verdicts that are offered in addition to skip, in their order.';

-- 230. Run by badger_owner.
-- A comment on queues.blind.
COMMENT ON COLUMN badger.queues.blind IS 'Whether annotators see no score, verdict, relation or label of others.';

-- 231. Run by badger_owner.
-- A comment on queues.reason_required.
COMMENT ON COLUMN badger.queues.reason_required IS 'Whether fail needs a note.';

-- 232. Run by badger_owner.
-- A comment on queues.cases.
COMMENT ON COLUMN badger.queues.cases IS 'Number of answers in the queue.';

-- 233. Run by badger_owner.
-- A comment on queues.created_by.
COMMENT ON COLUMN badger.queues.created_by IS 'Who created it.';

-- 234. Run by badger_owner.
-- A comment on queues.created_at.
COMMENT ON COLUMN badger.queues.created_at IS 'When.';

-- 235. Run by badger_owner.
-- A comment on queues.closed_at.
COMMENT ON COLUMN badger.queues.closed_at IS 'When it was closed. NULL while it is open.';

-- 236. Run by badger_owner.
-- A comment on the table queue_items.
COMMENT ON TABLE badger.queue_items IS 'The answers of the labelling queues. They are fixed when a queue is created.';

-- 237. Run by badger_owner.
-- A comment on queue_items.queue_id.
COMMENT ON COLUMN badger.queue_items.queue_id IS 'The queue.';

-- 238. Run by badger_owner.
-- A comment on queue_items.position.
COMMENT ON COLUMN badger.queue_items.position IS 'Place in the queue, from 1.';

-- 239. Run by badger_owner.
-- A comment on queue_items.case_id.
COMMENT ON COLUMN badger.queue_items.case_id IS 'The question whose answer is labelled.';

-- 240. Run by badger_owner.
-- A comment on the table label_log.
COMMENT ON TABLE badger.label_log IS 'Labels from the web report and from imported files: one row for each label. Rows are appended and never change. The latest row of an annotator for an answer in a queue is used, unless it is skip or withdrawn. If there are several queues, the latest of these is used. It overrides the annotator''s label in human_labels.';

-- 241. Run by badger_owner.
-- A comment on label_log.label_id.
COMMENT ON COLUMN badger.label_log.label_id IS 'Identifies the label, as its sender named it. A label that is sent twice is stored once.';

-- 242. Run by badger_owner.
-- A comment on label_log.case_id.
COMMENT ON COLUMN badger.label_log.case_id IS 'The question whose answer is labelled.';

-- 243. Run by badger_owner.
-- A comment on label_log.agent_name.
COMMENT ON COLUMN badger.label_log.agent_name IS 'Who answered.';

-- 244. Run by badger_owner.
-- A comment on label_log.agent_version.
COMMENT ON COLUMN badger.label_log.agent_version IS 'Version of the agent.';

-- 245. Run by badger_owner.
-- A comment on label_log.batch_id.
COMMENT ON COLUMN badger.label_log.batch_id IS 'Batch of the answer.';

-- 246. Run by badger_owner.
-- A comment on label_log.annotator.
COMMENT ON COLUMN badger.label_log.annotator IS 'Who labelled the answer.';

-- 247. Run by badger_owner.
-- A comment on label_log.verdict.
COMMENT ON COLUMN badger.label_log.verdict IS 'pass, fail, unsure or another option of the queue, which counts as unsure; skip; or withdrawn, if the annotator removed the label.';

-- 248. Run by badger_owner.
-- A comment on label_log.note.
COMMENT ON COLUMN badger.label_log.note IS 'Why.';

-- 249. Run by badger_owner.
-- A comment on label_log.gold_wrong.
COMMENT ON COLUMN badger.label_log.gold_wrong IS 'Whether the accepted answer is wrong, apart from the verdict.';

-- 250. Run by badger_owner.
-- A comment on label_log.ambiguous.
COMMENT ON COLUMN badger.label_log.ambiguous IS 'Whether the question can be understood in several ways, apart from the verdict.';

-- 251. Run by badger_owner.
-- A comment on label_log.labelled_at.
COMMENT ON COLUMN badger.label_log.labelled_at IS 'When it was received.';

-- 252. Run by badger_owner.
-- A comment on label_log.queue_id.
COMMENT ON COLUMN badger.label_log.queue_id IS 'The queue. NULL if the answer was labelled outside of a queue.';

-- 253. Run by badger_owner.
-- A comment on label_log.answer_hash.
COMMENT ON COLUMN badger.label_log.answer_hash IS 'Identifies the content that the annotator saw: question, accepted answers and the agent''s answer.';

-- 254. Run by badger_owner.
-- A comment on label_log.decides.
COMMENT ON COLUMN badger.label_log.decides IS 'Whether the verdict adjudicates a disagreement. It then overrides the others.';

-- 255. Run by badger_owner.
-- A comment on the table accepted.
COMMENT ON TABLE badger.accepted IS 'The batches that someone accepted as a baseline: one row for each statement. Rows are appended and never change. The latest row of a batch is used.';

-- 256. Run by badger_owner.
-- A comment on accepted.acceptance_id.
COMMENT ON COLUMN badger.accepted.acceptance_id IS 'Identifies the row.';

-- 257. Run by badger_owner.
-- A comment on accepted.agent_name.
COMMENT ON COLUMN badger.accepted.agent_name IS 'Who answered.';

-- 258. Run by badger_owner.
-- A comment on accepted.agent_version.
COMMENT ON COLUMN badger.accepted.agent_version IS 'Version of the agent.';

-- 259. Run by badger_owner.
-- A comment on accepted.batch_id.
COMMENT ON COLUMN badger.accepted.batch_id IS 'Batch of the answers.';

-- 260. Run by badger_owner.
-- A comment on accepted.withdrawn.
COMMENT ON COLUMN badger.accepted.withdrawn IS 'Whether the row withdraws an earlier acceptance of the batch.';

-- 261. Run by badger_owner.
-- A comment on accepted.accepted_by.
COMMENT ON COLUMN badger.accepted.accepted_by IS 'Who accepted or withdrew it.';

-- 262. Run by badger_owner.
-- A comment on accepted.accepted_at.
COMMENT ON COLUMN badger.accepted.accepted_at IS 'When.';

-- 263. Run by badger_owner.
-- A comment on accepted.note.
COMMENT ON COLUMN badger.accepted.note IS 'Why.';

-- 264. Run by badger_owner.
-- A comment on the table deletions.
COMMENT ON TABLE badger.deletions IS 'The deletions by badger prune: one row for each table, and one for each run whose scores were deleted. Rows have no content of answers, and are never deleted.';

-- 265. Run by badger_owner.
-- A comment on deletions.deletion_id.
COMMENT ON COLUMN badger.deletions.deletion_id IS 'Identifies the call of badger prune.';

-- 266. Run by badger_owner.
-- A comment on deletions.table_name.
COMMENT ON COLUMN badger.deletions.table_name IS 'The table whose rows were deleted.';

-- 267. Run by badger_owner.
-- A comment on deletions.eval_run_id.
COMMENT ON COLUMN badger.deletions.eval_run_id IS 'The run whose scores were deleted as a whole. Empty for other rows.';

-- 268. Run by badger_owner.
-- A comment on deletions.case_id.
COMMENT ON COLUMN badger.deletions.case_id IS 'The case whose rows were deleted. NULL if rows were deleted by age.';

-- 269. Run by badger_owner.
-- A comment on deletions.older_than.
COMMENT ON COLUMN badger.deletions.older_than IS 'The instant before which rows were deleted. NULL if rows of a case were deleted.';

-- 270. Run by badger_owner.
-- A comment on deletions.row_count.
COMMENT ON COLUMN badger.deletions.row_count IS 'Number of rows.';

-- 271. Run by badger_owner.
-- A comment on deletions.digest.
COMMENT ON COLUMN badger.deletions.digest IS 'SHA-256 over the run''s deleted scores: their keys, versions, values and hashes, without reasons and evidence. badger prune --digest computes it for a run that has scores.';

-- 272. Run by badger_owner.
-- A comment on deletions.status.
COMMENT ON COLUMN badger.deletions.status IS 'started, or done once the rows are deleted. A row that stays started was interrupted; the next call of badger prune deletes the rest.';

-- 273. Run by badger_owner.
-- A comment on deletions.deleted_by.
COMMENT ON COLUMN badger.deletions.deleted_by IS 'Who deleted them.';

-- 274. Run by badger_owner.
-- A comment on deletions.deleted_at.
COMMENT ON COLUMN badger.deletions.deleted_at IS 'When.';

-- 275. Run by badger_owner.
-- A comment on the view latest_scores.
COMMENT ON VIEW badger.latest_scores IS 'The latest score of each answer and metric, from any run, with the status of that run. In sql_safety, an answer without SQL has the status ok, the value 1 and passed: there is nothing to object to.';

-- 276. Run by badger_owner.
-- A comment on the view consensus.
COMMENT ON VIEW badger.consensus IS 'The majority label of each answer: passes is 1 or 0, and NULL if annotators are divided.';

-- 277. Run by badger_owner.
-- A comment on the view complexity.
COMMENT ON VIEW badger.complexity IS 'The complexity tier of each question, from its latest score.';

-- 278. Run by badger_owner.
-- A comment on the view coverage.
COMMENT ON VIEW badger.coverage IS 'The outcomes of an agent''s questions, by metric and batch. unanswered counts the answers that lack what the metric needs of the agent, and the questions that have no answer: those that a run recorded, or else those of golden_set. pass_rate counts unanswered ones as not passed. coverage is the share of scored ones among those that the metric applies to. rate_of_all counts failed, unanswered and abstained ones as not passed.';

-- 279. Run by badger_owner.
-- A comment on the view versions_by_metric.
COMMENT ON VIEW badger.versions_by_metric IS 'Version against version, by metric and complexity tier: scored is the number of answers with a value, answered the number of answers; a missing answer counts as 0 and does not pass. unfinished counts the values from runs that are not done. The view coverage shows the outcomes of the others.';

-- 280. Run by badger_owner.
-- A comment on the view agreement.
COMMENT ON VIEW badger.agreement IS 'How often each metric gives the verdict that most annotators give.';

-- 281. Run by badger_owner.
-- A comment on the view degradation.
COMMENT ON VIEW badger.degradation IS 'The latest batch of each agent against the latest batch before it that has scores, by metric, all versions of the agent together. A missing answer does not pass. pass_rate_change is below 0 if fewer answers pass; failed counts scores that failed. Alerts read this view.';

-- 282. Run by badger_owner.
-- A comment on the view backlog.
COMMENT ON VIEW badger.backlog IS 'The answers that the scheduled evaluation has still to score, by batch: those that lack a score of a metric of the schedule, from its since_day on or without a date, and the rest of an interrupted call. waiting_since is the earliest day of an answer without scores, last_attempt_at the last call that tried to score the batch, and last_error why it failed; NULL if it is running or was interrupted.';

-- 283. Run by badger_owner.
-- A comment on the view open_facts.
COMMENT ON VIEW badger.open_facts IS 'What alerts report and is true now: the last evaluation failed or was interrupted, answers of a batch could not be scored, or fewer answers of the latest batch pass, or more failed, than in the batch before. Batches with a backlog are not compared. A failure with another start of its message (60 characters) is another fact.';

-- 284. Run by badger_owner.
-- A comment on the view latest_run.
COMMENT ON VIEW badger.latest_run IS 'The latest run of each agent, version and batch, with its outcome and its scores. pass_rate is of the verdicts of all metrics together; the view coverage has it by metric.';

-- 285. Run by badger_owner.
-- A comment on the view versions_by_batch.
COMMENT ON VIEW badger.versions_by_batch IS 'Version against version, by metric, complexity tier, batch, and the date of the run that the score is from. A missing answer counts as 0 and does not pass.';

-- 286. Run by badger_owner.
-- A comment on the view worst_cases.
COMMENT ON VIEW badger.worst_cases IS 'The scored answers of each agent, version, batch and metric, the worst first: place 1 did not pass and has the lowest value. Metrics without a verdict and answers that passed with the value 1 are left out.';

-- 287. Run by badger_owner.
-- A comment on the view judge_cost.
COMMENT ON VIEW badger.judge_cost IS 'Judge calls and tokens for the scores of each run, by agent, version, batch and metric, including cached replies. uncounted is the number of scores whose tokens are unknown. The amount paid is in eval_runs.cost.';

-- 288. Run by badger_owner.
-- A comment on the view failures_by_reason.
COMMENT ON VIEW badger.failures_by_reason IS 'Why scores failed or are missing: the latest scores that failed, abstained or do not apply, by metric and reason, with one of the cases.';

-- 289. Run by badger_owner.
-- A comment on the view suspect_golds.
COMMENT ON VIEW badger.suspect_golds IS 'Questions whose accepted answer may be wrong, one row for each reason: gold_error (the accepted query failed), gold_empty (its result is empty or all NULL and an answer''s is not), gold_x and gold_flex (ROSE''s Refuter, or FLEX, found it wrong), gold_literal (its query compares with a string that neither question nor evidence contains, and the answer''s with one that they contain), gold_logic (its query contradicts the question or has a clause without effect), people (most annotators pass an answer that the metric verdict or ex_multiset fails), answers_agree (at least two agents, or versions whose SQL differs, answered, and all of them fail). answers counts the answers that speak for the reason.';

-- 290. Run by badger_owner.
-- A comment on the view trend.
COMMENT ON VIEW badger.trend IS 'Each metric over time, by batch, version and tier. dated_at is when a run first evaluated the batch. A missing answer counts as 0 and does not pass. p90 is the value that nine in ten scores do not exceed (nearest rank). metric_versions, configurations and judges count what the scores were made with: above 1, or other than in the batch before, the figures are not comparable.';

-- 291. Run by badger_owner.
-- A comment on the view batch_changes.
COMMENT ON VIEW badger.batch_changes IS 'Each batch against the one before it of the same version (for the first of a version: the last of another version of the agent), by metric, on the cases that both have. Cases whose question, metric version, configuration (any part of it) or judge changed are counted and not compared. A missing answer counts as 0 and as not passed, but has no value if lower is better. z is McNemar''s (fixed - broken) / sqrt(fixed + broken): below -1.96, more answers broke than chance explains. The command badger compare has exact tests, adjusted for many metrics, dates batches by agent_runs.ran_at, and looks only at the configuration that a metric reads.';

-- 292. Run by badger_owner.
-- A comment on the view failure_labels.
COMMENT ON VIEW badger.failure_labels IS 'Causes of failures, a row for each answer and label: the issues of the SQL judge (kind issue), FLEX''s errors and its reasons why right answers differ (error, difference), the relation between the results that explains most (relation), STEF''s status of the filters (filters), ROSE''s diagnoses (diagnosis), answers that refusal rejects (refusal), and what SQL would do other than read (safety). An answer may have several.';

-- 293. Run by badger_owner.
-- A comment on the view failures_by_label.
COMMENT ON VIEW badger.failures_by_label IS 'The labels of failure_labels, counted by version, batch and tier, with one of the cases.';

-- 294. Run by badger_owner.
-- A comment on the view ambiguous_questions.
COMMENT ON VIEW badger.ambiguous_questions IS 'Questions that a judge found ambiguous, one row for each reason: amb_q and amb_schema (ROSE''s Refuter calls the question, or the schema, ambiguous), amb_flex (FLEX finds several answers available).';

-- 295. Run by badger_owner.
-- A comment on the view ex_discordance.
COMMENT ON VIEW badger.ex_discordance IS 'Where execution accuracy (ex_bird or ex_multiset) and another verdict (verdict, rose or flex) differ, by tier and by ROSE''s Refuter: gold_x, amb_q or neither. false_positives pass by execution accuracy alone, false_negatives by the other verdict alone.';

-- 296. Run by badger_owner.
-- A comment on the view system_ranks.
COMMENT ON VIEW badger.system_ranks IS 'The versions of all agents by each metric, on the cases for which all versions with values of the metric have one, using the latest answer of each. Place 1 has the highest mean, or the lowest in latency_overhead and sql_judge_issues; a view cannot know in which direction your own metrics are better, and places the highest first. A missing answer counts as 0, but has no value if lower is better. Versions that share no case have no row. The command badger rank also leaves out cases whose scores were made in different ways, takes all versions or those of --systems, and gives equal means the mean of their places.';

-- 297. Run by badger_owner.
-- A comment on the view turns.
COMMENT ON VIEW badger.turns IS 'Right answers by the position of the question in its conversation, by agent, version, batch and metric. A missing answer is wrong and counts as 0, but has no value if lower is better.';

-- 298. Run by badger_owner.
-- A comment on the view conversations.
COMMENT ON VIEW badger.conversations IS 'Whole conversations, by agent, version, batch and metric: all_right is 1 if every turn passed, 0 if one did not or could not be scored, and NULL without such turns; turns that the metric does not apply to are left out. first_wrong_turn is the first turn that did not pass. A missing answer did not pass.';

-- 299. Run by badger_owner.
-- A comment on the view cost_by_version.
COMMENT ON VIEW badger.cost_by_version IS 'What the answers of agent_runs took, by agent, version, batch and metric with verdicts. cost_usd, tokens_in and tokens_out are sums of the known values, and with_cost, with_tokens_in and with_tokens_out count these. right_answers passed the metric. cost_per_right is cost_usd, the known cost of right and wrong answers, divided by right_with_cost, the right answers with a known cost, and rounded to 12 decimals. place is 1 for the latest batch of the version. The command badger compare has medians, P95 and tests.';

-- 300. Run by a superuser.
-- badger_reader finds the schema.
GRANT USAGE ON SCHEMA badger TO badger_reader;

-- 301. Run by a superuser.
-- badger_annotator finds the schema.
GRANT USAGE ON SCHEMA badger TO badger_annotator;

-- 302. Run by badger_owner.
-- The reader reads scores.
GRANT SELECT ON badger.scores TO badger_reader;

-- 303. Run by badger_owner.
-- The reader reads eval_runs.
GRANT SELECT ON badger.eval_runs TO badger_reader;

-- 304. Run by badger_owner.
-- The reader reads run_log.
GRANT SELECT ON badger.run_log TO badger_reader;

-- 305. Run by badger_owner.
-- The reader reads schedule.
GRANT SELECT ON badger.schedule TO badger_reader;

-- 306. Run by badger_owner.
-- The reader reads alerts.
GRANT SELECT ON badger.alerts TO badger_reader;

-- 307. Run by badger_owner.
-- The reader reads latest_scores.
GRANT SELECT ON badger.latest_scores TO badger_reader;

-- 308. Run by badger_owner.
-- The reader reads consensus.
GRANT SELECT ON badger.consensus TO badger_reader;

-- 309. Run by badger_owner.
-- The reader reads complexity.
GRANT SELECT ON badger.complexity TO badger_reader;

-- 310. Run by badger_owner.
-- The reader reads coverage.
GRANT SELECT ON badger.coverage TO badger_reader;

-- 311. Run by badger_owner.
-- The reader reads versions_by_metric.
GRANT SELECT ON badger.versions_by_metric TO badger_reader;

-- 312. Run by badger_owner.
-- The reader reads agreement.
GRANT SELECT ON badger.agreement TO badger_reader;

-- 313. Run by badger_owner.
-- The reader reads degradation.
GRANT SELECT ON badger.degradation TO badger_reader;

-- 314. Run by badger_owner.
-- The reader reads backlog.
GRANT SELECT ON badger.backlog TO badger_reader;

-- 315. Run by badger_owner.
-- The reader reads open_facts.
GRANT SELECT ON badger.open_facts TO badger_reader;

-- 316. Run by badger_owner.
-- The reader reads latest_run.
GRANT SELECT ON badger.latest_run TO badger_reader;

-- 317. Run by badger_owner.
-- The reader reads versions_by_batch.
GRANT SELECT ON badger.versions_by_batch TO badger_reader;

-- 318. Run by badger_owner.
-- The reader reads worst_cases.
GRANT SELECT ON badger.worst_cases TO badger_reader;

-- 319. Run by badger_owner.
-- The reader reads judge_cost.
GRANT SELECT ON badger.judge_cost TO badger_reader;

-- 320. Run by badger_owner.
-- The reader reads failures_by_reason.
GRANT SELECT ON badger.failures_by_reason TO badger_reader;

-- 321. Run by badger_owner.
-- The reader reads suspect_golds.
GRANT SELECT ON badger.suspect_golds TO badger_reader;

-- 322. Run by badger_owner.
-- The reader reads trend.
GRANT SELECT ON badger.trend TO badger_reader;

-- 323. Run by badger_owner.
-- The reader reads batch_changes.
GRANT SELECT ON badger.batch_changes TO badger_reader;

-- 324. Run by badger_owner.
-- The reader reads failure_labels.
GRANT SELECT ON badger.failure_labels TO badger_reader;

-- 325. Run by badger_owner.
-- The reader reads failures_by_label.
GRANT SELECT ON badger.failures_by_label TO badger_reader;

-- 326. Run by badger_owner.
-- The reader reads ambiguous_questions.
GRANT SELECT ON badger.ambiguous_questions TO badger_reader;

-- 327. Run by badger_owner.
-- The reader reads ex_discordance.
GRANT SELECT ON badger.ex_discordance TO badger_reader;

-- 328. Run by badger_owner.
-- The reader reads system_ranks.
GRANT SELECT ON badger.system_ranks TO badger_reader;

-- 329. Run by badger_owner.
-- The reader reads turns.
GRANT SELECT ON badger.turns TO badger_reader;

-- 330. Run by badger_owner.
-- The reader reads conversations.
GRANT SELECT ON badger.conversations TO badger_reader;

-- 331. Run by badger_owner.
-- The reader reads cost_by_version.
GRANT SELECT ON badger.cost_by_version TO badger_reader;

-- 332. Run by badger_owner.
-- The annotator reads and writes labels, and nothing else.
GRANT SELECT, INSERT, UPDATE ON badger.human_labels TO badger_annotator;

-- 333. Run by badger_owner.
-- Nothing of badger's is everyone's.
DO $badger$
DECLARE r record;
BEGIN
  FOR r IN SELECT c.oid::regclass AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'badger' AND pg_has_role(c.relowner, 'USAGE') AND (c.relkind = 'v' AND c.relname IN ('latest_scores', 'consensus', 'complexity', 'coverage', 'versions_by_metric', 'agreement', 'degradation', 'backlog', 'open_facts', 'latest_run', 'versions_by_batch', 'worst_cases', 'judge_cost', 'failures_by_reason', 'suspect_golds', 'trend', 'batch_changes', 'failure_labels', 'failures_by_label', 'ambiguous_questions', 'ex_discordance', 'system_ranks', 'turns', 'conversations', 'cost_by_version')
        OR c.relname = 'golden_set' AND c.relkind = 'r' AND coalesce(obj_description(c.oid, 'pg_class'), '[badger:table]') LIKE '%[badger:table]' AND (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) @> ARRAY['case_id', 'question', 'evidence', 'schema_ddl', 'dialect', 'gold_sql', 'gold_result', 'expected_tools', 'expected_clarifications', 'expected_behaviour', 'tags', 'set_version', 'gold_latency_ms', 'gold_error', 'alternatives', 'database_name', 'metric_options', 'gold_chart']
        OR c.relname = 'agent_runs' AND c.relkind = 'r' AND coalesce(obj_description(c.oid, 'pg_class'), '[badger:table]') LIKE '%[badger:table]' AND (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) @> ARRAY['agent_name', 'agent_version', 'batch_id', 'case_id', 'interpretation', 'sql', 'result', 'sql_error', 'tool_calls', 'response', 'latency_ms', 'gold_latency_ms', 'ran_at', 'conversation_id', 'turn', 'earlier_turns', 'tokens_in', 'tokens_out', 'cost_usd', 'chart', 'contexts']
        OR c.relname = 'human_labels' AND c.relkind = 'r' AND coalesce(obj_description(c.oid, 'pg_class'), '[badger:table]') LIKE '%[badger:table]' AND (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) @> ARRAY['case_id', 'agent_name', 'batch_id', 'annotator', 'verdict', 'note', 'labelled_at', 'agent_version']
        OR c.relname = 'eval_runs' AND c.relkind = 'r'
        OR c.relname = 'scores' AND c.relkind = 'r'
        OR c.relname = 'assessments' AND c.relkind = 'r'
        OR c.relname = 'schema_version' AND c.relkind = 'r'
        OR c.relname = 'judges' AND c.relkind = 'r'
        OR c.relname = 'sentinels' AND c.relkind = 'r'
        OR c.relname = 'run_log' AND c.relkind = 'r'
        OR c.relname = 'schedule' AND c.relkind = 'r'
        OR c.relname = 'alerts' AND c.relkind = 'r'
        OR c.relname = 'run_locks' AND c.relkind = 'r'
        OR c.relname = 'claims' AND c.relkind = 'r'
        OR c.relname = 'calls' AND c.relkind = 'r'
        OR c.relname = 'queues' AND c.relkind = 'r'
        OR c.relname = 'queue_items' AND c.relkind = 'r'
        OR c.relname = 'label_log' AND c.relkind = 'r'
        OR c.relname = 'accepted' AND c.relkind = 'r'
        OR c.relname = 'deletions' AND c.relkind = 'r') AND EXISTS (SELECT FROM aclexplode(c.relacl) a WHERE a.grantee = 0)
  LOOP
    EXECUTE format('REVOKE ALL ON %s FROM PUBLIC', r.name);
  END LOOP;
END $badger$;

-- 334. Run by badger_owner.
-- What whoever ran this owns of badger's tables and views belongs to the owner. Tables and views of your own stay yours.
DO $badger$
DECLARE r record;
BEGIN
  FOR r IN
    SELECT c.oid::regclass AS name, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'badger' AND c.relowner = current_user::regrole
      AND (c.relkind = 'v' AND c.relname IN ('latest_scores', 'consensus', 'complexity', 'coverage', 'versions_by_metric', 'agreement', 'degradation', 'backlog', 'open_facts', 'latest_run', 'versions_by_batch', 'worst_cases', 'judge_cost', 'failures_by_reason', 'suspect_golds', 'trend', 'batch_changes', 'failure_labels', 'failures_by_label', 'ambiguous_questions', 'ex_discordance', 'system_ranks', 'turns', 'conversations', 'cost_by_version')
        OR c.relname = 'golden_set' AND c.relkind = 'r' AND coalesce(obj_description(c.oid, 'pg_class'), '[badger:table]') LIKE '%[badger:table]' AND (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) @> ARRAY['case_id', 'question', 'evidence', 'schema_ddl', 'dialect', 'gold_sql', 'gold_result', 'expected_tools', 'expected_clarifications', 'expected_behaviour', 'tags', 'set_version', 'gold_latency_ms', 'gold_error', 'alternatives', 'database_name', 'metric_options', 'gold_chart']
        OR c.relname = 'agent_runs' AND c.relkind = 'r' AND coalesce(obj_description(c.oid, 'pg_class'), '[badger:table]') LIKE '%[badger:table]' AND (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) @> ARRAY['agent_name', 'agent_version', 'batch_id', 'case_id', 'interpretation', 'sql', 'result', 'sql_error', 'tool_calls', 'response', 'latency_ms', 'gold_latency_ms', 'ran_at', 'conversation_id', 'turn', 'earlier_turns', 'tokens_in', 'tokens_out', 'cost_usd', 'chart', 'contexts']
        OR c.relname = 'human_labels' AND c.relkind = 'r' AND coalesce(obj_description(c.oid, 'pg_class'), '[badger:table]') LIKE '%[badger:table]' AND (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) @> ARRAY['case_id', 'agent_name', 'batch_id', 'annotator', 'verdict', 'note', 'labelled_at', 'agent_version']
        OR c.relname = 'eval_runs' AND c.relkind = 'r'
        OR c.relname = 'scores' AND c.relkind = 'r'
        OR c.relname = 'assessments' AND c.relkind = 'r'
        OR c.relname = 'schema_version' AND c.relkind = 'r'
        OR c.relname = 'judges' AND c.relkind = 'r'
        OR c.relname = 'sentinels' AND c.relkind = 'r'
        OR c.relname = 'run_log' AND c.relkind = 'r'
        OR c.relname = 'schedule' AND c.relkind = 'r'
        OR c.relname = 'alerts' AND c.relkind = 'r'
        OR c.relname = 'run_locks' AND c.relkind = 'r'
        OR c.relname = 'claims' AND c.relkind = 'r'
        OR c.relname = 'calls' AND c.relkind = 'r'
        OR c.relname = 'queues' AND c.relkind = 'r'
        OR c.relname = 'queue_items' AND c.relkind = 'r'
        OR c.relname = 'label_log' AND c.relkind = 'r'
        OR c.relname = 'accepted' AND c.relkind = 'r'
        OR c.relname = 'deletions' AND c.relkind = 'r')
  LOOP
    EXECUTE format('ALTER %s %s OWNER TO %I', CASE r.relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, r.name, 'badger_owner');
  END LOOP;
END $badger$;

-- 335. Run by a superuser.
-- The owner reads the tables and views that are your own.
DO $badger$
DECLARE r record;
BEGIN
  FOR r IN
    SELECT c.oid::regclass AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'badger' AND c.relname IN ('golden_set', 'agent_runs', 'human_labels') AND pg_has_role(c.relowner, 'USAGE') AND pg_get_userbyid(c.relowner) <> 'badger_owner'
  LOOP
    EXECUTE format('GRANT SELECT ON %s TO %I', r.name, 'badger_owner');
  END LOOP;
END $badger$;

-- 336. Run by badger_owner.
-- The schedule: answers of the 30 days before the last complete call, and later ones, are scored, and a drop of a pass rate by 0.05 raises an alert.
INSERT INTO badger.schedule (metric, since_day, pass_rate_drop) VALUES ('', to_char(clock_timestamp() AT TIME ZONE 'UTC' - INTERVAL '30 days', 'YYYY-MM-DD'), 0.05)
ON CONFLICT (metric) DO UPDATE SET since_day = LEAST(schedule.since_day, EXCLUDED.since_day), pass_rate_drop = EXCLUDED.pass_rate_drop;

-- 337. Run by badger_owner.
-- The first answers after a key that lack scores of some of the metrics, with the metrics that they lack: of one batch, or since schedule.since_day, also those without a date, and the rest of an interrupted call. If batches are given, others are not looked at. Batches that a run of badger run is scoring are left out.
CREATE OR REPLACE FUNCTION badger._pending(batch text, metrics text[], after text, size int, batches text[])
RETURNS TABLE (k text, agent_name text, agent_version text, batch_id text, case_id text, run_json json, missing text)
LANGUAGE sql STABLE AS $badger$
  WITH running AS MATERIALIZED (
    SELECT DISTINCT r.agent_name, r.agent_version, r.batch_id FROM badger.eval_runs r
    WHERE r.status = 'running' AND r.eval_run_id NOT LIKE 'evaluate-%'
      AND GREATEST(r.eval_run_date, (SELECT MAX(s.scored_at) FROM badger.scores s WHERE s.eval_run_id = r.eval_run_id)) > now() - INTERVAL '60 minutes'
  ), interrupted AS MATERIALIZED (
    SELECT DISTINCT agent_name, batch_id FROM badger.eval_runs WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed')
  ), answers AS (
    SELECT DISTINCT agent_name, agent_version, batch_id, case_id, agent_name || chr(31) || agent_version || chr(31) || batch_id || chr(31) || case_id AS k
    FROM (SELECT COALESCE(CAST(agent_name AS text), '') AS agent_name, COALESCE(CAST(agent_version AS text), '') AS agent_version, COALESCE(CAST(batch_id AS text), '') AS batch_id,
                 COALESCE(CAST(case_id AS text), '') AS case_id, CASE WHEN CAST(ran_at AS text) LIKE '____-__-__%' THEN SUBSTR(CAST(ran_at AS text), 1, 10) END AS run_day FROM badger.agent_runs) t
    WHERE ($5 IS NULL OR batch_id = ANY ($5)) AND (batch_id = $1 OR $1 IS NULL AND (run_day IS NULL OR run_day >= COALESCE((SELECT MAX(since_day) FROM badger.schedule), '')
        OR EXISTS (SELECT 1 FROM interrupted i WHERE i.agent_name = t.agent_name AND i.batch_id = t.batch_id))
      AND NOT EXISTS (SELECT 1 FROM running r WHERE r.agent_name = t.agent_name AND r.agent_version = t.agent_version AND r.batch_id = t.batch_id))
  ), missing AS MATERIALIZED (
    SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id, string_agg(m.metric, ',' ORDER BY m.place) AS missing
    FROM answers a CROSS JOIN unnest($2) WITH ORDINALITY AS m(metric, place)
    WHERE a.k COLLATE "C" > $3 COLLATE "C" AND NOT EXISTS (
      SELECT 1 FROM badger.scores s
      WHERE ($5 IS NULL OR s.batch_id = ANY ($5))
        AND s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id AND s.metric = m.metric)
    GROUP BY a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id ORDER BY a.k COLLATE "C" LIMIT $4
  )
  -- Only these rows are read as wholes: the table may have years of answers.
  SELECT m.k, m.agent_name, m.agent_version, m.batch_id, m.case_id, t.run_json, m.missing
  FROM missing m JOIN (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) AS choice
    FROM (SELECT COALESCE(CAST(agent_name AS text), '') AS agent_name, COALESCE(CAST(agent_version AS text), '') AS agent_version, COALESCE(CAST(batch_id AS text), '') AS batch_id,
                 COALESCE(CAST(case_id AS text), '') AS case_id, ran_at, sql, to_json(r) AS run_json
          FROM badger.agent_runs r
          WHERE COALESCE(CAST(batch_id AS text), '') = ANY (ARRAY(SELECT DISTINCT batch_id FROM missing)) AND COALESCE(CAST(case_id AS text), '') = ANY (ARRAY(SELECT DISTINCT case_id FROM missing))) w) t
  USING (agent_name, agent_version, batch_id, case_id)
  WHERE t.choice = 1 ORDER BY m.k COLLATE "C"
$badger$;

-- 338. Run by badger_owner.
-- What the function is for, and the mark by which badger knows it.
COMMENT ON FUNCTION badger._pending(text, text[], text, int, text[]) IS 'The answers that evaluate has to score. [badger-helper]';

-- 339. Run by a superuser.
-- Without schedule.alert.webhook nothing is posted: the function of earlier values is dropped.
DROP FUNCTION IF EXISTS badger._webhook(json);

-- 340. Run by badger_owner.
-- Stores each new fact of open_facts as an alert, marks those that are no longer true as resolved, and sends new ones by NOTIFY on the channel badger_alerts. Returns the number of new alerts.
CREATE OR REPLACE FUNCTION badger._new_alerts() RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $badger$
DECLARE
  v_new bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('badger'), hashtext('badger.send_alerts'));
  WITH facts AS MATERIALIZED (
    SELECT * FROM badger.open_facts
  ), resolved AS (
    UPDATE badger.alerts SET resolved_at = clock_timestamp() WHERE resolved_at IS NULL AND fact NOT IN (SELECT fact FROM facts)
  ), new AS (
    INSERT INTO badger.alerts (alert_id, kind, fact, agent_name, agent_version, batch_id, metric, message, raised_at, resolved_at, sent_at)
    SELECT gen_random_uuid()::text, f.kind, f.fact, f.agent_name, f.agent_version, f.batch_id, f.metric, left(f.message, 1000), clock_timestamp(), NULL, clock_timestamp()
    FROM facts f WHERE NOT EXISTS (SELECT 1 FROM badger.alerts a WHERE a.fact = f.fact AND a.resolved_at IS NULL)
    RETURNING *
  ), payload AS (
    SELECT alert_id, kind, json_build_object('alert_id', alert_id, 'kind', kind, 'agent_name', agent_name, 'agent_version', agent_version, 'batch_id', batch_id, 'metric', metric, 'message', message, 'raised_at', raised_at)::text AS body
    FROM new
  )
  -- A payload has at most 7999 bytes; a longer one names the row of the table alone.
  SELECT COUNT(pg_notify('badger_alerts', CASE WHEN octet_length(body) < 8000 THEN body ELSE json_build_object('alert_id', alert_id, 'kind', kind)::text END)) INTO v_new FROM payload;
  RETURN v_new;
END $badger$;

-- 341. Run by badger_owner.
-- What the function is for, and the mark by which badger knows it.
COMMENT ON FUNCTION badger._new_alerts() IS 'Stores new alerts and sends them by NOTIFY. [badger-helper]';

-- 342. Run by badger_owner.
-- Stores new alerts, sends them by NOTIFY. Returns the number of new alerts.
CREATE OR REPLACE FUNCTION badger.send_alerts() RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $badger$
DECLARE
  v_new bigint;
  v_body json;
BEGIN
  v_new := badger._new_alerts();
  RETURN v_new;
END $badger$;

-- 343. Run by badger_owner.
-- What the function is for, and the mark by which badger knows it.
COMMENT ON FUNCTION badger.send_alerts() IS 'Stores and sends new alerts. [badger-helper]';

-- 344. Run by badger_owner.
-- Scores the answers that have no score: CALL badger.evaluate() those since schedule.since_day, those without a date, and what an earlier call left; CALL badger.evaluate('BATCH', 'METRIC,METRIC') those of a batch. 100 answers at a time are stored. Call it outside a transaction.
CREATE OR REPLACE PROCEDURE badger.evaluate(batch text DEFAULT NULL, metrics text DEFAULT NULL)
LANGUAGE plpgsql AS $badger$
#variable_conflict use_column
DECLARE
  v_batch text := batch;
  v_asked_metrics text := COALESCE(metrics, 'small,large');
  v_scheduled boolean := batch IS NULL AND metrics IS NULL;
  v_settings json;
  v_metrics text[];
  v_batches text[];        -- batches with a backlog, so that slices do not look for them again; NULL: unknown
  v_changed bigint;
  v_changes bigint;
  v_run text;
  v_resumed boolean;
  v_started timestamptz := clock_timestamp();
  v_last text := '';       -- answers up to this key are done or left out
  v_key text;
  v_agent text;
  v_version text;
  v_of text;               -- the batch of an answer
  v_case text;
  v_size int := 100;
  v_n bigint;
  v_asked bigint;          -- scores
  v_scored bigint;
  v_done bigint := 0;
  v_left_out bigint := 0;
  v_in_a_row int := 0;     -- answers that failed one after the other
  v_problem text;
  v_last_problem text;
  v_fatal text;
BEGIN
  COMMIT;                  -- refused inside a transaction, before anything is done
  -- The lock belongs to the session and ends with it, so that it is never stale. What fails below is
  -- caught, so that a session that goes on does not keep it.
  IF NOT pg_try_advisory_lock(hashtext('badger'), hashtext('badger.evaluate')) THEN
    INSERT INTO badger.run_log (entry_id, logged_at, event, batch_id) VALUES (gen_random_uuid()::text, clock_timestamp(), 'refused', v_batch);
    COMMIT;
    RAISE EXCEPTION 'another evaluation is running' USING ERRCODE = 'object_in_use';
  END IF;
  BEGIN
    INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, batch_id, message)
    SELECT gen_random_uuid()::text, clock_timestamp(), eval_run_id, 'interrupted', CASE WHEN event <> 'batch began' THEN batch_id END, 'the call before was interrupted'
    FROM (SELECT * FROM badger.run_log WHERE event IN ('batch began', 'began', 'resumed', 'done', 'idle', 'run failed', 'interrupted') ORDER BY logged_at DESC LIMIT 1) l WHERE event IN ('batch began', 'began', 'resumed');
    IF FOUND THEN
      PERFORM badger._new_alerts(); -- the webhook is called at the end, as it may hang
    END IF;
    WITH begun AS (
      INSERT INTO badger.run_log (entry_id, logged_at, event, answers, agent_name, agent_version, batch_id)
      SELECT gen_random_uuid()::text, clock_timestamp(), 'batch began', answers, agent_name, agent_version, batch_id FROM badger.backlog WHERE v_batch IS NULL OR batch_id = v_batch
      RETURNING batch_id
    )
    SELECT COALESCE(array_agg(DISTINCT batch_id), '{}') INTO v_batches FROM begun;
  EXCEPTION WHEN query_canceled OR OTHERS THEN
    v_fatal := SQLERRM;
  END;
  COMMIT;
  BEGIN
    IF v_fatal IS NULL THEN
      v_settings := badger.run_settings(v_asked_metrics);
      IF v_settings ->> 'reason' IS NOT NULL THEN
        RAISE EXCEPTION '%', v_settings ->> 'reason';
      END IF;
      SELECT array_agg(m) INTO v_metrics FROM json_array_elements_text(v_settings -> 'metrics') AS m;
      IF v_scheduled THEN
        DELETE FROM badger.schedule WHERE metric <> '' AND metric <> ALL(v_metrics);
        GET DIAGNOSTICS v_changed = ROW_COUNT;
        INSERT INTO badger.schedule (metric) SELECT unnest(v_metrics) ON CONFLICT (metric) DO NOTHING;
        GET DIAGNOSTICS v_changes = ROW_COUNT;
        IF v_changed + v_changes > 0 THEN
          SELECT COALESCE(array_agg(DISTINCT batch_id), '{}') INTO v_batches FROM badger.backlog;
        END IF;
      ELSE
        v_batches := CASE WHEN v_batch IS NOT NULL THEN ARRAY[v_batch] END;
      END IF;
      -- A run that was left goes on where it was to score the same metrics of the same versions.
      SELECT eval_run_id INTO v_run FROM badger.eval_runs
      WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed') AND versions::text = (v_settings -> 'versions')::text AND (v_batch IS NULL OR batch_id = v_batch)
      ORDER BY eval_run_date DESC, eval_run_id DESC LIMIT 1;
      v_resumed := v_run IS NOT NULL;
      v_run := COALESCE(v_run, to_char(v_started AT TIME ZONE 'UTC', '"evaluate-"YYYYMMDD"T"HH24MISS-') || left(md5(gen_random_uuid()::text), 6));
      INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, batch_id) VALUES (gen_random_uuid()::text, clock_timestamp(), v_run, CASE WHEN v_resumed THEN 'resumed' ELSE 'began' END, v_batch);
    END IF;
  EXCEPTION WHEN query_canceled OR OTHERS THEN
    v_fatal := SQLERRM;
  END;
  COMMIT;

  WHILE v_fatal IS NULL LOOP
    v_problem := NULL;
    BEGIN
      WITH pending AS MATERIALIZED (
        SELECT * FROM badger._pending(v_batch, v_metrics, v_last, v_size, v_batches)
      ), golden AS (
        SELECT * FROM (
          SELECT case_id, golden_json, COUNT(*) OVER (PARTITION BY case_id, set_version) AS copies,
                 -- v10 comes after v9: runs of digits count as numbers.
                 ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY regexp_replace(regexp_replace(set_version, '([0-9]+)', '0000000000000000000000000000000000000000\1', 'g'), '[0-9]*([0-9]{40})', '\1', 'g') COLLATE "C" DESC,
                   set_version COLLATE "C" DESC) AS choice
          FROM (SELECT COALESCE(CAST(case_id AS text), '') AS case_id, COALESCE(CAST(set_version AS text), '') AS set_version, to_json(g) AS golden_json FROM badger.golden_set g) t
          WHERE case_id IN (SELECT case_id FROM pending)) u
        WHERE choice = 1
      ), begun AS (
        INSERT INTO badger.eval_runs (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
        SELECT v_run, agent_name, agent_version, batch_id, v_started, 'both', v_settings -> 'config', v_settings ->> 'judge', v_settings -> 'versions', 'running'
        FROM (SELECT DISTINCT agent_name, agent_version, batch_id FROM pending) p
        ON CONFLICT (eval_run_id, agent_name, agent_version, batch_id) DO UPDATE SET status = 'running'
      ), scored AS (
        INSERT INTO badger.scores (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, metric_version, status, value, label, passed, reason, detail, assessment_ids, config_hash, scored_at, code, usage, gold_hash, answer_hash)
        SELECT v_run, p.case_id, p.agent_name, p.agent_version, p.batch_id, s.metric, s.metric_version, s.status, s.value, s.label, s.passed, s.reason, s.detail, s.assessment_ids,
               s.config_hash, clock_timestamp(), s.code, s.usage, s.gold_hash, s.answer_hash
        FROM pending p LEFT JOIN golden g ON g.case_id = p.case_id
        CROSS JOIN LATERAL json_to_recordset(badger.score_row(json_build_object('run', p.run_json, 'golden', g.golden_json, 'copies', COALESCE(g.copies, 0)), p.missing))
          AS s(metric text, metric_version bigint, status text, value double precision, label text, passed boolean, reason text, detail json, assessment_ids json, config_hash text, code text, usage json, gold_hash text, answer_hash text)
        WHERE s.metric = ANY(string_to_array(p.missing, ','))
        ON CONFLICT (eval_run_id, agent_name, agent_version, batch_id, case_id, metric) DO UPDATE SET
          metric_version = EXCLUDED.metric_version, status = EXCLUDED.status, value = EXCLUDED.value, label = EXCLUDED.label, passed = EXCLUDED.passed, reason = EXCLUDED.reason,
          detail = EXCLUDED.detail, assessment_ids = EXCLUDED.assessment_ids, config_hash = EXCLUDED.config_hash, scored_at = EXCLUDED.scored_at, code = EXCLUDED.code, usage = EXCLUDED.usage, gold_hash = EXCLUDED.gold_hash, answer_hash = EXCLUDED.answer_hash
        RETURNING 1
      )
      SELECT MAX(k COLLATE "C"), COUNT(*), SUM(cardinality(string_to_array(missing, ','))), (SELECT COUNT(*) FROM scored) INTO v_key, v_n, v_asked, v_scored FROM pending;
      IF v_scored <> v_asked THEN
        RAISE EXCEPTION 'badger serve returned % of % scores', v_scored, v_asked;
      END IF;
    EXCEPTION
      WHEN query_canceled THEN
        v_fatal := SQLERRM;
      WHEN OTHERS THEN
        v_problem := left(SQLERRM, 1000);
    END;
    EXIT WHEN v_fatal IS NOT NULL;
    IF v_problem IS NULL THEN
      EXIT WHEN v_n = 0;
      v_last := v_key;
      v_done := v_done + v_n;
      v_in_a_row := 0;
      v_size := 100;
    ELSE
      BEGIN
        IF v_size > 1 THEN
          INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, answers, message) VALUES (gen_random_uuid()::text, clock_timestamp(), v_run, 'slice failed', v_size, v_problem);
        END IF;
        BEGIN              -- a server that is away is no fault of an answer
          PERFORM badger.run_settings(v_asked_metrics);
        EXCEPTION WHEN query_canceled OR OTHERS THEN
          v_fatal := v_problem;
        END;
        IF v_fatal IS NOT NULL THEN
          NULL;
        ELSIF v_size > 1 THEN
          v_size := 1;     -- one by one, to find the answer that cannot be scored
        ELSE
          SELECT k, agent_name, agent_version, batch_id, case_id INTO v_last, v_agent, v_version, v_of, v_case FROM badger._pending(v_batch, v_metrics, v_last, 1, v_batches);
          EXIT WHEN NOT FOUND;
          INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
          VALUES (gen_random_uuid()::text, clock_timestamp(), v_run, 'answer failed', v_case, 1, v_problem, v_agent, v_version, v_of);
          v_last_problem := v_problem;
          v_left_out := v_left_out + 1;
          v_in_a_row := v_in_a_row + 1;
          IF v_in_a_row = 10 THEN
            v_fatal := v_problem;
          END IF;
        END IF;
      EXCEPTION WHEN query_canceled OR OTHERS THEN
        v_fatal := SQLERRM;
      END;
    END IF;
    COMMIT;
  END LOOP;

  IF v_left_out > 0 THEN
    BEGIN
      -- An answer that fails by itself in 3 calls is not tried again: its scores are failed, with the reason.
      WITH given_up AS MATERIALIZED (
        SELECT agent_name, agent_version, batch_id, case_id, (array_agg(message ORDER BY logged_at DESC))[1] AS message
        FROM badger.run_log WHERE event = 'answer failed' AND agent_name IS NOT NULL GROUP BY agent_name, agent_version, batch_id, case_id
        HAVING COUNT(*) >= 3 AND MAX(logged_at) >= v_started
      ), begun AS (
        INSERT INTO badger.eval_runs (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
        SELECT v_run, agent_name, agent_version, batch_id, v_started, 'both', v_settings -> 'config', v_settings ->> 'judge', v_settings -> 'versions', 'running'
        FROM (SELECT DISTINCT agent_name, agent_version, batch_id FROM given_up) b
        ON CONFLICT (eval_run_id, agent_name, agent_version, batch_id) DO NOTHING
      ), failed AS (
        INSERT INTO badger.scores (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, status, reason, code, scored_at)
        SELECT v_run, g.case_id, g.agent_name, g.agent_version, g.batch_id, m, 'failed', g.message, 'unknown', clock_timestamp()
        FROM given_up g CROSS JOIN unnest(v_metrics) AS m
        WHERE NOT EXISTS (SELECT 1 FROM badger.scores s WHERE s.agent_name = g.agent_name AND s.agent_version = g.agent_version AND s.batch_id = g.batch_id AND s.case_id = g.case_id AND s.metric = m)
      ), logged AS (
        INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
        SELECT gen_random_uuid()::text, clock_timestamp(), v_run, 'not retried', case_id, 1, message, agent_name, agent_version, batch_id FROM given_up
      )
      SELECT v_left_out - COUNT(*) INTO v_left_out FROM given_up;
    EXCEPTION WHEN query_canceled OR OTHERS THEN
      v_fatal := COALESCE(v_fatal, SQLERRM);
    END;
    IF v_fatal IS NULL AND v_left_out > 0 THEN
      v_fatal := v_left_out || ' answers could not be scored; the reason of the last one: ' || v_last_problem;
    END IF;
    COMMIT;
  END IF;
  BEGIN
    UPDATE badger.eval_runs r SET status = CASE WHEN v_fatal IS NULL THEN 'done' ELSE 'failed' END,
      counts = (SELECT json_object_agg(status, n ORDER BY status) FROM (
        SELECT status, COUNT(*) AS n FROM badger.scores s
        WHERE s.eval_run_id = r.eval_run_id AND s.agent_name = r.agent_name AND s.agent_version = r.agent_version AND s.batch_id = r.batch_id GROUP BY status) c),
      tokens = (SELECT json_build_object('calls', COALESCE(SUM((usage ->> 'calls')::bigint), 0), 'in', COALESCE(SUM(GREATEST((usage ->> 'tokens_in')::bigint, 0)), 0),
          'out', COALESCE(SUM(GREATEST((usage ->> 'tokens_out')::bigint, 0)), 0)) FROM badger.scores s
        WHERE s.eval_run_id = r.eval_run_id AND s.agent_name = r.agent_name AND s.agent_version = r.agent_version AND s.batch_id = r.batch_id)
    WHERE eval_run_id = v_run AND (v_batch IS NULL OR batch_id = v_batch);
    -- What was left under other versions has been scored by this run.
    UPDATE badger.eval_runs SET status = 'stopped'
    WHERE v_fatal IS NULL AND eval_run_id LIKE 'evaluate-%' AND eval_run_id <> v_run AND status IN ('running', 'failed') AND v_batch IS NULL;
    -- The look-back only moves on when nothing is left.
    UPDATE badger.schedule SET since_day = to_char(clock_timestamp() AT TIME ZONE 'UTC' - INTERVAL '30 days', 'YYYY-MM-DD') WHERE v_fatal IS NULL AND v_scheduled AND metric = '';
  EXCEPTION WHEN query_canceled OR OTHERS THEN
    v_fatal := COALESCE(v_fatal, SQLERRM);
  END;
  COMMIT;
  BEGIN
    INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, answers, message, batch_id)
    VALUES (gen_random_uuid()::text, clock_timestamp(), v_run, CASE WHEN v_fatal IS NOT NULL THEN 'run failed' WHEN v_done = 0 AND NOT v_resumed THEN 'idle' ELSE 'done' END, v_done, v_fatal, v_batch);
    INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, answers, message, agent_name, agent_version, batch_id)
    SELECT gen_random_uuid()::text, clock_timestamp(), v_run, 'batch failed', answers, left(v_fatal, 1000), agent_name, agent_version, batch_id FROM badger.backlog
    WHERE v_fatal IS NOT NULL AND (v_batch IS NULL OR batch_id = v_batch);
  EXCEPTION WHEN query_canceled OR OTHERS THEN
    v_fatal := COALESCE(v_fatal, SQLERRM);
  END;
  COMMIT;
  BEGIN
    PERFORM badger._new_alerts();
  EXCEPTION WHEN query_canceled OR OTHERS THEN
    v_fatal := COALESCE(v_fatal, SQLERRM);
  END;
  COMMIT;                  -- so that a webhook that hangs cannot undo them
  PERFORM pg_advisory_unlock(hashtext('badger'), hashtext('badger.evaluate'));
  IF v_fatal IS NOT NULL THEN
    RAISE EXCEPTION '%', v_fatal;
  END IF;
END $badger$;

-- 345. Run by badger_owner.
-- What the procedure says, for those who look it up.
COMMENT ON PROCEDURE badger.evaluate(text, text) IS 'Scores the answers that lack scores: all since schedule.since_day, or those of one batch. run_log lists the outcome. [badger-procedure:bf2c62125030221f]';

-- 346. Run by badger_owner.
-- A new procedure may be called by everyone until that is taken away. It needs the rights of the owner.
REVOKE ALL ON PROCEDURE badger.evaluate(text, text) FROM PUBLIC;

-- 347. Run by badger_owner.
-- The same for the functions it calls.
REVOKE ALL ON FUNCTION badger._pending(text, text[], text, int, text[]), badger._new_alerts(), badger.send_alerts() FROM PUBLIC;

-- 348. Run by badger_owner.
-- They belong to the owner, whoever ran this.
ALTER PROCEDURE badger.evaluate(text, text) OWNER TO badger_owner;

-- 349. Run by badger_owner.
-- They belong to the owner, whoever ran this.
ALTER FUNCTION badger._pending(text, text[], text, int, text[]) OWNER TO badger_owner;

-- 350. Run by badger_owner.
-- They belong to the owner, whoever ran this.
ALTER FUNCTION badger._new_alerts() OWNER TO badger_owner;

-- 351. Run by badger_owner.
-- They belong to the owner, whoever ran this.
ALTER FUNCTION badger.send_alerts() OWNER TO badger_owner;

-- 352. Run by a person, not as SQL.
-- pg_cron must be loaded, for this database. It reads schedules in UTC, or in the time zone that cron.timezone names.
--     shared_preload_libraries = 'pg_cron'
--     cron.database_name = 'THIS DATABASE'

-- 353. Run by a superuser.
-- What calls the procedure by night.
CREATE EXTENSION IF NOT EXISTS pg_cron;

-- 354. Run by a superuser.
-- The owner schedules.
GRANT USAGE ON SCHEMA cron TO badger_owner;

-- 355. Run by badger_owner.
-- The nightly call. It runs as whoever runs this statement: a user who may log in and is a member of the owner's role.
SELECT cron.schedule('badger evaluate', '15 3 * * 1', 'CALL badger.evaluate()');


-- Drop badger from postgres via http. Scores, labels and all other data of badger go too.

-- Run by badger_owner.
SELECT cron.unschedule(jobid) FROM cron.job WHERE jobname = 'badger evaluate' AND database = current_database();

-- Run by badger_owner.
DROP PROCEDURE IF EXISTS badger.evaluate(text, text);

-- Run by badger_owner.
DROP FUNCTION IF EXISTS badger.send_alerts();

-- Run by badger_owner.
DROP FUNCTION IF EXISTS badger._new_alerts();

-- Run by badger_owner.
DROP FUNCTION IF EXISTS badger._pending(text, text[], text, int, text[]);

-- Run by a superuser.
DO $badger$ DECLARE r record; BEGIN FOR r IN SELECT c.oid::regclass AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'badger' AND c.relname IN ('golden_set', 'agent_runs', 'human_labels') AND pg_has_role(c.relowner, 'USAGE') AND pg_get_userbyid(c.relowner) <> 'badger_owner' LOOP EXECUTE format('REVOKE SELECT ON %s FROM %I', r.name, 'badger_owner'); END LOOP; END $badger$;

-- Run by badger_owner.
REVOKE SELECT, INSERT, UPDATE ON badger.human_labels FROM badger_annotator;

-- Run by badger_owner.
REVOKE SELECT ON badger.cost_by_version FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.conversations FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.turns FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.system_ranks FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.ex_discordance FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.ambiguous_questions FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.failures_by_label FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.failure_labels FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.batch_changes FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.trend FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.suspect_golds FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.failures_by_reason FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.judge_cost FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.worst_cases FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.versions_by_batch FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.latest_run FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.open_facts FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.backlog FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.degradation FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.agreement FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.versions_by_metric FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.coverage FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.complexity FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.consensus FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.latest_scores FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.alerts FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.schedule FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.run_log FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.eval_runs FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.scores FROM badger_reader;

-- Run by a superuser.
REVOKE USAGE ON SCHEMA badger FROM badger_annotator;

-- Run by a superuser.
REVOKE USAGE ON SCHEMA badger FROM badger_reader;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.cost_by_version;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.conversations;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.turns;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.system_ranks;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.ex_discordance;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.ambiguous_questions;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.failures_by_label;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.failure_labels;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.batch_changes;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.trend;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.suspect_golds;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.failures_by_reason;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.judge_cost;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.worst_cases;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.versions_by_batch;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.latest_run;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.open_facts;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.backlog;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.degradation;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.agreement;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.versions_by_metric;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.coverage;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.complexity;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.consensus;

-- Run by badger_owner.
DROP VIEW IF EXISTS badger.latest_scores;

-- Run by badger_owner.
DROP TABLE badger.deletions;

-- Run by badger_owner.
DROP TABLE badger.accepted;

-- Run by badger_owner.
DROP TABLE badger.label_log;

-- Run by badger_owner.
DROP TABLE badger.queue_items;

-- Run by badger_owner.
DROP TABLE badger.queues;

-- Run by badger_owner.
DROP TABLE badger.calls;

-- Run by badger_owner.
DROP TABLE badger.claims;

-- Run by badger_owner.
DROP TABLE badger.run_locks;

-- Run by badger_owner.
DROP TABLE badger.alerts;

-- Run by badger_owner.
DROP TABLE badger.schedule;

-- Run by badger_owner.
DROP TABLE badger.run_log;

-- Run by badger_owner.
DROP TABLE badger.sentinels;

-- Run by badger_owner.
DROP TABLE badger.judges;

-- Run by badger_owner.
DROP TABLE badger.schema_version;

-- Run by badger_owner.
DROP TABLE badger.assessments;

-- Run by badger_owner.
DROP TABLE badger.scores;

-- Run by badger_owner.
DROP TABLE badger.eval_runs;

-- Run by badger_owner.
DO $badger$ BEGIN IF EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'badger' AND c.relname = 'human_labels' AND c.relkind = 'r' AND coalesce(obj_description(c.oid, 'pg_class'), '[badger:table]') LIKE '%[badger:table]' AND (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) @> ARRAY['case_id', 'agent_name', 'batch_id', 'annotator', 'verdict', 'note', 'labelled_at', 'agent_version']) THEN DROP TABLE badger.human_labels; END IF; END $badger$;

-- Run by badger_owner.
DO $badger$ BEGIN IF EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'badger' AND c.relname = 'agent_runs' AND c.relkind = 'r' AND coalesce(obj_description(c.oid, 'pg_class'), '[badger:table]') LIKE '%[badger:table]' AND (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) @> ARRAY['agent_name', 'agent_version', 'batch_id', 'case_id', 'interpretation', 'sql', 'result', 'sql_error', 'tool_calls', 'response', 'latency_ms', 'gold_latency_ms', 'ran_at', 'conversation_id', 'turn', 'earlier_turns', 'tokens_in', 'tokens_out', 'cost_usd', 'chart', 'contexts']) THEN DROP TABLE badger.agent_runs; END IF; END $badger$;

-- Run by badger_owner.
DO $badger$ BEGIN IF EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'badger' AND c.relname = 'golden_set' AND c.relkind = 'r' AND coalesce(obj_description(c.oid, 'pg_class'), '[badger:table]') LIKE '%[badger:table]' AND (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) @> ARRAY['case_id', 'question', 'evidence', 'schema_ddl', 'dialect', 'gold_sql', 'gold_result', 'expected_tools', 'expected_clarifications', 'expected_behaviour', 'tags', 'set_version', 'gold_latency_ms', 'gold_error', 'alternatives', 'database_name', 'metric_options', 'gold_chart']) THEN DROP TABLE badger.golden_set; END IF; END $badger$;

-- Run by a superuser.
REVOKE USAGE ON SCHEMA badger FROM badger_caller;

-- Run by badger_owner.
DROP FUNCTION IF EXISTS badger.score_row(json, text);

-- Run by badger_owner.
DROP FUNCTION IF EXISTS badger.run_settings(text);

-- Run by badger_owner.
DROP FUNCTION IF EXISTS badger.large_json(json, json);

-- Run by badger_owner.
DROP FUNCTION IF EXISTS badger.small(text, double precision);

-- Run by badger_owner.
DROP FUNCTION IF EXISTS badger.badger_version();

-- Run by a superuser.
DROP FUNCTION IF EXISTS badger._call(text, json);

-- Run by a superuser.
REVOKE ALL ON SCHEMA badger FROM badger_owner;

-- Run by a superuser.
DROP SCHEMA IF EXISTS badger RESTRICT;

-- Run by a superuser.
-- Omit this if the role existed before badger, or has another use.
DROP ROLE IF EXISTS badger_annotator;

-- Run by a superuser.
-- Omit this if the role existed before badger, or has another use.
DROP ROLE IF EXISTS badger_reader;

-- Run by a superuser.
-- Omit this if the role existed before badger, or has another use.
DROP ROLE IF EXISTS badger_caller;

-- Run by a superuser.
-- Omit this if the role existed before badger, or has another use.
DROP ROLE IF EXISTS badger_owner;
