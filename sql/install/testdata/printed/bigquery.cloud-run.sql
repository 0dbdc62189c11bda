-- badger in bigquery via cloud-run: 167 steps, in this order. Each may be run again.

-- 1. Run by an owner of the project.
-- The dataset of everything that belongs to badger. It stays when badger is removed, unless its data go too.
CREATE SCHEMA IF NOT EXISTS lake.badger OPTIONS (location = 'eu', description = 'badger: functions, scores, labels');

-- 2. Run by an owner of the project.
-- The owner creates functions and tables in the dataset. BigQuery's roles are people, groups and service accounts.
GRANT `roles/bigquery.dataOwner` ON SCHEMA lake.badger TO 'badger_owner';

-- 3. Run by a person, not as SQL.
-- The commands of the next steps are in the script setup.sh that badger deploy cloud-run writes from the same values, beside the service and the variables of a Terraform module.
--     badger deploy cloud-run --values VALUES --to DIR && DIR/setup.sh

-- 4. Run by a person, not as SQL.
-- The account that badger serve runs as, and the connection by whose service account BigQuery calls it.
--     gcloud iam service-accounts create badger-server --project=lake
--     gcloud iam service-accounts create badger-nightly --project=lake
--     bq mk --connection --location=eu --project_id=lake --connection_type=CLOUD_RESOURCE badger
--     CALLER=$(bq show --format=json --connection lake.eu.badger | jq -er .cloudResource.serviceAccountId)

-- 5. Run by a person, not as SQL.
-- The owner creates functions over the connection: Google's own role for that may also delete connections, so this one is made for it.
--     gcloud iam roles create badgerFunctionOwner --project=lake --permissions=bigquery.connections.delegate,bigquery.connections.get,bigquery.connections.use

-- 6. Run by a person, not as SQL.
-- What each account may do, and nothing else. bq has no command for roles on a connection: in the console, BigQuery, the connection, Share.
--     projects/lake/roles/badgerFunctionOwner on the connection lake.eu.badger for badger_owner
--     roles/bigquery.connectionUser on the connection lake.eu.badger for badger_caller
--     gcloud projects add-iam-policy-binding lake --member=serviceAccount:badger-nightly@lake.iam.gserviceaccount.com --role=roles/bigquery.jobUser --condition=None
--     bq query --project_id=lake --location=eu --use_legacy_sql=false 'GRANT `roles/bigquery.dataEditor` ON SCHEMA lake.badger TO '\''serviceAccount:badger-nightly@lake.iam.gserviceaccount.com'\'''
--     roles/bigquery.connectionUser on the connection lake.eu.badger for serviceAccount:badger-nightly@lake.iam.gserviceaccount.com

-- 7. Run by a person, not as SQL.
-- The service, with internal ingress and no callers without a token; and the right of the connection's account to call it.
--     gcloud run services replace service.yaml --project=lake --region=REGION
--     gcloud run services add-iam-policy-binding badger --project=lake --region=REGION --member="serviceAccount:$CALLER" --role=roles/run.invoker

-- 8. Run by badger_owner.
-- badger_version(): The version of badger.
CREATE OR REPLACE FUNCTION lake.badger.badger_version()
RETURNS STRING
REMOTE WITH CONNECTION lake.eu.badger
OPTIONS (
  description = 'The version of badger. [badger:73cab499bfb99548]',
  endpoint = 'https://badger.example.com/v1/bigquery/badger_version',
  max_batching_rows = 500,
  user_defined_context = [('fn', 'badger_version'), ('fnv', '0')]
);

-- 9. Run by badger_owner.
-- small(gold_sql, agent_latency_ms): A share of it's \ "texts".
CREATE OR REPLACE FUNCTION lake.badger.small(gold_sql STRING, agent_latency_ms FLOAT64)
RETURNS FLOAT64
REMOTE WITH CONNECTION lake.eu.badger
OPTIONS (
  description = 'A share of it\'s \\ "texts". [badger:1fca62df9b5d155b]',
  endpoint = 'https://badger.example.com/v1/bigquery/small',
  max_batching_rows = 500,
  user_defined_context = [('fn', 'small'), ('fnv', '1')]
);

-- 10. Run by badger_owner.
-- large_json(gold_result): Evidence.
CREATE OR REPLACE FUNCTION lake.badger.large_json(gold_result STRING)
RETURNS JSON
REMOTE WITH CONNECTION lake.eu.badger
OPTIONS (
  description = 'Evidence. [badger:ba9ea0dce651819e]',
  endpoint = 'https://badger.example.com/v1/bigquery/large_json',
  max_batching_rows = 500,
  user_defined_context = [('fn', 'large_json'), ('fnv', '2')]
);

-- 11. Run by badger_owner.
-- large_json_all(gold_result, options): Evidence.
CREATE OR REPLACE FUNCTION lake.badger.large_json_all(gold_result STRING, options STRING)
RETURNS JSON
REMOTE WITH CONNECTION lake.eu.badger
OPTIONS (
  description = 'Evidence. [badger:982705c77cd040c8]',
  endpoint = 'https://badger.example.com/v1/bigquery/large_json',
  max_batching_rows = 500,
  user_defined_context = [('fn', 'large_json'), ('fnv', '2')]
);

-- 12. Run by badger_owner.
-- run_settings(metrics): What a run is made with.
CREATE OR REPLACE FUNCTION lake.badger.run_settings(metrics STRING)
RETURNS JSON
REMOTE WITH CONNECTION lake.eu.badger
OPTIONS (
  description = 'What a run is made with. [badger:a6f7215a725f7edc]',
  endpoint = 'https://badger.example.com/v1/bigquery/run_settings',
  max_batching_rows = 500,
  user_defined_context = [('fn', 'run_settings'), ('fnv', '0')]
);

-- 13. Run by badger_owner.
-- score_row(row): Scores a row.
CREATE OR REPLACE FUNCTION lake.badger.score_row(`row` STRING)
RETURNS JSON
REMOTE WITH CONNECTION lake.eu.badger
OPTIONS (
  description = 'Scores a row. [badger:f4f589728f0ec80d]',
  endpoint = 'https://badger.example.com/v1/bigquery/score_row',
  max_batching_rows = 200,
  user_defined_context = [('fn', 'score_row'), ('fnv', '0')]
);

-- 14. Run by badger_owner.
-- score_row_all(row, metrics): Scores a row.
CREATE OR REPLACE FUNCTION lake.badger.score_row_all(`row` STRING, metrics STRING)
RETURNS JSON
REMOTE WITH CONNECTION lake.eu.badger
OPTIONS (
  description = 'Scores a row. [badger:66b8ac4fdfb53819]',
  endpoint = 'https://badger.example.com/v1/bigquery/score_row',
  max_batching_rows = 200,
  user_defined_context = [('fn', 'score_row'), ('fnv', '0')]
);

-- 15. Run by an owner of the project.
-- Callers see the functions; the data of the dataset they do not see.
GRANT `roles/bigquery.metadataViewer` ON SCHEMA lake.badger TO 'badger_caller';

-- 16. Run by badger_owner.
-- The questions, with their accepted answers. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.golden_set (case_id STRING, question STRING, evidence STRING, schema_ddl STRING, dialect STRING, gold_sql STRING, gold_result STRING, expected_tools STRING, expected_clarifications STRING, expected_behaviour STRING, tags STRING, set_version STRING, gold_latency_ms FLOAT64, gold_error STRING, alternatives STRING, database_name STRING, metric_options STRING, gold_chart STRING);

-- 17. Run by badger_owner.
-- The answers of agents: one row for each question, version of an agent, and batch. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.agent_runs (agent_name STRING, agent_version STRING, batch_id STRING, case_id STRING, interpretation STRING, sql STRING, result STRING, sql_error STRING, tool_calls STRING, response STRING, latency_ms FLOAT64, gold_latency_ms FLOAT64, ran_at TIMESTAMP, conversation_id STRING, turn INT64, earlier_turns STRING, tokens_in INT64, tokens_out INT64, cost_usd BIGNUMERIC, chart STRING, contexts STRING);

-- 18. Run by badger_owner.
-- Human labels of answers: one row for each answer and annotator. Labels from the web report are in label_log. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.human_labels (case_id STRING, agent_name STRING, batch_id STRING, annotator STRING, verdict STRING, note STRING, labelled_at TIMESTAMP, agent_version STRING);

-- 19. Run by badger_owner.
-- The evaluations: one row for each run and each agent, version and batch that it scored. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.eval_runs (eval_run_id STRING, agent_name STRING, agent_version STRING, batch_id STRING, eval_run_date TIMESTAMP, mode STRING, config STRING, judge STRING, versions STRING, counts STRING, tokens STRING, cost STRING, status STRING, answered_at TIMESTAMP);

-- 20. Run by badger_owner.
-- The scores: one row for each run, answer and metric. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.scores (eval_run_id STRING, case_id STRING, agent_name STRING, agent_version STRING, batch_id STRING, metric STRING, metric_version INT64, status STRING, value FLOAT64, label STRING, passed BOOL, reason STRING, detail STRING, assessment_ids STRING, config_hash STRING, scored_at TIMESTAMP, code STRING, usage STRING, gold_hash STRING, answer_hash STRING);

-- 21. Run by badger_owner.
-- The replies of judges, recorded. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.assessments (assessment_id STRING, kind STRING, backend STRING, model STRING, prompt_version STRING, request_hash STRING, reply STRING, tokens_in INT64, tokens_out INT64, latency_ms INT64, created_at TIMESTAMP, detail STRING, payer STRING);

-- 22. Run by badger_owner.
-- The versions that these tables have had. The highest is the present one. A program that supports only lower versions does not write to them. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.schema_version (version INT64, badger STRING, reached_at TIMESTAMP, views STRING);

-- 23. Run by badger_owner.
-- The promoted judge files. A row never changes. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.judges (name STRING, version INT64, kind STRING, source STRING, hash STRING, promoted_at TIMESTAMP, promoted_by STRING, tested STRING);

-- 24. Run by badger_owner.
-- The verdicts of judges on sentinel cases, which are asked again and again: one row for each asking, metric, case and repetition. Rows are appended and never change. The replies are in assessments. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.sentinels (asking_id STRING, metric STRING, case_id STRING, agent_name STRING, agent_version STRING, batch_id STRING, repetition INT64, backend STRING, model STRING, prompt_version STRING, question_hash STRING, served STRING, status STRING, code STRING, passed BOOL, human_label BOOL, assessment_ids STRING, asked_at TIMESTAMP);

-- 25. Run by badger_owner.
-- The events and failures of evaluations by the warehouse's procedure: one row for each event. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.run_log (entry_id STRING, logged_at TIMESTAMP, eval_run_id STRING, event STRING, case_id STRING, answers INT64, message STRING, agent_name STRING, agent_version STRING, batch_id STRING);

-- 26. Run by badger_owner.
-- What the scheduled evaluation computes, as of its last call: one row for each metric, and a row whose metric is empty for the schedule itself. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.schedule (metric STRING, since_day STRING, pass_rate_drop FLOAT64);

-- 27. Run by badger_owner.
-- The alerts: one row for each fact that was reported. A fact is reported again only if it was resolved in between. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.alerts (alert_id STRING, kind STRING, fact STRING, agent_name STRING, agent_version STRING, batch_id STRING, metric STRING, message STRING, raised_at TIMESTAMP, resolved_at TIMESTAMP, sent_at TIMESTAMP);

-- 28. Run by badger_owner.
-- The evaluation that is running, in warehouses without locks: a row for each lock. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.run_locks (name STRING, holder STRING, taken_at TIMESTAMP, beat_at TIMESTAMP);

-- 29. Run by badger_owner.
-- Current leases: one row for each judge request in progress, and for each annotator who is labelling an answer. Rows are temporary. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.claims (claim_key STRING, owner STRING, expires_ms INT64);

-- 30. Run by badger_owner.
-- Calls of the function server that last longer than a connection, with request and reply. Rows are deleted some time after they expire. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.calls (call_id STRING, content_hash STRING, function STRING, request STRING, reply STRING, expires_ms INT64);

-- 31. Run by badger_owner.
-- The labelling queues: answers of a run for annotators to label, in an order. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.queues (queue_id STRING, name STRING, eval_run_id STRING, agent_name STRING, agent_version STRING, batch_id STRING, filter STRING, ordering STRING, seed INT64, annotators INT64, guideline STRING, options STRING, blind BOOL, reason_required BOOL, cases INT64, created_by STRING, created_at TIMESTAMP, closed_at TIMESTAMP);

-- 32. Run by badger_owner.
-- The answers of the labelling queues. They are fixed when a queue is created. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.queue_items (queue_id STRING, position INT64, case_id STRING);

-- 33. Run by badger_owner.
-- Labels from the web report and from imported files: one row for each label. Rows are appended and never change. The latest row of an annotator for an answer in a queue is used, unless it is skip or withdrawn. If there are several queues, the latest of these is used. It overrides the annotator's label in human_labels. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.label_log (label_id STRING, case_id STRING, agent_name STRING, agent_version STRING, batch_id STRING, annotator STRING, verdict STRING, note STRING, gold_wrong BOOL, ambiguous BOOL, labelled_at TIMESTAMP, queue_id STRING, answer_hash STRING, decides BOOL);

-- 34. Run by badger_owner.
-- The batches that someone accepted as a baseline: one row for each statement. Rows are appended and never change. The latest row of a batch is used. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.accepted (acceptance_id STRING, agent_name STRING, agent_version STRING, batch_id STRING, withdrawn BOOL, accepted_by STRING, accepted_at TIMESTAMP, note STRING);

-- 35. Run by badger_owner.
-- The deletions by badger prune: one row for each table, and one for each run whose scores were deleted. Rows have no content of answers, and are never deleted. The table stays when badger is removed.
CREATE TABLE IF NOT EXISTS lake.badger.deletions (deletion_id STRING, table_name STRING, eval_run_id STRING, case_id STRING, older_than TIMESTAMP, row_count INT64, digest STRING, status STRING, deleted_by STRING, deleted_at TIMESTAMP);

-- 36. Run by badger_owner.
-- The latest score of each answer and metric, from any run, with the status of that run. In sql_safety, an answer without SQL has the status ok, the value 1 and passed: there is nothing to object to.
CREATE OR REPLACE VIEW lake.badger.latest_scores AS SELECT eval_run_id, case_id, agent_name, agent_version, batch_id, metric, metric_version, CASE WHEN status = 'not_applicable' AND metric IN ('sql_safety') AND reason IN ('no SQL of the agent given', 'no query and no result of the agent given', 'the agent gave no answer', 'the question calls for a refusal, and the agent gave no SQL', 'the question calls for a clarification, and the agent gave no SQL') THEN 'ok' ELSE status END AS status, CASE WHEN status = 'not_applicable' AND metric IN ('sql_safety') AND reason IN ('no SQL of the agent given', 'no query and no result of the agent given', 'the agent gave no answer', 'the question calls for a refusal, and the agent gave no SQL', 'the question calls for a clarification, and the agent gave no SQL') THEN 1 ELSE value END AS value, label, CASE WHEN status = 'not_applicable' AND metric IN ('sql_safety') AND reason IN ('no SQL of the agent given', 'no query and no result of the agent given', 'the agent gave no answer', 'the question calls for a refusal, and the agent gave no SQL', 'the question calls for a clarification, and the agent gave no SQL') THEN TRUE ELSE passed END AS passed, reason, detail, assessment_ids, config_hash, scored_at, code, usage, gold_hash, answer_hash, run_status, run_date FROM (
  SELECT s.eval_run_id, s.case_id, s.agent_name, s.agent_version, s.batch_id, s.metric, s.metric_version, s.status, s.value, s.label, s.passed, s.reason, s.detail, s.assessment_ids, s.config_hash, s.scored_at, s.code, s.usage, s.gold_hash, s.answer_hash, COALESCE(r.status, 'running') AS run_status, r.eval_run_date AS run_date,
         ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric ORDER BY s.scored_at DESC, CASE WHEN r.eval_run_date IS NULL THEN 1 ELSE 0 END, r.eval_run_date DESC, s.eval_run_id DESC) AS newest
  FROM lake.badger.scores s LEFT JOIN lake.badger.eval_runs r
  ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id) t
WHERE newest = 1;

-- 37. Run by badger_owner.
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

-- 38. Run by badger_owner.
-- The complexity tier of each question, from its latest score.
CREATE OR REPLACE VIEW lake.badger.complexity AS SELECT case_id, label AS tier FROM (
  SELECT case_id, label, ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY scored_at DESC, eval_run_id DESC, agent_name, agent_version, batch_id) AS newest
  FROM lake.badger.latest_scores WHERE metric = 'sql_complexity' AND status = 'ok') t
WHERE newest = 1;

-- 39. Run by badger_owner.
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

-- 40. Run by badger_owner.
-- Version against version, by metric and complexity tier: scored is the number of answers with a value, answered the number of answers; a missing answer counts as 0 and does not pass. unfinished counts the values from runs that are not done. The view coverage shows the outcomes of the others.
CREATE OR REPLACE VIEW lake.badger.versions_by_metric AS SELECT s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') AS tier, COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored, SUM(s.value) * 1.0 / NULLIF(COUNT(CASE WHEN s.value IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END), 0) AS mean_value,
       CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate,
       SUM(CASE WHEN s.run_status = 'done' OR s.status <> 'ok' THEN 0 ELSE 1 END) AS unfinished, COUNT(*) AS answered
FROM lake.badger.latest_scores s LEFT JOIN lake.badger.complexity c ON c.case_id = s.case_id
GROUP BY s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') HAVING COUNT(CASE WHEN s.status = 'ok' THEN 1 END) > 0;

-- 41. Run by badger_owner.
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

-- 42. Run by badger_owner.
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

-- 43. Run by badger_owner.
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

-- 44. Run by badger_owner.
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
       d.agent_name || ', ' || d.metric || ', batch ' || d.batch_id || ': pass rate ' || COALESCE(CAST(CAST(ROUND(d.pass_rate * 100) AS INT64) AS STRING) || ' %', 'none') || ', before '
         || COALESCE(CAST(CAST(ROUND(d.pass_rate_before * 100) AS INT64) AS STRING) || ' %', 'none') || '; ' || CAST(d.failed AS STRING) || ' scores failed, before ' || CAST(d.failed_before AS STRING) AS message
FROM lake.badger.degradation d CROSS JOIN (SELECT MAX(pass_rate_drop) AS most FROM lake.badger.schedule) w
LEFT JOIN (SELECT DISTINCT agent_name, batch_id FROM waiting) n ON n.agent_name = d.agent_name AND (n.batch_id = d.batch_id OR n.batch_id = d.batch_before)
WHERE n.batch_id IS NULL AND (d.pass_rate_change <= -w.most OR d.failed > d.failed_before);

-- 45. Run by badger_owner.
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

-- 46. Run by badger_owner.
-- Version against version, by metric, complexity tier, batch, and the date of the run that the score is from. A missing answer counts as 0 and does not pass.
CREATE OR REPLACE VIEW lake.badger.versions_by_batch AS SELECT s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') AS tier, s.batch_id, CAST(s.run_date AS DATE) AS run_day, COUNT(*) AS answered,
       COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored, SUM(s.value) * 1.0 / NULLIF(COUNT(CASE WHEN s.value IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END), 0) AS mean_value, COUNT(CASE WHEN s.passed THEN 1 END) AS passed,
       COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged, CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate
FROM lake.badger.latest_scores s LEFT JOIN lake.badger.complexity c ON c.case_id = s.case_id
GROUP BY s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown'), s.batch_id, CAST(s.run_date AS DATE);

-- 47. Run by badger_owner.
-- The scored answers of each agent, version, batch and metric, the worst first: place 1 did not pass and has the lowest value. Metrics without a verdict and answers that passed with the value 1 are left out.
CREATE OR REPLACE VIEW lake.badger.worst_cases AS SELECT s.agent_name, s.agent_version, s.batch_id, s.metric,
       ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.metric ORDER BY CASE WHEN s.passed THEN 1 ELSE 0 END, CASE WHEN s.value IS NULL THEN 1 ELSE 0 END, s.value, s.case_id) AS place,
       s.case_id, COALESCE(c.tier, 'unknown') AS tier, s.value, s.passed, s.label, s.reason
FROM lake.badger.latest_scores s LEFT JOIN lake.badger.complexity c ON c.case_id = s.case_id
WHERE s.status = 'ok' AND s.passed IS NOT NULL AND (s.passed = FALSE OR s.value < 1);

-- 48. Run by badger_owner.
-- Judge calls and tokens for the scores of each run, by agent, version, batch and metric, including cached replies. uncounted is the number of scores whose tokens are unknown. The amount paid is in eval_runs.cost.
CREATE OR REPLACE VIEW lake.badger.judge_cost AS SELECT eval_run_id, agent_name, agent_version, batch_id, metric, COUNT(*) AS scores, COUNT(calls) AS asked, SUM(calls) AS calls,
       SUM(CASE WHEN tokens_in >= 0 THEN tokens_in ELSE 0 END) AS tokens_in, SUM(CASE WHEN tokens_out >= 0 THEN tokens_out ELSE 0 END) AS tokens_out,
       COUNT(CASE WHEN calls > 0 AND (tokens_in < 0 OR tokens_out < 0 OR tokens_in IS NULL OR tokens_out IS NULL) THEN 1 END) AS uncounted
FROM (SELECT eval_run_id, agent_name, agent_version, batch_id, metric, CAST(JSON_VALUE(usage, '$.calls') AS INT64) AS calls,
        CAST(JSON_VALUE(usage, '$.tokens_in') AS INT64) AS tokens_in, CAST(JSON_VALUE(usage, '$.tokens_out') AS INT64) AS tokens_out FROM lake.badger.scores) u
GROUP BY eval_run_id, agent_name, agent_version, batch_id, metric HAVING COUNT(calls) > 0;

-- 49. Run by badger_owner.
-- Why scores failed or are missing: the latest scores that failed, abstained or do not apply, by metric and reason, with one of the cases.
CREATE OR REPLACE VIEW lake.badger.failures_by_reason AS SELECT agent_name, agent_version, batch_id, metric, status, code, reason, COUNT(*) AS answers, MIN(case_id) AS example
FROM lake.badger.latest_scores WHERE status <> 'ok' GROUP BY agent_name, agent_version, batch_id, metric, status, code, reason;

-- 50. Run by badger_owner.
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
  FROM lake.badger.latest_scores WHERE status = 'ok' AND (metric = 'relation' AND label IN ('gold_empty', 'gold_literal_foreign', 'gold_vacuous_limit', 'gold_vacuous_having', 'gold_ungrouped', 'gold_and_for_or', 'gold_sort_against_question') OR metric = 'rose' AND JSON_VALUE(detail, '$.gold_x') = 'true'
    OR metric = 'flex' AND value = 1 AND JSON_QUERY(detail, '$.categories') LIKE '%"incorrect_ground_truth_query"%')
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

-- 51. Run by badger_owner.
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

-- 52. Run by badger_owner.
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

-- 53. Run by badger_owner.
-- Causes of failures, a row for each answer and label: the issues of the SQL judge (kind issue), FLEX's errors and its reasons why right answers differ (error, difference), the relation between the results that explains most (relation), STEF's status of the filters (filters), ROSE's diagnoses (diagnosis), answers that refusal rejects (refusal), and what SQL would do other than read (safety). An answer may have several.
CREATE OR REPLACE VIEW lake.badger.failure_labels AS SELECT l.agent_name, l.agent_version, l.batch_id, l.metric, l.kind, l.label, COALESCE(c.tier, 'unknown') AS tier, l.case_id
FROM (SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'issue' AS kind, v.label, s.case_id FROM lake.badger.latest_scores s CROSS JOIN (SELECT 'filters_missing' AS label UNION ALL SELECT 'filters_incorrect' AS label UNION ALL SELECT 'joins_missing' AS label UNION ALL SELECT 'joins_incorrect' AS label UNION ALL SELECT 'joins_unnecessary' AS label UNION ALL SELECT 'aggregation_wrong' AS label UNION ALL SELECT 'aggregation_missing' AS label UNION ALL SELECT 'columns_missing' AS label UNION ALL SELECT 'columns_wrong' AS label UNION ALL SELECT 'ordering_wrong' AS label UNION ALL SELECT 'schema_misunderstanding' AS label UNION ALL SELECT 'logic_error' AS label UNION ALL SELECT 'performance_issue' AS label) v WHERE s.status = 'ok' AND s.metric = 'sql_judge_issues' AND JSON_QUERY(s.detail, '$.issues') LIKE '%"' || v.label || '"%'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'error' AS kind, v.label, s.case_id FROM lake.badger.latest_scores s CROSS JOIN (SELECT 'incorrect_schema_linking' AS label UNION ALL SELECT 'incorrect_filtering_condition' AS label UNION ALL SELECT 'missing_handling_of_nullable_column' AS label UNION ALL SELECT 'missing_handling_of_multiple_rows' AS label UNION ALL SELECT 'abused_clauses' AS label UNION ALL SELECT 'other_fatal_issues' AS label) v WHERE s.status = 'ok' AND s.metric = 'flex' AND s.value = 0 AND JSON_QUERY(s.detail, '$.categories') LIKE '%"' || v.label || '"%'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'difference' AS kind, v.label, s.case_id FROM lake.badger.latest_scores s CROSS JOIN (SELECT 'different_output_structure' AS label UNION ALL SELECT 'different_output_value_representation' AS label UNION ALL SELECT 'incorrect_ground_truth_query' AS label UNION ALL SELECT 'multiple_answers_available' AS label UNION ALL SELECT 'other_minor_issues' AS label) v WHERE s.status = 'ok' AND s.metric = 'flex' AND s.value = 1 AND JSON_QUERY(s.detail, '$.categories') LIKE '%"' || v.label || '"%'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'relation' AS kind, s.label, s.case_id FROM lake.badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'relation' AND s.label NOT IN ('same', 'permuted')
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'filters' AS kind, JSON_VALUE(s.detail, '$.filters_applied_status') AS label, s.case_id FROM lake.badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'stef' AND JSON_VALUE(s.detail, '$.filters_applied_status') IS NOT NULL
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'refusal' AS kind, s.label, s.case_id FROM lake.badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'refusal' AND s.value < 1
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'safety' AS kind, s.label, s.case_id FROM lake.badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'sql_safety' AND s.value < 1
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'diagnosis' AS kind, 'gold_x' AS label, s.case_id FROM lake.badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'rose' AND JSON_VALUE(s.detail, '$.gold_x') = 'true'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'diagnosis' AS kind, 'amb_q' AS label, s.case_id FROM lake.badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'rose' AND JSON_VALUE(s.detail, '$.amb_q') = 'true'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'diagnosis' AS kind, 'amb_schema' AS label, s.case_id FROM lake.badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'rose' AND JSON_VALUE(s.detail, '$.amb_schema') = 'true') l LEFT JOIN lake.badger.complexity c ON c.case_id = l.case_id;

-- 54. Run by badger_owner.
-- The labels of failure_labels, counted by version, batch and tier, with one of the cases.
CREATE OR REPLACE VIEW lake.badger.failures_by_label AS SELECT agent_name, agent_version, batch_id, metric, kind, label, tier, COUNT(*) AS answers, MIN(case_id) AS example
FROM lake.badger.failure_labels GROUP BY agent_name, agent_version, batch_id, metric, kind, label, tier;

-- 55. Run by badger_owner.
-- Questions that a judge found ambiguous, one row for each reason: amb_q and amb_schema (ROSE's Refuter calls the question, or the schema, ambiguous), amb_flex (FLEX finds several answers available).
CREATE OR REPLACE VIEW lake.badger.ambiguous_questions AS SELECT t.case_id, t.why AS reason, COUNT(DISTINCT t.answer) AS answers, MIN(t.agent_name) AS example_agent, MIN(t.agent_version) AS example_version, MIN(t.batch_id) AS example_batch
FROM (SELECT case_id, CASE WHEN label = 'multiple_answers_available' THEN 'amb_flex' ELSE label END AS why, (agent_name || ' ' || agent_version || ' ' || batch_id) AS answer, agent_name, agent_version, batch_id
  FROM lake.badger.failure_labels WHERE kind = 'diagnosis' AND label IN ('amb_q', 'amb_schema') OR kind = 'difference' AND label = 'multiple_answers_available') t
GROUP BY t.case_id, t.why;

-- 56. Run by badger_owner.
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

-- 57. Run by badger_owner.
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

-- 58. Run by badger_owner.
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

-- 59. Run by badger_owner.
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

-- 60. Run by badger_owner.
-- What the answers of agent_runs took, by agent, version, batch and metric with verdicts. cost_usd, tokens_in and tokens_out are sums of the known values, and with_cost, with_tokens_in and with_tokens_out count these. right_answers passed the metric. cost_per_right is cost_usd, the known cost of right and wrong answers, divided by right_with_cost, the right answers with a known cost, and rounded to 12 decimals. place is 1 for the latest batch of the version. The command badger compare has medians, P95 and tests.
CREATE OR REPLACE VIEW lake.badger.cost_by_version AS SELECT agent_name, agent_version, batch_id, metric, place, answers, right_answers, with_cost, right_with_cost, cost_usd, CAST(cost_usd / NULLIF(right_with_cost, 0) AS BIGNUMERIC) AS cost_per_right,
       with_tokens_in, tokens_in, with_tokens_out, tokens_out, with_latency, mean_latency_ms
FROM (SELECT a.agent_name, a.agent_version, a.batch_id, s.metric, o.place, COUNT(*) AS answers, COUNT(CASE WHEN s.passed THEN 1 END) AS right_answers, COUNT(a.cost_usd) AS with_cost, COUNT(CASE WHEN s.passed AND a.cost_usd IS NOT NULL THEN 1 END) AS right_with_cost,
        SUM(a.cost_usd) AS cost_usd, COUNT(a.tokens_in) AS with_tokens_in, SUM(a.tokens_in) AS tokens_in, COUNT(a.tokens_out) AS with_tokens_out, SUM(a.tokens_out) AS tokens_out, COUNT(a.latency_ms) AS with_latency, AVG(a.latency_ms) AS mean_latency_ms
  FROM (SELECT agent_name, agent_version, batch_id, case_id, ran_at, CASE WHEN cost_usd BETWEEN 0 AND 1000000 THEN cost_usd END AS cost_usd, CASE WHEN tokens_in BETWEEN 0 AND 1000000000000 THEN tokens_in END AS tokens_in, CASE WHEN tokens_out BETWEEN 0 AND 1000000000000 THEN tokens_out END AS tokens_out,
      CASE WHEN latency_ms BETWEEN 0 AND 1000000000000 THEN latency_ms END AS latency_ms,
      ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) AS copy
      FROM (SELECT COALESCE(CAST(agent_name AS STRING), '') AS agent_name, COALESCE(CAST(agent_version AS STRING), '') AS agent_version, COALESCE(CAST(batch_id AS STRING), '') AS batch_id, COALESCE(CAST(case_id AS STRING), '') AS case_id, ran_at AS ran_at, CAST(sql AS STRING) AS sql,
        CAST(cost_usd AS BIGNUMERIC) AS cost_usd, CAST(tokens_in AS INT64) AS tokens_in, CAST(tokens_out AS INT64) AS tokens_out, CAST(latency_ms AS FLOAT64) AS latency_ms FROM lake.badger.agent_runs) r) a
  JOIN lake.badger.latest_scores s ON s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id
  JOIN (SELECT agent_name, agent_version, batch_id, ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version ORDER BY CASE WHEN MAX(ran_at) IS NULL THEN 1 ELSE 0 END, MAX(ran_at) DESC, batch_id DESC) AS place
    FROM (SELECT agent_name, agent_version, batch_id, case_id, ran_at, CASE WHEN cost_usd BETWEEN 0 AND 1000000 THEN cost_usd END AS cost_usd, CASE WHEN tokens_in BETWEEN 0 AND 1000000000000 THEN tokens_in END AS tokens_in, CASE WHEN tokens_out BETWEEN 0 AND 1000000000000 THEN tokens_out END AS tokens_out,
      CASE WHEN latency_ms BETWEEN 0 AND 1000000000000 THEN latency_ms END AS latency_ms,
      ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) AS copy
      FROM (SELECT COALESCE(CAST(agent_name AS STRING), '') AS agent_name, COALESCE(CAST(agent_version AS STRING), '') AS agent_version, COALESCE(CAST(batch_id AS STRING), '') AS batch_id, COALESCE(CAST(case_id AS STRING), '') AS case_id, ran_at AS ran_at, CAST(sql AS STRING) AS sql,
        CAST(cost_usd AS BIGNUMERIC) AS cost_usd, CAST(tokens_in AS INT64) AS tokens_in, CAST(tokens_out AS INT64) AS tokens_out, CAST(latency_ms AS FLOAT64) AS latency_ms FROM lake.badger.agent_runs) r) b GROUP BY agent_name, agent_version, batch_id) o ON o.agent_name = a.agent_name AND o.agent_version = a.agent_version AND o.batch_id = a.batch_id
  WHERE a.copy = 1 GROUP BY a.agent_name, a.agent_version, a.batch_id, s.metric, o.place HAVING COUNT(s.passed) > 0) t;

-- 61. Run by badger_owner.
-- The version of the tables.
INSERT INTO lake.badger.schema_version (version, reached_at) SELECT 8, CURRENT_TIMESTAMP FROM (SELECT 1 AS one) o WHERE NOT EXISTS (SELECT 1 FROM lake.badger.schema_version WHERE version >= 8);

-- 62. Run by badger_owner.
-- A description of the table golden_set and of its columns.
ALTER TABLE lake.badger.golden_set SET OPTIONS (description = 'The questions, with their accepted answers.');

-- 63. Run by badger_owner.
-- The same for the columns of golden_set.
ALTER TABLE lake.badger.golden_set ALTER COLUMN case_id SET OPTIONS (description = 'Identifies the question. Any type is read as a string: 17, \'17\' and a UUID are all valid.'), ALTER COLUMN question SET OPTIONS (description = 'The question as the user asked it.'), ALTER COLUMN evidence SET OPTIONS (description = 'Hints that came with the question, such as the definition of a business term.'), ALTER COLUMN schema_ddl SET OPTIONS (description = 'CREATE TABLE statements of the tables that the question is about.'), ALTER COLUMN dialect SET OPTIONS (description = 'SQL dialect of both queries: snowflake, bigquery, databricks, duckdb, postgres, sqlite, …'), ALTER COLUMN gold_sql SET OPTIONS (description = 'The accepted query.'), ALTER COLUMN gold_result SET OPTIONS (description = 'The result of the accepted query: an inline result, or a reference table:NAME, query:ID or file:PATH.'), ALTER COLUMN expected_tools SET OPTIONS (description = 'The tools that a good agent calls, in order: a list of names or of {"name", "arguments"}.'), ALTER COLUMN expected_clarifications SET OPTIONS (description = 'The clarification questions of a good agent: a list of strings.'), ALTER COLUMN expected_behaviour SET OPTIONS (description = 'answer (also NULL), clarify or refuse.'), ALTER COLUMN tags SET OPTIONS (description = 'A list of words to slice reports by.'), ALTER COLUMN set_version SET OPTIONS (description = 'Version of the golden set that the row belongs to.'), ALTER COLUMN gold_latency_ms SET OPTIONS (description = 'How long the accepted query took, in milliseconds.'), ALTER COLUMN gold_error SET OPTIONS (description = 'The message of the database, if the accepted query failed.'), ALTER COLUMN alternatives SET OPTIONS (description = 'Further accepted answers: a list of {"sql", "result", "error", "latency_ms"}. The one with the best score is used.'), ALTER COLUMN database_name SET OPTIONS (description = 'Name of the database that the question is about. Agreement with people can be shown by database.'), ALTER COLUMN metric_options SET OPTIONS (description = 'Options of single metrics, by name.'), ALTER COLUMN gold_chart SET OPTIONS (description = 'The accepted chart of the result, in a form of agent_runs.chart. NULL: any chart that shows the result is accepted.');

-- 64. Run by badger_owner.
-- A description of the table agent_runs and of its columns.
ALTER TABLE lake.badger.agent_runs SET OPTIONS (description = 'The answers of agents: one row for each question, version of an agent, and batch.');

-- 65. Run by badger_owner.
-- The same for the columns of agent_runs.
ALTER TABLE lake.badger.agent_runs ALTER COLUMN agent_name SET OPTIONS (description = 'Who answered.'), ALTER COLUMN agent_version SET OPTIONS (description = 'Version of the agent.'), ALTER COLUMN batch_id SET OPTIONS (description = 'The batch that the answer belongs to, such as a night. The same agent may answer a question again in another batch.'), ALTER COLUMN case_id SET OPTIONS (description = 'The question that was answered: golden_set.case_id.'), ALTER COLUMN interpretation SET OPTIONS (description = 'The question in the agent\'s own words.'), ALTER COLUMN sql SET OPTIONS (description = 'The agent\'s query.'), ALTER COLUMN result SET OPTIONS (description = 'The result of the agent\'s query, in the form of gold_result.'), ALTER COLUMN sql_error SET OPTIONS (description = 'The message of the database, if the agent\'s query failed.'), ALTER COLUMN tool_calls SET OPTIONS (description = 'The tools that the agent called, in order: a list of {"name", "arguments"}, or a trace in a form of docs/eval/traces.md. NULL: calls were not logged. []: the agent made none.'), ALTER COLUMN response SET OPTIONS (description = 'The agent\'s answer in prose.'), ALTER COLUMN latency_ms SET OPTIONS (description = 'How long the agent\'s query took, in milliseconds.'), ALTER COLUMN gold_latency_ms SET OPTIONS (description = 'How long the accepted query took at the same time, if it was run again. It replaces golden_set.gold_latency_ms.'), ALTER COLUMN ran_at SET OPTIONS (description = 'When the agent answered.'), ALTER COLUMN conversation_id SET OPTIONS (description = 'The conversation that the answer is part of.'), ALTER COLUMN turn SET OPTIONS (description = 'Position of the answer in its conversation, from 1.'), ALTER COLUMN earlier_turns SET OPTIONS (description = 'The turns before it, the oldest first: a list of {"question", "sql", "response"}. NULL means the answers with the same conversation_id and a lower turn.'), ALTER COLUMN tokens_in SET OPTIONS (description = 'Tokens that the models of the agent read. NULL if unknown.'), ALTER COLUMN tokens_out SET OPTIONS (description = 'Tokens that the models of the agent wrote. NULL if unknown.'), ALTER COLUMN cost_usd SET OPTIONS (description = 'What the answer cost, in US dollars, exact to 12 decimals. NULL if unknown.'), ALTER COLUMN chart SET OPTIONS (description = 'The chart that shows the result, described as data: Vega-Lite, a Plotly figure, or fields such as {"mark", "x", "y"}. docs/eval/charts.md describes the forms.'), ALTER COLUMN contexts SET OPTIONS (description = 'The passages that the agent retrieved: a list of {"id", "text", "title", "source"}, or of strings.');

-- 66. Run by badger_owner.
-- A description of the table human_labels and of its columns.
ALTER TABLE lake.badger.human_labels SET OPTIONS (description = 'Human labels of answers: one row for each answer and annotator. Labels from the web report are in label_log.');

-- 67. Run by badger_owner.
-- The same for the columns of human_labels.
ALTER TABLE lake.badger.human_labels ALTER COLUMN case_id SET OPTIONS (description = 'The question whose answer is labelled.'), ALTER COLUMN agent_name SET OPTIONS (description = 'Who answered.'), ALTER COLUMN batch_id SET OPTIONS (description = 'The batch that the answer belongs to.'), ALTER COLUMN annotator SET OPTIONS (description = 'Who labelled the answer.'), ALTER COLUMN verdict SET OPTIONS (description = 'pass, fail or unsure. 1, true, yes, correct and 0, false, no, incorrect mean the same, in upper or lower case, with any surrounding white space. Anything else is unsure.'), ALTER COLUMN note SET OPTIONS (description = 'Why.'), ALTER COLUMN labelled_at SET OPTIONS (description = 'When the answer was labelled. The latest label of an annotator for an answer is used.'), ALTER COLUMN agent_version SET OPTIONS (description = 'Version of the agent that answered. NULL means the only version that answered the question in the batch. If several did, the label is ignored.');

-- 68. Run by badger_owner.
-- A description of the table eval_runs and of its columns.
ALTER TABLE lake.badger.eval_runs SET OPTIONS (description = 'The evaluations: one row for each run and each agent, version and batch that it scored.');

-- 69. Run by badger_owner.
-- The same for the columns of eval_runs.
ALTER TABLE lake.badger.eval_runs ALTER COLUMN eval_run_id SET OPTIONS (description = 'The run.'), ALTER COLUMN agent_name SET OPTIONS (description = 'Whose answers were scored.'), ALTER COLUMN agent_version SET OPTIONS (description = 'Version of the agent.'), ALTER COLUMN batch_id SET OPTIONS (description = 'Batch of the answers.'), ALTER COLUMN eval_run_date SET OPTIONS (description = 'When the run started.'), ALTER COLUMN mode SET OPTIONS (description = 'text2sql_only, agentic_only or both.'), ALTER COLUMN config SET OPTIONS (description = 'Options and thresholds of metrics.'), ALTER COLUMN judge SET OPTIONS (description = 'Who was asked.'), ALTER COLUMN versions SET OPTIONS (description = 'Versions of badger, of the metrics and of judge files; the answers that were selected; and if --resume removed scores because the input had no such answers any more, their number and when.'), ALTER COLUMN counts SET OPTIONS (description = 'Number of scores of the run, by status.'), ALTER COLUMN tokens SET OPTIONS (description = 'Judge calls and tokens for the scores.'), ALTER COLUMN cost SET OPTIONS (description = 'Judge calls and tokens that the whole run paid for.'), ALTER COLUMN status SET OPTIONS (description = 'running (also: killed), done, stopped or failed. Only a run that is done has scored all of its cases.'), ALTER COLUMN answered_at SET OPTIONS (description = 'When the last of the answers was given: agent_runs.ran_at, or agent.ran_at of a case file. It dates the batch if agent_runs does not.');

-- 70. Run by badger_owner.
-- A description of the table scores and of its columns.
ALTER TABLE lake.badger.scores SET OPTIONS (description = 'The scores: one row for each run, answer and metric.');

-- 71. Run by badger_owner.
-- The same for the columns of scores.
ALTER TABLE lake.badger.scores ALTER COLUMN eval_run_id SET OPTIONS (description = 'The run.'), ALTER COLUMN case_id SET OPTIONS (description = 'The question.'), ALTER COLUMN agent_name SET OPTIONS (description = 'Who answered.'), ALTER COLUMN agent_version SET OPTIONS (description = 'Version of the agent.'), ALTER COLUMN batch_id SET OPTIONS (description = 'Batch of the answer.'), ALTER COLUMN metric SET OPTIONS (description = 'The metric.'), ALTER COLUMN metric_version SET OPTIONS (description = 'Version of the metric. Scores of different versions are not comparable.'), ALTER COLUMN status SET OPTIONS (description = 'ok, abstained, not_applicable or failed.'), ALTER COLUMN value SET OPTIONS (description = 'The value. NULL unless status is ok.'), ALTER COLUMN label SET OPTIONS (description = 'Category, of metrics that have one.'), ALTER COLUMN passed SET OPTIONS (description = 'Verdict by the metric\'s threshold. NULL if the metric has none.'), ALTER COLUMN reason SET OPTIONS (description = 'The reason for the value, or for its absence, in one sentence.'), ALTER COLUMN detail SET OPTIONS (description = 'The evidence: alignment, counts, differences.'), ALTER COLUMN assessment_ids SET OPTIONS (description = 'The recorded judge replies that the score is based on.'), ALTER COLUMN config_hash SET OPTIONS (description = 'Identifies the configuration of the run.'), ALTER COLUMN scored_at SET OPTIONS (description = 'When the score was stored.'), ALTER COLUMN code SET OPTIONS (description = 'Kind of failure. NULL unless status is failed.'), ALTER COLUMN usage SET OPTIONS (description = 'Judge usage of this score: calls, tokens_in, tokens_out, repaired, the number of calls that repeated a question because of a malformed reply, judge if a tag selected it, and panel, the votes of a panel of judges. NULL without a judge call.'), ALTER COLUMN gold_hash SET OPTIONS (description = 'Identifies the question with its accepted answers. Scores of a question that has changed are not comparable. NULL in rows of earlier versions.'), ALTER COLUMN answer_hash SET OPTIONS (description = 'Identifies what the agent gave, with the turns before it. badger run --resume scores an answer again if it has changed. NULL if unknown.');

-- 72. Run by badger_owner.
-- A description of the table assessments and of its columns.
ALTER TABLE lake.badger.assessments SET OPTIONS (description = 'The replies of judges, recorded.');

-- 73. Run by badger_owner.
-- The same for the columns of assessments.
ALTER TABLE lake.badger.assessments ALTER COLUMN assessment_id SET OPTIONS (description = 'Hash of the content.'), ALTER COLUMN kind SET OPTIONS (description = 'Kind of question.'), ALTER COLUMN backend SET OPTIONS (description = 'Who was asked.'), ALTER COLUMN model SET OPTIONS (description = 'The model that answered.'), ALTER COLUMN prompt_version SET OPTIONS (description = 'Version of the prompt.'), ALTER COLUMN request_hash SET OPTIONS (description = 'Hash of the request. An identical request is not repeated.'), ALTER COLUMN reply SET OPTIONS (description = 'The reply, verbatim.'), ALTER COLUMN tokens_in SET OPTIONS (description = 'Tokens of the request. NULL if unknown.'), ALTER COLUMN tokens_out SET OPTIONS (description = 'Tokens of the reply. NULL if unknown.'), ALTER COLUMN latency_ms SET OPTIONS (description = 'How long the reply took, in milliseconds.'), ALTER COLUMN created_at SET OPTIONS (description = 'When.'), ALTER COLUMN detail SET OPTIONS (description = 'Further information about the reply.'), ALTER COLUMN payer SET OPTIONS (description = 'Who paid for the call: run:ID, or the name of a caller of the function server.');

-- 74. Run by badger_owner.
-- A description of the table schema_version and of its columns.
ALTER TABLE lake.badger.schema_version SET OPTIONS (description = 'The versions that these tables have had. The highest is the present one. A program that supports only lower versions does not write to them.');

-- 75. Run by badger_owner.
-- The same for the columns of schema_version.
ALTER TABLE lake.badger.schema_version ALTER COLUMN version SET OPTIONS (description = 'Version of the tables.'), ALTER COLUMN badger SET OPTIONS (description = 'Version of badger that brought the tables to it.'), ALTER COLUMN reached_at SET OPTIONS (description = 'When.'), ALTER COLUMN views SET OPTIONS (description = 'Fingerprints of the views, as JSON: of their text, and of the text that the warehouse shows.');

-- 76. Run by badger_owner.
-- A description of the table judges and of its columns.
ALTER TABLE lake.badger.judges SET OPTIONS (description = 'The promoted judge files. A row never changes.');

-- 77. Run by badger_owner.
-- The same for the columns of judges.
ALTER TABLE lake.badger.judges ALTER COLUMN name SET OPTIONS (description = 'Name of the judge.'), ALTER COLUMN version SET OPTIONS (description = 'Version of the judge.'), ALTER COLUMN kind SET OPTIONS (description = 'starlark, expression, prompt, sql, or retired for a version that switches the judge off.'), ALTER COLUMN source SET OPTIONS (description = 'Text of the judge file.'), ALTER COLUMN `hash` SET OPTIONS (description = 'SHA-256 of the text.'), ALTER COLUMN promoted_at SET OPTIONS (description = 'When.'), ALTER COLUMN promoted_by SET OPTIONS (description = 'By whom.'), ALTER COLUMN tested SET OPTIONS (description = 'The test at promotion: agreement with labels, and their number. {"untested": true} if it was promoted without a test.');

-- 78. Run by badger_owner.
-- A description of the table sentinels and of its columns.
ALTER TABLE lake.badger.sentinels SET OPTIONS (description = 'The verdicts of judges on sentinel cases, which are asked again and again: one row for each asking, metric, case and repetition. Rows are appended and never change. The replies are in assessments.');

-- 79. Run by badger_owner.
-- The same for the columns of sentinels.
ALTER TABLE lake.badger.sentinels ALTER COLUMN asking_id SET OPTIONS (description = 'The asking: a call of badger judge sentinel, or of badger run.'), ALTER COLUMN metric SET OPTIONS (description = 'The metric that asked the judge.'), ALTER COLUMN case_id SET OPTIONS (description = 'The question.'), ALTER COLUMN agent_name SET OPTIONS (description = 'Who answered.'), ALTER COLUMN agent_version SET OPTIONS (description = 'Version of the agent.'), ALTER COLUMN batch_id SET OPTIONS (description = 'Batch of the answer.'), ALTER COLUMN repetition SET OPTIONS (description = 'Number of the reply to the same question in the asking, from 1.'), ALTER COLUMN backend SET OPTIONS (description = 'Who was asked.'), ALTER COLUMN model SET OPTIONS (description = 'The model that was asked.'), ALTER COLUMN prompt_version SET OPTIONS (description = 'Version of the prompt of the first call. NULL without a reply.'), ALTER COLUMN question_hash SET OPTIONS (description = 'Identifies everything apart from the judge that determines the verdict: the first prompt with its settings, and the version and the configuration of the metric. Only verdicts with the same hash are compared. NULL without a reply.'), ALTER COLUMN served SET OPTIONS (description = 'The models that replied, as the endpoint reports them: a list of {"model", "fingerprint"}.'), ALTER COLUMN status SET OPTIONS (description = 'Status of the score: ok, abstained, not_applicable or failed.'), ALTER COLUMN code SET OPTIONS (description = 'Kind of failure. NULL unless status is failed.'), ALTER COLUMN passed SET OPTIONS (description = 'The verdict. NULL if there is none.'), ALTER COLUMN human_label SET OPTIONS (description = 'The human label of the answer when the judge was asked: whether it passes. NULL if it had none.'), ALTER COLUMN assessment_ids SET OPTIONS (description = 'The recorded replies.'), ALTER COLUMN asked_at SET OPTIONS (description = 'When.');

-- 80. Run by badger_owner.
-- A description of the table run_log and of its columns.
ALTER TABLE lake.badger.run_log SET OPTIONS (description = 'The events and failures of evaluations by the warehouse\'s procedure: one row for each event.');

-- 81. Run by badger_owner.
-- The same for the columns of run_log.
ALTER TABLE lake.badger.run_log ALTER COLUMN entry_id SET OPTIONS (description = 'Identifies the row.'), ALTER COLUMN logged_at SET OPTIONS (description = 'When.'), ALTER COLUMN eval_run_id SET OPTIONS (description = 'The run. NULL before a run has started.'), ALTER COLUMN event SET OPTIONS (description = 'began, resumed, done, idle (there was nothing to score), refused (another evaluation was running), interrupted (the call before did not finish), run failed, slice failed, answer failed, not retried (the answer failed in three calls, and its scores are failed), batch began, batch failed (answers of it have no scores after the call), or alert failed.'), ALTER COLUMN case_id SET OPTIONS (description = 'The question, if the event concerns a single answer.'), ALTER COLUMN answers SET OPTIONS (description = 'Number of answers that the event concerns.'), ALTER COLUMN message SET OPTIONS (description = 'The message of the database or of badger serve.'), ALTER COLUMN agent_name SET OPTIONS (description = 'Who answered, if the event concerns an answer or a batch.'), ALTER COLUMN agent_version SET OPTIONS (description = 'Version of the agent, if the event concerns an answer or a batch.'), ALTER COLUMN batch_id SET OPTIONS (description = 'The batch, if the event concerns an answer, a batch or a call for one batch.');

-- 82. Run by badger_owner.
-- A description of the table schedule and of its columns.
ALTER TABLE lake.badger.schedule SET OPTIONS (description = 'What the scheduled evaluation computes, as of its last call: one row for each metric, and a row whose metric is empty for the schedule itself.');

-- 83. Run by badger_owner.
-- The same for the columns of schedule.
ALTER TABLE lake.badger.schedule ALTER COLUMN metric SET OPTIONS (description = 'The metric. The empty string is the row of the schedule itself.'), ALTER COLUMN since_day SET OPTIONS (description = 'Answers of this day and later are scored. It only moves on when a call has scored everything. NULL in rows of metrics.'), ALTER COLUMN pass_rate_drop SET OPTIONS (description = 'Drop of a pass rate, from 0 to 1, that raises an alert. NULL in rows of metrics.');

-- 84. Run by badger_owner.
-- A description of the table alerts and of its columns.
ALTER TABLE lake.badger.alerts SET OPTIONS (description = 'The alerts: one row for each fact that was reported. A fact is reported again only if it was resolved in between.');

-- 85. Run by badger_owner.
-- The same for the columns of alerts.
ALTER TABLE lake.badger.alerts ALTER COLUMN alert_id SET OPTIONS (description = 'Identifies the alert.'), ALTER COLUMN kind SET OPTIONS (description = 'run failed (the evaluation fails), backlog (answers of a batch could not be scored) or degraded (fewer answers pass than in the batch before).'), ALTER COLUMN fact SET OPTIONS (description = 'Identifies the fact: the kind, and the batch, metric or message that it is about.'), ALTER COLUMN agent_name SET OPTIONS (description = 'Who answered. NULL for run failed.'), ALTER COLUMN agent_version SET OPTIONS (description = 'Version of the agent. NULL unless the kind is backlog.'), ALTER COLUMN batch_id SET OPTIONS (description = 'The batch. NULL for run failed.'), ALTER COLUMN metric SET OPTIONS (description = 'The metric. NULL unless the kind is degraded.'), ALTER COLUMN message SET OPTIONS (description = 'The alert in words.'), ALTER COLUMN raised_at SET OPTIONS (description = 'When the fact was first seen.'), ALTER COLUMN resolved_at SET OPTIONS (description = 'When it was no longer true. NULL while it is.'), ALTER COLUMN sent_at SET OPTIONS (description = 'When the alert was sent, or raised if nothing is sent. NULL if sending failed, which the next call repeats.');

-- 86. Run by badger_owner.
-- A description of the table run_locks and of its columns.
ALTER TABLE lake.badger.run_locks SET OPTIONS (description = 'The evaluation that is running, in warehouses without locks: a row for each lock.');

-- 87. Run by badger_owner.
-- The same for the columns of run_locks.
ALTER TABLE lake.badger.run_locks ALTER COLUMN name SET OPTIONS (description = 'The lock: evaluate.'), ALTER COLUMN holder SET OPTIONS (description = 'The call that holds it. NULL if it is free.'), ALTER COLUMN taken_at SET OPTIONS (description = 'When it was taken.'), ALTER COLUMN beat_at SET OPTIONS (description = 'When the holder last renewed it. A lock that was not renewed for schedule.stale minutes may be taken over.');

-- 88. Run by badger_owner.
-- A description of the table claims and of its columns.
ALTER TABLE lake.badger.claims SET OPTIONS (description = 'Current leases: one row for each judge request in progress, and for each annotator who is labelling an answer. Rows are temporary.');

-- 89. Run by badger_owner.
-- The same for the columns of claims.
ALTER TABLE lake.badger.claims ALTER COLUMN claim_key SET OPTIONS (description = 'Hash of the request, or label:QUEUE:POSITION:PLACE.'), ALTER COLUMN owner SET OPTIONS (description = 'The process that makes the request, or label:ANNOTATOR.'), ALTER COLUMN expires_ms SET OPTIONS (description = 'Expiry, in milliseconds since 1970. After it, another process may make the request, or another annotator label the answer.');

-- 90. Run by badger_owner.
-- A description of the table calls and of its columns.
ALTER TABLE lake.badger.calls SET OPTIONS (description = 'Calls of the function server that last longer than a connection, with request and reply. Rows are deleted some time after they expire.');

-- 91. Run by badger_owner.
-- The same for the columns of calls.
ALTER TABLE lake.badger.calls ALTER COLUMN call_id SET OPTIONS (description = 'Names the call.'), ALTER COLUMN content_hash SET OPTIONS (description = 'Hash of the request. Another call with the same ID is rejected.'), ALTER COLUMN `function` SET OPTIONS (description = 'The function.'), ALTER COLUMN request SET OPTIONS (description = 'The request.'), ALTER COLUMN reply SET OPTIONS (description = 'The reply. NULL until there is one, and if it is recomputed from judge replies.'), ALTER COLUMN expires_ms SET OPTIONS (description = 'Expiry of the row, in milliseconds since 1970.');

-- 92. Run by badger_owner.
-- A description of the table queues and of its columns.
ALTER TABLE lake.badger.queues SET OPTIONS (description = 'The labelling queues: answers of a run for annotators to label, in an order.');

-- 93. Run by badger_owner.
-- The same for the columns of queues.
ALTER TABLE lake.badger.queues ALTER COLUMN queue_id SET OPTIONS (description = 'Identifies the queue.'), ALTER COLUMN name SET OPTIONS (description = 'Title of the queue.'), ALTER COLUMN eval_run_id SET OPTIONS (description = 'The run whose answers are labelled.'), ALTER COLUMN agent_name SET OPTIONS (description = 'Who answered.'), ALTER COLUMN agent_version SET OPTIONS (description = 'Version of the agent.'), ALTER COLUMN batch_id SET OPTIONS (description = 'Batch of the answers.'), ALTER COLUMN `filter` SET OPTIONS (description = 'The selected answers of the run: the query of the URL of a list of cases.'), ALTER COLUMN ordering SET OPTIONS (description = 'Order of the answers: listed, random, disagreement, unsure or strata.'), ALTER COLUMN seed SET OPTIONS (description = 'Seed of random choices. The same seed gives the same order.'), ALTER COLUMN annotators SET OPTIONS (description = 'Number of annotators for each answer.'), ALTER COLUMN guideline SET OPTIONS (description = 'Instructions for the annotators.'), ALTER COLUMN options SET OPTIONS (description = 'The verdicts that are offered in addition to skip, in their order.'), ALTER COLUMN blind SET OPTIONS (description = 'Whether annotators see no score, verdict, relation or label of others.'), ALTER COLUMN reason_required SET OPTIONS (description = 'Whether fail needs a note.'), ALTER COLUMN cases SET OPTIONS (description = 'Number of answers in the queue.'), ALTER COLUMN created_by SET OPTIONS (description = 'Who created it.'), ALTER COLUMN created_at SET OPTIONS (description = 'When.'), ALTER COLUMN closed_at SET OPTIONS (description = 'When it was closed. NULL while it is open.');

-- 94. Run by badger_owner.
-- A description of the table queue_items and of its columns.
ALTER TABLE lake.badger.queue_items SET OPTIONS (description = 'The answers of the labelling queues. They are fixed when a queue is created.');

-- 95. Run by badger_owner.
-- The same for the columns of queue_items.
ALTER TABLE lake.badger.queue_items ALTER COLUMN queue_id SET OPTIONS (description = 'The queue.'), ALTER COLUMN position SET OPTIONS (description = 'Place in the queue, from 1.'), ALTER COLUMN case_id SET OPTIONS (description = 'The question whose answer is labelled.');

-- 96. Run by badger_owner.
-- A description of the table label_log and of its columns.
ALTER TABLE lake.badger.label_log SET OPTIONS (description = 'Labels from the web report and from imported files: one row for each label. Rows are appended and never change. The latest row of an annotator for an answer in a queue is used, unless it is skip or withdrawn. If there are several queues, the latest of these is used. It overrides the annotator\'s label in human_labels.');

-- 97. Run by badger_owner.
-- The same for the columns of label_log.
ALTER TABLE lake.badger.label_log ALTER COLUMN label_id SET OPTIONS (description = 'Identifies the label, as its sender named it. A label that is sent twice is stored once.'), ALTER COLUMN case_id SET OPTIONS (description = 'The question whose answer is labelled.'), ALTER COLUMN agent_name SET OPTIONS (description = 'Who answered.'), ALTER COLUMN agent_version SET OPTIONS (description = 'Version of the agent.'), ALTER COLUMN batch_id SET OPTIONS (description = 'Batch of the answer.'), ALTER COLUMN annotator SET OPTIONS (description = 'Who labelled the answer.'), ALTER COLUMN verdict SET OPTIONS (description = 'pass, fail, unsure or another option of the queue, which counts as unsure; skip; or withdrawn, if the annotator removed the label.'), ALTER COLUMN note SET OPTIONS (description = 'Why.'), ALTER COLUMN gold_wrong SET OPTIONS (description = 'Whether the accepted answer is wrong, apart from the verdict.'), ALTER COLUMN ambiguous SET OPTIONS (description = 'Whether the question can be understood in several ways, apart from the verdict.'), ALTER COLUMN labelled_at SET OPTIONS (description = 'When it was received.'), ALTER COLUMN queue_id SET OPTIONS (description = 'The queue. NULL if the answer was labelled outside of a queue.'), ALTER COLUMN answer_hash SET OPTIONS (description = 'Identifies the content that the annotator saw: question, accepted answers and the agent\'s answer.'), ALTER COLUMN decides SET OPTIONS (description = 'Whether the verdict adjudicates a disagreement. It then overrides the others.');

-- 98. Run by badger_owner.
-- A description of the table accepted and of its columns.
ALTER TABLE lake.badger.accepted SET OPTIONS (description = 'The batches that someone accepted as a baseline: one row for each statement. Rows are appended and never change. The latest row of a batch is used.');

-- 99. Run by badger_owner.
-- The same for the columns of accepted.
ALTER TABLE lake.badger.accepted ALTER COLUMN acceptance_id SET OPTIONS (description = 'Identifies the row.'), ALTER COLUMN agent_name SET OPTIONS (description = 'Who answered.'), ALTER COLUMN agent_version SET OPTIONS (description = 'Version of the agent.'), ALTER COLUMN batch_id SET OPTIONS (description = 'Batch of the answers.'), ALTER COLUMN withdrawn SET OPTIONS (description = 'Whether the row withdraws an earlier acceptance of the batch.'), ALTER COLUMN accepted_by SET OPTIONS (description = 'Who accepted or withdrew it.'), ALTER COLUMN accepted_at SET OPTIONS (description = 'When.'), ALTER COLUMN note SET OPTIONS (description = 'Why.');

-- 100. Run by badger_owner.
-- A description of the table deletions and of its columns.
ALTER TABLE lake.badger.deletions SET OPTIONS (description = 'The deletions by badger prune: one row for each table, and one for each run whose scores were deleted. Rows have no content of answers, and are never deleted.');

-- 101. Run by badger_owner.
-- The same for the columns of deletions.
ALTER TABLE lake.badger.deletions ALTER COLUMN deletion_id SET OPTIONS (description = 'Identifies the call of badger prune.'), ALTER COLUMN table_name SET OPTIONS (description = 'The table whose rows were deleted.'), ALTER COLUMN eval_run_id SET OPTIONS (description = 'The run whose scores were deleted as a whole. Empty for other rows.'), ALTER COLUMN case_id SET OPTIONS (description = 'The case whose rows were deleted. NULL if rows were deleted by age.'), ALTER COLUMN older_than SET OPTIONS (description = 'The instant before which rows were deleted. NULL if rows of a case were deleted.'), ALTER COLUMN row_count SET OPTIONS (description = 'Number of rows.'), ALTER COLUMN digest SET OPTIONS (description = 'SHA-256 over the run\'s deleted scores: their keys, versions, values and hashes, without reasons and evidence. badger prune --digest computes it for a run that has scores.'), ALTER COLUMN status SET OPTIONS (description = 'started, or done once the rows are deleted. A row that stays started was interrupted; the next call of badger prune deletes the rest.'), ALTER COLUMN deleted_by SET OPTIONS (description = 'Who deleted them.'), ALTER COLUMN deleted_at SET OPTIONS (description = 'When.');

-- 102. Run by badger_owner.
-- A description of the view latest_scores.
ALTER VIEW lake.badger.latest_scores SET OPTIONS (description = 'The latest score of each answer and metric, from any run, with the status of that run. In sql_safety, an answer without SQL has the status ok, the value 1 and passed: there is nothing to object to.');

-- 103. Run by badger_owner.
-- A description of the view consensus.
ALTER VIEW lake.badger.consensus SET OPTIONS (description = 'The majority label of each answer: passes is 1 or 0, and NULL if annotators are divided.');

-- 104. Run by badger_owner.
-- A description of the view complexity.
ALTER VIEW lake.badger.complexity SET OPTIONS (description = 'The complexity tier of each question, from its latest score.');

-- 105. Run by badger_owner.
-- A description of the view coverage.
ALTER VIEW lake.badger.coverage SET OPTIONS (description = 'The outcomes of an agent\'s questions, by metric and batch. unanswered counts the answers that lack what the metric needs of the agent, and the questions that have no answer: those that a run recorded, or else those of golden_set. pass_rate counts unanswered ones as not passed. coverage is the share of scored ones among those that the metric applies to. rate_of_all counts failed, unanswered and abstained ones as not passed.');

-- 106. Run by badger_owner.
-- A description of the view versions_by_metric.
ALTER VIEW lake.badger.versions_by_metric SET OPTIONS (description = 'Version against version, by metric and complexity tier: scored is the number of answers with a value, answered the number of answers; a missing answer counts as 0 and does not pass. unfinished counts the values from runs that are not done. The view coverage shows the outcomes of the others.');

-- 107. Run by badger_owner.
-- A description of the view agreement.
ALTER VIEW lake.badger.agreement SET OPTIONS (description = 'How often each metric gives the verdict that most annotators give.');

-- 108. Run by badger_owner.
-- A description of the view degradation.
ALTER VIEW lake.badger.degradation SET OPTIONS (description = 'The latest batch of each agent against the latest batch before it that has scores, by metric, all versions of the agent together. A missing answer does not pass. pass_rate_change is below 0 if fewer answers pass; failed counts scores that failed. Alerts read this view.');

-- 109. Run by badger_owner.
-- A description of the view backlog.
ALTER VIEW lake.badger.backlog SET OPTIONS (description = 'The answers that the scheduled evaluation has still to score, by batch: those that lack a score of a metric of the schedule, from its since_day on or without a date, and the rest of an interrupted call. waiting_since is the earliest day of an answer without scores, last_attempt_at the last call that tried to score the batch, and last_error why it failed; NULL if it is running or was interrupted.');

-- 110. Run by badger_owner.
-- A description of the view open_facts.
ALTER VIEW lake.badger.open_facts SET OPTIONS (description = 'What alerts report and is true now: the last evaluation failed or was interrupted, answers of a batch could not be scored, or fewer answers of the latest batch pass, or more failed, than in the batch before. Batches with a backlog are not compared. A failure with another start of its message (60 characters) is another fact.');

-- 111. Run by badger_owner.
-- A description of the view latest_run.
ALTER VIEW lake.badger.latest_run SET OPTIONS (description = 'The latest run of each agent, version and batch, with its outcome and its scores. pass_rate is of the verdicts of all metrics together; the view coverage has it by metric.');

-- 112. Run by badger_owner.
-- A description of the view versions_by_batch.
ALTER VIEW lake.badger.versions_by_batch SET OPTIONS (description = 'Version against version, by metric, complexity tier, batch, and the date of the run that the score is from. A missing answer counts as 0 and does not pass.');

-- 113. Run by badger_owner.
-- A description of the view worst_cases.
ALTER VIEW lake.badger.worst_cases SET OPTIONS (description = 'The scored answers of each agent, version, batch and metric, the worst first: place 1 did not pass and has the lowest value. Metrics without a verdict and answers that passed with the value 1 are left out.');

-- 114. Run by badger_owner.
-- A description of the view judge_cost.
ALTER VIEW lake.badger.judge_cost SET OPTIONS (description = 'Judge calls and tokens for the scores of each run, by agent, version, batch and metric, including cached replies. uncounted is the number of scores whose tokens are unknown. The amount paid is in eval_runs.cost.');

-- 115. Run by badger_owner.
-- A description of the view failures_by_reason.
ALTER VIEW lake.badger.failures_by_reason SET OPTIONS (description = 'Why scores failed or are missing: the latest scores that failed, abstained or do not apply, by metric and reason, with one of the cases.');

-- 116. Run by badger_owner.
-- A description of the view suspect_golds.
ALTER VIEW lake.badger.suspect_golds SET OPTIONS (description = 'Questions whose accepted answer may be wrong, one row for each reason: gold_error (the accepted query failed), gold_empty (its result is empty or all NULL and an answer\'s is not), gold_x and gold_flex (ROSE\'s Refuter, or FLEX, found it wrong), gold_literal (its query compares with a string that neither question nor evidence contains, and the answer\'s with one that they contain), gold_logic (its query contradicts the question or has a clause without effect), people (most annotators pass an answer that the metric verdict or ex_multiset fails), answers_agree (at least two agents, or versions whose SQL differs, answered, and all of them fail). answers counts the answers that speak for the reason.');

-- 117. Run by badger_owner.
-- A description of the view trend.
ALTER VIEW lake.badger.trend SET OPTIONS (description = 'Each metric over time, by batch, version and tier. dated_at is when a run first evaluated the batch. A missing answer counts as 0 and does not pass. p90 is the value that nine in ten scores do not exceed (nearest rank). metric_versions, configurations and judges count what the scores were made with: above 1, or other than in the batch before, the figures are not comparable.');

-- 118. Run by badger_owner.
-- A description of the view batch_changes.
ALTER VIEW lake.badger.batch_changes SET OPTIONS (description = 'Each batch against the one before it of the same version (for the first of a version: the last of another version of the agent), by metric, on the cases that both have. Cases whose question, metric version, configuration (any part of it) or judge changed are counted and not compared. A missing answer counts as 0 and as not passed, but has no value if lower is better. z is McNemar\'s (fixed - broken) / sqrt(fixed + broken): below -1.96, more answers broke than chance explains. The command badger compare has exact tests, adjusted for many metrics, dates batches by agent_runs.ran_at, and looks only at the configuration that a metric reads.');

-- 119. Run by badger_owner.
-- A description of the view failure_labels.
ALTER VIEW lake.badger.failure_labels SET OPTIONS (description = 'Causes of failures, a row for each answer and label: the issues of the SQL judge (kind issue), FLEX\'s errors and its reasons why right answers differ (error, difference), the relation between the results that explains most (relation), STEF\'s status of the filters (filters), ROSE\'s diagnoses (diagnosis), answers that refusal rejects (refusal), and what SQL would do other than read (safety). An answer may have several.');

-- 120. Run by badger_owner.
-- A description of the view failures_by_label.
ALTER VIEW lake.badger.failures_by_label SET OPTIONS (description = 'The labels of failure_labels, counted by version, batch and tier, with one of the cases.');

-- 121. Run by badger_owner.
-- A description of the view ambiguous_questions.
ALTER VIEW lake.badger.ambiguous_questions SET OPTIONS (description = 'Questions that a judge found ambiguous, one row for each reason: amb_q and amb_schema (ROSE\'s Refuter calls the question, or the schema, ambiguous), amb_flex (FLEX finds several answers available).');

-- 122. Run by badger_owner.
-- A description of the view ex_discordance.
ALTER VIEW lake.badger.ex_discordance SET OPTIONS (description = 'Where execution accuracy (ex_bird or ex_multiset) and another verdict (verdict, rose or flex) differ, by tier and by ROSE\'s Refuter: gold_x, amb_q or neither. false_positives pass by execution accuracy alone, false_negatives by the other verdict alone.');

-- 123. Run by badger_owner.
-- A description of the view system_ranks.
ALTER VIEW lake.badger.system_ranks SET OPTIONS (description = 'The versions of all agents by each metric, on the cases for which all versions with values of the metric have one, using the latest answer of each. Place 1 has the highest mean, or the lowest in latency_overhead and sql_judge_issues; a view cannot know in which direction your own metrics are better, and places the highest first. A missing answer counts as 0, but has no value if lower is better. Versions that share no case have no row. The command badger rank also leaves out cases whose scores were made in different ways, takes all versions or those of --systems, and gives equal means the mean of their places.');

-- 124. Run by badger_owner.
-- A description of the view turns.
ALTER VIEW lake.badger.turns SET OPTIONS (description = 'Right answers by the position of the question in its conversation, by agent, version, batch and metric. A missing answer is wrong and counts as 0, but has no value if lower is better.');

-- 125. Run by badger_owner.
-- A description of the view conversations.
ALTER VIEW lake.badger.conversations SET OPTIONS (description = 'Whole conversations, by agent, version, batch and metric: all_right is 1 if every turn passed, 0 if one did not or could not be scored, and NULL without such turns; turns that the metric does not apply to are left out. first_wrong_turn is the first turn that did not pass. A missing answer did not pass.');

-- 126. Run by badger_owner.
-- A description of the view cost_by_version.
ALTER VIEW lake.badger.cost_by_version SET OPTIONS (description = 'What the answers of agent_runs took, by agent, version, batch and metric with verdicts. cost_usd, tokens_in and tokens_out are sums of the known values, and with_cost, with_tokens_in and with_tokens_out count these. right_answers passed the metric. cost_per_right is cost_usd, the known cost of right and wrong answers, divided by right_with_cost, the right answers with a known cost, and rounded to 12 decimals. place is 1 for the latest batch of the version. The command badger compare has medians, P95 and tests.');

-- 127. Run by badger_owner.
-- The reader reads scores.
GRANT `roles/bigquery.dataViewer` ON TABLE lake.badger.scores TO 'badger_reader';

-- 128. Run by badger_owner.
-- The reader reads eval_runs.
GRANT `roles/bigquery.dataViewer` ON TABLE lake.badger.eval_runs TO 'badger_reader';

-- 129. Run by badger_owner.
-- The reader reads run_log.
GRANT `roles/bigquery.dataViewer` ON TABLE lake.badger.run_log TO 'badger_reader';

-- 130. Run by badger_owner.
-- The reader reads schedule.
GRANT `roles/bigquery.dataViewer` ON TABLE lake.badger.schedule TO 'badger_reader';

-- 131. Run by badger_owner.
-- The reader reads alerts.
GRANT `roles/bigquery.dataViewer` ON TABLE lake.badger.alerts TO 'badger_reader';

-- 132. Run by badger_owner.
-- The reader reads latest_scores.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.latest_scores TO 'badger_reader';

-- 133. Run by badger_owner.
-- The reader reads consensus.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.consensus TO 'badger_reader';

-- 134. Run by badger_owner.
-- The reader reads complexity.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.complexity TO 'badger_reader';

-- 135. Run by badger_owner.
-- The reader reads coverage.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.coverage TO 'badger_reader';

-- 136. Run by badger_owner.
-- The reader reads versions_by_metric.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.versions_by_metric TO 'badger_reader';

-- 137. Run by badger_owner.
-- The reader reads agreement.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.agreement TO 'badger_reader';

-- 138. Run by badger_owner.
-- The reader reads degradation.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.degradation TO 'badger_reader';

-- 139. Run by badger_owner.
-- The reader reads backlog.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.backlog TO 'badger_reader';

-- 140. Run by badger_owner.
-- The reader reads open_facts.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.open_facts TO 'badger_reader';

-- 141. Run by badger_owner.
-- The reader reads latest_run.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.latest_run TO 'badger_reader';

-- 142. Run by badger_owner.
-- The reader reads versions_by_batch.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.versions_by_batch TO 'badger_reader';

-- 143. Run by badger_owner.
-- The reader reads worst_cases.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.worst_cases TO 'badger_reader';

-- 144. Run by badger_owner.
-- The reader reads judge_cost.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.judge_cost TO 'badger_reader';

-- 145. Run by badger_owner.
-- The reader reads failures_by_reason.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.failures_by_reason TO 'badger_reader';

-- 146. Run by badger_owner.
-- The reader reads suspect_golds.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.suspect_golds TO 'badger_reader';

-- 147. Run by badger_owner.
-- The reader reads trend.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.trend TO 'badger_reader';

-- 148. Run by badger_owner.
-- The reader reads batch_changes.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.batch_changes TO 'badger_reader';

-- 149. Run by badger_owner.
-- The reader reads failure_labels.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.failure_labels TO 'badger_reader';

-- 150. Run by badger_owner.
-- The reader reads failures_by_label.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.failures_by_label TO 'badger_reader';

-- 151. Run by badger_owner.
-- The reader reads ambiguous_questions.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.ambiguous_questions TO 'badger_reader';

-- 152. Run by badger_owner.
-- The reader reads ex_discordance.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.ex_discordance TO 'badger_reader';

-- 153. Run by badger_owner.
-- The reader reads system_ranks.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.system_ranks TO 'badger_reader';

-- 154. Run by badger_owner.
-- The reader reads turns.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.turns TO 'badger_reader';

-- 155. Run by badger_owner.
-- The reader reads conversations.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.conversations TO 'badger_reader';

-- 156. Run by badger_owner.
-- The reader reads cost_by_version.
GRANT `roles/bigquery.dataViewer` ON VIEW lake.badger.cost_by_version TO 'badger_reader';

-- 157. Run by badger_owner.
-- A view reads golden_set with the rights of whoever asks.
GRANT `roles/bigquery.dataViewer` ON TABLE lake.badger.golden_set TO 'badger_reader';

-- 158. Run by badger_owner.
-- A view reads agent_runs with the rights of whoever asks.
GRANT `roles/bigquery.dataViewer` ON TABLE lake.badger.agent_runs TO 'badger_reader';

-- 159. Run by badger_owner.
-- A view reads human_labels with the rights of whoever asks.
GRANT `roles/bigquery.dataViewer` ON TABLE lake.badger.human_labels TO 'badger_reader';

-- 160. Run by badger_owner.
-- A view reads label_log with the rights of whoever asks.
GRANT `roles/bigquery.dataViewer` ON TABLE lake.badger.label_log TO 'badger_reader';

-- 161. Run by badger_owner.
-- The annotator reads and writes labels, and nothing else.
GRANT `roles/bigquery.dataEditor` ON TABLE lake.badger.human_labels TO 'badger_annotator';

-- 162. Run by badger_owner.
-- The lock of the evaluation.
INSERT INTO lake.badger.run_locks (name) SELECT 'evaluate' FROM (SELECT 1) WHERE NOT EXISTS (SELECT 1 FROM lake.badger.run_locks WHERE name = 'evaluate');

-- 163. Run by badger_owner.
-- The schedule: answers of the 30 days before the last complete call, and later ones, are scored, and a drop of a pass rate by 0.05 raises an alert.
MERGE lake.badger.schedule AS t USING (SELECT '' AS metric, FORMAT_TIMESTAMP('%Y-%m-%d', TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY), 'UTC') AS since_day) AS s ON t.metric = s.metric
WHEN MATCHED THEN UPDATE SET since_day = LEAST(t.since_day, s.since_day), pass_rate_drop = 0.05
WHEN NOT MATCHED THEN INSERT (metric, since_day, pass_rate_drop) VALUES (s.metric, s.since_day, 0.05);

-- 164. Run by badger_owner.
-- Stores each new fact of open_facts as an alert, and marks those that are no longer true as resolved. It fails with the new alerts, once for each, so that the query that calls it sends its notification.
CREATE OR REPLACE PROCEDURE lake.badger.send_alerts()
OPTIONS (strict_mode = FALSE, description = 'Stores new alerts and fails with them. [badger-helper]')
BEGIN
  DECLARE v_new STRING;
  CREATE OR REPLACE TEMP TABLE badger_facts AS SELECT * FROM lake.badger.open_facts;
  UPDATE lake.badger.alerts SET resolved_at = CURRENT_TIMESTAMP() WHERE resolved_at IS NULL AND fact NOT IN (SELECT fact FROM badger_facts);
  INSERT INTO lake.badger.alerts (alert_id, kind, fact, agent_name, agent_version, batch_id, metric, message, raised_at, resolved_at, sent_at)
  SELECT GENERATE_UUID(), f.kind, f.fact, f.agent_name, f.agent_version, f.batch_id, f.metric, SUBSTR(f.message, 1, 1000), CURRENT_TIMESTAMP(), NULL, NULL
  FROM badger_facts AS f LEFT JOIN lake.badger.alerts AS a ON a.fact = f.fact AND a.resolved_at IS NULL WHERE a.fact IS NULL;
  CREATE OR REPLACE TEMP TABLE badger_new AS SELECT alert_id, message, raised_at FROM lake.badger.alerts WHERE sent_at IS NULL;
  UPDATE lake.badger.alerts SET sent_at = CURRENT_TIMESTAMP() WHERE alert_id IN (SELECT alert_id FROM badger_new);
  SET v_new = (SELECT STRING_AGG(message, '\n' ORDER BY raised_at, alert_id) FROM badger_new);
  IF v_new IS NOT NULL THEN
    RAISE USING MESSAGE = SUBSTR(v_new, 1, 10000);
  END IF;
END;

-- 165. Run by badger_owner.
-- Scores the answers that have no score: CALL lake.badger.evaluate(NULL, NULL) those since schedule.since_day, those without a date, and what an earlier call left; CALL lake.badger.evaluate('BATCH', 'METRIC,METRIC') those of a batch. 200 answers at a time are stored.
CREATE OR REPLACE PROCEDURE lake.badger.evaluate(batch STRING, metrics STRING)
OPTIONS (strict_mode = FALSE, description = 'Scores the answers that lack scores: all since schedule.since_day, or those of one batch. run_log lists the outcome. [badger-procedure:74e96c290b2e0fe4]')
BEGIN
  DECLARE me STRING DEFAULT GENERATE_UUID();
  DECLARE scheduled BOOL DEFAULT batch IS NULL AND metrics IS NULL;
  DECLARE settings JSON;
  DECLARE probe JSON;
  DECLARE v_versions STRING;
  DECLARE metric_list ARRAY<STRING>;
  DECLARE run_id STRING;
  DECLARE resumed BOOL DEFAULT FALSE;
  DECLARE started TIMESTAMP DEFAULT CURRENT_TIMESTAMP();
  DECLARE last_key STRING DEFAULT '';
  DECLARE new_key STRING;
  DECLARE size INT64 DEFAULT 200;
  DECLARE n INT64 DEFAULT 0;
  DECLARE done INT64 DEFAULT 0;
  DECLARE left_out INT64 DEFAULT 0;
  DECLARE given_up INT64 DEFAULT 0;
  DECLARE in_a_row INT64 DEFAULT 0;
  DECLARE problem STRING;
  DECLARE last_problem STRING;
  DECLARE fatal STRING;

  -- Whoever is silent for 60 minutes loses the lock. Slices are stored under it only.
  BEGIN
    UPDATE lake.badger.run_locks SET holder = me, taken_at = CURRENT_TIMESTAMP(), beat_at = CURRENT_TIMESTAMP()
    WHERE name = 'evaluate' AND (holder IS NULL OR beat_at < TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 60 MINUTE));
  EXCEPTION WHEN ERROR THEN
    SET problem = @@error.message; -- two calls at the same moment
  END;
  IF NOT EXISTS (SELECT 1 FROM lake.badger.run_locks WHERE name = 'evaluate' AND holder = me) THEN
    INSERT INTO lake.badger.run_log (entry_id, logged_at, event, message, batch_id) VALUES (GENERATE_UUID(), CURRENT_TIMESTAMP(), 'refused', problem, batch);
    RAISE USING MESSAGE = 'another evaluation is running';
  END IF;
  BEGIN
    INSERT INTO lake.badger.run_log (entry_id, logged_at, eval_run_id, event, batch_id, message)
    SELECT GENERATE_UUID(), CURRENT_TIMESTAMP(), l.eval_run_id, 'interrupted', l.batch_id, 'the call before was interrupted'
    FROM (SELECT eval_run_id, batch_id, event, ROW_NUMBER() OVER (ORDER BY logged_at DESC) AS newest FROM lake.badger.run_log WHERE event IN ('began', 'resumed', 'done', 'idle', 'run failed', 'interrupted')) AS l
    WHERE l.newest = 1 AND l.event IN ('began', 'resumed');
    INSERT INTO lake.badger.run_log (entry_id, logged_at, event, answers, agent_name, agent_version, batch_id)
    SELECT GENERATE_UUID(), CURRENT_TIMESTAMP(), 'batch began', b.answers, b.agent_name, b.agent_version, b.batch_id FROM lake.badger.backlog AS b WHERE batch IS NULL OR b.batch_id = batch;
    SET settings = lake.badger.run_settings_all(COALESCE(metrics, 'small,large'));
    IF JSON_VALUE(settings, '$.reason') IS NOT NULL THEN
      RAISE USING MESSAGE = JSON_VALUE(settings, '$.reason');
    END IF;
    SET v_versions = TO_JSON_STRING(JSON_QUERY(settings, '$.versions'));
    SET metric_list = JSON_VALUE_ARRAY(settings, '$.metrics');
    IF scheduled THEN
      DELETE FROM lake.badger.schedule WHERE metric <> '' AND metric NOT IN UNNEST(metric_list);
      INSERT INTO lake.badger.schedule (metric) SELECT m FROM UNNEST(metric_list) AS m WHERE m NOT IN (SELECT metric FROM lake.badger.schedule);
    END IF;
    -- A run that was left goes on where it was to score the same metrics of the same versions.
    SET run_id = (
      SELECT eval_run_id FROM lake.badger.eval_runs
      WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed') AND versions = v_versions AND (batch IS NULL OR batch_id = batch)
      ORDER BY eval_run_date DESC, eval_run_id DESC LIMIT 1);
    SET resumed = run_id IS NOT NULL;
    SET run_id = COALESCE(run_id, CONCAT('evaluate-', FORMAT_TIMESTAMP('%Y%m%dT%H%M%S', started, 'UTC'), '-', SUBSTR(me, 1, 6)));
    INSERT INTO lake.badger.run_log (entry_id, logged_at, eval_run_id, event, batch_id) VALUES (GENERATE_UUID(), CURRENT_TIMESTAMP(), run_id, IF(resumed, 'resumed', 'began'), batch);
  EXCEPTION WHEN ERROR THEN
    SET fatal = @@error.message;
  END;

  WHILE fatal IS NULL DO
    SET problem = NULL;
    BEGIN
      CREATE OR REPLACE TEMP TABLE badger_slice AS
      WITH runs AS (
        SELECT COALESCE(CAST(agent_name AS STRING), '') AS agent_name, COALESCE(CAST(agent_version AS STRING), '') AS agent_version, COALESCE(CAST(batch_id AS STRING), '') AS batch_id,
               COALESCE(CAST(case_id AS STRING), '') AS case_id, ran_at, sql, CASE WHEN CAST(ran_at AS STRING) LIKE '____-__-__%' THEN SUBSTR(CAST(ran_at AS STRING), 1, 10) END AS run_day, TO_JSON_STRING(r) AS run_json
        FROM lake.badger.agent_runs AS r
      ), answers AS (
        SELECT *, CONCAT(agent_name, '\x1f', agent_version, '\x1f', batch_id, '\x1f', case_id) AS k FROM runs
        WHERE TRUE QUALIFY ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) = 1
      ), interrupted AS (
        SELECT DISTINCT agent_name, batch_id FROM lake.badger.eval_runs WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed')
      ), running AS ( -- by badger run
        SELECT DISTINCT r.agent_name, r.agent_version, r.batch_id
        FROM lake.badger.eval_runs AS r LEFT JOIN (SELECT eval_run_id, MAX(scored_at) AS last_at FROM lake.badger.scores GROUP BY eval_run_id) AS l ON l.eval_run_id = r.eval_run_id
        WHERE r.status = 'running' AND r.eval_run_id NOT LIKE 'evaluate-%'
          AND (r.eval_run_date > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 60 MINUTE) OR l.last_at > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 60 MINUTE))
      ), owed AS (
        SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id
        FROM answers AS a CROSS JOIN (SELECT COALESCE(MAX(since_day), '') AS since_day FROM lake.badger.schedule) AS w
        LEFT JOIN interrupted AS i ON i.agent_name = a.agent_name AND i.batch_id = a.batch_id
        LEFT JOIN running AS r ON r.agent_name = a.agent_name AND r.agent_version = a.agent_version AND r.batch_id = a.batch_id
        WHERE a.batch_id = batch OR batch IS NULL AND r.batch_id IS NULL AND (a.run_day IS NULL OR a.run_day >= w.since_day OR i.batch_id IS NOT NULL)
      ), missing AS (
        SELECT a.k, STRING_AGG(m, ',' ORDER BY place) AS missing
        FROM owed AS a CROSS JOIN UNNEST(metric_list) AS m WITH OFFSET AS place
        LEFT JOIN lake.badger.scores AS s ON s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id AND s.metric = m
        WHERE s.metric IS NULL AND a.k > last_key
        GROUP BY a.k
      ), first_ones AS (
        SELECT k, missing FROM missing WHERE TRUE QUALIFY ROW_NUMBER() OVER (ORDER BY k) <= size
      ), golden AS (
        SELECT case_id, golden_json, COUNT(*) OVER (PARTITION BY case_id, set_version) AS copies
        FROM (SELECT COALESCE(CAST(case_id AS STRING), '') AS case_id, COALESCE(CAST(set_version AS STRING), '') AS set_version, TO_JSON_STRING(g) AS golden_json FROM lake.badger.golden_set AS g)
        -- v10 comes after v9: runs of digits count as numbers.
        WHERE TRUE
        QUALIFY ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY REGEXP_REPLACE(REGEXP_REPLACE(set_version, r'([0-9]+)', r'0000000000000000000000000000000000000000\1'), r'[0-9]*([0-9]{40})', r'\1') DESC, set_version DESC) = 1
      )
      SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id, m.missing,
             CONCAT('{"run":', a.run_json, ',"golden":', COALESCE(g.golden_json, 'null'), ',"copies":', CAST(COALESCE(g.copies, 0) AS STRING), '}') AS row_json
      FROM first_ones AS m JOIN answers AS a ON a.k = m.k LEFT JOIN golden AS g ON g.case_id = a.case_id;
      SET (n, new_key) = (SELECT AS STRUCT COUNT(*), MAX(k) FROM badger_slice);
      IF n > 0 THEN
        CREATE OR REPLACE TEMP TABLE badger_scored AS
        SELECT agent_name, agent_version, batch_id, case_id, lake.badger.score_row_all(row_json, missing) AS result FROM badger_slice;
        BEGIN TRANSACTION;
        UPDATE lake.badger.run_locks SET beat_at = CURRENT_TIMESTAMP() WHERE name = 'evaluate' AND holder = me;
        IF @@row_count = 0 THEN
          SET fatal = 'another call has taken the lock, because this one was silent for too long';
          RAISE USING MESSAGE = fatal;
        END IF;
        MERGE lake.badger.eval_runs AS t USING (SELECT DISTINCT agent_name, agent_version, batch_id FROM badger_slice) AS s
        ON t.eval_run_id = run_id AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id
        WHEN MATCHED THEN UPDATE SET status = 'running'
        WHEN NOT MATCHED THEN INSERT (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
          VALUES (run_id, s.agent_name, s.agent_version, s.batch_id, started, 'both', TO_JSON_STRING(JSON_QUERY(settings, '$.config')), JSON_VALUE(settings, '$.judge'), v_versions, 'running');
        MERGE lake.badger.scores AS t USING (
          SELECT p.case_id, p.agent_name, p.agent_version, p.batch_id, JSON_VALUE(r, '$.metric') AS metric, CAST(JSON_VALUE(r, '$.metric_version') AS INT64) AS metric_version,
                 JSON_VALUE(r, '$.status') AS status, CAST(JSON_VALUE(r, '$.value') AS FLOAT64) AS value, JSON_VALUE(r, '$.label') AS label, CAST(JSON_VALUE(r, '$.passed') AS BOOL) AS passed,
                 JSON_VALUE(r, '$.reason') AS reason, NULLIF(TO_JSON_STRING(JSON_QUERY(r, '$.detail')), 'null') AS detail,
                 NULLIF(TO_JSON_STRING(JSON_QUERY(r, '$.assessment_ids')), 'null') AS assessment_ids, JSON_VALUE(r, '$.config_hash') AS config_hash, JSON_VALUE(r, '$.code') AS code,
                 NULLIF(TO_JSON_STRING(JSON_QUERY(r, '$.usage')), 'null') AS usage, JSON_VALUE(r, '$.gold_hash') AS gold_hash, JSON_VALUE(r, '$.answer_hash') AS answer_hash
          FROM badger_scored AS p, UNNEST(JSON_QUERY_ARRAY(p.result)) AS r WHERE JSON_VALUE(r, '$.metric') IS NOT NULL) AS s
        ON t.eval_run_id = run_id AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id AND t.case_id = s.case_id AND t.metric = s.metric
        WHEN NOT MATCHED THEN INSERT (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, metric_version, status, value, label, passed, reason, detail, assessment_ids, config_hash, scored_at, code, usage, gold_hash, answer_hash)
          VALUES (run_id, s.case_id, s.agent_name, s.agent_version, s.batch_id, s.metric, s.metric_version, s.status, s.value, s.label, s.passed, s.reason, s.detail, s.assessment_ids,
            s.config_hash, CURRENT_TIMESTAMP(), s.code, s.usage, s.gold_hash, s.answer_hash);
        COMMIT TRANSACTION;
      END IF;
    EXCEPTION WHEN ERROR THEN
      SET problem = SUBSTR(@@error.message, 1, 1000);
      BEGIN
        ROLLBACK TRANSACTION;
      EXCEPTION WHEN ERROR THEN
        SELECT 'no transaction was open';
      END;
    END;
    IF fatal IS NULL AND problem IS NOT NULL THEN
      IF size > 1 THEN
        INSERT INTO lake.badger.run_log (entry_id, logged_at, eval_run_id, event, answers, message) VALUES (GENERATE_UUID(), CURRENT_TIMESTAMP(), run_id, 'slice failed', size, problem);
      END IF;
      BEGIN -- a server that is away is no fault of an answer
        SET probe = lake.badger.run_settings_all(COALESCE(metrics, 'small,large'));
      EXCEPTION WHEN ERROR THEN
        SET fatal = problem;
      END;
    END IF;
    IF fatal IS NOT NULL THEN
      LEAVE;
    ELSEIF problem IS NULL THEN
      IF n = 0 THEN
        LEAVE;
      END IF;
      SET last_key = new_key, done = done + n, in_a_row = 0, size = 200;
    ELSEIF size > 1 THEN
      SET size = 1, new_key = NULL; -- one by one, to find the answer that cannot be scored
    ELSEIF new_key IS NULL OR new_key = last_key THEN
      SET fatal = problem;
    ELSE
      INSERT INTO lake.badger.run_log (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
      SELECT GENERATE_UUID(), CURRENT_TIMESTAMP(), run_id, 'answer failed', case_id, 1, problem, agent_name, agent_version, batch_id FROM badger_slice;
      SET last_problem = problem, left_out = left_out + 1, in_a_row = in_a_row + 1, last_key = new_key;
      IF in_a_row >= 10 THEN
        SET fatal = problem;
      END IF;
    END IF;
  END WHILE;

  IF left_out > 0 THEN
    BEGIN
      -- An answer that fails by itself in 3 calls is not tried again: its scores are failed, with the reason.
      CREATE OR REPLACE TEMP TABLE badger_given_up AS
      SELECT agent_name, agent_version, batch_id, case_id, ANY_VALUE(message HAVING MAX logged_at) AS message
      FROM lake.badger.run_log WHERE event = 'answer failed' AND agent_name IS NOT NULL GROUP BY agent_name, agent_version, batch_id, case_id HAVING COUNT(*) >= 3 AND MAX(logged_at) >= started;
      MERGE lake.badger.eval_runs AS t USING (SELECT DISTINCT agent_name, agent_version, batch_id FROM badger_given_up) AS s
      ON t.eval_run_id = run_id AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id
      WHEN NOT MATCHED THEN INSERT (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
        VALUES (run_id, s.agent_name, s.agent_version, s.batch_id, started, 'both', TO_JSON_STRING(JSON_QUERY(settings, '$.config')), JSON_VALUE(settings, '$.judge'), v_versions, 'running');
      INSERT INTO lake.badger.scores (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, status, reason, code, scored_at)
      SELECT run_id, g.case_id, g.agent_name, g.agent_version, g.batch_id, m, 'failed', g.message, 'unknown', CURRENT_TIMESTAMP()
      FROM badger_given_up AS g CROSS JOIN UNNEST(metric_list) AS m
      LEFT JOIN lake.badger.scores AS s ON s.agent_name = g.agent_name AND s.agent_version = g.agent_version AND s.batch_id = g.batch_id AND s.case_id = g.case_id AND s.metric = m
      WHERE s.metric IS NULL;
      INSERT INTO lake.badger.run_log (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
      SELECT GENERATE_UUID(), CURRENT_TIMESTAMP(), run_id, 'not retried', case_id, 1, message, agent_name, agent_version, batch_id FROM badger_given_up;
      SET given_up = (SELECT COUNT(*) FROM badger_given_up);
    EXCEPTION WHEN ERROR THEN
      SET fatal = COALESCE(fatal, @@error.message);
    END;
    IF fatal IS NULL AND left_out > given_up THEN
      SET fatal = SUBSTR(CONCAT(CAST(left_out - given_up AS STRING), ' answers could not be scored; the reason of the last one: ', last_problem), 1, 1000);
    END IF;
  END IF;
  IF run_id IS NOT NULL THEN
    UPDATE lake.badger.eval_runs AS t SET status = IF(fatal IS NULL, 'done', 'failed'), counts = s.counts, tokens = s.tokens
    FROM (
      SELECT agent_name, agent_version, batch_id, CONCAT('{', STRING_AGG(FORMAT('"%s":%d', status, n), ',' ORDER BY status), '}') AS counts,
             FORMAT('{"calls":%d,"in":%d,"out":%d}', SUM(calls), SUM(tokens_in), SUM(tokens_out)) AS tokens
      FROM (
        SELECT agent_name, agent_version, batch_id, status, COUNT(*) AS n, COALESCE(SUM(CAST(JSON_VALUE(usage, '$.calls') AS INT64)), 0) AS calls,
               COALESCE(SUM(GREATEST(CAST(JSON_VALUE(usage, '$.tokens_in') AS INT64), 0)), 0) AS tokens_in, COALESCE(SUM(GREATEST(CAST(JSON_VALUE(usage, '$.tokens_out') AS INT64), 0)), 0) AS tokens_out
        FROM lake.badger.scores WHERE eval_run_id = run_id GROUP BY agent_name, agent_version, batch_id, status)
      GROUP BY agent_name, agent_version, batch_id) AS s
    WHERE t.eval_run_id = run_id AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id AND (batch IS NULL OR t.batch_id = batch);
    -- What was left under other versions has been scored by this run.
    IF fatal IS NULL AND batch IS NULL THEN
      UPDATE lake.badger.eval_runs SET status = 'stopped' WHERE eval_run_id LIKE 'evaluate-%' AND eval_run_id <> run_id AND status IN ('running', 'failed');
    END IF;
    -- The look-back only moves on when nothing is left.
    IF fatal IS NULL AND scheduled THEN
      UPDATE lake.badger.schedule SET since_day = FORMAT_TIMESTAMP('%Y-%m-%d', TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 30 DAY), 'UTC') WHERE metric = '';
    END IF;
  END IF;
  INSERT INTO lake.badger.run_log (entry_id, logged_at, eval_run_id, event, answers, message, batch_id)
  VALUES (GENERATE_UUID(), CURRENT_TIMESTAMP(), run_id, CASE WHEN fatal IS NOT NULL THEN 'run failed' WHEN done = 0 AND NOT resumed THEN 'idle' ELSE 'done' END, done, fatal, batch);
  IF fatal IS NOT NULL THEN
    INSERT INTO lake.badger.run_log (entry_id, logged_at, eval_run_id, event, answers, message, agent_name, agent_version, batch_id)
    SELECT GENERATE_UUID(), CURRENT_TIMESTAMP(), run_id, 'batch failed', b.answers, fatal, b.agent_name, b.agent_version, b.batch_id FROM lake.badger.backlog AS b WHERE batch IS NULL OR b.batch_id = batch;
  END IF;
  UPDATE lake.badger.run_locks SET holder = NULL WHERE name = 'evaluate' AND holder = me;
  IF fatal IS NOT NULL THEN
    RAISE USING MESSAGE = fatal;
  END IF;
END;

-- 166. Run by a person, not as SQL.
-- The scheduled query that calls the procedure by night, in UTC, as an account that may call functions over the connection and write badger's tables.
--     bq mk --transfer_config --project_id=lake --location=eu --data_source=scheduled_query --display_name='badger evaluate' --schedule='every monday 03:15' --service_account_name=badger-nightly@lake.iam.gserviceaccount.com --params='{"query": "CALL lake.badger.evaluate(NULL, NULL)"}'
--     to remove it: bq ls --transfer_config --transfer_location=eu, then bq rm --transfer_config NAME

-- 167. Run by a person, not as SQL.
-- A second scheduled query, an hour later. It fails when there are new alerts, with their text, and a fact is reported once: turn on its e-mail or Pub/Sub notification. The first query fails every night that fails.
--     CALL lake.badger.send_alerts()


-- Drop badger from bigquery via cloud-run. Scores, labels and all other data of badger go too.

-- Run by badger_owner.
DROP PROCEDURE IF EXISTS lake.badger.evaluate;

-- Run by badger_owner.
DROP PROCEDURE IF EXISTS lake.badger.send_alerts;

-- Run by badger_owner.
REVOKE `roles/bigquery.dataEditor` ON TABLE lake.badger.human_labels FROM 'badger_annotator';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON TABLE lake.badger.label_log FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON TABLE lake.badger.human_labels FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON TABLE lake.badger.agent_runs FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON TABLE lake.badger.golden_set FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.cost_by_version FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.conversations FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.turns FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.system_ranks FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.ex_discordance FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.ambiguous_questions FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.failures_by_label FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.failure_labels FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.batch_changes FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.trend FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.suspect_golds FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.failures_by_reason FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.judge_cost FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.worst_cases FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.versions_by_batch FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.latest_run FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.open_facts FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.backlog FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.degradation FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.agreement FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.versions_by_metric FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.coverage FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.complexity FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.consensus FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON VIEW lake.badger.latest_scores FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON TABLE lake.badger.alerts FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON TABLE lake.badger.schedule FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON TABLE lake.badger.run_log FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON TABLE lake.badger.eval_runs FROM 'badger_reader';

-- Run by badger_owner.
REVOKE `roles/bigquery.dataViewer` ON TABLE lake.badger.scores FROM 'badger_reader';

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

-- Run by an owner of the project.
REVOKE `roles/bigquery.metadataViewer` ON SCHEMA lake.badger FROM 'badger_caller';

-- Run by badger_owner.
DROP FUNCTION IF EXISTS lake.badger.score_row_all;

-- Run by badger_owner.
DROP FUNCTION IF EXISTS lake.badger.score_row;

-- Run by badger_owner.
DROP FUNCTION IF EXISTS lake.badger.run_settings;

-- Run by badger_owner.
DROP FUNCTION IF EXISTS lake.badger.large_json_all;

-- Run by badger_owner.
DROP FUNCTION IF EXISTS lake.badger.large_json;

-- Run by badger_owner.
DROP FUNCTION IF EXISTS lake.badger.small;

-- Run by badger_owner.
DROP FUNCTION IF EXISTS lake.badger.badger_version;

-- Run by an owner of the project.
REVOKE `roles/bigquery.dataOwner` ON SCHEMA lake.badger FROM 'badger_owner';

-- Run by an owner of the project.
DROP SCHEMA IF EXISTS lake.badger RESTRICT;
