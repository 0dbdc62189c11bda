{{- define "since"}}{{if .Values.Schedule.Day}}{{lit .Values.Schedule.Day}}{{else}}FORMAT_TIMESTAMP('%Y-%m-%d', TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL {{.Values.Schedule.Since}} DAY), 'UTC'){{end}}{{end -}}
--- owner: The lock of the evaluation.
INSERT INTO {{in "run_locks"}} (name) SELECT 'evaluate' FROM (SELECT 1) WHERE NOT EXISTS (SELECT 1 FROM {{in "run_locks"}} WHERE name = 'evaluate')
--- owner: The schedule: {{.Values.Schedule.Scored}}, and a drop of a pass rate by {{.Values.Schedule.Drop}} raises an alert.
MERGE {{in "schedule"}} AS t USING (SELECT '' AS metric, {{template "since" .}} AS since_day) AS s ON t.metric = s.metric
WHEN MATCHED THEN UPDATE SET since_day = {{if .Values.Schedule.Day}}s.since_day{{else}}LEAST(t.since_day, s.since_day){{end}}, pass_rate_drop = {{.Values.Schedule.Drop}}
WHEN NOT MATCHED THEN INSERT (metric, since_day, pass_rate_drop) VALUES (s.metric, s.since_day, {{.Values.Schedule.Drop}})
--- owner: Stores each new fact of open_facts as an alert, and marks those that are no longer true as resolved. It fails with the new alerts, once for each, so that the query that calls it sends its notification.
--- drop: DROP PROCEDURE IF EXISTS {{in "send_alerts"}}
CREATE OR REPLACE PROCEDURE {{in "send_alerts"}}()
OPTIONS (strict_mode = FALSE, description = 'Stores new alerts and fails with them. [badger-helper]')
BEGIN
  DECLARE v_new STRING;
  CREATE OR REPLACE TEMP TABLE badger_facts AS SELECT * FROM {{in "open_facts"}};
  UPDATE {{in "alerts"}} SET resolved_at = CURRENT_TIMESTAMP() WHERE resolved_at IS NULL AND fact NOT IN (SELECT fact FROM badger_facts);
  INSERT INTO {{in "alerts"}} ({{names "alerts" ""}})
  SELECT GENERATE_UUID(), f.kind, f.fact, f.agent_name, f.agent_version, f.batch_id, f.metric, SUBSTR(f.message, 1, 1000), CURRENT_TIMESTAMP(), NULL, NULL
  FROM badger_facts AS f LEFT JOIN {{in "alerts"}} AS a ON a.fact = f.fact AND a.resolved_at IS NULL WHERE a.fact IS NULL;
  CREATE OR REPLACE TEMP TABLE badger_new AS SELECT alert_id, message, raised_at FROM {{in "alerts"}} WHERE sent_at IS NULL;
  UPDATE {{in "alerts"}} SET sent_at = CURRENT_TIMESTAMP() WHERE alert_id IN (SELECT alert_id FROM badger_new);
  SET v_new = (SELECT STRING_AGG(message, '\n' ORDER BY raised_at, alert_id) FROM badger_new);
  IF v_new IS NOT NULL THEN
    RAISE USING MESSAGE = SUBSTR(v_new, 1, 10000);
  END IF;
END
--- owner: Scores the answers that have no score: CALL {{in "evaluate"}}(NULL, NULL) those since schedule.since_day, those without a date, and what an earlier call left; CALL {{in "evaluate"}}('BATCH', 'METRIC,METRIC') those of a batch. {{.Slice}} answers at a time are stored.
--- drop: DROP PROCEDURE IF EXISTS {{in "evaluate"}}
CREATE OR REPLACE PROCEDURE {{in "evaluate"}}(batch STRING, metrics STRING)
OPTIONS (strict_mode = FALSE, description = {{lit .ProcedureDoc}})
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
  DECLARE size INT64 DEFAULT {{.Slice}};
  DECLARE n INT64 DEFAULT 0;
  DECLARE done INT64 DEFAULT 0;
  DECLARE left_out INT64 DEFAULT 0;
  DECLARE given_up INT64 DEFAULT 0;
  DECLARE in_a_row INT64 DEFAULT 0;
  DECLARE problem STRING;
  DECLARE last_problem STRING;
  DECLARE fatal STRING;

  -- Whoever is silent for {{.Values.Schedule.Stale}} minutes loses the lock. Slices are stored under it only.
  BEGIN
    UPDATE {{in "run_locks"}} SET holder = me, taken_at = CURRENT_TIMESTAMP(), beat_at = CURRENT_TIMESTAMP()
    WHERE name = 'evaluate' AND (holder IS NULL OR beat_at < TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL {{.Values.Schedule.Stale}} MINUTE));
  EXCEPTION WHEN ERROR THEN
    SET problem = @@error.message; -- two calls at the same moment
  END;
  IF NOT EXISTS (SELECT 1 FROM {{in "run_locks"}} WHERE name = 'evaluate' AND holder = me) THEN
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, event, message, batch_id) VALUES (GENERATE_UUID(), CURRENT_TIMESTAMP(), 'refused', problem, batch);
    RAISE USING MESSAGE = 'another evaluation is running';
  END IF;
  BEGIN
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, batch_id, message)
    SELECT GENERATE_UUID(), CURRENT_TIMESTAMP(), l.eval_run_id, 'interrupted', l.batch_id, 'the call before was interrupted'
    FROM (SELECT eval_run_id, batch_id, event, ROW_NUMBER() OVER (ORDER BY logged_at DESC) AS newest FROM {{in "run_log"}} WHERE event IN ('began', 'resumed', 'done', 'idle', 'run failed', 'interrupted')) AS l
    WHERE l.newest = 1 AND l.event IN ('began', 'resumed');
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, event, answers, agent_name, agent_version, batch_id)
    SELECT GENERATE_UUID(), CURRENT_TIMESTAMP(), 'batch began', b.answers, b.agent_name, b.agent_version, b.batch_id FROM {{in "backlog"}} AS b WHERE batch IS NULL OR b.batch_id = batch;
    SET settings = {{in "run_settings_all"}}(COALESCE(metrics, {{lit .Metrics}}));
    IF JSON_VALUE(settings, '$.reason') IS NOT NULL THEN
      RAISE USING MESSAGE = JSON_VALUE(settings, '$.reason');
    END IF;
    SET v_versions = TO_JSON_STRING(JSON_QUERY(settings, '$.versions'));
    SET metric_list = JSON_VALUE_ARRAY(settings, '$.metrics');
    IF scheduled THEN
      DELETE FROM {{in "schedule"}} WHERE metric <> '' AND metric NOT IN UNNEST(metric_list);
      INSERT INTO {{in "schedule"}} (metric) SELECT m FROM UNNEST(metric_list) AS m WHERE m NOT IN (SELECT metric FROM {{in "schedule"}});
    END IF;
    -- A run that was left goes on where it was to score the same metrics of the same versions.
    SET run_id = (
      SELECT eval_run_id FROM {{in "eval_runs"}}
      WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed') AND versions = v_versions AND (batch IS NULL OR batch_id = batch)
      ORDER BY eval_run_date DESC, eval_run_id DESC LIMIT 1);
    SET resumed = run_id IS NOT NULL;
    SET run_id = COALESCE(run_id, CONCAT('evaluate-', FORMAT_TIMESTAMP('%Y%m%dT%H%M%S', started, 'UTC'), '-', SUBSTR(me, 1, 6)));
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, batch_id) VALUES (GENERATE_UUID(), CURRENT_TIMESTAMP(), run_id, IF(resumed, 'resumed', 'began'), batch);
  EXCEPTION WHEN ERROR THEN
    SET fatal = @@error.message;
  END;

  WHILE fatal IS NULL DO
    SET problem = NULL;
    BEGIN
      CREATE OR REPLACE TEMP TABLE badger_slice AS
      WITH runs AS (
        SELECT {{key "agent_runs" "agent_name"}} AS agent_name, {{key "agent_runs" "agent_version"}} AS agent_version, {{key "agent_runs" "batch_id"}} AS batch_id,
               {{key "agent_runs" "case_id"}} AS case_id, ran_at, sql, {{daytext "agent_runs" "ran_at"}} AS run_day, TO_JSON_STRING(r) AS run_json
        FROM {{in "agent_runs"}} AS r
      ), answers AS (
        SELECT *, CONCAT(agent_name, '\x1f', agent_version, '\x1f', batch_id, '\x1f', case_id) AS k FROM runs
        WHERE TRUE QUALIFY ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) = 1
      ), interrupted AS (
        SELECT DISTINCT agent_name, batch_id FROM {{in "eval_runs"}} WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed')
      ), running AS ( -- by badger run
        SELECT DISTINCT r.agent_name, r.agent_version, r.batch_id
        FROM {{in "eval_runs"}} AS r LEFT JOIN (SELECT eval_run_id, MAX(scored_at) AS last_at FROM {{in "scores"}} GROUP BY eval_run_id) AS l ON l.eval_run_id = r.eval_run_id
        WHERE r.status = 'running' AND r.eval_run_id NOT LIKE 'evaluate-%'
          AND (r.eval_run_date > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL {{.Values.Schedule.Stale}} MINUTE) OR l.last_at > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL {{.Values.Schedule.Stale}} MINUTE))
      ), owed AS (
        SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id
        FROM answers AS a CROSS JOIN (SELECT COALESCE(MAX(since_day), '') AS since_day FROM {{in "schedule"}}) AS w
        LEFT JOIN interrupted AS i ON i.agent_name = a.agent_name AND i.batch_id = a.batch_id
        LEFT JOIN running AS r ON r.agent_name = a.agent_name AND r.agent_version = a.agent_version AND r.batch_id = a.batch_id
        WHERE a.batch_id = batch OR batch IS NULL AND r.batch_id IS NULL AND (a.run_day IS NULL OR a.run_day >= w.since_day OR i.batch_id IS NOT NULL)
      ), missing AS (
        SELECT a.k, STRING_AGG(m, ',' ORDER BY place) AS missing
        FROM owed AS a CROSS JOIN UNNEST(metric_list) AS m WITH OFFSET AS place
        LEFT JOIN {{in "scores"}} AS s ON s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id AND s.metric = m
        WHERE s.metric IS NULL AND a.k > last_key
        GROUP BY a.k
      ), first_ones AS (
        SELECT k, missing FROM missing WHERE TRUE QUALIFY ROW_NUMBER() OVER (ORDER BY k) <= size
      ), golden AS (
        SELECT case_id, golden_json, COUNT(*) OVER (PARTITION BY case_id, set_version) AS copies
        FROM (SELECT {{key "golden_set" "case_id"}} AS case_id, {{key "golden_set" "set_version"}} AS set_version, TO_JSON_STRING(g) AS golden_json FROM {{in "golden_set"}} AS g)
        -- v10 comes after v9: runs of digits count as numbers.
        WHERE TRUE
        QUALIFY ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY REGEXP_REPLACE(REGEXP_REPLACE(set_version, r'([0-9]+)', r'{{.Padding}}\1'), r'[0-9]*([0-9]{40})', r'\1') DESC, set_version DESC) = 1
      )
      SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id, m.missing,
             CONCAT('{"run":', a.run_json, ',"golden":', COALESCE(g.golden_json, 'null'), ',"copies":', CAST(COALESCE(g.copies, 0) AS STRING), '}') AS row_json
      FROM first_ones AS m JOIN answers AS a ON a.k = m.k LEFT JOIN golden AS g ON g.case_id = a.case_id;
      SET (n, new_key) = (SELECT AS STRUCT COUNT(*), MAX(k) FROM badger_slice);
      IF n > 0 THEN
        CREATE OR REPLACE TEMP TABLE badger_scored AS
        SELECT agent_name, agent_version, batch_id, case_id, {{in "score_row_all"}}(row_json, missing) AS result FROM badger_slice;
        BEGIN TRANSACTION;
        UPDATE {{in "run_locks"}} SET beat_at = CURRENT_TIMESTAMP() WHERE name = 'evaluate' AND holder = me;
        IF @@row_count = 0 THEN
          SET fatal = 'another call has taken the lock, because this one was silent for too long';
          RAISE USING MESSAGE = fatal;
        END IF;
        MERGE {{in "eval_runs"}} AS t USING (SELECT DISTINCT agent_name, agent_version, batch_id FROM badger_slice) AS s
        ON t.eval_run_id = run_id AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id
        WHEN MATCHED THEN UPDATE SET status = 'running'
        WHEN NOT MATCHED THEN INSERT (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
          VALUES (run_id, s.agent_name, s.agent_version, s.batch_id, started, 'both', TO_JSON_STRING(JSON_QUERY(settings, '$.config')), JSON_VALUE(settings, '$.judge'), v_versions, 'running');
        MERGE {{in "scores"}} AS t USING (
          SELECT p.case_id, p.agent_name, p.agent_version, p.batch_id, JSON_VALUE(r, '$.metric') AS metric, CAST(JSON_VALUE(r, '$.metric_version') AS INT64) AS metric_version,
                 JSON_VALUE(r, '$.status') AS status, CAST(JSON_VALUE(r, '$.value') AS FLOAT64) AS value, JSON_VALUE(r, '$.label') AS label, CAST(JSON_VALUE(r, '$.passed') AS BOOL) AS passed,
                 JSON_VALUE(r, '$.reason') AS reason, NULLIF(TO_JSON_STRING(JSON_QUERY(r, '$.detail')), 'null') AS detail,
                 NULLIF(TO_JSON_STRING(JSON_QUERY(r, '$.assessment_ids')), 'null') AS assessment_ids, JSON_VALUE(r, '$.config_hash') AS config_hash, JSON_VALUE(r, '$.code') AS code,
                 NULLIF(TO_JSON_STRING(JSON_QUERY(r, '$.usage')), 'null') AS usage, JSON_VALUE(r, '$.gold_hash') AS gold_hash, JSON_VALUE(r, '$.answer_hash') AS answer_hash
          FROM badger_scored AS p, UNNEST(JSON_QUERY_ARRAY(p.result)) AS r WHERE JSON_VALUE(r, '$.metric') IS NOT NULL) AS s
        ON t.eval_run_id = run_id AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id AND t.case_id = s.case_id AND t.metric = s.metric
        WHEN NOT MATCHED THEN INSERT ({{names "scores" ""}})
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
        INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, answers, message) VALUES (GENERATE_UUID(), CURRENT_TIMESTAMP(), run_id, 'slice failed', size, problem);
      END IF;
      BEGIN -- a server that is away is no fault of an answer
        SET probe = {{in "run_settings_all"}}(COALESCE(metrics, {{lit .Metrics}}));
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
      SET last_key = new_key, done = done + n, in_a_row = 0, size = {{.Slice}};
    ELSEIF size > 1 THEN
      SET size = 1, new_key = NULL; -- one by one, to find the answer that cannot be scored
    ELSEIF new_key IS NULL OR new_key = last_key THEN
      SET fatal = problem;
    ELSE
      INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
      SELECT GENERATE_UUID(), CURRENT_TIMESTAMP(), run_id, 'answer failed', case_id, 1, problem, agent_name, agent_version, batch_id FROM badger_slice;
      SET last_problem = problem, left_out = left_out + 1, in_a_row = in_a_row + 1, last_key = new_key;
      IF in_a_row >= {{.Failing}} THEN
        SET fatal = problem;
      END IF;
    END IF;
  END WHILE;

  IF left_out > 0 THEN
    BEGIN
      -- An answer that fails by itself in {{.Attempts}} calls is not tried again: its scores are failed, with the reason.
      CREATE OR REPLACE TEMP TABLE badger_given_up AS
      SELECT agent_name, agent_version, batch_id, case_id, ANY_VALUE(message HAVING MAX logged_at) AS message
      FROM {{in "run_log"}} WHERE event = 'answer failed' AND agent_name IS NOT NULL GROUP BY agent_name, agent_version, batch_id, case_id HAVING COUNT(*) >= {{.Attempts}} AND MAX(logged_at) >= started;
      MERGE {{in "eval_runs"}} AS t USING (SELECT DISTINCT agent_name, agent_version, batch_id FROM badger_given_up) AS s
      ON t.eval_run_id = run_id AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id
      WHEN NOT MATCHED THEN INSERT (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
        VALUES (run_id, s.agent_name, s.agent_version, s.batch_id, started, 'both', TO_JSON_STRING(JSON_QUERY(settings, '$.config')), JSON_VALUE(settings, '$.judge'), v_versions, 'running');
      INSERT INTO {{in "scores"}} (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, status, reason, code, scored_at)
      SELECT run_id, g.case_id, g.agent_name, g.agent_version, g.batch_id, m, 'failed', g.message, 'unknown', CURRENT_TIMESTAMP()
      FROM badger_given_up AS g CROSS JOIN UNNEST(metric_list) AS m
      LEFT JOIN {{in "scores"}} AS s ON s.agent_name = g.agent_name AND s.agent_version = g.agent_version AND s.batch_id = g.batch_id AND s.case_id = g.case_id AND s.metric = m
      WHERE s.metric IS NULL;
      INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
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
    UPDATE {{in "eval_runs"}} AS t SET status = IF(fatal IS NULL, 'done', 'failed'), counts = s.counts, tokens = s.tokens
    FROM (
      SELECT agent_name, agent_version, batch_id, CONCAT('{', STRING_AGG(FORMAT('"%s":%d', status, n), ',' ORDER BY status), '}') AS counts,
             FORMAT('{"calls":%d,"in":%d,"out":%d}', SUM(calls), SUM(tokens_in), SUM(tokens_out)) AS tokens
      FROM (
        SELECT agent_name, agent_version, batch_id, status, COUNT(*) AS n, COALESCE(SUM(CAST(JSON_VALUE(usage, '$.calls') AS INT64)), 0) AS calls,
               COALESCE(SUM(GREATEST(CAST(JSON_VALUE(usage, '$.tokens_in') AS INT64), 0)), 0) AS tokens_in, COALESCE(SUM(GREATEST(CAST(JSON_VALUE(usage, '$.tokens_out') AS INT64), 0)), 0) AS tokens_out
        FROM {{in "scores"}} WHERE eval_run_id = run_id GROUP BY agent_name, agent_version, batch_id, status)
      GROUP BY agent_name, agent_version, batch_id) AS s
    WHERE t.eval_run_id = run_id AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id AND (batch IS NULL OR t.batch_id = batch);
    -- What was left under other versions has been scored by this run.
    IF fatal IS NULL AND batch IS NULL THEN
      UPDATE {{in "eval_runs"}} SET status = 'stopped' WHERE eval_run_id LIKE 'evaluate-%' AND eval_run_id <> run_id AND status IN ('running', 'failed');
    END IF;
    -- The look-back only moves on when nothing is left.
    IF fatal IS NULL AND scheduled THEN
      UPDATE {{in "schedule"}} SET since_day = {{template "since" .}} WHERE metric = '';
    END IF;
  END IF;
  INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, answers, message, batch_id)
  VALUES (GENERATE_UUID(), CURRENT_TIMESTAMP(), run_id, CASE WHEN fatal IS NOT NULL THEN 'run failed' WHEN done = 0 AND NOT resumed THEN 'idle' ELSE 'done' END, done, fatal, batch);
  IF fatal IS NOT NULL THEN
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, answers, message, agent_name, agent_version, batch_id)
    SELECT GENERATE_UUID(), CURRENT_TIMESTAMP(), run_id, 'batch failed', b.answers, fatal, b.agent_name, b.agent_version, b.batch_id FROM {{in "backlog"}} AS b WHERE batch IS NULL OR b.batch_id = batch;
  END IF;
  UPDATE {{in "run_locks"}} SET holder = NULL WHERE name = 'evaluate' AND holder = me;
  IF fatal IS NOT NULL THEN
    RAISE USING MESSAGE = fatal;
  END IF;
END
{{if .Values.Schedule.Cron -}}
--- hand: The scheduled query that calls the procedure by night, in UTC, as an account that may call functions over the connection and write badger's tables.
bq mk --transfer_config --project_id={{sh .Values.Database}} --location={{sh .Values.Location}} --data_source=scheduled_query --display_name='badger evaluate' --schedule='{{bigquery}}' --service_account_name={{sh .CloudRun.NightlyAccount}} --params={{sh (print `{"query": "CALL ` (in "evaluate") `(NULL, NULL)"}`)}}
to remove it: bq ls --transfer_config --transfer_location={{sh .Values.Location}}, then bq rm --transfer_config NAME
--- hand: A second scheduled query, an hour later. It fails when there are new alerts, with their text, and a fact is reported once: turn on its e-mail or Pub/Sub notification. The first query fails every night that fails.
CALL {{in "send_alerts"}}()
{{end -}}
