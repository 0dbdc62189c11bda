--- owner: Scores the answers that have no score, as rows of scores: SELECT * FROM {{in "evaluate"}}() those of each agent's newest batch; {{in "evaluate"}}(batch := 'BATCH', metrics := 'METRIC,METRIC') those of a batch. INSERT INTO {{in "scores"}} SELECT * FROM {{in "evaluate"}}() stores them. A transaction of the file's one writer is the lock.
--- drop: DROP MACRO TABLE IF EXISTS {{in "evaluate"}}
CREATE OR REPLACE MACRO {{in "evaluate"}}(batch := NULL, metrics := {{lit .Metrics}}) AS TABLE
WITH settings AS MATERIALIZED (
  SELECT s, CASE WHEN json_extract_string(s, '$.reason') IS NULL THEN 'evaluate-' || strftime(timezone('UTC', now()), '%Y%m%dT%H%M%S') || '-' || left(md5(txid_current()::VARCHAR || now()::VARCHAR), 6)
    ELSE error(json_extract_string(s, '$.reason')) END AS run
  FROM (SELECT run_settings(metrics) AS s)
), answers AS (
  SELECT *, agent_name || chr(31) || agent_version || chr(31) || batch_id || chr(31) || case_id AS k
  FROM (SELECT {{key "agent_runs" "agent_name"}} AS agent_name, {{key "agent_runs" "agent_version"}} AS agent_version, {{key "agent_runs" "batch_id"}} AS batch_id,
               {{key "agent_runs" "case_id"}} AS case_id, ran_at, sql, to_json(r) AS run_json
        FROM {{in "agent_runs"}} r) t
  QUALIFY ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) = 1
), scope AS (
  SELECT agent_name, batch_id FROM (SELECT agent_name, batch_id, MAX(ran_at) AS last_at FROM answers GROUP BY ALL) t WHERE batch IS NULL
  QUALIFY ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY last_at DESC NULLS LAST, batch_id DESC) = 1
  UNION
  SELECT agent_name, batch_id FROM answers WHERE batch_id = batch
), pending AS (
  SELECT a.k, string_agg(m.metric, ',' ORDER BY m.place) AS missing
  FROM answers a JOIN scope USING (agent_name, batch_id)
  CROSS JOIN (SELECT unnest(names) AS metric, generate_subscripts(names, 1) AS place FROM (SELECT from_json(json_extract(s, '$.metrics'), '["VARCHAR"]') AS names FROM settings) n) m
  ANTI JOIN {{in "scores"}} s ON s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id AND s.metric = m.metric
  GROUP BY a.k
), golden AS (
  SELECT case_id, golden_json, COUNT(*) OVER (PARTITION BY case_id, set_version) AS copies
  FROM (SELECT {{key "golden_set" "case_id"}} AS case_id, {{key "golden_set" "set_version"}} AS set_version, to_json(g) AS golden_json FROM {{in "golden_set"}} g) t
  QUALIFY ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY regexp_replace(regexp_replace(set_version, '([0-9]+)', '{{.Padding}}\1', 'g'), '[0-9]*([0-9]{40})', '\1', 'g') DESC, set_version DESC) = 1
), scored AS MATERIALIZED (
  SELECT a.*, from_json(score_row(json_object('run', a.run_json, 'golden', g.golden_json, 'copies', COALESCE(g.copies, 0))::VARCHAR, p.missing),
    '[{"metric":"VARCHAR","metric_version":"BIGINT","status":"VARCHAR","value":"DOUBLE","label":"VARCHAR","passed":"BOOLEAN","reason":"VARCHAR","detail":"JSON","assessment_ids":"JSON","config_hash":"VARCHAR","code":"VARCHAR","usage":"JSON","gold_hash":"VARCHAR"}]') AS results
  FROM pending p JOIN answers a USING (k) LEFT JOIN golden g ON g.case_id = a.case_id
)
SELECT run AS eval_run_id, case_id, agent_name, agent_version, batch_id, r.metric, r.metric_version, r.status, r.value, r.label, r.passed, r.reason, r.detail, r.assessment_ids, r.config_hash, now() AS scored_at, r.code, r.usage, r.gold_hash
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
  NULL::JSON AS cost, 'done' AS status
FROM {{in "scores"}} s ANTI JOIN {{in "eval_runs"}} e USING (eval_run_id, agent_name, agent_version, batch_id) WHERE eval_run_id LIKE 'evaluate-%' GROUP BY eval_run_id, agent_name, agent_version, batch_id
{{if .Values.Schedule.Cron -}}
--- hand: DuckDB has no scheduler and no procedures. A line of crontab, whose time zone is the machine's, scores what has no score; a second writer of the file is refused, so that two never run at once.
{{.Values.Schedule.Cron}}  badger sql --db FILE --write 'INSERT INTO {{in "scores"}} SELECT * FROM {{in "evaluate"}}()' && badger sql --db FILE --write 'INSERT INTO {{in "eval_runs"}} SELECT * FROM {{in "evaluated"}}()' || badger sql --db FILE --write "INSERT INTO {{in "run_log"}} (entry_id, logged_at, event) VALUES (uuid(), now(), 'run failed')"
or, with a report and gates, and all batches scored again:  badger run --source duckdb:FILE --quiet
--- hand: What to ask for an alert: it has rows where fewer answers pass than in the batch before.
badger sql --db FILE 'SELECT * FROM {{in "degradation"}} WHERE pass_rate_change <= -{{.Values.Schedule.Drop}} OR failed > failed_before'
{{end -}}
