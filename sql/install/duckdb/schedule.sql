{{- define "since"}}{{if .Values.Schedule.Day}}{{lit .Values.Schedule.Day}}{{else}}strftime(timezone('UTC', now()) - INTERVAL {{.Values.Schedule.Since}} DAY, '%Y-%m-%d'){{end}}{{end -}}
--- owner: The schedule: {{.Values.Schedule.Scored}}, and a drop of a pass rate by {{.Values.Schedule.Drop}} raises an alert.
MERGE INTO {{in "schedule"}} t USING (SELECT '' AS metric, {{template "since" .}} AS since_day) s ON t.metric = s.metric
WHEN MATCHED THEN UPDATE SET since_day = {{if .Values.Schedule.Day}}s.since_day{{else}}least(t.since_day, s.since_day){{end}}, pass_rate_drop = {{.Values.Schedule.Drop}}
WHEN NOT MATCHED THEN INSERT (metric, since_day, pass_rate_drop) VALUES (s.metric, s.since_day, {{.Values.Schedule.Drop}})
--- owner: Scores the answers that have no score, as rows of scores: SELECT * FROM {{in "evaluate"}}() those since schedule.since_day and those without a date; {{in "evaluate"}}(batch := 'BATCH', metrics := 'METRIC,METRIC') those of a batch. INSERT INTO {{in "scores"}} SELECT * FROM {{in "evaluate"}}() stores them. A transaction of the file's one writer is the lock.
--- drop: DROP MACRO TABLE IF EXISTS {{in "evaluate"}}
CREATE OR REPLACE MACRO {{in "evaluate"}}(batch := NULL, metrics := {{lit .Metrics}}) AS TABLE
WITH settings AS MATERIALIZED (
  SELECT s, CASE WHEN json_extract_string(s, '$.reason') IS NULL THEN 'evaluate-' || strftime(timezone('UTC', now()), '%Y%m%dT%H%M%S') || '-' || left(md5(txid_current()::VARCHAR || now()::VARCHAR), 6)
    ELSE error(json_extract_string(s, '$.reason')) END AS run
  FROM (SELECT run_settings(metrics) AS s)
), answers AS (
  SELECT *, agent_name || chr(31) || agent_version || chr(31) || batch_id || chr(31) || case_id AS k
  FROM (SELECT {{key "agent_runs" "agent_name"}} AS agent_name, {{key "agent_runs" "agent_version"}} AS agent_version, {{key "agent_runs" "batch_id"}} AS batch_id,
               {{key "agent_runs" "case_id"}} AS case_id, ran_at, sql, {{daytext "agent_runs" "ran_at"}} AS run_day, to_json(r) AS run_json
        FROM {{in "agent_runs"}} r) t
  QUALIFY ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) = 1
), running AS (
  SELECT DISTINCT r.agent_name, r.agent_version, r.batch_id
  FROM {{in "eval_runs"}} r LEFT JOIN (SELECT eval_run_id, MAX(scored_at) AS last_at FROM {{in "scores"}} GROUP BY eval_run_id) l ON l.eval_run_id = r.eval_run_id
  WHERE r.status = 'running' AND r.eval_run_id NOT LIKE 'evaluate-%' AND greatest(r.eval_run_date, l.last_at) > now() - INTERVAL {{.Values.Schedule.Stale}} MINUTE
), owed AS (
  SELECT a.* FROM answers a CROSS JOIN (SELECT COALESCE(MAX(since_day), '') AS since_day FROM {{in "schedule"}}) w
  LEFT JOIN running r ON r.agent_name = a.agent_name AND r.agent_version = a.agent_version AND r.batch_id = a.batch_id
  WHERE a.batch_id = batch OR batch IS NULL AND r.batch_id IS NULL AND (a.run_day IS NULL OR a.run_day >= w.since_day)
), pending AS (
  SELECT a.k, string_agg(m.metric, ',' ORDER BY m.place) AS missing
  FROM owed a
  CROSS JOIN (SELECT unnest(names) AS metric, generate_subscripts(names, 1) AS place FROM (SELECT from_json(json_extract(s, '$.metrics'), '["VARCHAR"]') AS names FROM settings) n) m
  ANTI JOIN {{in "scores"}} s ON s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id AND s.metric = m.metric
  GROUP BY a.k
), golden AS (
  SELECT case_id, golden_json, COUNT(*) OVER (PARTITION BY case_id, set_version) AS copies
  FROM (SELECT {{key "golden_set" "case_id"}} AS case_id, {{key "golden_set" "set_version"}} AS set_version, to_json(g) AS golden_json FROM {{in "golden_set"}} g) t
  QUALIFY ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY regexp_replace(regexp_replace(set_version, '([0-9]+)', '{{.Padding}}\1', 'g'), '[0-9]*([0-9]{40})', '\1', 'g') DESC, set_version DESC) = 1
), scored AS MATERIALIZED (
  SELECT a.*, from_json(score_row(json_object('run', a.run_json, 'golden', g.golden_json, 'copies', COALESCE(g.copies, 0))::VARCHAR, p.missing),
    '[{"metric":"VARCHAR","metric_version":"BIGINT","status":"VARCHAR","value":"DOUBLE","label":"VARCHAR","passed":"BOOLEAN","reason":"VARCHAR","detail":"JSON","assessment_ids":"JSON","config_hash":"VARCHAR","code":"VARCHAR","usage":"JSON","gold_hash":"VARCHAR","answer_hash":"VARCHAR"}]') AS results
  FROM pending p JOIN answers a USING (k) LEFT JOIN golden g ON g.case_id = a.case_id
)
SELECT run AS eval_run_id, case_id, agent_name, agent_version, batch_id, r.metric, r.metric_version, r.status, r.value, r.label, r.passed, r.reason, r.detail, r.assessment_ids, r.config_hash, now() AS scored_at, r.code, r.usage, r.gold_hash, r.answer_hash
FROM (SELECT * EXCLUDE (results), unnest(results) AS r FROM scored) t CROSS JOIN settings
--- owner: What the macro says, for those who look it up.
COMMENT ON MACRO TABLE {{in "evaluate"}} IS {{lit .ProcedureDoc}}
--- owner: The rows of eval_runs of evaluations that have none: INSERT INTO {{in "eval_runs"}} SELECT * FROM {{in "evaluated"}}().
--- drop: DROP MACRO TABLE IF EXISTS {{in "evaluated"}}
CREATE OR REPLACE MACRO {{in "evaluated"}}() AS TABLE
SELECT eval_run_id, agent_name, agent_version, batch_id, MIN(scored_at) AS eval_run_date, 'both' AS mode, json_extract(run_settings(string_agg(DISTINCT metric, ',')), '$.config') AS config,
  json_extract_string(run_settings(string_agg(DISTINCT metric, ',')), '$.judge') AS judge, json_extract(run_settings(string_agg(DISTINCT metric, ',')), '$.versions') AS versions,
  (SELECT ('{' || string_agg('"' || status || '":' || n, ',' ORDER BY status) || '}')::JSON FROM (
    SELECT status, COUNT(*) AS n FROM {{in "scores"}} c WHERE c.eval_run_id = s.eval_run_id AND c.agent_name = s.agent_name AND c.agent_version = s.agent_version AND c.batch_id = s.batch_id GROUP BY status) t) AS counts,
  json_object('calls', COALESCE(SUM((usage ->> 'calls')::BIGINT), 0), 'in', COALESCE(SUM(greatest((usage ->> 'tokens_in')::BIGINT, 0)), 0), 'out', COALESCE(SUM(greatest((usage ->> 'tokens_out')::BIGINT, 0)), 0)) AS tokens,
  NULL::JSON AS cost, 'done' AS status, NULL::TIMESTAMPTZ AS answered_at
FROM {{in "scores"}} s ANTI JOIN {{in "eval_runs"}} e USING (eval_run_id, agent_name, agent_version, batch_id) WHERE eval_run_id LIKE 'evaluate-%' GROUP BY eval_run_id, agent_name, agent_version, batch_id
--- owner: The rows of the table schedule after a call that left nothing: the metrics, and the day from which the next call looks.
--- drop: DROP MACRO TABLE IF EXISTS {{in "scheduled"}}
CREATE OR REPLACE MACRO {{in "scheduled"}}() AS TABLE
SELECT '' AS metric, {{template "since" .}} AS since_day
UNION ALL
SELECT unnest(from_json(json_extract(run_settings({{lit .Metrics}}), '$.metrics'), '["VARCHAR"]')), NULL
--- owner: The rows of run_log for a call that is over, with the batches that it left if it failed: INSERT INTO {{in "run_log"}} SELECT * FROM {{in "logged"}}('PROBLEM').
--- drop: DROP MACRO TABLE IF EXISTS {{in "logged"}}
CREATE OR REPLACE MACRO {{in "logged"}}(problem := NULL) AS TABLE
SELECT uuid()::VARCHAR AS entry_id, now() AS logged_at, NULL::VARCHAR AS eval_run_id, CASE WHEN problem IS NULL THEN 'done' ELSE 'run failed' END AS event, NULL::VARCHAR AS case_id, NULL::BIGINT AS answers, problem::VARCHAR AS message,
  NULL::VARCHAR AS agent_name, NULL::VARCHAR AS agent_version, NULL::VARCHAR AS batch_id
UNION ALL
SELECT uuid()::VARCHAR, now(), NULL, 'batch failed', NULL, answers, problem::VARCHAR, agent_name, agent_version, batch_id FROM {{in "backlog"}} WHERE problem IS NOT NULL
--- owner: New facts of open_facts, as rows of alerts: INSERT INTO {{in "alerts"}} SELECT * FROM {{in "new_alerts"}}() RETURNING message.
--- drop: DROP MACRO TABLE IF EXISTS {{in "new_alerts"}}
CREATE OR REPLACE MACRO {{in "new_alerts"}}() AS TABLE
SELECT uuid()::VARCHAR AS alert_id, f.kind, f.fact, f.agent_name, f.agent_version, f.batch_id, f.metric, left(f.message, 1000) AS message, now() AS raised_at, NULL::TIMESTAMPTZ AS resolved_at, now() AS sent_at
FROM {{in "open_facts"}} f ANTI JOIN (SELECT fact FROM {{in "alerts"}} WHERE resolved_at IS NULL) a ON a.fact = f.fact
{{if .Values.Schedule.Cron -}}
--- hand: DuckDB has no scheduler and no procedures. A line of crontab, whose time zone is the machine's, scores what has no score; a second writer of the file is refused, so that two never run at once.
{{.Values.Schedule.Cron}}  sh badger-nightly.sh FILE
badger-nightly.sh, which prints new alerts, each of them once, so that cron mails them:
    w() { badger sql --db "$FILE" --json --write "$1"; }
    FILE=$1
    { w 'INSERT INTO {{in "scores"}} SELECT * FROM {{in "evaluate"}}()' && w 'INSERT INTO {{in "eval_runs"}} SELECT * FROM {{in "evaluated"}}()' &&
      w 'MERGE INTO {{in "schedule"}} t USING (SELECT * FROM {{in "scheduled"}}()) s ON t.metric = s.metric WHEN MATCHED THEN UPDATE SET since_day = s.since_day WHEN NOT MATCHED THEN INSERT (metric, since_day) VALUES (s.metric, s.since_day) WHEN NOT MATCHED BY SOURCE THEN DELETE' &&
      w 'INSERT INTO {{in "run_log"}} SELECT * FROM {{in "logged"}}()' || w "INSERT INTO {{in "run_log"}} SELECT * FROM {{in "logged"}}('a statement of the nightly evaluation failed')"; } >/dev/null
    w 'UPDATE {{in "alerts"}} SET resolved_at = now() WHERE resolved_at IS NULL AND fact NOT IN (SELECT fact FROM {{in "open_facts"}})' >/dev/null
    w 'INSERT INTO {{in "alerts"}} SELECT * FROM {{in "new_alerts"}}() RETURNING message' | grep -v '"rows":\[\]'
or, with a report and gates, and all batches scored again:  badger run --source duckdb:FILE --quiet
{{end -}}
