-- Made by badger v1.2.3 from the values; regenerate it instead of editing it.
-- The setup script of the Native App. It runs when the application is installed and at each upgrade, and may run again at any time.

-- Roles and their grants.
CREATE APPLICATION ROLE IF NOT EXISTS badger_owner COMMENT = 'badger: owns badger\'s objects';
CREATE APPLICATION ROLE IF NOT EXISTS badger_caller COMMENT = 'badger: may call the functions';
CREATE APPLICATION ROLE IF NOT EXISTS badger_reader COMMENT = 'badger: reads scores and views';
CREATE APPLICATION ROLE IF NOT EXISTS badger_annotator COMMENT = 'badger: writes labels, and nothing else';

-- Code only, of this version. Data and the service outlive it.
CREATE OR ALTER VERSIONED SCHEMA code;
GRANT USAGE ON SCHEMA code TO APPLICATION ROLE badger_owner;

-- Everything that stays: the service, its functions, the tables.
CREATE SCHEMA IF NOT EXISTS badger;
GRANT USAGE ON SCHEMA badger TO APPLICATION ROLE badger_owner;

-- The questions, with their accepted answers.
CREATE TABLE IF NOT EXISTS badger.golden_set (case_id VARCHAR, question VARCHAR, evidence VARCHAR, schema_ddl VARCHAR, dialect VARCHAR, gold_sql VARCHAR, gold_result VARCHAR, expected_tools VARIANT, expected_clarifications VARIANT, expected_behaviour VARCHAR, tags VARIANT, set_version VARCHAR, gold_latency_ms FLOAT, gold_error VARCHAR, alternatives VARIANT, database_name VARCHAR, metric_options VARIANT, gold_chart VARCHAR);

-- The answers of agents: one row for each question, version of an agent, and batch.
CREATE TABLE IF NOT EXISTS badger.agent_runs (agent_name VARCHAR, agent_version VARCHAR, batch_id VARCHAR, case_id VARCHAR, interpretation VARCHAR, sql VARCHAR, result VARCHAR, sql_error VARCHAR, tool_calls VARIANT, response VARCHAR, latency_ms FLOAT, gold_latency_ms FLOAT, ran_at TIMESTAMP_LTZ(9), conversation_id VARCHAR, turn NUMBER(19, 0), earlier_turns VARIANT, tokens_in NUMBER(19, 0), tokens_out NUMBER(19, 0), cost_usd NUMBER(38, 12), chart VARCHAR, contexts VARIANT);

-- Human labels of answers: one row for each answer and annotator. Labels from the web report are in label_log.
CREATE TABLE IF NOT EXISTS badger.human_labels (case_id VARCHAR, agent_name VARCHAR, batch_id VARCHAR, annotator VARCHAR, verdict VARCHAR, note VARCHAR, labelled_at TIMESTAMP_LTZ(9), agent_version VARCHAR);

-- The evaluations: one row for each run and each agent, version and batch that it scored.
CREATE TABLE IF NOT EXISTS badger.eval_runs (eval_run_id VARCHAR, agent_name VARCHAR, agent_version VARCHAR, batch_id VARCHAR, eval_run_date TIMESTAMP_LTZ(9), mode VARCHAR, config VARIANT, judge VARCHAR, versions VARIANT, counts VARIANT, tokens VARIANT, cost VARIANT, status VARCHAR, answered_at TIMESTAMP_LTZ(9));

-- The scores: one row for each run, answer and metric.
CREATE TABLE IF NOT EXISTS badger.scores (eval_run_id VARCHAR, case_id VARCHAR, agent_name VARCHAR, agent_version VARCHAR, batch_id VARCHAR, metric VARCHAR, metric_version NUMBER(19, 0), status VARCHAR, value FLOAT, label VARCHAR, passed BOOLEAN, reason VARCHAR, detail VARIANT, assessment_ids VARIANT, config_hash VARCHAR, scored_at TIMESTAMP_LTZ(9), code VARCHAR, usage VARIANT, gold_hash VARCHAR, answer_hash VARCHAR);

-- The replies of judges, recorded.
CREATE TABLE IF NOT EXISTS badger.assessments (assessment_id VARCHAR, kind VARCHAR, backend VARCHAR, model VARCHAR, prompt_version VARCHAR, request_hash VARCHAR, reply VARCHAR, tokens_in NUMBER(19, 0), tokens_out NUMBER(19, 0), latency_ms NUMBER(19, 0), created_at TIMESTAMP_LTZ(9), detail VARIANT, payer VARCHAR);

-- The versions that these tables have had. The highest is the present one. A program that supports only lower versions does not write to them.
CREATE TABLE IF NOT EXISTS badger.schema_version (version NUMBER(19, 0), badger VARCHAR, reached_at TIMESTAMP_LTZ(9), views VARCHAR);

-- The promoted judge files. A row never changes.
CREATE TABLE IF NOT EXISTS badger.judges (name VARCHAR, version NUMBER(19, 0), kind VARCHAR, source VARCHAR, hash VARCHAR, promoted_at TIMESTAMP_LTZ(9), promoted_by VARCHAR, tested VARIANT);

-- The verdicts of judges on sentinel cases, which are asked again and again: one row for each asking, metric, case and repetition. Rows are appended and never change. The replies are in assessments.
CREATE TABLE IF NOT EXISTS badger.sentinels (asking_id VARCHAR, metric VARCHAR, case_id VARCHAR, agent_name VARCHAR, agent_version VARCHAR, batch_id VARCHAR, repetition NUMBER(19, 0), backend VARCHAR, model VARCHAR, prompt_version VARCHAR, question_hash VARCHAR, served VARIANT, status VARCHAR, code VARCHAR, passed BOOLEAN, human_label BOOLEAN, assessment_ids VARIANT, asked_at TIMESTAMP_LTZ(9));

-- The events and failures of evaluations by the warehouse's procedure: one row for each event.
CREATE TABLE IF NOT EXISTS badger.run_log (entry_id VARCHAR, logged_at TIMESTAMP_LTZ(9), eval_run_id VARCHAR, event VARCHAR, case_id VARCHAR, answers NUMBER(19, 0), message VARCHAR, agent_name VARCHAR, agent_version VARCHAR, batch_id VARCHAR);

-- What the scheduled evaluation computes, as of its last call: one row for each metric, and a row whose metric is empty for the schedule itself.
CREATE TABLE IF NOT EXISTS badger.schedule (metric VARCHAR, since_day VARCHAR, pass_rate_drop FLOAT);

-- The alerts: one row for each fact that was reported. A fact is reported again only if it was resolved in between.
CREATE TABLE IF NOT EXISTS badger.alerts (alert_id VARCHAR, kind VARCHAR, fact VARCHAR, agent_name VARCHAR, agent_version VARCHAR, batch_id VARCHAR, metric VARCHAR, message VARCHAR, raised_at TIMESTAMP_LTZ(9), resolved_at TIMESTAMP_LTZ(9), sent_at TIMESTAMP_LTZ(9));

-- The evaluation that is running, in warehouses without locks: a row for each lock.
CREATE TABLE IF NOT EXISTS badger.run_locks (name VARCHAR, holder VARCHAR, taken_at TIMESTAMP_LTZ(9), beat_at TIMESTAMP_LTZ(9));

-- Current leases: one row for each judge request in progress, and for each annotator who is labelling an answer. Rows are temporary.
CREATE TABLE IF NOT EXISTS badger.claims (claim_key VARCHAR, owner VARCHAR, expires_ms NUMBER(19, 0));

-- Calls of the function server that last longer than a connection, with request and reply. Rows are deleted some time after they expire.
CREATE TABLE IF NOT EXISTS badger.calls (call_id VARCHAR, content_hash VARCHAR, function VARCHAR, request VARCHAR, reply VARCHAR, expires_ms NUMBER(19, 0));

-- The labelling queues: answers of a run for annotators to label, in an order.
CREATE TABLE IF NOT EXISTS badger.queues (queue_id VARCHAR, name VARCHAR, eval_run_id VARCHAR, agent_name VARCHAR, agent_version VARCHAR, batch_id VARCHAR, filter VARCHAR, ordering VARCHAR, seed NUMBER(19, 0), annotators NUMBER(19, 0), guideline VARCHAR, options VARIANT, blind BOOLEAN, reason_required BOOLEAN, cases NUMBER(19, 0), created_by VARCHAR, created_at TIMESTAMP_LTZ(9), closed_at TIMESTAMP_LTZ(9));

-- The answers of the labelling queues. They are fixed when a queue is created.
CREATE TABLE IF NOT EXISTS badger.queue_items (queue_id VARCHAR, position NUMBER(19, 0), case_id VARCHAR);

-- Labels from the web report and from imported files: one row for each label. Rows are appended and never change. The latest row of an annotator for an answer in a queue is used, unless it is skip or withdrawn. If there are several queues, the latest of these is used. It overrides the annotator's label in human_labels.
CREATE TABLE IF NOT EXISTS badger.label_log (label_id VARCHAR, case_id VARCHAR, agent_name VARCHAR, agent_version VARCHAR, batch_id VARCHAR, annotator VARCHAR, verdict VARCHAR, note VARCHAR, gold_wrong BOOLEAN, ambiguous BOOLEAN, labelled_at TIMESTAMP_LTZ(9), queue_id VARCHAR, answer_hash VARCHAR, decides BOOLEAN);

-- The batches that someone accepted as a baseline: one row for each statement. Rows are appended and never change. The latest row of a batch is used.
CREATE TABLE IF NOT EXISTS badger.accepted (acceptance_id VARCHAR, agent_name VARCHAR, agent_version VARCHAR, batch_id VARCHAR, withdrawn BOOLEAN, accepted_by VARCHAR, accepted_at TIMESTAMP_LTZ(9), note VARCHAR);

-- The deletions by badger prune: one row for each table, and one for each run whose scores were deleted. Rows have no content of answers, and are never deleted.
CREATE TABLE IF NOT EXISTS badger.deletions (deletion_id VARCHAR, table_name VARCHAR, eval_run_id VARCHAR, case_id VARCHAR, older_than TIMESTAMP_LTZ(9), row_count NUMBER(19, 0), digest VARCHAR, status VARCHAR, deleted_by VARCHAR, deleted_at TIMESTAMP_LTZ(9));

-- The latest score of each answer and metric, from any run, with the status of that run. In sql_safety, an answer without SQL has the status ok, the value 1 and passed: there is nothing to object to.
CREATE OR REPLACE VIEW badger.latest_scores AS SELECT eval_run_id, case_id, agent_name, agent_version, batch_id, metric, metric_version, CASE WHEN status = 'not_applicable' AND metric IN ('sql_safety') AND reason IN ('no SQL of the agent given', 'no query and no result of the agent given', 'the agent gave no answer', 'the question calls for a refusal, and the agent gave no SQL', 'the question calls for a clarification, and the agent gave no SQL') THEN 'ok' ELSE status END AS status, CASE WHEN status = 'not_applicable' AND metric IN ('sql_safety') AND reason IN ('no SQL of the agent given', 'no query and no result of the agent given', 'the agent gave no answer', 'the question calls for a refusal, and the agent gave no SQL', 'the question calls for a clarification, and the agent gave no SQL') THEN 1 ELSE value END AS value, label, CASE WHEN status = 'not_applicable' AND metric IN ('sql_safety') AND reason IN ('no SQL of the agent given', 'no query and no result of the agent given', 'the agent gave no answer', 'the question calls for a refusal, and the agent gave no SQL', 'the question calls for a clarification, and the agent gave no SQL') THEN TRUE ELSE passed END AS passed, reason, detail, assessment_ids, config_hash, scored_at, code, usage, gold_hash, answer_hash, run_status, run_date FROM (
  SELECT s.eval_run_id, s.case_id, s.agent_name, s.agent_version, s.batch_id, s.metric, s.metric_version, s.status, s.value, s.label, s.passed, s.reason, s.detail, s.assessment_ids, s.config_hash, s.scored_at, s.code, s.usage, s.gold_hash, s.answer_hash, COALESCE(r.status, 'running') AS run_status, r.eval_run_date AS run_date,
         ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric ORDER BY s.scored_at DESC, CASE WHEN r.eval_run_date IS NULL THEN 1 ELSE 0 END, r.eval_run_date DESC, s.eval_run_id DESC) AS newest
  FROM badger.scores s LEFT JOIN badger.eval_runs r
  ON r.eval_run_id = s.eval_run_id AND r.agent_name = s.agent_name AND r.agent_version = s.agent_version AND r.batch_id = s.batch_id) t
WHERE newest = 1;

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
    FROM (SELECT CAST(case_id AS VARCHAR) AS raw_id, COALESCE(CAST(case_id AS VARCHAR), '') AS case_id, COALESCE(CAST(agent_name AS VARCHAR), '') AS agent_name, CAST(agent_version AS VARCHAR) AS agent_version,
                 COALESCE(CAST(batch_id AS VARCHAR), '') AS batch_id, COALESCE(CAST(annotator AS VARCHAR), '') AS annotator, LOWER(TRIM(REPLACE(REPLACE(REPLACE(COALESCE(CAST(verdict AS VARCHAR), ''), CHR(9), ' '), CHR(10), ' '), CHR(13), ' '))) AS verdict,
                 labelled_at AS labelled_at
          FROM badger.human_labels) k
    WHERE 1 = 1) l
  LEFT JOIN (SELECT case_id, agent_name, batch_id, COUNT(DISTINCT agent_version) AS versions, CASE WHEN COUNT(DISTINCT agent_version) = 1 THEN MIN(agent_version) END AS only_version
    FROM (SELECT case_id AS raw_id, COALESCE(CAST(case_id AS VARCHAR), '') AS case_id, COALESCE(CAST(agent_name AS VARCHAR), '') AS agent_name, COALESCE(CAST(agent_version AS VARCHAR), '') AS agent_version,
                 COALESCE(CAST(batch_id AS VARCHAR), '') AS batch_id
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
    FROM (SELECT CAST(case_id AS VARCHAR) AS raw_id, COALESCE(CAST(case_id AS VARCHAR), '') AS case_id, COALESCE(CAST(agent_name AS VARCHAR), '') AS agent_name, COALESCE(CAST(agent_version AS VARCHAR), '') AS agent_version,
                 COALESCE(CAST(batch_id AS VARCHAR), '') AS batch_id, COALESCE(CAST(annotator AS VARCHAR), '') AS annotator, CASE WHEN decides THEN 1 ELSE 0 END AS decides, queue_id, verdict, labelled_at, label_id
          FROM badger.label_log) k
    WHERE 1 = 1) h
    WHERE choice = 1 AND verdict NOT IN ('skip', 'withdrawn')) g
  WHERE latest = 1 AND (decides = 0 OR last_said = 1)) u) w
WHERE choice = 1 OR agent_version IS NULL) v WHERE agent_version IS NOT NULL GROUP BY case_id, agent_name, agent_version, batch_id) c;

-- The complexity tier of each question, from its latest score.
CREATE OR REPLACE VIEW badger.complexity AS SELECT case_id, label AS tier FROM (
  SELECT case_id, label, ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY scored_at DESC, eval_run_id DESC, agent_name, agent_version, batch_id) AS newest
  FROM badger.latest_scores WHERE metric = 'sql_complexity' AND status = 'ok') t
WHERE newest = 1;

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
      FROM (SELECT COALESCE(CAST(case_id AS VARCHAR), '') AS case_id, COALESCE(CAST(agent_name AS VARCHAR), '') AS agent_name, COALESCE(CAST(agent_version AS VARCHAR), '') AS agent_version, COALESCE(CAST(batch_id AS VARCHAR), '') AS batch_id FROM badger.agent_runs) a
      LEFT JOIN (SELECT DISTINCT COALESCE(CAST(case_id AS VARCHAR), '') AS case_id FROM badger.golden_set) g ON g.case_id = a.case_id AND a.case_id <> '') a GROUP BY agent_name, agent_version, batch_id) b
    JOIN (SELECT agent_name, agent_version, COUNT(DISTINCT case_id) AS cases, COUNT(DISTINCT question) AS answered, MIN(batch_id) AS first_batch, MAX(questions) AS questions, MAX(answers) AS answers
      FROM (SELECT k.*, q.questions, SUM(CASE WHEN copy = 1 THEN 1 ELSE 0 END) OVER (PARTITION BY agent_name, agent_version) AS answers FROM (SELECT a.agent_name, a.agent_version, a.batch_id, a.case_id, g.case_id AS question, ROW_NUMBER() OVER (PARTITION BY a.agent_name, a.agent_version, a.batch_id, a.case_id ORDER BY a.case_id) AS copy
      FROM (SELECT COALESCE(CAST(case_id AS VARCHAR), '') AS case_id, COALESCE(CAST(agent_name AS VARCHAR), '') AS agent_name, COALESCE(CAST(agent_version AS VARCHAR), '') AS agent_version, COALESCE(CAST(batch_id AS VARCHAR), '') AS batch_id FROM badger.agent_runs) a
      LEFT JOIN (SELECT DISTINCT COALESCE(CAST(case_id AS VARCHAR), '') AS case_id FROM badger.golden_set) g ON g.case_id = a.case_id AND a.case_id <> '') k
        CROSS JOIN (SELECT COUNT(DISTINCT COALESCE(CAST(case_id AS VARCHAR), '')) AS questions FROM badger.golden_set WHERE COALESCE(CAST(case_id AS VARCHAR), '') <> '') q) a GROUP BY agent_name, agent_version) v
    ON v.agent_name = b.agent_name AND v.agent_version = b.agent_version) n
  ON n.agent_name = s.agent_name AND n.agent_version = s.agent_version AND n.batch_id = s.batch_id) t;

-- Version against version, by metric and complexity tier: scored is the number of answers with a value, answered the number of answers; a missing answer counts as 0 and does not pass. unfinished counts the values from runs that are not done. The view coverage shows the outcomes of the others.
CREATE OR REPLACE VIEW badger.versions_by_metric AS SELECT s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') AS tier, COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored, SUM(s.value) * 1.0 / NULLIF(COUNT(CASE WHEN s.value IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END), 0) AS mean_value,
       CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate,
       SUM(CASE WHEN s.run_status = 'done' OR s.status <> 'ok' THEN 0 ELSE 1 END) AS unfinished, COUNT(*) AS answered
FROM badger.latest_scores s LEFT JOIN badger.complexity c ON c.case_id = s.case_id
GROUP BY s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') HAVING COUNT(CASE WHEN s.status = 'ok' THEN 1 END) > 0;

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

-- The latest batch of each agent against the latest batch before it that has scores, by metric, all versions of the agent together. A missing answer does not pass. pass_rate_change is below 0 if fewer answers pass; failed counts scores that failed. Alerts read this view.
CREATE OR REPLACE VIEW badger.degradation AS SELECT n.agent_name, n.metric, n.batch_id, b.batch_id AS batch_before, n.judged, b.judged AS judged_before, n.pass_rate, b.pass_rate AS pass_rate_before,
       n.pass_rate - b.pass_rate AS pass_rate_change, n.failed, b.failed AS failed_before
FROM (SELECT s.agent_name, s.batch_id, s.metric, a.place, ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.metric ORDER BY a.place) AS nth,
    COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged, COUNT(CASE WHEN s.status = 'failed' THEN 1 END) AS failed,
    CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate
  FROM badger.latest_scores s JOIN (SELECT agent_name, batch_id, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY CASE WHEN MAX(ran_at) IS NULL THEN 1 ELSE 0 END, MAX(ran_at) DESC, batch_id DESC) AS place
    FROM (SELECT COALESCE(CAST(agent_name AS VARCHAR), '') AS agent_name, COALESCE(CAST(batch_id AS VARCHAR), '') AS batch_id, ran_at AS ran_at FROM badger.agent_runs) k
    GROUP BY agent_name, batch_id) a
  ON a.agent_name = s.agent_name AND a.batch_id = s.batch_id
  GROUP BY s.agent_name, s.batch_id, s.metric, a.place) n JOIN (SELECT s.agent_name, s.batch_id, s.metric, a.place, ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.metric ORDER BY a.place) AS nth,
    COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged, COUNT(CASE WHEN s.status = 'failed' THEN 1 END) AS failed,
    CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate
  FROM badger.latest_scores s JOIN (SELECT agent_name, batch_id, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY CASE WHEN MAX(ran_at) IS NULL THEN 1 ELSE 0 END, MAX(ran_at) DESC, batch_id DESC) AS place
    FROM (SELECT COALESCE(CAST(agent_name AS VARCHAR), '') AS agent_name, COALESCE(CAST(batch_id AS VARCHAR), '') AS batch_id, ran_at AS ran_at FROM badger.agent_runs) k
    GROUP BY agent_name, batch_id) a
  ON a.agent_name = s.agent_name AND a.batch_id = s.batch_id
  GROUP BY s.agent_name, s.batch_id, s.metric, a.place) b ON b.agent_name = n.agent_name AND b.metric = n.metric AND b.nth = 2
WHERE n.place = 1;

-- The answers that the scheduled evaluation has still to score, by batch: those that lack a score of a metric of the schedule, from its since_day on or without a date, and the rest of an interrupted call. waiting_since is the earliest day of an answer without scores, last_attempt_at the last call that tried to score the batch, and last_error why it failed; NULL if it is running or was interrupted.
CREATE OR REPLACE VIEW badger.backlog AS SELECT b.agent_name, b.agent_version, b.batch_id, b.answers, b.waiting_since, t.logged_at AS last_attempt_at, t.message AS last_error
FROM (SELECT a.agent_name, a.agent_version, a.batch_id, COUNT(*) AS answers, MIN(a.run_day) AS waiting_since
  FROM (SELECT agent_name, agent_version, batch_id, case_id, MIN(run_day) AS run_day, MAX(CASE WHEN run_day IS NULL THEN '9999' ELSE run_day END) AS last_day
    FROM (SELECT COALESCE(CAST(agent_name AS VARCHAR), '') AS agent_name, COALESCE(CAST(agent_version AS VARCHAR), '') AS agent_version, COALESCE(CAST(batch_id AS VARCHAR), '') AS batch_id, COALESCE(CAST(case_id AS VARCHAR), '') AS case_id, CASE WHEN CAST(ran_at AS VARCHAR) LIKE '____-__-__%' THEN SUBSTR(CAST(ran_at AS VARCHAR), 1, 10) END AS run_day
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

-- What alerts report and is true now: the last evaluation failed or was interrupted, answers of a batch could not be scored, or fewer answers of the latest batch pass, or more failed, than in the batch before. Batches with a backlog are not compared. A failure with another start of its message (60 characters) is another fact.
CREATE OR REPLACE VIEW badger.open_facts AS WITH waiting AS (SELECT agent_name, agent_version, batch_id, answers, last_error FROM badger.backlog)
SELECT 'run failed' AS kind, 'run failed: ' || SUBSTR(COALESCE(message, ''), 1, 60) AS fact, CAST(NULL AS VARCHAR) AS agent_name, CAST(NULL AS VARCHAR) AS agent_version, CAST(NULL AS VARCHAR) AS batch_id, CAST(NULL AS VARCHAR) AS metric,
       'the evaluation failed: ' || COALESCE(message, '') AS message
FROM (SELECT event, message, ROW_NUMBER() OVER (ORDER BY logged_at DESC, entry_id) AS newest
  FROM badger.run_log WHERE batch_id IS NULL AND event IN ('done', 'idle', 'run failed', 'interrupted')) l
WHERE newest = 1 AND event IN ('run failed', 'interrupted')
UNION ALL
SELECT 'backlog' AS kind, 'backlog: ' || b.agent_name || ', ' || b.agent_version || ', ' || b.batch_id AS fact, b.agent_name, b.agent_version, b.batch_id, CAST(NULL AS VARCHAR) AS metric,
       b.agent_name || ' ' || b.agent_version || ', batch ' || b.batch_id || ': ' || CAST(b.answers AS VARCHAR) || ' answers have no scores: ' || COALESCE(b.last_error, 'the last call is running or was interrupted') AS message
FROM waiting b LEFT JOIN (SELECT DISTINCT agent_name, agent_version, batch_id FROM badger.alerts WHERE kind = 'backlog' AND resolved_at IS NULL) o
ON o.agent_name = b.agent_name AND o.agent_version = b.agent_version AND o.batch_id = b.batch_id
WHERE b.last_error IS NOT NULL OR o.batch_id IS NOT NULL
UNION ALL
SELECT 'degraded' AS kind, 'degraded: ' || d.agent_name || ', ' || d.metric || ', ' || d.batch_id AS fact, d.agent_name, CAST(NULL AS VARCHAR) AS agent_version, d.batch_id, d.metric,
       d.agent_name || ', ' || d.metric || ', batch ' || d.batch_id || ': pass rate ' || COALESCE(CAST(CAST(ROUND(d.pass_rate * 100) AS NUMBER(19, 0)) AS VARCHAR) || ' %', 'none') || ', before '
         || COALESCE(CAST(CAST(ROUND(d.pass_rate_before * 100) AS NUMBER(19, 0)) AS VARCHAR) || ' %', 'none') || '; ' || CAST(d.failed AS VARCHAR) || ' scores failed, before ' || CAST(d.failed_before AS VARCHAR) AS message
FROM badger.degradation d CROSS JOIN (SELECT MAX(pass_rate_drop) AS most FROM badger.schedule) w
LEFT JOIN (SELECT DISTINCT agent_name, batch_id FROM waiting) n ON n.agent_name = d.agent_name AND (n.batch_id = d.batch_id OR n.batch_id = d.batch_before)
WHERE n.batch_id IS NULL AND (d.pass_rate_change <= -w.most OR d.failed > d.failed_before);

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

-- Version against version, by metric, complexity tier, batch, and the date of the run that the score is from. A missing answer counts as 0 and does not pass.
CREATE OR REPLACE VIEW badger.versions_by_batch AS SELECT s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown') AS tier, s.batch_id, CAST(CONVERT_TIMEZONE('UTC', s.run_date) AS DATE) AS run_day, COUNT(*) AS answered,
       COUNT(CASE WHEN s.status = 'ok' THEN 1 END) AS scored, SUM(s.value) * 1.0 / NULLIF(COUNT(CASE WHEN s.value IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END), 0) AS mean_value, COUNT(CASE WHEN s.passed THEN 1 END) AS passed,
       COUNT(CASE WHEN s.passed IS NOT NULL THEN 1 END) AS judged, CASE WHEN COUNT(s.passed) > 0 THEN COUNT(CASE WHEN s.passed THEN 1 END) * 1.0 / COUNT(CASE WHEN s.passed IS NOT NULL OR s.status = 'not_applicable' AND s.reason IN ('no SQL of the agent given', 'no result of the agent given', 'no query and no result of the agent given', 'the agent gave no answer') AND s.metric NOT IN ('latency_overhead', 'sql_judge_issues') THEN 1 END) END AS pass_rate
FROM badger.latest_scores s LEFT JOIN badger.complexity c ON c.case_id = s.case_id
GROUP BY s.agent_name, s.agent_version, s.metric, COALESCE(c.tier, 'unknown'), s.batch_id, CAST(CONVERT_TIMEZONE('UTC', s.run_date) AS DATE);

-- The scored answers of each agent, version, batch and metric, the worst first: place 1 did not pass and has the lowest value. Metrics without a verdict and answers that passed with the value 1 are left out.
CREATE OR REPLACE VIEW badger.worst_cases AS SELECT s.agent_name, s.agent_version, s.batch_id, s.metric,
       ROW_NUMBER() OVER (PARTITION BY s.agent_name, s.agent_version, s.batch_id, s.metric ORDER BY CASE WHEN s.passed THEN 1 ELSE 0 END, CASE WHEN s.value IS NULL THEN 1 ELSE 0 END, s.value, s.case_id) AS place,
       s.case_id, COALESCE(c.tier, 'unknown') AS tier, s.value, s.passed, s.label, s.reason
FROM badger.latest_scores s LEFT JOIN badger.complexity c ON c.case_id = s.case_id
WHERE s.status = 'ok' AND s.passed IS NOT NULL AND (s.passed = FALSE OR s.value < 1);

-- Judge calls and tokens for the scores of each run, by agent, version, batch and metric, including cached replies. uncounted is the number of scores whose tokens are unknown. The amount paid is in eval_runs.cost.
CREATE OR REPLACE VIEW badger.judge_cost AS SELECT eval_run_id, agent_name, agent_version, batch_id, metric, COUNT(*) AS scores, COUNT(calls) AS asked, SUM(calls) AS calls,
       SUM(CASE WHEN tokens_in >= 0 THEN tokens_in ELSE 0 END) AS tokens_in, SUM(CASE WHEN tokens_out >= 0 THEN tokens_out ELSE 0 END) AS tokens_out,
       COUNT(CASE WHEN calls > 0 AND (tokens_in < 0 OR tokens_out < 0 OR tokens_in IS NULL OR tokens_out IS NULL) THEN 1 END) AS uncounted
FROM (SELECT eval_run_id, agent_name, agent_version, batch_id, metric, CAST(CAST(GET(usage, 'calls') AS VARCHAR) AS NUMBER(19, 0)) AS calls,
        CAST(CAST(GET(usage, 'tokens_in') AS VARCHAR) AS NUMBER(19, 0)) AS tokens_in, CAST(CAST(GET(usage, 'tokens_out') AS VARCHAR) AS NUMBER(19, 0)) AS tokens_out FROM badger.scores) u
GROUP BY eval_run_id, agent_name, agent_version, batch_id, metric HAVING COUNT(calls) > 0;

-- Why scores failed or are missing: the latest scores that failed, abstained or do not apply, by metric and reason, with one of the cases.
CREATE OR REPLACE VIEW badger.failures_by_reason AS SELECT agent_name, agent_version, batch_id, metric, status, code, reason, COUNT(*) AS answers, MIN(case_id) AS example
FROM badger.latest_scores WHERE status <> 'ok' GROUP BY agent_name, agent_version, batch_id, metric, status, code, reason;

-- Questions whose accepted answer may be wrong, one row for each reason: gold_error (the accepted query failed), gold_empty (its result is empty or all NULL and an answer's is not), gold_x and gold_flex (ROSE's Refuter, or FLEX, found it wrong), gold_literal (its query compares with a string that neither question nor evidence contains, and the answer's with one that they contain), gold_logic (its query contradicts the question or has a clause without effect), people (most annotators pass an answer that the metric verdict or ex_multiset fails), answers_agree (at least two agents, or versions whose SQL differs, answered, and all of them fail). answers counts the answers that speak for the reason.
CREATE OR REPLACE VIEW badger.suspect_golds AS SELECT t.case_id, t.why AS reason, COUNT(DISTINCT t.answer) AS answers, MIN(t.agent_name) AS example_agent, MIN(t.agent_version) AS example_version, MIN(t.batch_id) AS example_batch
FROM (SELECT COALESCE(CAST(case_id AS VARCHAR), '') AS case_id, 'gold_error' AS why, CAST(NULL AS VARCHAR) AS answer, CAST(NULL AS VARCHAR) AS agent_name, CAST(NULL AS VARCHAR) AS agent_version, CAST(NULL AS VARCHAR) AS batch_id
  FROM badger.golden_set WHERE CAST(gold_error AS VARCHAR) <> ''
  UNION ALL
  SELECT case_id, 'gold_error' AS why, (agent_name || ' ' || agent_version || ' ' || batch_id) AS answer, agent_name, agent_version, batch_id
  FROM badger.latest_scores WHERE status = 'not_applicable' AND reason = 'the gold query failed when it ran'
  UNION ALL
  SELECT case_id, CASE WHEN metric = 'rose' THEN 'gold_x' WHEN metric = 'flex' THEN 'gold_flex' WHEN label = 'gold_empty' THEN 'gold_empty' WHEN label = 'gold_literal_foreign' THEN 'gold_literal' ELSE 'gold_logic' END AS why,
         (agent_name || ' ' || agent_version || ' ' || batch_id) AS answer, agent_name, agent_version, batch_id
  FROM badger.latest_scores WHERE status = 'ok' AND (metric = 'relation' AND label IN ('gold_empty', 'gold_literal_foreign', 'gold_vacuous_limit', 'gold_vacuous_having', 'gold_ungrouped', 'gold_and_for_or', 'gold_sort_against_question') OR metric = 'rose' AND CAST(GET(detail, 'gold_x') AS VARCHAR) = 'true'
    OR metric = 'flex' AND value = 1 AND TO_JSON(GET(detail, 'categories')) LIKE '%"incorrect_ground_truth_query"%')
  UNION ALL
  SELECT s.case_id, 'people' AS why, (s.agent_name || ' ' || s.agent_version || ' ' || s.batch_id) AS answer, s.agent_name, s.agent_version, s.batch_id
  FROM badger.latest_scores s JOIN badger.consensus l ON l.case_id = s.case_id AND l.agent_name = s.agent_name AND l.agent_version = s.agent_version AND l.batch_id = s.batch_id
  WHERE l.passes = 1 AND s.passed = FALSE AND s.metric IN ('verdict', 'ex_multiset')
  UNION ALL
  SELECT s.case_id, 'answers_agree' AS why, (s.agent_name || ' ' || s.agent_version || ' ' || s.batch_id) AS answer, s.agent_name, s.agent_version, s.batch_id
  FROM badger.latest_scores s JOIN (SELECT s.case_id FROM badger.latest_scores s
    LEFT JOIN (SELECT COALESCE(CAST(case_id AS VARCHAR), '') AS case_id, COALESCE(CAST(agent_name AS VARCHAR), '') AS agent_name, COALESCE(CAST(agent_version AS VARCHAR), '') AS agent_version, COALESCE(CAST(batch_id AS VARCHAR), '') AS batch_id, MIN(CAST(sql AS VARCHAR)) AS sql FROM badger.agent_runs GROUP BY 1, 2, 3, 4) k
    ON k.case_id = s.case_id AND k.agent_name = s.agent_name AND k.agent_version = s.agent_version AND k.batch_id = s.batch_id
    WHERE s.metric = 'ex_multiset' AND s.passed IS NOT NULL GROUP BY s.case_id
    HAVING (COUNT(DISTINCT s.agent_name) > 1 OR COUNT(DISTINCT s.agent_version) > 1 AND COUNT(DISTINCT COALESCE(NULLIF(k.sql, ''), s.agent_version)) > 1) AND COUNT(CASE WHEN s.passed THEN 1 END) = 0) f ON f.case_id = s.case_id
  WHERE s.metric = 'ex_multiset' AND s.passed = FALSE) t
GROUP BY t.case_id, t.why;

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

-- Causes of failures, a row for each answer and label: the issues of the SQL judge (kind issue), FLEX's errors and its reasons why right answers differ (error, difference), the relation between the results that explains most (relation), STEF's status of the filters (filters), ROSE's diagnoses (diagnosis), answers that refusal rejects (refusal), and what SQL would do other than read (safety). An answer may have several.
CREATE OR REPLACE VIEW badger.failure_labels AS SELECT l.agent_name, l.agent_version, l.batch_id, l.metric, l.kind, l.label, COALESCE(c.tier, 'unknown') AS tier, l.case_id
FROM (SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'issue' AS kind, v.label, s.case_id FROM badger.latest_scores s CROSS JOIN (SELECT 'filters_missing' AS label UNION ALL SELECT 'filters_incorrect' AS label UNION ALL SELECT 'joins_missing' AS label UNION ALL SELECT 'joins_incorrect' AS label UNION ALL SELECT 'joins_unnecessary' AS label UNION ALL SELECT 'aggregation_wrong' AS label UNION ALL SELECT 'aggregation_missing' AS label UNION ALL SELECT 'columns_missing' AS label UNION ALL SELECT 'columns_wrong' AS label UNION ALL SELECT 'ordering_wrong' AS label UNION ALL SELECT 'schema_misunderstanding' AS label UNION ALL SELECT 'logic_error' AS label UNION ALL SELECT 'performance_issue' AS label) v WHERE s.status = 'ok' AND s.metric = 'sql_judge_issues' AND TO_JSON(GET(s.detail, 'issues')) LIKE '%"' || v.label || '"%'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'error' AS kind, v.label, s.case_id FROM badger.latest_scores s CROSS JOIN (SELECT 'incorrect_schema_linking' AS label UNION ALL SELECT 'incorrect_filtering_condition' AS label UNION ALL SELECT 'missing_handling_of_nullable_column' AS label UNION ALL SELECT 'missing_handling_of_multiple_rows' AS label UNION ALL SELECT 'abused_clauses' AS label UNION ALL SELECT 'other_fatal_issues' AS label) v WHERE s.status = 'ok' AND s.metric = 'flex' AND s.value = 0 AND TO_JSON(GET(s.detail, 'categories')) LIKE '%"' || v.label || '"%'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'difference' AS kind, v.label, s.case_id FROM badger.latest_scores s CROSS JOIN (SELECT 'different_output_structure' AS label UNION ALL SELECT 'different_output_value_representation' AS label UNION ALL SELECT 'incorrect_ground_truth_query' AS label UNION ALL SELECT 'multiple_answers_available' AS label UNION ALL SELECT 'other_minor_issues' AS label) v WHERE s.status = 'ok' AND s.metric = 'flex' AND s.value = 1 AND TO_JSON(GET(s.detail, 'categories')) LIKE '%"' || v.label || '"%'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'relation' AS kind, s.label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'relation' AND s.label NOT IN ('same', 'permuted')
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'filters' AS kind, CAST(GET(s.detail, 'filters_applied_status') AS VARCHAR) AS label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'stef' AND CAST(GET(s.detail, 'filters_applied_status') AS VARCHAR) IS NOT NULL
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'refusal' AS kind, s.label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'refusal' AND s.value < 1
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'safety' AS kind, s.label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'sql_safety' AND s.value < 1
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'diagnosis' AS kind, 'gold_x' AS label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'rose' AND CAST(GET(s.detail, 'gold_x') AS VARCHAR) = 'true'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'diagnosis' AS kind, 'amb_q' AS label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'rose' AND CAST(GET(s.detail, 'amb_q') AS VARCHAR) = 'true'
  UNION ALL
  SELECT s.agent_name, s.agent_version, s.batch_id, s.metric, 'diagnosis' AS kind, 'amb_schema' AS label, s.case_id FROM badger.latest_scores s WHERE s.status = 'ok' AND s.metric = 'rose' AND CAST(GET(s.detail, 'amb_schema') AS VARCHAR) = 'true') l LEFT JOIN badger.complexity c ON c.case_id = l.case_id;

-- The labels of failure_labels, counted by version, batch and tier, with one of the cases.
CREATE OR REPLACE VIEW badger.failures_by_label AS SELECT agent_name, agent_version, batch_id, metric, kind, label, tier, COUNT(*) AS answers, MIN(case_id) AS example
FROM badger.failure_labels GROUP BY agent_name, agent_version, batch_id, metric, kind, label, tier;

-- Questions that a judge found ambiguous, one row for each reason: amb_q and amb_schema (ROSE's Refuter calls the question, or the schema, ambiguous), amb_flex (FLEX finds several answers available).
CREATE OR REPLACE VIEW badger.ambiguous_questions AS SELECT t.case_id, t.why AS reason, COUNT(DISTINCT t.answer) AS answers, MIN(t.agent_name) AS example_agent, MIN(t.agent_version) AS example_version, MIN(t.batch_id) AS example_batch
FROM (SELECT case_id, CASE WHEN label = 'multiple_answers_available' THEN 'amb_flex' ELSE label END AS why, (agent_name || ' ' || agent_version || ' ' || batch_id) AS answer, agent_name, agent_version, batch_id
  FROM badger.failure_labels WHERE kind = 'diagnosis' AND label IN ('amb_q', 'amb_schema') OR kind = 'difference' AND label = 'multiple_answers_available') t
GROUP BY t.case_id, t.why;

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
      (SELECT COALESCE(CAST(agent_name AS VARCHAR), '') AS agent_name, COALESCE(CAST(agent_version AS VARCHAR), '') AS agent_version, COALESCE(CAST(batch_id AS VARCHAR), '') AS batch_id, COALESCE(CAST(case_id AS VARCHAR), '') AS case_id, COALESCE(CAST(conversation_id AS VARCHAR), '') AS conversation_id, turn AS turn FROM badger.agent_runs) r
      WHERE conversation_id <> '' GROUP BY agent_name, agent_version, batch_id, case_id) p ON p.agent_name = m.agent_name AND p.agent_version = m.agent_version AND p.batch_id = m.batch_id AND p.case_id = m.case_id
WHERE p.turn IS NOT NULL GROUP BY m.agent_name, m.agent_version, m.batch_id, m.metric, p.turn;

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
      (SELECT COALESCE(CAST(agent_name AS VARCHAR), '') AS agent_name, COALESCE(CAST(agent_version AS VARCHAR), '') AS agent_version, COALESCE(CAST(batch_id AS VARCHAR), '') AS batch_id, COALESCE(CAST(case_id AS VARCHAR), '') AS case_id, COALESCE(CAST(conversation_id AS VARCHAR), '') AS conversation_id, turn AS turn FROM badger.agent_runs) r
      WHERE conversation_id <> '' GROUP BY agent_name, agent_version, batch_id, case_id) p ON p.agent_name = m.agent_name AND p.agent_version = m.agent_version AND p.batch_id = m.batch_id AND p.case_id = m.case_id
GROUP BY m.agent_name, m.agent_version, m.batch_id, p.conversation_id, m.metric;

-- What the answers of agent_runs took, by agent, version, batch and metric with verdicts. cost_usd, tokens_in and tokens_out are sums of the known values, and with_cost, with_tokens_in and with_tokens_out count these. right_answers passed the metric. cost_per_right is cost_usd, the known cost of right and wrong answers, divided by right_with_cost, the right answers with a known cost, and rounded to 12 decimals. place is 1 for the latest batch of the version. The command badger compare has medians, P95 and tests.
CREATE OR REPLACE VIEW badger.cost_by_version AS SELECT agent_name, agent_version, batch_id, metric, place, answers, right_answers, with_cost, right_with_cost, cost_usd, CAST(cost_usd / NULLIF(right_with_cost, 0) AS NUMBER(38, 12)) AS cost_per_right,
       with_tokens_in, tokens_in, with_tokens_out, tokens_out, with_latency, mean_latency_ms
FROM (SELECT a.agent_name, a.agent_version, a.batch_id, s.metric, o.place, COUNT(*) AS answers, COUNT(CASE WHEN s.passed THEN 1 END) AS right_answers, COUNT(a.cost_usd) AS with_cost, COUNT(CASE WHEN s.passed AND a.cost_usd IS NOT NULL THEN 1 END) AS right_with_cost,
        SUM(a.cost_usd) AS cost_usd, COUNT(a.tokens_in) AS with_tokens_in, SUM(a.tokens_in) AS tokens_in, COUNT(a.tokens_out) AS with_tokens_out, SUM(a.tokens_out) AS tokens_out, COUNT(a.latency_ms) AS with_latency, AVG(a.latency_ms) AS mean_latency_ms
  FROM (SELECT agent_name, agent_version, batch_id, case_id, ran_at, CASE WHEN cost_usd BETWEEN 0 AND 1000000 THEN cost_usd END AS cost_usd, CASE WHEN tokens_in BETWEEN 0 AND 1000000000000 THEN tokens_in END AS tokens_in, CASE WHEN tokens_out BETWEEN 0 AND 1000000000000 THEN tokens_out END AS tokens_out,
      CASE WHEN latency_ms BETWEEN 0 AND 1000000000000 THEN latency_ms END AS latency_ms,
      ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) AS copy
      FROM (SELECT COALESCE(CAST(agent_name AS VARCHAR), '') AS agent_name, COALESCE(CAST(agent_version AS VARCHAR), '') AS agent_version, COALESCE(CAST(batch_id AS VARCHAR), '') AS batch_id, COALESCE(CAST(case_id AS VARCHAR), '') AS case_id, ran_at AS ran_at, CAST(sql AS VARCHAR) AS sql,
        CAST(cost_usd AS NUMBER(38, 12)) AS cost_usd, CAST(tokens_in AS NUMBER(19, 0)) AS tokens_in, CAST(tokens_out AS NUMBER(19, 0)) AS tokens_out, CAST(latency_ms AS FLOAT) AS latency_ms FROM badger.agent_runs) r) a
  JOIN badger.latest_scores s ON s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id
  JOIN (SELECT agent_name, agent_version, batch_id, ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version ORDER BY CASE WHEN MAX(ran_at) IS NULL THEN 1 ELSE 0 END, MAX(ran_at) DESC, batch_id DESC) AS place
    FROM (SELECT agent_name, agent_version, batch_id, case_id, ran_at, CASE WHEN cost_usd BETWEEN 0 AND 1000000 THEN cost_usd END AS cost_usd, CASE WHEN tokens_in BETWEEN 0 AND 1000000000000 THEN tokens_in END AS tokens_in, CASE WHEN tokens_out BETWEEN 0 AND 1000000000000 THEN tokens_out END AS tokens_out,
      CASE WHEN latency_ms BETWEEN 0 AND 1000000000000 THEN latency_ms END AS latency_ms,
      ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) AS copy
      FROM (SELECT COALESCE(CAST(agent_name AS VARCHAR), '') AS agent_name, COALESCE(CAST(agent_version AS VARCHAR), '') AS agent_version, COALESCE(CAST(batch_id AS VARCHAR), '') AS batch_id, COALESCE(CAST(case_id AS VARCHAR), '') AS case_id, ran_at AS ran_at, CAST(sql AS VARCHAR) AS sql,
        CAST(cost_usd AS NUMBER(38, 12)) AS cost_usd, CAST(tokens_in AS NUMBER(19, 0)) AS tokens_in, CAST(tokens_out AS NUMBER(19, 0)) AS tokens_out, CAST(latency_ms AS FLOAT) AS latency_ms FROM badger.agent_runs) r) b GROUP BY agent_name, agent_version, batch_id) o ON o.agent_name = a.agent_name AND o.agent_version = a.agent_version AND o.batch_id = a.batch_id
  WHERE a.copy = 1 GROUP BY a.agent_name, a.agent_version, a.batch_id, s.metric, o.place HAVING COUNT(s.passed) > 0) t;

-- The version of the tables.
INSERT INTO badger.schema_version (version, reached_at) SELECT 8, CURRENT_TIMESTAMP FROM (SELECT 1 AS one) o WHERE NOT EXISTS (SELECT 1 FROM badger.schema_version WHERE version >= 8);

-- A comment on the table golden_set.
COMMENT ON TABLE badger.golden_set IS 'The questions, with their accepted answers.';

-- A comment on golden_set.case_id.
COMMENT ON COLUMN badger.golden_set.case_id IS 'Identifies the question. Any type is read as a string: 17, \'17\' and a UUID are all valid.';

-- A comment on golden_set.question.
COMMENT ON COLUMN badger.golden_set.question IS 'The question as the user asked it.';

-- A comment on golden_set.evidence.
COMMENT ON COLUMN badger.golden_set.evidence IS 'Hints that came with the question, such as the definition of a business term.';

-- A comment on golden_set.schema_ddl.
COMMENT ON COLUMN badger.golden_set.schema_ddl IS 'CREATE TABLE statements of the tables that the question is about.';

-- A comment on golden_set.dialect.
COMMENT ON COLUMN badger.golden_set.dialect IS 'SQL dialect of both queries: snowflake, bigquery, databricks, duckdb, postgres, sqlite, …';

-- A comment on golden_set.gold_sql.
COMMENT ON COLUMN badger.golden_set.gold_sql IS 'The accepted query.';

-- A comment on golden_set.gold_result.
COMMENT ON COLUMN badger.golden_set.gold_result IS 'The result of the accepted query: an inline result, or a reference table:NAME, query:ID or file:PATH.';

-- A comment on golden_set.expected_tools.
COMMENT ON COLUMN badger.golden_set.expected_tools IS 'The tools that a good agent calls, in order: a list of names or of {"name", "arguments"}.';

-- A comment on golden_set.expected_clarifications.
COMMENT ON COLUMN badger.golden_set.expected_clarifications IS 'The clarification questions of a good agent: a list of strings.';

-- A comment on golden_set.expected_behaviour.
COMMENT ON COLUMN badger.golden_set.expected_behaviour IS 'answer (also NULL), clarify or refuse.';

-- A comment on golden_set.tags.
COMMENT ON COLUMN badger.golden_set.tags IS 'A list of words to slice reports by.';

-- A comment on golden_set.set_version.
COMMENT ON COLUMN badger.golden_set.set_version IS 'Version of the golden set that the row belongs to.';

-- A comment on golden_set.gold_latency_ms.
COMMENT ON COLUMN badger.golden_set.gold_latency_ms IS 'How long the accepted query took, in milliseconds.';

-- A comment on golden_set.gold_error.
COMMENT ON COLUMN badger.golden_set.gold_error IS 'The message of the database, if the accepted query failed.';

-- A comment on golden_set.alternatives.
COMMENT ON COLUMN badger.golden_set.alternatives IS 'Further accepted answers: a list of {"sql", "result", "error", "latency_ms"}. The one with the best score is used.';

-- A comment on golden_set.database_name.
COMMENT ON COLUMN badger.golden_set.database_name IS 'Name of the database that the question is about. Agreement with people can be shown by database.';

-- A comment on golden_set.metric_options.
COMMENT ON COLUMN badger.golden_set.metric_options IS 'Options of single metrics, by name.';

-- A comment on golden_set.gold_chart.
COMMENT ON COLUMN badger.golden_set.gold_chart IS 'The accepted chart of the result, in a form of agent_runs.chart. NULL: any chart that shows the result is accepted.';

-- A comment on the table agent_runs.
COMMENT ON TABLE badger.agent_runs IS 'The answers of agents: one row for each question, version of an agent, and batch.';

-- A comment on agent_runs.agent_name.
COMMENT ON COLUMN badger.agent_runs.agent_name IS 'Who answered.';

-- A comment on agent_runs.agent_version.
COMMENT ON COLUMN badger.agent_runs.agent_version IS 'Version of the agent.';

-- A comment on agent_runs.batch_id.
COMMENT ON COLUMN badger.agent_runs.batch_id IS 'The batch that the answer belongs to, such as a night. The same agent may answer a question again in another batch.';

-- A comment on agent_runs.case_id.
COMMENT ON COLUMN badger.agent_runs.case_id IS 'The question that was answered: golden_set.case_id.';

-- A comment on agent_runs.interpretation.
COMMENT ON COLUMN badger.agent_runs.interpretation IS 'The question in the agent\'s own words.';

-- A comment on agent_runs.sql.
COMMENT ON COLUMN badger.agent_runs.sql IS 'The agent\'s query.';

-- A comment on agent_runs.result.
COMMENT ON COLUMN badger.agent_runs.result IS 'The result of the agent\'s query, in the form of gold_result.';

-- A comment on agent_runs.sql_error.
COMMENT ON COLUMN badger.agent_runs.sql_error IS 'The message of the database, if the agent\'s query failed.';

-- A comment on agent_runs.tool_calls.
COMMENT ON COLUMN badger.agent_runs.tool_calls IS 'The tools that the agent called, in order: a list of {"name", "arguments"}, or a trace in a form of docs/eval/traces.md. NULL: calls were not logged. []: the agent made none.';

-- A comment on agent_runs.response.
COMMENT ON COLUMN badger.agent_runs.response IS 'The agent\'s answer in prose.';

-- A comment on agent_runs.latency_ms.
COMMENT ON COLUMN badger.agent_runs.latency_ms IS 'How long the agent\'s query took, in milliseconds.';

-- A comment on agent_runs.gold_latency_ms.
COMMENT ON COLUMN badger.agent_runs.gold_latency_ms IS 'How long the accepted query took at the same time, if it was run again. It replaces golden_set.gold_latency_ms.';

-- A comment on agent_runs.ran_at.
COMMENT ON COLUMN badger.agent_runs.ran_at IS 'When the agent answered.';

-- A comment on agent_runs.conversation_id.
COMMENT ON COLUMN badger.agent_runs.conversation_id IS 'The conversation that the answer is part of.';

-- A comment on agent_runs.turn.
COMMENT ON COLUMN badger.agent_runs.turn IS 'Position of the answer in its conversation, from 1.';

-- A comment on agent_runs.earlier_turns.
COMMENT ON COLUMN badger.agent_runs.earlier_turns IS 'The turns before it, the oldest first: a list of {"question", "sql", "response"}. NULL means the answers with the same conversation_id and a lower turn.';

-- A comment on agent_runs.tokens_in.
COMMENT ON COLUMN badger.agent_runs.tokens_in IS 'Tokens that the models of the agent read. NULL if unknown.';

-- A comment on agent_runs.tokens_out.
COMMENT ON COLUMN badger.agent_runs.tokens_out IS 'Tokens that the models of the agent wrote. NULL if unknown.';

-- A comment on agent_runs.cost_usd.
COMMENT ON COLUMN badger.agent_runs.cost_usd IS 'What the answer cost, in US dollars, exact to 12 decimals. NULL if unknown.';

-- A comment on agent_runs.chart.
COMMENT ON COLUMN badger.agent_runs.chart IS 'The chart that shows the result, described as data: Vega-Lite, a Plotly figure, or fields such as {"mark", "x", "y"}. docs/eval/charts.md describes the forms.';

-- A comment on agent_runs.contexts.
COMMENT ON COLUMN badger.agent_runs.contexts IS 'The passages that the agent retrieved: a list of {"id", "text", "title", "source"}, or of strings.';

-- A comment on the table human_labels.
COMMENT ON TABLE badger.human_labels IS 'Human labels of answers: one row for each answer and annotator. Labels from the web report are in label_log.';

-- A comment on human_labels.case_id.
COMMENT ON COLUMN badger.human_labels.case_id IS 'The question whose answer is labelled.';

-- A comment on human_labels.agent_name.
COMMENT ON COLUMN badger.human_labels.agent_name IS 'Who answered.';

-- A comment on human_labels.batch_id.
COMMENT ON COLUMN badger.human_labels.batch_id IS 'The batch that the answer belongs to.';

-- A comment on human_labels.annotator.
COMMENT ON COLUMN badger.human_labels.annotator IS 'Who labelled the answer.';

-- A comment on human_labels.verdict.
COMMENT ON COLUMN badger.human_labels.verdict IS 'pass, fail or unsure. 1, true, yes, correct and 0, false, no, incorrect mean the same, in upper or lower case, with any surrounding white space. Anything else is unsure.';

-- A comment on human_labels.note.
COMMENT ON COLUMN badger.human_labels.note IS 'Why.';

-- A comment on human_labels.labelled_at.
COMMENT ON COLUMN badger.human_labels.labelled_at IS 'When the answer was labelled. The latest label of an annotator for an answer is used.';

-- A comment on human_labels.agent_version.
COMMENT ON COLUMN badger.human_labels.agent_version IS 'Version of the agent that answered. NULL means the only version that answered the question in the batch. If several did, the label is ignored.';

-- A comment on the table eval_runs.
COMMENT ON TABLE badger.eval_runs IS 'The evaluations: one row for each run and each agent, version and batch that it scored.';

-- A comment on eval_runs.eval_run_id.
COMMENT ON COLUMN badger.eval_runs.eval_run_id IS 'The run.';

-- A comment on eval_runs.agent_name.
COMMENT ON COLUMN badger.eval_runs.agent_name IS 'Whose answers were scored.';

-- A comment on eval_runs.agent_version.
COMMENT ON COLUMN badger.eval_runs.agent_version IS 'Version of the agent.';

-- A comment on eval_runs.batch_id.
COMMENT ON COLUMN badger.eval_runs.batch_id IS 'Batch of the answers.';

-- A comment on eval_runs.eval_run_date.
COMMENT ON COLUMN badger.eval_runs.eval_run_date IS 'When the run started.';

-- A comment on eval_runs.mode.
COMMENT ON COLUMN badger.eval_runs.mode IS 'text2sql_only, agentic_only or both.';

-- A comment on eval_runs.config.
COMMENT ON COLUMN badger.eval_runs.config IS 'Options and thresholds of metrics.';

-- A comment on eval_runs.judge.
COMMENT ON COLUMN badger.eval_runs.judge IS 'Who was asked.';

-- A comment on eval_runs.versions.
COMMENT ON COLUMN badger.eval_runs.versions IS 'Versions of badger, of the metrics and of judge files; the answers that were selected; and if --resume removed scores because the input had no such answers any more, their number and when.';

-- A comment on eval_runs.counts.
COMMENT ON COLUMN badger.eval_runs.counts IS 'Number of scores of the run, by status.';

-- A comment on eval_runs.tokens.
COMMENT ON COLUMN badger.eval_runs.tokens IS 'Judge calls and tokens for the scores.';

-- A comment on eval_runs.cost.
COMMENT ON COLUMN badger.eval_runs.cost IS 'Judge calls and tokens that the whole run paid for.';

-- A comment on eval_runs.status.
COMMENT ON COLUMN badger.eval_runs.status IS 'running (also: killed), done, stopped or failed. Only a run that is done has scored all of its cases.';

-- A comment on eval_runs.answered_at.
COMMENT ON COLUMN badger.eval_runs.answered_at IS 'When the last of the answers was given: agent_runs.ran_at, or agent.ran_at of a case file. It dates the batch if agent_runs does not.';

-- A comment on the table scores.
COMMENT ON TABLE badger.scores IS 'The scores: one row for each run, answer and metric.';

-- A comment on scores.eval_run_id.
COMMENT ON COLUMN badger.scores.eval_run_id IS 'The run.';

-- A comment on scores.case_id.
COMMENT ON COLUMN badger.scores.case_id IS 'The question.';

-- A comment on scores.agent_name.
COMMENT ON COLUMN badger.scores.agent_name IS 'Who answered.';

-- A comment on scores.agent_version.
COMMENT ON COLUMN badger.scores.agent_version IS 'Version of the agent.';

-- A comment on scores.batch_id.
COMMENT ON COLUMN badger.scores.batch_id IS 'Batch of the answer.';

-- A comment on scores.metric.
COMMENT ON COLUMN badger.scores.metric IS 'The metric.';

-- A comment on scores.metric_version.
COMMENT ON COLUMN badger.scores.metric_version IS 'Version of the metric. Scores of different versions are not comparable.';

-- A comment on scores.status.
COMMENT ON COLUMN badger.scores.status IS 'ok, abstained, not_applicable or failed.';

-- A comment on scores.value.
COMMENT ON COLUMN badger.scores.value IS 'The value. NULL unless status is ok.';

-- A comment on scores.label.
COMMENT ON COLUMN badger.scores.label IS 'Category, of metrics that have one.';

-- A comment on scores.passed.
COMMENT ON COLUMN badger.scores.passed IS 'Verdict by the metric\'s threshold. NULL if the metric has none.';

-- A comment on scores.reason.
COMMENT ON COLUMN badger.scores.reason IS 'The reason for the value, or for its absence, in one sentence.';

-- A comment on scores.detail.
COMMENT ON COLUMN badger.scores.detail IS 'The evidence: alignment, counts, differences.';

-- A comment on scores.assessment_ids.
COMMENT ON COLUMN badger.scores.assessment_ids IS 'The recorded judge replies that the score is based on.';

-- A comment on scores.config_hash.
COMMENT ON COLUMN badger.scores.config_hash IS 'Identifies the configuration of the run.';

-- A comment on scores.scored_at.
COMMENT ON COLUMN badger.scores.scored_at IS 'When the score was stored.';

-- A comment on scores.code.
COMMENT ON COLUMN badger.scores.code IS 'Kind of failure. NULL unless status is failed.';

-- A comment on scores.usage.
COMMENT ON COLUMN badger.scores.usage IS 'Judge usage of this score: calls, tokens_in, tokens_out, repaired, the number of calls that repeated a question because of a malformed reply, judge if a tag selected it, and panel, the votes of a panel of judges. NULL without a judge call.';

-- A comment on scores.gold_hash.
COMMENT ON COLUMN badger.scores.gold_hash IS 'Identifies the question with its accepted answers. Scores of a question that has changed are not comparable. NULL in rows of earlier versions.';

-- A comment on scores.answer_hash.
COMMENT ON COLUMN badger.scores.answer_hash IS 'Identifies what the agent gave, with the turns before it. badger run --resume scores an answer again if it has changed. NULL if unknown.';

-- A comment on the table assessments.
COMMENT ON TABLE badger.assessments IS 'The replies of judges, recorded.';

-- A comment on assessments.assessment_id.
COMMENT ON COLUMN badger.assessments.assessment_id IS 'Hash of the content.';

-- A comment on assessments.kind.
COMMENT ON COLUMN badger.assessments.kind IS 'Kind of question.';

-- A comment on assessments.backend.
COMMENT ON COLUMN badger.assessments.backend IS 'Who was asked.';

-- A comment on assessments.model.
COMMENT ON COLUMN badger.assessments.model IS 'The model that answered.';

-- A comment on assessments.prompt_version.
COMMENT ON COLUMN badger.assessments.prompt_version IS 'Version of the prompt.';

-- A comment on assessments.request_hash.
COMMENT ON COLUMN badger.assessments.request_hash IS 'Hash of the request. An identical request is not repeated.';

-- A comment on assessments.reply.
COMMENT ON COLUMN badger.assessments.reply IS 'The reply, verbatim.';

-- A comment on assessments.tokens_in.
COMMENT ON COLUMN badger.assessments.tokens_in IS 'Tokens of the request. NULL if unknown.';

-- A comment on assessments.tokens_out.
COMMENT ON COLUMN badger.assessments.tokens_out IS 'Tokens of the reply. NULL if unknown.';

-- A comment on assessments.latency_ms.
COMMENT ON COLUMN badger.assessments.latency_ms IS 'How long the reply took, in milliseconds.';

-- A comment on assessments.created_at.
COMMENT ON COLUMN badger.assessments.created_at IS 'When.';

-- A comment on assessments.detail.
COMMENT ON COLUMN badger.assessments.detail IS 'Further information about the reply.';

-- A comment on assessments.payer.
COMMENT ON COLUMN badger.assessments.payer IS 'Who paid for the call: run:ID, or the name of a caller of the function server.';

-- A comment on the table schema_version.
COMMENT ON TABLE badger.schema_version IS 'The versions that these tables have had. The highest is the present one. A program that supports only lower versions does not write to them.';

-- A comment on schema_version.version.
COMMENT ON COLUMN badger.schema_version.version IS 'Version of the tables.';

-- A comment on schema_version.badger.
COMMENT ON COLUMN badger.schema_version.badger IS 'Version of badger that brought the tables to it.';

-- A comment on schema_version.reached_at.
COMMENT ON COLUMN badger.schema_version.reached_at IS 'When.';

-- A comment on schema_version.views.
COMMENT ON COLUMN badger.schema_version.views IS 'Fingerprints of the views, as JSON: of their text, and of the text that the warehouse shows.';

-- A comment on the table judges.
COMMENT ON TABLE badger.judges IS 'The promoted judge files. A row never changes.';

-- A comment on judges.name.
COMMENT ON COLUMN badger.judges.name IS 'Name of the judge.';

-- A comment on judges.version.
COMMENT ON COLUMN badger.judges.version IS 'Version of the judge.';

-- A comment on judges.kind.
COMMENT ON COLUMN badger.judges.kind IS 'starlark, expression, prompt, sql, or retired for a version that switches the judge off.';

-- A comment on judges.source.
COMMENT ON COLUMN badger.judges.source IS 'Text of the judge file.';

-- A comment on judges.hash.
COMMENT ON COLUMN badger.judges."hash" IS 'SHA-256 of the text.';

-- A comment on judges.promoted_at.
COMMENT ON COLUMN badger.judges.promoted_at IS 'When.';

-- A comment on judges.promoted_by.
COMMENT ON COLUMN badger.judges.promoted_by IS 'By whom.';

-- A comment on judges.tested.
COMMENT ON COLUMN badger.judges.tested IS 'The test at promotion: agreement with labels, and their number. {"untested": true} if it was promoted without a test.';

-- A comment on the table sentinels.
COMMENT ON TABLE badger.sentinels IS 'The verdicts of judges on sentinel cases, which are asked again and again: one row for each asking, metric, case and repetition. Rows are appended and never change. The replies are in assessments.';

-- A comment on sentinels.asking_id.
COMMENT ON COLUMN badger.sentinels.asking_id IS 'The asking: a call of badger judge sentinel, or of badger run.';

-- A comment on sentinels.metric.
COMMENT ON COLUMN badger.sentinels.metric IS 'The metric that asked the judge.';

-- A comment on sentinels.case_id.
COMMENT ON COLUMN badger.sentinels.case_id IS 'The question.';

-- A comment on sentinels.agent_name.
COMMENT ON COLUMN badger.sentinels.agent_name IS 'Who answered.';

-- A comment on sentinels.agent_version.
COMMENT ON COLUMN badger.sentinels.agent_version IS 'Version of the agent.';

-- A comment on sentinels.batch_id.
COMMENT ON COLUMN badger.sentinels.batch_id IS 'Batch of the answer.';

-- A comment on sentinels.repetition.
COMMENT ON COLUMN badger.sentinels.repetition IS 'Number of the reply to the same question in the asking, from 1.';

-- A comment on sentinels.backend.
COMMENT ON COLUMN badger.sentinels.backend IS 'Who was asked.';

-- A comment on sentinels.model.
COMMENT ON COLUMN badger.sentinels.model IS 'The model that was asked.';

-- A comment on sentinels.prompt_version.
COMMENT ON COLUMN badger.sentinels.prompt_version IS 'Version of the prompt of the first call. NULL without a reply.';

-- A comment on sentinels.question_hash.
COMMENT ON COLUMN badger.sentinels.question_hash IS 'Identifies everything apart from the judge that determines the verdict: the first prompt with its settings, and the version and the configuration of the metric. Only verdicts with the same hash are compared. NULL without a reply.';

-- A comment on sentinels.served.
COMMENT ON COLUMN badger.sentinels.served IS 'The models that replied, as the endpoint reports them: a list of {"model", "fingerprint"}.';

-- A comment on sentinels.status.
COMMENT ON COLUMN badger.sentinels.status IS 'Status of the score: ok, abstained, not_applicable or failed.';

-- A comment on sentinels.code.
COMMENT ON COLUMN badger.sentinels.code IS 'Kind of failure. NULL unless status is failed.';

-- A comment on sentinels.passed.
COMMENT ON COLUMN badger.sentinels.passed IS 'The verdict. NULL if there is none.';

-- A comment on sentinels.human_label.
COMMENT ON COLUMN badger.sentinels.human_label IS 'The human label of the answer when the judge was asked: whether it passes. NULL if it had none.';

-- A comment on sentinels.assessment_ids.
COMMENT ON COLUMN badger.sentinels.assessment_ids IS 'The recorded replies.';

-- A comment on sentinels.asked_at.
COMMENT ON COLUMN badger.sentinels.asked_at IS 'When.';

-- A comment on the table run_log.
COMMENT ON TABLE badger.run_log IS 'The events and failures of evaluations by the warehouse\'s procedure: one row for each event.';

-- A comment on run_log.entry_id.
COMMENT ON COLUMN badger.run_log.entry_id IS 'Identifies the row.';

-- A comment on run_log.logged_at.
COMMENT ON COLUMN badger.run_log.logged_at IS 'When.';

-- A comment on run_log.eval_run_id.
COMMENT ON COLUMN badger.run_log.eval_run_id IS 'The run. NULL before a run has started.';

-- A comment on run_log.event.
COMMENT ON COLUMN badger.run_log.event IS 'began, resumed, done, idle (there was nothing to score), refused (another evaluation was running), interrupted (the call before did not finish), run failed, slice failed, answer failed, not retried (the answer failed in three calls, and its scores are failed), batch began, batch failed (answers of it have no scores after the call), or alert failed.';

-- A comment on run_log.case_id.
COMMENT ON COLUMN badger.run_log.case_id IS 'The question, if the event concerns a single answer.';

-- A comment on run_log.answers.
COMMENT ON COLUMN badger.run_log.answers IS 'Number of answers that the event concerns.';

-- A comment on run_log.message.
COMMENT ON COLUMN badger.run_log.message IS 'The message of the database or of badger serve.';

-- A comment on run_log.agent_name.
COMMENT ON COLUMN badger.run_log.agent_name IS 'Who answered, if the event concerns an answer or a batch.';

-- A comment on run_log.agent_version.
COMMENT ON COLUMN badger.run_log.agent_version IS 'Version of the agent, if the event concerns an answer or a batch.';

-- A comment on run_log.batch_id.
COMMENT ON COLUMN badger.run_log.batch_id IS 'The batch, if the event concerns an answer, a batch or a call for one batch.';

-- A comment on the table schedule.
COMMENT ON TABLE badger.schedule IS 'What the scheduled evaluation computes, as of its last call: one row for each metric, and a row whose metric is empty for the schedule itself.';

-- A comment on schedule.metric.
COMMENT ON COLUMN badger.schedule.metric IS 'The metric. The empty string is the row of the schedule itself.';

-- A comment on schedule.since_day.
COMMENT ON COLUMN badger.schedule.since_day IS 'Answers of this day and later are scored. It only moves on when a call has scored everything. NULL in rows of metrics.';

-- A comment on schedule.pass_rate_drop.
COMMENT ON COLUMN badger.schedule.pass_rate_drop IS 'Drop of a pass rate, from 0 to 1, that raises an alert. NULL in rows of metrics.';

-- A comment on the table alerts.
COMMENT ON TABLE badger.alerts IS 'The alerts: one row for each fact that was reported. A fact is reported again only if it was resolved in between.';

-- A comment on alerts.alert_id.
COMMENT ON COLUMN badger.alerts.alert_id IS 'Identifies the alert.';

-- A comment on alerts.kind.
COMMENT ON COLUMN badger.alerts.kind IS 'run failed (the evaluation fails), backlog (answers of a batch could not be scored) or degraded (fewer answers pass than in the batch before).';

-- A comment on alerts.fact.
COMMENT ON COLUMN badger.alerts.fact IS 'Identifies the fact: the kind, and the batch, metric or message that it is about.';

-- A comment on alerts.agent_name.
COMMENT ON COLUMN badger.alerts.agent_name IS 'Who answered. NULL for run failed.';

-- A comment on alerts.agent_version.
COMMENT ON COLUMN badger.alerts.agent_version IS 'Version of the agent. NULL unless the kind is backlog.';

-- A comment on alerts.batch_id.
COMMENT ON COLUMN badger.alerts.batch_id IS 'The batch. NULL for run failed.';

-- A comment on alerts.metric.
COMMENT ON COLUMN badger.alerts.metric IS 'The metric. NULL unless the kind is degraded.';

-- A comment on alerts.message.
COMMENT ON COLUMN badger.alerts.message IS 'The alert in words.';

-- A comment on alerts.raised_at.
COMMENT ON COLUMN badger.alerts.raised_at IS 'When the fact was first seen.';

-- A comment on alerts.resolved_at.
COMMENT ON COLUMN badger.alerts.resolved_at IS 'When it was no longer true. NULL while it is.';

-- A comment on alerts.sent_at.
COMMENT ON COLUMN badger.alerts.sent_at IS 'When the alert was sent, or raised if nothing is sent. NULL if sending failed, which the next call repeats.';

-- A comment on the table run_locks.
COMMENT ON TABLE badger.run_locks IS 'The evaluation that is running, in warehouses without locks: a row for each lock.';

-- A comment on run_locks.name.
COMMENT ON COLUMN badger.run_locks.name IS 'The lock: evaluate.';

-- A comment on run_locks.holder.
COMMENT ON COLUMN badger.run_locks.holder IS 'The call that holds it. NULL if it is free.';

-- A comment on run_locks.taken_at.
COMMENT ON COLUMN badger.run_locks.taken_at IS 'When it was taken.';

-- A comment on run_locks.beat_at.
COMMENT ON COLUMN badger.run_locks.beat_at IS 'When the holder last renewed it. A lock that was not renewed for schedule.stale minutes may be taken over.';

-- A comment on the table claims.
COMMENT ON TABLE badger.claims IS 'Current leases: one row for each judge request in progress, and for each annotator who is labelling an answer. Rows are temporary.';

-- A comment on claims.claim_key.
COMMENT ON COLUMN badger.claims.claim_key IS 'Hash of the request, or label:QUEUE:POSITION:PLACE.';

-- A comment on claims.owner.
COMMENT ON COLUMN badger.claims.owner IS 'The process that makes the request, or label:ANNOTATOR.';

-- A comment on claims.expires_ms.
COMMENT ON COLUMN badger.claims.expires_ms IS 'Expiry, in milliseconds since 1970. After it, another process may make the request, or another annotator label the answer.';

-- A comment on the table calls.
COMMENT ON TABLE badger.calls IS 'Calls of the function server that last longer than a connection, with request and reply. Rows are deleted some time after they expire.';

-- A comment on calls.call_id.
COMMENT ON COLUMN badger.calls.call_id IS 'Names the call.';

-- A comment on calls.content_hash.
COMMENT ON COLUMN badger.calls.content_hash IS 'Hash of the request. Another call with the same ID is rejected.';

-- A comment on calls.function.
COMMENT ON COLUMN badger.calls."function" IS 'The function.';

-- A comment on calls.request.
COMMENT ON COLUMN badger.calls.request IS 'The request.';

-- A comment on calls.reply.
COMMENT ON COLUMN badger.calls.reply IS 'The reply. NULL until there is one, and if it is recomputed from judge replies.';

-- A comment on calls.expires_ms.
COMMENT ON COLUMN badger.calls.expires_ms IS 'Expiry of the row, in milliseconds since 1970.';

-- A comment on the table queues.
COMMENT ON TABLE badger.queues IS 'The labelling queues: answers of a run for annotators to label, in an order.';

-- A comment on queues.queue_id.
COMMENT ON COLUMN badger.queues.queue_id IS 'Identifies the queue.';

-- A comment on queues.name.
COMMENT ON COLUMN badger.queues.name IS 'Title of the queue.';

-- A comment on queues.eval_run_id.
COMMENT ON COLUMN badger.queues.eval_run_id IS 'The run whose answers are labelled.';

-- A comment on queues.agent_name.
COMMENT ON COLUMN badger.queues.agent_name IS 'Who answered.';

-- A comment on queues.agent_version.
COMMENT ON COLUMN badger.queues.agent_version IS 'Version of the agent.';

-- A comment on queues.batch_id.
COMMENT ON COLUMN badger.queues.batch_id IS 'Batch of the answers.';

-- A comment on queues.filter.
COMMENT ON COLUMN badger.queues."filter" IS 'The selected answers of the run: the query of the URL of a list of cases.';

-- A comment on queues.ordering.
COMMENT ON COLUMN badger.queues.ordering IS 'Order of the answers: listed, random, disagreement, unsure or strata.';

-- A comment on queues.seed.
COMMENT ON COLUMN badger.queues.seed IS 'Seed of random choices. The same seed gives the same order.';

-- A comment on queues.annotators.
COMMENT ON COLUMN badger.queues.annotators IS 'Number of annotators for each answer.';

-- A comment on queues.guideline.
COMMENT ON COLUMN badger.queues.guideline IS 'Instructions for the annotators.';

-- A comment on queues.options.
COMMENT ON COLUMN badger.queues.options IS 'The verdicts that are offered in addition to skip, in their order.';

-- A comment on queues.blind.
COMMENT ON COLUMN badger.queues.blind IS 'Whether annotators see no score, verdict, relation or label of others.';

-- A comment on queues.reason_required.
COMMENT ON COLUMN badger.queues.reason_required IS 'Whether fail needs a note.';

-- A comment on queues.cases.
COMMENT ON COLUMN badger.queues.cases IS 'Number of answers in the queue.';

-- A comment on queues.created_by.
COMMENT ON COLUMN badger.queues.created_by IS 'Who created it.';

-- A comment on queues.created_at.
COMMENT ON COLUMN badger.queues.created_at IS 'When.';

-- A comment on queues.closed_at.
COMMENT ON COLUMN badger.queues.closed_at IS 'When it was closed. NULL while it is open.';

-- A comment on the table queue_items.
COMMENT ON TABLE badger.queue_items IS 'The answers of the labelling queues. They are fixed when a queue is created.';

-- A comment on queue_items.queue_id.
COMMENT ON COLUMN badger.queue_items.queue_id IS 'The queue.';

-- A comment on queue_items.position.
COMMENT ON COLUMN badger.queue_items.position IS 'Place in the queue, from 1.';

-- A comment on queue_items.case_id.
COMMENT ON COLUMN badger.queue_items.case_id IS 'The question whose answer is labelled.';

-- A comment on the table label_log.
COMMENT ON TABLE badger.label_log IS 'Labels from the web report and from imported files: one row for each label. Rows are appended and never change. The latest row of an annotator for an answer in a queue is used, unless it is skip or withdrawn. If there are several queues, the latest of these is used. It overrides the annotator\'s label in human_labels.';

-- A comment on label_log.label_id.
COMMENT ON COLUMN badger.label_log.label_id IS 'Identifies the label, as its sender named it. A label that is sent twice is stored once.';

-- A comment on label_log.case_id.
COMMENT ON COLUMN badger.label_log.case_id IS 'The question whose answer is labelled.';

-- A comment on label_log.agent_name.
COMMENT ON COLUMN badger.label_log.agent_name IS 'Who answered.';

-- A comment on label_log.agent_version.
COMMENT ON COLUMN badger.label_log.agent_version IS 'Version of the agent.';

-- A comment on label_log.batch_id.
COMMENT ON COLUMN badger.label_log.batch_id IS 'Batch of the answer.';

-- A comment on label_log.annotator.
COMMENT ON COLUMN badger.label_log.annotator IS 'Who labelled the answer.';

-- A comment on label_log.verdict.
COMMENT ON COLUMN badger.label_log.verdict IS 'pass, fail, unsure or another option of the queue, which counts as unsure; skip; or withdrawn, if the annotator removed the label.';

-- A comment on label_log.note.
COMMENT ON COLUMN badger.label_log.note IS 'Why.';

-- A comment on label_log.gold_wrong.
COMMENT ON COLUMN badger.label_log.gold_wrong IS 'Whether the accepted answer is wrong, apart from the verdict.';

-- A comment on label_log.ambiguous.
COMMENT ON COLUMN badger.label_log.ambiguous IS 'Whether the question can be understood in several ways, apart from the verdict.';

-- A comment on label_log.labelled_at.
COMMENT ON COLUMN badger.label_log.labelled_at IS 'When it was received.';

-- A comment on label_log.queue_id.
COMMENT ON COLUMN badger.label_log.queue_id IS 'The queue. NULL if the answer was labelled outside of a queue.';

-- A comment on label_log.answer_hash.
COMMENT ON COLUMN badger.label_log.answer_hash IS 'Identifies the content that the annotator saw: question, accepted answers and the agent\'s answer.';

-- A comment on label_log.decides.
COMMENT ON COLUMN badger.label_log.decides IS 'Whether the verdict adjudicates a disagreement. It then overrides the others.';

-- A comment on the table accepted.
COMMENT ON TABLE badger.accepted IS 'The batches that someone accepted as a baseline: one row for each statement. Rows are appended and never change. The latest row of a batch is used.';

-- A comment on accepted.acceptance_id.
COMMENT ON COLUMN badger.accepted.acceptance_id IS 'Identifies the row.';

-- A comment on accepted.agent_name.
COMMENT ON COLUMN badger.accepted.agent_name IS 'Who answered.';

-- A comment on accepted.agent_version.
COMMENT ON COLUMN badger.accepted.agent_version IS 'Version of the agent.';

-- A comment on accepted.batch_id.
COMMENT ON COLUMN badger.accepted.batch_id IS 'Batch of the answers.';

-- A comment on accepted.withdrawn.
COMMENT ON COLUMN badger.accepted.withdrawn IS 'Whether the row withdraws an earlier acceptance of the batch.';

-- A comment on accepted.accepted_by.
COMMENT ON COLUMN badger.accepted.accepted_by IS 'Who accepted or withdrew it.';

-- A comment on accepted.accepted_at.
COMMENT ON COLUMN badger.accepted.accepted_at IS 'When.';

-- A comment on accepted.note.
COMMENT ON COLUMN badger.accepted.note IS 'Why.';

-- A comment on the table deletions.
COMMENT ON TABLE badger.deletions IS 'The deletions by badger prune: one row for each table, and one for each run whose scores were deleted. Rows have no content of answers, and are never deleted.';

-- A comment on deletions.deletion_id.
COMMENT ON COLUMN badger.deletions.deletion_id IS 'Identifies the call of badger prune.';

-- A comment on deletions.table_name.
COMMENT ON COLUMN badger.deletions.table_name IS 'The table whose rows were deleted.';

-- A comment on deletions.eval_run_id.
COMMENT ON COLUMN badger.deletions.eval_run_id IS 'The run whose scores were deleted as a whole. Empty for other rows.';

-- A comment on deletions.case_id.
COMMENT ON COLUMN badger.deletions.case_id IS 'The case whose rows were deleted. NULL if rows were deleted by age.';

-- A comment on deletions.older_than.
COMMENT ON COLUMN badger.deletions.older_than IS 'The instant before which rows were deleted. NULL if rows of a case were deleted.';

-- A comment on deletions.row_count.
COMMENT ON COLUMN badger.deletions.row_count IS 'Number of rows.';

-- A comment on deletions.digest.
COMMENT ON COLUMN badger.deletions.digest IS 'SHA-256 over the run\'s deleted scores: their keys, versions, values and hashes, without reasons and evidence. badger prune --digest computes it for a run that has scores.';

-- A comment on deletions.status.
COMMENT ON COLUMN badger.deletions.status IS 'started, or done once the rows are deleted. A row that stays started was interrupted; the next call of badger prune deletes the rest.';

-- A comment on deletions.deleted_by.
COMMENT ON COLUMN badger.deletions.deleted_by IS 'Who deleted them.';

-- A comment on deletions.deleted_at.
COMMENT ON COLUMN badger.deletions.deleted_at IS 'When.';

-- A comment on the view latest_scores.
COMMENT ON VIEW badger.latest_scores IS 'The latest score of each answer and metric, from any run, with the status of that run. In sql_safety, an answer without SQL has the status ok, the value 1 and passed: there is nothing to object to.';

-- A comment on the view consensus.
COMMENT ON VIEW badger.consensus IS 'The majority label of each answer: passes is 1 or 0, and NULL if annotators are divided.';

-- A comment on the view complexity.
COMMENT ON VIEW badger.complexity IS 'The complexity tier of each question, from its latest score.';

-- A comment on the view coverage.
COMMENT ON VIEW badger.coverage IS 'The outcomes of an agent\'s questions, by metric and batch. unanswered counts the answers that lack what the metric needs of the agent, and the questions that have no answer: those that a run recorded, or else those of golden_set. pass_rate counts unanswered ones as not passed. coverage is the share of scored ones among those that the metric applies to. rate_of_all counts failed, unanswered and abstained ones as not passed.';

-- A comment on the view versions_by_metric.
COMMENT ON VIEW badger.versions_by_metric IS 'Version against version, by metric and complexity tier: scored is the number of answers with a value, answered the number of answers; a missing answer counts as 0 and does not pass. unfinished counts the values from runs that are not done. The view coverage shows the outcomes of the others.';

-- A comment on the view agreement.
COMMENT ON VIEW badger.agreement IS 'How often each metric gives the verdict that most annotators give.';

-- A comment on the view degradation.
COMMENT ON VIEW badger.degradation IS 'The latest batch of each agent against the latest batch before it that has scores, by metric, all versions of the agent together. A missing answer does not pass. pass_rate_change is below 0 if fewer answers pass; failed counts scores that failed. Alerts read this view.';

-- A comment on the view backlog.
COMMENT ON VIEW badger.backlog IS 'The answers that the scheduled evaluation has still to score, by batch: those that lack a score of a metric of the schedule, from its since_day on or without a date, and the rest of an interrupted call. waiting_since is the earliest day of an answer without scores, last_attempt_at the last call that tried to score the batch, and last_error why it failed; NULL if it is running or was interrupted.';

-- A comment on the view open_facts.
COMMENT ON VIEW badger.open_facts IS 'What alerts report and is true now: the last evaluation failed or was interrupted, answers of a batch could not be scored, or fewer answers of the latest batch pass, or more failed, than in the batch before. Batches with a backlog are not compared. A failure with another start of its message (60 characters) is another fact.';

-- A comment on the view latest_run.
COMMENT ON VIEW badger.latest_run IS 'The latest run of each agent, version and batch, with its outcome and its scores. pass_rate is of the verdicts of all metrics together; the view coverage has it by metric.';

-- A comment on the view versions_by_batch.
COMMENT ON VIEW badger.versions_by_batch IS 'Version against version, by metric, complexity tier, batch, and the date of the run that the score is from. A missing answer counts as 0 and does not pass.';

-- A comment on the view worst_cases.
COMMENT ON VIEW badger.worst_cases IS 'The scored answers of each agent, version, batch and metric, the worst first: place 1 did not pass and has the lowest value. Metrics without a verdict and answers that passed with the value 1 are left out.';

-- A comment on the view judge_cost.
COMMENT ON VIEW badger.judge_cost IS 'Judge calls and tokens for the scores of each run, by agent, version, batch and metric, including cached replies. uncounted is the number of scores whose tokens are unknown. The amount paid is in eval_runs.cost.';

-- A comment on the view failures_by_reason.
COMMENT ON VIEW badger.failures_by_reason IS 'Why scores failed or are missing: the latest scores that failed, abstained or do not apply, by metric and reason, with one of the cases.';

-- A comment on the view suspect_golds.
COMMENT ON VIEW badger.suspect_golds IS 'Questions whose accepted answer may be wrong, one row for each reason: gold_error (the accepted query failed), gold_empty (its result is empty or all NULL and an answer\'s is not), gold_x and gold_flex (ROSE\'s Refuter, or FLEX, found it wrong), gold_literal (its query compares with a string that neither question nor evidence contains, and the answer\'s with one that they contain), gold_logic (its query contradicts the question or has a clause without effect), people (most annotators pass an answer that the metric verdict or ex_multiset fails), answers_agree (at least two agents, or versions whose SQL differs, answered, and all of them fail). answers counts the answers that speak for the reason.';

-- A comment on the view trend.
COMMENT ON VIEW badger.trend IS 'Each metric over time, by batch, version and tier. dated_at is when a run first evaluated the batch. A missing answer counts as 0 and does not pass. p90 is the value that nine in ten scores do not exceed (nearest rank). metric_versions, configurations and judges count what the scores were made with: above 1, or other than in the batch before, the figures are not comparable.';

-- A comment on the view batch_changes.
COMMENT ON VIEW badger.batch_changes IS 'Each batch against the one before it of the same version (for the first of a version: the last of another version of the agent), by metric, on the cases that both have. Cases whose question, metric version, configuration (any part of it) or judge changed are counted and not compared. A missing answer counts as 0 and as not passed, but has no value if lower is better. z is McNemar\'s (fixed - broken) / sqrt(fixed + broken): below -1.96, more answers broke than chance explains. The command badger compare has exact tests, adjusted for many metrics, dates batches by agent_runs.ran_at, and looks only at the configuration that a metric reads.';

-- A comment on the view failure_labels.
COMMENT ON VIEW badger.failure_labels IS 'Causes of failures, a row for each answer and label: the issues of the SQL judge (kind issue), FLEX\'s errors and its reasons why right answers differ (error, difference), the relation between the results that explains most (relation), STEF\'s status of the filters (filters), ROSE\'s diagnoses (diagnosis), answers that refusal rejects (refusal), and what SQL would do other than read (safety). An answer may have several.';

-- A comment on the view failures_by_label.
COMMENT ON VIEW badger.failures_by_label IS 'The labels of failure_labels, counted by version, batch and tier, with one of the cases.';

-- A comment on the view ambiguous_questions.
COMMENT ON VIEW badger.ambiguous_questions IS 'Questions that a judge found ambiguous, one row for each reason: amb_q and amb_schema (ROSE\'s Refuter calls the question, or the schema, ambiguous), amb_flex (FLEX finds several answers available).';

-- A comment on the view ex_discordance.
COMMENT ON VIEW badger.ex_discordance IS 'Where execution accuracy (ex_bird or ex_multiset) and another verdict (verdict, rose or flex) differ, by tier and by ROSE\'s Refuter: gold_x, amb_q or neither. false_positives pass by execution accuracy alone, false_negatives by the other verdict alone.';

-- A comment on the view system_ranks.
COMMENT ON VIEW badger.system_ranks IS 'The versions of all agents by each metric, on the cases for which all versions with values of the metric have one, using the latest answer of each. Place 1 has the highest mean, or the lowest in latency_overhead and sql_judge_issues; a view cannot know in which direction your own metrics are better, and places the highest first. A missing answer counts as 0, but has no value if lower is better. Versions that share no case have no row. The command badger rank also leaves out cases whose scores were made in different ways, takes all versions or those of --systems, and gives equal means the mean of their places.';

-- A comment on the view turns.
COMMENT ON VIEW badger.turns IS 'Right answers by the position of the question in its conversation, by agent, version, batch and metric. A missing answer is wrong and counts as 0, but has no value if lower is better.';

-- A comment on the view conversations.
COMMENT ON VIEW badger.conversations IS 'Whole conversations, by agent, version, batch and metric: all_right is 1 if every turn passed, 0 if one did not or could not be scored, and NULL without such turns; turns that the metric does not apply to are left out. first_wrong_turn is the first turn that did not pass. A missing answer did not pass.';

-- A comment on the view cost_by_version.
COMMENT ON VIEW badger.cost_by_version IS 'What the answers of agent_runs took, by agent, version, batch and metric with verdicts. cost_usd, tokens_in and tokens_out are sums of the known values, and with_cost, with_tokens_in and with_tokens_out count these. right_answers passed the metric. cost_per_right is cost_usd, the known cost of right and wrong answers, divided by right_with_cost, the right answers with a known cost, and rounded to 12 decimals. place is 1 for the latest batch of the version. The command badger compare has medians, P95 and tests.';

-- badger_reader finds the schema.
GRANT USAGE ON SCHEMA badger TO APPLICATION ROLE badger_reader;

-- badger_annotator finds the schema.
GRANT USAGE ON SCHEMA badger TO APPLICATION ROLE badger_annotator;

-- The reader reads scores.
GRANT SELECT ON TABLE badger.scores TO APPLICATION ROLE badger_reader;

-- The reader reads eval_runs.
GRANT SELECT ON TABLE badger.eval_runs TO APPLICATION ROLE badger_reader;

-- The reader reads run_log.
GRANT SELECT ON TABLE badger.run_log TO APPLICATION ROLE badger_reader;

-- The reader reads schedule.
GRANT SELECT ON TABLE badger.schedule TO APPLICATION ROLE badger_reader;

-- The reader reads alerts.
GRANT SELECT ON TABLE badger.alerts TO APPLICATION ROLE badger_reader;

-- The reader reads latest_scores.
GRANT SELECT ON VIEW badger.latest_scores TO APPLICATION ROLE badger_reader;

-- The reader reads consensus.
GRANT SELECT ON VIEW badger.consensus TO APPLICATION ROLE badger_reader;

-- The reader reads complexity.
GRANT SELECT ON VIEW badger.complexity TO APPLICATION ROLE badger_reader;

-- The reader reads coverage.
GRANT SELECT ON VIEW badger.coverage TO APPLICATION ROLE badger_reader;

-- The reader reads versions_by_metric.
GRANT SELECT ON VIEW badger.versions_by_metric TO APPLICATION ROLE badger_reader;

-- The reader reads agreement.
GRANT SELECT ON VIEW badger.agreement TO APPLICATION ROLE badger_reader;

-- The reader reads degradation.
GRANT SELECT ON VIEW badger.degradation TO APPLICATION ROLE badger_reader;

-- The reader reads backlog.
GRANT SELECT ON VIEW badger.backlog TO APPLICATION ROLE badger_reader;

-- The reader reads open_facts.
GRANT SELECT ON VIEW badger.open_facts TO APPLICATION ROLE badger_reader;

-- The reader reads latest_run.
GRANT SELECT ON VIEW badger.latest_run TO APPLICATION ROLE badger_reader;

-- The reader reads versions_by_batch.
GRANT SELECT ON VIEW badger.versions_by_batch TO APPLICATION ROLE badger_reader;

-- The reader reads worst_cases.
GRANT SELECT ON VIEW badger.worst_cases TO APPLICATION ROLE badger_reader;

-- The reader reads judge_cost.
GRANT SELECT ON VIEW badger.judge_cost TO APPLICATION ROLE badger_reader;

-- The reader reads failures_by_reason.
GRANT SELECT ON VIEW badger.failures_by_reason TO APPLICATION ROLE badger_reader;

-- The reader reads suspect_golds.
GRANT SELECT ON VIEW badger.suspect_golds TO APPLICATION ROLE badger_reader;

-- The reader reads trend.
GRANT SELECT ON VIEW badger.trend TO APPLICATION ROLE badger_reader;

-- The reader reads batch_changes.
GRANT SELECT ON VIEW badger.batch_changes TO APPLICATION ROLE badger_reader;

-- The reader reads failure_labels.
GRANT SELECT ON VIEW badger.failure_labels TO APPLICATION ROLE badger_reader;

-- The reader reads failures_by_label.
GRANT SELECT ON VIEW badger.failures_by_label TO APPLICATION ROLE badger_reader;

-- The reader reads ambiguous_questions.
GRANT SELECT ON VIEW badger.ambiguous_questions TO APPLICATION ROLE badger_reader;

-- The reader reads ex_discordance.
GRANT SELECT ON VIEW badger.ex_discordance TO APPLICATION ROLE badger_reader;

-- The reader reads system_ranks.
GRANT SELECT ON VIEW badger.system_ranks TO APPLICATION ROLE badger_reader;

-- The reader reads turns.
GRANT SELECT ON VIEW badger.turns TO APPLICATION ROLE badger_reader;

-- The reader reads conversations.
GRANT SELECT ON VIEW badger.conversations TO APPLICATION ROLE badger_reader;

-- The reader reads cost_by_version.
GRANT SELECT ON VIEW badger.cost_by_version TO APPLICATION ROLE badger_reader;

-- The annotator reads and writes labels, and nothing else.
GRANT SELECT, INSERT, UPDATE ON TABLE badger.human_labels TO APPLICATION ROLE badger_annotator;

-- The lock of the evaluation.
INSERT INTO badger.run_locks (name) SELECT 'evaluate' WHERE NOT EXISTS (SELECT 1 FROM badger.run_locks WHERE name = 'evaluate');

-- The schedule: answers of the 30 days before the last complete call, and later ones, are scored, and a drop of a pass rate by 0.05 raises an alert.
MERGE INTO badger.schedule t USING (SELECT '' AS metric, TO_CHAR(DATEADD('day', -30, CONVERT_TIMEZONE('UTC', CURRENT_TIMESTAMP())), 'YYYY-MM-DD') AS since_day) s ON t.metric = s.metric
  WHEN MATCHED THEN UPDATE SET since_day = LEAST(t.since_day, s.since_day), pass_rate_drop = 0.05
  WHEN NOT MATCHED THEN INSERT (metric, since_day, pass_rate_drop) VALUES (s.metric, s.since_day, 0.05);

-- Stores each new fact of open_facts as an alert, and marks those that are no longer true as resolved.
CREATE OR REPLACE PROCEDURE badger.send_alerts()
  RETURNS VARCHAR
  LANGUAGE SQL
  COMMENT = 'Stores and sends new alerts. [badger-helper]'
  EXECUTE AS OWNER
AS $$
DECLARE
  n INTEGER DEFAULT 0;
BEGIN
  CREATE OR REPLACE TEMPORARY TABLE badger._facts AS SELECT * FROM badger.open_facts;
  UPDATE badger.alerts SET resolved_at = CURRENT_TIMESTAMP() WHERE resolved_at IS NULL AND fact NOT IN (SELECT fact FROM badger._facts);
  INSERT INTO badger.alerts (alert_id, kind, fact, agent_name, agent_version, batch_id, metric, message, raised_at, resolved_at, sent_at)
    SELECT UUID_STRING(), f.kind, f.fact, f.agent_name, f.agent_version, f.batch_id, f.metric, LEFT(f.message, 1000), CURRENT_TIMESTAMP(), NULL, CURRENT_TIMESTAMP()
    FROM badger._facts f LEFT JOIN badger.alerts a ON a.fact = f.fact AND a.resolved_at IS NULL WHERE a.fact IS NULL;
  n := SQLROWCOUNT;
  RETURN n || ' new alerts';
END
$$;

-- Scores the answers that have no score: CALL badger.evaluate() those since schedule.since_day, those without a date, and what an earlier call left; CALL badger.evaluate('BATCH', 'METRIC,METRIC') those of a batch. 200 answers at a time are stored.
CREATE OR REPLACE PROCEDURE badger.evaluate(BATCH VARCHAR DEFAULT NULL, METRICS VARCHAR DEFAULT NULL)
  RETURNS VARCHAR
  LANGUAGE SQL
  COMMENT = 'Scores the answers that lack scores: all since schedule.since_day, or those of one batch. run_log lists the outcome. [badger-procedure:4b0f18166e2b56f4]'
  EXECUTE AS OWNER
AS $$
DECLARE
  me VARCHAR DEFAULT UUID_STRING();
  holder VARCHAR;
  asked VARCHAR DEFAULT COALESCE(METRICS, '');
  wanted VARCHAR DEFAULT BATCH;
  scheduled BOOLEAN DEFAULT BATCH IS NULL AND METRICS IS NULL;
  settings VARCHAR;
  probe VARCHAR;
  versions VARCHAR;
  metric_list VARCHAR;
  run_id VARCHAR;
  resumed BOOLEAN DEFAULT FALSE;
  started TIMESTAMP_LTZ DEFAULT CURRENT_TIMESTAMP();
  last_key VARCHAR DEFAULT '';
  new_key VARCHAR;
  size INTEGER DEFAULT 200;
  n INTEGER DEFAULT 0;
  done INTEGER DEFAULT 0;
  left_out INTEGER DEFAULT 0;
  given_up INTEGER DEFAULT 0;
  in_a_row INTEGER DEFAULT 0;
  problem VARCHAR;
  last_problem VARCHAR;
  fatal VARCHAR;
  event VARCHAR;
  busy EXCEPTION (-20001, 'another evaluation is running');
  lost EXCEPTION (-20002, 'another call has taken the lock, because this one was silent for too long');
  unknown EXCEPTION (-20003, 'the metrics cannot be scored; run_log says why');
  failed EXCEPTION (-20004, 'the evaluation failed; run_log says why');
BEGIN
  -- Whoever is silent for 60 minutes loses the lock. Slices are stored under it only.
  UPDATE badger.run_locks SET holder = :me, taken_at = CURRENT_TIMESTAMP(), beat_at = CURRENT_TIMESTAMP()
    WHERE name = 'evaluate' AND (holder IS NULL OR beat_at < DATEADD('minute', -60, CURRENT_TIMESTAMP()));
  SELECT MAX(holder) INTO :holder FROM badger.run_locks WHERE name = 'evaluate';
  IF (holder IS NULL OR holder <> me) THEN
    INSERT INTO badger.run_log (entry_id, logged_at, event, batch_id) SELECT UUID_STRING(), CURRENT_TIMESTAMP(), 'refused', :wanted;
    RAISE busy;
  END IF;
  BEGIN
    INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, batch_id, message)
      SELECT UUID_STRING(), CURRENT_TIMESTAMP(), eval_run_id, 'interrupted', batch_id, 'the call before was interrupted'
      FROM (SELECT eval_run_id, batch_id, event, ROW_NUMBER() OVER (ORDER BY logged_at DESC) AS newest FROM badger.run_log WHERE event IN ('began', 'resumed', 'done', 'idle', 'run failed', 'interrupted')) l
      WHERE newest = 1 AND event IN ('began', 'resumed');
    IF (SQLROWCOUNT > 0) THEN
      CALL badger.send_alerts();
    END IF;
    INSERT INTO badger.run_log (entry_id, logged_at, event, answers, agent_name, agent_version, batch_id)
      SELECT UUID_STRING(), CURRENT_TIMESTAMP(), 'batch began', answers, agent_name, agent_version, batch_id FROM badger.backlog WHERE :wanted IS NULL OR batch_id = :wanted;
    SELECT TO_JSON(badger.run_settings(:asked)) INTO :settings;
    SELECT s:reason::VARCHAR, TO_JSON(s:versions), TO_JSON(s:metrics) INTO :problem, :versions, :metric_list FROM (SELECT PARSE_JSON(:settings) AS s);
    IF (problem IS NOT NULL) THEN
      RAISE unknown;
    END IF;
    IF (scheduled) THEN
      DELETE FROM badger.schedule WHERE metric <> '' AND metric NOT IN (SELECT value::VARCHAR FROM TABLE(FLATTEN(INPUT => PARSE_JSON(:metric_list))));
      INSERT INTO badger.schedule (metric)
        SELECT m.value::VARCHAR FROM TABLE(FLATTEN(INPUT => PARSE_JSON(:metric_list))) m LEFT JOIN badger.schedule t ON t.metric = m.value::VARCHAR WHERE t.metric IS NULL;
    END IF;
    -- A run that was left goes on where it was to score the same metrics of the same versions.
    SELECT MAX_BY(eval_run_id, eval_run_date) INTO :run_id FROM badger.eval_runs
      WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed') AND TO_JSON(versions) = :versions AND (:wanted IS NULL OR batch_id = :wanted);
    resumed := run_id IS NOT NULL;
    IF (NOT resumed) THEN
      run_id := 'evaluate-' || TO_CHAR(CONVERT_TIMEZONE('UTC', started), 'YYYYMMDD"T"HH24MISS') || '-' || LEFT(me, 6);
    END IF;
    event := IFF(resumed, 'resumed', 'began');
    INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, batch_id) SELECT UUID_STRING(), CURRENT_TIMESTAMP(), :run_id, :event, :wanted;
  EXCEPTION
    WHEN unknown THEN
      fatal := problem;
    WHEN OTHER THEN
      fatal := SQLERRM;
  END;

  WHILE (fatal IS NULL) DO
    problem := NULL;
    BEGIN
      -- Variables stand in INSERT, where they may, and not in CREATE TABLE AS.
      CREATE OR REPLACE TEMPORARY TABLE badger._slice (k VARCHAR, agent_name VARCHAR, agent_version VARCHAR, batch_id VARCHAR, case_id VARCHAR, missing VARCHAR, row_json VARIANT);
      INSERT INTO badger._slice (k, agent_name, agent_version, batch_id, case_id, missing, row_json)
        WITH answers AS (
          SELECT t.*, agent_name || CHR(31) || agent_version || CHR(31) || batch_id || CHR(31) || case_id AS k
          FROM (SELECT COALESCE(CAST(agent_name AS VARCHAR), '') AS agent_name, COALESCE(CAST(agent_version AS VARCHAR), '') AS agent_version, COALESCE(CAST(batch_id AS VARCHAR), '') AS batch_id,
                       COALESCE(CAST(case_id AS VARCHAR), '') AS case_id, ran_at, sql, CASE WHEN CAST(ran_at AS VARCHAR) LIKE '____-__-__%' THEN SUBSTR(CAST(ran_at AS VARCHAR), 1, 10) END AS run_day, OBJECT_CONSTRUCT(*) AS run_json
                FROM badger.agent_runs) t
          QUALIFY ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) = 1
        ), interrupted AS (
          SELECT DISTINCT agent_name, batch_id FROM badger.eval_runs WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed')
        ), running AS ( -- by badger run
          SELECT DISTINCT r.agent_name, r.agent_version, r.batch_id
          FROM badger.eval_runs r LEFT JOIN (SELECT eval_run_id, MAX(scored_at) AS last_at FROM badger.scores GROUP BY eval_run_id) l ON l.eval_run_id = r.eval_run_id
          WHERE r.status = 'running' AND r.eval_run_id NOT LIKE 'evaluate-%'
            AND (r.eval_run_date > DATEADD('minute', -60, CURRENT_TIMESTAMP()) OR l.last_at > DATEADD('minute', -60, CURRENT_TIMESTAMP()))
        ), owed AS (
          SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id
          FROM answers a CROSS JOIN (SELECT COALESCE(MAX(since_day), '') AS since_day FROM badger.schedule) w
          LEFT JOIN interrupted i ON i.agent_name = a.agent_name AND i.batch_id = a.batch_id
          LEFT JOIN running r ON r.agent_name = a.agent_name AND r.agent_version = a.agent_version AND r.batch_id = a.batch_id
          WHERE a.batch_id = :wanted OR :wanted IS NULL AND r.batch_id IS NULL AND (a.run_day IS NULL OR a.run_day >= w.since_day OR i.batch_id IS NOT NULL)
        ), missing AS (
          SELECT a.k, LISTAGG(m.value::VARCHAR, ',') WITHIN GROUP (ORDER BY m.index) AS missing
          FROM owed a CROSS JOIN TABLE(FLATTEN(INPUT => PARSE_JSON(:metric_list))) m
          LEFT JOIN badger.scores s ON s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id AND s.metric = m.value::VARCHAR
          WHERE s.metric IS NULL AND a.k > :last_key
          GROUP BY a.k
          QUALIFY ROW_NUMBER() OVER (ORDER BY a.k) <= :size
        ), golden AS (
          SELECT case_id, golden_json, COUNT(*) OVER (PARTITION BY case_id, set_version) AS copies
          FROM (SELECT COALESCE(CAST(case_id AS VARCHAR), '') AS case_id, COALESCE(CAST(set_version AS VARCHAR), '') AS set_version, OBJECT_CONSTRUCT(*) AS golden_json FROM badger.golden_set) g
          -- v10 comes after v9: runs of digits count as numbers.
          QUALIFY ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY REGEXP_REPLACE(REGEXP_REPLACE(set_version, '([0-9]+)', '0000000000000000000000000000000000000000\\1'), '[0-9]*([0-9]{40})', '\\1') DESC, set_version DESC) = 1
        )
        SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id, m.missing,
               OBJECT_CONSTRUCT('run', a.run_json, 'golden', g.golden_json, 'copies', COALESCE(g.copies, 0))::VARIANT AS row_json
        FROM missing m JOIN answers a ON a.k = m.k LEFT JOIN golden g ON g.case_id = a.case_id;
      SELECT COUNT(*), MAX(k) INTO :n, :new_key FROM badger._slice;
      IF (n > 0) THEN
        CREATE OR REPLACE TEMPORARY TABLE badger._scored AS
          SELECT agent_name, agent_version, batch_id, case_id, badger.score_row(row_json, missing) AS result FROM badger._slice;
        BEGIN TRANSACTION;
        UPDATE badger.run_locks SET beat_at = CURRENT_TIMESTAMP() WHERE name = 'evaluate' AND holder = :me;
        IF (SQLROWCOUNT = 0) THEN
          RAISE lost;
        END IF;
        MERGE INTO badger.eval_runs t USING (SELECT DISTINCT agent_name, agent_version, batch_id, j:config AS config, j:judge::VARCHAR AS judge, j:versions AS versions FROM badger._slice CROSS JOIN (SELECT PARSE_JSON(:settings) AS j) o) s
          ON t.eval_run_id = :run_id AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id
          WHEN MATCHED THEN UPDATE SET status = 'running'
          WHEN NOT MATCHED THEN INSERT (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
            VALUES (:run_id, s.agent_name, s.agent_version, s.batch_id, :started, 'both', s.config, s.judge, s.versions, 'running');
        MERGE INTO badger.scores t USING (
            SELECT p.case_id, p.agent_name, p.agent_version, p.batch_id, f.value AS r FROM badger._scored p, LATERAL FLATTEN(INPUT => p.result) f WHERE f.value:metric::VARCHAR IS NOT NULL) s
          ON t.eval_run_id = :run_id AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id AND t.case_id = s.case_id AND t.metric = s.r:metric::VARCHAR
          WHEN NOT MATCHED THEN INSERT (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, metric_version, status, value, label, passed, reason, detail, assessment_ids, config_hash, scored_at, code, usage, gold_hash, answer_hash)
            VALUES (:run_id, s.case_id, s.agent_name, s.agent_version, s.batch_id, s.r:metric::VARCHAR, s.r:metric_version::NUMBER(19, 0), s.r:status::VARCHAR, s.r:value::FLOAT, s.r:label::VARCHAR,
              s.r:passed::BOOLEAN, s.r:reason::VARCHAR, STRIP_NULL_VALUE(s.r:detail), STRIP_NULL_VALUE(s.r:assessment_ids), s.r:config_hash::VARCHAR, CURRENT_TIMESTAMP(), s.r:code::VARCHAR, STRIP_NULL_VALUE(s.r:usage), s.r:gold_hash::VARCHAR, s.r:answer_hash::VARCHAR);
        COMMIT;
      END IF;
    EXCEPTION
      WHEN lost THEN
        ROLLBACK;
        fatal := 'another call has taken the lock';
      WHEN OTHER THEN
        problem := LEFT(SQLERRM, 1000);
        ROLLBACK;
    END;
    IF (fatal IS NULL AND problem IS NOT NULL) THEN
      IF (size > 1) THEN
        INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, answers, message) SELECT UUID_STRING(), CURRENT_TIMESTAMP(), :run_id, 'slice failed', :size, :problem;
      END IF;
      BEGIN -- a server that is away is no fault of an answer
        SELECT TO_JSON(badger.run_settings(:asked)) INTO :probe;
      EXCEPTION
        WHEN OTHER THEN
          fatal := problem;
      END;
    END IF;
    IF (fatal IS NULL AND problem IS NULL) THEN
      IF (n = 0) THEN
        BREAK;
      END IF;
      last_key := new_key;
      done := done + n;
      in_a_row := 0;
      size := 200;
    ELSEIF (fatal IS NULL AND size > 1) THEN
      -- One by one, to find the answer that cannot be scored.
      size := 1;
      new_key := NULL;
    ELSEIF (fatal IS NULL AND (new_key IS NULL OR new_key = last_key)) THEN
      fatal := problem;
    ELSEIF (fatal IS NULL) THEN
      INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
        SELECT UUID_STRING(), CURRENT_TIMESTAMP(), :run_id, 'answer failed', case_id, 1, :problem, agent_name, agent_version, batch_id FROM badger._slice;
      last_problem := problem;
      left_out := left_out + 1;
      in_a_row := in_a_row + 1;
      last_key := new_key;
      IF (in_a_row >= 10) THEN
        fatal := problem;
      END IF;
    END IF;
  END WHILE;

  IF (left_out > 0) THEN
    BEGIN
      -- An answer that fails by itself in 3 calls is not tried again: its scores are failed, with the reason.
      INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
        SELECT UUID_STRING(), CURRENT_TIMESTAMP(), :run_id, 'not retried', case_id, 1, MAX_BY(message, logged_at), agent_name, agent_version, batch_id
        FROM badger.run_log WHERE event = 'answer failed' AND agent_name IS NOT NULL GROUP BY case_id, agent_name, agent_version, batch_id HAVING COUNT(*) >= 3 AND MAX(logged_at) >= :started;
      MERGE INTO badger.eval_runs t USING (SELECT DISTINCT agent_name, agent_version, batch_id, j:config AS config, j:judge::VARCHAR AS judge, j:versions AS versions
          FROM badger.run_log CROSS JOIN (SELECT PARSE_JSON(:settings) AS j) o WHERE event = 'not retried' AND eval_run_id = :run_id AND logged_at >= :started) s
        ON t.eval_run_id = :run_id AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id
        WHEN NOT MATCHED THEN INSERT (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
          VALUES (:run_id, s.agent_name, s.agent_version, s.batch_id, :started, 'both', s.config, s.judge, s.versions, 'running');
      INSERT INTO badger.scores (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, status, reason, code, scored_at)
        SELECT :run_id, g.case_id, g.agent_name, g.agent_version, g.batch_id, m.value::VARCHAR, 'failed', g.message, 'unknown', CURRENT_TIMESTAMP()
        FROM badger.run_log g CROSS JOIN TABLE(FLATTEN(INPUT => PARSE_JSON(:metric_list))) m
        LEFT JOIN badger.scores s ON s.agent_name = g.agent_name AND s.agent_version = g.agent_version AND s.batch_id = g.batch_id AND s.case_id = g.case_id AND s.metric = m.value::VARCHAR
        WHERE g.event = 'not retried' AND g.eval_run_id = :run_id AND g.logged_at >= :started AND s.metric IS NULL;
      SELECT COUNT(*) INTO :given_up FROM badger.run_log WHERE event = 'not retried' AND eval_run_id = :run_id AND logged_at >= :started;
    EXCEPTION
      WHEN OTHER THEN
        fatal := COALESCE(fatal, SQLERRM);
    END;
    IF (fatal IS NULL AND left_out > given_up) THEN
      fatal := LEFT((left_out - given_up) || ' answers could not be scored; the reason of the last one: ' || last_problem, 1000);
    END IF;
  END IF;
  IF (run_id IS NOT NULL) THEN
    UPDATE badger.eval_runs t SET status = IFF(:fatal IS NULL, 'done', 'failed'), counts = s.counts, tokens = s.tokens
      FROM (
        SELECT agent_name, agent_version, batch_id, OBJECT_AGG(status, n) AS counts, OBJECT_CONSTRUCT('calls', SUM(calls), 'in', SUM(tokens_in), 'out', SUM(tokens_out)) AS tokens
        FROM (SELECT agent_name, agent_version, batch_id, status, COUNT(*) AS n, COALESCE(SUM(usage:calls::INTEGER), 0) AS calls,
                     COALESCE(SUM(GREATEST(usage:tokens_in::INTEGER, 0)), 0) AS tokens_in, COALESCE(SUM(GREATEST(usage:tokens_out::INTEGER, 0)), 0) AS tokens_out
              FROM badger.scores WHERE eval_run_id = :run_id GROUP BY agent_name, agent_version, batch_id, status) c
        GROUP BY agent_name, agent_version, batch_id) s
      WHERE t.eval_run_id = :run_id AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id AND (:wanted IS NULL OR t.batch_id = :wanted);
    -- What was left under other versions has been scored by this run.
    IF (fatal IS NULL AND wanted IS NULL) THEN
      UPDATE badger.eval_runs SET status = 'stopped' WHERE eval_run_id LIKE 'evaluate-%' AND eval_run_id <> :run_id AND status IN ('running', 'failed');
    END IF;
    -- The look-back only moves on when nothing is left.
    IF (fatal IS NULL AND scheduled) THEN
      UPDATE badger.schedule SET since_day = TO_CHAR(DATEADD('day', -30, CONVERT_TIMEZONE('UTC', CURRENT_TIMESTAMP())), 'YYYY-MM-DD') WHERE metric = '';
    END IF;
  END IF;
  event := CASE WHEN fatal IS NOT NULL THEN 'run failed' WHEN done = 0 AND NOT resumed THEN 'idle' ELSE 'done' END;
  INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, answers, message, batch_id) SELECT UUID_STRING(), CURRENT_TIMESTAMP(), :run_id, :event, :done, :fatal, :wanted;
  IF (fatal IS NOT NULL) THEN
    INSERT INTO badger.run_log (entry_id, logged_at, eval_run_id, event, answers, message, agent_name, agent_version, batch_id)
      SELECT UUID_STRING(), CURRENT_TIMESTAMP(), :run_id, 'batch failed', answers, :fatal, agent_name, agent_version, batch_id FROM badger.backlog WHERE :wanted IS NULL OR batch_id = :wanted;
  END IF;
  BEGIN
    CALL badger.send_alerts();
  EXCEPTION
    WHEN OTHER THEN
      fatal := COALESCE(fatal, SQLERRM);
  END;
  UPDATE badger.run_locks SET holder = NULL WHERE name = 'evaluate' AND holder = :me;
  IF (fatal IS NOT NULL) THEN
    RAISE failed;
  END IF;
  RETURN event || ': ' || done || ' answers';
END
$$;

-- The owner brings questions and answers, and evaluates.
GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE badger.golden_set TO APPLICATION ROLE badger_owner;
GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE badger.agent_runs TO APPLICATION ROLE badger_owner;
GRANT SELECT ON TABLE badger.run_log TO APPLICATION ROLE badger_owner;
GRANT USAGE ON PROCEDURE badger.evaluate(VARCHAR, VARCHAR) TO APPLICATION ROLE badger_owner;


-- The consumer approves this host before the service can reach it.
ALTER APPLICATION SET SPECIFICATION judge_host
  TYPE = EXTERNAL_ACCESS
  LABEL = 'Judge'
  DESCRIPTION = 'badger asks a judge there where evidence does not decide. Questions, queries and results are sent.'
  HOST_PORTS = ('models.example.com:443');

-- Binds the secret that the consumer chooses.
CREATE OR REPLACE PROCEDURE code.register_judge_key(ref_name VARCHAR, operation VARCHAR, ref_or_alias VARCHAR)
  RETURNS VARCHAR
  LANGUAGE SQL
  EXECUTE AS OWNER
AS $$
BEGIN
  CASE (operation)
    WHEN 'ADD' THEN
      SELECT SYSTEM$SET_REFERENCE(:ref_name, :ref_or_alias);
    WHEN 'REMOVE' THEN
      SELECT SYSTEM$REMOVE_REFERENCE(:ref_name, :ref_or_alias);
    WHEN 'CLEAR' THEN
      SELECT SYSTEM$REMOVE_ALL_REFERENCES(:ref_name);
    ELSE
      RETURN 'unknown operation: ' || operation;
  END CASE;
  RETURN 'done';
END
$$;
GRANT USAGE ON PROCEDURE code.register_judge_key(VARCHAR, VARCHAR, VARCHAR) TO APPLICATION ROLE badger_owner;

-- Tells Snowflake which secret to ask the consumer for.
CREATE OR REPLACE PROCEDURE code.configure_judge_key(ref_name VARCHAR)
  RETURNS VARCHAR
  LANGUAGE SQL
  EXECUTE AS OWNER
AS $$
BEGIN
  RETURN '{"type": "CONFIGURATION", "payload": {"type": "GENERIC_STRING"}}';
END
$$;
GRANT USAGE ON PROCEDURE code.configure_judge_key(VARCHAR) TO APPLICATION ROLE badger_owner;

-- Creates the functions, which need the service.
CREATE OR REPLACE PROCEDURE code.create_functions()
  RETURNS VARCHAR
  LANGUAGE SQL
  EXECUTE AS OWNER
AS $$
BEGIN

CREATE OR REPLACE FUNCTION badger.badger_version()
  RETURNS VARCHAR
  CALLED ON NULL INPUT
  IMMUTABLE
  COMMENT = 'The version of badger that answers. [badger:8cc1281919c224d6]'
  SERVICE = badger.scorer
  ENDPOINT = 'api'
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = 2000
  ON_BATCH_FAILURE = ABORT
  BATCH_TIMEOUT_SECS = 900
  AS '/v1/snowflake/badger_version';

CREATE OR REPLACE FUNCTION badger.hybrid_ex(gold_result VARCHAR, agent_result VARCHAR)
  RETURNS FLOAT
  CALLED ON NULL INPUT
  IMMUTABLE
  COMMENT = 'Share of the gold result\'s cells that the agent\'s result contains. Column names, order, rounding and formats do not matter. [badger:2c0aa344402df5a3]'
  SERVICE = badger.scorer
  ENDPOINT = 'api'
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = 500
  ON_BATCH_FAILURE = ABORT
  BATCH_TIMEOUT_SECS = 900
  AS '/v1/snowflake/hybrid_ex';

CREATE OR REPLACE FUNCTION badger.hybrid_ex(gold_result VARCHAR, agent_result VARCHAR, options VARIANT, dialect VARCHAR, expected_behaviour VARCHAR, question VARCHAR, gold_sql VARCHAR, agent_sql VARCHAR, sql_error VARCHAR, evidence VARCHAR, schema_ddl VARCHAR, gold_error VARCHAR)
  RETURNS FLOAT
  CALLED ON NULL INPUT
  IMMUTABLE
  COMMENT = 'Share of the gold result\'s cells that the agent\'s result contains. Column names, order, rounding and formats do not matter. [badger:403dea4eb4a75093]'
  SERVICE = badger.scorer
  ENDPOINT = 'api'
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = 500
  ON_BATCH_FAILURE = ABORT
  BATCH_TIMEOUT_SECS = 900
  AS '/v1/snowflake/hybrid_ex';

CREATE OR REPLACE FUNCTION badger.hybrid_ex_json(gold_result VARCHAR, agent_result VARCHAR)
  RETURNS VARIANT NOT NULL
  CALLED ON NULL INPUT
  IMMUTABLE
  COMMENT = 'The whole score of hybrid_ex as JSON: status, value, label, passed, reason, code, detail. [badger:066e1616d4bf9dee]'
  SERVICE = badger.scorer
  ENDPOINT = 'api'
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = 500
  ON_BATCH_FAILURE = ABORT
  BATCH_TIMEOUT_SECS = 900
  AS '/v1/snowflake/hybrid_ex_json';

CREATE OR REPLACE FUNCTION badger.hybrid_ex_json(gold_result VARCHAR, agent_result VARCHAR, options VARIANT, dialect VARCHAR, expected_behaviour VARCHAR, question VARCHAR, gold_sql VARCHAR, agent_sql VARCHAR, sql_error VARCHAR, evidence VARCHAR, schema_ddl VARCHAR, gold_error VARCHAR)
  RETURNS VARIANT NOT NULL
  CALLED ON NULL INPUT
  IMMUTABLE
  COMMENT = 'The whole score of hybrid_ex as JSON: status, value, label, passed, reason, code, detail. [badger:08936da6f93da0a5]'
  SERVICE = badger.scorer
  ENDPOINT = 'api'
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = 500
  ON_BATCH_FAILURE = ABORT
  BATCH_TIMEOUT_SECS = 900
  AS '/v1/snowflake/hybrid_ex_json';

CREATE OR REPLACE FUNCTION badger.run_settings()
  RETURNS VARIANT NOT NULL
  CALLED ON NULL INPUT
  VOLATILE
  COMMENT = 'The contents of a row of badger.eval_runs before the run starts, as a JSON object: metrics (a list), versions, config, judge; reason states why the metrics cannot be scored. [badger:d28e31da4f771428]'
  SERVICE = badger.scorer
  ENDPOINT = 'api'
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = 2000
  ON_BATCH_FAILURE = ABORT
  BATCH_TIMEOUT_SECS = 900
  AS '/v1/snowflake/run_settings';

CREATE OR REPLACE FUNCTION badger.run_settings(metrics VARCHAR)
  RETURNS VARIANT NOT NULL
  CALLED ON NULL INPUT
  VOLATILE
  COMMENT = 'The contents of a row of badger.eval_runs before the run starts, as a JSON object: metrics (a list), versions, config, judge; reason states why the metrics cannot be scored. [badger:acc77d17deb4b3a5]'
  SERVICE = badger.scorer
  ENDPOINT = 'api'
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = 2000
  ON_BATCH_FAILURE = ABORT
  BATCH_TIMEOUT_SECS = 900
  AS '/v1/snowflake/run_settings';

CREATE OR REPLACE FUNCTION badger.score_row(row_json VARIANT)
  RETURNS VARIANT NOT NULL
  CALLED ON NULL INPUT
  VOLATILE
  COMMENT = 'Scores one answer as badger run does and returns a JSON array of rows of badger.scores. [badger:2ff7bd091ae0b118]'
  SERVICE = badger.scorer
  ENDPOINT = 'api'
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = 200
  ON_BATCH_FAILURE = ABORT
  BATCH_TIMEOUT_SECS = 900
  AS '/v1/snowflake/score_row';

CREATE OR REPLACE FUNCTION badger.score_row(row_json VARIANT, metrics VARCHAR)
  RETURNS VARIANT NOT NULL
  CALLED ON NULL INPUT
  VOLATILE
  COMMENT = 'Scores one answer as badger run does and returns a JSON array of rows of badger.scores. [badger:a47bbf1ccedd61b0]'
  SERVICE = badger.scorer
  ENDPOINT = 'api'
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = 200
  ON_BATCH_FAILURE = ABORT
  BATCH_TIMEOUT_SECS = 900
  AS '/v1/snowflake/score_row';

GRANT USAGE ON SCHEMA badger TO APPLICATION ROLE badger_caller;

GRANT USAGE ON ALL FUNCTIONS IN SCHEMA badger TO APPLICATION ROLE badger_caller;

  RETURN '9 functions';
END
$$;

-- Makes the pool, the warehouse, the service and the functions, or brings them to this version.
CREATE OR REPLACE PROCEDURE code.start()
  RETURNS VARCHAR
  LANGUAGE SQL
  EXECUTE AS OWNER
AS $$
DECLARE
  pool VARCHAR DEFAULT CURRENT_DATABASE() || '_pool';
  wh VARCHAR DEFAULT CURRENT_DATABASE() || '_wh';
  egress VARCHAR DEFAULT CURRENT_DATABASE() || '_judge';
  statement VARCHAR;
  made VARCHAR;
BEGIN
  CREATE COMPUTE POOL IF NOT EXISTS IDENTIFIER(:pool) MIN_NODES = 1 MAX_NODES = 3 INSTANCE_FAMILY = CPU_X64_M AUTO_RESUME = TRUE AUTO_SUSPEND_SECS = 300;
  CREATE WAREHOUSE IF NOT EXISTS IDENTIFIER(:wh) WAREHOUSE_SIZE = XSMALL AUTO_SUSPEND = 60 AUTO_RESUME = TRUE INITIALLY_SUSPENDED = TRUE;
  CREATE NETWORK RULE IF NOT EXISTS badger.judge_host MODE = EGRESS TYPE = HOST_PORT VALUE_LIST = ('models.example.com:443');
  ALTER NETWORK RULE badger.judge_host SET VALUE_LIST = ('models.example.com:443');
  statement := 'CREATE EXTERNAL ACCESS INTEGRATION IF NOT EXISTS ' || egress || ' ALLOWED_NETWORK_RULES = (badger.judge_host) ENABLED = TRUE';
  EXECUTE IMMEDIATE :statement;
  statement := 'CREATE SERVICE IF NOT EXISTS badger.scorer IN COMPUTE POOL ' || pool
    || ' FROM SPECIFICATION_FILE = \'/service.yaml\' QUERY_WAREHOUSE = ' || wh || ' EXTERNAL_ACCESS_INTEGRATIONS = (' || egress || ')';
  EXECUTE IMMEDIATE :statement;
  statement := 'ALTER SERVICE badger.scorer SET EXTERNAL_ACCESS_INTEGRATIONS = (' || egress || ')';
  EXECUTE IMMEDIATE :statement;
  ALTER SERVICE badger.scorer SET
    MIN_INSTANCES = 2 MAX_INSTANCES = 4 MIN_READY_INSTANCES = 2
    AUTO_SUSPEND_SECS = 3600 AUTO_RESUME = TRUE COMMENT = 'badger serve, which answers badger\'s functions';
  ALTER SERVICE badger.scorer FROM SPECIFICATION_FILE = '/service.yaml';
  ALTER SERVICE badger.scorer RESUME;
  GRANT SERVICE ROLE badger.scorer!viewer TO APPLICATION ROLE badger_reader;
  GRANT SERVICE ROLE badger.scorer!viewer TO APPLICATION ROLE badger_annotator;
  CALL code.create_functions() INTO :made;
  RETURN 'the service starts; ' || made;
END
$$;
GRANT USAGE ON PROCEDURE code.start() TO APPLICATION ROLE badger_owner;

-- Stops the service and the pool. Nothing is lost.
CREATE OR REPLACE PROCEDURE code.stop()
  RETURNS VARCHAR
  LANGUAGE SQL
  EXECUTE AS OWNER
AS $$
DECLARE
  pool VARCHAR DEFAULT CURRENT_DATABASE() || '_pool';
BEGIN
  ALTER SERVICE IF EXISTS badger.scorer SUSPEND;
  ALTER COMPUTE POOL IF EXISTS IDENTIFIER(:pool) SUSPEND;
  RETURN 'stopped';
END
$$;
GRANT USAGE ON PROCEDURE code.stop() TO APPLICATION ROLE badger_owner;

-- Called when the consumer grants privileges.
CREATE OR REPLACE PROCEDURE code.on_grant(privileges ARRAY)
  RETURNS VARCHAR
  LANGUAGE SQL
  EXECUTE AS OWNER
AS $$
BEGIN
  RETURN 'give the application a secret with the key of the judge, then CALL code.start()';
END
$$;
GRANT USAGE ON PROCEDURE code.on_grant(ARRAY) TO APPLICATION ROLE badger_owner;

-- Called after each installation and upgrade: upgrades an existing service to this version.
CREATE OR REPLACE PROCEDURE code.on_version()
  RETURNS VARCHAR
  LANGUAGE SQL
  EXECUTE AS OWNER
AS $$
DECLARE
  n INTEGER;
BEGIN
  SHOW SERVICES IN SCHEMA badger;
  SELECT COUNT(*) INTO :n FROM TABLE(RESULT_SCAN(LAST_QUERY_ID())) WHERE UPPER("name") = UPPER('scorer');
  IF (n > 0) THEN
    CALL code.start();
  END IF;
  RETURN 'done';
END
$$;
