{{- define "since"}}{{if .Values.Schedule.Day}}{{lit .Values.Schedule.Day}}{{else}}TO_CHAR(DATEADD('day', -{{.Values.Schedule.Since}}, CONVERT_TIMEZONE('UTC', CURRENT_TIMESTAMP())), 'YYYY-MM-DD'){{end}}{{end -}}
--- owner: The lock of the evaluation.
INSERT INTO {{in "run_locks"}} (name) SELECT 'evaluate' WHERE NOT EXISTS (SELECT 1 FROM {{in "run_locks"}} WHERE name = 'evaluate')
--- owner: The schedule: {{.Values.Schedule.Scored}}, and a drop of a pass rate by {{.Values.Schedule.Drop}} raises an alert.
MERGE INTO {{in "schedule"}} t USING (SELECT '' AS metric, {{template "since" .}} AS since_day) s ON t.metric = s.metric
  WHEN MATCHED THEN UPDATE SET since_day = {{if .Values.Schedule.Day}}s.since_day{{else}}LEAST(t.since_day, s.since_day){{end}}, pass_rate_drop = {{.Values.Schedule.Drop}}
  WHEN NOT MATCHED THEN INSERT (metric, since_day, pass_rate_drop) VALUES (s.metric, s.since_day, {{.Values.Schedule.Drop}})
--- owner: Stores each new fact of open_facts as an alert, and marks those that are no longer true as resolved.{{if .Values.Schedule.Alert.Email}} New alerts are sent by mail.{{end}}
--- drop: DROP PROCEDURE IF EXISTS {{in "send_alerts"}}()
CREATE OR REPLACE PROCEDURE {{in "send_alerts"}}()
  RETURNS VARCHAR
  LANGUAGE SQL
  COMMENT = 'Stores and sends new alerts. [badger-helper]'
  EXECUTE AS OWNER
AS $$
DECLARE
  n INTEGER DEFAULT 0;
{{- if .Values.Schedule.Alert.Email}}
  unsent INTEGER DEFAULT 0;
  subject VARCHAR;
  body VARCHAR;
  until TIMESTAMP_LTZ;
  problem VARCHAR;
{{- end}}
BEGIN
  CREATE OR REPLACE TEMPORARY TABLE {{in "_facts"}} AS SELECT * FROM {{in "open_facts"}};
  UPDATE {{in "alerts"}} SET resolved_at = CURRENT_TIMESTAMP() WHERE resolved_at IS NULL AND fact NOT IN (SELECT fact FROM {{in "_facts"}});
  INSERT INTO {{in "alerts"}} ({{names "alerts" ""}})
    SELECT UUID_STRING(), f.kind, f.fact, f.agent_name, f.agent_version, f.batch_id, f.metric, LEFT(f.message, 1000), CURRENT_TIMESTAMP(), NULL, {{if .Values.Schedule.Alert.Email}}NULL{{else}}CURRENT_TIMESTAMP(){{end}}
    FROM {{in "_facts"}} f LEFT JOIN {{in "alerts"}} a ON a.fact = f.fact AND a.resolved_at IS NULL WHERE a.fact IS NULL;
  n := SQLROWCOUNT;
{{- if .Values.Schedule.Alert.Email}}
  SELECT COUNT(*), LEFT(LISTAGG(message, '\n') WITHIN GROUP (ORDER BY raised_at, alert_id), 100000), MAX(raised_at) INTO :unsent, :body, :until FROM {{in "alerts"}} WHERE sent_at IS NULL;
  IF (unsent > 0) THEN
    BEGIN
      subject := 'badger: ' || unsent || ' new alerts';
      CALL SYSTEM$SEND_EMAIL({{lit .Values.Schedule.Alert.EmailIntegration}}, {{lit .Values.Schedule.Alert.Email}}, :subject, :body);
      UPDATE {{in "alerts"}} SET sent_at = CURRENT_TIMESTAMP() WHERE sent_at IS NULL AND raised_at <= :until;
    EXCEPTION
      WHEN OTHER THEN
        problem := LEFT(SQLERRM, 1000); -- the next call sends them
        INSERT INTO {{in "run_log"}} (entry_id, logged_at, event, message) SELECT UUID_STRING(), CURRENT_TIMESTAMP(), 'alert failed', :problem;
    END;
  END IF;
{{- end}}
  RETURN n || ' new alerts';
END
$$
--- owner: Scores the answers that have no score: CALL {{in "evaluate"}}() those since schedule.since_day, those without a date, and what an earlier call left; CALL {{in "evaluate"}}('BATCH', 'METRIC,METRIC') those of a batch. {{.Slice}} answers at a time are stored.
--- drop: DROP PROCEDURE IF EXISTS {{in "evaluate"}}(VARCHAR, VARCHAR)
CREATE OR REPLACE PROCEDURE {{in "evaluate"}}(BATCH VARCHAR DEFAULT NULL, METRICS VARCHAR DEFAULT NULL)
  RETURNS VARCHAR
  LANGUAGE SQL
  COMMENT = {{lit .ProcedureDoc}}
  EXECUTE AS OWNER
AS $$
DECLARE
  me VARCHAR DEFAULT UUID_STRING();
  holder VARCHAR;
  asked VARCHAR DEFAULT COALESCE(METRICS, {{lit .Metrics}});
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
  size INTEGER DEFAULT {{.Slice}};
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
  -- Whoever is silent for {{.Values.Schedule.Stale}} minutes loses the lock. Slices are stored under it only.
  UPDATE {{in "run_locks"}} SET holder = :me, taken_at = CURRENT_TIMESTAMP(), beat_at = CURRENT_TIMESTAMP()
    WHERE name = 'evaluate' AND (holder IS NULL OR beat_at < DATEADD('minute', -{{.Values.Schedule.Stale}}, CURRENT_TIMESTAMP()));
  SELECT MAX(holder) INTO :holder FROM {{in "run_locks"}} WHERE name = 'evaluate';
  IF (holder IS NULL OR holder <> me) THEN
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, event, batch_id) SELECT UUID_STRING(), CURRENT_TIMESTAMP(), 'refused', :wanted;
    RAISE busy;
  END IF;
  BEGIN
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, batch_id, message)
      SELECT UUID_STRING(), CURRENT_TIMESTAMP(), eval_run_id, 'interrupted', batch_id, 'the call before was interrupted'
      FROM (SELECT eval_run_id, batch_id, event, ROW_NUMBER() OVER (ORDER BY logged_at DESC) AS newest FROM {{in "run_log"}} WHERE event IN ('began', 'resumed', 'done', 'idle', 'run failed', 'interrupted')) l
      WHERE newest = 1 AND event IN ('began', 'resumed');
    IF (SQLROWCOUNT > 0) THEN
      CALL {{in "send_alerts"}}();
    END IF;
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, event, answers, agent_name, agent_version, batch_id)
      SELECT UUID_STRING(), CURRENT_TIMESTAMP(), 'batch began', answers, agent_name, agent_version, batch_id FROM {{in "backlog"}} WHERE :wanted IS NULL OR batch_id = :wanted;
    SELECT TO_JSON({{in "run_settings"}}(:asked)) INTO :settings;
    SELECT s:reason::VARCHAR, TO_JSON(s:versions), TO_JSON(s:metrics) INTO :problem, :versions, :metric_list FROM (SELECT PARSE_JSON(:settings) AS s);
    IF (problem IS NOT NULL) THEN
      RAISE unknown;
    END IF;
    IF (scheduled) THEN
      DELETE FROM {{in "schedule"}} WHERE metric <> '' AND metric NOT IN (SELECT value::VARCHAR FROM TABLE(FLATTEN(INPUT => PARSE_JSON(:metric_list))));
      INSERT INTO {{in "schedule"}} (metric)
        SELECT m.value::VARCHAR FROM TABLE(FLATTEN(INPUT => PARSE_JSON(:metric_list))) m LEFT JOIN {{in "schedule"}} t ON t.metric = m.value::VARCHAR WHERE t.metric IS NULL;
    END IF;
    -- A run that was left goes on where it was to score the same metrics of the same versions.
    SELECT MAX_BY(eval_run_id, eval_run_date) INTO :run_id FROM {{in "eval_runs"}}
      WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed') AND TO_JSON(versions) = :versions AND (:wanted IS NULL OR batch_id = :wanted);
    resumed := run_id IS NOT NULL;
    IF (NOT resumed) THEN
      run_id := 'evaluate-' || TO_CHAR(CONVERT_TIMEZONE('UTC', started), 'YYYYMMDD"T"HH24MISS') || '-' || LEFT(me, 6);
    END IF;
    event := IFF(resumed, 'resumed', 'began');
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, batch_id) SELECT UUID_STRING(), CURRENT_TIMESTAMP(), :run_id, :event, :wanted;
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
      CREATE OR REPLACE TEMPORARY TABLE {{in "_slice"}} (k VARCHAR, agent_name VARCHAR, agent_version VARCHAR, batch_id VARCHAR, case_id VARCHAR, missing VARCHAR, row_json VARIANT);
      INSERT INTO {{in "_slice"}} (k, agent_name, agent_version, batch_id, case_id, missing, row_json)
        WITH answers AS (
          SELECT t.*, agent_name || CHR(31) || agent_version || CHR(31) || batch_id || CHR(31) || case_id AS k
          FROM (SELECT {{key "agent_runs" "agent_name"}} AS agent_name, {{key "agent_runs" "agent_version"}} AS agent_version, {{key "agent_runs" "batch_id"}} AS batch_id,
                       {{key "agent_runs" "case_id"}} AS case_id, ran_at, sql, {{daytext "agent_runs" "ran_at"}} AS run_day, OBJECT_CONSTRUCT(*) AS run_json
                FROM {{in "agent_runs"}}) t
          QUALIFY ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) = 1
        ), interrupted AS (
          SELECT DISTINCT agent_name, batch_id FROM {{in "eval_runs"}} WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed')
        ), running AS ( -- by badger run
          SELECT DISTINCT r.agent_name, r.agent_version, r.batch_id
          FROM {{in "eval_runs"}} r LEFT JOIN (SELECT eval_run_id, MAX(scored_at) AS last_at FROM {{in "scores"}} GROUP BY eval_run_id) l ON l.eval_run_id = r.eval_run_id
          WHERE r.status = 'running' AND r.eval_run_id NOT LIKE 'evaluate-%'
            AND (r.eval_run_date > DATEADD('minute', -{{.Values.Schedule.Stale}}, CURRENT_TIMESTAMP()) OR l.last_at > DATEADD('minute', -{{.Values.Schedule.Stale}}, CURRENT_TIMESTAMP()))
        ), owed AS (
          SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id
          FROM answers a CROSS JOIN (SELECT COALESCE(MAX(since_day), '') AS since_day FROM {{in "schedule"}}) w
          LEFT JOIN interrupted i ON i.agent_name = a.agent_name AND i.batch_id = a.batch_id
          LEFT JOIN running r ON r.agent_name = a.agent_name AND r.agent_version = a.agent_version AND r.batch_id = a.batch_id
          WHERE a.batch_id = :wanted OR :wanted IS NULL AND r.batch_id IS NULL AND (a.run_day IS NULL OR a.run_day >= w.since_day OR i.batch_id IS NOT NULL)
        ), missing AS (
          SELECT a.k, LISTAGG(m.value::VARCHAR, ',') WITHIN GROUP (ORDER BY m.index) AS missing
          FROM owed a CROSS JOIN TABLE(FLATTEN(INPUT => PARSE_JSON(:metric_list))) m
          LEFT JOIN {{in "scores"}} s ON s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id AND s.metric = m.value::VARCHAR
          WHERE s.metric IS NULL AND a.k > :last_key
          GROUP BY a.k
          QUALIFY ROW_NUMBER() OVER (ORDER BY a.k) <= :size
        ), golden AS (
          SELECT case_id, golden_json, COUNT(*) OVER (PARTITION BY case_id, set_version) AS copies
          FROM (SELECT {{key "golden_set" "case_id"}} AS case_id, {{key "golden_set" "set_version"}} AS set_version, OBJECT_CONSTRUCT(*) AS golden_json FROM {{in "golden_set"}}) g
          -- v10 comes after v9: runs of digits count as numbers.
          QUALIFY ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY REGEXP_REPLACE(REGEXP_REPLACE(set_version, '([0-9]+)', '{{.Padding}}\\1'), '[0-9]*([0-9]{40})', '\\1') DESC, set_version DESC) = 1
        )
        SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id, m.missing,
               OBJECT_CONSTRUCT('run', a.run_json, 'golden', g.golden_json, 'copies', COALESCE(g.copies, 0))::VARIANT AS row_json
        FROM missing m JOIN answers a ON a.k = m.k LEFT JOIN golden g ON g.case_id = a.case_id;
      SELECT COUNT(*), MAX(k) INTO :n, :new_key FROM {{in "_slice"}};
      IF (n > 0) THEN
        CREATE OR REPLACE TEMPORARY TABLE {{in "_scored"}} AS
          SELECT agent_name, agent_version, batch_id, case_id, {{in "score_row"}}(row_json, missing) AS result FROM {{in "_slice"}};
        BEGIN TRANSACTION;
        UPDATE {{in "run_locks"}} SET beat_at = CURRENT_TIMESTAMP() WHERE name = 'evaluate' AND holder = :me;
        IF (SQLROWCOUNT = 0) THEN
          RAISE lost;
        END IF;
        MERGE INTO {{in "eval_runs"}} t USING (SELECT DISTINCT agent_name, agent_version, batch_id, j:config AS config, j:judge::VARCHAR AS judge, j:versions AS versions FROM {{in "_slice"}} CROSS JOIN (SELECT PARSE_JSON(:settings) AS j) o) s
          ON t.eval_run_id = :run_id AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id
          WHEN MATCHED THEN UPDATE SET status = 'running'
          WHEN NOT MATCHED THEN INSERT (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
            VALUES (:run_id, s.agent_name, s.agent_version, s.batch_id, :started, 'both', s.config, s.judge, s.versions, 'running');
        MERGE INTO {{in "scores"}} t USING (
            SELECT p.case_id, p.agent_name, p.agent_version, p.batch_id, f.value AS r FROM {{in "_scored"}} p, LATERAL FLATTEN(INPUT => p.result) f WHERE f.value:metric::VARCHAR IS NOT NULL) s
          ON t.eval_run_id = :run_id AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id AND t.case_id = s.case_id AND t.metric = s.r:metric::VARCHAR
          WHEN NOT MATCHED THEN INSERT ({{names "scores" ""}})
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
        INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, answers, message) SELECT UUID_STRING(), CURRENT_TIMESTAMP(), :run_id, 'slice failed', :size, :problem;
      END IF;
      BEGIN -- a server that is away is no fault of an answer
        SELECT TO_JSON({{in "run_settings"}}(:asked)) INTO :probe;
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
      size := {{.Slice}};
    ELSEIF (fatal IS NULL AND size > 1) THEN
      -- One by one, to find the answer that cannot be scored.
      size := 1;
      new_key := NULL;
    ELSEIF (fatal IS NULL AND (new_key IS NULL OR new_key = last_key)) THEN
      fatal := problem;
    ELSEIF (fatal IS NULL) THEN
      INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
        SELECT UUID_STRING(), CURRENT_TIMESTAMP(), :run_id, 'answer failed', case_id, 1, :problem, agent_name, agent_version, batch_id FROM {{in "_slice"}};
      last_problem := problem;
      left_out := left_out + 1;
      in_a_row := in_a_row + 1;
      last_key := new_key;
      IF (in_a_row >= {{.Failing}}) THEN
        fatal := problem;
      END IF;
    END IF;
  END WHILE;

  IF (left_out > 0) THEN
    BEGIN
      -- An answer that fails by itself in {{.Attempts}} calls is not tried again: its scores are failed, with the reason.
      INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
        SELECT UUID_STRING(), CURRENT_TIMESTAMP(), :run_id, 'not retried', case_id, 1, MAX_BY(message, logged_at), agent_name, agent_version, batch_id
        FROM {{in "run_log"}} WHERE event = 'answer failed' AND agent_name IS NOT NULL GROUP BY case_id, agent_name, agent_version, batch_id HAVING COUNT(*) >= {{.Attempts}} AND MAX(logged_at) >= :started;
      MERGE INTO {{in "eval_runs"}} t USING (SELECT DISTINCT agent_name, agent_version, batch_id, j:config AS config, j:judge::VARCHAR AS judge, j:versions AS versions
          FROM {{in "run_log"}} CROSS JOIN (SELECT PARSE_JSON(:settings) AS j) o WHERE event = 'not retried' AND eval_run_id = :run_id AND logged_at >= :started) s
        ON t.eval_run_id = :run_id AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id
        WHEN NOT MATCHED THEN INSERT (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
          VALUES (:run_id, s.agent_name, s.agent_version, s.batch_id, :started, 'both', s.config, s.judge, s.versions, 'running');
      INSERT INTO {{in "scores"}} (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, status, reason, code, scored_at)
        SELECT :run_id, g.case_id, g.agent_name, g.agent_version, g.batch_id, m.value::VARCHAR, 'failed', g.message, 'unknown', CURRENT_TIMESTAMP()
        FROM {{in "run_log"}} g CROSS JOIN TABLE(FLATTEN(INPUT => PARSE_JSON(:metric_list))) m
        LEFT JOIN {{in "scores"}} s ON s.agent_name = g.agent_name AND s.agent_version = g.agent_version AND s.batch_id = g.batch_id AND s.case_id = g.case_id AND s.metric = m.value::VARCHAR
        WHERE g.event = 'not retried' AND g.eval_run_id = :run_id AND g.logged_at >= :started AND s.metric IS NULL;
      SELECT COUNT(*) INTO :given_up FROM {{in "run_log"}} WHERE event = 'not retried' AND eval_run_id = :run_id AND logged_at >= :started;
    EXCEPTION
      WHEN OTHER THEN
        fatal := COALESCE(fatal, SQLERRM);
    END;
    IF (fatal IS NULL AND left_out > given_up) THEN
      fatal := LEFT((left_out - given_up) || ' answers could not be scored; the reason of the last one: ' || last_problem, 1000);
    END IF;
  END IF;
  IF (run_id IS NOT NULL) THEN
    UPDATE {{in "eval_runs"}} t SET status = IFF(:fatal IS NULL, 'done', 'failed'), counts = s.counts, tokens = s.tokens
      FROM (
        SELECT agent_name, agent_version, batch_id, OBJECT_AGG(status, n) AS counts, OBJECT_CONSTRUCT('calls', SUM(calls), 'in', SUM(tokens_in), 'out', SUM(tokens_out)) AS tokens
        FROM (SELECT agent_name, agent_version, batch_id, status, COUNT(*) AS n, COALESCE(SUM(usage:calls::INTEGER), 0) AS calls,
                     COALESCE(SUM(GREATEST(usage:tokens_in::INTEGER, 0)), 0) AS tokens_in, COALESCE(SUM(GREATEST(usage:tokens_out::INTEGER, 0)), 0) AS tokens_out
              FROM {{in "scores"}} WHERE eval_run_id = :run_id GROUP BY agent_name, agent_version, batch_id, status) c
        GROUP BY agent_name, agent_version, batch_id) s
      WHERE t.eval_run_id = :run_id AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id AND (:wanted IS NULL OR t.batch_id = :wanted);
    -- What was left under other versions has been scored by this run.
    IF (fatal IS NULL AND wanted IS NULL) THEN
      UPDATE {{in "eval_runs"}} SET status = 'stopped' WHERE eval_run_id LIKE 'evaluate-%' AND eval_run_id <> :run_id AND status IN ('running', 'failed');
    END IF;
    -- The look-back only moves on when nothing is left.
    IF (fatal IS NULL AND scheduled) THEN
      UPDATE {{in "schedule"}} SET since_day = {{template "since" .}} WHERE metric = '';
    END IF;
  END IF;
  event := CASE WHEN fatal IS NOT NULL THEN 'run failed' WHEN done = 0 AND NOT resumed THEN 'idle' ELSE 'done' END;
  INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, answers, message, batch_id) SELECT UUID_STRING(), CURRENT_TIMESTAMP(), :run_id, :event, :done, :fatal, :wanted;
  IF (fatal IS NOT NULL) THEN
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, answers, message, agent_name, agent_version, batch_id)
      SELECT UUID_STRING(), CURRENT_TIMESTAMP(), :run_id, 'batch failed', answers, :fatal, agent_name, agent_version, batch_id FROM {{in "backlog"}} WHERE :wanted IS NULL OR batch_id = :wanted;
  END IF;
  BEGIN
    CALL {{in "send_alerts"}}();
  EXCEPTION
    WHEN OTHER THEN
      fatal := COALESCE(fatal, SQLERRM);
  END;
  UPDATE {{in "run_locks"}} SET holder = NULL WHERE name = 'evaluate' AND holder = :me;
  IF (fatal IS NOT NULL) THEN
    RAISE failed;
  END IF;
  RETURN event || ': ' || done || ' answers';
END
$$
{{if .Values.Schedule.Alert.Email -}}
--- admin: The owner sends mail.
--- drop: REVOKE USAGE ON INTEGRATION {{id .Values.Schedule.Alert.EmailIntegration}} FROM ROLE {{id .Values.Roles.Owner}}
GRANT USAGE ON INTEGRATION {{id .Values.Schedule.Alert.EmailIntegration}} TO ROLE {{id .Values.Roles.Owner}}
{{end -}}
{{if .Values.Schedule.Cron -}}
--- admin: The owner runs tasks and alerts.
--- drop: REVOKE EXECUTE TASK, EXECUTE ALERT ON ACCOUNT FROM ROLE {{id .Values.Roles.Owner}}
GRANT EXECUTE TASK, EXECUTE ALERT ON ACCOUNT TO ROLE {{id .Values.Roles.Owner}}
--- admin: The task and the alert run on this warehouse.
--- drop: REVOKE USAGE ON WAREHOUSE {{id .Values.Schedule.Compute}} FROM ROLE {{id .Values.Roles.Owner}}
GRANT USAGE ON WAREHOUSE {{id .Values.Schedule.Compute}} TO ROLE {{id .Values.Roles.Owner}}
{{if .Values.Schedule.Alert.ErrorIntegration -}}
--- admin: Errors of the task go to this integration.
--- drop: REVOKE USAGE ON INTEGRATION {{id .Values.Schedule.Alert.ErrorIntegration}} FROM ROLE {{id .Values.Roles.Owner}}
GRANT USAGE ON INTEGRATION {{id .Values.Schedule.Alert.ErrorIntegration}} TO ROLE {{id .Values.Roles.Owner}}
{{end -}}
--- owner: What calls the procedure by night. A run that takes longer than a day is ended, and the next one goes on.
--- drop: DROP TASK IF EXISTS {{in "nightly"}}
CREATE OR REPLACE TASK {{in "nightly"}} WAREHOUSE = {{id .Values.Schedule.Compute}} SCHEDULE = {{lit (print "USING CRON " .Values.Schedule.Cron " " .Values.Schedule.Timezone)}} ALLOW_OVERLAPPING_EXECUTION = FALSE USER_TASK_TIMEOUT_MS = 86400000{{if .Values.Schedule.Alert.ErrorIntegration}} ERROR_INTEGRATION = {{id .Values.Schedule.Alert.ErrorIntegration}}{{end}} COMMENT = 'badger: the nightly evaluation' AS CALL {{in "evaluate"}}()
--- owner: A new task does nothing until it is resumed.
ALTER TASK {{in "nightly"}} RESUME
--- owner: Stores{{if .Values.Schedule.Alert.Email}} and sends{{end}} alerts also if a call was ended from outside. The procedure itself does so at its end.
--- drop: DROP ALERT IF EXISTS {{in "degraded"}}
CREATE OR REPLACE ALERT {{in "degraded"}} WAREHOUSE = {{id .Values.Schedule.Compute}} SCHEDULE = '720 MINUTE' COMMENT = 'badger: facts that are not reported yet'
  IF (EXISTS (SELECT 1 FROM {{in "open_facts"}} f LEFT JOIN {{in "alerts"}} a ON a.fact = f.fact AND a.resolved_at IS NULL WHERE a.sent_at IS NULL))
  THEN CALL {{in "send_alerts"}}()
--- owner: A new alert does nothing until it is resumed.
ALTER ALERT {{in "degraded"}} RESUME
{{end -}}
