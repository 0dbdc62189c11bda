--- owner: The lock of the evaluation.
INSERT INTO {{in "run_locks"}} (name) SELECT 'evaluate' WHERE NOT EXISTS (SELECT 1 FROM {{in "run_locks"}} WHERE name = 'evaluate')
--- owner: Scores the answers that have no score: CALL {{in "evaluate"}}() those of each agent's newest batch, and what an earlier call left; CALL {{in "evaluate"}}('BATCH', 'METRIC,METRIC') those of a batch. {{.Slice}} answers at a time are stored.
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
  settings VARCHAR;
  versions VARCHAR;
  metric_list VARCHAR;
  run_id VARCHAR;
  resumed BOOLEAN DEFAULT FALSE;
  started TIMESTAMP_LTZ DEFAULT CURRENT_TIMESTAMP();
  last_key VARCHAR DEFAULT '';
  new_key VARCHAR;
  one_case VARCHAR;
  size INTEGER DEFAULT {{.Slice}};
  n INTEGER DEFAULT 0;
  done INTEGER DEFAULT 0;
  left_out INTEGER DEFAULT 0;
  in_a_row INTEGER DEFAULT 0;
  problem VARCHAR;
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
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, event) SELECT UUID_STRING(), CURRENT_TIMESTAMP(), 'refused';
    RAISE busy;
  END IF;
  BEGIN
    SELECT TO_JSON({{in "run_settings"}}(:asked)) INTO :settings;
    SELECT s:reason::VARCHAR, TO_JSON(s:versions), TO_JSON(s:metrics) INTO :problem, :versions, :metric_list FROM (SELECT PARSE_JSON(:settings) AS s);
    IF (problem IS NOT NULL) THEN
      RAISE unknown;
    END IF;
    -- A run that was left goes on where it was to score the same metrics of the same versions.
    SELECT MAX_BY(eval_run_id, eval_run_date) INTO :run_id FROM {{in "eval_runs"}}
      WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed') AND TO_JSON(versions) = :versions AND (:wanted IS NULL OR batch_id = :wanted);
    resumed := run_id IS NOT NULL;
    IF (NOT resumed) THEN
      run_id := 'evaluate-' || TO_CHAR(CONVERT_TIMEZONE('UTC', started), 'YYYYMMDD"T"HH24MISS') || '-' || LEFT(me, 6);
    END IF;
    event := IFF(resumed, 'resumed', 'began');
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event) SELECT UUID_STRING(), CURRENT_TIMESTAMP(), :run_id, :event;
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
                       {{key "agent_runs" "case_id"}} AS case_id, ran_at, sql, OBJECT_CONSTRUCT(*) AS run_json
                FROM {{in "agent_runs"}}) t
          QUALIFY ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) = 1
        ), scope AS (
          SELECT agent_name, batch_id FROM answers WHERE :wanted IS NULL GROUP BY agent_name, batch_id
          QUALIFY ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY MAX(ran_at) DESC NULLS LAST, batch_id DESC) = 1
          UNION
          SELECT agent_name, batch_id FROM {{in "eval_runs"}} WHERE :wanted IS NULL AND eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed')
          UNION
          SELECT agent_name, batch_id FROM answers WHERE batch_id = :wanted
        ), missing AS (
          SELECT a.k, LISTAGG(m.value::VARCHAR, ',') WITHIN GROUP (ORDER BY m.index) AS missing
          FROM answers a JOIN scope c ON c.agent_name = a.agent_name AND c.batch_id = a.batch_id
          CROSS JOIN TABLE(FLATTEN(INPUT => PARSE_JSON(:metric_list))) m
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
      SELECT COUNT(*), MAX(k), MAX(case_id) INTO :n, :new_key, :one_case FROM {{in "_slice"}};
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
              s.r:passed::BOOLEAN, s.r:reason::VARCHAR, STRIP_NULL_VALUE(s.r:detail), STRIP_NULL_VALUE(s.r:assessment_ids), s.r:config_hash::VARCHAR, CURRENT_TIMESTAMP(), s.r:code::VARCHAR, STRIP_NULL_VALUE(s.r:usage), s.r:gold_hash::VARCHAR);
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
    IF (fatal IS NULL AND problem IS NULL) THEN
      IF (n = 0) THEN
        BREAK;
      END IF;
      last_key := new_key;
      done := done + n;
      in_a_row := 0;
      size := {{.Slice}};
    ELSEIF (fatal IS NULL AND size > 1) THEN
      INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, answers, message) SELECT UUID_STRING(), CURRENT_TIMESTAMP(), :run_id, 'slice failed', :size, :problem;
      -- One by one, to find the answer that cannot be scored.
      size := 1;
    ELSEIF (fatal IS NULL) THEN
      INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, case_id, answers, message) SELECT UUID_STRING(), CURRENT_TIMESTAMP(), :run_id, 'answer failed', :one_case, 1, :problem;
      left_out := left_out + 1;
      in_a_row := in_a_row + 1;
      IF (in_a_row >= 3 OR new_key IS NULL OR new_key = last_key) THEN
        fatal := problem;
      ELSE
        last_key := new_key;
      END IF;
    END IF;
  END WHILE;

  IF (fatal IS NULL AND left_out > 0) THEN
    fatal := left_out || ' answers could not be scored; run_log says why';
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
  END IF;
  event := CASE WHEN fatal IS NOT NULL THEN 'run failed' WHEN done = 0 AND NOT resumed THEN 'idle' ELSE 'done' END;
  INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, answers, message) SELECT UUID_STRING(), CURRENT_TIMESTAMP(), :run_id, :event, :done, :fatal;
  UPDATE {{in "run_locks"}} SET holder = NULL WHERE name = 'evaluate' AND holder = :me;
  IF (fatal IS NOT NULL) THEN
    RAISE failed;
  END IF;
  RETURN event || ': ' || done || ' answers';
END
$$
{{if .Values.Schedule.Cron -}}
--- admin: The owner runs tasks and alerts.
--- drop: REVOKE EXECUTE TASK, EXECUTE ALERT ON ACCOUNT FROM ROLE {{id .Values.Roles.Owner}}
GRANT EXECUTE TASK, EXECUTE ALERT ON ACCOUNT TO ROLE {{id .Values.Roles.Owner}}
--- admin: The task and the alert run on this warehouse.
--- drop: REVOKE USAGE ON WAREHOUSE {{id .Values.Schedule.Compute}} FROM ROLE {{id .Values.Roles.Owner}}
GRANT USAGE ON WAREHOUSE {{id .Values.Schedule.Compute}} TO ROLE {{id .Values.Roles.Owner}}
--- owner: What calls the procedure by night. A run that takes longer than a day is ended, and the next one goes on.
--- drop: DROP TASK IF EXISTS {{in "nightly"}}
CREATE OR REPLACE TASK {{in "nightly"}} WAREHOUSE = {{id .Values.Schedule.Compute}} SCHEDULE = {{lit (print "USING CRON " .Values.Schedule.Cron " " .Values.Schedule.Timezone)}} ALLOW_OVERLAPPING_EXECUTION = FALSE USER_TASK_TIMEOUT_MS = 86400000 COMMENT = 'badger: the nightly evaluation' AS CALL {{in "evaluate"}}()
--- owner: A new task does nothing until it is resumed.
ALTER TASK {{in "nightly"}} RESUME
--- owner: Logs each metric whose pass rate fell by {{.Values.Schedule.Drop}} or more, or that failed more often, against the batch before. Replace the INSERT by SYSTEM$SEND_EMAIL(...) where a notification integration is there.
--- drop: DROP ALERT IF EXISTS {{in "degraded"}}
CREATE OR REPLACE ALERT {{in "degraded"}} WAREHOUSE = {{id .Values.Schedule.Compute}} SCHEDULE = '720 MINUTE' COMMENT = 'badger: fewer answers pass than in the batch before'
  IF (EXISTS (SELECT 1 FROM {{in "degradation"}} WHERE pass_rate_change <= -{{.Values.Schedule.Drop}} OR failed > failed_before))
  THEN INSERT INTO {{in "run_log"}} (entry_id, logged_at, event, message)
    SELECT UUID_STRING(), CURRENT_TIMESTAMP(), 'degraded', agent_name || ', ' || metric || ', batch ' || batch_id || ': pass rate ' || COALESCE(pass_rate::VARCHAR, 'none') || ', before ' || COALESCE(pass_rate_before::VARCHAR, 'none')
    FROM {{in "degradation"}} WHERE pass_rate_change <= -{{.Values.Schedule.Drop}} OR failed > failed_before
--- owner: A new alert does nothing until it is resumed.
ALTER ALERT {{in "degraded"}} RESUME
{{end -}}
