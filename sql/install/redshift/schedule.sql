{{- define "since"}}{{if .Values.Schedule.Day}}{{lit .Values.Schedule.Day}}{{else}}TO_CHAR(DATEADD(day, -{{.Values.Schedule.Since}}, SYSDATE), 'YYYY-MM-DD'){{end}}{{end -}}
--- owner: The lock of the evaluation.
INSERT INTO {{in "run_locks"}} (name) SELECT 'evaluate' WHERE NOT EXISTS (SELECT 1 FROM {{in "run_locks"}} WHERE name = 'evaluate')
--- owner: The schedule: {{.Values.Schedule.Scored}}.
INSERT INTO {{in "schedule"}} (metric, since_day) SELECT '', {{template "since" .}} WHERE NOT EXISTS (SELECT 1 FROM {{in "schedule"}} WHERE metric = '')
--- owner: A drop of a pass rate by {{.Values.Schedule.Drop}} raises an alert. The look-back may start earlier than before.
UPDATE {{in "schedule"}} SET since_day = {{if .Values.Schedule.Day}}{{template "since" .}}{{else}}LEAST(since_day, {{template "since" .}}){{end}}, pass_rate_drop = {{.Values.Schedule.Drop}} WHERE metric = ''
--- owner: Stores each new fact of open_facts as an alert, and marks those that are no longer true as resolved. It fails with the new alerts, once for each, so that the schedule that calls it sends its notification. Call it outside a transaction.
--- drop: DROP PROCEDURE {{in "send_alerts"}}()
CREATE OR REPLACE PROCEDURE {{in "send_alerts"}}() NONATOMIC AS $$
DECLARE
  v_new varchar(65535);
BEGIN
  DROP TABLE IF EXISTS badger_facts;
  CREATE TEMP TABLE badger_facts AS SELECT * FROM {{in "open_facts"}};
  UPDATE {{in "alerts"}} SET resolved_at = SYSDATE WHERE resolved_at IS NULL AND fact NOT IN (SELECT fact FROM badger_facts);
  INSERT INTO {{in "alerts"}} ({{names "alerts" ""}})
    SELECT md5(f.fact || SYSDATE::varchar), f.kind, f.fact, f.agent_name, f.agent_version, f.batch_id, f.metric, LEFT(f.message, 1000), SYSDATE, NULL, NULL
    FROM badger_facts f LEFT JOIN {{in "alerts"}} a ON a.fact = f.fact AND a.resolved_at IS NULL WHERE a.fact IS NULL;
  DROP TABLE IF EXISTS badger_new;
  CREATE TEMP TABLE badger_new AS SELECT alert_id, raised_at, LEFT(message, 300) AS message FROM {{in "alerts"}} WHERE sent_at IS NULL ORDER BY raised_at, alert_id LIMIT 50;
  UPDATE {{in "alerts"}} SET sent_at = SYSDATE WHERE alert_id IN (SELECT alert_id FROM badger_new);
  SELECT INTO v_new LISTAGG(message, ' / ') WITHIN GROUP (ORDER BY raised_at, alert_id) FROM badger_new;
  IF v_new <> '' THEN
    RAISE EXCEPTION '%', v_new;
  END IF;
END
$$ LANGUAGE plpgsql
--- owner: A new procedure may be called by everyone until that is taken away. It needs the rights of the owner.
REVOKE ALL ON PROCEDURE {{in "send_alerts"}}() FROM PUBLIC
--- owner: Scores the answers that have no score: CALL {{in "evaluate"}}(NULL, NULL) those since schedule.since_day, those without a date, and what an earlier call left; CALL {{in "evaluate"}}('BATCH', 'METRIC,METRIC') those of a batch. {{.Slice}} answers at a time are stored. A call to badger scores one metric, because its result holds 65535 bytes at most. Call it outside a transaction.
--- drop: DROP PROCEDURE {{in "evaluate"}}(varchar, varchar)
CREATE OR REPLACE PROCEDURE {{in "evaluate"}}(v_batch varchar(65535), v_asked varchar(65535)) NONATOMIC AS $$
DECLARE
  v_me varchar(64) := md5(random()::varchar || getdate()::varchar || pg_backend_pid()::varchar);
  v_scheduled boolean := v_batch IS NULL AND v_asked IS NULL;
  v_started timestamp := SYSDATE;
  v_settings varchar(65535);
  v_probe varchar(65535);
  v_versions varchar(65535);
  v_run varchar(200);
  v_event varchar(20);
  v_resumed boolean := FALSE;
  v_last varchar(65535) := '';
  v_key varchar(65535);
  v_size int := {{.Slice}};
  v_n int := 0;
  v_done int := 0;
  v_left_out int := 0;
  v_given_up int := 0;
  v_in_a_row int := 0;
  v_held int;
  v_problem varchar(1000);
  v_last_problem varchar(1000);
  v_fatal varchar(1000);
BEGIN
  -- Whoever is silent for {{.Values.Schedule.Stale}} minutes loses the lock. Slices are stored under it only.
  BEGIN
    UPDATE {{in "run_locks"}} SET holder = v_me, taken_at = SYSDATE, beat_at = SYSDATE
    WHERE name = 'evaluate' AND (holder IS NULL OR beat_at < DATEADD(minute, -{{.Values.Schedule.Stale}}, SYSDATE));
  EXCEPTION WHEN OTHERS THEN
    v_problem := SQLERRM;
  END;
  SELECT INTO v_n COUNT(*) FROM {{in "run_locks"}} WHERE name = 'evaluate' AND holder = v_me;
  IF v_n = 0 THEN
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, event, message, batch_id) SELECT md5(v_me || 'refused'), SYSDATE, 'refused', v_problem, v_batch;
    RAISE EXCEPTION 'another evaluation is running';
  END IF;
  BEGIN
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, batch_id, message)
      SELECT md5(v_me || 'interrupted'), SYSDATE, l.eval_run_id, 'interrupted', l.batch_id, 'the call before was interrupted'
      FROM (SELECT eval_run_id, batch_id, event, ROW_NUMBER() OVER (ORDER BY logged_at DESC) AS newest FROM {{in "run_log"}} WHERE event IN ('began', 'resumed', 'done', 'idle', 'run failed', 'interrupted')) l
      WHERE l.newest = 1 AND l.event IN ('began', 'resumed');
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, event, answers, agent_name, agent_version, batch_id)
      SELECT md5(v_me || 'batch began' || b.agent_name || CHR(31) || b.agent_version || CHR(31) || b.batch_id), SYSDATE, 'batch began', b.answers, b.agent_name, b.agent_version, b.batch_id
      FROM {{in "backlog"}} b WHERE v_batch IS NULL OR b.batch_id = v_batch;
    SELECT INTO v_settings {{in "run_settings"}}(COALESCE(v_asked, {{lit .Metrics}}));
    v_fatal := json_extract_path_text(v_settings, 'reason', TRUE);
    IF v_fatal = '' THEN
      v_fatal := NULL;
    END IF;
    v_versions := json_extract_path_text(v_settings, 'versions');
    DROP TABLE IF EXISTS badger_metrics;
    CREATE TEMP TABLE badger_metrics AS SELECT m::varchar AS metric FROM (SELECT JSON_PARSE(json_extract_path_text(v_settings, 'metrics')) AS a) t, t.a AS m;
    IF v_scheduled AND v_fatal IS NULL THEN
      DELETE FROM {{in "schedule"}} WHERE metric <> '' AND metric NOT IN (SELECT metric FROM badger_metrics);
      INSERT INTO {{in "schedule"}} (metric) SELECT m.metric FROM badger_metrics m LEFT JOIN {{in "schedule"}} t ON t.metric = m.metric WHERE t.metric IS NULL;
    END IF;
    -- A run that was left goes on where it was to score the same metrics of the same versions.
    SELECT INTO v_run MAX(eval_run_id) FROM {{in "eval_runs"}}
    WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed') AND JSON_SERIALIZE(versions) = JSON_SERIALIZE(JSON_PARSE(v_versions)) AND (v_batch IS NULL OR batch_id = v_batch);
    v_resumed := v_run IS NOT NULL;
    v_run := COALESCE(v_run, 'evaluate-' || TO_CHAR(SYSDATE, 'YYYYMMDD"T"HH24MISS') || '-' || LEFT(v_me, 6));
    v_event := CASE WHEN v_resumed THEN 'resumed' ELSE 'began' END;
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, batch_id) SELECT md5(v_me || 'begin'), SYSDATE, v_run, v_event, v_batch;
  EXCEPTION WHEN OTHERS THEN
    v_fatal := LEFT(SQLERRM, 1000);
  END;

  WHILE v_fatal IS NULL LOOP
    v_problem := NULL;
    BEGIN
      DROP TABLE IF EXISTS badger_answers;
      CREATE TEMP TABLE badger_answers AS
        SELECT t.*, agent_name || CHR(31) || agent_version || CHR(31) || batch_id || CHR(31) || case_id AS k
        FROM (SELECT {{key "agent_runs" "agent_name"}} AS agent_name, {{key "agent_runs" "agent_version"}} AS agent_version, {{key "agent_runs" "batch_id"}} AS batch_id,
                     {{key "agent_runs" "case_id"}} AS case_id, ran_at, sql, {{daytext "agent_runs" "ran_at"}} AS run_day FROM {{in "agent_runs"}}) t
        QUALIFY ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) = 1;
      DROP TABLE IF EXISTS badger_slice;
      CREATE TEMP TABLE badger_slice AS
        WITH interrupted AS (
          SELECT DISTINCT agent_name, batch_id FROM {{in "eval_runs"}} WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed')
        ), running AS ( -- by badger run
          SELECT DISTINCT r.agent_name, r.agent_version, r.batch_id
          FROM {{in "eval_runs"}} r LEFT JOIN (SELECT eval_run_id, MAX(scored_at) AS last_at FROM {{in "scores"}} GROUP BY eval_run_id) l ON l.eval_run_id = r.eval_run_id
          WHERE r.status = 'running' AND r.eval_run_id NOT LIKE 'evaluate-%'
            AND (r.eval_run_date > DATEADD(minute, -{{.Values.Schedule.Stale}}, SYSDATE) OR l.last_at > DATEADD(minute, -{{.Values.Schedule.Stale}}, SYSDATE))
        ), owed AS (
          SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id
          FROM badger_answers a CROSS JOIN (SELECT COALESCE(MAX(since_day), '') AS since_day FROM {{in "schedule"}}) w
          LEFT JOIN interrupted i ON i.agent_name = a.agent_name AND i.batch_id = a.batch_id
          LEFT JOIN running r ON r.agent_name = a.agent_name AND r.agent_version = a.agent_version AND r.batch_id = a.batch_id
          WHERE a.batch_id = v_batch OR v_batch IS NULL AND r.batch_id IS NULL AND (a.run_day IS NULL OR a.run_day >= w.since_day OR i.batch_id IS NOT NULL)
        ), missing AS (
          SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id, m.metric, DENSE_RANK() OVER (ORDER BY a.k) AS place
          FROM owed a CROSS JOIN badger_metrics m
          LEFT JOIN {{in "scores"}} s ON s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id AND s.metric = m.metric
          WHERE s.metric IS NULL AND a.k > v_last
        )
        SELECT k, agent_name, agent_version, batch_id, case_id, metric FROM missing WHERE place <= v_size;
      SELECT INTO v_n, v_key COUNT(DISTINCT k), MAX(k) FROM badger_slice;
      IF v_n > 0 THEN
        DROP TABLE IF EXISTS badger_scored;
        CREATE TEMP TABLE badger_scored AS
          WITH golden AS (
            SELECT {{key "golden_set" "case_id"}} AS id, {{key "golden_set" "set_version"}} AS version, COUNT(*) OVER (PARTITION BY id, version) AS copies,
              OBJECT({{range $i, $c := (table "golden_set").Columns}}{{if $i}}, {{end}}'{{.Name}}', {{.Name}}{{end}}) AS row
            FROM {{in "golden_set"}}
            -- v10 comes after v9: runs of digits count as numbers.
            QUALIFY ROW_NUMBER() OVER (PARTITION BY id ORDER BY REGEXP_REPLACE(REGEXP_REPLACE(version, '([0-9]+)', '{{.Padding}}$1'), '[0-9]*([0-9]{40})', '$1') DESC, version DESC) = 1
          ), runs AS (
            SELECT {{key "agent_runs" "agent_name"}} || CHR(31) || {{key "agent_runs" "agent_version"}} || CHR(31) || {{key "agent_runs" "batch_id"}} || CHR(31) || {{key "agent_runs" "case_id"}} AS k,
              OBJECT({{range $i, $c := (table "agent_runs").Columns}}{{if $i}}, {{end}}'{{.Name}}', {{.Name}}{{end}}) AS row
            FROM {{in "agent_runs"}}
            QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY ran_at, sql) = 1
          )
          SELECT p.agent_name, p.agent_version, p.batch_id, p.case_id,
                 JSON_PARSE({{in "score_row"}}(JSON_SERIALIZE(OBJECT('run', r.row, 'golden', g.row, 'copies', COALESCE(g.copies, 0))), p.metric)) AS result
          FROM badger_slice p JOIN runs r ON r.k = p.k LEFT JOIN golden g ON g.id = p.case_id;
        START TRANSACTION;
        UPDATE {{in "run_locks"}} SET beat_at = SYSDATE WHERE name = 'evaluate' AND holder = v_me;
        GET DIAGNOSTICS v_held = ROW_COUNT;
        IF v_held = 0 THEN
          v_fatal := 'another call has taken the lock, because this one was silent for too long';
          RAISE EXCEPTION '%', v_fatal;
        END IF;
        INSERT INTO {{in "eval_runs"}} (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
          SELECT v_run, s.agent_name, s.agent_version, s.batch_id, SYSDATE, 'both', JSON_PARSE(json_extract_path_text(v_settings, 'config')), json_extract_path_text(v_settings, 'judge'), JSON_PARSE(v_versions), 'running'
          FROM (SELECT DISTINCT agent_name, agent_version, batch_id FROM badger_slice) s
          LEFT JOIN {{in "eval_runs"}} t ON t.eval_run_id = v_run AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id
          WHERE t.eval_run_id IS NULL;
        -- These answers have no score of these metrics, so that nothing is there to be replaced.
        INSERT INTO {{in "scores"}} ({{names "scores" ""}})
          SELECT v_run, p.case_id, p.agent_name, p.agent_version, p.batch_id, s.metric::varchar, s.metric_version::bigint, s.status::varchar, s.value::double precision, s.label::varchar(65535), s.passed::boolean,
                 s.reason::varchar(65535), s.detail, s.assessment_ids, s.config_hash::varchar, SYSDATE, s.code::varchar, s.usage, s.gold_hash::varchar, s.answer_hash::varchar
          FROM badger_scored p, p.result AS s WHERE s.metric IS NOT NULL;
        COMMIT;
      END IF;
    EXCEPTION WHEN OTHERS THEN
      v_problem := LEFT(SQLERRM, 1000);
    END;
    IF v_fatal IS NULL AND v_problem IS NOT NULL THEN
      IF v_size > 1 THEN
        INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, answers, message) SELECT md5(v_me || v_last || 'slice'), SYSDATE, v_run, 'slice failed', v_size, v_problem;
      END IF;
      BEGIN -- a server that is away is no fault of an answer
        SELECT INTO v_probe {{in "run_settings"}}(COALESCE(v_asked, {{lit .Metrics}}));
      EXCEPTION WHEN OTHERS THEN
        v_fatal := v_problem;
      END;
    END IF;
    EXIT WHEN v_fatal IS NOT NULL;
    IF v_problem IS NULL THEN
      EXIT WHEN v_n = 0;
      v_last := v_key;
      v_done := v_done + v_n;
      v_in_a_row := 0;
      v_size := {{.Slice}};
    ELSIF v_size > 1 THEN
      v_size := 1; -- one by one, to find the answer that cannot be scored
      v_key := NULL;
    ELSIF v_key IS NULL OR v_key = v_last THEN
      v_fatal := v_problem;
    ELSE
      INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
        SELECT DISTINCT md5(v_me || v_last || 'answer'), SYSDATE, v_run, 'answer failed', case_id, 1, v_problem, agent_name, agent_version, batch_id FROM badger_slice;
      v_last_problem := v_problem;
      v_left_out := v_left_out + 1;
      v_in_a_row := v_in_a_row + 1;
      v_last := v_key;
      IF v_in_a_row >= {{.Failing}} THEN
        v_fatal := v_problem;
      END IF;
    END IF;
  END LOOP;

  IF v_left_out > 0 THEN
    BEGIN
      -- An answer that fails by itself in {{.Attempts}} calls is not tried again: its scores are failed, with the reason.
      DROP TABLE IF EXISTS badger_given_up;
      CREATE TEMP TABLE badger_given_up AS
        SELECT agent_name, agent_version, batch_id, case_id, MAX(message) AS message
        FROM {{in "run_log"}} WHERE event = 'answer failed' AND agent_name IS NOT NULL GROUP BY agent_name, agent_version, batch_id, case_id HAVING COUNT(*) >= {{.Attempts}} AND MAX(logged_at) >= v_started;
      INSERT INTO {{in "eval_runs"}} (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
        SELECT v_run, s.agent_name, s.agent_version, s.batch_id, SYSDATE, 'both', JSON_PARSE(json_extract_path_text(v_settings, 'config')), json_extract_path_text(v_settings, 'judge'), JSON_PARSE(v_versions), 'running'
        FROM (SELECT DISTINCT agent_name, agent_version, batch_id FROM badger_given_up) s
        LEFT JOIN {{in "eval_runs"}} t ON t.eval_run_id = v_run AND t.agent_name = s.agent_name AND t.agent_version = s.agent_version AND t.batch_id = s.batch_id
        WHERE t.eval_run_id IS NULL;
      INSERT INTO {{in "scores"}} (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, status, reason, code, scored_at)
        SELECT v_run, g.case_id, g.agent_name, g.agent_version, g.batch_id, m.metric, 'failed', g.message, 'unknown', SYSDATE
        FROM badger_given_up g CROSS JOIN badger_metrics m
        LEFT JOIN {{in "scores"}} s ON s.agent_name = g.agent_name AND s.agent_version = g.agent_version AND s.batch_id = g.batch_id AND s.case_id = g.case_id AND s.metric = m.metric
        WHERE s.metric IS NULL;
      INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
        SELECT md5(v_me || 'not retried' || agent_name || CHR(31) || agent_version || CHR(31) || batch_id || CHR(31) || case_id), SYSDATE, v_run, 'not retried', case_id, 1, message, agent_name, agent_version, batch_id FROM badger_given_up;
      SELECT INTO v_given_up COUNT(*) FROM badger_given_up;
    EXCEPTION WHEN OTHERS THEN
      v_fatal := COALESCE(v_fatal, LEFT(SQLERRM, 1000));
    END;
    IF v_fatal IS NULL AND v_left_out > v_given_up THEN
      v_fatal := LEFT((v_left_out - v_given_up)::varchar || ' answers could not be scored; the reason of the last one: ' || v_last_problem, 1000);
    END IF;
  END IF;
  IF v_run IS NOT NULL THEN
    UPDATE {{in "eval_runs"}} SET status = CASE WHEN v_fatal IS NULL THEN 'done' ELSE 'failed' END, counts = JSON_PARSE(s.counts), tokens = JSON_PARSE(s.tokens)
    FROM (
      SELECT agent_name, agent_version, batch_id, '{' || LISTAGG('"' || status || '":' || n::varchar, ',') WITHIN GROUP (ORDER BY status) || '}' AS counts,
             '{"calls":' || SUM(calls)::varchar || ',"in":' || SUM(tokens_in)::varchar || ',"out":' || SUM(tokens_out)::varchar || '}' AS tokens
      FROM (
        SELECT agent_name, agent_version, batch_id, status, COUNT(*) AS n, COALESCE(SUM(usage.calls::bigint), 0) AS calls,
               COALESCE(SUM(GREATEST(usage.tokens_in::bigint, 0)), 0) AS tokens_in, COALESCE(SUM(GREATEST(usage.tokens_out::bigint, 0)), 0) AS tokens_out
        FROM {{in "scores"}} WHERE eval_run_id = v_run GROUP BY agent_name, agent_version, batch_id, status) c
      GROUP BY agent_name, agent_version, batch_id) s
    WHERE eval_runs.eval_run_id = v_run AND eval_runs.agent_name = s.agent_name AND eval_runs.agent_version = s.agent_version AND eval_runs.batch_id = s.batch_id
      AND (v_batch IS NULL OR eval_runs.batch_id = v_batch);
    -- What was left under other versions has been scored by this run.
    IF v_fatal IS NULL AND v_batch IS NULL THEN
      UPDATE {{in "eval_runs"}} SET status = 'stopped' WHERE eval_run_id LIKE 'evaluate-%' AND eval_run_id <> v_run AND status IN ('running', 'failed');
    END IF;
    -- The look-back only moves on when nothing is left.
    IF v_fatal IS NULL AND v_scheduled THEN
      UPDATE {{in "schedule"}} SET since_day = {{template "since" .}} WHERE metric = '';
    END IF;
  END IF;
  v_event := CASE WHEN v_fatal IS NOT NULL THEN 'run failed' WHEN v_done = 0 AND NOT v_resumed THEN 'idle' ELSE 'done' END;
  INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, answers, message, batch_id) SELECT md5(v_me || 'end'), SYSDATE, v_run, v_event, v_done, v_fatal, v_batch;
  IF v_fatal IS NOT NULL THEN
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, answers, message, agent_name, agent_version, batch_id)
      SELECT md5(v_me || 'batch failed' || b.agent_name || CHR(31) || b.agent_version || CHR(31) || b.batch_id), SYSDATE, v_run, 'batch failed', b.answers, v_fatal, b.agent_name, b.agent_version, b.batch_id
      FROM {{in "backlog"}} b WHERE v_batch IS NULL OR b.batch_id = v_batch;
  END IF;
  UPDATE {{in "run_locks"}} SET holder = NULL WHERE name = 'evaluate' AND holder = v_me;
  IF v_fatal IS NOT NULL THEN
    RAISE EXCEPTION '%', v_fatal;
  END IF;
END
$$ LANGUAGE plpgsql
--- owner: A new procedure may be called by everyone until that is taken away. It needs the rights of the owner.
REVOKE ALL ON PROCEDURE {{in "evaluate"}}(varchar, varchar) FROM PUBLIC
{{if .Values.Schedule.Cron -}}
--- hand: What calls the procedure by night: a schedule of the query editor, or of EventBridge Scheduler with the Data API. Its role needs redshift-data:ExecuteStatement and the owner's rights.
schedule: {{eventbridge}}, time zone {{.Values.Schedule.Timezone}}
SQL: CALL {{in "evaluate"}}(NULL, NULL)
aws scheduler create-schedule --name badger-evaluate --schedule-expression '{{eventbridge}}' --schedule-expression-timezone {{.Values.Schedule.Timezone}} --flexible-time-window Mode=OFF --target '{"Arn": "arn:aws:scheduler:::aws-sdk:redshiftdata:executeStatement", "RoleArn": "ROLE", "Input": "{\"Sql\": \"CALL {{.Values.Schema}}.evaluate(NULL, NULL)\", \"Database\": \"DATABASE\", \"WorkgroupName\": \"WORKGROUP\"}"}'
--- hand: A second schedule, an hour later. Its statement fails when there are new alerts, with their text, and a fact is reported once. Redshift sends no mail: an EventBridge rule on failed statements passes them on, to an SNS topic of yours. The first schedule fails every night that fails. Without AWS: badger doctor reports the backlog and open alerts.
SQL: CALL {{in "send_alerts"}}()
aws scheduler create-schedule --name badger-alerts --schedule-expression 'AN HOUR LATER' --schedule-expression-timezone {{.Values.Schedule.Timezone}} --flexible-time-window Mode=OFF --target '{"Arn": "arn:aws:scheduler:::aws-sdk:redshiftdata:executeStatement", "RoleArn": "ROLE", "Input": "{\"Sql\": \"CALL {{.Values.Schema}}.send_alerts()\", \"Database\": \"DATABASE\", \"WorkgroupName\": \"WORKGROUP\", \"StatementName\": \"badger-alerts\", \"WithEvent\": true}"}'
aws events put-rule --name badger-alerts --event-pattern '{"source": ["aws.redshift-data"], "detail-type": ["Redshift Data Statement Status Change"], "detail": {"statementName": ["badger-alerts"], "state": ["FAILED"]}}'
aws events put-targets --rule badger-alerts --targets 'Id=1,Arn=TOPIC'
{{end -}}
