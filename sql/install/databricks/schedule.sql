{{- define "since"}}{{if .Values.Schedule.Day}}{{lit .Values.Schedule.Day}}{{else}}date_format(to_utc_timestamp(current_timestamp(), current_timezone()) - INTERVAL '{{.Values.Schedule.Since}}' DAY, 'yyyy-MM-dd'){{end}}{{end -}}
--- owner: The lock of the evaluation.
INSERT INTO {{in "run_locks"}} (name) SELECT 'evaluate' WHERE NOT EXISTS (SELECT 1 FROM {{in "run_locks"}} WHERE name = 'evaluate')
--- owner: The schedule: {{.Values.Schedule.Scored}}, and a drop of a pass rate by {{.Values.Schedule.Drop}} raises an alert.
MERGE INTO {{in "schedule"}} AS t USING (SELECT '' AS metric, {{template "since" .}} AS since_day, CAST({{.Values.Schedule.Drop}} AS DOUBLE) AS pass_rate_drop) AS s ON t.metric = s.metric
WHEN MATCHED THEN UPDATE SET since_day = {{if .Values.Schedule.Day}}s.since_day{{else}}least(t.since_day, s.since_day){{end}}, pass_rate_drop = s.pass_rate_drop
WHEN NOT MATCHED THEN INSERT (metric, since_day, pass_rate_drop) VALUES (s.metric, s.since_day, s.pass_rate_drop)
--- owner: Stores each new fact of open_facts as an alert, and marks those that are no longer true as resolved. It fails with the new alerts, once for each, so that the task that calls it sends its notification. Needs DBR 17.2 or a SQL warehouse.
--- drop: DROP PROCEDURE IF EXISTS {{in "send_alerts"}}
CREATE OR REPLACE PROCEDURE {{in "send_alerts"}}()
LANGUAGE SQL
SQL SECURITY INVOKER
COMMENT 'Stores new alerts and fails with them. [badger-helper]'
AS BEGIN
  DECLARE v_new STRING;
  CREATE OR REPLACE TABLE {{in "_facts"}} AS SELECT * FROM {{in "open_facts"}};
  MERGE INTO {{in "alerts"}} AS t USING (SELECT a.alert_id FROM {{in "alerts"}} AS a LEFT ANTI JOIN {{in "_facts"}} AS f ON f.fact = a.fact WHERE a.resolved_at IS NULL) AS s ON t.alert_id = s.alert_id
  WHEN MATCHED THEN UPDATE SET resolved_at = current_timestamp();
  INSERT INTO {{in "alerts"}} ({{names "alerts" ""}})
  SELECT uuid(), f.kind, f.fact, f.agent_name, f.agent_version, f.batch_id, f.metric, left(f.message, 1000), current_timestamp(), NULL, NULL
  FROM {{in "_facts"}} AS f LEFT JOIN (SELECT fact FROM {{in "alerts"}} WHERE resolved_at IS NULL) AS a ON a.fact = f.fact WHERE a.fact IS NULL;
  SET v_new = (SELECT left(array_join(transform(array_sort(collect_list(struct(raised_at, alert_id, message))), x -> x.message), '\n'), 10000) FROM {{in "alerts"}} WHERE sent_at IS NULL);
  UPDATE {{in "alerts"}} SET sent_at = current_timestamp() WHERE sent_at IS NULL;
  DROP TABLE IF EXISTS {{in "_facts"}};
  IF v_new <> '' THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = v_new;
  END IF;
END
--- owner: Scores the answers that have no score: CALL {{in "evaluate"}}() those since schedule.since_day, those without a date, and what an earlier call left; CALL {{in "evaluate"}}('BATCH', 'METRIC,METRIC') those of a batch. {{.Slice}} answers at a time are stored. Needs DBR 17.2 or a SQL warehouse.
--- drop: DROP PROCEDURE IF EXISTS {{in "evaluate"}}
CREATE OR REPLACE PROCEDURE {{in "evaluate"}}(IN wanted STRING DEFAULT NULL COMMENT 'the batch; NULL: all that lack scores', IN metrics STRING DEFAULT NULL COMMENT 'names of metrics, separated by commas')
LANGUAGE SQL
SQL SECURITY INVOKER
COMMENT {{lit .ProcedureDoc}}
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
  DECLARE size INT DEFAULT {{.Slice}};
  DECLARE n BIGINT DEFAULT 0;
  DECLARE done BIGINT DEFAULT 0;
  DECLARE left_out BIGINT DEFAULT 0;
  DECLARE given_up BIGINT DEFAULT 0;
  DECLARE in_a_row INT DEFAULT 0;
  DECLARE problem STRING;
  DECLARE last_problem STRING;
  DECLARE fatal STRING;

  -- Whoever is silent for {{.Values.Schedule.Stale}} minutes loses the lock. Of two updates at once one fails.
  BEGIN
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
      GET DIAGNOSTICS CONDITION 1 problem = MESSAGE_TEXT;
    END;
    UPDATE {{in "run_locks"}} SET holder = me, taken_at = current_timestamp(), beat_at = current_timestamp()
    WHERE name = 'evaluate' AND (holder IS NULL OR beat_at < current_timestamp() - INTERVAL '{{.Values.Schedule.Stale}}' MINUTE);
  END;
  IF (SELECT COUNT(*) FROM {{in "run_locks"}} WHERE name = 'evaluate' AND holder = me) = 0 THEN
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, event, batch_id) SELECT uuid(), current_timestamp(), 'refused', wanted;
    SIGNAL SQLSTATE '55006' SET MESSAGE_TEXT = 'another evaluation is running';
  END IF;
  BEGIN
    DECLARE EXIT HANDLER FOR SQLEXCEPTION
    BEGIN
      GET DIAGNOSTICS CONDITION 1 fatal = MESSAGE_TEXT;
    END;
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, batch_id, message)
    SELECT uuid(), current_timestamp(), l.eval_run_id, 'interrupted', l.batch_id, 'the call before was interrupted'
    FROM (SELECT eval_run_id, batch_id, event, ROW_NUMBER() OVER (ORDER BY logged_at DESC) AS newest FROM {{in "run_log"}} WHERE event IN ('began', 'resumed', 'done', 'idle', 'run failed', 'interrupted')) AS l
    WHERE l.newest = 1 AND l.event IN ('began', 'resumed');
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, event, answers, agent_name, agent_version, batch_id)
    SELECT uuid(), current_timestamp(), 'batch began', b.answers, b.agent_name, b.agent_version, b.batch_id FROM {{in "backlog"}} AS b WHERE wanted IS NULL OR b.batch_id = wanted;
    SET settings = (SELECT {{in "run_settings"}}(COALESCE(metrics, {{lit .Metrics}})));
    SET fatal = get_json_object(settings, '$.reason');
    IF fatal IS NULL THEN
      SET v_versions = get_json_object(settings, '$.versions');
      SET metric_list = from_json(get_json_object(settings, '$.metrics'), 'array<string>');
      IF scheduled THEN
        DELETE FROM {{in "schedule"}} WHERE metric <> '' AND NOT array_contains(metric_list, metric);
        INSERT INTO {{in "schedule"}} (metric) SELECT m.metric FROM (SELECT explode(metric_list) AS metric) AS m LEFT ANTI JOIN {{in "schedule"}} AS t ON t.metric = m.metric;
      END IF;
      -- A run that was left goes on where it was to score the same metrics of the same versions.
      SET v_run = (
        SELECT MAX_BY(eval_run_id, eval_run_date) FROM {{in "eval_runs"}}
        WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed') AND versions = v_versions AND (wanted IS NULL OR batch_id = wanted));
      SET resumed = v_run IS NOT NULL;
      SET v_run = COALESCE(v_run, concat('evaluate-', date_format(to_utc_timestamp(started, current_timezone()), "yyyyMMdd'T'HHmmss"), '-', left(me, 6)));
      INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, batch_id) SELECT uuid(), current_timestamp(), v_run, CASE WHEN resumed THEN 'resumed' ELSE 'began' END, wanted;
    END IF;
  END;

  slices: WHILE fatal IS NULL DO
    SET problem = NULL;
    BEGIN
      DECLARE EXIT HANDLER FOR SQLEXCEPTION
      BEGIN
        GET DIAGNOSTICS CONDITION 1 problem = MESSAGE_TEXT;
      END;
      CREATE OR REPLACE TABLE {{in "_slice"}} AS
      WITH runs AS (
        SELECT {{key "agent_runs" "agent_name"}} AS agent_name, {{key "agent_runs" "agent_version"}} AS agent_version, {{key "agent_runs" "batch_id"}} AS batch_id,
               {{key "agent_runs" "case_id"}} AS case_id, ran_at, sql, {{daytext "agent_runs" "ran_at"}} AS run_day, to_json(struct(r.*)) AS run_json
        FROM {{in "agent_runs"}} AS r
      ), answers AS (
        SELECT * FROM (
          SELECT *, concat(agent_name, char(31), agent_version, char(31), batch_id, char(31), case_id) AS k,
                 ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) AS copy
          FROM runs)
        WHERE copy = 1
      ), interrupted AS (
        SELECT DISTINCT agent_name, batch_id FROM {{in "eval_runs"}} WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed')
      ), running AS ( -- by badger run
        SELECT DISTINCT r.agent_name, r.agent_version, r.batch_id
        FROM {{in "eval_runs"}} AS r LEFT JOIN (SELECT eval_run_id, MAX(scored_at) AS last_at FROM {{in "scores"}} GROUP BY eval_run_id) AS l ON l.eval_run_id = r.eval_run_id
        WHERE r.status = 'running' AND r.eval_run_id NOT LIKE 'evaluate-%' AND (r.eval_run_date > current_timestamp() - INTERVAL '{{.Values.Schedule.Stale}}' MINUTE OR l.last_at > current_timestamp() - INTERVAL '{{.Values.Schedule.Stale}}' MINUTE)
      ), owed AS (
        SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id
        FROM answers AS a CROSS JOIN (SELECT COALESCE(MAX(since_day), '') AS since_day FROM {{in "schedule"}}) AS w
        LEFT JOIN interrupted AS i ON i.agent_name = a.agent_name AND i.batch_id = a.batch_id
        LEFT JOIN running AS r ON r.agent_name = a.agent_name AND r.agent_version = a.agent_version AND r.batch_id = a.batch_id
        WHERE a.batch_id = wanted OR wanted IS NULL AND r.batch_id IS NULL AND (a.run_day IS NULL OR a.run_day >= w.since_day OR i.batch_id IS NOT NULL)
      ), asked AS (
        SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id, posexplode(metric_list) AS (place, metric)
        FROM owed AS a WHERE a.k > last_key
      ), missing AS (
        SELECT q.k, array_join(transform(array_sort(collect_list(struct(q.place, q.metric))), x -> x.metric), ',') AS missing
        FROM asked AS q LEFT ANTI JOIN {{in "scores"}} AS s
        ON s.agent_name = q.agent_name AND s.agent_version = q.agent_version AND s.batch_id = q.batch_id AND s.case_id = q.case_id AND s.metric = q.metric
        GROUP BY q.k
      ), first_ones AS (
        SELECT k, missing FROM (SELECT k, missing, ROW_NUMBER() OVER (ORDER BY k) AS place FROM missing) WHERE place <= size
      ), golden AS (
        -- v10 comes after v9: runs of digits count as numbers.
        SELECT * FROM (
          SELECT case_id, golden_json, COUNT(*) OVER (PARTITION BY case_id, set_version) AS copies,
                 ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY regexp_replace(regexp_replace(set_version, '([0-9]+)', '{{.Padding}}$1'), '[0-9]*([0-9]{40})', '$1') DESC, set_version DESC) AS place
          FROM (SELECT {{key "golden_set" "case_id"}} AS case_id, {{key "golden_set" "set_version"}} AS set_version, to_json(struct(g.*)) AS golden_json FROM {{in "golden_set"}} AS g))
        WHERE place = 1
      )
      SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id, m.missing,
             concat('{"run":', a.run_json, ',"golden":', COALESCE(g.golden_json, 'null'), ',"copies":', COALESCE(g.copies, 0), '}') AS row_json
      FROM first_ones AS m JOIN answers AS a ON a.k = m.k LEFT JOIN golden AS g ON g.case_id = a.case_id;
      SET (n, new_key) = (SELECT COUNT(*), MAX(k) FROM {{in "_slice"}});
      IF n > 0 THEN
        CREATE OR REPLACE TABLE {{in "_scored"}} AS
        SELECT agent_name, agent_version, batch_id, case_id, {{in "score_row"}}(row_json, missing) AS result FROM {{in "_slice"}};
        UPDATE {{in "run_locks"}} SET beat_at = current_timestamp() WHERE name = 'evaluate' AND holder = me;
        IF (SELECT COUNT(*) FROM {{in "run_locks"}} WHERE name = 'evaluate' AND holder = me) = 0 THEN
          SET fatal = 'another call has taken the lock, because this one was silent for too long';
        ELSE
          MERGE INTO {{in "eval_runs"}} AS t USING (SELECT DISTINCT agent_name, agent_version, batch_id FROM {{in "_slice"}}) AS s
          ON t.eval_run_id = v_run AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id
          WHEN MATCHED THEN UPDATE SET status = 'running'
          WHEN NOT MATCHED THEN INSERT (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
            VALUES (v_run, s.agent_name, s.agent_version, s.batch_id, started, 'both', get_json_object(settings, '$.config'), get_json_object(settings, '$.judge'), v_versions, 'running');
          MERGE INTO {{in "scores"}} AS t USING (
            SELECT p.case_id, p.agent_name, p.agent_version, p.batch_id, r.*
            FROM (SELECT *, explode(from_json(result, 'array<struct<metric:string,metric_version:bigint,status:string,value:double,label:string,passed:boolean,reason:string,detail:string,assessment_ids:string,config_hash:string,code:string,usage:string,gold_hash:string,answer_hash:string>>')) AS r
              FROM {{in "_scored"}}) AS p WHERE r.metric IS NOT NULL) AS s
          ON t.eval_run_id = v_run AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id AND t.case_id = s.case_id AND t.metric = s.metric
          WHEN NOT MATCHED THEN INSERT ({{names "scores" ""}})
            VALUES (v_run, s.case_id, s.agent_name, s.agent_version, s.batch_id, s.metric, s.metric_version, s.status, s.value, s.label, s.passed, s.reason, s.detail, s.assessment_ids,
              s.config_hash, current_timestamp(), s.code, s.usage, s.gold_hash, s.answer_hash);
        END IF;
      END IF;
    END;
    IF fatal IS NULL AND problem IS NOT NULL THEN
      IF size > 1 THEN
        INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, answers, message) SELECT uuid(), current_timestamp(), v_run, 'slice failed', size, left(problem, 1000);
      END IF;
      BEGIN -- a server that is away is no fault of an answer
        DECLARE EXIT HANDLER FOR SQLEXCEPTION
        BEGIN
          SET fatal = left(problem, 1000);
        END;
        SET probe = (SELECT {{in "run_settings"}}(COALESCE(metrics, {{lit .Metrics}})));
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
      SET size = {{.Slice}};
    ELSEIF size > 1 THEN
      SET size = 1; -- one by one, to find the answer that cannot be scored
      SET new_key = NULL;
    ELSEIF new_key IS NULL OR new_key = last_key THEN
      SET fatal = left(problem, 1000);
    ELSE
      INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
      SELECT uuid(), current_timestamp(), v_run, 'answer failed', case_id, 1, left(problem, 1000), agent_name, agent_version, batch_id FROM {{in "_slice"}};
      SET last_problem = problem;
      SET left_out = left_out + 1;
      SET in_a_row = in_a_row + 1;
      SET last_key = new_key;
      IF in_a_row >= {{.Failing}} THEN
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
      -- An answer that fails by itself in {{.Attempts}} calls is not tried again: its scores are failed, with the reason.
      CREATE OR REPLACE TABLE {{in "_given_up"}} AS
      SELECT agent_name, agent_version, batch_id, case_id, max_by(message, logged_at) AS message
      FROM {{in "run_log"}} WHERE event = 'answer failed' AND agent_name IS NOT NULL GROUP BY agent_name, agent_version, batch_id, case_id HAVING COUNT(*) >= {{.Attempts}} AND MAX(logged_at) >= started;
      MERGE INTO {{in "eval_runs"}} AS t USING (SELECT DISTINCT agent_name, agent_version, batch_id FROM {{in "_given_up"}}) AS s
      ON t.eval_run_id = v_run AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id
      WHEN NOT MATCHED THEN INSERT (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
        VALUES (v_run, s.agent_name, s.agent_version, s.batch_id, started, 'both', get_json_object(settings, '$.config'), get_json_object(settings, '$.judge'), v_versions, 'running');
      INSERT INTO {{in "scores"}} (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, status, reason, code, scored_at)
      SELECT v_run, g.case_id, g.agent_name, g.agent_version, g.batch_id, g.metric, 'failed', g.message, 'unknown', current_timestamp()
      FROM (SELECT *, explode(metric_list) AS metric FROM {{in "_given_up"}}) AS g LEFT ANTI JOIN {{in "scores"}} AS s
      ON s.agent_name = g.agent_name AND s.agent_version = g.agent_version AND s.batch_id = g.batch_id AND s.case_id = g.case_id AND s.metric = g.metric;
      INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
      SELECT uuid(), current_timestamp(), v_run, 'not retried', case_id, 1, message, agent_name, agent_version, batch_id FROM {{in "_given_up"}};
      SET given_up = (SELECT COUNT(*) FROM {{in "_given_up"}});
    END;
    DROP TABLE IF EXISTS {{in "_given_up"}};
    IF fatal IS NULL AND left_out > given_up THEN
      SET fatal = left(concat(left_out - given_up, ' answers could not be scored; the reason of the last one: ', last_problem), 1000);
    END IF;
  END IF;
  IF v_run IS NOT NULL THEN
    MERGE INTO {{in "eval_runs"}} AS t USING (
      SELECT agent_name, agent_version, batch_id, concat('{', array_join(array_sort(collect_list(concat('"', status, '":', n))), ','), '}') AS counts,
             concat('{"calls":', SUM(calls), ',"in":', SUM(tokens_in), ',"out":', SUM(tokens_out), '}') AS tokens
      FROM (
        SELECT agent_name, agent_version, batch_id, status, COUNT(*) AS n, COALESCE(SUM(CAST(get_json_object(usage, '$.calls') AS BIGINT)), 0) AS calls,
               COALESCE(SUM(greatest(CAST(get_json_object(usage, '$.tokens_in') AS BIGINT), 0)), 0) AS tokens_in, COALESCE(SUM(greatest(CAST(get_json_object(usage, '$.tokens_out') AS BIGINT), 0)), 0) AS tokens_out
        FROM {{in "scores"}} WHERE eval_run_id = v_run GROUP BY agent_name, agent_version, batch_id, status)
      GROUP BY agent_name, agent_version, batch_id) AS s
    ON t.eval_run_id = v_run AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id AND (wanted IS NULL OR t.batch_id = wanted)
    WHEN MATCHED THEN UPDATE SET status = CASE WHEN fatal IS NULL THEN 'done' ELSE 'failed' END, counts = s.counts, tokens = s.tokens;
    -- What was left under other versions has been scored by this run.
    IF fatal IS NULL AND wanted IS NULL THEN
      UPDATE {{in "eval_runs"}} SET status = 'stopped' WHERE eval_run_id LIKE 'evaluate-%' AND eval_run_id <> v_run AND status IN ('running', 'failed');
    END IF;
    -- The look-back only moves on when nothing is left.
    IF fatal IS NULL AND scheduled THEN
      UPDATE {{in "schedule"}} SET since_day = {{template "since" .}} WHERE metric = '';
    END IF;
  END IF;
  INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, answers, message, batch_id)
  SELECT uuid(), current_timestamp(), v_run, CASE WHEN fatal IS NOT NULL THEN 'run failed' WHEN done = 0 AND NOT resumed THEN 'idle' ELSE 'done' END, done, fatal, wanted;
  IF fatal IS NOT NULL THEN
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, answers, message, agent_name, agent_version, batch_id)
    SELECT uuid(), current_timestamp(), v_run, 'batch failed', b.answers, fatal, b.agent_name, b.agent_version, b.batch_id FROM {{in "backlog"}} AS b WHERE wanted IS NULL OR b.batch_id = wanted;
  END IF;
  DROP TABLE IF EXISTS {{in "_slice"}};
  DROP TABLE IF EXISTS {{in "_scored"}};
  UPDATE {{in "run_locks"}} SET holder = NULL WHERE name = 'evaluate' AND holder = me;
  IF fatal IS NOT NULL THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = fatal;
  END IF;
END
{{if .Values.Schedule.Cron -}}
--- hand: The job that calls the procedure by night, one run at a time. badger deploy databricks writes the same as a bundle. By hand: save the two files; the SQL files go into the workspace.
badger_evaluate.sql:
    CALL {{in "evaluate"}}();
badger_alerts.sql, which fails with the new alerts, each of them once:
    CALL {{in "send_alerts"}}();
job.json:
    {"name": "badger evaluate", "max_concurrent_runs": 1, "schedule": {"quartz_cron_expression": "{{quartz}}", "timezone_id": "{{.Values.Schedule.Timezone}}", "pause_status": "UNPAUSED"},
     "tasks": [{"task_key": "evaluate", "sql_task": {"warehouse_id": {{py .Values.Schedule.Compute}}, "file": {"path": "/Workspace/Shared/badger_evaluate.sql", "source": "WORKSPACE"}}},
               {"task_key": "alerts", "depends_on": [{"task_key": "evaluate"}], "run_if": "ALL_DONE", "email_notifications": {"on_failure": ["SOMEBODY@EXAMPLE.COM"]},
                "sql_task": {"warehouse_id": {{py .Values.Schedule.Compute}}, "file": {"path": "/Workspace/Shared/badger_alerts.sql", "source": "WORKSPACE"}}}]}
databricks workspace import /Workspace/Shared/badger_evaluate.sql --file badger_evaluate.sql --format RAW
databricks workspace import /Workspace/Shared/badger_alerts.sql --file badger_alerts.sql --format RAW
databricks jobs create --json @job.json
{{end -}}
