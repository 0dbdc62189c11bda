-- The tables and views of the first release, as commit 47e6608 created them.
CREATE SCHEMA badger;
CREATE TABLE badger.golden_set (case_id TEXT, question TEXT, evidence TEXT, schema_ddl TEXT, dialect TEXT, gold_sql TEXT, gold_result JSON, expected_tools JSON, expected_clarifications JSON, expected_behaviour TEXT, tags JSON, set_version TEXT, gold_latency_ms DOUBLE PRECISION);
CREATE TABLE badger.agent_runs (agent_name TEXT, agent_version TEXT, batch_id TEXT, case_id TEXT, interpretation TEXT, sql TEXT, result JSON, sql_error TEXT, tool_calls JSON, response TEXT, latency_ms DOUBLE PRECISION, gold_latency_ms DOUBLE PRECISION, ran_at TIMESTAMPTZ, conversation_id TEXT, turn BIGINT);
CREATE TABLE badger.eval_runs (eval_run_id TEXT, agent_name TEXT, agent_version TEXT, batch_id TEXT, eval_run_date TIMESTAMPTZ, mode TEXT, config JSON, judge TEXT, versions JSON, counts JSON, tokens JSON, cost JSON, status TEXT);
CREATE TABLE badger.scores (eval_run_id TEXT, case_id TEXT, agent_name TEXT, agent_version TEXT, batch_id TEXT, metric TEXT, metric_version BIGINT, status TEXT, value DOUBLE PRECISION, label TEXT, passed BOOLEAN, reason TEXT, detail JSON, assessment_ids JSON, config_hash TEXT, scored_at TIMESTAMPTZ, code TEXT);
CREATE TABLE badger.assessments (assessment_id TEXT, kind TEXT, backend TEXT, model TEXT, prompt_version TEXT, request_hash TEXT, reply TEXT, tokens_in BIGINT, tokens_out BIGINT, latency_ms BIGINT, created_at TIMESTAMPTZ, detail JSON);
CREATE TABLE badger.human_labels (case_id TEXT, agent_name TEXT, batch_id TEXT, annotator TEXT, verdict TEXT, note TEXT, labelled_at TIMESTAMPTZ);
CREATE OR REPLACE VIEW badger.latest_scores AS SELECT s.* FROM badger.scores s JOIN (
  SELECT agent_name, agent_version, batch_id, eval_run_id,
         ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id ORDER BY eval_run_date DESC, eval_run_id DESC) AS newest
  FROM badger.eval_runs) r
ON r.newest = 1 AND r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id;
CREATE OR REPLACE VIEW badger.complexity AS SELECT case_id, MAX(label) AS tier FROM badger.latest_scores WHERE metric = 'sql_complexity' AND status = 'ok' GROUP BY case_id;
CREATE OR REPLACE VIEW badger.versions_by_metric AS SELECT s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') AS tier, COUNT(*) AS scored, AVG(s.value) AS mean_value,
       AVG(CASE WHEN s.passed THEN 1.0 WHEN NOT s.passed THEN 0.0 END) AS pass_rate
FROM badger.latest_scores s LEFT JOIN badger.complexity c ON c.case_id = s.case_id
WHERE s.status = 'ok' GROUP BY s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown');
CREATE OR REPLACE VIEW badger.agreement AS SELECT s.metric, COUNT(*) AS labelled,
       SUM(CASE WHEN s.passed AND l.verdict = 'pass' THEN 1 ELSE 0 END) AS true_pass,
       SUM(CASE WHEN s.passed AND l.verdict <> 'pass' THEN 1 ELSE 0 END) AS false_pass,
       SUM(CASE WHEN NOT s.passed AND l.verdict <> 'pass' THEN 1 ELSE 0 END) AS true_fail,
       SUM(CASE WHEN NOT s.passed AND l.verdict = 'pass' THEN 1 ELSE 0 END) AS false_fail
FROM badger.latest_scores s JOIN badger.human_labels l ON l.case_id = s.case_id AND l.agent_name = s.agent_name AND l.batch_id = s.batch_id
WHERE s.passed IS NOT NULL GROUP BY s.metric;
