-- badger in databricks via http: 358 steps, in this order. Each may be run again.

-- 1. Run by a person, not as SQL.
-- Groups belong to the account: create them there, if they are not there yet.
--     badger_owner: owns badger's objects
--     badger_caller: may call the functions
--     badger_reader: reads scores and views
--     badger_annotator: writes labels, and nothing else

-- 2. Run by a metastore admin, or CREATE CONNECTION on the metastore and USE CATALOG, CREATE SCHEMA on the catalog.
-- The owner creates the schema. Nothing outside it is granted.
GRANT USE CATALOG, CREATE SCHEMA ON CATALOG lake TO badger_owner;

-- 3. Run by a metastore admin, or CREATE CONNECTION on the metastore and USE CATALOG, CREATE SCHEMA on the catalog.
-- Callers find the catalog.
GRANT USE CATALOG ON CATALOG lake TO badger_caller;

-- 4. Run by badger_owner.
-- The schema of everything that belongs to badger. It stays when badger is removed, unless its data go too.
CREATE SCHEMA IF NOT EXISTS lake.badger COMMENT 'badger: functions, scores, labels';

-- 5. Run by a person, not as SQL.
-- The token for badger serve is kept as a secret and never stands in SQL.
--     databricks secrets create-scope badger
--     databricks secrets put-secret badger token

-- 6. Run by a metastore admin, or CREATE CONNECTION on the metastore and USE CATALOG, CREATE SCHEMA on the catalog.
-- Where badger serve is, and the token it wants.
CREATE CONNECTION IF NOT EXISTS badger TYPE HTTP OPTIONS (host 'https://badger.example.com', port '443', base_path '/v1', bearer_token secret('badger', 'token')) COMMENT 'badger serve';

-- 7. Run by a metastore admin, or CREATE CONNECTION on the metastore and USE CATALOG, CREATE SCHEMA on the catalog.
-- The functions' owner uses the connection.
GRANT USE CONNECTION ON CONNECTION badger TO badger_owner;

-- 8. Run by badger_owner.
-- badger_version(): The version of badger.
CREATE OR REPLACE FUNCTION lake.badger.badger_version()
RETURNS STRING
NOT DETERMINISTIC
COMMENT 'The version of badger. [badger:22abaaffe3e38434]'
RETURN (
  SELECT CASE WHEN r.status_code = 400 AND contains(r.text, '"code":"resource_exhausted"') THEN NULL
    WHEN r.status_code = 200 THEN CAST(get_json_object(concat('{"v":', r.text, '}'), '$.v') AS STRING)
    ELSE CAST(raise_error(concat('badger serve answered with HTTP status ', r.status_code, ': ', left(r.text, 300))) AS STRING) END
  FROM (SELECT http_request(conn => 'badger', method => 'POST', path => '/databricks/badger_version',
    headers => map('Content-Type', 'application/json'),
    json => '{}') AS r)
);

-- 9. Run by badger_owner.
-- small(gold_sql, agent_latency_ms): A share of it's \ "texts".
CREATE OR REPLACE FUNCTION lake.badger.small(gold_sql STRING COMMENT 'One.', agent_latency_ms DOUBLE COMMENT 'Two.')
RETURNS DOUBLE
NOT DETERMINISTIC
COMMENT 'A share of it\'s \\ "texts". [badger:40bd04dd964f8fda]'
RETURN (
  SELECT CASE WHEN r.status_code = 400 AND contains(r.text, '"code":"resource_exhausted"') THEN NULL
    WHEN r.status_code = 200 THEN CAST(get_json_object(concat('{"v":', r.text, '}'), '$.v') AS DOUBLE)
    ELSE CAST(raise_error(concat('badger serve answered with HTTP status ', r.status_code, ': ', left(r.text, 300))) AS DOUBLE) END
  FROM (SELECT http_request(conn => 'badger', method => 'POST', path => '/databricks/small',
    headers => map('Content-Type', 'application/json'),
    json => to_json(named_struct('gold_sql', small.gold_sql, 'agent_latency_ms', small.agent_latency_ms))) AS r)
);

-- 10. Run by badger_owner.
-- large_json(gold_result, options): Evidence.
CREATE OR REPLACE FUNCTION lake.badger.large_json(gold_result STRING COMMENT 'It\'s one.', options STRING DEFAULT NULL COMMENT 'Three.')
RETURNS STRING
NOT DETERMINISTIC
COMMENT 'Evidence. [badger:61c8375a66a6fe7c]'
RETURN (
  SELECT CASE WHEN r.status_code NOT IN (429, 503) THEN r.text
    ELSE CAST(raise_error(concat('badger serve answered with HTTP status ', r.status_code, ': ', left(r.text, 300))) AS STRING) END
  FROM (SELECT http_request(conn => 'badger', method => 'POST', path => '/databricks/large_json',
    headers => map('Content-Type', 'application/json'),
    json => to_json(named_struct('gold_result', large_json.gold_result, 'options', large_json.options))) AS r)
);

-- 11. Run by badger_owner.
-- run_settings(metrics): What a run is made with.
CREATE OR REPLACE FUNCTION lake.badger.run_settings(metrics STRING COMMENT 'Names.')
RETURNS STRING
NOT DETERMINISTIC
COMMENT 'What a run is made with. [badger:618aee53d7f26380]'
RETURN (
  SELECT CASE WHEN r.status_code NOT IN (429, 503) THEN r.text
    ELSE CAST(raise_error(concat('badger serve answered with HTTP status ', r.status_code, ': ', left(r.text, 300))) AS STRING) END
  FROM (SELECT http_request(conn => 'badger', method => 'POST', path => '/databricks/run_settings',
    headers => map('Content-Type', 'application/json'),
    json => to_json(named_struct('metrics', run_settings.metrics))) AS r)
);

-- 12. Run by badger_owner.
-- score_row(row, metrics): Scores a row.
CREATE OR REPLACE FUNCTION lake.badger.score_row(`row` STRING COMMENT 'The row.', metrics STRING DEFAULT NULL COMMENT 'Names.')
RETURNS STRING
NOT DETERMINISTIC
COMMENT 'Scores a row. [badger:b43d9c8f573b0364]'
RETURN (
  SELECT CASE WHEN r.status_code = 400 AND contains(r.text, '"code":"resource_exhausted"') THEN to_json(transform(split(score_row.metrics, ','), m -> named_struct('metric', trim(m), 'status', 'failed', 'code', 'resource_exhausted', 'reason', get_json_object(r.text, '$.reason'))))
    WHEN r.status_code NOT IN (429, 503) THEN r.text
    ELSE CAST(raise_error(concat('badger serve answered with HTTP status ', r.status_code, ': ', left(r.text, 300))) AS STRING) END
  FROM (SELECT http_request(conn => 'badger', method => 'POST', path => '/databricks/score_row',
    headers => map('Content-Type', 'application/json'),
    json => to_json(named_struct('row', score_row.`row`, 'metrics', score_row.metrics))) AS r)
);

-- 13. Run by badger_owner.
-- Callers call the functions of the schema, and see nothing else of it.
GRANT USE SCHEMA, EXECUTE ON SCHEMA lake.badger TO badger_caller;

-- 14. Run by badger_owner.
-- The questions, with their accepted answers. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.golden_set (case_id STRING, question STRING, evidence STRING, schema_ddl STRING, dialect STRING, gold_sql STRING, gold_result STRING, expected_tools STRING, expected_clarifications STRING, expected_behaviour STRING, tags STRING, set_version STRING, gold_latency_ms DOUBLE, gold_error STRING, alternatives STRING, database_name STRING, metric_options STRING, gold_chart STRING);

-- 15. Run by badger_owner.
-- The answers of agents: one row for each question, version of an agent, and batch. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.agent_runs (agent_name STRING, agent_version STRING, batch_id STRING, case_id STRING, interpretation STRING, sql STRING, result STRING, sql_error STRING, tool_calls STRING, response STRING, latency_ms DOUBLE, gold_latency_ms DOUBLE, ran_at TIMESTAMP, conversation_id STRING, turn BIGINT, earlier_turns STRING, tokens_in BIGINT, tokens_out BIGINT, cost_usd DECIMAL(38, 12), chart STRING, contexts STRING);

-- 16. Run by badger_owner.
-- Human labels of answers: one row for each answer and annotator. Labels from the web report are in label_log. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.human_labels (case_id STRING, agent_name STRING, batch_id STRING, annotator STRING, verdict STRING, note STRING, labelled_at TIMESTAMP, agent_version STRING);

-- 17. Run by badger_owner.
-- The evaluations: one row for each run and each agent, version and batch that it scored. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.eval_runs (eval_run_id STRING, agent_name STRING, agent_version STRING, batch_id STRING, eval_run_date TIMESTAMP, mode STRING, config STRING, judge STRING, versions STRING, counts STRING, tokens STRING, cost STRING, status STRING, answered_at TIMESTAMP);

-- 18. Run by badger_owner.
-- The scores: one row for each run, answer and metric. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.scores (eval_run_id STRING, case_id STRING, agent_name STRING, agent_version STRING, batch_id STRING, metric STRING, metric_version BIGINT, status STRING, value DOUBLE, label STRING, passed BOOLEAN, reason STRING, detail STRING, assessment_ids STRING, config_hash STRING, scored_at TIMESTAMP, code STRING, usage STRING, gold_hash STRING, answer_hash STRING);

-- 19. Run by badger_owner.
-- The replies of judges, recorded. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.assessments (assessment_id STRING, kind STRING, backend STRING, model STRING, prompt_version STRING, request_hash STRING, reply STRING, tokens_in BIGINT, tokens_out BIGINT, latency_ms BIGINT, created_at TIMESTAMP, detail STRING, payer STRING);

-- 20. Run by badger_owner.
-- The versions that these tables have had. The highest is the present one. A program that supports only lower versions does not write to them. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.schema_version (version BIGINT, badger STRING, reached_at TIMESTAMP, views STRING);

-- 21. Run by badger_owner.
-- The promoted judge files. A row never changes. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.judges (name STRING, version BIGINT, kind STRING, source STRING, hash STRING, promoted_at TIMESTAMP, promoted_by STRING, tested STRING);

-- 22. Run by badger_owner.
-- The verdicts of judges on sentinel cases, which are asked again and again: one row for each asking, metric, case and repetition. Rows are appended and never change. The replies are in assessments. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.sentinels (asking_id STRING, metric STRING, case_id STRING, agent_name STRING, agent_version STRING, batch_id STRING, repetition BIGINT, backend STRING, model STRING, prompt_version STRING, question_hash STRING, served STRING, status STRING, code STRING, passed BOOLEAN, human_label BOOLEAN, assessment_ids STRING, asked_at TIMESTAMP);

-- 23. Run by badger_owner.
-- The events and failures of evaluations by the warehouse's procedure: one row for each event. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.run_log (entry_id STRING, logged_at TIMESTAMP, eval_run_id STRING, event STRING, case_id STRING, answers BIGINT, message STRING, agent_name STRING, agent_version STRING, batch_id STRING);

-- 24. Run by badger_owner.
-- What the scheduled evaluation computes, as of its last call: one row for each metric, and a row whose metric is empty for the schedule itself. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.schedule (metric STRING, since_day STRING, pass_rate_drop DOUBLE);

-- 25. Run by badger_owner.
-- The alerts: one row for each fact that was reported. A fact is reported again only if it was resolved in between. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.alerts (alert_id STRING, kind STRING, fact STRING, agent_name STRING, agent_version STRING, batch_id STRING, metric STRING, message STRING, raised_at TIMESTAMP, resolved_at TIMESTAMP, sent_at TIMESTAMP);

-- 26. Run by badger_owner.
-- The evaluation that is running, in warehouses without locks: a row for each lock. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.run_locks (name STRING, holder STRING, taken_at TIMESTAMP, beat_at TIMESTAMP);

-- 27. Run by badger_owner.
-- Current leases: one row for each judge request in progress, and for each annotator who is labelling an answer. Rows are temporary. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.claims (claim_key STRING, owner STRING, expires_ms BIGINT);

-- 28. Run by badger_owner.
-- Calls of the function server that last longer than a connection, with request and reply. Rows are deleted some time after they expire. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.calls (call_id STRING, content_hash STRING, function STRING, request STRING, reply STRING, expires_ms BIGINT);

-- 29. Run by badger_owner.
-- The labelling queues: answers of a run for annotators to label, in an order. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.queues (queue_id STRING, name STRING, eval_run_id STRING, agent_name STRING, agent_version STRING, batch_id STRING, filter STRING, ordering STRING, seed BIGINT, annotators BIGINT, guideline STRING, options STRING, blind BOOLEAN, reason_required BOOLEAN, cases BIGINT, created_by STRING, created_at TIMESTAMP, closed_at TIMESTAMP);

-- 30. Run by badger_owner.
-- The answers of the labelling queues. They are fixed when a queue is created. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.queue_items (queue_id STRING, position BIGINT, case_id STRING);

-- 31. Run by badger_owner.
-- Labels from the web report and from imported files: one row for each label. Rows are appended and never change. The latest row of an annotator for an answer in a queue is used, unless it is skip or withdrawn. If there are several queues, the latest of these is used. It overrides the annotator's label in human_labels. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.label_log (label_id STRING, case_id STRING, agent_name STRING, agent_version STRING, batch_id STRING, annotator STRING, verdict STRING, note STRING, gold_wrong BOOLEAN, ambiguous BOOLEAN, labelled_at TIMESTAMP, queue_id STRING, answer_hash STRING, decides BOOLEAN);

-- 32. Run by badger_owner.
-- The batches that someone accepted as a baseline: one row for each statement. Rows are appended and never change. The latest row of a batch is used. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.accepted (acceptance_id STRING, agent_name STRING, agent_version STRING, batch_id STRING, withdrawn BOOLEAN, accepted_by STRING, accepted_at TIMESTAMP, note STRING);

-- 33. Run by badger_owner.
-- The deletions by badger prune: one row for each table, and one for each run whose scores were deleted. Rows have no content of answers, and are never deleted. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.deletions (deletion_id STRING, table_name STRING, eval_run_id STRING, case_id STRING, older_than TIMESTAMP, row_count BIGINT, digest STRING, status STRING, deleted_by STRING, deleted_at TIMESTAMP);

-- 34. Run by badger_owner.
-- The latest score of each answer and metric, from any run, with the status of that run. In sql_safety, an answer without SQL has the status ok, the value 1 and passed: there is nothing to object to.
CREATE OR REPLACE VIEW lake.badger.latest_scores AS SELECT eval_run_id, case_id, agent_name, agent_version, batch_id, metric, metric_version, CASE WHEN status = 'not_applicable' AND metric IN ('sql_safety') AND reason IN ('no SQL of the agent given', 'no query and no result of the agent given', 'the agent gave no answer', 'the question calls for a refusal, and the agent gave no SQL', 'the question calls for a clarification, and the agent gave no SQL') THEN 'ok' ELSE status END AS status, CASE WHEN status = 'not_applicable' AND metric IN ('sql_safety') AND reason IN ('no SQL of the agent given', 'no query and no result of the agent given', 'the agent gave no answer', 'the question calls for a refusal, and the agent gave no SQL', 'the question calls for a clarification, and the agent gave no SQL') THEN 1 ELSE value END AS value, label, CASE WHEN status = 'not_applicable' AND metric IN ('sql_safety') AND reason IN ('no SQL of the agent given', 'no query and no result of the agent given', 'the agent gave no answer', 'the question calls for a refusal, and the agent gave no SQL', 'the question calls for a clarification, and the agent gave no SQL') THEN TRUE ELSE passed END AS passed, reason, detail, assessment_ids, config_hash, scored_at, code, usage, gold_hash, answer_hash, run_status, run_date FROM (
  SELECT s.eval_run_id, s.case_id, s.agent_name, s.agent_version, s.batch_id, s.metric, s.metric_version, s.status, s.value, s.label, s.passed, s.reason, s.detail, s.assessment_ids, s.config_hash, s.scored_at, s.code, s.usage, s.gold_hash, s.answer_hash, COALESCE(r.status, 'running') AS run_status, r.eval_run_date AS run_date,
         ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric ORDER BY s.scored_at DESC, CASE WHEN r.eval_run_date IS NULL THEN 1 ELSE 0 END, r.eval_run_date DESC, s.eval_run_id DESC) AS newest
  FROM lake.badger.scores s LEFT JOIN lake.badger.eval_runs r
  ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id) t
WHERE newest = 1;

-- 35. Run by badger_owner.
-- The majority label of each answer: passes is 1 or 0, and NULL if annotators are divided.
CREATE OR REPLACE VIEW lake.badger.consensus AS SELECT case_id, agent_name, batch_id, CASE WHEN says > 0 THEN 1 WHEN says < 0 THEN 0 END AS passes, agent_version
FROM (SELECT case_id, agent_name, agent_version, batch_id, CASE WHEN MAX(decides) = 1 THEN SUM(decides * said) ELSE SUM(said) END AS says
  FROM (SELECT case_id, agent_name, agent_version, batch_id, annotator, decides, said
FROM (SELECT case_id, agent_name, agent_version, batch_id, annotator, decides, said, ROW_NUMBER() OVER (PARTITION BY case_id, agent_name, agent_version, batch_id, annotator, decides ORDER BY origin) AS choice
FROM (SELECT case_id, agent_name, agent_version, batch_id, annotator, 0 AS decides, said, 1 AS origin
FROM (SELECT l.case_id, l.agent_name, COALESCE(l.agent_version, CASE WHEN a.versions IS NULL THEN e.only_version ELSE a.only_version END) AS agent_version, l.batch_id, l.annotator,
        CASE WHEN l.verdict IN ('pass', '1', 'true', 'yes', 'correct') THEN 1 WHEN l.verdict IN ('fail', '0', 'false', 'no', 'incorrect') THEN -1 ELSE 0 END AS said,
        ROW_NUMBER() OVER (PARTITION BY l.case_id, l.agent_name, COALESCE(l.agent_version, CASE WHEN a.versions IS NULL THEN e.only_version ELSE a.only_version END), l.batch_id, l.annotator
                           ORDER BY CASE WHEN l.labelled_at IS NULL THEN 1 ELSE 0 END, l.labelled_at DESC, l.verdict) AS latest
  FROM (SELECT case_id, agent_name, agent_version, batch_id, annotator, verdict, labelled_at
    FROM (SELECT CAST(case_id AS STRING) AS raw_id, COALESCE(CAST(case_id AS STRING), '') AS case_id, COALESCE(CAST(agent_name AS STRING), '') AS agent_name, CAST(agent_version AS STRING) AS agent_version,
                 COALESCE(CAST(batch_id AS STRING), '') AS batch_id, COALESCE(CAST(annotator AS STRING), '') AS annotator, LOWER(TRIM(REPLACE(REPLACE(REPLACE(COALESCE(CAST(verdict AS STRING), ''), CHR(9), ' '), CHR(10), ' '), CHR(13), ' '))) AS verdict,
                 labelled_at AS labelled_at
          FROM lake.badger.human_labels) k
    WHERE 1 = 1) l
  LEFT JOIN (SELECT case_id, agent_name, batch_id, COUNT(DISTINCT agent_version) AS versions, CASE WHEN COUNT(DISTINCT agent_version) = 1 THEN MIN(agent_version) END AS only_version
    FROM (SELECT case_id AS raw_id, COALESCE(CAST(case_id AS STRING), '') AS case_id, COALESCE(CAST(agent_name AS STRING), '') AS agent_name, COALESCE(CAST(agent_version AS STRING), '') AS agent_version,
                 COALESCE(CAST(batch_id AS STRING), '') AS batch_id
          FROM lake.badger.agent_runs) k
    WHERE 1 = 1 GROUP BY case_id, agent_name, batch_id) a
  ON a.case_id = l.case_id AND a.agent_name = l.agent_name AND a.batch_id = l.batch_id
  LEFT JOIN (SELECT agent_name, batch_id, CASE WHEN COUNT(DISTINCT agent_version) = 1 THEN MIN(agent_version) END AS only_version
    FROM lake.badger.eval_runs GROUP BY agent_name, batch_id) e
  ON e.agent_name = l.agent_name AND e.batch_id = l.batch_id) v
WHERE latest = 1 OR agent_version IS NULL
  UNION ALL SELECT case_id, agent_name, agent_version, batch_id, annotator, decides, said, 0 AS origin
  FROM (SELECT case_id, agent_name, agent_version, batch_id, annotator, decides, CASE verdict WHEN 'pass' THEN 1 WHEN 'fail' THEN -1 ELSE 0 END AS said,
          ROW_NUMBER() OVER (PARTITION BY case_id, agent_name, agent_version, batch_id, annotator, decides ORDER BY labelled_at DESC, label_id DESC) AS latest,
          ROW_NUMBER() OVER (PARTITION BY case_id, agent_name, agent_version, batch_id, decides ORDER BY labelled_at DESC, label_id DESC) AS last_said
    FROM (SELECT case_id, agent_name, agent_version, batch_id, annotator, decides, verdict, labelled_at, label_id, ROW_NUMBER() OVER (PARTITION BY case_id, agent_name, agent_version, batch_id, annotator, decides, queue_id ORDER BY labelled_at DESC, label_id DESC) AS choice
    FROM (SELECT CAST(case_id AS STRING) AS raw_id, COALESCE(CAST(case_id AS STRING), '') AS case_id, COALESCE(CAST(agent_name AS STRING), '') AS agent_name, COALESCE(CAST(agent_version AS STRING), '') AS agent_version,
                 COALESCE(CAST(batch_id AS STRING), '') AS batch_id, COALESCE(CAST(annotator AS STRING), '') AS annotator, CASE WHEN decides THEN 1 ELSE 0 END AS decides, queue_id, verdict, labelled_at, label_id
          FROM lake.badger.label_log) k
    WHERE 1 = 1) h
    WHERE choice = 1 AND verdict NOT IN ('skip', 'withdrawn')) g
  WHERE latest = 1 AND (decides = 0 OR last_said = 1)) u) w
WHERE choice = 1 OR agent_version IS NULL) v WHERE agent_version IS NOT NULL GROUP BY case_id, agent_name, agent_version, batch_id) c;

-- 36. Run by badger_owner.
-- The complexity tier of each question, from its latest score.
CREATE OR REPLACE VIEW lake.badger.complexity AS SELECT case_id, label AS tier FROM (
  SELECT case_id, label, ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY scored_at DESC, eval_run_id DESC, agent_name, agent_version, batch_id) AS newest
  FROM lake.badger.latest_scores WHERE metric = 'sql_complexity' AND status = 'ok') t
WHERE newest = 1;

-- 37. Run by badger_owner.
-- The outcomes of an agent's questions, by metric and batch. unanswered counts the answers that lack what the metric needs of the agent, and the questions that have no answer: those that a run recorded, or else those of golden_set. pass_rate counts unanswered ones as not passed. coverage is the share of scored ones among those that the metric applies to. rate_of_all counts failed, unanswered and abstained ones as not passed.
CREATE OR REPLACE VIEW lake.badger.coverage AS SELECT agent_name, agent_version, batch_id, metric, applies + not_applicable AS asked, scored, abstained, not_applicable, failed, unanswered,
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
    FROM lake.badger.latest_scores GROUP BY agent_name, agent_version, batch_id, metric) s
  LEFT JOIN (SELECT b.agent_name, b.agent_version, b.batch_id,
      CASE WHEN v.answers > v.cases THEN v.questions - b.answered WHEN b.batch_id = v.first_batch THEN v.questions - v.answered ELSE 0 END AS silent
    FROM (SELECT agent_name, agent_version, batch_id, COUNT(DISTINCT question) AS answered FROM (SELECT a.agent_name, a.agent_version, a.batch_id, a.case_id, g.case_id AS question, ROW_NUMBER() OVER (PARTITION BY a.agent_name, a.agent_version, a.batch_id, a.case_id ORDER BY a.case_id) AS copy
      FROM (SELECT COALESCE(CAST(case_id AS STRING), '') AS case_id, COALESCE(CAST(agent_name AS STRING), '') AS agent_name, COALESCE(CAST(agent_version AS STRING), '') AS agent_version, COALESCE(CAST(batch_id AS STRING), '') AS batch_id FROM lake.badger.agent_runs) a
      LEFT JOIN (SELECT DISTINCT COALESCE(CAST(case_id AS STRING), '') AS case_id FROM lake.badger.golden_set) g ON g.case_id = a.case_id AND a.case_id <> '') a GROUP BY agent_name, agent_version, batch_id) b
    JOIN (SELECT agent_name, agent_version, COUNT(DISTINCT case_id) AS cases, COUNT(DISTINCT question) AS answered, MIN(batch_id) AS first_batch, MAX(questions) AS questions, MAX(answers) AS answers
      FROM (SELECT k.*, q.questions, SUM(CASE WHEN copy = 1 THEN 1 ELSE 0 END) OVER (PARTITION BY agent_name, agent_version) AS answers FROM (SELECT a.agent_name, a.agent_version, a.batch_id, a.case_id, g.case_id AS question, ROW_NUMBER() OVER (PARTITION BY a.agent_name, a.agent_version, a.batch_id, a.case_id ORDER BY a.case_id) AS copy
      FROM (SELECT COALESCE(CAST(case_id AS STRING), '') AS case_id, COALESCE(CAST(agent_name AS STRING), '') AS agent_name, COALESCE(CAST(agent_version AS STRING), '') AS agent_version, COALESCE(CAST(batch_id AS STRING), '') AS batch_id FROM lake.badger.agent_runs) a
      LEFT JOIN (SELECT DISTINCT COALESCE(CAST(case_id AS STRING), '') AS case_id FROM lake.badger.golden_set) g ON g.case_id = a.case_id AND a.case_id <> '') k
        CROSS JOIN (SELECT COUNT(DISTINCT COALESCE(CAST(case_id AS STRING), '')) AS questions FROM lake.badger.golden_set WHERE COALESCE(CAST(case_id AS STRING), '') <> '') q) a GROUP BY agent_name, agent_version) v
    ON v.agent_name = b.agent_name AND v.agent_version = b.agent_version) n
  ON n.agent_name = s.agent_name AND n.agent_version = s.agent_version AND n.batch_id = s.batch_id) t;

-- 38. Run by badger_owner.
-- Version against version, by metric and complexity tier: scored is the number of answers with a value, answered the number of answers; a missing answer counts as 0 and does not pass. unfinished counts the values from runs that are not done. The view coverage shows the outcomes of the others.
CREATE OR REPLACE VIEW lake.badger.versions_by_metric AS SELECT s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') AS tier, COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored, SUM(s.value) * 1.0 / NULLIF(COUNT(CASE WHEN s.value IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END), 0) AS mean_value,
       CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate,
       SUM(CASE WHEN s.run_status = 'done' OR s.status <> 'ok' THEN 0 ELSE 1 END) AS unfinished, COUNT(*) AS answered
FROM lake.badger.latest_scores s LEFT JOIN lake.badger.complexity c ON c.case_id = s.case_id
GROUP BY s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') HAVING COUNT(CASE WHEN s.status = 'ok' THEN 1 END) > 0;

-- 39. Run by badger_owner.
-- How often each metric gives the verdict that most annotators give.
CREATE OR REPLACE VIEW lake.badger.agreement AS SELECT metric, labelled, true_pass, false_pass, true_fail, false_fail, (true_pass + true_fail) * 1.0 / labelled AS accuracy,
       CASE WHEN chance < 1.0 THEN ((true_pass + true_fail) * 1.0 / labelled - chance) / (1.0 - chance) END AS kappa
FROM (SELECT c.*, ((true_pass + false_pass) * 1.0 * (true_pass + false_fail) + (true_fail + false_fail) * 1.0 * (true_fail + false_pass)) / (labelled * 1.0 * labelled) AS chance
  FROM (SELECT s.metric, COUNT(*) AS labelled,
               SUM(CASE WHEN s.passed AND l.passes = 1 THEN 1 ELSE 0 END) AS true_pass,
               SUM(CASE WHEN s.passed AND l.passes = 0 THEN 1 ELSE 0 END) AS false_pass,
               SUM(CASE WHEN NOT s.passed AND l.passes = 0 THEN 1 ELSE 0 END) AS true_fail,
               SUM(CASE WHEN NOT s.passed AND l.passes = 1 THEN 1 ELSE 0 END) AS false_fail
    FROM lake.badger.latest_scores s JOIN lake.badger.consensus l
    ON l.case_id = s.case_id AND l.agent_name = s.agent_name AND l.agent_version = s.agent_version AND l.batch_id = s.batch_id
    WHERE s.passed IS NOT NULL AND l.passes IS NOT NULL GROUP BY s.metric) c) k;

-- 40. Run by badger_owner.
-- The latest batch of each agent against the latest batch before it that has scores, by metric, all versions of the agent together. A missing answer does not pass. pass_rate_change is below 0 if fewer answers pass; failed counts scores that failed. Alerts read this view.
CREATE OR REPLACE VIEW lake.badger.degradation AS SELECT n.agent_name, n.metric, n.batch_id, b.batch_id AS batch_before, n.judged, b.judged AS judged_before, n.pass_rate, b.pass_rate AS pass_rate_before,
       n.pass_rate - b.pass_rate AS pass_rate_change, n.failed, b.failed AS failed_before
FROM (SELECT s.agent_name, s.batch_id, s.metric, a.place, ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.metric ORDER BY a.place) AS nth,
    COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged, COUNT(CASE WHEN s.status = 'failed' THEN 1 END) AS failed,
    CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate
  FROM lake.badger.latest_scores s JOIN (SELECT agent_name, batch_id, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY CASE WHEN MAX(ran_at) IS NULL THEN 1 ELSE 0 END, MAX(ran_at) DESC, batch_id DESC) AS place
    FROM (SELECT COALESCE(CAST(agent_name AS STRING), '') AS agent_name, COALESCE(CAST(batch_id AS STRING), '') AS batch_id, ran_at AS ran_at FROM lake.badger.agent_runs) k
    GROUP BY agent_name, batch_id) a
  ON a.agent_name = s.agent_name AND a.batch_id = s.batch_id
  GROUP BY s.agent_name, s.batch_id, s.metric, a.place) n JOIN (SELECT s.agent_name, s.batch_id, s.metric, a.place, ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.metric ORDER BY a.place) AS nth,
    COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged, COUNT(CASE WHEN s.status = 'failed' THEN 1 END) AS failed,
    CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate
  FROM lake.badger.latest_scores s JOIN (SELECT agent_name, batch_id, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY CASE WHEN MAX(ran_at) IS NULL THEN 1 ELSE 0 END, MAX(ran_at) DESC, batch_id DESC) AS place
    FROM (SELECT COALESCE(CAST(agent_name AS STRING), '') AS agent_name, COALESCE(CAST(batch_id AS STRING), '') AS batch_id, ran_at AS ran_at FROM lake.badger.agent_runs) k
    GROUP BY agent_name, batch_id) a
  ON a.agent_name = s.agent_name AND a.batch_id = s.batch_id
  GROUP BY s.agent_name, s.batch_id, s.metric, a.place) b ON b.agent_name = n.agent_name AND b.metric = n.metric AND b.nth = 2
WHERE n.place = 1;

-- 41. Run by badger_owner.
-- The answers that the scheduled evaluation has still to score, by batch: those that lack a score of a metric of the schedule, from its since_day on or without a date, and the rest of an interrupted call. waiting_since is the earliest day of an answer without scores, last_attempt_at the last call that tried to score the batch, and last_error why it failed; NULL if it is running or was interrupted.
CREATE OR REPLACE VIEW lake.badger.backlog AS SELECT b.agent_name, b.agent_version, b.batch_id, b.answers, b.waiting_since, t.logged_at AS last_attempt_at, t.message AS last_error
FROM (SELECT a.agent_name, a.agent_version, a.batch_id, COUNT(*) AS answers, MIN(a.run_day) AS waiting_since
  FROM (SELECT agent_name, agent_version, batch_id, case_id, MIN(run_day) AS run_day, MAX(CASE WHEN run_day IS NULL THEN '9999' ELSE run_day END) AS last_day
    FROM (SELECT COALESCE(CAST(agent_name AS STRING), '') AS agent_name, COALESCE(CAST(agent_version AS STRING), '') AS agent_version, COALESCE(CAST(batch_id AS STRING), '') AS batch_id, COALESCE(CAST(case_id AS STRING), '') AS case_id, CASE WHEN CAST(ran_at AS STRING) LIKE '____-__-__%' THEN SUBSTR(CAST(ran_at AS STRING), 1, 10) END AS run_day
      FROM lake.badger.agent_runs) k GROUP BY agent_name, agent_version, batch_id, case_id) a
  CROSS JOIN (SELECT COALESCE(MAX(since_day), '') AS since_day, COUNT(CASE WHEN metric <> '' THEN 1 END) AS metrics FROM lake.badger.schedule) w
  LEFT JOIN (SELECT s.agent_name, s.agent_version, s.batch_id, s.case_id, COUNT(DISTINCT m.metric) AS metrics
    FROM lake.badger.scores s LEFT JOIN lake.badger.schedule m ON m.metric = s.metric GROUP BY s.agent_name, s.agent_version, s.batch_id, s.case_id) s
  ON s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id
  LEFT JOIN (SELECT DISTINCT agent_name, batch_id FROM lake.badger.eval_runs WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed')) r
  ON r.agent_name = a.agent_name AND r.batch_id = a.batch_id
  WHERE (s.metrics IS NULL OR s.metrics < w.metrics) AND (a.last_day >= w.since_day OR r.batch_id IS NOT NULL)
  GROUP BY a.agent_name, a.agent_version, a.batch_id) b
LEFT JOIN (SELECT agent_name, agent_version, batch_id, logged_at, message, ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id ORDER BY logged_at DESC, event DESC, entry_id) AS newest
  FROM lake.badger.run_log WHERE event IN ('batch began', 'batch failed')) t
ON t.newest = 1 AND t.agent_name = b.agent_name AND t.agent_version = b.agent_version AND t.batch_id = b.batch_id;

-- 42. Run by badger_owner.
-- What alerts report and is true now: the last evaluation failed or was interrupted, answers of a batch could not be scored, or fewer answers of the latest batch pass, or more failed, than in the batch before. Batches with a backlog are not compared. A failure with another start of its message (60 characters) is another fact.
CREATE OR REPLACE VIEW lake.badger.open_facts AS WITH waiting AS (SELECT agent_name, agent_version, batch_id, answers, last_error FROM lake.badger.backlog)
SELECT 'run failed' AS kind, 'run failed: ' || SUBSTR(COALESCE(message, ''), 1, 60) AS fact, CAST(NULL AS STRING) AS agent_name, CAST(NULL AS STRING) AS agent_version, CAST(NULL AS STRING) AS batch_id, CAST(NULL AS STRING) AS metric,
       'the evaluation failed: ' || COALESCE(message, '') AS message
FROM (SELECT event, message, ROW_NUMBER() OVER (ORDER BY logged_at DESC, entry_id) AS newest
  FROM lake.badger.run_log WHERE batch_id IS NULL AND event IN ('done', 'idle', 'run failed', 'interrupted')) l
WHERE newest = 1 AND event IN ('run failed', 'interrupted')
UNION ALL
SELECT 'backlog' AS kind, 'backlog: ' || b.agent_name || ', ' || b.agent_version || ', ' || b.batch_id AS fact, b.agent_name, b.agent_version, b.batch_id, CAST(NULL AS STRING) AS metric,
       b.agent_name || ' ' || b.agent_version || ', batch ' || b.batch_id || ': ' || CAST(b.answers AS STRING) || ' answers have no scores: ' || COALESCE(b.last_error, 'the last call is running or was interrupted') AS message
FROM waiting b LEFT JOIN (SELECT DISTINCT agent_name, agent_version, batch_id FROM lake.badger.alerts WHERE kind = 'backlog' AND resolved_at IS NULL) o
ON o.agent_name = b.agent_name AND o.agent_version = b.agent_version AND o.batch_id = b.batch_id
WHERE b.last_error IS NOT NULL OR o.batch_id IS NOT NULL
UNION ALL
SELECT 'degraded' AS kind, 'degraded: ' || d.agent_name || ', ' || d.metric || ', ' || d.batch_id AS fact, d.agent_name, CAST(NULL AS STRING) AS agent_version, d.batch_id, d.metric,
       d.agent_name || ', ' || d.metric || ', batch ' || d.batch_id || ': pass rate ' || COALESCE(CAST(CAST(ROUND(d.pass_rate * 100) AS BIGINT) AS STRING) || ' %', 'none') || ', before '
         || COALESCE(CAST(CAST(ROUND(d.pass_rate_before * 100) AS BIGINT) AS STRING) || ' %', 'none') || '; ' || CAST(d.failed AS STRING) || ' scores failed, before ' || CAST(d.failed_before AS STRING) AS message
FROM lake.badger.degradation d CROSS JOIN (SELECT MAX(pass_rate_drop) AS most FROM lake.badger.schedule) w
LEFT JOIN (SELECT DISTINCT agent_name, batch_id FROM waiting) n ON n.agent_name = d.agent_name AND (n.batch_id = d.batch_id OR n.batch_id = d.batch_before)
WHERE n.batch_id IS NULL AND (d.pass_rate_change <= -w.most OR d.failed > d.failed_before);

-- 43. Run by badger_owner.
-- The latest run of each agent, version and batch, with its outcome and its scores. pass_rate is of the verdicts of all metrics together; the view coverage has it by metric.
CREATE OR REPLACE VIEW lake.badger.latest_run AS SELECT r.agent_name, r.agent_version, r.batch_id, r.eval_run_id, r.eval_run_date AS run_date, r.status AS run_status, r.judge, COUNT(DISTINCT s.case_id) AS cases,
       COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored, COUNT(CASE WHEN s.status = 'abstained' THEN 1 END) AS abstained,
       COUNT(CASE WHEN s.status = 'not_applicable' THEN 1 END) AS not_applicable, COUNT(CASE WHEN s.status = 'failed' THEN 1 END) AS failed,
       COUNT(CASE WHEN s.passed THEN 1 END) AS passed, AVG(CASE WHEN s.passed THEN 1.0 WHEN NOT s.passed THEN 0.0 END) AS pass_rate
FROM (SELECT eval_run_id, agent_name, agent_version, batch_id, eval_run_date, status, judge,
        ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id ORDER BY CASE WHEN eval_run_date IS NULL THEN 1 ELSE 0 END, eval_run_date DESC, eval_run_id DESC) AS newest
  FROM lake.badger.eval_runs) r
LEFT JOIN lake.badger.scores s ON s.eval_run_id = r.eval_run_id AND s.agent_name = r.agent_name AND s.agent_version = r.agent_version AND s.batch_id = r.batch_id
WHERE r.newest = 1 GROUP BY r.agent_name, r.agent_version, r.batch_id, r.eval_run_id, r.eval_run_date, r.status, r.judge;

-- 44. Run by badger_owner.
-- Version against version, by metric, complexity tier, batch, and the date of the run that the score is from. A missing answer counts as 0 and does not pass.
CREATE OR REPLACE VIEW lake.badger.versions_by_batch AS SELECT s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') AS tier, s.batch_id, CAST(s.run_date AS DATE) AS run_day, COUNT(*) AS answered,
       COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored, SUM(s.value) * 1.0 / NULLIF(COUNT(CASE WHEN s.value IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END), 0) AS mean_value, COUNT(CASE WHEN s.passed THEN 1 END) AS passed,
       COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged, CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate
FROM lake.badger.latest_scores s LEFT JOIN lake.badger.complexity c ON c.case_id = s.case_id
GROUP BY s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown'), s.batch_id, CAST(s.run_date AS DATE);

-- 45. Run by badger_owner.
-- The scored answers of each agent, version, batch and metric, the worst first: place 1 did not pass and has the lowest value. Metrics without a verdict and answers that passed with the value 1 are left out.
CREATE OR REPLACE VIEW lake.badger.worst_cases AS SELECT s.agent_name, s.agent_version, s.batch_id, s.metric,
       ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.metric ORDER BY CASE WHEN s.passed THEN 1 ELSE 0 END, CASE WHEN s.value IS NULL THEN 1 ELSE 0 END, s.value, s.case_id) AS place,
       s.case_id, COALESCE(c.tier, 'unknown') AS tier, s.value, s.passed, s.label, s.reason
FROM lake.badger.latest_scores s LEFT JOIN lake.badger.complexity c ON c.case_id = s.case_id
WHERE s.status = 'ok' AND s.passed IS NOT NULL AND (s.passed = FALSE OR s.value < 1);

-- 46. Run by badger_owner.
-- Judge calls and tokens for the scores of each run, by agent, version, batch and metric, including cached replies. uncounted is the number of scores whose tokens are unknown. The amount paid is in eval_runs.cost.
CREATE OR REPLACE VIEW lake.badger.judge_cost AS SELECT eval_run_id, agent_name, agent_version, batch_id, metric, COUNT(*) AS scores, COUNT(calls) AS asked, SUM(calls) AS calls,
       SUM(CASE WHEN tokens_in >= 0 THEN tokens_in ELSE 0 END) AS tokens_in, SUM(CASE WHEN tokens_out >= 0 THEN tokens_out ELSE 0 END) AS tokens_out,
       COUNT(CASE WHEN calls > 0 AND (tokens_in < 0 OR tokens_out < 0 OR tokens_in IS NULL OR tokens_out IS NULL) THEN 1 END) AS uncounted
FROM (SELECT eval_run_id, agent_name, agent_version, batch_id, metric, CAST(get_json_object(usage, '$.calls') AS BIGINT) AS calls,
        CAST(get_json_object(usage, '$.tokens_in') AS BIGINT) AS tokens_in, CAST(get_json_object(usage, '$.tokens_out') AS BIGINT) AS tokens_out FROM lake.badger.scores) u
GROUP BY eval_run_id, agent_name, agent_version, batch_id, metric HAVING COUNT(calls) > 0;

-- 47. Run by badger_owner.
-- Why scores failed or are missing: the latest scores that failed, abstained or do not apply, by metric and reason, with one of the cases.
CREATE OR REPLACE VIEW lake.badger.failures_by_reason AS SELECT agent_name, agent_version, batch_id, metric, status, code, reason, COUNT(*) AS answers, MIN(case_id) AS example
FROM lake.badger.latest_scores WHERE status <> 'ok' GROUP BY agent_name, agent_version, batch_id, metric, status, code, reason;

-- 48. Run by badger_owner.
-- Questions whose accepted answer may be wrong, one row for each reason: gold_error (the accepted query failed), gold_empty (its result is empty or all NULL and an answer's is not), gold_x and gold_flex (ROSE's Refuter, or FLEX, found it wrong), gold_literal (its query compares with a string that neither question nor evidence contains, and the answer's with one that they contain), gold_logic (its query contradicts the question or has a clause without effect), people (most annotators pass an answer that the metric verdict or ex_multiset fails), answers_agree (at least two agents, or versions whose SQL differs, answered, and all of them fail). answers counts the answers that speak for the reason.
CREATE OR REPLACE VIEW lake.badger.suspect_golds AS SELECT t.case_id, t.why AS reason, COUNT(DISTINCT t.answer) AS answers, MIN(t.agent_name) AS example_agent, MIN(t.agent_version) AS example_version, MIN(t.batch_id) AS example_batch
FROM (SELECT COALESCE(CAST(case_id AS STRING), '') AS case_id, 'gold_error' AS why, CAST(NULL AS STRING) AS answer, CAST(NULL AS STRING) AS agent_name, CAST(NULL AS STRING) AS agent_version, CAST(NULL AS STRING) AS batch_id
  FROM lake.badger.golden_set WHERE CAST(gold_error AS STRING) <> ''
  UNION ALL
  SELECT case_id, 'gold_error' AS why, (agent_name || ' ' || agent_version || ' ' || batch_id) AS answer, agent_name, agent_version, batch_id
  FROM lake.badger.latest_scores WHERE status = 'not_applicable' AND reason = 'the gold query failed when it ran'
  UNION ALL
  SELECT case_id, CASE WHEN metric = 'rose' THEN 'gold_x' WHEN metric = 'flex' THEN 'gold_flex' WHEN label = 'gold_empty' THEN 'gold_empty' WHEN label = 'gold_literal_foreign' THEN 'gold_literal' ELSE 'gold_logic' END AS why,
         (agent_name || ' ' || agent_version || ' ' || batch_id) AS answer, agent_name, agent_version, batch_id
  FROM lake.badger.latest_scores WHERE status = 'ok' AND (metric = 'relation' AND label IN ('gold_empty', 'gold_literal_foreign', 'gold_vacuous_limit', 'gold_vacuous_having', 'gold_ungrouped', 'gold_and_for_or', 'gold_sort_against_question') OR metric = 'rose' AND get_json_object(detail, '$.gold_x') = 'true'
    OR metric = 'flex' AND value = 1 AND get_json_object(detail, '$.categories') LIKE '%"incorrect_ground_truth_query"%')
  UNION ALL
  SELECT s.case_id, 'people' AS why, (s.agent_name || ' ' || s.agent_version || ' ' || s.batch_id) AS answer, s.agent_name, s.agent_version, s.batch_id
  FROM lake.badger.latest_scores s JOIN lake.badger.consensus l ON l.case_id = s.case_id AND l.agent_name = s.agent_name AND l.agent_version = s.agent_version AND l.batch_id = s.batch_id
  WHERE l.passes = 1 AND s.passed = FALSE AND s.metric IN ('verdict', 'ex_multiset')
  UNION ALL
  SELECT s.case_id, 'answers_agree' AS why, (s.agent_name || ' ' || s.agent_version || ' ' || s.batch_id) AS answer, s.agent_name, s.agent_version, s.batch_id
  FROM lake.badger.latest_scores s JOIN (SELECT s.case_id FROM lake.badger.latest_scores s
    LEFT JOIN (SELECT COALESCE(CAST(case_id AS STRING), '') AS case_id, COALESCE(CAST(agent_name AS STRING), '') AS agent_name, COALESCE(CAST(agent_version AS STRING), '') AS agent_version, COALESCE(CAST(batch_id AS STRING), '') AS batch_id, MIN(CAST(sql AS STRING)) AS sql FROM lake.badger.agent_runs GROUP BY 1, 2, 3, 4) k
    ON k.case_id = s.case_id AND k.agent_name = s.agent_name AND k.agent_version = s.agent_version AND k.batch_id = s.batch_id
    WHERE s.metric = 'ex_multiset' AND s.passed IS NOT NULL GROUP BY s.case_id
    HAVING (COUNT(DISTINCT s.agent_name) > 1 OR COUNT(DISTINCT s.agent_version) > 1 AND COUNT(DISTINCT COALESCE(NULLIF(k.sql, ''), s.agent_version)) > 1) AND COUNT(CASE WHEN s.passed THEN 1 END) = 0) f ON f.case_id = s.case_id
  WHERE s.metric = 'ex_multiset' AND s.passed = FALSE) t
GROUP BY t.case_id, t.why;

-- 49. Run by badger_owner.
-- Each metric over time, by batch, version and tier. dated_at is when a run first evaluated the batch. A missing answer counts as 0 and does not pass. p90 is the value that nine in ten scores do not exceed (nearest rank). metric_versions, configurations and judges count what the scores were made with: above 1, or other than in the batch before, the figures are not comparable.
CREATE OR REPLACE VIEW lake.badger.trend AS SELECT s.agent_name, s.agent_version, s.batch_id, b.dated_at, s.metric, s.tier, COUNT(*) AS answers, COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored,
       COUNT(CASE WHEN s.status = 'ok' THEN 1 END) * 1.0 / NULLIF(COUNT(CASE WHEN s.applies = 1 THEN 1 END), 0) AS coverage, SUM(s.value) * 1.0 / NULLIF(COUNT(CASE WHEN s.value IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END), 0) AS mean_value,
       MIN(CASE WHEN s.status = 'ok' AND s.place * 10 >= s.of_ok * 9 THEN s.value END) AS p90, COUNT(CASE WHEN s.passed THEN 1 END) AS passed, COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged,
       CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate, COUNT(DISTINCT s.metric_version) AS metric_versions, MAX(s.metric_version) AS metric_version,
       COUNT(DISTINCT s.config_hash) AS configurations, MAX(s.config_hash) AS config_hash, COUNT(DISTINCT NULLIF(s.judge, '')) AS judges, MAX(NULLIF(s.judge, '')) AS judge
FROM (SELECT m.agent_name, m.agent_version, m.batch_id, m.metric, m.metric_version, m.status, m.reason, m.value, m.passed, m.config_hash, m.judge, COALESCE(c.tier, 'unknown') AS tier, m.applies,
        ROW_NUMBER() OVER (PARTITION BY m.agent_name, m.agent_version, m.batch_id, m.metric, COALESCE(c.tier, 'unknown'), CASE WHEN m.status = 'ok' THEN 1 ELSE 0 END ORDER BY m.value) AS place,
        COUNT(CASE WHEN m.status = 'ok' THEN 1 END) OVER (PARTITION BY m.agent_name, m.agent_version, m.batch_id, m.metric, COALESCE(c.tier, 'unknown')) AS of_ok
  FROM (SELECT s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric, s.metric_version, s.status, s.reason, s.value, s.passed, s.config_hash,
          CASE WHEN s.status = 'not_applicable' AND s.reason NOT IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') THEN 0 ELSE 1 END AS applies, CASE WHEN s.usage IS NULL AND s.assessment_ids IS NULL THEN '' ELSE COALESCE(r.judge, '') END AS judge
    FROM lake.badger.latest_scores s LEFT JOIN lake.badger.eval_runs r ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id) m
  LEFT JOIN lake.badger.complexity c ON c.case_id = m.case_id) s
JOIN (SELECT agent_name, agent_version, batch_id, dated_at, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY CASE WHEN dated_at IS NULL THEN 0 ELSE 1 END, dated_at, batch_id, agent_version) AS place
  FROM (SELECT agent_name, agent_version, batch_id, MIN(run_date) AS dated_at FROM lake.badger.latest_scores GROUP BY agent_name, agent_version, batch_id) d) b ON b.agent_name = s.agent_name AND b.agent_version = s.agent_version AND b.batch_id = s.batch_id
GROUP BY s.agent_name, s.agent_version, s.batch_id, b.dated_at, s.metric, s.tier;

-- 50. Run by badger_owner.
-- Each batch against the one before it of the same version (for the first of a version: the last of another version of the agent), by metric, on the cases that both have. Cases whose question, metric version, configuration (any part of it) or judge changed are counted and not compared. A missing answer counts as 0 and as not passed, but has no value if lower is better. z is McNemar's (fixed - broken) / sqrt(fixed + broken): below -1.96, more answers broke than chance explains. The command badger compare has exact tests, adjusted for many metrics, dates batches by agent_runs.ran_at, and looks only at the configuration that a metric reads.
CREATE OR REPLACE VIEW lake.badger.batch_changes AS WITH made AS (SELECT s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric, s.metric_version, s.config_hash, s.gold_hash,
           CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 'ok' ELSE s.status END AS status, CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 0 ELSE s.value END AS value, CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN FALSE ELSE s.passed END AS passed,
           CASE WHEN s.passed IS NULL THEN 0 ELSE 1 END AS judged,
           MAX(CASE WHEN s.status = 'ok' THEN 1 ELSE 0 END) OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.metric) AS scored,
           CASE WHEN s.usage IS NULL AND s.assessment_ids IS NULL THEN '' ELSE COALESCE(r.judge, '') END AS judge
    FROM lake.badger.latest_scores s LEFT JOIN lake.badger.eval_runs r ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id), earlier AS (SELECT agent_name, agent_version, batch_id, version_before, batch_before FROM (
    SELECT n.agent_name, n.agent_version, n.batch_id, b.agent_version AS version_before, b.batch_id AS batch_before,
           ROW_NUMBER() OVER (PARTITION BY n.agent_name, n.agent_version, n.batch_id ORDER BY CASE WHEN b.agent_version = n.agent_version THEN 0 ELSE 1 END, b.place DESC) AS nearest
    FROM (SELECT agent_name, agent_version, batch_id, dated_at, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY CASE WHEN dated_at IS NULL THEN 0 ELSE 1 END, dated_at, batch_id, agent_version) AS place
  FROM (SELECT agent_name, agent_version, batch_id, MIN(run_date) AS dated_at FROM lake.badger.latest_scores GROUP BY agent_name, agent_version, batch_id) d) n JOIN (SELECT agent_name, agent_version, batch_id, dated_at, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY CASE WHEN dated_at IS NULL THEN 0 ELSE 1 END, dated_at, batch_id, agent_version) AS place
  FROM (SELECT agent_name, agent_version, batch_id, MIN(run_date) AS dated_at FROM lake.badger.latest_scores GROUP BY agent_name, agent_version, batch_id) d) b ON b.agent_name = n.agent_name AND b.place < n.place) p WHERE nearest = 1)
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

-- 51. Run by badger_owner.
-- Causes of failures, a row for each answer and label: the issues of the SQL judge (kind issue), FLEX's errors and its reasons why right answers differ (error, difference), the relation between the results that explains most (relation), STEF's status of the filters (filters), ROSE's diagnoses (diagnosis), answers that refusal rejects (refusal), and what SQL would do other than read (safety). An answer may have several.
CREATE OR REPLACE VIEW lake.badger.failure_labels AS SELECT l.agent_name, l.agent_version, l.batch_id, l.metric, l.kind, l.label, COALESCE(c.tier, 'unknown') AS tier, l.case_id
FROM (SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'issue' AS kind, v.label, s.case_id FROM lake.badger.latest_scores s CROSS JOIN (SELECT 'filters_missing' AS label UNION ALL SELECT 'filters_incorrect' AS label UNION ALL SELECT 'joins_missing' AS label UNION ALL SELECT 'joins_incorrect' AS label UNION ALL SELECT 'joins_unnecessary' AS label UNION ALL SELECT 'aggregation_wrong' AS label UNION ALL SELECT 'aggregation_missing' AS label UNION ALL SELECT 'columns_missing' AS label UNION ALL SELECT 'columns_wrong' AS label UNION ALL SELECT 'ordering_wrong' AS label UNION ALL SELECT 'schema_misunderstanding' AS label UNION ALL SELECT 'logic_error' AS label UNION ALL SELECT 'performance_issue' AS label) v WHERE s.status = 'ok' AND s.metric = 'sql_judge_issues' AND get_json_object(s.detail, '$.issues') LIKE '%"' || v.label || '"%'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'error' AS kind, v.label, s.case_id FROM lake.badger.latest_scores s CROSS JOIN (SELECT 'incorrect_schema_linking' AS label UNION ALL SELECT 'incorrect_filtering_condition' AS label UNION ALL SELECT 'missing_handling_of_nullable_column' AS label UNION ALL SELECT 'missing_handling_of_multiple_rows' AS label UNION ALL SELECT 'abused_clauses' AS label UNION ALL SELECT 'other_fatal_issues' AS label) v WHERE s.status = 'ok' AND s.metric = 'flex' AND s.value = 0 AND get_json_object(s.detail, '$.categories') LIKE '%"' || v.label || '"%'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'difference' AS kind, v.label, s.case_id FROM lake.badger.latest_scores s CROSS JOIN (SELECT 'different_output_structure' AS label UNION ALL SELECT 'different_output_value_representation' AS label UNION ALL SELECT 'incorrect_ground_truth_query' AS label UNION ALL SELECT 'multiple_answers_available' AS label UNION ALL SELECT 'other_minor_issues' AS label) v WHERE s.status = 'ok' AND s.metric = 'flex' AND s.value = 1 AND get_json_object(s.detail, '$.categories') LIKE '%"' || v.label || '"%'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'relation' AS kind, s.label, s.case_id FROM lake.badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'relation' AND s.label NOT IN ('same', 'permuted')
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'filters' AS kind, get_json_object(s.detail, '$.filters_applied_status') AS label, s.case_id FROM lake.badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'stef' AND get_json_object(s.detail, '$.filters_applied_status') IS NOT NULL
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'refusal' AS kind, s.label, s.case_id FROM lake.badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'refusal' AND s.value < 1
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'safety' AS kind, s.label, s.case_id FROM lake.badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'sql_safety' AND s.value < 1
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'diagnosis' AS kind, 'gold_x' AS label, s.case_id FROM lake.badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'rose' AND get_json_object(s.detail, '$.gold_x') = 'true'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'diagnosis' AS kind, 'amb_q' AS label, s.case_id FROM lake.badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'rose' AND get_json_object(s.detail, '$.amb_q') = 'true'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'diagnosis' AS kind, 'amb_schema' AS label, s.case_id FROM lake.badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'rose' AND get_json_object(s.detail, '$.amb_schema') = 'true') l LEFT JOIN lake.badger.complexity c ON c.case_id = l.case_id;

-- 52. Run by badger_owner.
-- The labels of failure_labels, counted by version, batch and tier, with one of the cases.
CREATE OR REPLACE VIEW lake.badger.failures_by_label AS SELECT agent_name, agent_version, batch_id, metric, kind, label, tier, COUNT(*) AS answers, MIN(case_id) AS example
FROM lake.badger.failure_labels GROUP BY agent_name, agent_version, batch_id, metric, kind, label, tier;

-- 53. Run by badger_owner.
-- Questions that a judge found ambiguous, one row for each reason: amb_q and amb_schema (ROSE's Refuter calls the question, or the schema, ambiguous), amb_flex (FLEX finds several answers available).
CREATE OR REPLACE VIEW lake.badger.ambiguous_questions AS SELECT t.case_id, t.why AS reason, COUNT(DISTINCT t.answer) AS answers, MIN(t.agent_name) AS example_agent, MIN(t.agent_version) AS example_version, MIN(t.batch_id) AS example_batch
FROM (SELECT case_id, CASE WHEN label = 'multiple_answers_available' THEN 'amb_flex' ELSE label END AS why, (agent_name || ' ' || agent_version || ' ' || batch_id) AS answer, agent_name, agent_version, batch_id
  FROM lake.badger.failure_labels WHERE kind = 'diagnosis' AND label IN ('amb_q', 'amb_schema') OR kind = 'difference' AND label = 'multiple_answers_available') t
GROUP BY t.case_id, t.why;

-- 54. Run by badger_owner.
-- Where execution accuracy (ex_bird or ex_multiset) and another verdict (verdict, rose or flex) differ, by tier and by ROSE's Refuter: gold_x, amb_q or neither. false_positives pass by execution accuracy alone, false_negatives by the other verdict alone.
CREATE OR REPLACE VIEW lake.badger.ex_discordance AS SELECT e.agent_name, e.agent_version, e.batch_id, e.metric AS ex_metric, s.metric, COALESCE(c.tier, 'unknown') AS tier, COALESCE(d.diagnosis, 'neither') AS diagnosis, COUNT(*) AS answers,
       COUNT(CASE WHEN e.passed AND NOT s.passed THEN 1 END) AS false_positives, COUNT(CASE WHEN NOT e.passed AND s.passed THEN 1 END) AS false_negatives,
       COUNT(CASE WHEN e.passed AND NOT s.passed OR NOT e.passed AND s.passed THEN 1 END) * 1.0 / COUNT(*) AS discordance
FROM lake.badger.latest_scores e
JOIN lake.badger.latest_scores s ON s.agent_name = e.agent_name AND s.agent_version = e.agent_version AND s.batch_id = e.batch_id AND s.case_id = e.case_id
LEFT JOIN (SELECT agent_name, agent_version, batch_id, case_id, MAX(label) AS diagnosis FROM lake.badger.failure_labels WHERE kind = 'diagnosis' AND label IN ('gold_x', 'amb_q')
  GROUP BY agent_name, agent_version, batch_id, case_id) d ON d.agent_name = e.agent_name AND d.agent_version = e.agent_version AND d.batch_id = e.batch_id AND d.case_id = e.case_id
LEFT JOIN lake.badger.complexity c ON c.case_id = e.case_id
WHERE e.metric IN ('ex_bird', 'ex_multiset') AND s.metric IN ('verdict', 'rose', 'flex') AND e.passed IS NOT NULL AND s.passed IS NOT NULL
GROUP BY e.agent_name, e.agent_version, e.batch_id, e.metric, s.metric, COALESCE(c.tier, 'unknown'), COALESCE(d.diagnosis, 'neither');

-- 55. Run by badger_owner.
-- The versions of all agents by each metric, on the cases for which all versions with values of the metric have one, using the latest answer of each. Place 1 has the highest mean, or the lowest in latency_overhead and sql_judge_issues; a view cannot know in which direction your own metrics are better, and places the highest first. A missing answer counts as 0, but has no value if lower is better. Versions that share no case have no row. The command badger rank also leaves out cases whose scores were made in different ways, takes all versions or those of --systems, and gives equal means the mean of their places.
CREATE OR REPLACE VIEW lake.badger.system_ranks AS WITH made AS (SELECT s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric, s.metric_version, s.config_hash, s.gold_hash,
           CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 'ok' ELSE s.status END AS status, CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 0 ELSE s.value END AS value, CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN FALSE ELSE s.passed END AS passed,
           CASE WHEN s.passed IS NULL THEN 0 ELSE 1 END AS judged,
           MAX(CASE WHEN s.status = 'ok' THEN 1 ELSE 0 END) OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.metric) AS scored,
           CASE WHEN s.usage IS NULL AND s.assessment_ids IS NULL THEN '' ELSE COALESCE(r.judge, '') END AS judge
    FROM lake.badger.latest_scores s LEFT JOIN lake.badger.eval_runs r ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id)
SELECT metric, agent_name, agent_version, COUNT(*) AS shared, AVG(value) AS mean_value, AVG(CASE WHEN verdicts = 0 THEN NULL WHEN passed THEN 1.0 WHEN NOT passed THEN 0.0 END) AS pass_rate,
       RANK() OVER (PARTITION BY metric ORDER BY CASE WHEN metric IN ('latency_overhead', 'sql_judge_issues') THEN FLOOR(AVG(value) * 1000000000 + 0.5) ELSE -FLOOR(AVG(value) * 1000000000 + 0.5) END) AS place
FROM (SELECT v.metric, v.agent_name, v.agent_version, v.case_id, v.value, v.passed, MAX(v.judged) OVER (PARTITION BY v.metric) AS verdicts, COUNT(*) OVER (PARTITION BY v.metric, v.case_id) AS having_it, n.systems
  FROM (SELECT m.metric, m.agent_name, m.agent_version, m.case_id, m.status, m.value, m.passed, m.judged,
          ROW_NUMBER() OVER (PARTITION BY m.metric, m.agent_name, m.agent_version, m.case_id ORDER BY b.place DESC) AS newest
    FROM made m JOIN (SELECT agent_name, agent_version, batch_id, dated_at, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY CASE WHEN dated_at IS NULL THEN 0 ELSE 1 END, dated_at, batch_id, agent_version) AS place
  FROM (SELECT agent_name, agent_version, batch_id, MIN(run_date) AS dated_at FROM lake.badger.latest_scores GROUP BY agent_name, agent_version, batch_id) d) b ON b.agent_name = m.agent_name AND b.agent_version = m.agent_version AND b.batch_id = m.batch_id) v
  JOIN (SELECT metric, COUNT(DISTINCT agent_name || ' ' || agent_version) AS systems FROM made WHERE status = 'ok' GROUP BY metric) n ON n.metric = v.metric
  WHERE v.newest = 1 AND v.status = 'ok') t
WHERE having_it = systems GROUP BY metric, agent_name, agent_version;

-- 56. Run by badger_owner.
-- Right answers by the position of the question in its conversation, by agent, version, batch and metric. A missing answer is wrong and counts as 0, but has no value if lower is better.
CREATE OR REPLACE VIEW lake.badger.turns AS WITH made AS (SELECT s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric, s.metric_version, s.config_hash, s.gold_hash,
           CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 'ok' ELSE s.status END AS status, CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 0 ELSE s.value END AS value, CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN FALSE ELSE s.passed END AS passed,
           CASE WHEN s.passed IS NULL THEN 0 ELSE 1 END AS judged,
           MAX(CASE WHEN s.status = 'ok' THEN 1 ELSE 0 END) OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.metric) AS scored,
           CASE WHEN s.usage IS NULL AND s.assessment_ids IS NULL THEN '' ELSE COALESCE(r.judge, '') END AS judge
    FROM lake.badger.latest_scores s LEFT JOIN lake.badger.eval_runs r ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id)
SELECT m.agent_name, m.agent_version, m.batch_id, m.metric, p.turn, COUNT(*) AS answers, COUNT(CASE WHEN m.passed IS NOT NULL THEN 1 END) AS judged, COUNT(CASE WHEN m.passed THEN 1 END) AS passed,
       AVG(CASE WHEN m.passed THEN 1.0 WHEN NOT m.passed THEN 0.0 END) AS pass_rate, AVG(CASE WHEN m.status = 'ok' THEN m.value END) AS mean_value
FROM made m JOIN (SELECT agent_name, agent_version, batch_id, case_id, MAX(conversation_id) AS conversation_id, MAX(turn) AS turn FROM
      (SELECT COALESCE(CAST(agent_name AS STRING), '') AS agent_name, COALESCE(CAST(agent_version AS STRING), '') AS agent_version, COALESCE(CAST(batch_id AS STRING), '') AS batch_id, COALESCE(CAST(case_id AS STRING), '') AS case_id, COALESCE(CAST(conversation_id AS STRING), '') AS conversation_id, turn AS turn FROM lake.badger.agent_runs) r
      WHERE conversation_id <> '' GROUP BY agent_name, agent_version, batch_id, case_id) p ON p.agent_name = m.agent_name AND p.agent_version = m.agent_version AND p.batch_id = m.batch_id AND p.case_id = m.case_id
WHERE p.turn IS NOT NULL GROUP BY m.agent_name, m.agent_version, m.batch_id, m.metric, p.turn;

-- 57. Run by badger_owner.
-- Whole conversations, by agent, version, batch and metric: all_right is 1 if every turn passed, 0 if one did not or could not be scored, and NULL without such turns; turns that the metric does not apply to are left out. first_wrong_turn is the first turn that did not pass. A missing answer did not pass.
CREATE OR REPLACE VIEW lake.badger.conversations AS WITH made AS (SELECT s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric, s.metric_version, s.config_hash, s.gold_hash,
           CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 'ok' ELSE s.status END AS status, CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 0 ELSE s.value END AS value, CASE WHEN s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN FALSE ELSE s.passed END AS passed,
           CASE WHEN s.passed IS NULL THEN 0 ELSE 1 END AS judged,
           MAX(CASE WHEN s.status = 'ok' THEN 1 ELSE 0 END) OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.metric) AS scored,
           CASE WHEN s.usage IS NULL AND s.assessment_ids IS NULL THEN '' ELSE COALESCE(r.judge, '') END AS judge
    FROM lake.badger.latest_scores s LEFT JOIN lake.badger.eval_runs r ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id)
SELECT m.agent_name, m.agent_version, m.batch_id, p.conversation_id, m.metric, COUNT(*) AS turns, COUNT(CASE WHEN m.passed IS NOT NULL THEN 1 END) AS judged, COUNT(CASE WHEN m.passed THEN 1 END) AS passed,
       MIN(CASE WHEN m.passed THEN 1 WHEN NOT m.passed OR m.status IN ('failed', 'abstained') THEN 0 END) AS all_right, MIN(CASE WHEN NOT m.passed THEN p.turn END) AS first_wrong_turn
FROM made m JOIN (SELECT agent_name, agent_version, batch_id, case_id, MAX(conversation_id) AS conversation_id, MAX(turn) AS turn FROM
      (SELECT COALESCE(CAST(agent_name AS STRING), '') AS agent_name, COALESCE(CAST(agent_version AS STRING), '') AS agent_version, COALESCE(CAST(batch_id AS STRING), '') AS batch_id, COALESCE(CAST(case_id AS STRING), '') AS case_id, COALESCE(CAST(conversation_id AS STRING), '') AS conversation_id, turn AS turn FROM lake.badger.agent_runs) r
      WHERE conversation_id <> '' GROUP BY agent_name, agent_version, batch_id, case_id) p ON p.agent_name = m.agent_name AND p.agent_version = m.agent_version AND p.batch_id = m.batch_id AND p.case_id = m.case_id
GROUP BY m.agent_name, m.agent_version, m.batch_id, p.conversation_id, m.metric;

-- 58. Run by badger_owner.
-- What the answers of agent_runs took, by agent, version, batch and metric with verdicts. cost_usd, tokens_in and tokens_out are sums of the known values, and with_cost, with_tokens_in and with_tokens_out count these. right_answers passed the metric. cost_per_right is cost_usd, the known cost of right and wrong answers, divided by right_with_cost, the right answers with a known cost, and rounded to 12 decimals. place is 1 for the latest batch of the version. The command badger compare has medians, P95 and tests.
CREATE OR REPLACE VIEW lake.badger.cost_by_version AS SELECT agent_name, agent_version, batch_id, metric, place, answers, right_answers, with_cost, right_with_cost, cost_usd, CAST(cost_usd / NULLIF(right_with_cost, 0) AS DECIMAL(38, 12)) AS cost_per_right,
       with_tokens_in, tokens_in, with_tokens_out, tokens_out, with_latency, mean_latency_ms
FROM (SELECT a.agent_name, a.agent_version, a.batch_id, s.metric, o.place, COUNT(*) AS answers, COUNT(CASE WHEN s.passed THEN 1 END) AS right_answers, COUNT(a.cost_usd) AS with_cost, COUNT(CASE WHEN s.passed AND a.cost_usd IS NOT NULL THEN 1 END) AS right_with_cost,
        SUM(a.cost_usd) AS cost_usd, COUNT(a.tokens_in) AS with_tokens_in, SUM(a.tokens_in) AS tokens_in, COUNT(a.tokens_out) AS with_tokens_out, SUM(a.tokens_out) AS tokens_out, COUNT(a.latency_ms) AS with_latency, AVG(a.latency_ms) AS mean_latency_ms
  FROM (SELECT agent_name, agent_version, batch_id, case_id, ran_at, CASE WHEN cost_usd BETWEEN 0 AND 1000000 THEN cost_usd END AS cost_usd, CASE WHEN tokens_in BETWEEN 0 AND 1000000000000 THEN tokens_in END AS tokens_in, CASE WHEN tokens_out BETWEEN 0 AND 1000000000000 THEN tokens_out END AS tokens_out,
      CASE WHEN latency_ms BETWEEN 0 AND 1000000000000 THEN latency_ms END AS latency_ms,
      ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) AS copy
      FROM (SELECT COALESCE(CAST(agent_name AS STRING), '') AS agent_name, COALESCE(CAST(agent_version AS STRING), '') AS agent_version, COALESCE(CAST(batch_id AS STRING), '') AS batch_id, COALESCE(CAST(case_id AS STRING), '') AS case_id, ran_at AS ran_at, CAST(sql AS STRING) AS sql,
        CAST(cost_usd AS DECIMAL(38, 12)) AS cost_usd, CAST(tokens_in AS BIGINT) AS tokens_in, CAST(tokens_out AS BIGINT) AS tokens_out, CAST(latency_ms AS DOUBLE) AS latency_ms FROM lake.badger.agent_runs) r) a
  JOIN lake.badger.latest_scores s ON s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id
  JOIN (SELECT agent_name, agent_version, batch_id, ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version ORDER BY CASE WHEN MAX(ran_at) IS NULL THEN 1 ELSE 0 END, MAX(ran_at) DESC, batch_id DESC) AS place
    FROM (SELECT agent_name, agent_version, batch_id, case_id, ran_at, CASE WHEN cost_usd BETWEEN 0 AND 1000000 THEN cost_usd END AS cost_usd, CASE WHEN tokens_in BETWEEN 0 AND 1000000000000 THEN tokens_in END AS tokens_in, CASE WHEN tokens_out BETWEEN 0 AND 1000000000000 THEN tokens_out END AS tokens_out,
      CASE WHEN latency_ms BETWEEN 0 AND 1000000000000 THEN latency_ms END AS latency_ms,
      ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) AS copy
      FROM (SELECT COALESCE(CAST(agent_name AS STRING), '') AS agent_name, COALESCE(CAST(agent_version AS STRING), '') AS agent_version, COALESCE(CAST(batch_id AS STRING), '') AS batch_id, COALESCE(CAST(case_id AS STRING), '') AS case_id, ran_at AS ran_at, CAST(sql AS STRING) AS sql,
        CAST(cost_usd AS DECIMAL(38, 12)) AS cost_usd, CAST(tokens_in AS BIGINT) AS tokens_in, CAST(tokens_out AS BIGINT) AS tokens_out, CAST(latency_ms AS DOUBLE) AS latency_ms FROM lake.badger.agent_runs) r) b GROUP BY agent_name, agent_version, batch_id) o ON o.agent_name = a.agent_name AND o.agent_version = a.agent_version AND o.batch_id = a.batch_id
  WHERE a.copy = 1 GROUP BY a.agent_name, a.agent_version, a.batch_id, s.metric, o.place HAVING COUNT(s.passed) > 0) t;

-- 59. Run by badger_owner.
-- The version of the tables.
INSERT INTO lake.badger.schema_version (version, reached_at) SELECT 8, CURRENT_TIMESTAMP FROM (SELECT 1 AS one) o WHERE NOT EXISTS (SELECT 1 FROM lake.badger.schema_version WHERE version >= 8);

-- 60. Run by badger_owner.
-- A comment on the table golden_set.
COMMENT ON TABLE lake.badger.golden_set IS 'The questions, with their accepted answers.';

-- 61. Run by badger_owner.
-- A comment on golden_set.case_id.
ALTER TABLE lake.badger.golden_set ALTER COLUMN case_id COMMENT 'Identifies the question. Any type is read as a string: 17, \'17\' and a UUID are all valid.';

-- 62. Run by badger_owner.
-- A comment on golden_set.question.
ALTER TABLE lake.badger.golden_set ALTER COLUMN question COMMENT 'The question as the user asked it.';

-- 63. Run by badger_owner.
-- A comment on golden_set.evidence.
ALTER TABLE lake.badger.golden_set ALTER COLUMN evidence COMMENT 'Hints that came with the question, such as the definition of a business term.';

-- 64. Run by badger_owner.
-- A comment on golden_set.schema_ddl.
ALTER TABLE lake.badger.golden_set ALTER COLUMN schema_ddl COMMENT 'CREATE TABLE statements of the tables that the question is about.';

-- 65. Run by badger_owner.
-- A comment on golden_set.dialect.
ALTER TABLE lake.badger.golden_set ALTER COLUMN dialect COMMENT 'SQL dialect of both queries: snowflake, bigquery, databricks, duckdb, postgres, sqlite, …';

-- 66. Run by badger_owner.
-- A comment on golden_set.gold_sql.
ALTER TABLE lake.badger.golden_set ALTER COLUMN gold_sql COMMENT 'The accepted query.';

-- 67. Run by badger_owner.
-- A comment on golden_set.gold_result.
ALTER TABLE lake.badger.golden_set ALTER COLUMN gold_result COMMENT 'The result of the accepted query: an inline result, or a reference table:NAME, query:ID or file:PATH.';

-- 68. Run by badger_owner.
-- A comment on golden_set.expected_tools.
ALTER TABLE lake.badger.golden_set ALTER COLUMN expected_tools COMMENT 'The tools that a good agent calls, in order: a list of names or of {"name", "arguments"}.';

-- 69. Run by badger_owner.
-- A comment on golden_set.expected_clarifications.
ALTER TABLE lake.badger.golden_set ALTER COLUMN expected_clarifications COMMENT 'The clarification questions of a good agent: a list of strings.';

-- 70. Run by badger_owner.
-- A comment on golden_set.expected_behaviour.
ALTER TABLE lake.badger.golden_set ALTER COLUMN expected_behaviour COMMENT 'answer (also NULL), clarify or refuse.';

-- 71. Run by badger_owner.
-- A comment on golden_set.tags.
ALTER TABLE lake.badger.golden_set ALTER COLUMN tags COMMENT 'A list of words to slice reports by.';

-- 72. Run by badger_owner.
-- A comment on golden_set.set_version.
ALTER TABLE lake.badger.golden_set ALTER COLUMN set_version COMMENT 'Version of the golden set that the row belongs to.';

-- 73. Run by badger_owner.
-- A comment on golden_set.gold_latency_ms.
ALTER TABLE lake.badger.golden_set ALTER COLUMN gold_latency_ms COMMENT 'How long the accepted query took, in milliseconds.';

-- 74. Run by badger_owner.
-- A comment on golden_set.gold_error.
ALTER TABLE lake.badger.golden_set ALTER COLUMN gold_error COMMENT 'The message of the database, if the accepted query failed.';

-- 75. Run by badger_owner.
-- A comment on golden_set.alternatives.
ALTER TABLE lake.badger.golden_set ALTER COLUMN alternatives COMMENT 'Further accepted answers: a list of {"sql", "result", "error", "latency_ms"}. The one with the best score is used.';

-- 76. Run by badger_owner.
-- A comment on golden_set.database_name.
ALTER TABLE lake.badger.golden_set ALTER COLUMN database_name COMMENT 'Name of the database that the question is about. Agreement with people can be shown by database.';

-- 77. Run by badger_owner.
-- A comment on golden_set.metric_options.
ALTER TABLE lake.badger.golden_set ALTER COLUMN metric_options COMMENT 'Options of single metrics, by name.';

-- 78. Run by badger_owner.
-- A comment on golden_set.gold_chart.
ALTER TABLE lake.badger.golden_set ALTER COLUMN gold_chart COMMENT 'The accepted chart of the result, in a form of agent_runs.chart. NULL: any chart that shows the result is accepted.';

-- 79. Run by badger_owner.
-- A comment on the table agent_runs.
COMMENT ON TABLE lake.badger.agent_runs IS 'The answers of agents: one row for each question, version of an agent, and batch.';

-- 80. Run by badger_owner.
-- A comment on agent_runs.agent_name.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN agent_name COMMENT 'Who answered.';

-- 81. Run by badger_owner.
-- A comment on agent_runs.agent_version.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN agent_version COMMENT 'Version of the agent.';

-- 82. Run by badger_owner.
-- A comment on agent_runs.batch_id.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN batch_id COMMENT 'The batch that the answer belongs to, such as a night. The same agent may answer a question again in another batch.';

-- 83. Run by badger_owner.
-- A comment on agent_runs.case_id.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN case_id COMMENT 'The question that was answered: golden_set.case_id.';

-- 84. Run by badger_owner.
-- A comment on agent_runs.interpretation.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN interpretation COMMENT 'The question in the agent\'s own words.';

-- 85. Run by badger_owner.
-- A comment on agent_runs.sql.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN sql COMMENT 'The agent\'s query.';

-- 86. Run by badger_owner.
-- A comment on agent_runs.result.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN result COMMENT 'The result of the agent\'s query, in the form of gold_result.';

-- 87. Run by badger_owner.
-- A comment on agent_runs.sql_error.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN sql_error COMMENT 'The message of the database, if the agent\'s query failed.';

-- 88. Run by badger_owner.
-- A comment on agent_runs.tool_calls.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN tool_calls COMMENT 'The tools that the agent called, in order: a list of {"name", "arguments"}, or a trace in a form of docs/eval/traces.md. NULL: calls were not logged. []: the agent made none.';

-- 89. Run by badger_owner.
-- A comment on agent_runs.response.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN response COMMENT 'The agent\'s answer in prose.';

-- 90. Run by badger_owner.
-- A comment on agent_runs.latency_ms.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN latency_ms COMMENT 'How long the agent\'s query took, in milliseconds.';

-- 91. Run by badger_owner.
-- A comment on agent_runs.gold_latency_ms.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN gold_latency_ms COMMENT 'How long the accepted query took at the same time, if it was run again. It replaces golden_set.gold_latency_ms.';

-- 92. Run by badger_owner.
-- A comment on agent_runs.ran_at.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN ran_at COMMENT 'When the agent answered.';

-- 93. Run by badger_owner.
-- A comment on agent_runs.conversation_id.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN conversation_id COMMENT 'The conversation that the answer is part of.';

-- 94. Run by badger_owner.
-- A comment on agent_runs.turn.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN turn COMMENT 'Position of the answer in its conversation, from 1.';

-- 95. Run by badger_owner.
-- A comment on agent_runs.earlier_turns.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN earlier_turns COMMENT 'The turns before it, the oldest first: a list of {"question", "sql", "response"}. NULL means the answers with the same conversation_id and a lower turn.';

-- 96. Run by badger_owner.
-- A comment on agent_runs.tokens_in.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN tokens_in COMMENT 'Tokens that the models of the agent read. NULL if unknown.';

-- 97. Run by badger_owner.
-- A comment on agent_runs.tokens_out.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN tokens_out COMMENT 'Tokens that the models of the agent wrote. NULL if unknown.';

-- 98. Run by badger_owner.
-- A comment on agent_runs.cost_usd.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN cost_usd COMMENT 'What the answer cost, in US dollars, exact to 12 decimals. NULL if unknown.';

-- 99. Run by badger_owner.
-- A comment on agent_runs.chart.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN chart COMMENT 'The chart that shows the result, described as data: Vega-Lite, a Plotly figure, or fields such as {"mark", "x", "y"}. docs/eval/charts.md describes the forms.';

-- 100. Run by badger_owner.
-- A comment on agent_runs.contexts.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN contexts COMMENT 'The passages that the agent retrieved: a list of {"id", "text", "title", "source"}, or of strings.';

-- 101. Run by badger_owner.
-- A comment on the table human_labels.
COMMENT ON TABLE lake.badger.human_labels IS 'Human labels of answers: one row for each answer and annotator. Labels from the web report are in label_log.';

-- 102. Run by badger_owner.
-- A comment on human_labels.case_id.
ALTER TABLE lake.badger.human_labels ALTER COLUMN case_id COMMENT 'The question whose answer is labelled.';

-- 103. Run by badger_owner.
-- A comment on human_labels.agent_name.
ALTER TABLE lake.badger.human_labels ALTER COLUMN agent_name COMMENT 'Who answered.';

-- 104. Run by badger_owner.
-- A comment on human_labels.batch_id.
ALTER TABLE lake.badger.human_labels ALTER COLUMN batch_id COMMENT 'The batch that the answer belongs to.';

-- 105. Run by badger_owner.
-- A comment on human_labels.annotator.
ALTER TABLE lake.badger.human_labels ALTER COLUMN annotator COMMENT 'Who labelled the answer.';

-- 106. Run by badger_owner.
-- A comment on human_labels.verdict.
ALTER TABLE lake.badger.human_labels ALTER COLUMN verdict COMMENT 'pass, fail or unsure. 1, true, yes, correct and 0, false, no, incorrect mean the same, in upper or lower case, with any surrounding white space. Anything else is unsure.';

-- 107. Run by badger_owner.
-- A comment on human_labels.note.
ALTER TABLE lake.badger.human_labels ALTER COLUMN note COMMENT 'Why.';

-- 108. Run by badger_owner.
-- A comment on human_labels.labelled_at.
ALTER TABLE lake.badger.human_labels ALTER COLUMN labelled_at COMMENT 'When the answer was labelled. The latest label of an annotator for an answer is used.';

-- 109. Run by badger_owner.
-- A comment on human_labels.agent_version.
ALTER TABLE lake.badger.human_labels ALTER COLUMN agent_version COMMENT 'Version of the agent that answered. NULL means the only version that answered the question in the batch. If several did, the label is ignored.';

-- 110. Run by badger_owner.
-- A comment on the table eval_runs.
COMMENT ON TABLE lake.badger.eval_runs IS 'The evaluations: one row for each run and each agent, version and batch that it scored.';

-- 111. Run by badger_owner.
-- A comment on eval_runs.eval_run_id.
ALTER TABLE lake.badger.eval_runs ALTER COLUMN eval_run_id COMMENT 'The run.';

-- 112. Run by badger_owner.
-- A comment on eval_runs.agent_name.
ALTER TABLE lake.badger.eval_runs ALTER COLUMN agent_name COMMENT 'Whose answers were scored.';

-- 113. Run by badger_owner.
-- A comment on eval_runs.agent_version.
ALTER TABLE lake.badger.eval_runs ALTER COLUMN agent_version COMMENT 'Version of the agent.';

-- 114. Run by badger_owner.
-- A comment on eval_runs.batch_id.
ALTER TABLE lake.badger.eval_runs ALTER COLUMN batch_id COMMENT 'Batch of the answers.';

-- 115. Run by badger_owner.
-- A comment on eval_runs.eval_run_date.
ALTER TABLE lake.badger.eval_runs ALTER COLUMN eval_run_date COMMENT 'When the run started.';

-- 116. Run by badger_owner.
-- A comment on eval_runs.mode.
ALTER TABLE lake.badger.eval_runs ALTER COLUMN mode COMMENT 'text2sql_only, agentic_only or both.';

-- 117. Run by badger_owner.
-- A comment on eval_runs.config.
ALTER TABLE lake.badger.eval_runs ALTER COLUMN config COMMENT 'Options and thresholds of metrics.';

-- 118. Run by badger_owner.
-- A comment on eval_runs.judge.
ALTER TABLE lake.badger.eval_runs ALTER COLUMN judge COMMENT 'Who was asked.';

-- 119. Run by badger_owner.
-- A comment on eval_runs.versions.
ALTER TABLE lake.badger.eval_runs ALTER COLUMN versions COMMENT 'Versions of badger, of the metrics and of judge files; the answers that were selected; and if --resume removed scores because the input had no such answers any more, their number and when.';

-- 120. Run by badger_owner.
-- A comment on eval_runs.counts.
ALTER TABLE lake.badger.eval_runs ALTER COLUMN counts COMMENT 'Number of scores of the run, by status.';

-- 121. Run by badger_owner.
-- A comment on eval_runs.tokens.
ALTER TABLE lake.badger.eval_runs ALTER COLUMN tokens COMMENT 'Judge calls and tokens for the scores.';

-- 122. Run by badger_owner.
-- A comment on eval_runs.cost.
ALTER TABLE lake.badger.eval_runs ALTER COLUMN cost COMMENT 'Judge calls and tokens that the whole run paid for.';

-- 123. Run by badger_owner.
-- A comment on eval_runs.status.
ALTER TABLE lake.badger.eval_runs ALTER COLUMN status COMMENT 'running (also: killed), done, stopped or failed. Only a run that is done has scored all of its cases.';

-- 124. Run by badger_owner.
-- A comment on eval_runs.answered_at.
ALTER TABLE lake.badger.eval_runs ALTER COLUMN answered_at COMMENT 'When the last of the answers was given: agent_runs.ran_at, or agent.ran_at of a case file. It dates the batch if agent_runs does not.';

-- 125. Run by badger_owner.
-- A comment on the table scores.
COMMENT ON TABLE lake.badger.scores IS 'The scores: one row for each run, answer and metric.';

-- 126. Run by badger_owner.
-- A comment on scores.eval_run_id.
ALTER TABLE lake.badger.scores ALTER COLUMN eval_run_id COMMENT 'The run.';

-- 127. Run by badger_owner.
-- A comment on scores.case_id.
ALTER TABLE lake.badger.scores ALTER COLUMN case_id COMMENT 'The question.';

-- 128. Run by badger_owner.
-- A comment on scores.agent_name.
ALTER TABLE lake.badger.scores ALTER COLUMN agent_name COMMENT 'Who answered.';

-- 129. Run by badger_owner.
-- A comment on scores.agent_version.
ALTER TABLE lake.badger.scores ALTER COLUMN agent_version COMMENT 'Version of the agent.';

-- 130. Run by badger_owner.
-- A comment on scores.batch_id.
ALTER TABLE lake.badger.scores ALTER COLUMN batch_id COMMENT 'Batch of the answer.';

-- 131. Run by badger_owner.
-- A comment on scores.metric.
ALTER TABLE lake.badger.scores ALTER COLUMN metric COMMENT 'The metric.';

-- 132. Run by badger_owner.
-- A comment on scores.metric_version.
ALTER TABLE lake.badger.scores ALTER COLUMN metric_version COMMENT 'Version of the metric. Scores of different versions are not comparable.';

-- 133. Run by badger_owner.
-- A comment on scores.status.
ALTER TABLE lake.badger.scores ALTER COLUMN status COMMENT 'ok, abstained, not_applicable or failed.';

-- 134. Run by badger_owner.
-- A comment on scores.value.
ALTER TABLE lake.badger.scores ALTER COLUMN value COMMENT 'The value. NULL unless status is ok.';

-- 135. Run by badger_owner.
-- A comment on scores.label.
ALTER TABLE lake.badger.scores ALTER COLUMN label COMMENT 'Category, of metrics that have one.';

-- 136. Run by badger_owner.
-- A comment on scores.passed.
ALTER TABLE lake.badger.scores ALTER COLUMN passed COMMENT 'Verdict by the metric\'s threshold. NULL if the metric has none.';

-- 137. Run by badger_owner.
-- A comment on scores.reason.
ALTER TABLE lake.badger.scores ALTER COLUMN reason COMMENT 'The reason for the value, or for its absence, in one sentence.';

-- 138. Run by badger_owner.
-- A comment on scores.detail.
ALTER TABLE lake.badger.scores ALTER COLUMN detail COMMENT 'The evidence: alignment, counts, differences.';

-- 139. Run by badger_owner.
-- A comment on scores.assessment_ids.
ALTER TABLE lake.badger.scores ALTER COLUMN assessment_ids COMMENT 'The recorded judge replies that the score is based on.';

-- 140. Run by badger_owner.
-- A comment on scores.config_hash.
ALTER TABLE lake.badger.scores ALTER COLUMN config_hash COMMENT 'Identifies the configuration of the run.';

-- 141. Run by badger_owner.
-- A comment on scores.scored_at.
ALTER TABLE lake.badger.scores ALTER COLUMN scored_at COMMENT 'When the score was stored.';

-- 142. Run by badger_owner.
-- A comment on scores.code.
ALTER TABLE lake.badger.scores ALTER COLUMN code COMMENT 'Kind of failure. NULL unless status is failed.';

-- 143. Run by badger_owner.
-- A comment on scores.usage.
ALTER TABLE lake.badger.scores ALTER COLUMN usage COMMENT 'Judge usage of this score: calls, tokens_in, tokens_out, repaired, the number of calls that repeated a question because of a malformed reply, judge if a tag selected it, and panel, the votes of a panel of judges. NULL without a judge call.';

-- 144. Run by badger_owner.
-- A comment on scores.gold_hash.
ALTER TABLE lake.badger.scores ALTER COLUMN gold_hash COMMENT 'Identifies the question with its accepted answers. Scores of a question that has changed are not comparable. NULL in rows of earlier versions.';

-- 145. Run by badger_owner.
-- A comment on scores.answer_hash.
ALTER TABLE lake.badger.scores ALTER COLUMN answer_hash COMMENT 'Identifies what the agent gave, with the turns before it. badger run --resume scores an answer again if it has changed. NULL if unknown.';

-- 146. Run by badger_owner.
-- A comment on the table assessments.
COMMENT ON TABLE lake.badger.assessments IS 'The replies of judges, recorded.';

-- 147. Run by badger_owner.
-- A comment on assessments.assessment_id.
ALTER TABLE lake.badger.assessments ALTER COLUMN assessment_id COMMENT 'Hash of the content.';

-- 148. Run by badger_owner.
-- A comment on assessments.kind.
ALTER TABLE lake.badger.assessments ALTER COLUMN kind COMMENT 'Kind of question.';

-- 149. Run by badger_owner.
-- A comment on assessments.backend.
ALTER TABLE lake.badger.assessments ALTER COLUMN backend COMMENT 'Who was asked.';

-- 150. Run by badger_owner.
-- A comment on assessments.model.
ALTER TABLE lake.badger.assessments ALTER COLUMN model COMMENT 'The model that answered.';

-- 151. Run by badger_owner.
-- A comment on assessments.prompt_version.
ALTER TABLE lake.badger.assessments ALTER COLUMN prompt_version COMMENT 'Version of the prompt.';

-- 152. Run by badger_owner.
-- A comment on assessments.request_hash.
ALTER TABLE lake.badger.assessments ALTER COLUMN request_hash COMMENT 'Hash of the request. An identical request is not repeated.';

-- 153. Run by badger_owner.
-- A comment on assessments.reply.
ALTER TABLE lake.badger.assessments ALTER COLUMN reply COMMENT 'The reply, verbatim.';

-- 154. Run by badger_owner.
-- A comment on assessments.tokens_in.
ALTER TABLE lake.badger.assessments ALTER COLUMN tokens_in COMMENT 'Tokens of the request. NULL if unknown.';

-- 155. Run by badger_owner.
-- A comment on assessments.tokens_out.
ALTER TABLE lake.badger.assessments ALTER COLUMN tokens_out COMMENT 'Tokens of the reply. NULL if unknown.';

-- 156. Run by badger_owner.
-- A comment on assessments.latency_ms.
ALTER TABLE lake.badger.assessments ALTER COLUMN latency_ms COMMENT 'How long the reply took, in milliseconds.';

-- 157. Run by badger_owner.
-- A comment on assessments.created_at.
ALTER TABLE lake.badger.assessments ALTER COLUMN created_at COMMENT 'When.';

-- 158. Run by badger_owner.
-- A comment on assessments.detail.
ALTER TABLE lake.badger.assessments ALTER COLUMN detail COMMENT 'Further information about the reply.';

-- 159. Run by badger_owner.
-- A comment on assessments.payer.
ALTER TABLE lake.badger.assessments ALTER COLUMN payer COMMENT 'Who paid for the call: run:ID, or the name of a caller of the function server.';

-- 160. Run by badger_owner.
-- A comment on the table schema_version.
COMMENT ON TABLE lake.badger.schema_version IS 'The versions that these tables have had. The highest is the present one. A program that supports only lower versions does not write to them.';

-- 161. Run by badger_owner.
-- A comment on schema_version.version.
ALTER TABLE lake.badger.schema_version ALTER COLUMN version COMMENT 'Version of the tables.';

-- 162. Run by badger_owner.
-- A comment on schema_version.badger.
ALTER TABLE lake.badger.schema_version ALTER COLUMN badger COMMENT 'Version of badger that brought the tables to it.';

-- 163. Run by badger_owner.
-- A comment on schema_version.reached_at.
ALTER TABLE lake.badger.schema_version ALTER COLUMN reached_at COMMENT 'When.';

-- 164. Run by badger_owner.
-- A comment on schema_version.views.
ALTER TABLE lake.badger.schema_version ALTER COLUMN views COMMENT 'Fingerprints of the views, as JSON: of their text, and of the text that the warehouse shows.';

-- 165. Run by badger_owner.
-- A comment on the table judges.
COMMENT ON TABLE lake.badger.judges IS 'The promoted judge files. A row never changes.';

-- 166. Run by badger_owner.
-- A comment on judges.name.
ALTER TABLE lake.badger.judges ALTER COLUMN name COMMENT 'Name of the judge.';

-- 167. Run by badger_owner.
-- A comment on judges.version.
ALTER TABLE lake.badger.judges ALTER COLUMN version COMMENT 'Version of the judge.';

-- 168. Run by badger_owner.
-- A comment on judges.kind.
ALTER TABLE lake.badger.judges ALTER COLUMN kind COMMENT 'starlark, expression, prompt, sql, or retired for a version that switches the judge off.';

-- 169. Run by badger_owner.
-- A comment on judges.source.
ALTER TABLE lake.badger.judges ALTER COLUMN source COMMENT 'Text of the judge file.';

-- 170. Run by badger_owner.
-- A comment on judges.hash.
ALTER TABLE lake.badger.judges ALTER COLUMN `hash` COMMENT 'SHA-256 of the text.';

-- 171. Run by badger_owner.
-- A comment on judges.promoted_at.
ALTER TABLE lake.badger.judges ALTER COLUMN promoted_at COMMENT 'When.';

-- 172. Run by badger_owner.
-- A comment on judges.promoted_by.
ALTER TABLE lake.badger.judges ALTER COLUMN promoted_by COMMENT 'By whom.';

-- 173. Run by badger_owner.
-- A comment on judges.tested.
ALTER TABLE lake.badger.judges ALTER COLUMN tested COMMENT 'The test at promotion: agreement with labels, and their number. {"untested": true} if it was promoted without a test.';

-- 174. Run by badger_owner.
-- A comment on the table sentinels.
COMMENT ON TABLE lake.badger.sentinels IS 'The verdicts of judges on sentinel cases, which are asked again and again: one row for each asking, metric, case and repetition. Rows are appended and never change. The replies are in assessments.';

-- 175. Run by badger_owner.
-- A comment on sentinels.asking_id.
ALTER TABLE lake.badger.sentinels ALTER COLUMN asking_id COMMENT 'The asking: a call of badger judge sentinel, or of badger run.';

-- 176. Run by badger_owner.
-- A comment on sentinels.metric.
ALTER TABLE lake.badger.sentinels ALTER COLUMN metric COMMENT 'The metric that asked the judge.';

-- 177. Run by badger_owner.
-- A comment on sentinels.case_id.
ALTER TABLE lake.badger.sentinels ALTER COLUMN case_id COMMENT 'The question.';

-- 178. Run by badger_owner.
-- A comment on sentinels.agent_name.
ALTER TABLE lake.badger.sentinels ALTER COLUMN agent_name COMMENT 'Who answered.';

-- 179. Run by badger_owner.
-- A comment on sentinels.agent_version.
ALTER TABLE lake.badger.sentinels ALTER COLUMN agent_version COMMENT 'Version of the agent.';

-- 180. Run by badger_owner.
-- A comment on sentinels.batch_id.
ALTER TABLE lake.badger.sentinels ALTER COLUMN batch_id COMMENT 'Batch of the answer.';

-- 181. Run by badger_owner.
-- A comment on sentinels.repetition.
ALTER TABLE lake.badger.sentinels ALTER COLUMN repetition COMMENT 'Number of the reply to the same question in the asking, from 1.';

-- 182. Run by badger_owner.
-- A comment on sentinels.backend.
ALTER TABLE lake.badger.sentinels ALTER COLUMN backend COMMENT 'Who was asked.';

-- 183. Run by badger_owner.
-- A comment on sentinels.model.
ALTER TABLE lake.badger.sentinels ALTER COLUMN model COMMENT 'The model that was asked.';

-- 184. Run by badger_owner.
-- A comment on sentinels.prompt_version.
ALTER TABLE lake.badger.sentinels ALTER COLUMN prompt_version COMMENT 'Version of the prompt of the first call. NULL without a reply.';

-- 185. Run by badger_owner.
-- A comment on sentinels.question_hash.
ALTER TABLE lake.badger.sentinels ALTER COLUMN question_hash COMMENT 'Identifies everything apart from the judge that determines the verdict: the first prompt with its settings, and the version and the configuration of the metric. Only verdicts with the same hash are compared. NULL without a reply.';

-- 186. Run by badger_owner.
-- A comment on sentinels.served.
ALTER TABLE lake.badger.sentinels ALTER COLUMN served COMMENT 'The models that replied, as the endpoint reports them: a list of {"model", "fingerprint"}.';

-- 187. Run by badger_owner.
-- A comment on sentinels.status.
ALTER TABLE lake.badger.sentinels ALTER COLUMN status COMMENT 'Status of the score: ok, abstained, not_applicable or failed.';

-- 188. Run by badger_owner.
-- A comment on sentinels.code.
ALTER TABLE lake.badger.sentinels ALTER COLUMN code COMMENT 'Kind of failure. NULL unless status is failed.';

-- 189. Run by badger_owner.
-- A comment on sentinels.passed.
ALTER TABLE lake.badger.sentinels ALTER COLUMN passed COMMENT 'The verdict. NULL if there is none.';

-- 190. Run by badger_owner.
-- A comment on sentinels.human_label.
ALTER TABLE lake.badger.sentinels ALTER COLUMN human_label COMMENT 'The human label of the answer when the judge was asked: whether it passes. NULL if it had none.';

-- 191. Run by badger_owner.
-- A comment on sentinels.assessment_ids.
ALTER TABLE lake.badger.sentinels ALTER COLUMN assessment_ids COMMENT 'The recorded replies.';

-- 192. Run by badger_owner.
-- A comment on sentinels.asked_at.
ALTER TABLE lake.badger.sentinels ALTER COLUMN asked_at COMMENT 'When.';

-- 193. Run by badger_owner.
-- A comment on the table run_log.
COMMENT ON TABLE lake.badger.run_log IS 'The events and failures of evaluations by the warehouse\'s procedure: one row for each event.';

-- 194. Run by badger_owner.
-- A comment on run_log.entry_id.
ALTER TABLE lake.badger.run_log ALTER COLUMN entry_id COMMENT 'Identifies the row.';

-- 195. Run by badger_owner.
-- A comment on run_log.logged_at.
ALTER TABLE lake.badger.run_log ALTER COLUMN logged_at COMMENT 'When.';

-- 196. Run by badger_owner.
-- A comment on run_log.eval_run_id.
ALTER TABLE lake.badger.run_log ALTER COLUMN eval_run_id COMMENT 'The run. NULL before a run has started.';

-- 197. Run by badger_owner.
-- A comment on run_log.event.
ALTER TABLE lake.badger.run_log ALTER COLUMN event COMMENT 'began, resumed, done, idle (there was nothing to score), refused (another evaluation was running), interrupted (the call before did not finish), run failed, slice failed, answer failed, not retried (the answer failed in three calls, and its scores are failed), batch began, batch failed (answers of it have no scores after the call), or alert failed.';

-- 198. Run by badger_owner.
-- A comment on run_log.case_id.
ALTER TABLE lake.badger.run_log ALTER COLUMN case_id COMMENT 'The question, if the event concerns a single answer.';

-- 199. Run by badger_owner.
-- A comment on run_log.answers.
ALTER TABLE lake.badger.run_log ALTER COLUMN answers COMMENT 'Number of answers that the event concerns.';

-- 200. Run by badger_owner.
-- A comment on run_log.message.
ALTER TABLE lake.badger.run_log ALTER COLUMN message COMMENT 'The message of the database or of badger serve.';

-- 201. Run by badger_owner.
-- A comment on run_log.agent_name.
ALTER TABLE lake.badger.run_log ALTER COLUMN agent_name COMMENT 'Who answered, if the event concerns an answer or a batch.';

-- 202. Run by badger_owner.
-- A comment on run_log.agent_version.
ALTER TABLE lake.badger.run_log ALTER COLUMN agent_version COMMENT 'Version of the agent, if the event concerns an answer or a batch.';

-- 203. Run by badger_owner.
-- A comment on run_log.batch_id.
ALTER TABLE lake.badger.run_log ALTER COLUMN batch_id COMMENT 'The batch, if the event concerns an answer, a batch or a call for one batch.';

-- 204. Run by badger_owner.
-- A comment on the table schedule.
COMMENT ON TABLE lake.badger.schedule IS 'What the scheduled evaluation computes, as of its last call: one row for each metric, and a row whose metric is empty for the schedule itself.';

-- 205. Run by badger_owner.
-- A comment on schedule.metric.
ALTER TABLE lake.badger.schedule ALTER COLUMN metric COMMENT 'The metric. The empty string is the row of the schedule itself.';

-- 206. Run by badger_owner.
-- A comment on schedule.since_day.
ALTER TABLE lake.badger.schedule ALTER COLUMN since_day COMMENT 'Answers of this day and later are scored. It only moves on when a call has scored everything. NULL in rows of metrics.';

-- 207. Run by badger_owner.
-- A comment on schedule.pass_rate_drop.
ALTER TABLE lake.badger.schedule ALTER COLUMN pass_rate_drop COMMENT 'Drop of a pass rate, from 0 to 1, that raises an alert. NULL in rows of metrics.';

-- 208. Run by badger_owner.
-- A comment on the table alerts.
COMMENT ON TABLE lake.badger.alerts IS 'The alerts: one row for each fact that was reported. A fact is reported again only if it was resolved in between.';

-- 209. Run by badger_owner.
-- A comment on alerts.alert_id.
ALTER TABLE lake.badger.alerts ALTER COLUMN alert_id COMMENT 'Identifies the alert.';

-- 210. Run by badger_owner.
-- A comment on alerts.kind.
ALTER TABLE lake.badger.alerts ALTER COLUMN kind COMMENT 'run failed (the evaluation fails), backlog (answers of a batch could not be scored) or degraded (fewer answers pass than in the batch before).';

-- 211. Run by badger_owner.
-- A comment on alerts.fact.
ALTER TABLE lake.badger.alerts ALTER COLUMN fact COMMENT 'Identifies the fact: the kind, and the batch, metric or message that it is about.';

-- 212. Run by badger_owner.
-- A comment on alerts.agent_name.
ALTER TABLE lake.badger.alerts ALTER COLUMN agent_name COMMENT 'Who answered. NULL for run failed.';

-- 213. Run by badger_owner.
-- A comment on alerts.agent_version.
ALTER TABLE lake.badger.alerts ALTER COLUMN agent_version COMMENT 'Version of the agent. NULL unless the kind is backlog.';

-- 214. Run by badger_owner.
-- A comment on alerts.batch_id.
ALTER TABLE lake.badger.alerts ALTER COLUMN batch_id COMMENT 'The batch. NULL for run failed.';

-- 215. Run by badger_owner.
-- A comment on alerts.metric.
ALTER TABLE lake.badger.alerts ALTER COLUMN metric COMMENT 'The metric. NULL unless the kind is degraded.';

-- 216. Run by badger_owner.
-- A comment on alerts.message.
ALTER TABLE lake.badger.alerts ALTER COLUMN message COMMENT 'The alert in words.';

-- 217. Run by badger_owner.
-- A comment on alerts.raised_at.
ALTER TABLE lake.badger.alerts ALTER COLUMN raised_at COMMENT 'When the fact was first seen.';

-- 218. Run by badger_owner.
-- A comment on alerts.resolved_at.
ALTER TABLE lake.badger.alerts ALTER COLUMN resolved_at COMMENT 'When it was no longer true. NULL while it is.';

-- 219. Run by badger_owner.
-- A comment on alerts.sent_at.
ALTER TABLE lake.badger.alerts ALTER COLUMN sent_at COMMENT 'When the alert was sent, or raised if nothing is sent. NULL if sending failed, which the next call repeats.';

-- 220. Run by badger_owner.
-- A comment on the table run_locks.
COMMENT ON TABLE lake.badger.run_locks IS 'The evaluation that is running, in warehouses without locks: a row for each lock.';

-- 221. Run by badger_owner.
-- A comment on run_locks.name.
ALTER TABLE lake.badger.run_locks ALTER COLUMN name COMMENT 'The lock: evaluate.';

-- 222. Run by badger_owner.
-- A comment on run_locks.holder.
ALTER TABLE lake.badger.run_locks ALTER COLUMN holder COMMENT 'The call that holds it. NULL if it is free.';

-- 223. Run by badger_owner.
-- A comment on run_locks.taken_at.
ALTER TABLE lake.badger.run_locks ALTER COLUMN taken_at COMMENT 'When it was taken.';

-- 224. Run by badger_owner.
-- A comment on run_locks.beat_at.
ALTER TABLE lake.badger.run_locks ALTER COLUMN beat_at COMMENT 'When the holder last renewed it. A lock that was not renewed for schedule.stale minutes may be taken over.';

-- 225. Run by badger_owner.
-- A comment on the table claims.
COMMENT ON TABLE lake.badger.claims IS 'Current leases: one row for each judge request in progress, and for each annotator who is labelling an answer. Rows are temporary.';

-- 226. Run by badger_owner.
-- A comment on claims.claim_key.
ALTER TABLE lake.badger.claims ALTER COLUMN claim_key COMMENT 'Hash of the request, or label:QUEUE:POSITION:PLACE.';

-- 227. Run by badger_owner.
-- A comment on claims.owner.
ALTER TABLE lake.badger.claims ALTER COLUMN owner COMMENT 'The process that makes the request, or label:ANNOTATOR.';

-- 228. Run by badger_owner.
-- A comment on claims.expires_ms.
ALTER TABLE lake.badger.claims ALTER COLUMN expires_ms COMMENT 'Expiry, in milliseconds since 1970. After it, another process may make the request, or another annotator label the answer.';

-- 229. Run by badger_owner.
-- A comment on the table calls.
COMMENT ON TABLE lake.badger.calls IS 'Calls of the function server that last longer than a connection, with request and reply. Rows are deleted some time after they expire.';

-- 230. Run by badger_owner.
-- A comment on calls.call_id.
ALTER TABLE lake.badger.calls ALTER COLUMN call_id COMMENT 'Names the call.';

-- 231. Run by badger_owner.
-- A comment on calls.content_hash.
ALTER TABLE lake.badger.calls ALTER COLUMN content_hash COMMENT 'Hash of the request. Another call with the same ID is rejected.';

-- 232. Run by badger_owner.
-- A comment on calls.function.
ALTER TABLE lake.badger.calls ALTER COLUMN `function` COMMENT 'The function.';

-- 233. Run by badger_owner.
-- A comment on calls.request.
ALTER TABLE lake.badger.calls ALTER COLUMN request COMMENT 'The request.';

-- 234. Run by badger_owner.
-- A comment on calls.reply.
ALTER TABLE lake.badger.calls ALTER COLUMN reply COMMENT 'The reply. NULL until there is one, and if it is recomputed from judge replies.';

-- 235. Run by badger_owner.
-- A comment on calls.expires_ms.
ALTER TABLE lake.badger.calls ALTER COLUMN expires_ms COMMENT 'Expiry of the row, in milliseconds since 1970.';

-- 236. Run by badger_owner.
-- A comment on the table queues.
COMMENT ON TABLE lake.badger.queues IS 'The labelling queues: answers of a run for annotators to label, in an order.';

-- 237. Run by badger_owner.
-- A comment on queues.queue_id.
ALTER TABLE lake.badger.queues ALTER COLUMN queue_id COMMENT 'Identifies the queue.';

-- 238. Run by badger_owner.
-- A comment on queues.name.
ALTER TABLE lake.badger.queues ALTER COLUMN name COMMENT 'Title of the queue.';

-- 239. Run by badger_owner.
-- A comment on queues.eval_run_id.
ALTER TABLE lake.badger.queues ALTER COLUMN eval_run_id COMMENT 'The run whose answers are labelled.';

-- 240. Run by badger_owner.
-- A comment on queues.agent_name.
ALTER TABLE lake.badger.queues ALTER COLUMN agent_name COMMENT 'Who answered.';

-- 241. Run by badger_owner.
-- A comment on queues.agent_version.
ALTER TABLE lake.badger.queues ALTER COLUMN agent_version COMMENT 'Version of the agent.';

-- 242. Run by badger_owner.
-- A comment on queues.batch_id.
ALTER TABLE lake.badger.queues ALTER COLUMN batch_id COMMENT 'Batch of the answers.';

-- 243. Run by badger_owner.
-- A comment on queues.filter.
ALTER TABLE lake.badger.queues ALTER COLUMN `filter` COMMENT 'The selected answers of the run: the query of the URL of a list of cases.';

-- 244. Run by badger_owner.
-- A comment on queues.ordering.
ALTER TABLE lake.badger.queues ALTER COLUMN ordering COMMENT 'Order of the answers: listed, random, disagreement, unsure or strata.';

-- 245. Run by badger_owner.
-- A comment on queues.seed.
ALTER TABLE lake.badger.queues ALTER COLUMN seed COMMENT 'Seed of random choices. The same seed gives the same order.';

-- 246. Run by badger_owner.
-- A comment on queues.annotators.
ALTER TABLE lake.badger.queues ALTER COLUMN annotators COMMENT 'Number of annotators for each answer.';

-- 247. Run by badger_owner.
-- A comment on queues.guideline.
ALTER TABLE lake.badger.queues ALTER COLUMN guideline COMMENT 'Instructions for the annotators.';

-- 248. Run by badger_owner.
-- A comment on queues.options.
ALTER TABLE lake.badger.queues ALTER COLUMN options COMMENT 'The verdicts that are offered in addition to skip, in their order.';

-- 249. Run by badger_owner.
-- A comment on queues.blind.
ALTER TABLE lake.badger.queues ALTER COLUMN blind COMMENT 'Whether annotators see no score, verdict, relation or label of others.';

-- 250. Run by badger_owner.
-- A comment on queues.reason_required.
ALTER TABLE lake.badger.queues ALTER COLUMN reason_required COMMENT 'Whether fail needs a note.';

-- 251. Run by badger_owner.
-- A comment on queues.cases.
ALTER TABLE lake.badger.queues ALTER COLUMN cases COMMENT 'Number of answers in the queue.';

-- 252. Run by badger_owner.
-- A comment on queues.created_by.
ALTER TABLE lake.badger.queues ALTER COLUMN created_by COMMENT 'Who created it.';

-- 253. Run by badger_owner.
-- A comment on queues.created_at.
ALTER TABLE lake.badger.queues ALTER COLUMN created_at COMMENT 'When.';

-- 254. Run by badger_owner.
-- A comment on queues.closed_at.
ALTER TABLE lake.badger.queues ALTER COLUMN closed_at COMMENT 'When it was closed. NULL while it is open.';

-- 255. Run by badger_owner.
-- A comment on the table queue_items.
COMMENT ON TABLE lake.badger.queue_items IS 'The answers of the labelling queues. They are fixed when a queue is created.';

-- 256. Run by badger_owner.
-- A comment on queue_items.queue_id.
ALTER TABLE lake.badger.queue_items ALTER COLUMN queue_id COMMENT 'The queue.';

-- 257. Run by badger_owner.
-- A comment on queue_items.position.
ALTER TABLE lake.badger.queue_items ALTER COLUMN position COMMENT 'Place in the queue, from 1.';

-- 258. Run by badger_owner.
-- A comment on queue_items.case_id.
ALTER TABLE lake.badger.queue_items ALTER COLUMN case_id COMMENT 'The question whose answer is labelled.';

-- 259. Run by badger_owner.
-- A comment on the table label_log.
COMMENT ON TABLE lake.badger.label_log IS 'Labels from the web report and from imported files: one row for each label. Rows are appended and never change. The latest row of an annotator for an answer in a queue is used, unless it is skip or withdrawn. If there are several queues, the latest of these is used. It overrides the annotator\'s label in human_labels.';

-- 260. Run by badger_owner.
-- A comment on label_log.label_id.
ALTER TABLE lake.badger.label_log ALTER COLUMN label_id COMMENT 'Identifies the label, as its sender named it. A label that is sent twice is stored once.';

-- 261. Run by badger_owner.
-- A comment on label_log.case_id.
ALTER TABLE lake.badger.label_log ALTER COLUMN case_id COMMENT 'The question whose answer is labelled.';

-- 262. Run by badger_owner.
-- A comment on label_log.agent_name.
ALTER TABLE lake.badger.label_log ALTER COLUMN agent_name COMMENT 'Who answered.';

-- 263. Run by badger_owner.
-- A comment on label_log.agent_version.
ALTER TABLE lake.badger.label_log ALTER COLUMN agent_version COMMENT 'Version of the agent.';

-- 264. Run by badger_owner.
-- A comment on label_log.batch_id.
ALTER TABLE lake.badger.label_log ALTER COLUMN batch_id COMMENT 'Batch of the answer.';

-- 265. Run by badger_owner.
-- A comment on label_log.annotator.
ALTER TABLE lake.badger.label_log ALTER COLUMN annotator COMMENT 'Who labelled the answer.';

-- 266. Run by badger_owner.
-- A comment on label_log.verdict.
ALTER TABLE lake.badger.label_log ALTER COLUMN verdict COMMENT 'pass, fail, unsure or another option of the queue, which counts as unsure; skip; or withdrawn, if the annotator removed the label.';

-- 267. Run by badger_owner.
-- A comment on label_log.note.
ALTER TABLE lake.badger.label_log ALTER COLUMN note COMMENT 'Why.';

-- 268. Run by badger_owner.
-- A comment on label_log.gold_wrong.
ALTER TABLE lake.badger.label_log ALTER COLUMN gold_wrong COMMENT 'Whether the accepted answer is wrong, apart from the verdict.';

-- 269. Run by badger_owner.
-- A comment on label_log.ambiguous.
ALTER TABLE lake.badger.label_log ALTER COLUMN ambiguous COMMENT 'Whether the question can be understood in several ways, apart from the verdict.';

-- 270. Run by badger_owner.
-- A comment on label_log.labelled_at.
ALTER TABLE lake.badger.label_log ALTER COLUMN labelled_at COMMENT 'When it was received.';

-- 271. Run by badger_owner.
-- A comment on label_log.queue_id.
ALTER TABLE lake.badger.label_log ALTER COLUMN queue_id COMMENT 'The queue. NULL if the answer was labelled outside of a queue.';

-- 272. Run by badger_owner.
-- A comment on label_log.answer_hash.
ALTER TABLE lake.badger.label_log ALTER COLUMN answer_hash COMMENT 'Identifies the content that the annotator saw: question, accepted answers and the agent\'s answer.';

-- 273. Run by badger_owner.
-- A comment on label_log.decides.
ALTER TABLE lake.badger.label_log ALTER COLUMN decides COMMENT 'Whether the verdict adjudicates a disagreement. It then overrides the others.';

-- 274. Run by badger_owner.
-- A comment on the table accepted.
COMMENT ON TABLE lake.badger.accepted IS 'The batches that someone accepted as a baseline: one row for each statement. Rows are appended and never change. The latest row of a batch is used.';

-- 275. Run by badger_owner.
-- A comment on accepted.acceptance_id.
ALTER TABLE lake.badger.accepted ALTER COLUMN acceptance_id COMMENT 'Identifies the row.';

-- 276. Run by badger_owner.
-- A comment on accepted.agent_name.
ALTER TABLE lake.badger.accepted ALTER COLUMN agent_name COMMENT 'Who answered.';

-- 277. Run by badger_owner.
-- A comment on accepted.agent_version.
ALTER TABLE lake.badger.accepted ALTER COLUMN agent_version COMMENT 'Version of the agent.';

-- 278. Run by badger_owner.
-- A comment on accepted.batch_id.
ALTER TABLE lake.badger.accepted ALTER COLUMN batch_id COMMENT 'Batch of the answers.';

-- 279. Run by badger_owner.
-- A comment on accepted.withdrawn.
ALTER TABLE lake.badger.accepted ALTER COLUMN withdrawn COMMENT 'Whether the row withdraws an earlier acceptance of the batch.';

-- 280. Run by badger_owner.
-- A comment on accepted.accepted_by.
ALTER TABLE lake.badger.accepted ALTER COLUMN accepted_by COMMENT 'Who accepted or withdrew it.';

-- 281. Run by badger_owner.
-- A comment on accepted.accepted_at.
ALTER TABLE lake.badger.accepted ALTER COLUMN accepted_at COMMENT 'When.';

-- 282. Run by badger_owner.
-- A comment on accepted.note.
ALTER TABLE lake.badger.accepted ALTER COLUMN note COMMENT 'Why.';

-- 283. Run by badger_owner.
-- A comment on the table deletions.
COMMENT ON TABLE lake.badger.deletions IS 'The deletions by badger prune: one row for each table, and one for each run whose scores were deleted. Rows have no content of answers, and are never deleted.';

-- 284. Run by badger_owner.
-- A comment on deletions.deletion_id.
ALTER TABLE lake.badger.deletions ALTER COLUMN deletion_id COMMENT 'Identifies the call of badger prune.';

-- 285. Run by badger_owner.
-- A comment on deletions.table_name.
ALTER TABLE lake.badger.deletions ALTER COLUMN table_name COMMENT 'The table whose rows were deleted.';

-- 286. Run by badger_owner.
-- A comment on deletions.eval_run_id.
ALTER TABLE lake.badger.deletions ALTER COLUMN eval_run_id COMMENT 'The run whose scores were deleted as a whole. Empty for other rows.';

-- 287. Run by badger_owner.
-- A comment on deletions.case_id.
ALTER TABLE lake.badger.deletions ALTER COLUMN case_id COMMENT 'The case whose rows were deleted. NULL if rows were deleted by age.';

-- 288. Run by badger_owner.
-- A comment on deletions.older_than.
ALTER TABLE lake.badger.deletions ALTER COLUMN older_than COMMENT 'The instant before which rows were deleted. NULL if rows of a case were deleted.';

-- 289. Run by badger_owner.
-- A comment on deletions.row_count.
ALTER TABLE lake.badger.deletions ALTER COLUMN row_count COMMENT 'Number of rows.';

-- 290. Run by badger_owner.
-- A comment on deletions.digest.
ALTER TABLE lake.badger.deletions ALTER COLUMN digest COMMENT 'SHA-256 over the run\'s deleted scores: their keys, versions, values and hashes, without reasons and evidence. badger prune --digest computes it for a run that has scores.';

-- 291. Run by badger_owner.
-- A comment on deletions.status.
ALTER TABLE lake.badger.deletions ALTER COLUMN status COMMENT 'started, or done once the rows are deleted. A row that stays started was interrupted; the next call of badger prune deletes the rest.';

-- 292. Run by badger_owner.
-- A comment on deletions.deleted_by.
ALTER TABLE lake.badger.deletions ALTER COLUMN deleted_by COMMENT 'Who deleted them.';

-- 293. Run by badger_owner.
-- A comment on deletions.deleted_at.
ALTER TABLE lake.badger.deletions ALTER COLUMN deleted_at COMMENT 'When.';

-- 294. Run by badger_owner.
-- A comment on the view latest_scores.
COMMENT ON TABLE lake.badger.latest_scores IS 'The latest score of each answer and metric, from any run, with the status of that run. In sql_safety, an answer without SQL has the status ok, the value 1 and passed: there is nothing to object to.';

-- 295. Run by badger_owner.
-- A comment on the view consensus.
COMMENT ON TABLE lake.badger.consensus IS 'The majority label of each answer: passes is 1 or 0, and NULL if annotators are divided.';

-- 296. Run by badger_owner.
-- A comment on the view complexity.
COMMENT ON TABLE lake.badger.complexity IS 'The complexity tier of each question, from its latest score.';

-- 297. Run by badger_owner.
-- A comment on the view coverage.
COMMENT ON TABLE lake.badger.coverage IS 'The outcomes of an agent\'s questions, by metric and batch. unanswered counts the answers that lack what the metric needs of the agent, and the questions that have no answer: those that a run recorded, or else those of golden_set. pass_rate counts unanswered ones as not passed. coverage is the share of scored ones among those that the metric applies to. rate_of_all counts failed, unanswered and abstained ones as not passed.';

-- 298. Run by badger_owner.
-- A comment on the view versions_by_metric.
COMMENT ON TABLE lake.badger.versions_by_metric IS 'Version against version, by metric and complexity tier: scored is the number of answers with a value, answered the number of answers; a missing answer counts as 0 and does not pass. unfinished counts the values from runs that are not done. The view coverage shows the outcomes of the others.';

-- 299. Run by badger_owner.
-- A comment on the view agreement.
COMMENT ON TABLE lake.badger.agreement IS 'How often each metric gives the verdict that most annotators give.';

-- 300. Run by badger_owner.
-- A comment on the view degradation.
COMMENT ON TABLE lake.badger.degradation IS 'The latest batch of each agent against the latest batch before it that has scores, by metric, all versions of the agent together. A missing answer does not pass. pass_rate_change is below 0 if fewer answers pass; failed counts scores that failed. Alerts read this view.';

-- 301. Run by badger_owner.
-- A comment on the view backlog.
COMMENT ON TABLE lake.badger.backlog IS 'The answers that the scheduled evaluation has still to score, by batch: those that lack a score of a metric of the schedule, from its since_day on or without a date, and the rest of an interrupted call. waiting_since is the earliest day of an answer without scores, last_attempt_at the last call that tried to score the batch, and last_error why it failed; NULL if it is running or was interrupted.';

-- 302. Run by badger_owner.
-- A comment on the view open_facts.
COMMENT ON TABLE lake.badger.open_facts IS 'What alerts report and is true now: the last evaluation failed or was interrupted, answers of a batch could not be scored, or fewer answers of the latest batch pass, or more failed, than in the batch before. Batches with a backlog are not compared. A failure with another start of its message (60 characters) is another fact.';

-- 303. Run by badger_owner.
-- A comment on the view latest_run.
COMMENT ON TABLE lake.badger.latest_run IS 'The latest run of each agent, version and batch, with its outcome and its scores. pass_rate is of the verdicts of all metrics together; the view coverage has it by metric.';

-- 304. Run by badger_owner.
-- A comment on the view versions_by_batch.
COMMENT ON TABLE lake.badger.versions_by_batch IS 'Version against version, by metric, complexity tier, batch, and the date of the run that the score is from. A missing answer counts as 0 and does not pass.';

-- 305. Run by badger_owner.
-- A comment on the view worst_cases.
COMMENT ON TABLE lake.badger.worst_cases IS 'The scored answers of each agent, version, batch and metric, the worst first: place 1 did not pass and has the lowest value. Metrics without a verdict and answers that passed with the value 1 are left out.';

-- 306. Run by badger_owner.
-- A comment on the view judge_cost.
COMMENT ON TABLE lake.badger.judge_cost IS 'Judge calls and tokens for the scores of each run, by agent, version, batch and metric, including cached replies. uncounted is the number of scores whose tokens are unknown. The amount paid is in eval_runs.cost.';

-- 307. Run by badger_owner.
-- A comment on the view failures_by_reason.
COMMENT ON TABLE lake.badger.failures_by_reason IS 'Why scores failed or are missing: the latest scores that failed, abstained or do not apply, by metric and reason, with one of the cases.';

-- 308. Run by badger_owner.
-- A comment on the view suspect_golds.
COMMENT ON TABLE lake.badger.suspect_golds IS 'Questions whose accepted answer may be wrong, one row for each reason: gold_error (the accepted query failed), gold_empty (its result is empty or all NULL and an answer\'s is not), gold_x and gold_flex (ROSE\'s Refuter, or FLEX, found it wrong), gold_literal (its query compares with a string that neither question nor evidence contains, and the answer\'s with one that they contain), gold_logic (its query contradicts the question or has a clause without effect), people (most annotators pass an answer that the metric verdict or ex_multiset fails), answers_agree (at least two agents, or versions whose SQL differs, answered, and all of them fail). answers counts the answers that speak for the reason.';

-- 309. Run by badger_owner.
-- A comment on the view trend.
COMMENT ON TABLE lake.badger.trend IS 'Each metric over time, by batch, version and tier. dated_at is when a run first evaluated the batch. A missing answer counts as 0 and does not pass. p90 is the value that nine in ten scores do not exceed (nearest rank). metric_versions, configurations and judges count what the scores were made with: above 1, or other than in the batch before, the figures are not comparable.';

-- 310. Run by badger_owner.
-- A comment on the view batch_changes.
COMMENT ON TABLE lake.badger.batch_changes IS 'Each batch against the one before it of the same version (for the first of a version: the last of another version of the agent), by metric, on the cases that both have. Cases whose question, metric version, configuration (any part of it) or judge changed are counted and not compared. A missing answer counts as 0 and as not passed, but has no value if lower is better. z is McNemar\'s (fixed - broken) / sqrt(fixed + broken): below -1.96, more answers broke than chance explains. The command badger compare has exact tests, adjusted for many metrics, dates batches by agent_runs.ran_at, and looks only at the configuration that a metric reads.';

-- 311. Run by badger_owner.
-- A comment on the view failure_labels.
COMMENT ON TABLE lake.badger.failure_labels IS 'Causes of failures, a row for each answer and label: the issues of the SQL judge (kind issue), FLEX\'s errors and its reasons why right answers differ (error, difference), the relation between the results that explains most (relation), STEF\'s status of the filters (filters), ROSE\'s diagnoses (diagnosis), answers that refusal rejects (refusal), and what SQL would do other than read (safety). An answer may have several.';

-- 312. Run by badger_owner.
-- A comment on the view failures_by_label.
COMMENT ON TABLE lake.badger.failures_by_label IS 'The labels of failure_labels, counted by version, batch and tier, with one of the cases.';

-- 313. Run by badger_owner.
-- A comment on the view ambiguous_questions.
COMMENT ON TABLE lake.badger.ambiguous_questions IS 'Questions that a judge found ambiguous, one row for each reason: amb_q and amb_schema (ROSE\'s Refuter calls the question, or the schema, ambiguous), amb_flex (FLEX finds several answers available).';

-- 314. Run by badger_owner.
-- A comment on the view ex_discordance.
COMMENT ON TABLE lake.badger.ex_discordance IS 'Where execution accuracy (ex_bird or ex_multiset) and another verdict (verdict, rose or flex) differ, by tier and by ROSE\'s Refuter: gold_x, amb_q or neither. false_positives pass by execution accuracy alone, false_negatives by the other verdict alone.';

-- 315. Run by badger_owner.
-- A comment on the view system_ranks.
COMMENT ON TABLE lake.badger.system_ranks IS 'The versions of all agents by each metric, on the cases for which all versions with values of the metric have one, using the latest answer of each. Place 1 has the highest mean, or the lowest in latency_overhead and sql_judge_issues; a view cannot know in which direction your own metrics are better, and places the highest first. A missing answer counts as 0, but has no value if lower is better. Versions that share no case have no row. The command badger rank also leaves out cases whose scores were made in different ways, takes all versions or those of --systems, and gives equal means the mean of their places.';

-- 316. Run by badger_owner.
-- A comment on the view turns.
COMMENT ON TABLE lake.badger.turns IS 'Right answers by the position of the question in its conversation, by agent, version, batch and metric. A missing answer is wrong and counts as 0, but has no value if lower is better.';

-- 317. Run by badger_owner.
-- A comment on the view conversations.
COMMENT ON TABLE lake.badger.conversations IS 'Whole conversations, by agent, version, batch and metric: all_right is 1 if every turn passed, 0 if one did not or could not be scored, and NULL without such turns; turns that the metric does not apply to are left out. first_wrong_turn is the first turn that did not pass. A missing answer did not pass.';

-- 318. Run by badger_owner.
-- A comment on the view cost_by_version.
COMMENT ON TABLE lake.badger.cost_by_version IS 'What the answers of agent_runs took, by agent, version, batch and metric with verdicts. cost_usd, tokens_in and tokens_out are sums of the known values, and with_cost, with_tokens_in and with_tokens_out count these. right_answers passed the metric. cost_per_right is cost_usd, the known cost of right and wrong answers, divided by right_with_cost, the right answers with a known cost, and rounded to 12 decimals. place is 1 for the latest batch of the version. The command badger compare has medians, P95 and tests.';

-- 319. Run by a metastore admin, or CREATE CONNECTION on the metastore and USE CATALOG, CREATE SCHEMA on the catalog.
-- badger_reader finds the catalog.
GRANT USE CATALOG ON CATALOG lake TO badger_reader;

-- 320. Run by a metastore admin, or CREATE CONNECTION on the metastore and USE CATALOG, CREATE SCHEMA on the catalog.
-- badger_annotator finds the catalog.
GRANT USE CATALOG ON CATALOG lake TO badger_annotator;

-- 321. Run by badger_owner.
-- badger_reader finds the schema.
GRANT USE SCHEMA ON SCHEMA lake.badger TO badger_reader;

-- 322. Run by badger_owner.
-- badger_annotator finds the schema.
GRANT USE SCHEMA ON SCHEMA lake.badger TO badger_annotator;

-- 323. Run by badger_owner.
-- The reader reads scores.
GRANT SELECT ON TABLE lake.badger.scores TO badger_reader;

-- 324. Run by badger_owner.
-- The reader reads eval_runs.
GRANT SELECT ON TABLE lake.badger.eval_runs TO badger_reader;

-- 325. Run by badger_owner.
-- The reader reads run_log.
GRANT SELECT ON TABLE lake.badger.run_log TO badger_reader;

-- 326. Run by badger_owner.
-- The reader reads schedule.
GRANT SELECT ON TABLE lake.badger.schedule TO badger_reader;

-- 327. Run by badger_owner.
-- The reader reads alerts.
GRANT SELECT ON TABLE lake.badger.alerts TO badger_reader;

-- 328. Run by badger_owner.
-- The reader reads latest_scores.
GRANT SELECT ON TABLE lake.badger.latest_scores TO badger_reader;

-- 329. Run by badger_owner.
-- The reader reads consensus.
GRANT SELECT ON TABLE lake.badger.consensus TO badger_reader;

-- 330. Run by badger_owner.
-- The reader reads complexity.
GRANT SELECT ON TABLE lake.badger.complexity TO badger_reader;

-- 331. Run by badger_owner.
-- The reader reads coverage.
GRANT SELECT ON TABLE lake.badger.coverage TO badger_reader;

-- 332. Run by badger_owner.
-- The reader reads versions_by_metric.
GRANT SELECT ON TABLE lake.badger.versions_by_metric TO badger_reader;

-- 333. Run by badger_owner.
-- The reader reads agreement.
GRANT SELECT ON TABLE lake.badger.agreement TO badger_reader;

-- 334. Run by badger_owner.
-- The reader reads degradation.
GRANT SELECT ON TABLE lake.badger.degradation TO badger_reader;

-- 335. Run by badger_owner.
-- The reader reads backlog.
GRANT SELECT ON TABLE lake.badger.backlog TO badger_reader;

-- 336. Run by badger_owner.
-- The reader reads open_facts.
GRANT SELECT ON TABLE lake.badger.open_facts TO badger_reader;

-- 337. Run by badger_owner.
-- The reader reads latest_run.
GRANT SELECT ON TABLE lake.badger.latest_run TO badger_reader;

-- 338. Run by badger_owner.
-- The reader reads versions_by_batch.
GRANT SELECT ON TABLE lake.badger.versions_by_batch TO badger_reader;

-- 339. Run by badger_owner.
-- The reader reads worst_cases.
GRANT SELECT ON TABLE lake.badger.worst_cases TO badger_reader;

-- 340. Run by badger_owner.
-- The reader reads judge_cost.
GRANT SELECT ON TABLE lake.badger.judge_cost TO badger_reader;

-- 341. Run by badger_owner.
-- The reader reads failures_by_reason.
GRANT SELECT ON TABLE lake.badger.failures_by_reason TO badger_reader;

-- 342. Run by badger_owner.
-- The reader reads suspect_golds.
GRANT SELECT ON TABLE lake.badger.suspect_golds TO badger_reader;

-- 343. Run by badger_owner.
-- The reader reads trend.
GRANT SELECT ON TABLE lake.badger.trend TO badger_reader;

-- 344. Run by badger_owner.
-- The reader reads batch_changes.
GRANT SELECT ON TABLE lake.badger.batch_changes TO badger_reader;

-- 345. Run by badger_owner.
-- The reader reads failure_labels.
GRANT SELECT ON TABLE lake.badger.failure_labels TO badger_reader;

-- 346. Run by badger_owner.
-- The reader reads failures_by_label.
GRANT SELECT ON TABLE lake.badger.failures_by_label TO badger_reader;

-- 347. Run by badger_owner.
-- The reader reads ambiguous_questions.
GRANT SELECT ON TABLE lake.badger.ambiguous_questions TO badger_reader;

-- 348. Run by badger_owner.
-- The reader reads ex_discordance.
GRANT SELECT ON TABLE lake.badger.ex_discordance TO badger_reader;

-- 349. Run by badger_owner.
-- The reader reads system_ranks.
GRANT SELECT ON TABLE lake.badger.system_ranks TO badger_reader;

-- 350. Run by badger_owner.
-- The reader reads turns.
GRANT SELECT ON TABLE lake.badger.turns TO badger_reader;

-- 351. Run by badger_owner.
-- The reader reads conversations.
GRANT SELECT ON TABLE lake.badger.conversations TO badger_reader;

-- 352. Run by badger_owner.
-- The reader reads cost_by_version.
GRANT SELECT ON TABLE lake.badger.cost_by_version TO badger_reader;

-- 353. Run by badger_owner.
-- The annotator reads and writes labels, and nothing else.
GRANT SELECT, MODIFY ON TABLE lake.badger.human_labels TO badger_annotator;

-- 354. Run by badger_owner.
-- The lock of the evaluation.
INSERT INTO lake.badger.run_locks (name) SELECT 'evaluate' WHERE NOT EXISTS (SELECT 1 FROM lake.badger.run_locks WHERE name = 'evaluate');

-- 355. Run by badger_owner.
-- The schedule: answers of the 30 days before the last complete call, and later ones, are scored, and a drop of a pass rate by 0.05 raises an alert.
MERGE INTO lake.badger.schedule AS t USING (SELECT '' AS metric, date_format(to_utc_timestamp(current_timestamp(), current_timezone()) - INTERVAL '30' DAY, 'yyyy-MM-dd') AS since_day, CAST(0.05 AS DOUBLE) AS pass_rate_drop) AS s ON t.metric = s.metric
WHEN MATCHED THEN UPDATE SET since_day = least(t.since_day, s.since_day), pass_rate_drop = s.pass_rate_drop
WHEN NOT MATCHED THEN INSERT (metric, since_day, pass_rate_drop) VALUES (s.metric, s.since_day, s.pass_rate_drop);

-- 356. Run by badger_owner.
-- Stores each new fact of open_facts as an alert, and marks those that are no longer true as resolved. It fails with the new alerts, once for each, so that the task that calls it sends its notification. Needs DBR 17.2 or a SQL warehouse.
CREATE OR REPLACE PROCEDURE lake.badger.send_alerts()
LANGUAGE SQL
SQL SECURITY INVOKER
COMMENT 'Stores new alerts and fails with them. [badger-helper]'
AS BEGIN
  DECLARE v_new STRING;
  CREATE OR REPLACE TABLE lake.badger._facts AS SELECT * FROM lake.badger.open_facts;
  MERGE INTO lake.badger.alerts AS t USING (SELECT a.alert_id FROM lake.badger.alerts AS a LEFT ANTI JOIN lake.badger._facts AS f ON f.fact = a.fact WHERE a.resolved_at IS NULL) AS s ON t.alert_id = s.alert_id
  WHEN MATCHED THEN UPDATE SET resolved_at = current_timestamp();
  INSERT INTO lake.badger.alerts (alert_id, kind, fact, agent_name, agent_version, batch_id, metric, message, raised_at, resolved_at, sent_at)
  SELECT uuid(), f.kind, f.fact, f.agent_name, f.agent_version, f.batch_id, f.metric, left(f.message, 1000), current_timestamp(), NULL, NULL
  FROM lake.badger._facts AS f LEFT JOIN (SELECT fact FROM lake.badger.alerts WHERE resolved_at IS NULL) AS a ON a.fact = f.fact WHERE a.fact IS NULL;
  SET v_new = (SELECT left(array_join(transform(array_sort(collect_list(struct(raised_at, alert_id, message))), x -> x.message), '\n'), 10000) FROM lake.badger.alerts WHERE sent_at IS NULL);
  UPDATE lake.badger.alerts SET sent_at = current_timestamp() WHERE sent_at IS NULL;
  DROP TABLE IF EXISTS lake.badger._facts;
  IF v_new <> '' THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = v_new;
  END IF;
END;

-- 357. Run by badger_owner.
-- Scores the answers that have no score: CALL lake.badger.evaluate() those since schedule.since_day, those without a date, and what an earlier call left; CALL lake.badger.evaluate('BATCH', 'METRIC,METRIC') those of a batch. 100 answers at a time are stored. Needs DBR 17.2 or a SQL warehouse.
CREATE OR REPLACE PROCEDURE lake.badger.evaluate(IN wanted STRING DEFAULT NULL COMMENT 'the batch; NULL: all that lack scores', IN metrics STRING DEFAULT NULL COMMENT 'names of metrics, separated by commas')
LANGUAGE SQL
SQL SECURITY INVOKER
COMMENT 'Scores the answers that lack scores: all since schedule.since_day, or those of one batch. run_log lists the outcome. [badger-procedure:889e7b4ef9c9ceb3]'
AS BEGIN
  DECLARE me STRING DEFAULT uuid();
  DECLARE scheduled BOOLEAN DEFAULT wanted IS NULL AND metrics IS NULL;
  DECLARE settings STRING;
  DECLARE probe STRING;
  DECLARE v_versions STRING;
  DECLARE metric_list ARRAY<STRING>;
  DECLARE v_run STRING;
  DECLARE resumed BOOLEAN DEFAULT FALSE;
  DECLARE started TIMESTAMP DEFAULT current_timestamp();
  DECLARE last_key STRING DEFAULT '';
  DECLARE new_key STRING;
  DECLARE size INT DEFAULT 100;
  DECLARE n BIGINT DEFAULT 0;
  DECLARE done BIGINT DEFAULT 0;
  DECLARE left_out BIGINT DEFAULT 0;
  DECLARE given_up BIGINT DEFAULT 0;
  DECLARE in_a_row INT DEFAULT 0;
  DECLARE problem STRING;
  DECLARE last_problem STRING;
  DECLARE fatal STRING;

  -- Whoever is silent for 60 minutes loses the lock. Of two updates at once one fails.
  BEGIN
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
      GET DIAGNOSTICS CONDITION 1 problem = MESSAGE_TEXT;
    END;
    UPDATE lake.badger.run_locks SET holder = me, taken_at = current_timestamp(), beat_at = current_timestamp()
    WHERE name = 'evaluate' AND (holder IS NULL OR beat_at < current_timestamp() - INTERVAL '60' MINUTE);
  END;
  IF (SELECT COUNT(*) FROM lake.badger.run_locks WHERE name = 'evaluate' AND holder = me) = 0 THEN
    INSERT INTO lake.badger.run_log (entry_id, logged_at, event, batch_id) SELECT uuid(), current_timestamp(), 'refused', wanted;
    SIGNAL SQLSTATE '55006' SET MESSAGE_TEXT = 'another evaluation is running';
  END IF;
  BEGIN
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
      GET DIAGNOSTICS CONDITION 1 fatal = MESSAGE_TEXT;
    END;
    INSERT INTO lake.badger.run_log (entry_id, logged_at, eval_run_id, event, batch_id, message)
    SELECT uuid(), current_timestamp(), l.eval_run_id, 'interrupted', l.batch_id, 'the call before was interrupted'
    FROM (SELECT eval_run_id, batch_id, event, ROW_NUMBER() OVER (ORDER BY logged_at DESC) AS newest FROM lake.badger.run_log WHERE event IN ('began', 'resumed', 'done', 'idle', 'run failed', 'interrupted')) AS l
    WHERE l.newest = 1 AND l.event IN ('began', 'resumed');
    INSERT INTO lake.badger.run_log (entry_id, logged_at, event, answers, agent_name, agent_version, batch_id)
    SELECT uuid(), current_timestamp(), 'batch began', b.answers, b.agent_name, b.agent_version, b.batch_id FROM lake.badger.backlog AS b WHERE wanted IS NULL OR b.batch_id = wanted;
    SET settings = (SELECT lake.badger.run_settings(COALESCE(metrics, 'small,large')));
    SET fatal = get_json_object(settings, '$.reason');
    IF fatal IS NULL THEN
      SET v_versions = get_json_object(settings, '$.versions');
      SET metric_list = from_json(get_json_object(settings, '$.metrics'), 'array<string>');
      IF scheduled THEN
        DELETE FROM lake.badger.schedule WHERE metric <> '' AND NOT array_contains(metric_list, metric);
        INSERT INTO lake.badger.schedule (metric) SELECT m.metric FROM (SELECT explode(metric_list) AS metric) AS m LEFT ANTI JOIN lake.badger.schedule AS t ON t.metric = m.metric;
      END IF;
      -- A run that was left goes on where it was to score the same metrics of the same versions.
      SET v_run = (
        SELECT MAX_BY(eval_run_id, eval_run_date) FROM lake.badger.eval_runs
        WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed') AND versions = v_versions AND (wanted IS NULL OR batch_id = wanted));
      SET resumed = v_run IS NOT NULL;
      SET v_run = COALESCE(v_run, concat('evaluate-', date_format(to_utc_timestamp(started, current_timezone()), "yyyyMMdd'T'HHmmss"), '-', left(me, 6)));
      INSERT INTO lake.badger.run_log (entry_id, logged_at, eval_run_id, event, batch_id) SELECT uuid(), current_timestamp(), v_run, CASE WHEN resumed THEN 'resumed' ELSE 'began' END, wanted;
    END IF;
  END;

  slices: WHILE fatal IS NULL DO
    SET problem = NULL;
    BEGIN
      DECLARE EXIT HANDLER FOR SQLEXCEPTION
      BEGIN
        GET DIAGNOSTICS CONDITION 1 problem = MESSAGE_TEXT;
      END;
      CREATE OR REPLACE TABLE lake.badger._slice AS
      WITH runs AS (
        SELECT COALESCE(CAST(agent_name AS STRING), '') AS agent_name, COALESCE(CAST(agent_version AS STRING), '') AS agent_version, COALESCE(CAST(batch_id AS STRING), '') AS batch_id,
               COALESCE(CAST(case_id AS STRING), '') AS case_id, ran_at, sql, CASE WHEN CAST(ran_at AS STRING) LIKE '____-__-__%' THEN SUBSTR(CAST(ran_at AS STRING), 1, 10) END AS run_day, to_json(struct(r.*)) AS run_json
        FROM lake.badger.agent_runs AS r
      ), answers AS (
        SELECT * FROM (
          SELECT *, concat(agent_name, char(31), agent_version, char(31), batch_id, char(31), case_id) AS k,
                 ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) AS copy
          FROM runs)
        WHERE copy = 1
      ), interrupted AS (
        SELECT DISTINCT agent_name, batch_id FROM lake.badger.eval_runs WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed')
      ), running AS ( -- by badger run
        SELECT DISTINCT r.agent_name, r.agent_version, r.batch_id
        FROM lake.badger.eval_runs AS r LEFT JOIN (SELECT eval_run_id, MAX(scored_at) AS last_at FROM lake.badger.scores GROUP BY eval_run_id) AS l ON l.eval_run_id = r.eval_run_id
        WHERE r.status = 'running' AND r.eval_run_id NOT LIKE 'evaluate-%' AND (r.eval_run_date > current_timestamp() - INTERVAL '60' MINUTE OR l.last_at > current_timestamp() - INTERVAL '60' MINUTE)
      ), owed AS (
        SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id
        FROM answers AS a CROSS JOIN (SELECT COALESCE(MAX(since_day), '') AS since_day FROM lake.badger.schedule) AS w
        LEFT JOIN interrupted AS i ON i.agent_name = a.agent_name AND i.batch_id = a.batch_id
        LEFT JOIN running AS r ON r.agent_name = a.agent_name AND r.agent_version = a.agent_version AND r.batch_id = a.batch_id
        WHERE a.batch_id = wanted OR wanted IS NULL AND r.batch_id IS NULL AND (a.run_day IS NULL OR a.run_day >= w.since_day OR i.batch_id IS NOT NULL)
      ), asked AS (
        SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id, posexplode(metric_list) AS (place, metric)
        FROM owed AS a WHERE a.k > last_key
      ), missing AS (
        SELECT q.k, array_join(transform(array_sort(collect_list(struct(q.place, q.metric))), x -> x.metric), ',') AS missing
        FROM asked AS q LEFT ANTI JOIN lake.badger.scores AS s
        ON s.agent_name = q.agent_name AND s.agent_version = q.agent_version AND s.batch_id = q.batch_id AND s.case_id = q.case_id AND s.metric = q.metric
        GROUP BY q.k
      ), first_ones AS (
        SELECT k, missing FROM (SELECT k, missing, ROW_NUMBER() OVER (ORDER BY k) AS place FROM missing) WHERE place <= size
      ), golden AS (
        -- v10 comes after v9: runs of digits count as numbers.
        SELECT * FROM (
          SELECT case_id, golden_json, COUNT(*) OVER (PARTITION BY case_id, set_version) AS copies,
                 ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY regexp_replace(regexp_replace(set_version, '([0-9]+)', '0000000000000000000000000000000000000000$1'), '[0-9]*([0-9]{40})', '$1') DESC, set_version DESC) AS place
          FROM (SELECT COALESCE(CAST(case_id AS STRING), '') AS case_id, COALESCE(CAST(set_version AS STRING), '') AS set_version, to_json(struct(g.*)) AS golden_json FROM lake.badger.golden_set AS g))
        WHERE place = 1
      )
      SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id, m.missing,
             concat('{"run":', a.run_json, ',"golden":', COALESCE(g.golden_json, 'null'), ',"copies":', COALESCE(g.copies, 0), '}') AS row_json
      FROM first_ones AS m JOIN answers AS a ON a.k = m.k LEFT JOIN golden AS g ON g.case_id = a.case_id;
      SET (n, new_key) = (SELECT COUNT(*), MAX(k) FROM lake.badger._slice);
      IF n > 0 THEN
        CREATE OR REPLACE TABLE lake.badger._scored AS
        SELECT agent_name, agent_version, batch_id, case_id, lake.badger.score_row(row_json, missing) AS result FROM lake.badger._slice;
        UPDATE lake.badger.run_locks SET beat_at = current_timestamp() WHERE name = 'evaluate' AND holder = me;
        IF (SELECT COUNT(*) FROM lake.badger.run_locks WHERE name = 'evaluate' AND holder = me) = 0 THEN
          SET fatal = 'another call has taken the lock, because this one was silent for too long';
        ELSE
          MERGE INTO lake.badger.eval_runs AS t USING (SELECT DISTINCT agent_name, agent_version, batch_id FROM lake.badger._slice) AS s
          ON t.eval_run_id = v_run AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id
          WHEN MATCHED THEN UPDATE SET status = 'running'
          WHEN NOT MATCHED THEN INSERT (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
            VALUES (v_run, s.agent_name, s.agent_version, s.batch_id, started, 'both', get_json_object(settings, '$.config'), get_json_object(settings, '$.judge'), v_versions, 'running');
          MERGE INTO lake.badger.scores AS t USING (
            SELECT p.case_id, p.agent_name, p.agent_version, p.batch_id, r.*
            FROM (SELECT *, explode(from_json(result, 'array<struct<metric:string,metric_version:bigint,status:string,value:double,label:string,passed:boolean,reason:string,detail:string,assessment_ids:string,config_hash:string,code:string,usage:string,gold_hash:string,answer_hash:string>>')) AS r
              FROM lake.badger._scored) AS p WHERE r.metric IS NOT NULL) AS s
          ON t.eval_run_id = v_run AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id AND t.case_id = s.case_id AND t.metric = s.metric
          WHEN NOT MATCHED THEN INSERT (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, metric_version, status, value, label, passed, reason, detail, assessment_ids, config_hash, scored_at, code, usage, gold_hash, answer_hash)
            VALUES (v_run, s.case_id, s.agent_name, s.agent_version, s.batch_id, s.metric, s.metric_version, s.status, s.value, s.label, s.passed, s.reason, s.detail, s.assessment_ids,
              s.config_hash, current_timestamp(), s.code, s.usage, s.gold_hash, s.answer_hash);
        END IF;
      END IF;
    END;
    IF fatal IS NULL AND problem IS NOT NULL THEN
      IF size > 1 THEN
        INSERT INTO lake.badger.run_log (entry_id, logged_at, eval_run_id, event, answers, message) SELECT uuid(), current_timestamp(), v_run, 'slice failed', size, left(problem, 1000);
      END IF;
      BEGIN -- a server that is away is no fault of an answer
        DECLARE EXIT HANDLER FOR SQLEXCEPTION
        BEGIN
          SET fatal = left(problem, 1000);
        END;
        SET probe = (SELECT lake.badger.run_settings(COALESCE(metrics, 'small,large')));
      END;
    END IF;
    IF fatal IS NOT NULL THEN
      LEAVE slices;
    ELSEIF problem IS NULL THEN
      IF n = 0 THEN
        LEAVE slices;
      END IF;
      SET last_key = new_key;
      SET done = done + n;
      SET in_a_row = 0;
      SET size = 100;
    ELSEIF size > 1 THEN
      SET size = 1; -- one by one, to find the answer that cannot be scored
      SET new_key = NULL;
    ELSEIF new_key IS NULL OR new_key = last_key THEN
      SET fatal = left(problem, 1000);
    ELSE
      INSERT INTO lake.badger.run_log (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
      SELECT uuid(), current_timestamp(), v_run, 'answer failed', case_id, 1, left(problem, 1000), agent_name, agent_version, batch_id FROM lake.badger._slice;
      SET last_problem = problem;
      SET left_out = left_out + 1;
      SET in_a_row = in_a_row + 1;
      SET last_key = new_key;
      IF in_a_row >= 10 THEN
        SET fatal = left(problem, 1000);
      END IF;
    END IF;
  END WHILE slices;

  IF left_out > 0 THEN
    BEGIN
      DECLARE EXIT HANDLER FOR SQLEXCEPTION
      BEGIN
        GET DIAGNOSTICS CONDITION 1 problem = MESSAGE_TEXT;
        SET fatal = COALESCE(fatal, problem);
      END;
      -- An answer that fails by itself in 3 calls is not tried again: its scores are failed, with the reason.
      CREATE OR REPLACE TABLE lake.badger._given_up AS
      SELECT agent_name, agent_version, batch_id, case_id, max_by(message, logged_at) AS message
      FROM lake.badger.run_log WHERE event = 'answer failed' AND agent_name IS NOT NULL GROUP BY agent_name, agent_version, batch_id, case_id HAVING COUNT(*) >= 3 AND MAX(logged_at) >= started;
      MERGE INTO lake.badger.eval_runs AS t USING (SELECT DISTINCT agent_name, agent_version, batch_id FROM lake.badger._given_up) AS s
      ON t.eval_run_id = v_run AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id
      WHEN NOT MATCHED THEN INSERT (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
        VALUES (v_run, s.agent_name, s.agent_version, s.batch_id, started, 'both', get_json_object(settings, '$.config'), get_json_object(settings, '$.judge'), v_versions, 'running');
      INSERT INTO lake.badger.scores (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, status, reason, code, scored_at)
      SELECT v_run, g.case_id, g.agent_name, g.agent_version, g.batch_id, g.metric, 'failed', g.message, 'unknown', current_timestamp()
      FROM (SELECT *, explode(metric_list) AS metric FROM lake.badger._given_up) AS g LEFT ANTI JOIN lake.badger.scores AS s
      ON s.agent_name = g.agent_name AND s.agent_version = g.agent_version AND s.batch_id = g.batch_id AND s.case_id = g.case_id AND s.metric = g.metric;
      INSERT INTO lake.badger.run_log (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
      SELECT uuid(), current_timestamp(), v_run, 'not retried', case_id, 1, message, agent_name, agent_version, batch_id FROM lake.badger._given_up;
      SET given_up = (SELECT COUNT(*) FROM lake.badger._given_up);
    END;
    DROP TABLE IF EXISTS lake.badger._given_up;
    IF fatal IS NULL AND left_out > given_up THEN
      SET fatal = left(concat(left_out - given_up, ' answers could not be scored; the reason of the last one: ', last_problem), 1000);
    END IF;
  END IF;
  IF v_run IS NOT NULL THEN
    MERGE INTO lake.badger.eval_runs AS t USING (
      SELECT agent_name, agent_version, batch_id, concat('{', array_join(array_sort(collect_list(concat('"', status, '":', n))), ','), '}') AS counts,
             concat('{"calls":', SUM(calls), ',"in":', SUM(tokens_in), ',"out":', SUM(tokens_out), '}') AS tokens
      FROM (
        SELECT agent_name, agent_version, batch_id, status, COUNT(*) AS n, COALESCE(SUM(CAST(get_json_object(usage, '$.calls') AS BIGINT)), 0) AS calls,
               COALESCE(SUM(greatest(CAST(get_json_object(usage, '$.tokens_in') AS BIGINT), 0)), 0) AS tokens_in, COALESCE(SUM(greatest(CAST(get_json_object(usage, '$.tokens_out') AS BIGINT), 0)), 0) AS tokens_out
        FROM lake.badger.scores WHERE eval_run_id = v_run GROUP BY agent_name, agent_version, batch_id, status)
      GROUP BY agent_name, agent_version, batch_id) AS s
    ON t.eval_run_id = v_run AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id AND (wanted IS NULL OR t.batch_id = wanted)
    WHEN MATCHED THEN UPDATE SET status = CASE WHEN fatal IS NULL THEN 'done' ELSE 'failed' END, counts = s.counts, tokens = s.tokens;
    -- What was left under other versions has been scored by this run.
    IF fatal IS NULL AND wanted IS NULL THEN
      UPDATE lake.badger.eval_runs SET status = 'stopped' WHERE eval_run_id LIKE 'evaluate-%' AND eval_run_id <> v_run AND status IN ('running', 'failed');
    END IF;
    -- The look-back only moves on when nothing is left.
    IF fatal IS NULL AND scheduled THEN
      UPDATE lake.badger.schedule SET since_day = date_format(to_utc_timestamp(current_timestamp(), current_timezone()) - INTERVAL '30' DAY, 'yyyy-MM-dd') WHERE metric = '';
    END IF;
  END IF;
  INSERT INTO lake.badger.run_log (entry_id, logged_at, eval_run_id, event, answers, message, batch_id)
  SELECT uuid(), current_timestamp(), v_run, CASE WHEN fatal IS NOT NULL THEN 'run failed' WHEN done = 0 AND NOT resumed THEN 'idle' ELSE 'done' END, done, fatal, wanted;
  IF fatal IS NOT NULL THEN
    INSERT INTO lake.badger.run_log (entry_id, logged_at, eval_run_id, event, answers, message, agent_name, agent_version, batch_id)
    SELECT uuid(), current_timestamp(), v_run, 'batch failed', b.answers, fatal, b.agent_name, b.agent_version, b.batch_id FROM lake.badger.backlog AS b WHERE wanted IS NULL OR b.batch_id = wanted;
  END IF;
  DROP TABLE IF EXISTS lake.badger._slice;
  DROP TABLE IF EXISTS lake.badger._scored;
  UPDATE lake.badger.run_locks SET holder = NULL WHERE name = 'evaluate' AND holder = me;
  IF fatal IS NOT NULL THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = fatal;
  END IF;
END;

-- 358. Run by a person, not as SQL.
-- The job that calls the procedure by night, one run at a time. badger deploy databricks writes the same as a bundle. By hand: save the two files; the SQL files go into the workspace.
--     badger_evaluate.sql:
--         CALL lake.badger.evaluate();
--     badger_alerts.sql, which fails with the new alerts, each of them once:
--         CALL lake.badger.send_alerts();
--     job.json:
--         {"name": "badger evaluate", "max_concurrent_runs": 1, "schedule": {"quartz_cron_expression": "0 15 3 ? * 2", "timezone_id": "UTC", "pause_status": "UNPAUSED"},
--          "tasks": [{"task_key": "evaluate", "sql_task": {"warehouse_id": "nightly", "file": {"path": "/Workspace/Shared/badger_evaluate.sql", "source": "WORKSPACE"}}},
--                    {"task_key": "alerts", "depends_on": [{"task_key": "evaluate"}], "run_if": "ALL_DONE", "email_notifications": {"on_failure": ["SOMEBODY@EXAMPLE.COM"]},
--                     "sql_task": {"warehouse_id": "nightly", "file": {"path": "/Workspace/Shared/badger_alerts.sql", "source": "WORKSPACE"}}}]}
--     databricks workspace import /Workspace/Shared/badger_evaluate.sql --file badger_evaluate.sql --format RAW
--     databricks workspace import /Workspace/Shared/badger_alerts.sql --file badger_alerts.sql --format RAW
--     databricks jobs create --json @job.json


-- Drop badger from databricks via http. Scores, labels and all other data of badger go too.

-- Run by badger_owner.
DROP PROCEDURE IF EXISTS lake.badger.evaluate;

-- Run by badger_owner.
DROP PROCEDURE IF EXISTS lake.badger.send_alerts;

-- Run by badger_owner.
REVOKE SELECT, MODIFY ON TABLE lake.badger.human_labels FROM badger_annotator;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.cost_by_version FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.conversations FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.turns FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.system_ranks FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.ex_discordance FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.ambiguous_questions FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.failures_by_label FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.failure_labels FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.batch_changes FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.trend FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.suspect_golds FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.failures_by_reason FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.judge_cost FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.worst_cases FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.versions_by_batch FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.latest_run FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.open_facts FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.backlog FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.degradation FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.agreement FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.versions_by_metric FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.coverage FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.complexity FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.consensus FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.latest_scores FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.alerts FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.schedule FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.run_log FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.eval_runs FROM badger_reader;

-- Run by badger_owner.
REVOKE SELECT ON TABLE lake.badger.scores FROM badger_reader;

-- Run by badger_owner.
REVOKE USE SCHEMA ON SCHEMA lake.badger FROM badger_annotator;

-- Run by badger_owner.
REVOKE USE SCHEMA ON SCHEMA lake.badger FROM badger_reader;

-- Run by a metastore admin, or CREATE CONNECTION on the metastore and USE CATALOG, CREATE SCHEMA on the catalog.
REVOKE USE CATALOG ON CATALOG lake FROM badger_annotator;

-- Run by a metastore admin, or CREATE CONNECTION on the metastore and USE CATALOG, CREATE SCHEMA on the catalog.
REVOKE USE CATALOG ON CATALOG lake FROM badger_reader;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.cost_by_version;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.conversations;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.turns;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.system_ranks;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.ex_discordance;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.ambiguous_questions;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.failures_by_label;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.failure_labels;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.batch_changes;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.trend;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.suspect_golds;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.failures_by_reason;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.judge_cost;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.worst_cases;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.versions_by_batch;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.latest_run;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.open_facts;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.backlog;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.degradation;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.agreement;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.versions_by_metric;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.coverage;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.complexity;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.consensus;

-- Run by badger_owner.
DROP VIEW IF EXISTS lake.badger.latest_scores;

-- Run by badger_owner.
DROP TABLE lake.badger.deletions;

-- Run by badger_owner.
DROP TABLE lake.badger.accepted;

-- Run by badger_owner.
DROP TABLE lake.badger.label_log;

-- Run by badger_owner.
DROP TABLE lake.badger.queue_items;

-- Run by badger_owner.
DROP TABLE lake.badger.queues;

-- Run by badger_owner.
DROP TABLE lake.badger.calls;

-- Run by badger_owner.
DROP TABLE lake.badger.claims;

-- Run by badger_owner.
DROP TABLE lake.badger.run_locks;

-- Run by badger_owner.
DROP TABLE lake.badger.alerts;

-- Run by badger_owner.
DROP TABLE lake.badger.schedule;

-- Run by badger_owner.
DROP TABLE lake.badger.run_log;

-- Run by badger_owner.
DROP TABLE lake.badger.sentinels;

-- Run by badger_owner.
DROP TABLE lake.badger.judges;

-- Run by badger_owner.
DROP TABLE lake.badger.schema_version;

-- Run by badger_owner.
DROP TABLE lake.badger.assessments;

-- Run by badger_owner.
DROP TABLE lake.badger.scores;

-- Run by badger_owner.
DROP TABLE lake.badger.eval_runs;

-- Run by badger_owner.
DROP TABLE lake.badger.human_labels;

-- Run by badger_owner.
DROP TABLE lake.badger.agent_runs;

-- Run by badger_owner.
DROP TABLE lake.badger.golden_set;

-- Run by badger_owner.
REVOKE USE SCHEMA, EXECUTE ON SCHEMA lake.badger FROM badger_caller;

-- Run by badger_owner.
DROP FUNCTION IF EXISTS lake.badger.score_row;

-- Run by badger_owner.
DROP FUNCTION IF EXISTS lake.badger.run_settings;

-- Run by badger_owner.
DROP FUNCTION IF EXISTS lake.badger.large_json;

-- Run by badger_owner.
DROP FUNCTION IF EXISTS lake.badger.small;

-- Run by badger_owner.
DROP FUNCTION IF EXISTS lake.badger.badger_version;

-- Run by a metastore admin, or CREATE CONNECTION on the metastore and USE CATALOG, CREATE SCHEMA on the catalog.
DROP CONNECTION IF EXISTS badger;

-- Run by badger_owner.
DROP SCHEMA IF EXISTS lake.badger RESTRICT;

-- Run by a metastore admin, or CREATE CONNECTION on the metastore and USE CATALOG, CREATE SCHEMA on the catalog.
REVOKE USE CATALOG ON CATALOG lake FROM badger_caller;

-- Run by a metastore admin, or CREATE CONNECTION on the metastore and USE CATALOG, CREATE SCHEMA on the catalog.
REVOKE USE CATALOG, CREATE SCHEMA ON CATALOG lake FROM badger_owner;
