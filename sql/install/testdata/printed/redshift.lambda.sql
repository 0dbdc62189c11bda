-- badger in redshift via lambda: 377 steps, in this order. Each may be run again; steps marked 'Fails if it exists.' then fail, which can be ignored.

-- 1. Run by a superuser.
-- The role that owns badger's objects. Grant it to users.
-- Fails if it exists.
CREATE ROLE badger_owner;

-- 2. Run by a superuser.
-- The role that may call the functions. Grant it to users.
-- Fails if it exists.
CREATE ROLE badger_caller;

-- 3. Run by a superuser.
-- The role that reads scores and views. Grant it to users.
-- Fails if it exists.
CREATE ROLE badger_reader;

-- 4. Run by a superuser.
-- The role that writes labels, and nothing else. Grant it to users.
-- Fails if it exists.
CREATE ROLE badger_annotator;

-- 5. Run by a superuser.
-- The schema of everything that belongs to badger. It stays when badger is removed, unless its data go too.
CREATE SCHEMA IF NOT EXISTS badger;

-- 6. Run by a superuser.
-- The owner creates functions and tables in the schema.
GRANT USAGE, CREATE ON SCHEMA badger TO ROLE badger_owner;

-- 7. Run by a superuser.
-- The owner creates external functions.
GRANT USAGE ON LANGUAGE EXFUNC TO ROLE badger_owner;

-- 8. Run by a person, not as SQL.
-- The Lambda function (Python 3.9 or later, timeout 15 minutes) that passes batches on. Its text follows; BADGER_ENDPOINT is https://badger.example.com. The role arn:aws:iam::1:role/badger needs lambda:InvokeFunction on it and is attached to the cluster.
--     # Passes the batches of Redshift's external functions on to badger serve. Handler: lambda.handler; environment: BADGER_ENDPOINT, BADGER_TOKEN.
--     import json, os, ssl, urllib.error, urllib.request
--
--     CA = ""  # certificates in PEM of the authorities of the server; "": those of the system
--     BYTES = 8 << 20  # of a request at most; the server takes 10 MiB
--     PAYLOAD = 6 * 1024 * 1024 - 1024  # bytes that Lambda passes on
--
--     class Refused(Exception):
--         pass
--
--     def failed(message, *args):
--         return json.dumps({"success": False, "error_msg": message % args})
--
--     def too_large(name, row, fault):
--         # The result of a row that is too large: that row's failure where the result has a place for it, and else NULL.
--         if name in ("score_row", "score_case"):
--             metrics = (row[1] if len(row) > 1 else None) or ""
--             return json.dumps([dict(metric=m.strip(), status="failed", code=fault["code"], reason=fault["reason"]) for m in metrics.split(",")])
--         return json.dumps(fault) if name.endswith("_json") else None
--
--     def call(name, rows):
--         request = urllib.request.Request(os.environ["BADGER_ENDPOINT"].rstrip("/") + "/v1/functions/" + name,
--             ('{"rows":[' + ",".join(rows) + "]}").encode(), {"Content-Type": "application/json"})
--         if os.environ.get("BADGER_TOKEN"):
--             request.add_header("Authorization", "Bearer " + os.environ["BADGER_TOKEN"])
--         tls = ssl.create_default_context(cadata=CA) if CA else None
--         try:
--             with urllib.request.urlopen(request, timeout=870, context=tls) as reply:
--                 text = reply.read().decode()
--         except urllib.error.HTTPError as e:
--             if e.code in (429, 503):
--                 raise  # Redshift calls again where Lambda fails
--             text = e.read(3000).decode(errors="replace")
--             if e.code == 400 and '"code":"resource_exhausted"' in text:
--                 if len(rows) > 1:  # too large together
--                     half = len(rows) // 2
--                     return call(name, rows[:half]) + call(name, rows[half:])
--                 return [too_large(name, json.loads(rows[0]), json.loads(text))]
--             raise Refused("badger serve answered with HTTP status %d: %s" % (e.code, text[:300])) from None
--         # A JSON result becomes the text that the server wrote, digit for digit.
--         results, at, decode = [], text.index("[") + 1, json.JSONDecoder().raw_decode
--         for _ in rows:
--             value, end = decode(text, at)
--             results.append(text[at:end] if isinstance(value, (dict, list)) else value)
--             at = end + 1
--         return results
--
--     def parts(rows):
--         part, size = [], 0
--         for row in rows:
--             if part and size + len(row) > BYTES:
--                 yield part
--                 part, size = [], 0
--             part.append(row)
--             size += len(row) + 1
--         if part:
--             yield part
--
--     def handler(event, context):
--         arguments = event["arguments"]
--         if event["num_records"] != len(arguments):
--             return failed("num_records is %s, but there are arguments for %d rows", event["num_records"], len(arguments))
--         name = event["external_function"].rsplit(".", 1)[-1].strip('"').lower()
--         arguments = [{} if row is None else row for row in arguments]
--         results = []
--         try:
--             for part in parts([json.dumps(row) for row in arguments]):
--                 results += call(name, part)
--         except Refused as e:
--             return failed("%s", e)
--         sizes = [len(json.dumps(json.dumps(r))) + 2 for r in results]
--         fault = {"status": "failed", "value": None, "code": "resource_exhausted", "reason": "the results of this batch are longer than the 6 MB of a Lambda function"}
--         for i in sorted(range(len(results)), key=lambda i: -sizes[i]):
--             if sum(sizes) <= PAYLOAD - 200:
--                 break
--             results[i] = too_large(name, arguments[i], fault)
--             sizes[i] = len(json.dumps(json.dumps(results[i]))) + 2
--         return json.dumps({"success": True, "num_records": len(results), "results": results})

-- 9. Run by badger_owner.
-- badger_version(): The version of badger.
CREATE OR REPLACE EXTERNAL FUNCTION badger.badger_version()
RETURNS varchar(65535)
STABLE
LAMBDA 'badger' IAM_ROLE 'arn:aws:iam::1:role/badger'
RETRY_TIMEOUT 60000
MAX_BATCH_ROWS 1000
MAX_BATCH_SIZE 5 MB;

-- 10. Run by badger_owner.
-- A new function may be called by everyone until that is taken away.
REVOKE ALL ON FUNCTION badger.badger_version() FROM PUBLIC;

-- 11. Run by badger_owner.
-- Callers call it.
GRANT EXECUTE ON FUNCTION badger.badger_version() TO ROLE badger_caller;

-- 12. Run by badger_owner.
-- small(gold_sql, agent_latency_ms): A share of it's \ "texts".
CREATE OR REPLACE EXTERNAL FUNCTION badger.small(varchar(65535), double precision)
RETURNS double precision
STABLE
LAMBDA 'badger' IAM_ROLE 'arn:aws:iam::1:role/badger'
RETRY_TIMEOUT 60000
MAX_BATCH_ROWS 1000
MAX_BATCH_SIZE 5 MB;

-- 13. Run by badger_owner.
-- A new function may be called by everyone until that is taken away.
REVOKE ALL ON FUNCTION badger.small(varchar(65535), double precision) FROM PUBLIC;

-- 14. Run by badger_owner.
-- Callers call it.
GRANT EXECUTE ON FUNCTION badger.small(varchar(65535), double precision) TO ROLE badger_caller;

-- 15. Run by badger_owner.
-- large_json(gold_result): Evidence.
CREATE OR REPLACE EXTERNAL FUNCTION badger.large_json(varchar(65535))
RETURNS varchar(65535)
STABLE
LAMBDA 'badger' IAM_ROLE 'arn:aws:iam::1:role/badger'
RETRY_TIMEOUT 60000
MAX_BATCH_ROWS 200
MAX_BATCH_SIZE 5 MB;

-- 16. Run by badger_owner.
-- A new function may be called by everyone until that is taken away.
REVOKE ALL ON FUNCTION badger.large_json(varchar(65535)) FROM PUBLIC;

-- 17. Run by badger_owner.
-- Callers call it.
GRANT EXECUTE ON FUNCTION badger.large_json(varchar(65535)) TO ROLE badger_caller;

-- 18. Run by badger_owner.
-- large_json(gold_result, options): Evidence.
CREATE OR REPLACE EXTERNAL FUNCTION badger.large_json(varchar(65535), varchar(65535))
RETURNS varchar(65535)
STABLE
LAMBDA 'badger' IAM_ROLE 'arn:aws:iam::1:role/badger'
RETRY_TIMEOUT 60000
MAX_BATCH_ROWS 200
MAX_BATCH_SIZE 5 MB;

-- 19. Run by badger_owner.
-- A new function may be called by everyone until that is taken away.
REVOKE ALL ON FUNCTION badger.large_json(varchar(65535), varchar(65535)) FROM PUBLIC;

-- 20. Run by badger_owner.
-- Callers call it.
GRANT EXECUTE ON FUNCTION badger.large_json(varchar(65535), varchar(65535)) TO ROLE badger_caller;

-- 21. Run by badger_owner.
-- run_settings(metrics): What a run is made with.
CREATE OR REPLACE EXTERNAL FUNCTION badger.run_settings(varchar(65535))
RETURNS varchar(65535)
STABLE
LAMBDA 'badger' IAM_ROLE 'arn:aws:iam::1:role/badger'
RETRY_TIMEOUT 60000
MAX_BATCH_ROWS 1000
MAX_BATCH_SIZE 5 MB;

-- 22. Run by badger_owner.
-- A new function may be called by everyone until that is taken away.
REVOKE ALL ON FUNCTION badger.run_settings(varchar(65535)) FROM PUBLIC;

-- 23. Run by badger_owner.
-- Callers call it.
GRANT EXECUTE ON FUNCTION badger.run_settings(varchar(65535)) TO ROLE badger_caller;

-- 24. Run by badger_owner.
-- score_row(row): Scores a row.
CREATE OR REPLACE EXTERNAL FUNCTION badger.score_row(varchar(65535))
RETURNS varchar(65535)
STABLE
LAMBDA 'badger' IAM_ROLE 'arn:aws:iam::1:role/badger'
RETRY_TIMEOUT 60000
MAX_BATCH_ROWS 100
MAX_BATCH_SIZE 5 MB;

-- 25. Run by badger_owner.
-- A new function may be called by everyone until that is taken away.
REVOKE ALL ON FUNCTION badger.score_row(varchar(65535)) FROM PUBLIC;

-- 26. Run by badger_owner.
-- Callers call it.
GRANT EXECUTE ON FUNCTION badger.score_row(varchar(65535)) TO ROLE badger_caller;

-- 27. Run by badger_owner.
-- score_row(row, metrics): Scores a row.
CREATE OR REPLACE EXTERNAL FUNCTION badger.score_row(varchar(65535), varchar(65535))
RETURNS varchar(65535)
STABLE
LAMBDA 'badger' IAM_ROLE 'arn:aws:iam::1:role/badger'
RETRY_TIMEOUT 60000
MAX_BATCH_ROWS 100
MAX_BATCH_SIZE 5 MB;

-- 28. Run by badger_owner.
-- A new function may be called by everyone until that is taken away.
REVOKE ALL ON FUNCTION badger.score_row(varchar(65535), varchar(65535)) FROM PUBLIC;

-- 29. Run by badger_owner.
-- Callers call it.
GRANT EXECUTE ON FUNCTION badger.score_row(varchar(65535), varchar(65535)) TO ROLE badger_caller;

-- 30. Run by a superuser.
-- Callers find the schema.
GRANT USAGE ON SCHEMA badger TO ROLE badger_caller;

-- 31. Run by badger_owner.
-- The questions, with their accepted answers. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.golden_set (case_id varchar(65535), question varchar(65535), evidence varchar(65535), schema_ddl varchar(65535), dialect varchar(65535), gold_sql varchar(65535), gold_result varchar(65535), expected_tools super, expected_clarifications super, expected_behaviour varchar(65535), tags super, set_version varchar(65535), gold_latency_ms double precision, gold_error varchar(65535), alternatives super, database_name varchar(65535), metric_options super, gold_chart varchar(65535));

-- 32. Run by badger_owner.
-- The answers of agents: one row for each question, version of an agent, and batch. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.agent_runs (agent_name varchar(65535), agent_version varchar(65535), batch_id varchar(65535), case_id varchar(65535), interpretation varchar(65535), sql varchar(65535), result varchar(65535), sql_error varchar(65535), tool_calls super, response varchar(65535), latency_ms double precision, gold_latency_ms double precision, ran_at timestamptz, conversation_id varchar(65535), turn bigint, earlier_turns super, tokens_in bigint, tokens_out bigint, cost_usd numeric(38, 12), chart varchar(65535), contexts super);

-- 33. Run by badger_owner.
-- Human labels of answers: one row for each answer and annotator. Labels from the web report are in label_log. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.human_labels (case_id varchar(65535), agent_name varchar(65535), batch_id varchar(65535), annotator varchar(65535), verdict varchar(65535), note varchar(65535), labelled_at timestamptz, agent_version varchar(65535));

-- 34. Run by badger_owner.
-- The evaluations: one row for each run and each agent, version and batch that it scored. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.eval_runs (eval_run_id varchar(65535), agent_name varchar(65535), agent_version varchar(65535), batch_id varchar(65535), eval_run_date timestamptz, mode varchar(65535), config super, judge varchar(65535), versions super, counts super, tokens super, cost super, status varchar(65535), answered_at timestamptz);

-- 35. Run by badger_owner.
-- The scores: one row for each run, answer and metric. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.scores (eval_run_id varchar(65535), case_id varchar(65535), agent_name varchar(65535), agent_version varchar(65535), batch_id varchar(65535), metric varchar(65535), metric_version bigint, status varchar(65535), value double precision, label varchar(65535), passed boolean, reason varchar(65535), detail super, assessment_ids super, config_hash varchar(65535), scored_at timestamptz, code varchar(65535), usage super, gold_hash varchar(65535), answer_hash varchar(65535));

-- 36. Run by badger_owner.
-- The replies of judges, recorded. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.assessments (assessment_id varchar(65535), kind varchar(65535), backend varchar(65535), model varchar(65535), prompt_version varchar(65535), request_hash varchar(65535), reply varchar(65535), tokens_in bigint, tokens_out bigint, latency_ms bigint, created_at timestamptz, detail super, payer varchar(65535));

-- 37. Run by badger_owner.
-- The versions that these tables have had. The highest is the present one. A program that supports only lower versions does not write to them. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.schema_version (version bigint, badger varchar(65535), reached_at timestamptz, views varchar(65535));

-- 38. Run by badger_owner.
-- The promoted judge files. A row never changes. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.judges (name varchar(65535), version bigint, kind varchar(65535), source varchar(65535), hash varchar(65535), promoted_at timestamptz, promoted_by varchar(65535), tested super);

-- 39. Run by badger_owner.
-- The verdicts of judges on sentinel cases, which are asked again and again: one row for each asking, metric, case and repetition. Rows are appended and never change. The replies are in assessments. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.sentinels (asking_id varchar(65535), metric varchar(65535), case_id varchar(65535), agent_name varchar(65535), agent_version varchar(65535), batch_id varchar(65535), repetition bigint, backend varchar(65535), model varchar(65535), prompt_version varchar(65535), question_hash varchar(65535), served super, status varchar(65535), code varchar(65535), passed boolean, human_label boolean, assessment_ids super, asked_at timestamptz);

-- 40. Run by badger_owner.
-- The events and failures of evaluations by the warehouse's procedure: one row for each event. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.run_log (entry_id varchar(65535), logged_at timestamptz, eval_run_id varchar(65535), event varchar(65535), case_id varchar(65535), answers bigint, message varchar(65535), agent_name varchar(65535), agent_version varchar(65535), batch_id varchar(65535));

-- 41. Run by badger_owner.
-- What the scheduled evaluation computes, as of its last call: one row for each metric, and a row whose metric is empty for the schedule itself. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.schedule (metric varchar(65535), since_day varchar(65535), pass_rate_drop double precision);

-- 42. Run by badger_owner.
-- The alerts: one row for each fact that was reported. A fact is reported again only if it was resolved in between. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.alerts (alert_id varchar(65535), kind varchar(65535), fact varchar(65535), agent_name varchar(65535), agent_version varchar(65535), batch_id varchar(65535), metric varchar(65535), message varchar(65535), raised_at timestamptz, resolved_at timestamptz, sent_at timestamptz);

-- 43. Run by badger_owner.
-- The evaluation that is running, in warehouses without locks: a row for each lock. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.run_locks (name varchar(65535), holder varchar(65535), taken_at timestamptz, beat_at timestamptz);

-- 44. Run by badger_owner.
-- Current leases: one row for each judge request in progress, and for each annotator who is labelling an answer. Rows are temporary. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.claims (claim_key varchar(65535), owner varchar(65535), expires_ms bigint);

-- 45. Run by badger_owner.
-- Calls of the function server that last longer than a connection, with request and reply. Rows are deleted some time after they expire. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.calls (call_id varchar(65535), content_hash varchar(65535), function varchar(65535), request varchar(65535), reply varchar(65535), expires_ms bigint);

-- 46. Run by badger_owner.
-- The labelling queues: answers of a run for annotators to label, in an order. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.queues (queue_id varchar(65535), name varchar(65535), eval_run_id varchar(65535), agent_name varchar(65535), agent_version varchar(65535), batch_id varchar(65535), filter varchar(65535), ordering varchar(65535), seed bigint, annotators bigint, guideline varchar(65535), options super, blind boolean, reason_required boolean, cases bigint, created_by varchar(65535), created_at timestamptz, closed_at timestamptz);

-- 47. Run by badger_owner.
-- The answers of the labelling queues. They are fixed when a queue is created. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.queue_items (queue_id varchar(65535), position bigint, case_id varchar(65535));

-- 48. Run by badger_owner.
-- Labels from the web report and from imported files: one row for each label. Rows are appended and never change. The latest row of an annotator for an answer in a queue is used, unless it is skip or withdrawn. If there are several queues, the latest of these is used. It overrides the annotator's label in human_labels. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.label_log (label_id varchar(65535), case_id varchar(65535), agent_name varchar(65535), agent_version varchar(65535), batch_id varchar(65535), annotator varchar(65535), verdict varchar(65535), note varchar(65535), gold_wrong boolean, ambiguous boolean, labelled_at timestamptz, queue_id varchar(65535), answer_hash varchar(65535), decides boolean);

-- 49. Run by badger_owner.
-- The batches that someone accepted as a baseline: one row for each statement. Rows are appended and never change. The latest row of a batch is used. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.accepted (acceptance_id varchar(65535), agent_name varchar(65535), agent_version varchar(65535), batch_id varchar(65535), withdrawn boolean, accepted_by varchar(65535), accepted_at timestamptz, note varchar(65535));

-- 50. Run by badger_owner.
-- The deletions by badger prune: one row for each table, and one for each run whose scores were deleted. Rows have no content of answers, and are never deleted. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS badger.deletions (deletion_id varchar(65535), table_name varchar(65535), eval_run_id varchar(65535), case_id varchar(65535), older_than timestamptz, row_count bigint, digest varchar(65535), status varchar(65535), deleted_by varchar(65535), deleted_at timestamptz);

-- 51. Run by badger_owner.
-- The latest score of each answer and metric, from any run, with the status of that run. In sql_safety, an answer without SQL has the status ok, the value 1 and passed: there is nothing to object to.
CREATE OR REPLACE VIEW badger.latest_scores AS SELECT eval_run_id, case_id, agent_name, agent_version, batch_id, metric, metric_version, CASE WHEN status = 'not_applicable' AND metric IN ('sql_safety') AND reason IN ('no SQL of the agent given', 'no query and no result of the agent given', 'the agent gave no answer', 'the question calls for a refusal, and the agent gave no SQL', 'the question calls for a clarification, and the agent gave no SQL') THEN 'ok' ELSE status END AS status, CASE WHEN status = 'not_applicable' AND metric IN ('sql_safety') AND reason IN ('no SQL of the agent given', 'no query and no result of the agent given', 'the agent gave no answer', 'the question calls for a refusal, and the agent gave no SQL', 'the question calls for a clarification, and the agent gave no SQL') THEN 1 ELSE value END AS value, label, CASE WHEN status = 'not_applicable' AND metric IN ('sql_safety') AND reason IN ('no SQL of the agent given', 'no query and no result of the agent given', 'the agent gave no answer', 'the question calls for a refusal, and the agent gave no SQL', 'the question calls for a clarification, and the agent gave no SQL') THEN TRUE ELSE passed END AS passed, reason, detail, assessment_ids, config_hash, scored_at, code, usage, gold_hash, answer_hash, run_status, run_date FROM (
  SELECT s.eval_run_id, s.case_id, s.agent_name, s.agent_version, s.batch_id, s.metric, s.metric_version, s.status, s.value, s.label, s.passed, s.reason, s.detail, s.assessment_ids, s.config_hash, s.scored_at, s.code, s.usage, s.gold_hash, s.answer_hash, COALESCE(r.status, 'running') AS run_status, r.eval_run_date AS run_date,
         ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric ORDER BY s.scored_at DESC, CASE WHEN r.eval_run_date IS NULL THEN 1 ELSE 0 END, r.eval_run_date DESC, s.eval_run_id DESC) AS newest
  FROM badger.scores s LEFT JOIN badger.eval_runs r
  ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id) t
WHERE newest = 1;

-- 52. Run by badger_owner.
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
    FROM (SELECT CAST(case_id AS varchar(65535)) AS raw_id, COALESCE(CAST(case_id AS varchar(65535)), '') AS case_id, COALESCE(CAST(agent_name AS varchar(65535)), '') AS agent_name, CAST(agent_version AS varchar(65535)) AS agent_version,
                 COALESCE(CAST(batch_id AS varchar(65535)), '') AS batch_id, COALESCE(CAST(annotator AS varchar(65535)), '') AS annotator, LOWER(TRIM(REPLACE(REPLACE(REPLACE(COALESCE(CAST(verdict AS varchar(65535)), ''), CHR(9), ' '), CHR(10), ' '), CHR(13), ' '))) AS verdict,
                 labelled_at AS labelled_at
          FROM badger.human_labels) k
    WHERE 1 = 1) l
  LEFT JOIN (SELECT case_id, agent_name, batch_id, COUNT(DISTINCT agent_version) AS versions, CASE WHEN COUNT(DISTINCT agent_version) = 1 THEN MIN(agent_version) END AS only_version
    FROM (SELECT case_id AS raw_id, COALESCE(CAST(case_id AS varchar(65535)), '') AS case_id, COALESCE(CAST(agent_name AS varchar(65535)), '') AS agent_name, COALESCE(CAST(agent_version AS varchar(65535)), '') AS agent_version,
                 COALESCE(CAST(batch_id AS varchar(65535)), '') AS batch_id
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
    FROM (SELECT CAST(case_id AS varchar(65535)) AS raw_id, COALESCE(CAST(case_id AS varchar(65535)), '') AS case_id, COALESCE(CAST(agent_name AS varchar(65535)), '') AS agent_name, COALESCE(CAST(agent_version AS varchar(65535)), '') AS agent_version,
                 COALESCE(CAST(batch_id AS varchar(65535)), '') AS batch_id, COALESCE(CAST(annotator AS varchar(65535)), '') AS annotator, CASE WHEN decides THEN 1 ELSE 0 END AS decides, queue_id, verdict, labelled_at, label_id
          FROM badger.label_log) k
    WHERE 1 = 1) h
    WHERE choice = 1 AND verdict NOT IN ('skip', 'withdrawn')) g
  WHERE latest = 1 AND (decides = 0 OR last_said = 1)) u) w
WHERE choice = 1 OR agent_version IS NULL) v WHERE agent_version IS NOT NULL GROUP BY case_id, agent_name, agent_version, batch_id) c;

-- 53. Run by badger_owner.
-- The complexity tier of each question, from its latest score.
CREATE OR REPLACE VIEW badger.complexity AS SELECT case_id, label AS tier FROM (
  SELECT case_id, label, ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY scored_at DESC, eval_run_id DESC, agent_name, agent_version, batch_id) AS newest
  FROM badger.latest_scores WHERE metric = 'sql_complexity' AND status = 'ok') t
WHERE newest = 1;

-- 54. Run by badger_owner.
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
      FROM (SELECT COALESCE(CAST(case_id AS varchar(65535)), '') AS case_id, COALESCE(CAST(agent_name AS varchar(65535)), '') AS agent_name, COALESCE(CAST(agent_version AS varchar(65535)), '') AS agent_version, COALESCE(CAST(batch_id AS varchar(65535)), '') AS batch_id FROM badger.agent_runs) a
      LEFT JOIN (SELECT DISTINCT COALESCE(CAST(case_id AS varchar(65535)), '') AS case_id FROM badger.golden_set) g ON g.case_id = a.case_id AND a.case_id <> '') a GROUP BY agent_name, agent_version, batch_id) b
    JOIN (SELECT agent_name, agent_version, COUNT(DISTINCT case_id) AS cases, COUNT(DISTINCT question) AS answered, MIN(batch_id) AS first_batch, MAX(questions) AS questions, MAX(answers) AS answers
      FROM (SELECT k.*, q.questions, SUM(CASE WHEN copy = 1 THEN 1 ELSE 0 END) OVER (PARTITION BY agent_name, agent_version) AS answers FROM (SELECT a.agent_name, a.agent_version, a.batch_id, a.case_id, g.case_id AS question, ROW_NUMBER() OVER (PARTITION BY a.agent_name, a.agent_version, a.batch_id, a.case_id ORDER BY a.case_id) AS copy
      FROM (SELECT COALESCE(CAST(case_id AS varchar(65535)), '') AS case_id, COALESCE(CAST(agent_name AS varchar(65535)), '') AS agent_name, COALESCE(CAST(agent_version AS varchar(65535)), '') AS agent_version, COALESCE(CAST(batch_id AS varchar(65535)), '') AS batch_id FROM badger.agent_runs) a
      LEFT JOIN (SELECT DISTINCT COALESCE(CAST(case_id AS varchar(65535)), '') AS case_id FROM badger.golden_set) g ON g.case_id = a.case_id AND a.case_id <> '') k
        CROSS JOIN (SELECT COUNT(DISTINCT COALESCE(CAST(case_id AS varchar(65535)), '')) AS questions FROM badger.golden_set WHERE COALESCE(CAST(case_id AS varchar(65535)), '') <> '') q) a GROUP BY agent_name, agent_version) v
    ON v.agent_name = b.agent_name AND v.agent_version = b.agent_version) n
  ON n.agent_name = s.agent_name AND n.agent_version = s.agent_version AND n.batch_id = s.batch_id) t;

-- 55. Run by badger_owner.
-- Version against version, by metric and complexity tier: scored is the number of answers with a value, answered the number of answers; a missing answer counts as 0 and does not pass. unfinished counts the values from runs that are not done. The view coverage shows the outcomes of the others.
CREATE OR REPLACE VIEW badger.versions_by_metric AS SELECT s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') AS tier, COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored, SUM(s.value) * 1.0 / NULLIF(COUNT(CASE WHEN s.value IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END), 0) AS mean_value,
       CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate,
       SUM(CASE WHEN s.run_status = 'done' OR s.status <> 'ok' THEN 0 ELSE 1 END) AS unfinished, COUNT(*) AS answered
FROM badger.latest_scores s LEFT JOIN badger.complexity c ON c.case_id = s.case_id
GROUP BY s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') HAVING COUNT(CASE WHEN s.status = 'ok' THEN 1 END) > 0;

-- 56. Run by badger_owner.
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

-- 57. Run by badger_owner.
-- The latest batch of each agent against the latest batch before it that has scores, by metric, all versions of the agent together. A missing answer does not pass. pass_rate_change is below 0 if fewer answers pass; failed counts scores that failed. Alerts read this view.
CREATE OR REPLACE VIEW badger.degradation AS SELECT n.agent_name, n.metric, n.batch_id, b.batch_id AS batch_before, n.judged, b.judged AS judged_before, n.pass_rate, b.pass_rate AS pass_rate_before,
       n.pass_rate - b.pass_rate AS pass_rate_change, n.failed, b.failed AS failed_before
FROM (SELECT s.agent_name, s.batch_id, s.metric, a.place, ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.metric ORDER BY a.place) AS nth,
    COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged, COUNT(CASE WHEN s.status = 'failed' THEN 1 END) AS failed,
    CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate
  FROM badger.latest_scores s JOIN (SELECT agent_name, batch_id, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY CASE WHEN MAX(ran_at) IS NULL THEN 1 ELSE 0 END, MAX(ran_at) DESC, batch_id DESC) AS place
    FROM (SELECT COALESCE(CAST(agent_name AS varchar(65535)), '') AS agent_name, COALESCE(CAST(batch_id AS varchar(65535)), '') AS batch_id, ran_at AS ran_at FROM badger.agent_runs) k
    GROUP BY agent_name, batch_id) a
  ON a.agent_name = s.agent_name AND a.batch_id = s.batch_id
  GROUP BY s.agent_name, s.batch_id, s.metric, a.place) n JOIN (SELECT s.agent_name, s.batch_id, s.metric, a.place, ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.metric ORDER BY a.place) AS nth,
    COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged, COUNT(CASE WHEN s.status = 'failed' THEN 1 END) AS failed,
    CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate
  FROM badger.latest_scores s JOIN (SELECT agent_name, batch_id, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY CASE WHEN MAX(ran_at) IS NULL THEN 1 ELSE 0 END, MAX(ran_at) DESC, batch_id DESC) AS place
    FROM (SELECT COALESCE(CAST(agent_name AS varchar(65535)), '') AS agent_name, COALESCE(CAST(batch_id AS varchar(65535)), '') AS batch_id, ran_at AS ran_at FROM badger.agent_runs) k
    GROUP BY agent_name, batch_id) a
  ON a.agent_name = s.agent_name AND a.batch_id = s.batch_id
  GROUP BY s.agent_name, s.batch_id, s.metric, a.place) b ON b.agent_name = n.agent_name AND b.metric = n.metric AND b.nth = 2
WHERE n.place = 1;

-- 58. Run by badger_owner.
-- The answers that the scheduled evaluation has still to score, by batch: those that lack a score of a metric of the schedule, from its since_day on or without a date, and the rest of an interrupted call. waiting_since is the earliest day of an answer without scores, last_attempt_at the last call that tried to score the batch, and last_error why it failed; NULL if it is running or was interrupted.
CREATE OR REPLACE VIEW badger.backlog AS SELECT b.agent_name, b.agent_version, b.batch_id, b.answers, b.waiting_since, t.logged_at AS last_attempt_at, t.message AS last_error
FROM (SELECT a.agent_name, a.agent_version, a.batch_id, COUNT(*) AS answers, MIN(a.run_day) AS waiting_since
  FROM (SELECT agent_name, agent_version, batch_id, case_id, MIN(run_day) AS run_day, MAX(CASE WHEN run_day IS NULL THEN '9999' ELSE run_day END) AS last_day
    FROM (SELECT COALESCE(CAST(agent_name AS varchar(65535)), '') AS agent_name, COALESCE(CAST(agent_version AS varchar(65535)), '') AS agent_version, COALESCE(CAST(batch_id AS varchar(65535)), '') AS batch_id, COALESCE(CAST(case_id AS varchar(65535)), '') AS case_id, CASE WHEN CAST(ran_at AS varchar(65535)) LIKE '____-__-__%' THEN SUBSTR(CAST(ran_at AS varchar(65535)), 1, 10) END AS run_day
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

-- 59. Run by badger_owner.
-- What alerts report and is true now: the last evaluation failed or was interrupted, answers of a batch could not be scored, or fewer answers of the latest batch pass, or more failed, than in the batch before. Batches with a backlog are not compared. A failure with another start of its message (60 characters) is another fact.
CREATE OR REPLACE VIEW badger.open_facts AS WITH waiting AS (SELECT agent_name, agent_version, batch_id, answers, last_error FROM badger.backlog)
SELECT 'run failed' AS kind, 'run failed: ' || SUBSTR(COALESCE(message, ''), 1, 60) AS fact, CAST(NULL AS varchar(65535)) AS agent_name, CAST(NULL AS varchar(65535)) AS agent_version, CAST(NULL AS varchar(65535)) AS batch_id, CAST(NULL AS varchar(65535)) AS metric,
       'the evaluation failed: ' || COALESCE(message, '') AS message
FROM (SELECT event, message, ROW_NUMBER() OVER (ORDER BY logged_at DESC, entry_id) AS newest
  FROM badger.run_log WHERE batch_id IS NULL AND event IN ('done', 'idle', 'run failed', 'interrupted')) l
WHERE newest = 1 AND event IN ('run failed', 'interrupted')
UNION ALL
SELECT 'backlog' AS kind, 'backlog: ' || b.agent_name || ', ' || b.agent_version || ', ' || b.batch_id AS fact, b.agent_name, b.agent_version, b.batch_id, CAST(NULL AS varchar(65535)) AS metric,
       b.agent_name || ' ' || b.agent_version || ', batch ' || b.batch_id || ': ' || CAST(b.answers AS varchar(65535)) || ' answers have no scores: ' || COALESCE(b.last_error, 'the last call is running or was interrupted') AS message
FROM waiting b LEFT JOIN (SELECT DISTINCT agent_name, agent_version, batch_id FROM badger.alerts WHERE kind = 'backlog' AND resolved_at IS NULL) o
ON o.agent_name = b.agent_name AND o.agent_version = b.agent_version AND o.batch_id = b.batch_id
WHERE b.last_error IS NOT NULL OR o.batch_id IS NOT NULL
UNION ALL
SELECT 'degraded' AS kind, 'degraded: ' || d.agent_name || ', ' || d.metric || ', ' || d.batch_id AS fact, d.agent_name, CAST(NULL AS varchar(65535)) AS agent_version, d.batch_id, d.metric,
       d.agent_name || ', ' || d.metric || ', batch ' || d.batch_id || ': pass rate ' || COALESCE(CAST(CAST(ROUND(d.pass_rate * 100) AS bigint) AS varchar(65535)) || ' %', 'none') || ', before '
         || COALESCE(CAST(CAST(ROUND(d.pass_rate_before * 100) AS bigint) AS varchar(65535)) || ' %', 'none') || '; ' || CAST(d.failed AS varchar(65535)) || ' scores failed, before ' || CAST(d.failed_before AS varchar(65535)) AS message
FROM badger.degradation d CROSS JOIN (SELECT MAX(pass_rate_drop) AS most FROM badger.schedule) w
LEFT JOIN (SELECT DISTINCT agent_name, batch_id FROM waiting) n ON n.agent_name = d.agent_name AND (n.batch_id = d.batch_id OR n.batch_id = d.batch_before)
WHERE n.batch_id IS NULL AND (d.pass_rate_change <= -w.most OR d.failed > d.failed_before);

-- 60. Run by badger_owner.
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

-- 61. Run by badger_owner.
-- Version against version, by metric, complexity tier, batch, and the date of the run that the score is from. A missing answer counts as 0 and does not pass.
CREATE OR REPLACE VIEW badger.versions_by_batch AS SELECT s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') AS tier, s.batch_id, CAST((s.run_date AT TIME ZONE 'UTC') AS DATE) AS run_day, COUNT(*) AS answered,
       COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored, SUM(s.value) * 1.0 / NULLIF(COUNT(CASE WHEN s.value IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END), 0) AS mean_value, COUNT(CASE WHEN s.passed THEN 1 END) AS passed,
       COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged, CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate
FROM badger.latest_scores s LEFT JOIN badger.complexity c ON c.case_id = s.case_id
GROUP BY s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown'), s.batch_id, CAST((s.run_date AT TIME ZONE 'UTC') AS DATE);

-- 62. Run by badger_owner.
-- The scored answers of each agent, version, batch and metric, the worst first: place 1 did not pass and has the lowest value. Metrics without a verdict and answers that passed with the value 1 are left out.
CREATE OR REPLACE VIEW badger.worst_cases AS SELECT s.agent_name, s.agent_version, s.batch_id, s.metric,
       ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.metric ORDER BY CASE WHEN s.passed THEN 1 ELSE 0 END, CASE WHEN s.value IS NULL THEN 1 ELSE 0 END, s.value, s.case_id) AS place,
       s.case_id, COALESCE(c.tier, 'unknown') AS tier, s.value, s.passed, s.label, s.reason
FROM badger.latest_scores s LEFT JOIN badger.complexity c ON c.case_id = s.case_id
WHERE s.status = 'ok' AND s.passed IS NOT NULL AND (s.passed = FALSE OR s.value < 1);

-- 63. Run by badger_owner.
-- Judge calls and tokens for the scores of each run, by agent, version, batch and metric, including cached replies. uncounted is the number of scores whose tokens are unknown. The amount paid is in eval_runs.cost.
CREATE OR REPLACE VIEW badger.judge_cost AS SELECT eval_run_id, agent_name, agent_version, batch_id, metric, COUNT(*) AS scores, COUNT(calls) AS asked, SUM(calls) AS calls,
       SUM(CASE WHEN tokens_in >= 0 THEN tokens_in ELSE 0 END) AS tokens_in, SUM(CASE WHEN tokens_out >= 0 THEN tokens_out ELSE 0 END) AS tokens_out,
       COUNT(CASE WHEN calls > 0 AND (tokens_in < 0 OR tokens_out < 0 OR tokens_in IS NULL OR tokens_out IS NULL) THEN 1 END) AS uncounted
FROM (SELECT eval_run_id, agent_name, agent_version, batch_id, metric, CAST(JSON_EXTRACT_PATH_TEXT(JSON_SERIALIZE(usage), 'calls') AS bigint) AS calls,
        CAST(JSON_EXTRACT_PATH_TEXT(JSON_SERIALIZE(usage), 'tokens_in') AS bigint) AS tokens_in, CAST(JSON_EXTRACT_PATH_TEXT(JSON_SERIALIZE(usage), 'tokens_out') AS bigint) AS tokens_out FROM badger.scores) u
GROUP BY eval_run_id, agent_name, agent_version, batch_id, metric HAVING COUNT(calls) > 0;

-- 64. Run by badger_owner.
-- Why scores failed or are missing: the latest scores that failed, abstained or do not apply, by metric and reason, with one of the cases.
CREATE OR REPLACE VIEW badger.failures_by_reason AS SELECT agent_name, agent_version, batch_id, metric, status, code, reason, COUNT(*) AS answers, MIN(case_id) AS example
FROM badger.latest_scores WHERE status <> 'ok' GROUP BY agent_name, agent_version, batch_id, metric, status, code, reason;

-- 65. Run by badger_owner.
-- Questions whose accepted answer may be wrong, one row for each reason: gold_error (the accepted query failed), gold_empty (its result is empty or all NULL and an answer's is not), gold_x and gold_flex (ROSE's Refuter, or FLEX, found it wrong), gold_literal (its query compares with a string that neither question nor evidence contains, and the answer's with one that they contain), gold_logic (its query contradicts the question or has a clause without effect), people (most annotators pass an answer that the metric verdict or ex_multiset fails), answers_agree (at least two agents, or versions whose SQL differs, answered, and all of them fail). answers counts the answers that speak for the reason.
CREATE OR REPLACE VIEW badger.suspect_golds AS SELECT t.case_id, t.why AS reason, COUNT(DISTINCT t.answer) AS answers, MIN(t.agent_name) AS example_agent, MIN(t.agent_version) AS example_version, MIN(t.batch_id) AS example_batch
FROM (SELECT COALESCE(CAST(case_id AS varchar(65535)), '') AS case_id, 'gold_error' AS why, CAST(NULL AS varchar(65535)) AS answer, CAST(NULL AS varchar(65535)) AS agent_name, CAST(NULL AS varchar(65535)) AS agent_version, CAST(NULL AS varchar(65535)) AS batch_id
  FROM badger.golden_set WHERE CAST(gold_error AS varchar(65535)) <> ''
  UNION ALL
  SELECT case_id, 'gold_error' AS why, (agent_name || ' ' || agent_version || ' ' || batch_id) AS answer, agent_name, agent_version, batch_id
  FROM badger.latest_scores WHERE status = 'not_applicable' AND reason = 'the gold query failed when it ran'
  UNION ALL
  SELECT case_id, CASE WHEN metric = 'rose' THEN 'gold_x' WHEN metric = 'flex' THEN 'gold_flex' WHEN label = 'gold_empty' THEN 'gold_empty' WHEN label = 'gold_literal_foreign' THEN 'gold_literal' ELSE 'gold_logic' END AS why,
         (agent_name || ' ' || agent_version || ' ' || batch_id) AS answer, agent_name, agent_version, batch_id
  FROM badger.latest_scores WHERE status = 'ok' AND (metric = 'relation' AND label IN ('gold_empty', 'gold_literal_foreign', 'gold_vacuous_limit', 'gold_vacuous_having', 'gold_ungrouped', 'gold_and_for_or', 'gold_sort_against_question') OR metric = 'rose' AND JSON_EXTRACT_PATH_TEXT(JSON_SERIALIZE(detail), 'gold_x') = 'true'
    OR metric = 'flex' AND value = 1 AND JSON_EXTRACT_PATH_TEXT(JSON_SERIALIZE(detail), 'categories') LIKE '%"incorrect_ground_truth_query"%')
  UNION ALL
  SELECT s.case_id, 'people' AS why, (s.agent_name || ' ' || s.agent_version || ' ' || s.batch_id) AS answer, s.agent_name, s.agent_version, s.batch_id
  FROM badger.latest_scores s JOIN badger.consensus l ON l.case_id = s.case_id AND l.agent_name = s.agent_name AND l.agent_version = s.agent_version AND l.batch_id = s.batch_id
  WHERE l.passes = 1 AND s.passed = FALSE AND s.metric IN ('verdict', 'ex_multiset')
  UNION ALL
  SELECT s.case_id, 'answers_agree' AS why, (s.agent_name || ' ' || s.agent_version || ' ' || s.batch_id) AS answer, s.agent_name, s.agent_version, s.batch_id
  FROM badger.latest_scores s JOIN (SELECT s.case_id FROM badger.latest_scores s
    LEFT JOIN (SELECT COALESCE(CAST(case_id AS varchar(65535)), '') AS case_id, COALESCE(CAST(agent_name AS varchar(65535)), '') AS agent_name, COALESCE(CAST(agent_version AS varchar(65535)), '') AS agent_version, COALESCE(CAST(batch_id AS varchar(65535)), '') AS batch_id, MIN(CAST(sql AS varchar(65535))) AS sql FROM badger.agent_runs GROUP BY 1, 2, 3, 4) k
    ON k.case_id = s.case_id AND k.agent_name = s.agent_name AND k.agent_version = s.agent_version AND k.batch_id = s.batch_id
    WHERE s.metric = 'ex_multiset' AND s.passed IS NOT NULL GROUP BY s.case_id
    HAVING (COUNT(DISTINCT s.agent_name) > 1 OR COUNT(DISTINCT s.agent_version) > 1 AND COUNT(DISTINCT COALESCE(NULLIF(k.sql, ''), s.agent_version)) > 1) AND COUNT(CASE WHEN s.passed THEN 1 END) = 0) f ON f.case_id = s.case_id
  WHERE s.metric = 'ex_multiset' AND s.passed = FALSE) t
GROUP BY t.case_id, t.why;

-- 66. Run by badger_owner.
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

-- 67. Run by badger_owner.
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

-- 68. Run by badger_owner.
-- Causes of failures, a row for each answer and label: the issues of the SQL judge (kind issue), FLEX's errors and its reasons why right answers differ (error, difference), the relation between the results that explains most (relation), STEF's status of the filters (filters), ROSE's diagnoses (diagnosis), answers that refusal rejects (refusal), and what SQL would do other than read (safety). An answer may have several.
CREATE OR REPLACE VIEW badger.failure_labels AS SELECT l.agent_name, l.agent_version, l.batch_id, l.metric, l.kind, l.label, COALESCE(c.tier, 'unknown') AS tier, l.case_id
FROM (SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'issue' AS kind, v.label, s.case_id FROM badger.latest_scores s CROSS JOIN (SELECT 'filters_missing' AS label UNION ALL SELECT 'filters_incorrect' AS label UNION ALL SELECT 'joins_missing' AS label UNION ALL SELECT 'joins_incorrect' AS label UNION ALL SELECT 'joins_unnecessary' AS label UNION ALL SELECT 'aggregation_wrong' AS label UNION ALL SELECT 'aggregation_missing' AS label UNION ALL SELECT 'columns_missing' AS label UNION ALL SELECT 'columns_wrong' AS label UNION ALL SELECT 'ordering_wrong' AS label UNION ALL SELECT 'schema_misunderstanding' AS label UNION ALL SELECT 'logic_error' AS label UNION ALL SELECT 'performance_issue' AS label) v WHERE s.status = 'ok' AND s.metric = 'sql_judge_issues' AND JSON_EXTRACT_PATH_TEXT(JSON_SERIALIZE(s.detail), 'issues') LIKE '%"' || v.label || '"%'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'error' AS kind, v.label, s.case_id FROM badger.latest_scores s CROSS JOIN (SELECT 'incorrect_schema_linking' AS label UNION ALL SELECT 'incorrect_filtering_condition' AS label UNION ALL SELECT 'missing_handling_of_nullable_column' AS label UNION ALL SELECT 'missing_handling_of_multiple_rows' AS label UNION ALL SELECT 'abused_clauses' AS label UNION ALL SELECT 'other_fatal_issues' AS label) v WHERE s.status = 'ok' AND s.metric = 'flex' AND s.value = 0 AND JSON_EXTRACT_PATH_TEXT(JSON_SERIALIZE(s.detail), 'categories') LIKE '%"' || v.label || '"%'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'difference' AS kind, v.label, s.case_id FROM badger.latest_scores s CROSS JOIN (SELECT 'different_output_structure' AS label UNION ALL SELECT 'different_output_value_representation' AS label UNION ALL SELECT 'incorrect_ground_truth_query' AS label UNION ALL SELECT 'multiple_answers_available' AS label UNION ALL SELECT 'other_minor_issues' AS label) v WHERE s.status = 'ok' AND s.metric = 'flex' AND s.value = 1 AND JSON_EXTRACT_PATH_TEXT(JSON_SERIALIZE(s.detail), 'categories') LIKE '%"' || v.label || '"%'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'relation' AS kind, s.label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'relation' AND s.label NOT IN ('same', 'permuted')
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'filters' AS kind, JSON_EXTRACT_PATH_TEXT(JSON_SERIALIZE(s.detail), 'filters_applied_status') AS label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'stef' AND JSON_EXTRACT_PATH_TEXT(JSON_SERIALIZE(s.detail), 'filters_applied_status') IS NOT NULL
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'refusal' AS kind, s.label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'refusal' AND s.value < 1
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'safety' AS kind, s.label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'sql_safety' AND s.value < 1
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'diagnosis' AS kind, 'gold_x' AS label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'rose' AND JSON_EXTRACT_PATH_TEXT(JSON_SERIALIZE(s.detail), 'gold_x') = 'true'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'diagnosis' AS kind, 'amb_q' AS label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'rose' AND JSON_EXTRACT_PATH_TEXT(JSON_SERIALIZE(s.detail), 'amb_q') = 'true'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'diagnosis' AS kind, 'amb_schema' AS label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'rose' AND JSON_EXTRACT_PATH_TEXT(JSON_SERIALIZE(s.detail), 'amb_schema') = 'true') l LEFT JOIN badger.complexity c ON c.case_id = l.case_id;

-- 69. Run by badger_owner.
-- The labels of failure_labels, counted by version, batch and tier, with one of the cases.
CREATE OR REPLACE VIEW badger.failures_by_label AS SELECT agent_name, agent_version, batch_id, metric, kind, label, tier, COUNT(*) AS answers, MIN(case_id) AS example
FROM badger.failure_labels GROUP BY agent_name, agent_version, batch_id, metric, kind, label, tier;

-- 70. Run by badger_owner.
-- Questions that a judge found ambiguous, one row for each reason: amb_q and amb_schema (ROSE's Refuter calls the question, or the schema, ambiguous), amb_flex (FLEX finds several answers available).
CREATE OR REPLACE VIEW badger.ambiguous_questions AS SELECT t.case_id, t.why AS reason, COUNT(DISTINCT t.answer) AS answers, MIN(t.agent_name) AS example_agent, MIN(t.agent_version) AS example_version, MIN(t.batch_id) AS example_batch
FROM (SELECT case_id, CASE WHEN label = 'multiple_answers_available' THEN 'amb_flex' ELSE label END AS why, (agent_name || ' ' || agent_version || ' ' || batch_id) AS answer, agent_name, agent_version, batch_id
  FROM badger.failure_labels WHERE kind = 'diagnosis' AND label IN ('amb_q', 'amb_schema') OR kind = 'difference' AND label = 'multiple_answers_available') t
GROUP BY t.case_id, t.why;

-- 71. Run by badger_owner.
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

-- 72. Run by badger_owner.
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

-- 73. Run by badger_owner.
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
      (SELECT COALESCE(CAST(agent_name AS varchar(65535)), '') AS agent_name, COALESCE(CAST(agent_version AS varchar(65535)), '') AS agent_version, COALESCE(CAST(batch_id AS varchar(65535)), '') AS batch_id, COALESCE(CAST(case_id AS varchar(65535)), '') AS case_id, COALESCE(CAST(conversation_id AS varchar(65535)), '') AS conversation_id, turn AS turn FROM badger.agent_runs) r
      WHERE conversation_id <> '' GROUP BY agent_name, agent_version, batch_id, case_id) p ON p.agent_name = m.agent_name AND p.agent_version = m.agent_version AND p.batch_id = m.batch_id AND p.case_id = m.case_id
WHERE p.turn IS NOT NULL GROUP BY m.agent_name, m.agent_version, m.batch_id, m.metric, p.turn;

-- 74. Run by badger_owner.
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
      (SELECT COALESCE(CAST(agent_name AS varchar(65535)), '') AS agent_name, COALESCE(CAST(agent_version AS varchar(65535)), '') AS agent_version, COALESCE(CAST(batch_id AS varchar(65535)), '') AS batch_id, COALESCE(CAST(case_id AS varchar(65535)), '') AS case_id, COALESCE(CAST(conversation_id AS varchar(65535)), '') AS conversation_id, turn AS turn FROM badger.agent_runs) r
      WHERE conversation_id <> '' GROUP BY agent_name, agent_version, batch_id, case_id) p ON p.agent_name = m.agent_name AND p.agent_version = m.agent_version AND p.batch_id = m.batch_id AND p.case_id = m.case_id
GROUP BY m.agent_name, m.agent_version, m.batch_id, p.conversation_id, m.metric;

-- 75. Run by badger_owner.
-- What the answers of agent_runs took, by agent, version, batch and metric with verdicts. cost_usd, tokens_in and tokens_out are sums of the known values, and with_cost, with_tokens_in and with_tokens_out count these. right_answers passed the metric. cost_per_right is cost_usd, the known cost of right and wrong answers, divided by right_with_cost, the right answers with a known cost, and rounded to 12 decimals. place is 1 for the latest batch of the version. The command badger compare has medians, P95 and tests.
CREATE OR REPLACE VIEW badger.cost_by_version AS SELECT agent_name, agent_version, batch_id, metric, place, answers, right_answers, with_cost, right_with_cost, cost_usd, CAST(cost_usd / NULLIF(right_with_cost, 0) AS numeric(38, 12)) AS cost_per_right,
       with_tokens_in, tokens_in, with_tokens_out, tokens_out, with_latency, mean_latency_ms
FROM (SELECT a.agent_name, a.agent_version, a.batch_id, s.metric, o.place, COUNT(*) AS answers, COUNT(CASE WHEN s.passed THEN 1 END) AS right_answers, COUNT(a.cost_usd) AS with_cost, COUNT(CASE WHEN s.passed AND a.cost_usd IS NOT NULL THEN 1 END) AS right_with_cost,
        SUM(a.cost_usd) AS cost_usd, COUNT(a.tokens_in) AS with_tokens_in, SUM(a.tokens_in) AS tokens_in, COUNT(a.tokens_out) AS with_tokens_out, SUM(a.tokens_out) AS tokens_out, COUNT(a.latency_ms) AS with_latency, AVG(a.latency_ms) AS mean_latency_ms
  FROM (SELECT agent_name, agent_version, batch_id, case_id, ran_at, CASE WHEN cost_usd BETWEEN 0 AND 1000000 THEN cost_usd END AS cost_usd, CASE WHEN tokens_in BETWEEN 0 AND 1000000000000 THEN tokens_in END AS tokens_in, CASE WHEN tokens_out BETWEEN 0 AND 1000000000000 THEN tokens_out END AS tokens_out,
      CASE WHEN latency_ms BETWEEN 0 AND 1000000000000 THEN latency_ms END AS latency_ms,
      ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) AS copy
      FROM (SELECT COALESCE(CAST(agent_name AS varchar(65535)), '') AS agent_name, COALESCE(CAST(agent_version AS varchar(65535)), '') AS agent_version, COALESCE(CAST(batch_id AS varchar(65535)), '') AS batch_id, COALESCE(CAST(case_id AS varchar(65535)), '') AS case_id, ran_at AS ran_at, CAST(sql AS varchar(65535)) AS sql,
        CAST(cost_usd AS numeric(38, 12)) AS cost_usd, CAST(tokens_in AS bigint) AS tokens_in, CAST(tokens_out AS bigint) AS tokens_out, CAST(latency_ms AS double precision) AS latency_ms FROM badger.agent_runs) r) a
  JOIN badger.latest_scores s ON s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id
  JOIN (SELECT agent_name, agent_version, batch_id, ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version ORDER BY CASE WHEN MAX(ran_at) IS NULL THEN 1 ELSE 0 END, MAX(ran_at) DESC, batch_id DESC) AS place
    FROM (SELECT agent_name, agent_version, batch_id, case_id, ran_at, CASE WHEN cost_usd BETWEEN 0 AND 1000000 THEN cost_usd END AS cost_usd, CASE WHEN tokens_in BETWEEN 0 AND 1000000000000 THEN tokens_in END AS tokens_in, CASE WHEN tokens_out BETWEEN 0 AND 1000000000000 THEN tokens_out END AS tokens_out,
      CASE WHEN latency_ms BETWEEN 0 AND 1000000000000 THEN latency_ms END AS latency_ms,
      ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) AS copy
      FROM (SELECT COALESCE(CAST(agent_name AS varchar(65535)), '') AS agent_name, COALESCE(CAST(agent_version AS varchar(65535)), '') AS agent_version, COALESCE(CAST(batch_id AS varchar(65535)), '') AS batch_id, COALESCE(CAST(case_id AS varchar(65535)), '') AS case_id, ran_at AS ran_at, CAST(sql AS varchar(65535)) AS sql,
        CAST(cost_usd AS numeric(38, 12)) AS cost_usd, CAST(tokens_in AS bigint) AS tokens_in, CAST(tokens_out AS bigint) AS tokens_out, CAST(latency_ms AS double precision) AS latency_ms FROM badger.agent_runs) r) b GROUP BY agent_name, agent_version, batch_id) o ON o.agent_name = a.agent_name AND o.agent_version = a.agent_version AND o.batch_id = a.batch_id
  WHERE a.copy = 1 GROUP BY a.agent_name, a.agent_version, a.batch_id, s.metric, o.place HAVING COUNT(s.passed) > 0) t;

-- 76. Run by badger_owner.
-- The version of the tables.
INSERT INTO badger.schema_version (version, reached_at) SELECT 8, CURRENT_TIMESTAMP FROM (SELECT 1 AS one) o WHERE NOT EXISTS (SELECT 1 FROM badger.schema_version WHERE version >= 8);

-- 77. Run by badger_owner.
-- A comment on the table golden_set.
COMMENT ON TABLE badger.golden_set IS 'The questions, with their accepted answers.';

-- 78. Run by badger_owner.
-- A comment on golden_set.case_id.
COMMENT ON COLUMN badger.golden_set.case_id IS 'Identifies the question. Any type is read as a string: 17, \'17\' and a UUID are all valid.';

-- 79. Run by badger_owner.
-- A comment on golden_set.question.
COMMENT ON COLUMN badger.golden_set.question IS 'The question as the user asked it.';

-- 80. Run by badger_owner.
-- A comment on golden_set.evidence.
COMMENT ON COLUMN badger.golden_set.evidence IS 'Hints that came with the question, such as the definition of a business term.';

-- 81. Run by badger_owner.
-- A comment on golden_set.schema_ddl.
COMMENT ON COLUMN badger.golden_set.schema_ddl IS 'CREATE TABLE statements of the tables that the question is about.';

-- 82. Run by badger_owner.
-- A comment on golden_set.dialect.
COMMENT ON COLUMN badger.golden_set.dialect IS 'SQL dialect of both queries: snowflake, bigquery, databricks, duckdb, postgres, sqlite, …';

-- 83. Run by badger_owner.
-- A comment on golden_set.gold_sql.
COMMENT ON COLUMN badger.golden_set.gold_sql IS 'The accepted query.';

-- 84. Run by badger_owner.
-- A comment on golden_set.gold_result.
COMMENT ON COLUMN badger.golden_set.gold_result IS 'The result of the accepted query: an inline result, or a reference table:NAME, query:ID or file:PATH.';

-- 85. Run by badger_owner.
-- A comment on golden_set.expected_tools.
COMMENT ON COLUMN badger.golden_set.expected_tools IS 'The tools that a good agent calls, in order: a list of names or of {"name", "arguments"}.';

-- 86. Run by badger_owner.
-- A comment on golden_set.expected_clarifications.
COMMENT ON COLUMN badger.golden_set.expected_clarifications IS 'The clarification questions of a good agent: a list of strings.';

-- 87. Run by badger_owner.
-- A comment on golden_set.expected_behaviour.
COMMENT ON COLUMN badger.golden_set.expected_behaviour IS 'answer (also NULL), clarify or refuse.';

-- 88. Run by badger_owner.
-- A comment on golden_set.tags.
COMMENT ON COLUMN badger.golden_set.tags IS 'A list of words to slice reports by.';

-- 89. Run by badger_owner.
-- A comment on golden_set.set_version.
COMMENT ON COLUMN badger.golden_set.set_version IS 'Version of the golden set that the row belongs to.';

-- 90. Run by badger_owner.
-- A comment on golden_set.gold_latency_ms.
COMMENT ON COLUMN badger.golden_set.gold_latency_ms IS 'How long the accepted query took, in milliseconds.';

-- 91. Run by badger_owner.
-- A comment on golden_set.gold_error.
COMMENT ON COLUMN badger.golden_set.gold_error IS 'The message of the database, if the accepted query failed.';

-- 92. Run by badger_owner.
-- A comment on golden_set.alternatives.
COMMENT ON COLUMN badger.golden_set.alternatives IS 'Further accepted answers: a list of {"sql", "result", "error", "latency_ms"}. The one with the best score is used.';

-- 93. Run by badger_owner.
-- A comment on golden_set.database_name.
COMMENT ON COLUMN badger.golden_set.database_name IS 'Name of the database that the question is about. Agreement with people can be shown by database.';

-- 94. Run by badger_owner.
-- A comment on golden_set.metric_options.
COMMENT ON COLUMN badger.golden_set.metric_options IS 'Options of single metrics, by name.';

-- 95. Run by badger_owner.
-- A comment on golden_set.gold_chart.
COMMENT ON COLUMN badger.golden_set.gold_chart IS 'The accepted chart of the result, in a form of agent_runs.chart. NULL: any chart that shows the result is accepted.';

-- 96. Run by badger_owner.
-- A comment on the table agent_runs.
COMMENT ON TABLE badger.agent_runs IS 'The answers of agents: one row for each question, version of an agent, and batch.';

-- 97. Run by badger_owner.
-- A comment on agent_runs.agent_name.
COMMENT ON COLUMN badger.agent_runs.agent_name IS 'Who answered.';

-- 98. Run by badger_owner.
-- A comment on agent_runs.agent_version.
COMMENT ON COLUMN badger.agent_runs.agent_version IS 'Version of the agent.';

-- 99. Run by badger_owner.
-- A comment on agent_runs.batch_id.
COMMENT ON COLUMN badger.agent_runs.batch_id IS 'The batch that the answer belongs to, such as a night. The same agent may answer a question again in another batch.';

-- 100. Run by badger_owner.
-- A comment on agent_runs.case_id.
COMMENT ON COLUMN badger.agent_runs.case_id IS 'The question that was answered: golden_set.case_id.';

-- 101. Run by badger_owner.
-- A comment on agent_runs.interpretation.
COMMENT ON COLUMN badger.agent_runs.interpretation IS 'The question in the agent\'s own words.';

-- 102. Run by badger_owner.
-- A comment on agent_runs.sql.
COMMENT ON COLUMN badger.agent_runs.sql IS 'The agent\'s query.';

-- 103. Run by badger_owner.
-- A comment on agent_runs.result.
COMMENT ON COLUMN badger.agent_runs.result IS 'The result of the agent\'s query, in the form of gold_result.';

-- 104. Run by badger_owner.
-- A comment on agent_runs.sql_error.
COMMENT ON COLUMN badger.agent_runs.sql_error IS 'The message of the database, if the agent\'s query failed.';

-- 105. Run by badger_owner.
-- A comment on agent_runs.tool_calls.
COMMENT ON COLUMN badger.agent_runs.tool_calls IS 'The tools that the agent called, in order: a list of {"name", "arguments"}, or a trace in a form of docs/eval/traces.md. NULL: calls were not logged. []: the agent made none.';

-- 106. Run by badger_owner.
-- A comment on agent_runs.response.
COMMENT ON COLUMN badger.agent_runs.response IS 'The agent\'s answer in prose.';

-- 107. Run by badger_owner.
-- A comment on agent_runs.latency_ms.
COMMENT ON COLUMN badger.agent_runs.latency_ms IS 'How long the agent\'s query took, in milliseconds.';

-- 108. Run by badger_owner.
-- A comment on agent_runs.gold_latency_ms.
COMMENT ON COLUMN badger.agent_runs.gold_latency_ms IS 'How long the accepted query took at the same time, if it was run again. It replaces golden_set.gold_latency_ms.';

-- 109. Run by badger_owner.
-- A comment on agent_runs.ran_at.
COMMENT ON COLUMN badger.agent_runs.ran_at IS 'When the agent answered.';

-- 110. Run by badger_owner.
-- A comment on agent_runs.conversation_id.
COMMENT ON COLUMN badger.agent_runs.conversation_id IS 'The conversation that the answer is part of.';

-- 111. Run by badger_owner.
-- A comment on agent_runs.turn.
COMMENT ON COLUMN badger.agent_runs.turn IS 'Position of the answer in its conversation, from 1.';

-- 112. Run by badger_owner.
-- A comment on agent_runs.earlier_turns.
COMMENT ON COLUMN badger.agent_runs.earlier_turns IS 'The turns before it, the oldest first: a list of {"question", "sql", "response"}. NULL means the answers with the same conversation_id and a lower turn.';

-- 113. Run by badger_owner.
-- A comment on agent_runs.tokens_in.
COMMENT ON COLUMN badger.agent_runs.tokens_in IS 'Tokens that the models of the agent read. NULL if unknown.';

-- 114. Run by badger_owner.
-- A comment on agent_runs.tokens_out.
COMMENT ON COLUMN badger.agent_runs.tokens_out IS 'Tokens that the models of the agent wrote. NULL if unknown.';

-- 115. Run by badger_owner.
-- A comment on agent_runs.cost_usd.
COMMENT ON COLUMN badger.agent_runs.cost_usd IS 'What the answer cost, in US dollars, exact to 12 decimals. NULL if unknown.';

-- 116. Run by badger_owner.
-- A comment on agent_runs.chart.
COMMENT ON COLUMN badger.agent_runs.chart IS 'The chart that shows the result, described as data: Vega-Lite, a Plotly figure, or fields such as {"mark", "x", "y"}. docs/eval/charts.md describes the forms.';

-- 117. Run by badger_owner.
-- A comment on agent_runs.contexts.
COMMENT ON COLUMN badger.agent_runs.contexts IS 'The passages that the agent retrieved: a list of {"id", "text", "title", "source"}, or of strings.';

-- 118. Run by badger_owner.
-- A comment on the table human_labels.
COMMENT ON TABLE badger.human_labels IS 'Human labels of answers: one row for each answer and annotator. Labels from the web report are in label_log.';

-- 119. Run by badger_owner.
-- A comment on human_labels.case_id.
COMMENT ON COLUMN badger.human_labels.case_id IS 'The question whose answer is labelled.';

-- 120. Run by badger_owner.
-- A comment on human_labels.agent_name.
COMMENT ON COLUMN badger.human_labels.agent_name IS 'Who answered.';

-- 121. Run by badger_owner.
-- A comment on human_labels.batch_id.
COMMENT ON COLUMN badger.human_labels.batch_id IS 'The batch that the answer belongs to.';

-- 122. Run by badger_owner.
-- A comment on human_labels.annotator.
COMMENT ON COLUMN badger.human_labels.annotator IS 'Who labelled the answer.';

-- 123. Run by badger_owner.
-- A comment on human_labels.verdict.
COMMENT ON COLUMN badger.human_labels.verdict IS 'pass, fail or unsure. 1, true, yes, correct and 0, false, no, incorrect mean the same, in upper or lower case, with any surrounding white space. Anything else is unsure.';

-- 124. Run by badger_owner.
-- A comment on human_labels.note.
COMMENT ON COLUMN badger.human_labels.note IS 'Why.';

-- 125. Run by badger_owner.
-- A comment on human_labels.labelled_at.
COMMENT ON COLUMN badger.human_labels.labelled_at IS 'When the answer was labelled. The latest label of an annotator for an answer is used.';

-- 126. Run by badger_owner.
-- A comment on human_labels.agent_version.
COMMENT ON COLUMN badger.human_labels.agent_version IS 'Version of the agent that answered. NULL means the only version that answered the question in the batch. If several did, the label is ignored.';

-- 127. Run by badger_owner.
-- A comment on the table eval_runs.
COMMENT ON TABLE badger.eval_runs IS 'The evaluations: one row for each run and each agent, version and batch that it scored.';

-- 128. Run by badger_owner.
-- A comment on eval_runs.eval_run_id.
COMMENT ON COLUMN badger.eval_runs.eval_run_id IS 'The run.';

-- 129. Run by badger_owner.
-- A comment on eval_runs.agent_name.
COMMENT ON COLUMN badger.eval_runs.agent_name IS 'Whose answers were scored.';

-- 130. Run by badger_owner.
-- A comment on eval_runs.agent_version.
COMMENT ON COLUMN badger.eval_runs.agent_version IS 'Version of the agent.';

-- 131. Run by badger_owner.
-- A comment on eval_runs.batch_id.
COMMENT ON COLUMN badger.eval_runs.batch_id IS 'Batch of the answers.';

-- 132. Run by badger_owner.
-- A comment on eval_runs.eval_run_date.
COMMENT ON COLUMN badger.eval_runs.eval_run_date IS 'When the run started.';

-- 133. Run by badger_owner.
-- A comment on eval_runs.mode.
COMMENT ON COLUMN badger.eval_runs.mode IS 'text2sql_only, agentic_only or both.';

-- 134. Run by badger_owner.
-- A comment on eval_runs.config.
COMMENT ON COLUMN badger.eval_runs.config IS 'Options and thresholds of metrics.';

-- 135. Run by badger_owner.
-- A comment on eval_runs.judge.
COMMENT ON COLUMN badger.eval_runs.judge IS 'Who was asked.';

-- 136. Run by badger_owner.
-- A comment on eval_runs.versions.
COMMENT ON COLUMN badger.eval_runs.versions IS 'Versions of badger, of the metrics and of judge files; the answers that were selected; and if --resume removed scores because the input had no such answers any more, their number and when.';

-- 137. Run by badger_owner.
-- A comment on eval_runs.counts.
COMMENT ON COLUMN badger.eval_runs.counts IS 'Number of scores of the run, by status.';

-- 138. Run by badger_owner.
-- A comment on eval_runs.tokens.
COMMENT ON COLUMN badger.eval_runs.tokens IS 'Judge calls and tokens for the scores.';

-- 139. Run by badger_owner.
-- A comment on eval_runs.cost.
COMMENT ON COLUMN badger.eval_runs.cost IS 'Judge calls and tokens that the whole run paid for.';

-- 140. Run by badger_owner.
-- A comment on eval_runs.status.
COMMENT ON COLUMN badger.eval_runs.status IS 'running (also: killed), done, stopped or failed. Only a run that is done has scored all of its cases.';

-- 141. Run by badger_owner.
-- A comment on eval_runs.answered_at.
COMMENT ON COLUMN badger.eval_runs.answered_at IS 'When the last of the answers was given: agent_runs.ran_at, or agent.ran_at of a case file. It dates the batch if agent_runs does not.';

-- 142. Run by badger_owner.
-- A comment on the table scores.
COMMENT ON TABLE badger.scores IS 'The scores: one row for each run, answer and metric.';

-- 143. Run by badger_owner.
-- A comment on scores.eval_run_id.
COMMENT ON COLUMN badger.scores.eval_run_id IS 'The run.';

-- 144. Run by badger_owner.
-- A comment on scores.case_id.
COMMENT ON COLUMN badger.scores.case_id IS 'The question.';

-- 145. Run by badger_owner.
-- A comment on scores.agent_name.
COMMENT ON COLUMN badger.scores.agent_name IS 'Who answered.';

-- 146. Run by badger_owner.
-- A comment on scores.agent_version.
COMMENT ON COLUMN badger.scores.agent_version IS 'Version of the agent.';

-- 147. Run by badger_owner.
-- A comment on scores.batch_id.
COMMENT ON COLUMN badger.scores.batch_id IS 'Batch of the answer.';

-- 148. Run by badger_owner.
-- A comment on scores.metric.
COMMENT ON COLUMN badger.scores.metric IS 'The metric.';

-- 149. Run by badger_owner.
-- A comment on scores.metric_version.
COMMENT ON COLUMN badger.scores.metric_version IS 'Version of the metric. Scores of different versions are not comparable.';

-- 150. Run by badger_owner.
-- A comment on scores.status.
COMMENT ON COLUMN badger.scores.status IS 'ok, abstained, not_applicable or failed.';

-- 151. Run by badger_owner.
-- A comment on scores.value.
COMMENT ON COLUMN badger.scores.value IS 'The value. NULL unless status is ok.';

-- 152. Run by badger_owner.
-- A comment on scores.label.
COMMENT ON COLUMN badger.scores.label IS 'Category, of metrics that have one.';

-- 153. Run by badger_owner.
-- A comment on scores.passed.
COMMENT ON COLUMN badger.scores.passed IS 'Verdict by the metric\'s threshold. NULL if the metric has none.';

-- 154. Run by badger_owner.
-- A comment on scores.reason.
COMMENT ON COLUMN badger.scores.reason IS 'The reason for the value, or for its absence, in one sentence.';

-- 155. Run by badger_owner.
-- A comment on scores.detail.
COMMENT ON COLUMN badger.scores.detail IS 'The evidence: alignment, counts, differences.';

-- 156. Run by badger_owner.
-- A comment on scores.assessment_ids.
COMMENT ON COLUMN badger.scores.assessment_ids IS 'The recorded judge replies that the score is based on.';

-- 157. Run by badger_owner.
-- A comment on scores.config_hash.
COMMENT ON COLUMN badger.scores.config_hash IS 'Identifies the configuration of the run.';

-- 158. Run by badger_owner.
-- A comment on scores.scored_at.
COMMENT ON COLUMN badger.scores.scored_at IS 'When the score was stored.';

-- 159. Run by badger_owner.
-- A comment on scores.code.
COMMENT ON COLUMN badger.scores.code IS 'Kind of failure. NULL unless status is failed.';

-- 160. Run by badger_owner.
-- A comment on scores.usage.
COMMENT ON COLUMN badger.scores.usage IS 'Judge usage of this score: calls, tokens_in, tokens_out, repaired, the number of calls that repeated a question because of a malformed reply, judge if a tag selected it, and panel, the votes of a panel of judges. NULL without a judge call.';

-- 161. Run by badger_owner.
-- A comment on scores.gold_hash.
COMMENT ON COLUMN badger.scores.gold_hash IS 'Identifies the question with its accepted answers. Scores of a question that has changed are not comparable. NULL in rows of earlier versions.';

-- 162. Run by badger_owner.
-- A comment on scores.answer_hash.
COMMENT ON COLUMN badger.scores.answer_hash IS 'Identifies what the agent gave, with the turns before it. badger run --resume scores an answer again if it has changed. NULL if unknown.';

-- 163. Run by badger_owner.
-- A comment on the table assessments.
COMMENT ON TABLE badger.assessments IS 'The replies of judges, recorded.';

-- 164. Run by badger_owner.
-- A comment on assessments.assessment_id.
COMMENT ON COLUMN badger.assessments.assessment_id IS 'Hash of the content.';

-- 165. Run by badger_owner.
-- A comment on assessments.kind.
COMMENT ON COLUMN badger.assessments.kind IS 'Kind of question.';

-- 166. Run by badger_owner.
-- A comment on assessments.backend.
COMMENT ON COLUMN badger.assessments.backend IS 'Who was asked.';

-- 167. Run by badger_owner.
-- A comment on assessments.model.
COMMENT ON COLUMN badger.assessments.model IS 'The model that answered.';

-- 168. Run by badger_owner.
-- A comment on assessments.prompt_version.
COMMENT ON COLUMN badger.assessments.prompt_version IS 'Version of the prompt.';

-- 169. Run by badger_owner.
-- A comment on assessments.request_hash.
COMMENT ON COLUMN badger.assessments.request_hash IS 'Hash of the request. An identical request is not repeated.';

-- 170. Run by badger_owner.
-- A comment on assessments.reply.
COMMENT ON COLUMN badger.assessments.reply IS 'The reply, verbatim.';

-- 171. Run by badger_owner.
-- A comment on assessments.tokens_in.
COMMENT ON COLUMN badger.assessments.tokens_in IS 'Tokens of the request. NULL if unknown.';

-- 172. Run by badger_owner.
-- A comment on assessments.tokens_out.
COMMENT ON COLUMN badger.assessments.tokens_out IS 'Tokens of the reply. NULL if unknown.';

-- 173. Run by badger_owner.
-- A comment on assessments.latency_ms.
COMMENT ON COLUMN badger.assessments.latency_ms IS 'How long the reply took, in milliseconds.';

-- 174. Run by badger_owner.
-- A comment on assessments.created_at.
COMMENT ON COLUMN badger.assessments.created_at IS 'When.';

-- 175. Run by badger_owner.
-- A comment on assessments.detail.
COMMENT ON COLUMN badger.assessments.detail IS 'Further information about the reply.';

-- 176. Run by badger_owner.
-- A comment on assessments.payer.
COMMENT ON COLUMN badger.assessments.payer IS 'Who paid for the call: run:ID, or the name of a caller of the function server.';

-- 177. Run by badger_owner.
-- A comment on the table schema_version.
COMMENT ON TABLE badger.schema_version IS 'The versions that these tables have had. The highest is the present one. A program that supports only lower versions does not write to them.';

-- 178. Run by badger_owner.
-- A comment on schema_version.version.
COMMENT ON COLUMN badger.schema_version.version IS 'Version of the tables.';

-- 179. Run by badger_owner.
-- A comment on schema_version.badger.
COMMENT ON COLUMN badger.schema_version.badger IS 'Version of badger that brought the tables to it.';

-- 180. Run by badger_owner.
-- A comment on schema_version.reached_at.
COMMENT ON COLUMN badger.schema_version.reached_at IS 'When.';

-- 181. Run by badger_owner.
-- A comment on schema_version.views.
COMMENT ON COLUMN badger.schema_version.views IS 'Fingerprints of the views, as JSON: of their text, and of the text that the warehouse shows.';

-- 182. Run by badger_owner.
-- A comment on the table judges.
COMMENT ON TABLE badger.judges IS 'The promoted judge files. A row never changes.';

-- 183. Run by badger_owner.
-- A comment on judges.name.
COMMENT ON COLUMN badger.judges.name IS 'Name of the judge.';

-- 184. Run by badger_owner.
-- A comment on judges.version.
COMMENT ON COLUMN badger.judges.version IS 'Version of the judge.';

-- 185. Run by badger_owner.
-- A comment on judges.kind.
COMMENT ON COLUMN badger.judges.kind IS 'starlark, expression, prompt, sql, or retired for a version that switches the judge off.';

-- 186. Run by badger_owner.
-- A comment on judges.source.
COMMENT ON COLUMN badger.judges.source IS 'Text of the judge file.';

-- 187. Run by badger_owner.
-- A comment on judges.hash.
COMMENT ON COLUMN badger.judges."hash" IS 'SHA-256 of the text.';

-- 188. Run by badger_owner.
-- A comment on judges.promoted_at.
COMMENT ON COLUMN badger.judges.promoted_at IS 'When.';

-- 189. Run by badger_owner.
-- A comment on judges.promoted_by.
COMMENT ON COLUMN badger.judges.promoted_by IS 'By whom.';

-- 190. Run by badger_owner.
-- A comment on judges.tested.
COMMENT ON COLUMN badger.judges.tested IS 'The test at promotion: agreement with labels, and their number. {"untested": true} if it was promoted without a test.';

-- 191. Run by badger_owner.
-- A comment on the table sentinels.
COMMENT ON TABLE badger.sentinels IS 'The verdicts of judges on sentinel cases, which are asked again and again: one row for each asking, metric, case and repetition. Rows are appended and never change. The replies are in assessments.';

-- 192. Run by badger_owner.
-- A comment on sentinels.asking_id.
COMMENT ON COLUMN badger.sentinels.asking_id IS 'The asking: a call of badger judge sentinel, or of badger run.';

-- 193. Run by badger_owner.
-- A comment on sentinels.metric.
COMMENT ON COLUMN badger.sentinels.metric IS 'The metric that asked the judge.';

-- 194. Run by badger_owner.
-- A comment on sentinels.case_id.
COMMENT ON COLUMN badger.sentinels.case_id IS 'The question.';

-- 195. Run by badger_owner.
-- A comment on sentinels.agent_name.
COMMENT ON COLUMN badger.sentinels.agent_name IS 'Who answered.';

-- 196. Run by badger_owner.
-- A comment on sentinels.agent_version.
COMMENT ON COLUMN badger.sentinels.agent_version IS 'Version of the agent.';

-- 197. Run by badger_owner.
-- A comment on sentinels.batch_id.
COMMENT ON COLUMN badger.sentinels.batch_id IS 'Batch of the answer.';

-- 198. Run by badger_owner.
-- A comment on sentinels.repetition.
COMMENT ON COLUMN badger.sentinels.repetition IS 'Number of the reply to the same question in the asking, from 1.';

-- 199. Run by badger_owner.
-- A comment on sentinels.backend.
COMMENT ON COLUMN badger.sentinels.backend IS 'Who was asked.';

-- 200. Run by badger_owner.
-- A comment on sentinels.model.
COMMENT ON COLUMN badger.sentinels.model IS 'The model that was asked.';

-- 201. Run by badger_owner.
-- A comment on sentinels.prompt_version.
COMMENT ON COLUMN badger.sentinels.prompt_version IS 'Version of the prompt of the first call. NULL without a reply.';

-- 202. Run by badger_owner.
-- A comment on sentinels.question_hash.
COMMENT ON COLUMN badger.sentinels.question_hash IS 'Identifies everything apart from the judge that determines the verdict: the first prompt with its settings, and the version and the configuration of the metric. Only verdicts with the same hash are compared. NULL without a reply.';

-- 203. Run by badger_owner.
-- A comment on sentinels.served.
COMMENT ON COLUMN badger.sentinels.served IS 'The models that replied, as the endpoint reports them: a list of {"model", "fingerprint"}.';

-- 204. Run by badger_owner.
-- A comment on sentinels.status.
COMMENT ON COLUMN badger.sentinels.status IS 'Status of the score: ok, abstained, not_applicable or failed.';

-- 205. Run by badger_owner.
-- A comment on sentinels.code.
COMMENT ON COLUMN badger.sentinels.code IS 'Kind of failure. NULL unless status is failed.';

-- 206. Run by badger_owner.
-- A comment on sentinels.passed.
COMMENT ON COLUMN badger.sentinels.passed IS 'The verdict. NULL if there is none.';

-- 207. Run by badger_owner.
-- A comment on sentinels.human_label.
COMMENT ON COLUMN badger.sentinels.human_label IS 'The human label of the answer when the judge was asked: whether it passes. NULL if it had none.';

-- 208. Run by badger_owner.
-- A comment on sentinels.assessment_ids.
COMMENT ON COLUMN badger.sentinels.assessment_ids IS 'The recorded replies.';

-- 209. Run by badger_owner.
-- A comment on sentinels.asked_at.
COMMENT ON COLUMN badger.sentinels.asked_at IS 'When.';

-- 210. Run by badger_owner.
-- A comment on the table run_log.
COMMENT ON TABLE badger.run_log IS 'The events and failures of evaluations by the warehouse\'s procedure: one row for each event.';

-- 211. Run by badger_owner.
-- A comment on run_log.entry_id.
COMMENT ON COLUMN badger.run_log.entry_id IS 'Identifies the row.';

-- 212. Run by badger_owner.
-- A comment on run_log.logged_at.
COMMENT ON COLUMN badger.run_log.logged_at IS 'When.';

-- 213. Run by badger_owner.
-- A comment on run_log.eval_run_id.
COMMENT ON COLUMN badger.run_log.eval_run_id IS 'The run. NULL before a run has started.';

-- 214. Run by badger_owner.
-- A comment on run_log.event.
COMMENT ON COLUMN badger.run_log.event IS 'began, resumed, done, idle (there was nothing to score), refused (another evaluation was running), interrupted (the call before did not finish), run failed, slice failed, answer failed, not retried (the answer failed in three calls, and its scores are failed), batch began, batch failed (answers of it have no scores after the call), or alert failed.';

-- 215. Run by badger_owner.
-- A comment on run_log.case_id.
COMMENT ON COLUMN badger.run_log.case_id IS 'The question, if the event concerns a single answer.';

-- 216. Run by badger_owner.
-- A comment on run_log.answers.
COMMENT ON COLUMN badger.run_log.answers IS 'Number of answers that the event concerns.';

-- 217. Run by badger_owner.
-- A comment on run_log.message.
COMMENT ON COLUMN badger.run_log.message IS 'The message of the database or of badger serve.';

-- 218. Run by badger_owner.
-- A comment on run_log.agent_name.
COMMENT ON COLUMN badger.run_log.agent_name IS 'Who answered, if the event concerns an answer or a batch.';

-- 219. Run by badger_owner.
-- A comment on run_log.agent_version.
COMMENT ON COLUMN badger.run_log.agent_version IS 'Version of the agent, if the event concerns an answer or a batch.';

-- 220. Run by badger_owner.
-- A comment on run_log.batch_id.
COMMENT ON COLUMN badger.run_log.batch_id IS 'The batch, if the event concerns an answer, a batch or a call for one batch.';

-- 221. Run by badger_owner.
-- A comment on the table schedule.
COMMENT ON TABLE badger.schedule IS 'What the scheduled evaluation computes, as of its last call: one row for each metric, and a row whose metric is empty for the schedule itself.';

-- 222. Run by badger_owner.
-- A comment on schedule.metric.
COMMENT ON COLUMN badger.schedule.metric IS 'The metric. The empty string is the row of the schedule itself.';

-- 223. Run by badger_owner.
-- A comment on schedule.since_day.
COMMENT ON COLUMN badger.schedule.since_day IS 'Answers of this day and later are scored. It only moves on when a call has scored everything. NULL in rows of metrics.';

-- 224. Run by badger_owner.
-- A comment on schedule.pass_rate_drop.
COMMENT ON COLUMN badger.schedule.pass_rate_drop IS 'Drop of a pass rate, from 0 to 1, that raises an alert. NULL in rows of metrics.';

-- 225. Run by badger_owner.
-- A comment on the table alerts.
COMMENT ON TABLE badger.alerts IS 'The alerts: one row for each fact that was reported. A fact is reported again only if it was resolved in between.';

-- 226. Run by badger_owner.
-- A comment on alerts.alert_id.
COMMENT ON COLUMN badger.alerts.alert_id IS 'Identifies the alert.';

-- 227. Run by badger_owner.
-- A comment on alerts.kind.
COMMENT ON COLUMN badger.alerts.kind IS 'run failed (the evaluation fails), backlog (answers of a batch could not be scored) or degraded (fewer answers pass than in the batch before).';

-- 228. Run by badger_owner.
-- A comment on alerts.fact.
COMMENT ON COLUMN badger.alerts.fact IS 'Identifies the fact: the kind, and the batch, metric or message that it is about.';

-- 229. Run by badger_owner.
-- A comment on alerts.agent_name.
COMMENT ON COLUMN badger.alerts.agent_name IS 'Who answered. NULL for run failed.';

-- 230. Run by badger_owner.
-- A comment on alerts.agent_version.
COMMENT ON COLUMN badger.alerts.agent_version IS 'Version of the agent. NULL unless the kind is backlog.';

-- 231. Run by badger_owner.
-- A comment on alerts.batch_id.
COMMENT ON COLUMN badger.alerts.batch_id IS 'The batch. NULL for run failed.';

-- 232. Run by badger_owner.
-- A comment on alerts.metric.
COMMENT ON COLUMN badger.alerts.metric IS 'The metric. NULL unless the kind is degraded.';

-- 233. Run by badger_owner.
-- A comment on alerts.message.
COMMENT ON COLUMN badger.alerts.message IS 'The alert in words.';

-- 234. Run by badger_owner.
-- A comment on alerts.raised_at.
COMMENT ON COLUMN badger.alerts.raised_at IS 'When the fact was first seen.';

-- 235. Run by badger_owner.
-- A comment on alerts.resolved_at.
COMMENT ON COLUMN badger.alerts.resolved_at IS 'When it was no longer true. NULL while it is.';

-- 236. Run by badger_owner.
-- A comment on alerts.sent_at.
COMMENT ON COLUMN badger.alerts.sent_at IS 'When the alert was sent, or raised if nothing is sent. NULL if sending failed, which the next call repeats.';

-- 237. Run by badger_owner.
-- A comment on the table run_locks.
COMMENT ON TABLE badger.run_locks IS 'The evaluation that is running, in warehouses without locks: a row for each lock.';

-- 238. Run by badger_owner.
-- A comment on run_locks.name.
COMMENT ON COLUMN badger.run_locks.name IS 'The lock: evaluate.';

-- 239. Run by badger_owner.
-- A comment on run_locks.holder.
COMMENT ON COLUMN badger.run_locks.holder IS 'The call that holds it. NULL if it is free.';

-- 240. Run by badger_owner.
-- A comment on run_locks.taken_at.
COMMENT ON COLUMN badger.run_locks.taken_at IS 'When it was taken.';

-- 241. Run by badger_owner.
-- A comment on run_locks.beat_at.
COMMENT ON COLUMN badger.run_locks.beat_at IS 'When the holder last renewed it. A lock that was not renewed for schedule.stale minutes may be taken over.';

-- 242. Run by badger_owner.
-- A comment on the table claims.
COMMENT ON TABLE badger.claims IS 'Current leases: one row for each judge request in progress, and for each annotator who is labelling an answer. Rows are temporary.';

-- 243. Run by badger_owner.
-- A comment on claims.claim_key.
COMMENT ON COLUMN badger.claims.claim_key IS 'Hash of the request, or label:QUEUE:POSITION:PLACE.';

-- 244. Run by badger_owner.
-- A comment on claims.owner.
COMMENT ON COLUMN badger.claims.owner IS 'The process that makes the request, or label:ANNOTATOR.';

-- 245. Run by badger_owner.
-- A comment on claims.expires_ms.
COMMENT ON COLUMN badger.claims.expires_ms IS 'Expiry, in milliseconds since 1970. After it, another process may make the request, or another annotator label the answer.';

-- 246. Run by badger_owner.
-- A comment on the table calls.
COMMENT ON TABLE badger.calls IS 'Calls of the function server that last longer than a connection, with request and reply. Rows are deleted some time after they expire.';

-- 247. Run by badger_owner.
-- A comment on calls.call_id.
COMMENT ON COLUMN badger.calls.call_id IS 'Names the call.';

-- 248. Run by badger_owner.
-- A comment on calls.content_hash.
COMMENT ON COLUMN badger.calls.content_hash IS 'Hash of the request. Another call with the same ID is rejected.';

-- 249. Run by badger_owner.
-- A comment on calls.function.
COMMENT ON COLUMN badger.calls."function" IS 'The function.';

-- 250. Run by badger_owner.
-- A comment on calls.request.
COMMENT ON COLUMN badger.calls.request IS 'The request.';

-- 251. Run by badger_owner.
-- A comment on calls.reply.
COMMENT ON COLUMN badger.calls.reply IS 'The reply. NULL until there is one, and if it is recomputed from judge replies.';

-- 252. Run by badger_owner.
-- A comment on calls.expires_ms.
COMMENT ON COLUMN badger.calls.expires_ms IS 'Expiry of the row, in milliseconds since 1970.';

-- 253. Run by badger_owner.
-- A comment on the table queues.
COMMENT ON TABLE badger.queues IS 'The labelling queues: answers of a run for annotators to label, in an order.';

-- 254. Run by badger_owner.
-- A comment on queues.queue_id.
COMMENT ON COLUMN badger.queues.queue_id IS 'Identifies the queue.';

-- 255. Run by badger_owner.
-- A comment on queues.name.
COMMENT ON COLUMN badger.queues.name IS 'Title of the queue.';

-- 256. Run by badger_owner.
-- A comment on queues.eval_run_id.
COMMENT ON COLUMN badger.queues.eval_run_id IS 'The run whose answers are labelled.';

-- 257. Run by badger_owner.
-- A comment on queues.agent_name.
COMMENT ON COLUMN badger.queues.agent_name IS 'Who answered.';

-- 258. Run by badger_owner.
-- A comment on queues.agent_version.
COMMENT ON COLUMN badger.queues.agent_version IS 'Version of the agent.';

-- 259. Run by badger_owner.
-- A comment on queues.batch_id.
COMMENT ON COLUMN badger.queues.batch_id IS 'Batch of the answers.';

-- 260. Run by badger_owner.
-- A comment on queues.filter.
COMMENT ON COLUMN badger.queues."filter" IS 'The selected answers of the run: the query of the URL of a list of cases.';

-- 261. Run by badger_owner.
-- A comment on queues.ordering.
COMMENT ON COLUMN badger.queues.ordering IS 'Order of the answers: listed, random, disagreement, unsure or strata.';

-- 262. Run by badger_owner.
-- A comment on queues.seed.
COMMENT ON COLUMN badger.queues.seed IS 'Seed of random choices. The same seed gives the same order.';

-- 263. Run by badger_owner.
-- A comment on queues.annotators.
COMMENT ON COLUMN badger.queues.annotators IS 'Number of annotators for each answer.';

-- 264. Run by badger_owner.
-- A comment on queues.guideline.
COMMENT ON COLUMN badger.queues.guideline IS 'Instructions for the annotators.';

-- 265. Run by badger_owner.
-- A comment on queues.options.
COMMENT ON COLUMN badger.queues.options IS 'The verdicts that are offered in addition to skip, in their order.';

-- 266. Run by badger_owner.
-- A comment on queues.blind.
COMMENT ON COLUMN badger.queues.blind IS 'Whether annotators see no score, verdict, relation or label of others.';

-- 267. Run by badger_owner.
-- A comment on queues.reason_required.
COMMENT ON COLUMN badger.queues.reason_required IS 'Whether fail needs a note.';

-- 268. Run by badger_owner.
-- A comment on queues.cases.
COMMENT ON COLUMN badger.queues.cases IS 'Number of answers in the queue.';

-- 269. Run by badger_owner.
-- A comment on queues.created_by.
COMMENT ON COLUMN badger.queues.created_by IS 'Who created it.';

-- 270. Run by badger_owner.
-- A comment on queues.created_at.
COMMENT ON COLUMN badger.queues.created_at IS 'When.';

-- 271. Run by badger_owner.
-- A comment on queues.closed_at.
COMMENT ON COLUMN badger.queues.closed_at IS 'When it was closed. NULL while it is open.';

-- 272. Run by badger_owner.
-- A comment on the table queue_items.
COMMENT ON TABLE badger.queue_items IS 'The answers of the labelling queues. They are fixed when a queue is created.';

-- 273. Run by badger_owner.
-- A comment on queue_items.queue_id.
COMMENT ON COLUMN badger.queue_items.queue_id IS 'The queue.';

-- 274. Run by badger_owner.
-- A comment on queue_items.position.
COMMENT ON COLUMN badger.queue_items.position IS 'Place in the queue, from 1.';

-- 275. Run by badger_owner.
-- A comment on queue_items.case_id.
COMMENT ON COLUMN badger.queue_items.case_id IS 'The question whose answer is labelled.';

-- 276. Run by badger_owner.
-- A comment on the table label_log.
COMMENT ON TABLE badger.label_log IS 'Labels from the web report and from imported files: one row for each label. Rows are appended and never change. The latest row of an annotator for an answer in a queue is used, unless it is skip or withdrawn. If there are several queues, the latest of these is used. It overrides the annotator\'s label in human_labels.';

-- 277. Run by badger_owner.
-- A comment on label_log.label_id.
COMMENT ON COLUMN badger.label_log.label_id IS 'Identifies the label, as its sender named it. A label that is sent twice is stored once.';

-- 278. Run by badger_owner.
-- A comment on label_log.case_id.
COMMENT ON COLUMN badger.label_log.case_id IS 'The question whose answer is labelled.';

-- 279. Run by badger_owner.
-- A comment on label_log.agent_name.
COMMENT ON COLUMN badger.label_log.agent_name IS 'Who answered.';

-- 280. Run by badger_owner.
-- A comment on label_log.agent_version.
COMMENT ON COLUMN badger.label_log.agent_version IS 'Version of the agent.';

-- 281. Run by badger_owner.
-- A comment on label_log.batch_id.
COMMENT ON COLUMN badger.label_log.batch_id IS 'Batch of the answer.';

-- 282. Run by badger_owner.
-- A comment on label_log.annotator.
COMMENT ON COLUMN badger.label_log.annotator IS 'Who labelled the answer.';

-- 283. Run by badger_owner.
-- A comment on label_log.verdict.
COMMENT ON COLUMN badger.label_log.verdict IS 'pass, fail, unsure or another option of the queue, which counts as unsure; skip; or withdrawn, if the annotator removed the label.';

-- 284. Run by badger_owner.
-- A comment on label_log.note.
COMMENT ON COLUMN badger.label_log.note IS 'Why.';

-- 285. Run by badger_owner.
-- A comment on label_log.gold_wrong.
COMMENT ON COLUMN badger.label_log.gold_wrong IS 'Whether the accepted answer is wrong, apart from the verdict.';

-- 286. Run by badger_owner.
-- A comment on label_log.ambiguous.
COMMENT ON COLUMN badger.label_log.ambiguous IS 'Whether the question can be understood in several ways, apart from the verdict.';

-- 287. Run by badger_owner.
-- A comment on label_log.labelled_at.
COMMENT ON COLUMN badger.label_log.labelled_at IS 'When it was received.';

-- 288. Run by badger_owner.
-- A comment on label_log.queue_id.
COMMENT ON COLUMN badger.label_log.queue_id IS 'The queue. NULL if the answer was labelled outside of a queue.';

-- 289. Run by badger_owner.
-- A comment on label_log.answer_hash.
COMMENT ON COLUMN badger.label_log.answer_hash IS 'Identifies the content that the annotator saw: question, accepted answers and the agent\'s answer.';

-- 290. Run by badger_owner.
-- A comment on label_log.decides.
COMMENT ON COLUMN badger.label_log.decides IS 'Whether the verdict adjudicates a disagreement. It then overrides the others.';

-- 291. Run by badger_owner.
-- A comment on the table accepted.
COMMENT ON TABLE badger.accepted IS 'The batches that someone accepted as a baseline: one row for each statement. Rows are appended and never change. The latest row of a batch is used.';

-- 292. Run by badger_owner.
-- A comment on accepted.acceptance_id.
COMMENT ON COLUMN badger.accepted.acceptance_id IS 'Identifies the row.';

-- 293. Run by badger_owner.
-- A comment on accepted.agent_name.
COMMENT ON COLUMN badger.accepted.agent_name IS 'Who answered.';

-- 294. Run by badger_owner.
-- A comment on accepted.agent_version.
COMMENT ON COLUMN badger.accepted.agent_version IS 'Version of the agent.';

-- 295. Run by badger_owner.
-- A comment on accepted.batch_id.
COMMENT ON COLUMN badger.accepted.batch_id IS 'Batch of the answers.';

-- 296. Run by badger_owner.
-- A comment on accepted.withdrawn.
COMMENT ON COLUMN badger.accepted.withdrawn IS 'Whether the row withdraws an earlier acceptance of the batch.';

-- 297. Run by badger_owner.
-- A comment on accepted.accepted_by.
COMMENT ON COLUMN badger.accepted.accepted_by IS 'Who accepted or withdrew it.';

-- 298. Run by badger_owner.
-- A comment on accepted.accepted_at.
COMMENT ON COLUMN badger.accepted.accepted_at IS 'When.';

-- 299. Run by badger_owner.
-- A comment on accepted.note.
COMMENT ON COLUMN badger.accepted.note IS 'Why.';

-- 300. Run by badger_owner.
-- A comment on the table deletions.
COMMENT ON TABLE badger.deletions IS 'The deletions by badger prune: one row for each table, and one for each run whose scores were deleted. Rows have no content of answers, and are never deleted.';

-- 301. Run by badger_owner.
-- A comment on deletions.deletion_id.
COMMENT ON COLUMN badger.deletions.deletion_id IS 'Identifies the call of badger prune.';

-- 302. Run by badger_owner.
-- A comment on deletions.table_name.
COMMENT ON COLUMN badger.deletions.table_name IS 'The table whose rows were deleted.';

-- 303. Run by badger_owner.
-- A comment on deletions.eval_run_id.
COMMENT ON COLUMN badger.deletions.eval_run_id IS 'The run whose scores were deleted as a whole. Empty for other rows.';

-- 304. Run by badger_owner.
-- A comment on deletions.case_id.
COMMENT ON COLUMN badger.deletions.case_id IS 'The case whose rows were deleted. NULL if rows were deleted by age.';

-- 305. Run by badger_owner.
-- A comment on deletions.older_than.
COMMENT ON COLUMN badger.deletions.older_than IS 'The instant before which rows were deleted. NULL if rows of a case were deleted.';

-- 306. Run by badger_owner.
-- A comment on deletions.row_count.
COMMENT ON COLUMN badger.deletions.row_count IS 'Number of rows.';

-- 307. Run by badger_owner.
-- A comment on deletions.digest.
COMMENT ON COLUMN badger.deletions.digest IS 'SHA-256 over the run\'s deleted scores: their keys, versions, values and hashes, without reasons and evidence. badger prune --digest computes it for a run that has scores.';

-- 308. Run by badger_owner.
-- A comment on deletions.status.
COMMENT ON COLUMN badger.deletions.status IS 'started, or done once the rows are deleted. A row that stays started was interrupted; the next call of badger prune deletes the rest.';

-- 309. Run by badger_owner.
-- A comment on deletions.deleted_by.
COMMENT ON COLUMN badger.deletions.deleted_by IS 'Who deleted them.';

-- 310. Run by badger_owner.
-- A comment on deletions.deleted_at.
COMMENT ON COLUMN badger.deletions.deleted_at IS 'When.';

-- 311. Run by badger_owner.
-- A comment on the view latest_scores.
COMMENT ON VIEW badger.latest_scores IS 'The latest score of each answer and metric, from any run, with the status of that run. In sql_safety, an answer without SQL has the status ok, the value 1 and passed: there is nothing to object to.';

-- 312. Run by badger_owner.
-- A comment on the view consensus.
COMMENT ON VIEW badger.consensus IS 'The majority label of each answer: passes is 1 or 0, and NULL if annotators are divided.';

-- 313. Run by badger_owner.
-- A comment on the view complexity.
COMMENT ON VIEW badger.complexity IS 'The complexity tier of each question, from its latest score.';

-- 314. Run by badger_owner.
-- A comment on the view coverage.
COMMENT ON VIEW badger.coverage IS 'The outcomes of an agent\'s questions, by metric and batch. unanswered counts the answers that lack what the metric needs of the agent, and the questions that have no answer: those that a run recorded, or else those of golden_set. pass_rate counts unanswered ones as not passed. coverage is the share of scored ones among those that the metric applies to. rate_of_all counts failed, unanswered and abstained ones as not passed.';

-- 315. Run by badger_owner.
-- A comment on the view versions_by_metric.
COMMENT ON VIEW badger.versions_by_metric IS 'Version against version, by metric and complexity tier: scored is the number of answers with a value, answered the number of answers; a missing answer counts as 0 and does not pass. unfinished counts the values from runs that are not done. The view coverage shows the outcomes of the others.';

-- 316. Run by badger_owner.
-- A comment on the view agreement.
COMMENT ON VIEW badger.agreement IS 'How often each metric gives the verdict that most annotators give.';

-- 317. Run by badger_owner.
-- A comment on the view degradation.
COMMENT ON VIEW badger.degradation IS 'The latest batch of each agent against the latest batch before it that has scores, by metric, all versions of the agent together. A missing answer does not pass. pass_rate_change is below 0 if fewer answers pass; failed counts scores that failed. Alerts read this view.';

-- 318. Run by badger_owner.
-- A comment on the view backlog.
COMMENT ON VIEW badger.backlog IS 'The answers that the scheduled evaluation has still to score, by batch: those that lack a score of a metric of the schedule, from its since_day on or without a date, and the rest of an interrupted call. waiting_since is the earliest day of an answer without scores, last_attempt_at the last call that tried to score the batch, and last_error why it failed; NULL if it is running or was interrupted.';

-- 319. Run by badger_owner.
-- A comment on the view open_facts.
COMMENT ON VIEW badger.open_facts IS 'What alerts report and is true now: the last evaluation failed or was interrupted, answers of a batch could not be scored, or fewer answers of the latest batch pass, or more failed, than in the batch before. Batches with a backlog are not compared. A failure with another start of its message (60 characters) is another fact.';

-- 320. Run by badger_owner.
-- A comment on the view latest_run.
COMMENT ON VIEW badger.latest_run IS 'The latest run of each agent, version and batch, with its outcome and its scores. pass_rate is of the verdicts of all metrics together; the view coverage has it by metric.';

-- 321. Run by badger_owner.
-- A comment on the view versions_by_batch.
COMMENT ON VIEW badger.versions_by_batch IS 'Version against version, by metric, complexity tier, batch, and the date of the run that the score is from. A missing answer counts as 0 and does not pass.';

-- 322. Run by badger_owner.
-- A comment on the view worst_cases.
COMMENT ON VIEW badger.worst_cases IS 'The scored answers of each agent, version, batch and metric, the worst first: place 1 did not pass and has the lowest value. Metrics without a verdict and answers that passed with the value 1 are left out.';

-- 323. Run by badger_owner.
-- A comment on the view judge_cost.
COMMENT ON VIEW badger.judge_cost IS 'Judge calls and tokens for the scores of each run, by agent, version, batch and metric, including cached replies. uncounted is the number of scores whose tokens are unknown. The amount paid is in eval_runs.cost.';

-- 324. Run by badger_owner.
-- A comment on the view failures_by_reason.
COMMENT ON VIEW badger.failures_by_reason IS 'Why scores failed or are missing: the latest scores that failed, abstained or do not apply, by metric and reason, with one of the cases.';

-- 325. Run by badger_owner.
-- A comment on the view suspect_golds.
COMMENT ON VIEW badger.suspect_golds IS 'Questions whose accepted answer may be wrong, one row for each reason: gold_error (the accepted query failed), gold_empty (its result is empty or all NULL and an answer\'s is not), gold_x and gold_flex (ROSE\'s Refuter, or FLEX, found it wrong), gold_literal (its query compares with a string that neither question nor evidence contains, and the answer\'s with one that they contain), gold_logic (its query contradicts the question or has a clause without effect), people (most annotators pass an answer that the metric verdict or ex_multiset fails), answers_agree (at least two agents, or versions whose SQL differs, answered, and all of them fail). answers counts the answers that speak for the reason.';

-- 326. Run by badger_owner.
-- A comment on the view trend.
COMMENT ON VIEW badger.trend IS 'Each metric over time, by batch, version and tier. dated_at is when a run first evaluated the batch. A missing answer counts as 0 and does not pass. p90 is the value that nine in ten scores do not exceed (nearest rank). metric_versions, configurations and judges count what the scores were made with: above 1, or other than in the batch before, the figures are not comparable.';

-- 327. Run by badger_owner.
-- A comment on the view batch_changes.
COMMENT ON VIEW badger.batch_changes IS 'Each batch against the one before it of the same version (for the first of a version: the last of another version of the agent), by metric, on the cases that both have. Cases whose question, metric version, configuration (any part of it) or judge changed are counted and not compared. A missing answer counts as 0 and as not passed, but has no value if lower is better. z is McNemar\'s (fixed - broken) / sqrt(fixed + broken): below -1.96, more answers broke than chance explains. The command badger compare has exact tests, adjusted for many metrics, dates batches by agent_runs.ran_at, and looks only at the configuration that a metric reads.';

-- 328. Run by badger_owner.
-- A comment on the view failure_labels.
COMMENT ON VIEW badger.failure_labels IS 'Causes of failures, a row for each answer and label: the issues of the SQL judge (kind issue), FLEX\'s errors and its reasons why right answers differ (error, difference), the relation between the results that explains most (relation), STEF\'s status of the filters (filters), ROSE\'s diagnoses (diagnosis), answers that refusal rejects (refusal), and what SQL would do other than read (safety). An answer may have several.';

-- 329. Run by badger_owner.
-- A comment on the view failures_by_label.
COMMENT ON VIEW badger.failures_by_label IS 'The labels of failure_labels, counted by version, batch and tier, with one of the cases.';

-- 330. Run by badger_owner.
-- A comment on the view ambiguous_questions.
COMMENT ON VIEW badger.ambiguous_questions IS 'Questions that a judge found ambiguous, one row for each reason: amb_q and amb_schema (ROSE\'s Refuter calls the question, or the schema, ambiguous), amb_flex (FLEX finds several answers available).';

-- 331. Run by badger_owner.
-- A comment on the view ex_discordance.
COMMENT ON VIEW badger.ex_discordance IS 'Where execution accuracy (ex_bird or ex_multiset) and another verdict (verdict, rose or flex) differ, by tier and by ROSE\'s Refuter: gold_x, amb_q or neither. false_positives pass by execution accuracy alone, false_negatives by the other verdict alone.';

-- 332. Run by badger_owner.
-- A comment on the view system_ranks.
COMMENT ON VIEW badger.system_ranks IS 'The versions of all agents by each metric, on the cases for which all versions with values of the metric have one, using the latest answer of each. Place 1 has the highest mean, or the lowest in latency_overhead and sql_judge_issues; a view cannot know in which direction your own metrics are better, and places the highest first. A missing answer counts as 0, but has no value if lower is better. Versions that share no case have no row. The command badger rank also leaves out cases whose scores were made in different ways, takes all versions or those of --systems, and gives equal means the mean of their places.';

-- 333. Run by badger_owner.
-- A comment on the view turns.
COMMENT ON VIEW badger.turns IS 'Right answers by the position of the question in its conversation, by agent, version, batch and metric. A missing answer is wrong and counts as 0, but has no value if lower is better.';

-- 334. Run by badger_owner.
-- A comment on the view conversations.
COMMENT ON VIEW badger.conversations IS 'Whole conversations, by agent, version, batch and metric: all_right is 1 if every turn passed, 0 if one did not or could not be scored, and NULL without such turns; turns that the metric does not apply to are left out. first_wrong_turn is the first turn that did not pass. A missing answer did not pass.';

-- 335. Run by badger_owner.
-- A comment on the view cost_by_version.
COMMENT ON VIEW badger.cost_by_version IS 'What the answers of agent_runs took, by agent, version, batch and metric with verdicts. cost_usd, tokens_in and tokens_out are sums of the known values, and with_cost, with_tokens_in and with_tokens_out count these. right_answers passed the metric. cost_per_right is cost_usd, the known cost of right and wrong answers, divided by right_with_cost, the right answers with a known cost, and rounded to 12 decimals. place is 1 for the latest batch of the version. The command badger compare has medians, P95 and tests.';

-- 336. Run by a superuser.
-- badger_reader finds the schema.
GRANT USAGE ON SCHEMA badger TO ROLE badger_reader;

-- 337. Run by a superuser.
-- badger_annotator finds the schema.
GRANT USAGE ON SCHEMA badger TO ROLE badger_annotator;

-- 338. Run by badger_owner.
-- The reader reads scores.
GRANT SELECT ON badger.scores TO ROLE badger_reader;

-- 339. Run by badger_owner.
-- The reader reads eval_runs.
GRANT SELECT ON badger.eval_runs TO ROLE badger_reader;

-- 340. Run by badger_owner.
-- The reader reads run_log.
GRANT SELECT ON badger.run_log TO ROLE badger_reader;

-- 341. Run by badger_owner.
-- The reader reads schedule.
GRANT SELECT ON badger.schedule TO ROLE badger_reader;

-- 342. Run by badger_owner.
-- The reader reads alerts.
GRANT SELECT ON badger.alerts TO ROLE badger_reader;

-- 343. Run by badger_owner.
-- The reader reads latest_scores.
GRANT SELECT ON badger.latest_scores TO ROLE badger_reader;

-- 344. Run by badger_owner.
-- The reader reads consensus.
GRANT SELECT ON badger.consensus TO ROLE badger_reader;

-- 345. Run by badger_owner.
-- The reader reads complexity.
GRANT SELECT ON badger.complexity TO ROLE badger_reader;

-- 346. Run by badger_owner.
-- The reader reads coverage.
GRANT SELECT ON badger.coverage TO ROLE badger_reader;

-- 347. Run by badger_owner.
-- The reader reads versions_by_metric.
GRANT SELECT ON badger.versions_by_metric TO ROLE badger_reader;

-- 348. Run by badger_owner.
-- The reader reads agreement.
GRANT SELECT ON badger.agreement TO ROLE badger_reader;

-- 349. Run by badger_owner.
-- The reader reads degradation.
GRANT SELECT ON badger.degradation TO ROLE badger_reader;

-- 350. Run by badger_owner.
-- The reader reads backlog.
GRANT SELECT ON badger.backlog TO ROLE badger_reader;

-- 351. Run by badger_owner.
-- The reader reads open_facts.
GRANT SELECT ON badger.open_facts TO ROLE badger_reader;

-- 352. Run by badger_owner.
-- The reader reads latest_run.
GRANT SELECT ON badger.latest_run TO ROLE badger_reader;

-- 353. Run by badger_owner.
-- The reader reads versions_by_batch.
GRANT SELECT ON badger.versions_by_batch TO ROLE badger_reader;

-- 354. Run by badger_owner.
-- The reader reads worst_cases.
GRANT SELECT ON badger.worst_cases TO ROLE badger_reader;

-- 355. Run by badger_owner.
-- The reader reads judge_cost.
GRANT SELECT ON badger.judge_cost TO ROLE badger_reader;

-- 356. Run by badger_owner.
-- The reader reads failures_by_reason.
GRANT SELECT ON badger.failures_by_reason TO ROLE badger_reader;

-- 357. Run by badger_owner.
-- The reader reads suspect_golds.
GRANT SELECT ON badger.suspect_golds TO ROLE badger_reader;

-- 358. Run by badger_owner.
-- The reader reads trend.
GRANT SELECT ON badger.trend TO ROLE badger_reader;

-- 359. Run by badger_owner.
-- The reader reads batch_changes.
GRANT SELECT ON badger.batch_changes TO ROLE badger_reader;

-- 360. Run by badger_owner.
-- The reader reads failure_labels.
GRANT SELECT ON badger.failure_labels TO ROLE badger_reader;

-- 361. Run by badger_owner.
-- The reader reads failures_by_label.
GRANT SELECT ON badger.failures_by_label TO ROLE badger_reader;

-- 362. Run by badger_owner.
-- The reader reads ambiguous_questions.
GRANT SELECT ON badger.ambiguous_questions TO ROLE badger_reader;

-- 363. Run by badger_owner.
-- The reader reads ex_discordance.
GRANT SELECT ON badger.ex_discordance TO ROLE badger_reader;

-- 364. Run by badger_owner.
-- The reader reads system_ranks.
GRANT SELECT ON badger.system_ranks TO ROLE badger_reader;

-- 365. Run by badger_owner.
-- The reader reads turns.
GRANT SELECT ON badger.turns TO ROLE badger_reader;

-- 366. Run by badger_owner.
-- The reader reads conversations.
GRANT SELECT ON badger.conversations TO ROLE badger_reader;

-- 367. Run by badger_owner.
-- The reader reads cost_by_version.
GRANT SELECT ON badger.cost_by_version TO ROLE badger_reader;

-- 368. Run by badger_owner.
-- The annotator reads and writes labels, and nothing else.
GRANT SELECT, INSERT, UPDATE ON badger.human_labels TO ROLE badger_annotator;

-- 369. Run by badger_owner.
-- The lock of the evaluation.
INSERT INTO badger.run_locks (name) SELECT 'evaluate' WHERE NOT EXISTS (SELECT 1 FROM badger.run_locks WHERE name = 'evaluate');

-- 370. Run by badger_owner.
-- The schedule: answers of the 30 days before the last complete call, and later ones, are scored.
INSERT INTO badger.schedule (metric, since_day) SELECT '', TO_CHAR(DATEADD(day, -30, SYSDATE), 'YYYY-MM-DD') WHERE NOT EXISTS (SELECT 1 FROM badger.schedule WHERE metric = '');

-- 371. Run by badger_owner.
-- A drop of a pass rate by 0.05 raises an alert. The look-back may start earlier than before.
UPDATE badger.schedule SET since_day = LEAST(since_day, TO_CHAR(DATEADD(day, -30, SYSDATE), 'YYYY-MM-DD')), pass_rate_drop = 0.05 WHERE metric = '';

-- 372. Run by badger_owner.
-- Stores each new fact of open_facts as an alert, and marks those that are no longer true as resolved. It fails with the new alerts, once for each, so that the schedule that calls it sends its notification. Call it outside a transaction.
CREATE OR REPLACE PROCEDURE badger.send_alerts() NONATOMIC AS $$
DECLARE
  v_new varchar(65535);
BEGIN
  DROP TABLE IF EXISTS badger_facts;
  CREATE TEMP TABLE badger_facts AS SELECT * FROM badger.open_facts;
  UPDATE badger.alerts SET resolved_at = SYSDATE WHERE resolved_at IS NULL AND fact NOT IN (SELECT fact FROM badger_facts);
  INSERT INTO badger.alerts (alert_id, kind, fact, agent_name, agent_version, batch_id, metric, message, raised_at, resolved_at, sent_at)
    SELECT md5(f.fact || SYSDATE::varchar), f.kind, f.fact, f.agent_name, f.agent_version, f.batch_id, f.metric, LEFT(f.message, 1000), SYSDATE, NULL, NULL
    FROM badger_facts f LEFT JOIN badger.alerts a ON a.fact = f.fact AND a.resolved_at IS NULL WHERE a.fact IS NULL;
  DROP TABLE IF EXISTS badger_new;
  CREATE TEMP TABLE badger_new AS SELECT alert_id, raised_at, LEFT(message, 300) AS message FROM badger.alerts WHERE sent_at IS NULL ORDER BY raised_at, alert_id LIMIT 50;
  UPDATE badger.alerts SET sent_at = SYSDATE WHERE alert_id IN (SELECT alert_id FROM badger_new);
  SELECT INTO v_new LISTAGG(message, ' / ') WITHIN GROUP (ORDER BY raised_at, alert_id) FROM badger_new;
  IF v_new <> '' THEN
    RAISE EXCEPTION '%', v_new;
  END IF;
END
$$ LANGUAGE plpgsql;

-- 373. Run by badger_owner.
-- A new procedure may be called by everyone until that is taken away. It needs the rights of the owner.
REVOKE ALL ON PROCEDURE badger.send_alerts() FROM PUBLIC;

-- 374. Run by badger_owner.
-- Scores the answers that have no score: CALL badger.evaluate(NULL, NULL) those since schedule.since_day, those without a date, and what an earlier call left; CALL badger.evaluate('BATCH', 'METRIC,METRIC') those of a batch. 100 answers at a time are stored. A call to badger scores one metric, because its result holds 65535 bytes at most. Call it outside a transaction.
CREATE OR REPLACE PROCEDURE badger.evaluate(v_batch varchar(65535), v_asked varchar(65535)) NONATOMIC AS $$
DECLARE
  v_me varchar(64) := md5(random()::varchar || getdate()::varchar || pg_backend_pid()::varchar);
  v_scheduled boolean := v_batch IS NULL AND v_asked IS NULL;
  v_started timestamp := SYSDATE;
  v_settings varchar(65535);
  v_probe varchar(65535);
  v_versions varchar(65535);
  v_run varchar(200);
  v_event varchar(20);
  v_resumed boolean := FALSE;
  v_last varchar(65535) := '';
  v_key varchar(65535);
  v_size int := 100;
  v_n int := 0;
  v_done int := 0;
  v_left_out int := 0;
  v_given_up int := 0;
  v_in_a_row int := 0;
  v_held int;
  v_problem varchar(1000);
  v_last_problem varchar(1000);
  v_fatal varchar(1000);
BEGIN
  -- Whoever is silent for 60 minutes loses the lock. Slices are stored under it only.
  BEGIN
    UPDATE badger.run_locks SET holder = v_me, taken_at = SYSDATE, beat_at = SYSDATE
    WHERE name = 'evaluate' AND (holder IS NULL OR beat_at < DATEADD(minute, -60, SYSDATE));
  EXCEPTION WHEN OTHERS THEN
    v_problem := SQLERRM;
  END;
  SELECT INTO v_n COUNT(*) FROM badger.run_locks WHERE name = 'evaluate' AND holder = v_me;
  IF v_n = 0 THEN
    INSERT INTO badger.run_log (entry_id, logged_at, event, message, batch_id) SELECT md5(v_me || 'refused'), SYSDATE, 'refused', v_problem, v_batch;
    RAISE EXCEPTION 'another evaluation is running';
  END IF;
  BEGIN
    INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, batch_id, message)
      SELECT md5(v_me || 'interrupted'), SYSDATE, l.eval_run_id, 'interrupted', l.batch_id, 'the call before was interrupted'
      FROM (SELECT eval_run_id, batch_id, event, ROW_NUMBER() OVER (ORDER BY logged_at DESC) AS newest FROM badger.run_log WHERE event IN ('began', 'resumed', 'done', 'idle', 'run failed', 'interrupted')) l
      WHERE l.newest = 1 AND l.event IN ('began', 'resumed');
    INSERT INTO badger.run_log (entry_id, logged_at, event, answers, agent_name, agent_version, batch_id)
      SELECT md5(v_me || 'batch began' || b.agent_name || CHR(31) || b.agent_version || CHR(31) || b.batch_id), SYSDATE, 'batch began', b.answers, b.agent_name, b.agent_version, b.batch_id
      FROM badger.backlog b WHERE v_batch IS NULL OR b.batch_id = v_batch;
    SELECT INTO v_settings badger.run_settings(COALESCE(v_asked, 'small,large'));
    v_fatal := json_extract_path_text(v_settings, 'reason', TRUE);
    IF v_fatal = '' THEN
      v_fatal := NULL;
    END IF;
    v_versions := json_extract_path_text(v_settings, 'versions');
    DROP TABLE IF EXISTS badger_metrics;
    CREATE TEMP TABLE badger_metrics AS SELECT m::varchar AS metric FROM (SELECT JSON_PARSE(json_extract_path_text(v_settings, 'metrics')) AS a) t, t.a AS m;
    IF v_scheduled AND v_fatal IS NULL THEN
      DELETE FROM badger.schedule WHERE metric <> '' AND metric NOT IN (SELECT metric FROM badger_metrics);
      INSERT INTO badger.schedule (metric) SELECT m.metric FROM badger_metrics m LEFT JOIN badger.schedule t ON t.metric = m.metric WHERE t.metric IS NULL;
    END IF;
    -- A run that was left goes on where it was to score the same metrics of the same versions.
    SELECT INTO v_run MAX(eval_run_id) FROM badger.eval_runs
    WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed') AND JSON_SERIALIZE(versions) = JSON_SERIALIZE(JSON_PARSE(v_versions)) AND (v_batch IS NULL OR batch_id = v_batch);
    v_resumed := v_run IS NOT NULL;
    v_run := COALESCE(v_run, 'evaluate-' || TO_CHAR(SYSDATE, 'YYYYMMDD"T"HH24MISS') || '-' || LEFT(v_me, 6));
    v_event := CASE WHEN v_resumed THEN 'resumed' ELSE 'began' END;
    INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, batch_id) SELECT md5(v_me || 'begin'), SYSDATE, v_run, v_event, v_batch;
  EXCEPTION WHEN OTHERS THEN
    v_fatal := LEFT(SQLERRM, 1000);
  END;

  WHILE v_fatal IS NULL LOOP
    v_problem := NULL;
    BEGIN
      DROP TABLE IF EXISTS badger_answers;
      CREATE TEMP TABLE badger_answers AS
        SELECT t.*, agent_name || CHR(31) || agent_version || CHR(31) || batch_id || CHR(31) || case_id AS k
        FROM (SELECT COALESCE(CAST(agent_name AS varchar(65535)), '') AS agent_name, COALESCE(CAST(agent_version AS varchar(65535)), '') AS agent_version, COALESCE(CAST(batch_id AS varchar(65535)), '') AS batch_id,
                     COALESCE(CAST(case_id AS varchar(65535)), '') AS case_id, ran_at, sql, CASE WHEN CAST(ran_at AS varchar(65535)) LIKE '____-__-__%' THEN SUBSTR(CAST(ran_at AS varchar(65535)), 1, 10) END AS run_day FROM badger.agent_runs) t
        QUALIFY ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) = 1;
      DROP TABLE IF EXISTS badger_slice;
      CREATE TEMP TABLE badger_slice AS
        WITH interrupted AS (
          SELECT DISTINCT agent_name, batch_id FROM badger.eval_runs WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed')
        ), running AS ( -- by badger run
          SELECT DISTINCT r.agent_name, r.agent_version, r.batch_id
          FROM badger.eval_runs r LEFT JOIN (SELECT eval_run_id, MAX(scored_at) AS last_at FROM badger.scores GROUP BY eval_run_id) l ON l.eval_run_id = r.eval_run_id
          WHERE r.status = 'running' AND r.eval_run_id NOT LIKE 'evaluate-%'
            AND (r.eval_run_date > DATEADD(minute, -60, SYSDATE) OR l.last_at > DATEADD(minute, -60, SYSDATE))
        ), owed AS (
          SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id
          FROM badger_answers a CROSS JOIN (SELECT COALESCE(MAX(since_day), '') AS since_day FROM badger.schedule) w
          LEFT JOIN interrupted i ON i.agent_name = a.agent_name AND i.batch_id = a.batch_id
          LEFT JOIN running r ON r.agent_name = a.agent_name AND r.agent_version = a.agent_version AND r.batch_id = a.batch_id
          WHERE a.batch_id = v_batch OR v_batch IS NULL AND r.batch_id IS NULL AND (a.run_day IS NULL OR a.run_day >= w.since_day OR i.batch_id IS NOT NULL)
        ), missing AS (
          SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id, m.metric, DENSE_RANK() OVER (ORDER BY a.k) AS place
          FROM owed a CROSS JOIN badger_metrics m
          LEFT JOIN badger.scores s ON s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id AND s.metric = m.metric
          WHERE s.metric IS NULL AND a.k > v_last
        )
        SELECT k, agent_name, agent_version, batch_id, case_id, metric FROM missing WHERE place <= v_size;
      SELECT INTO v_n, v_key COUNT(DISTINCT k), MAX(k) FROM badger_slice;
      IF v_n > 0 THEN
        DROP TABLE IF EXISTS badger_scored;
        CREATE TEMP TABLE badger_scored AS
          WITH golden AS (
            SELECT COALESCE(CAST(case_id AS varchar(65535)), '') AS id, COALESCE(CAST(set_version AS varchar(65535)), '') AS version, COUNT(*) OVER (PARTITION BY id, version) AS copies,
              OBJECT('case_id', case_id, 'question', question, 'evidence', evidence, 'schema_ddl', schema_ddl, 'dialect', dialect, 'gold_sql', gold_sql, 'gold_result', gold_result, 'expected_tools', expected_tools, 'expected_clarifications', expected_clarifications, 'expected_behaviour', expected_behaviour, 'tags', tags, 'set_version', set_version, 'gold_latency_ms', gold_latency_ms, 'gold_error', gold_error, 'alternatives', alternatives, 'database_name', database_name, 'metric_options', metric_options, 'gold_chart', gold_chart) AS row
            FROM badger.golden_set
            -- v10 comes after v9: runs of digits count as numbers.
            QUALIFY ROW_NUMBER() OVER (PARTITION BY id ORDER BY REGEXP_REPLACE(REGEXP_REPLACE(version, '([0-9]+)', '0000000000000000000000000000000000000000$1'), '[0-9]*([0-9]{40})', '$1') DESC, version DESC) = 1
          ), runs AS (
            SELECT COALESCE(CAST(agent_name AS varchar(65535)), '') || CHR(31) || COALESCE(CAST(agent_version AS varchar(65535)), '') || CHR(31) || COALESCE(CAST(batch_id AS varchar(65535)), '') || CHR(31) || COALESCE(CAST(case_id AS varchar(65535)), '') AS k,
              OBJECT('agent_name', agent_name, 'agent_version', agent_version, 'batch_id', batch_id, 'case_id', case_id, 'interpretation', interpretation, 'sql', sql, 'result', result, 'sql_error', sql_error, 'tool_calls', tool_calls, 'response', response, 'latency_ms', latency_ms, 'gold_latency_ms', gold_latency_ms, 'ran_at', ran_at, 'conversation_id', conversation_id, 'turn', turn, 'earlier_turns', earlier_turns, 'tokens_in', tokens_in, 'tokens_out', tokens_out, 'cost_usd', cost_usd, 'chart', chart, 'contexts', contexts) AS row
            FROM badger.agent_runs
            QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ran_at, sql) = 1
          )
          SELECT p.agent_name, p.agent_version, p.batch_id, p.case_id,
                 JSON_PARSE(badger.score_row(JSON_SERIALIZE(OBJECT('run', r.row, 'golden', g.row, 'copies', COALESCE(g.copies, 0))), p.metric)) AS result
          FROM badger_slice p JOIN runs r ON r.k = p.k LEFT JOIN golden g ON g.id = p.case_id;
        START TRANSACTION;
        UPDATE badger.run_locks SET beat_at = SYSDATE WHERE name = 'evaluate' AND holder = v_me;
        GET DIAGNOSTICS v_held = ROW_COUNT;
        IF v_held = 0 THEN
          v_fatal := 'another call has taken the lock, because this one was silent for too long';
          RAISE EXCEPTION '%', v_fatal;
        END IF;
        INSERT INTO badger.eval_runs (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
          SELECT v_run, s.agent_name, s.agent_version, s.batch_id, SYSDATE, 'both', JSON_PARSE(json_extract_path_text(v_settings, 'config')), json_extract_path_text(v_settings, 'judge'), JSON_PARSE(v_versions), 'running'
          FROM (SELECT DISTINCT agent_name, agent_version, batch_id FROM badger_slice) s
          LEFT JOIN badger.eval_runs t ON t.eval_run_id = v_run AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id
          WHERE t.eval_run_id IS NULL;
        -- These answers have no score of these metrics, so that nothing is there to be replaced.
        INSERT INTO badger.scores (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, metric_version, status, value, label, passed, reason, detail, assessment_ids, config_hash, scored_at, code, usage, gold_hash, answer_hash)
          SELECT v_run, p.case_id, p.agent_name, p.agent_version, p.batch_id, s.metric::varchar, s.metric_version::bigint, s.status::varchar, s.value::double precision, s.label::varchar(65535), s.passed::boolean,
                 s.reason::varchar(65535), s.detail, s.assessment_ids, s.config_hash::varchar, SYSDATE, s.code::varchar, s.usage, s.gold_hash::varchar, s.answer_hash::varchar
          FROM badger_scored p, p.result AS s WHERE s.metric IS NOT NULL;
        COMMIT;
      END IF;
    EXCEPTION WHEN OTHERS THEN
      v_problem := LEFT(SQLERRM, 1000);
    END;
    IF v_fatal IS NULL AND v_problem IS NOT NULL THEN
      IF v_size > 1 THEN
        INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, answers, message) SELECT md5(v_me || v_last || 'slice'), SYSDATE, v_run, 'slice failed', v_size, v_problem;
      END IF;
      BEGIN -- a server that is away is no fault of an answer
        SELECT INTO v_probe badger.run_settings(COALESCE(v_asked, 'small,large'));
      EXCEPTION WHEN OTHERS THEN
        v_fatal := v_problem;
      END;
    END IF;
    EXIT WHEN v_fatal IS NOT NULL;
    IF v_problem IS NULL THEN
      EXIT WHEN v_n = 0;
      v_last := v_key;
      v_done := v_done + v_n;
      v_in_a_row := 0;
      v_size := 100;
    ELSIF v_size > 1 THEN
      v_size := 1; -- one by one, to find the answer that cannot be scored
      v_key := NULL;
    ELSIF v_key IS NULL OR v_key = v_last THEN
      v_fatal := v_problem;
    ELSE
      INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
        SELECT DISTINCT md5(v_me || v_last || 'answer'), SYSDATE, v_run, 'answer failed', case_id, 1, v_problem, agent_name, agent_version, batch_id FROM badger_slice;
      v_last_problem := v_problem;
      v_left_out := v_left_out + 1;
      v_in_a_row := v_in_a_row + 1;
      v_last := v_key;
      IF v_in_a_row >= 10 THEN
        v_fatal := v_problem;
      END IF;
    END IF;
  END LOOP;

  IF v_left_out > 0 THEN
    BEGIN
      -- An answer that fails by itself in 3 calls is not tried again: its scores are failed, with the reason.
      DROP TABLE IF EXISTS badger_given_up;
      CREATE TEMP TABLE badger_given_up AS
        SELECT agent_name, agent_version, batch_id, case_id, MAX(message) AS message
        FROM badger.run_log WHERE event = 'answer failed' AND agent_name IS NOT NULL GROUP BY agent_name, agent_version, batch_id, case_id HAVING COUNT(*) >= 3 AND MAX(logged_at) >= v_started;
      INSERT INTO badger.eval_runs (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
        SELECT v_run, s.agent_name, s.agent_version, s.batch_id, SYSDATE, 'both', JSON_PARSE(json_extract_path_text(v_settings, 'config')), json_extract_path_text(v_settings, 'judge'), JSON_PARSE(v_versions), 'running'
        FROM (SELECT DISTINCT agent_name, agent_version, batch_id FROM badger_given_up) s
        LEFT JOIN badger.eval_runs t ON t.eval_run_id = v_run AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id
        WHERE t.eval_run_id IS NULL;
      INSERT INTO badger.scores (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, status, reason, code, scored_at)
        SELECT v_run, g.case_id, g.agent_name, g.agent_version, g.batch_id, m.metric, 'failed', g.message, 'unknown', SYSDATE
        FROM badger_given_up g CROSS JOIN badger_metrics m
        LEFT JOIN badger.scores s ON s.agent_name = g.agent_name AND s.agent_version = g.agent_version AND s.batch_id = g.batch_id AND s.case_id = g.case_id AND s.metric = m.metric
        WHERE s.metric IS NULL;
      INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
        SELECT md5(v_me || 'not retried' || agent_name || CHR(31) || agent_version || CHR(31) || batch_id || CHR(31) || case_id), SYSDATE, v_run, 'not retried', case_id, 1, message, agent_name, agent_version, batch_id FROM badger_given_up;
      SELECT INTO v_given_up COUNT(*) FROM badger_given_up;
    EXCEPTION WHEN OTHERS THEN
      v_fatal := COALESCE(v_fatal, LEFT(SQLERRM, 1000));
    END;
    IF v_fatal IS NULL AND v_left_out > v_given_up THEN
      v_fatal := LEFT((v_left_out - v_given_up)::varchar || ' answers could not be scored; the reason of the last one: ' || v_last_problem, 1000);
    END IF;
  END IF;
  IF v_run IS NOT NULL THEN
    UPDATE badger.eval_runs SET status = CASE WHEN v_fatal IS NULL THEN 'done' ELSE 'failed' END, counts = JSON_PARSE(s.counts), tokens = JSON_PARSE(s.tokens)
    FROM (
      SELECT agent_name, agent_version, batch_id, '{' || LISTAGG('"' || status || '":' || n::varchar, ',') WITHIN GROUP (ORDER BY status) || '}' AS counts,
             '{"calls":' || SUM(calls)::varchar || ',"in":' || SUM(tokens_in)::varchar || ',"out":' || SUM(tokens_out)::varchar || '}' AS tokens
      FROM (
        SELECT agent_name, agent_version, batch_id, status, COUNT(*) AS n, COALESCE(SUM(usage.calls::bigint), 0) AS calls,
               COALESCE(SUM(GREATEST(usage.tokens_in::bigint, 0)), 0) AS tokens_in, COALESCE(SUM(GREATEST(usage.tokens_out::bigint, 0)), 0) AS tokens_out
        FROM badger.scores WHERE eval_run_id = v_run GROUP BY agent_name, agent_version, batch_id, status) c
      GROUP BY agent_name, agent_version, batch_id) s
    WHERE eval_runs.eval_run_id = v_run AND eval_runs.agent_name = s.agent_name AND eval_runs.agent_version = s.agent_version AND eval_runs.batch_id = s.batch_id
      AND (v_batch IS NULL OR eval_runs.batch_id = v_batch);
    -- What was left under other versions has been scored by this run.
    IF v_fatal IS NULL AND v_batch IS NULL THEN
      UPDATE badger.eval_runs SET status = 'stopped' WHERE eval_run_id LIKE 'evaluate-%' AND eval_run_id <> v_run AND status IN ('running', 'failed');
    END IF;
    -- The look-back only moves on when nothing is left.
    IF v_fatal IS NULL AND v_scheduled THEN
      UPDATE badger.schedule SET since_day = TO_CHAR(DATEADD(day, -30, SYSDATE), 'YYYY-MM-DD') WHERE metric = '';
    END IF;
  END IF;
  v_event := CASE WHEN v_fatal IS NOT NULL THEN 'run failed' WHEN v_done = 0 AND NOT v_resumed THEN 'idle' ELSE 'done' END;
  INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, answers, message, batch_id) SELECT md5(v_me || 'end'), SYSDATE, v_run, v_event, v_done, v_fatal, v_batch;
  IF v_fatal IS NOT NULL THEN
    INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, answers, message, agent_name, agent_version, batch_id)
      SELECT md5(v_me || 'batch failed' || b.agent_name || CHR(31) || b.agent_version || CHR(31) || b.batch_id), SYSDATE, v_run, 'batch failed', b.answers, v_fatal, b.agent_name, b.agent_version, b.batch_id
      FROM badger.backlog b WHERE v_batch IS NULL OR b.batch_id = v_batch;
  END IF;
  UPDATE badger.run_locks SET holder = NULL WHERE name = 'evaluate' AND holder = v_me;
  IF v_fatal IS NOT NULL THEN
    RAISE EXCEPTION '%', v_fatal;
  END IF;
END
$$ LANGUAGE plpgsql;

-- 375. Run by badger_owner.
-- A new procedure may be called by everyone until that is taken away. It needs the rights of the owner.
REVOKE ALL ON PROCEDURE badger.evaluate(varchar, varchar) FROM PUBLIC;

-- 376. Run by a person, not as SQL.
-- What calls the procedure by night: a schedule of the query editor, or of EventBridge Scheduler with the Data API. Its role needs redshift-data:ExecuteStatement and the owner's rights.
--     schedule: cron(15 3 ? * 2 *), time zone UTC
--     SQL: CALL badger.evaluate(NULL, NULL)
--     aws scheduler create-schedule --name badger-evaluate --schedule-expression 'cron(15 3 ? * 2 *)' --schedule-expression-timezone UTC --flexible-time-window Mode=OFF --target '{"Arn": "arn:aws:scheduler:::aws-sdk:redshiftdata:executeStatement", "RoleArn": "ROLE", "Input": "{\"Sql\": \"CALL badger.evaluate(NULL, NULL)\", \"Database\": \"DATABASE\", \"WorkgroupName\": \"WORKGROUP\"}"}'

-- 377. Run by a person, not as SQL.
-- A second schedule, an hour later. Its statement fails when there are new alerts, with their text, and a fact is reported once. Redshift sends no mail: an EventBridge rule on failed statements passes them on, to an SNS topic of yours. The first schedule fails every night that fails. Without AWS: badger doctor reports the backlog and open alerts.
--     SQL: CALL badger.send_alerts()
--     aws scheduler create-schedule --name badger-alerts --schedule-expression 'AN HOUR LATER' --schedule-expression-timezone UTC --flexible-time-window Mode=OFF --target '{"Arn": "arn:aws:scheduler:::aws-sdk:redshiftdata:executeStatement", "RoleArn": "ROLE", "Input": "{\"Sql\": \"CALL badger.send_alerts()\", \"Database\": \"DATABASE\", \"WorkgroupName\": \"WORKGROUP\", \"StatementName\": \"badger-alerts\", \"WithEvent\": true}"}'
--     aws events put-rule --name badger-alerts --event-pattern '{"source": ["aws.redshift-data"], "detail-type": ["Redshift Data Statement Status Change"], "detail": {"statementName": ["badger-alerts"], "state": ["FAILED"]}}'
--     aws events put-targets --rule badger-alerts --targets 'Id=1,Arn=TOPIC'


-- Drop badger from redshift via lambda. Scores, labels and all other data of badger go too.

-- Run by badger_owner.
DROP PROCEDURE badger.evaluate(varchar, varchar);

-- Run by badger_owner.
DROP PROCEDURE badger.send_alerts();

-- Run by badger_owner.
REVOKE SELECT, INSERT, UPDATE ON badger.human_labels FROM ROLE badger_annotator;

-- Run by badger_owner.
REVOKE SELECT ON badger.cost_by_version FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.conversations FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.turns FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.system_ranks FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.ex_discordance FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.ambiguous_questions FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.failures_by_label FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.failure_labels FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.batch_changes FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.trend FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.suspect_golds FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.failures_by_reason FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.judge_cost FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.worst_cases FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.versions_by_batch FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.latest_run FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.open_facts FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.backlog FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.degradation FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.agreement FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.versions_by_metric FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.coverage FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.complexity FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.consensus FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.latest_scores FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.alerts FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.schedule FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.run_log FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.eval_runs FROM ROLE badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON badger.scores FROM ROLE badger_reader;

-- Run by a superuser.
REVOKE USAGE ON SCHEMA badger FROM ROLE badger_annotator;

-- Run by a superuser.
REVOKE USAGE ON SCHEMA badger FROM ROLE badger_reader;

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
DROP TABLE badger.human_labels;

-- Run by badger_owner.
DROP TABLE badger.agent_runs;

-- Run by badger_owner.
DROP TABLE badger.golden_set;

-- Run by a superuser.
REVOKE USAGE ON SCHEMA badger FROM ROLE badger_caller;

-- Run by badger_owner.
DROP FUNCTION badger.score_row(varchar(65535), varchar(65535));

-- Run by badger_owner.
DROP FUNCTION badger.score_row(varchar(65535));

-- Run by badger_owner.
DROP FUNCTION badger.run_settings(varchar(65535));

-- Run by badger_owner.
DROP FUNCTION badger.large_json(varchar(65535), varchar(65535));

-- Run by badger_owner.
DROP FUNCTION badger.large_json(varchar(65535));

-- Run by badger_owner.
DROP FUNCTION badger.small(varchar(65535), double precision);

-- Run by badger_owner.
DROP FUNCTION badger.badger_version();

-- Run by a superuser.
REVOKE USAGE ON LANGUAGE EXFUNC FROM ROLE badger_owner;

-- Run by a superuser.
REVOKE ALL ON SCHEMA badger FROM ROLE badger_owner;

-- Run by a superuser.
DROP SCHEMA IF EXISTS badger RESTRICT;

-- Run by a superuser.
-- Omit this if the role existed before badger, or has another use.
DROP ROLE badger_annotator FORCE;

-- Run by a superuser.
-- Omit this if the role existed before badger, or has another use.
DROP ROLE badger_reader FORCE;

-- Run by a superuser.
-- Omit this if the role existed before badger, or has another use.
DROP ROLE badger_caller FORCE;

-- Run by a superuser.
-- Omit this if the role existed before badger, or has another use.
DROP ROLE badger_owner FORCE;
