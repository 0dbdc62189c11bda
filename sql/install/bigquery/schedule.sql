--- owner: The lock of the evaluation.
INSERT INTO {{in "run_locks"}} (name) SELECT 'evaluate' FROM (SELECT 1) WHERE NOT EXISTS (SELECT 1 FROM {{in "run_locks"}} WHERE name = 'evaluate')
--- owner: Scores the answers that have no score: CALL {{in "evaluate"}}(NULL, NULL) those of each agent's newest batch, and what an earlier call left; CALL {{in "evaluate"}}('BATCH', 'METRIC,METRIC') those of a batch. {{.Slice}} answers at a time are stored.
--- drop: DROP PROCEDURE IF EXISTS {{in "evaluate"}}
CREATE OR REPLACE PROCEDURE {{in "evaluate"}}(batch STRING, metrics STRING)
OPTIONS (strict_mode = FALSE, description = {{lit .ProcedureDoc}})
BEGIN
  DECLARE me STRING DEFAULT GENERATE_UUID();
  DECLARE settings JSON;
  DECLARE v_versions STRING;
  DECLARE metric_list ARRAY<STRING>;
  DECLARE run_id STRING;
  DECLARE resumed BOOL DEFAULT FALSE;
  DECLARE started TIMESTAMP DEFAULT CURRENT_TIMESTAMP();
  DECLARE last_key STRING DEFAULT '';
  DECLARE new_key STRING;
  DECLARE one_case STRING;
  DECLARE size INT64 DEFAULT {{.Slice}};
  DECLARE n INT64 DEFAULT 0;
  DECLARE done INT64 DEFAULT 0;
  DECLARE left_out INT64 DEFAULT 0;
  DECLARE in_a_row INT64 DEFAULT 0;
  DECLARE problem STRING;
  DECLARE fatal STRING;

  -- Whoever is silent for {{.Values.Schedule.Stale}} minutes loses the lock. Slices are stored under it only.
  BEGIN
    UPDATE {{in "run_locks"}} SET holder = me, taken_at = CURRENT_TIMESTAMP(), beat_at = CURRENT_TIMESTAMP()
    WHERE name = 'evaluate' AND (holder IS NULL OR beat_at < TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL {{.Values.Schedule.Stale}} MINUTE));
  EXCEPTION WHEN ERROR THEN
    SET problem = @@error.message; -- two calls at the same moment
  END;
  IF NOT EXISTS (SELECT 1 FROM {{in "run_locks"}} WHERE name = 'evaluate' AND holder = me) THEN
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, event, message) VALUES (GENERATE_UUID(), CURRENT_TIMESTAMP(), 'refused', problem);
    RAISE USING MESSAGE = 'another evaluation is running';
  END IF;
  BEGIN
    SET settings = {{in "run_settings_all"}}(COALESCE(metrics, {{lit .Metrics}}));
    IF JSON_VALUE(settings, '$.reason') IS NOT NULL THEN
      RAISE USING MESSAGE = JSON_VALUE(settings, '$.reason');
    END IF;
    SET v_versions = TO_JSON_STRING(JSON_QUERY(settings, '$.versions'));
    SET metric_list = JSON_VALUE_ARRAY(settings, '$.metrics');
    -- A run that was left goes on where it was to score the same metrics of the same versions.
    SET run_id = (
      SELECT eval_run_id FROM {{in "eval_runs"}}
      WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed') AND versions = v_versions AND (batch IS NULL OR batch_id = batch)
      ORDER BY eval_run_date DESC, eval_run_id DESC LIMIT 1);
    SET resumed = run_id IS NOT NULL;
    SET run_id = COALESCE(run_id, CONCAT('evaluate-', FORMAT_TIMESTAMP('%Y%m%dT%H%M%S', started, 'UTC'), '-', SUBSTR(me, 1, 6)));
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event) VALUES (GENERATE_UUID(), CURRENT_TIMESTAMP(), run_id, IF(resumed, 'resumed', 'began'));
  EXCEPTION WHEN ERROR THEN
    SET fatal = @@error.message;
  END;

  WHILE fatal IS NULL DO
    SET problem = NULL;
    BEGIN
      CREATE OR REPLACE TEMP TABLE badger_slice AS
      WITH runs AS (
        SELECT {{key "agent_runs" "agent_name"}} AS agent_name, {{key "agent_runs" "agent_version"}} AS agent_version, {{key "agent_runs" "batch_id"}} AS batch_id,
               {{key "agent_runs" "case_id"}} AS case_id, ran_at, sql, TO_JSON_STRING(r) AS run_json
        FROM {{in "agent_runs"}} AS r
      ), answers AS (
        SELECT *, CONCAT(agent_name, '\x1f', agent_version, '\x1f', batch_id, '\x1f', case_id) AS k FROM runs
        WHERE TRUE QUALIFY ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) = 1
      ), scope AS (
        SELECT agent_name, batch_id FROM (
          SELECT agent_name, batch_id, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY last_at DESC NULLS LAST, batch_id DESC) AS place
          FROM (SELECT agent_name, batch_id, MAX(ran_at) AS last_at FROM answers GROUP BY agent_name, batch_id))
        WHERE place = 1 AND batch IS NULL
        UNION DISTINCT
        SELECT agent_name, batch_id FROM {{in "eval_runs"}} WHERE batch IS NULL AND eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed')
        UNION DISTINCT
        SELECT agent_name, batch_id FROM answers WHERE batch_id = batch
      ), missing AS (
        SELECT a.k, STRING_AGG(m, ',' ORDER BY place) AS missing
        FROM answers AS a JOIN scope AS c ON c.agent_name = a.agent_name AND c.batch_id = a.batch_id
        CROSS JOIN UNNEST(metric_list) AS m WITH OFFSET AS place
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
      SET (n, new_key, one_case) = (SELECT AS STRUCT COUNT(*), MAX(k), MAX(case_id) FROM badger_slice);
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
                 NULLIF(TO_JSON_STRING(JSON_QUERY(r, '$.usage')), 'null') AS usage, JSON_VALUE(r, '$.gold_hash') AS gold_hash
          FROM badger_scored AS p, UNNEST(JSON_QUERY_ARRAY(p.result)) AS r WHERE JSON_VALUE(r, '$.metric') IS NOT NULL) AS s
        ON t.eval_run_id = run_id AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id AND t.case_id = s.case_id AND t.metric = s.metric
        WHEN NOT MATCHED THEN INSERT ({{names "scores" ""}})
          VALUES (run_id, s.case_id, s.agent_name, s.agent_version, s.batch_id, s.metric, s.metric_version, s.status, s.value, s.label, s.passed, s.reason, s.detail, s.assessment_ids,
            s.config_hash, CURRENT_TIMESTAMP(), s.code, s.usage, s.gold_hash);
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
    IF fatal IS NOT NULL THEN
      LEAVE;
    ELSEIF problem IS NULL THEN
      IF n = 0 THEN
        LEAVE;
      END IF;
      SET last_key = new_key, done = done + n, in_a_row = 0, size = {{.Slice}};
    ELSEIF size > 1 THEN
      INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, answers, message) VALUES (GENERATE_UUID(), CURRENT_TIMESTAMP(), run_id, 'slice failed', size, problem);
      SET size = 1; -- one by one, to find the answer that cannot be scored
    ELSE
      INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, case_id, answers, message) VALUES (GENERATE_UUID(), CURRENT_TIMESTAMP(), run_id, 'answer failed', one_case, 1, problem);
      SET left_out = left_out + 1, in_a_row = in_a_row + 1;
      IF in_a_row >= 3 OR new_key IS NULL OR new_key = last_key THEN
        SET fatal = problem;
      END IF;
      SET last_key = COALESCE(new_key, last_key);
    END IF;
  END WHILE;

  IF fatal IS NULL AND left_out > 0 THEN
    SET fatal = CONCAT(CAST(left_out AS STRING), ' answers could not be scored; run_log says why');
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
  END IF;
  INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, answers, message)
  VALUES (GENERATE_UUID(), CURRENT_TIMESTAMP(), run_id, CASE WHEN fatal IS NOT NULL THEN 'run failed' WHEN done = 0 AND NOT resumed THEN 'idle' ELSE 'done' END, done, fatal);
  UPDATE {{in "run_locks"}} SET holder = NULL WHERE name = 'evaluate' AND holder = me;
  IF fatal IS NOT NULL THEN
    RAISE USING MESSAGE = fatal;
  END IF;
END
{{if .Values.Schedule.Cron -}}
--- hand: The scheduled query that calls the procedure by night, in UTC, as an account that may call functions over the connection and write badger's tables.
bq mk --transfer_config --project_id={{sh .Values.Database}} --location={{sh .Values.Location}} --data_source=scheduled_query --display_name='badger evaluate' --schedule='{{bigquery}}' --service_account_name={{sh .CloudRun.NightlyAccount}} --params={{sh (print `{"query": "CALL ` (in "evaluate") `(NULL, NULL)"}`)}}
to remove it: bq ls --transfer_config --transfer_location={{sh .Values.Location}}, then bq rm --transfer_config NAME
--- hand: A second scheduled query, an hour later, that fails where fewer answers pass than in the batch before; its e-mail notification is the alert.
SELECT ERROR(STRING_AGG(CONCAT(agent_name, ', ', metric, ', batch ', batch_id), '; ')) FROM {{in "degradation"}} WHERE pass_rate_change <= -{{.Values.Schedule.Drop}} OR failed > failed_before HAVING COUNT(*) > 0
{{end -}}
