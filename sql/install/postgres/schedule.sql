{{- define "since"}}{{if .Values.Schedule.Day}}{{lit .Values.Schedule.Day}}{{else}}to_char(clock_timestamp() AT TIME ZONE 'UTC' - INTERVAL '{{.Values.Schedule.Since}} days', 'YYYY-MM-DD'){{end}}{{end -}}
--- owner: The schedule: {{.Values.Schedule.Scored}}, and a drop of a pass rate by {{.Values.Schedule.Drop}} raises an alert.
INSERT INTO {{in "schedule"}} (metric, since_day, pass_rate_drop) VALUES ('', {{template "since" .}}, {{.Values.Schedule.Drop}})
ON CONFLICT (metric) DO UPDATE SET since_day = {{if .Values.Schedule.Day}}EXCLUDED.since_day{{else}}LEAST(schedule.since_day, EXCLUDED.since_day){{end}}, pass_rate_drop = EXCLUDED.pass_rate_drop
--- owner: The first answers after a key that lack scores of some of the metrics, with the metrics that they lack: of one batch, or since schedule.since_day, also those without a date, and the rest of an interrupted call. If batches are given, others are not looked at. Batches that a run of badger run is scoring are left out.
--- drop: DROP FUNCTION IF EXISTS {{in "_pending"}}(text, text[], text, int, text[])
CREATE OR REPLACE FUNCTION {{in "_pending"}}(batch text, metrics text[], after text, size int, batches text[])
RETURNS TABLE (k text, agent_name text, agent_version text, batch_id text, case_id text, run_json json, missing text)
LANGUAGE sql STABLE AS $badger$
  WITH running AS MATERIALIZED (
    SELECT DISTINCT r.agent_name, r.agent_version, r.batch_id FROM {{in "eval_runs"}} r
    WHERE r.status = 'running' AND r.eval_run_id NOT LIKE 'evaluate-%'
      AND GREATEST(r.eval_run_date, (SELECT MAX(s.scored_at) FROM {{in "scores"}} s WHERE s.eval_run_id = r.eval_run_id)) > now() - INTERVAL '{{.Values.Schedule.Stale}} minutes'
  ), interrupted AS MATERIALIZED (
    SELECT DISTINCT agent_name, batch_id FROM {{in "eval_runs"}} WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed')
  ), answers AS (
    SELECT DISTINCT agent_name, agent_version, batch_id, case_id, agent_name || chr(31) || agent_version || chr(31) || batch_id || chr(31) || case_id AS k
    FROM (SELECT {{key "agent_runs" "agent_name"}} AS agent_name, {{key "agent_runs" "agent_version"}} AS agent_version, {{key "agent_runs" "batch_id"}} AS batch_id,
                 {{key "agent_runs" "case_id"}} AS case_id, {{daytext "agent_runs" "ran_at"}} AS run_day FROM {{in "agent_runs"}}) t
    WHERE ($5 IS NULL OR batch_id = ANY ($5)) AND (batch_id = $1 OR $1 IS NULL AND (run_day IS NULL OR run_day >= COALESCE((SELECT MAX(since_day) FROM {{in "schedule"}}), '')
        OR EXISTS (SELECT 1 FROM interrupted i WHERE i.agent_name = t.agent_name AND i.batch_id = t.batch_id))
      AND NOT EXISTS (SELECT 1 FROM running r WHERE r.agent_name = t.agent_name AND r.agent_version = t.agent_version AND r.batch_id = t.batch_id))
  ), missing AS MATERIALIZED (
    SELECT a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id, string_agg(m.metric, ',' ORDER BY m.place) AS missing
    FROM answers a CROSS JOIN unnest($2) WITH ORDINALITY AS m(metric, place)
    WHERE a.k COLLATE "C" > $3 COLLATE "C" AND NOT EXISTS (
      SELECT 1 FROM {{in "scores"}} s
      WHERE ($5 IS NULL OR s.batch_id = ANY ($5))
        AND s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id AND s.metric = m.metric)
    GROUP BY a.k, a.agent_name, a.agent_version, a.batch_id, a.case_id ORDER BY a.k COLLATE "C" LIMIT $4
  )
  -- Only these rows are read as wholes: the table may have years of answers.
  SELECT m.k, m.agent_name, m.agent_version, m.batch_id, m.case_id, t.run_json, m.missing
  FROM missing m JOIN (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) AS choice
    FROM (SELECT {{key "agent_runs" "agent_name"}} AS agent_name, {{key "agent_runs" "agent_version"}} AS agent_version, {{key "agent_runs" "batch_id"}} AS batch_id,
                 {{key "agent_runs" "case_id"}} AS case_id, ran_at, sql, to_json(r) AS run_json
          FROM {{in "agent_runs"}} r
          WHERE {{key "agent_runs" "batch_id"}} = ANY (ARRAY(SELECT DISTINCT batch_id FROM missing)) AND {{key "agent_runs" "case_id"}} = ANY (ARRAY(SELECT DISTINCT case_id FROM missing))) w) t
  USING (agent_name, agent_version, batch_id, case_id)
  WHERE t.choice = 1 ORDER BY m.k COLLATE "C"
$badger$
--- owner: What the function is for, and the mark by which badger knows it.
COMMENT ON FUNCTION {{in "_pending"}}(text, text[], text, int, text[]) IS 'The answers that evaluate has to score. [badger-helper]'
{{with .Values.Schedule.Alert}}{{if .Webhook -}}
--- admin: Posts alerts to the webhook, as JSON. No redirect is followed.
--- drop: DROP FUNCTION IF EXISTS {{in "_webhook"}}(json)
CREATE OR REPLACE FUNCTION {{in "_webhook"}}(body json) RETURNS void
LANGUAGE plpython3u VOLATILE AS $badger$
import http.client, urllib.parse

URL = urllib.parse.urlsplit({{py .Webhook}})
TOKEN_FILE = {{py .TokenFile}}

headers = {"Content-Type": "application/json"}
if TOKEN_FILE:
    with open(TOKEN_FILE) as f:
        token = f.read().strip()
    # The message of http.client for an invalid header would contain the token.
    if not (token.isascii() and token.isprintable() and token):
        plpy.error("%s: expected one line with the token" % TOKEN_FILE)
    headers["Authorization"] = "Bearer " + token
kind = http.client.HTTPSConnection if URL.scheme == "https" else http.client.HTTPConnection
connection = kind(URL.netloc, timeout=10)
try:
    connection.request("POST", URL.path or "/", body.encode(), headers)
    status = connection.getresponse().status
except (OSError, http.client.HTTPException) as e:
    plpy.error("the webhook cannot be reached: %s" % e)
finally:
    connection.close()
if not 200 <= status < 300:
    plpy.error("the webhook answered with HTTP status %d" % status)
$badger$
--- admin: What the function is for, and the mark by which badger knows it.
COMMENT ON FUNCTION {{in "_webhook"}}(json) IS 'Posts alerts to the webhook. [badger-helper]'
--- admin: A new function may be called by everyone until that is taken away.
REVOKE ALL ON FUNCTION {{in "_webhook"}}(json) FROM PUBLIC
--- admin: The owner sends alerts.
GRANT EXECUTE ON FUNCTION {{in "_webhook"}}(json) TO {{id $.Values.Roles.Owner}}
{{else -}}
--- admin: Without schedule.alert.webhook nothing is posted: the function of earlier values is dropped.
DROP FUNCTION IF EXISTS {{in "_webhook"}}(json)
{{end}}{{end -}}
--- owner: Stores each new fact of open_facts as an alert, marks those that are no longer true as resolved, and sends new ones by NOTIFY on the channel badger_alerts. Returns the number of new alerts.
--- drop: DROP FUNCTION IF EXISTS {{in "_new_alerts"}}()
CREATE OR REPLACE FUNCTION {{in "_new_alerts"}}() RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $badger$
DECLARE
  v_new bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('badger'), hashtext({{lit (print .SchemaName ".send_alerts")}}));
  WITH facts AS MATERIALIZED (
    SELECT * FROM {{in "open_facts"}}
  ), resolved AS (
    UPDATE {{in "alerts"}} SET resolved_at = clock_timestamp() WHERE resolved_at IS NULL AND fact NOT IN (SELECT fact FROM facts)
  ), new AS (
    INSERT INTO {{in "alerts"}} ({{names "alerts" ""}})
    SELECT gen_random_uuid()::text, f.kind, f.fact, f.agent_name, f.agent_version, f.batch_id, f.metric, left(f.message, 1000), clock_timestamp(), NULL, {{if .Values.Schedule.Alert.Webhook}}NULL{{else}}clock_timestamp(){{end}}
    FROM facts f WHERE NOT EXISTS (SELECT 1 FROM {{in "alerts"}} a WHERE a.fact = f.fact AND a.resolved_at IS NULL)
    RETURNING *
  ), payload AS (
    SELECT alert_id, kind, json_build_object('alert_id', alert_id, 'kind', kind, 'agent_name', agent_name, 'agent_version', agent_version, 'batch_id', batch_id, 'metric', metric, 'message', message, 'raised_at', raised_at)::text AS body
    FROM new
  )
  -- A payload has at most 7999 bytes; a longer one names the row of the table alone.
  SELECT COUNT(pg_notify('badger_alerts', CASE WHEN octet_length(body) < 8000 THEN body ELSE json_build_object('alert_id', alert_id, 'kind', kind)::text END)) INTO v_new FROM payload;
  RETURN v_new;
END $badger$
--- owner: What the function is for, and the mark by which badger knows it.
COMMENT ON FUNCTION {{in "_new_alerts"}}() IS 'Stores new alerts and sends them by NOTIFY. [badger-helper]'
--- owner: Stores new alerts, sends them by NOTIFY{{if .Values.Schedule.Alert.Webhook}}, and posts those to the webhook that it has not got{{end}}. Returns the number of new alerts.
--- drop: DROP FUNCTION IF EXISTS {{in "send_alerts"}}()
CREATE OR REPLACE FUNCTION {{in "send_alerts"}}() RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $badger$
DECLARE
  v_new bigint;
  v_body json;
BEGIN
  v_new := {{in "_new_alerts"}}();
{{- if .Values.Schedule.Alert.Webhook}}
  SELECT json_build_object('text', string_agg(message, E'\n' ORDER BY raised_at, alert_id),
      'alerts', json_agg(json_build_object('alert_id', alert_id, 'kind', kind, 'agent_name', agent_name, 'agent_version', agent_version, 'batch_id', batch_id, 'metric', metric, 'message', message, 'raised_at', raised_at, 'resolved_at', resolved_at) ORDER BY raised_at, alert_id))
  INTO v_body FROM (SELECT * FROM {{in "alerts"}} WHERE sent_at IS NULL ORDER BY raised_at, alert_id LIMIT 1000) a HAVING COUNT(*) > 0;
  IF v_body IS NOT NULL THEN
    BEGIN
      PERFORM {{in "_webhook"}}(v_body);
      UPDATE {{in "alerts"}} SET sent_at = clock_timestamp() WHERE alert_id IN (SELECT a ->> 'alert_id' FROM json_array_elements(v_body -> 'alerts') AS a);
    EXCEPTION WHEN OTHERS THEN -- the next call sends them
      INSERT INTO {{in "run_log"}} (entry_id, logged_at, event, message) VALUES (gen_random_uuid()::text, clock_timestamp(), 'alert failed', left(SQLERRM, 1000));
    END;
  END IF;
{{- end}}
  RETURN v_new;
END $badger$
--- owner: What the function is for, and the mark by which badger knows it.
COMMENT ON FUNCTION {{in "send_alerts"}}() IS 'Stores and sends new alerts. [badger-helper]'
--- owner: Scores the answers that have no score: CALL {{in "evaluate"}}() those since schedule.since_day, those without a date, and what an earlier call left; CALL {{in "evaluate"}}('BATCH', 'METRIC,METRIC') those of a batch. {{.Slice}} answers at a time are stored. Call it outside a transaction.
--- drop: DROP PROCEDURE IF EXISTS {{in "evaluate"}}(text, text)
CREATE OR REPLACE PROCEDURE {{in "evaluate"}}(batch text DEFAULT NULL, metrics text DEFAULT NULL)
LANGUAGE plpgsql AS $badger$
#variable_conflict use_column
DECLARE
  v_batch text := batch;
  v_asked_metrics text := COALESCE(metrics, {{lit .Metrics}});
  v_scheduled boolean := batch IS NULL AND metrics IS NULL;
  v_settings json;
  v_metrics text[];
  v_batches text[];        -- batches with a backlog, so that slices do not look for them again; NULL: unknown
  v_changed bigint;
  v_changes bigint;
  v_run text;
  v_resumed boolean;
  v_started timestamptz := clock_timestamp();
  v_last text := '';       -- answers up to this key are done or left out
  v_key text;
  v_agent text;
  v_version text;
  v_of text;               -- the batch of an answer
  v_case text;
  v_size int := {{.Slice}};
  v_n bigint;
  v_asked bigint;          -- scores
  v_scored bigint;
  v_done bigint := 0;
  v_left_out bigint := 0;
  v_in_a_row int := 0;     -- answers that failed one after the other
  v_problem text;
  v_last_problem text;
  v_fatal text;
BEGIN
  COMMIT;                  -- refused inside a transaction, before anything is done
  -- The lock belongs to the session and ends with it, so that it is never stale. What fails below is
  -- caught, so that a session that goes on does not keep it.
  IF NOT pg_try_advisory_lock(hashtext('badger'), hashtext({{lit (print .SchemaName ".evaluate")}})) THEN
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, event, batch_id) VALUES (gen_random_uuid()::text, clock_timestamp(), 'refused', v_batch);
    COMMIT;
    RAISE EXCEPTION 'another evaluation is running' USING ERRCODE = 'object_in_use';
  END IF;
  BEGIN
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, batch_id, message)
    SELECT gen_random_uuid()::text, clock_timestamp(), eval_run_id, 'interrupted', CASE WHEN event <> 'batch began' THEN batch_id END, 'the call before was interrupted'
    FROM (SELECT * FROM {{in "run_log"}} WHERE event IN ('batch began', 'began', 'resumed', 'done', 'idle', 'run failed', 'interrupted') ORDER BY logged_at DESC LIMIT 1) l WHERE event IN ('batch began', 'began', 'resumed');
    IF FOUND THEN
      PERFORM {{in "_new_alerts"}}(); -- the webhook is called at the end, as it may hang
    END IF;
    WITH begun AS (
      INSERT INTO {{in "run_log"}} (entry_id, logged_at, event, answers, agent_name, agent_version, batch_id)
      SELECT gen_random_uuid()::text, clock_timestamp(), 'batch began', answers, agent_name, agent_version, batch_id FROM {{in "backlog"}} WHERE v_batch IS NULL OR batch_id = v_batch
      RETURNING batch_id
    )
    SELECT COALESCE(array_agg(DISTINCT batch_id), '{}') INTO v_batches FROM begun;
  EXCEPTION WHEN query_canceled OR OTHERS THEN
    v_fatal := SQLERRM;
  END;
  COMMIT;
  BEGIN
    IF v_fatal IS NULL THEN
      v_settings := {{in "run_settings"}}(v_asked_metrics);
      IF v_settings ->> 'reason' IS NOT NULL THEN
        RAISE EXCEPTION '%', v_settings ->> 'reason';
      END IF;
      SELECT array_agg(m) INTO v_metrics FROM json_array_elements_text(v_settings -> 'metrics') AS m;
      IF v_scheduled THEN
        DELETE FROM {{in "schedule"}} WHERE metric <> '' AND metric <> ALL(v_metrics);
        GET DIAGNOSTICS v_changed = ROW_COUNT;
        INSERT INTO {{in "schedule"}} (metric) SELECT unnest(v_metrics) ON CONFLICT (metric) DO NOTHING;
        GET DIAGNOSTICS v_changes = ROW_COUNT;
        IF v_changed + v_changes > 0 THEN
          SELECT COALESCE(array_agg(DISTINCT batch_id), '{}') INTO v_batches FROM {{in "backlog"}};
        END IF;
      ELSE
        v_batches := CASE WHEN v_batch IS NOT NULL THEN ARRAY[v_batch] END;
      END IF;
      -- A run that was left goes on where it was to score the same metrics of the same versions.
      SELECT eval_run_id INTO v_run FROM {{in "eval_runs"}}
      WHERE eval_run_id LIKE 'evaluate-%' AND status IN ('running', 'failed') AND versions::text = (v_settings -> 'versions')::text AND (v_batch IS NULL OR batch_id = v_batch)
      ORDER BY eval_run_date DESC, eval_run_id DESC LIMIT 1;
      v_resumed := v_run IS NOT NULL;
      v_run := COALESCE(v_run, to_char(v_started AT TIME ZONE 'UTC', '"evaluate-"YYYYMMDD"T"HH24MISS-') || left(md5(gen_random_uuid()::text), 6));
      INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, batch_id) VALUES (gen_random_uuid()::text, clock_timestamp(), v_run, CASE WHEN v_resumed THEN 'resumed' ELSE 'began' END, v_batch);
    END IF;
  EXCEPTION WHEN query_canceled OR OTHERS THEN
    v_fatal := SQLERRM;
  END;
  COMMIT;

  WHILE v_fatal IS NULL LOOP
    v_problem := NULL;
    BEGIN
      WITH pending AS MATERIALIZED (
        SELECT * FROM {{in "_pending"}}(v_batch, v_metrics, v_last, v_size, v_batches)
      ), golden AS (
        SELECT * FROM (
          SELECT case_id, golden_json, COUNT(*) OVER (PARTITION BY case_id, set_version) AS copies,
                 -- v10 comes after v9: runs of digits count as numbers.
                 ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY regexp_replace(regexp_replace(set_version, '([0-9]+)', '{{.Padding}}\1', 'g'), '[0-9]*([0-9]{40})', '\1', 'g') COLLATE "C" DESC,
                   set_version COLLATE "C" DESC) AS choice
          FROM (SELECT {{key "golden_set" "case_id"}} AS case_id, {{key "golden_set" "set_version"}} AS set_version, to_json(g) AS golden_json FROM {{in "golden_set"}} g) t
          WHERE case_id IN (SELECT case_id FROM pending)) u
        WHERE choice = 1
      ), begun AS (
        INSERT INTO {{in "eval_runs"}} (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
        SELECT v_run, agent_name, agent_version, batch_id, v_started, 'both', v_settings -> 'config', v_settings ->> 'judge', v_settings -> 'versions', 'running'
        FROM (SELECT DISTINCT agent_name, agent_version, batch_id FROM pending) p
        ON CONFLICT (eval_run_id, agent_name, agent_version, batch_id) DO UPDATE SET status = 'running'
      ), scored AS (
        INSERT INTO {{in "scores"}} ({{names "scores" ""}})
        SELECT v_run, p.case_id, p.agent_name, p.agent_version, p.batch_id, s.metric, s.metric_version, s.status, s.value, s.label, s.passed, s.reason, s.detail, s.assessment_ids,
               s.config_hash, clock_timestamp(), s.code, s.usage, s.gold_hash, s.answer_hash
        FROM pending p LEFT JOIN golden g ON g.case_id = p.case_id
        CROSS JOIN LATERAL json_to_recordset({{in "score_row"}}(json_build_object('run', p.run_json, 'golden', g.golden_json, 'copies', COALESCE(g.copies, 0)), p.missing))
          AS s(metric text, metric_version bigint, status text, value double precision, label text, passed boolean, reason text, detail json, assessment_ids json, config_hash text, code text, usage json, gold_hash text, answer_hash text)
        WHERE s.metric = ANY(string_to_array(p.missing, ','))
        ON CONFLICT (eval_run_id, agent_name, agent_version, batch_id, case_id, metric) DO UPDATE SET
          metric_version = EXCLUDED.metric_version, status = EXCLUDED.status, value = EXCLUDED.value, label = EXCLUDED.label, passed = EXCLUDED.passed, reason = EXCLUDED.reason,
          detail = EXCLUDED.detail, assessment_ids = EXCLUDED.assessment_ids, config_hash = EXCLUDED.config_hash, scored_at = EXCLUDED.scored_at, code = EXCLUDED.code, usage = EXCLUDED.usage, gold_hash = EXCLUDED.gold_hash, answer_hash = EXCLUDED.answer_hash
        RETURNING 1
      )
      SELECT MAX(k COLLATE "C"), COUNT(*), SUM(cardinality(string_to_array(missing, ','))), (SELECT COUNT(*) FROM scored) INTO v_key, v_n, v_asked, v_scored FROM pending;
      IF v_scored <> v_asked THEN
        RAISE EXCEPTION 'badger serve returned % of % scores', v_scored, v_asked;
      END IF;
    EXCEPTION
      WHEN query_canceled THEN
        v_fatal := SQLERRM;
      WHEN OTHERS THEN
        v_problem := left(SQLERRM, 1000);
    END;
    EXIT WHEN v_fatal IS NOT NULL;
    IF v_problem IS NULL THEN
      EXIT WHEN v_n = 0;
      v_last := v_key;
      v_done := v_done + v_n;
      v_in_a_row := 0;
      v_size := {{.Slice}};
    ELSE
      BEGIN
        IF v_size > 1 THEN
          INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, answers, message) VALUES (gen_random_uuid()::text, clock_timestamp(), v_run, 'slice failed', v_size, v_problem);
        END IF;
        BEGIN              -- a server that is away is no fault of an answer
          PERFORM {{in "run_settings"}}(v_asked_metrics);
        EXCEPTION WHEN query_canceled OR OTHERS THEN
          v_fatal := v_problem;
        END;
        IF v_fatal IS NOT NULL THEN
          NULL;
        ELSIF v_size > 1 THEN
          v_size := 1;     -- one by one, to find the answer that cannot be scored
        ELSE
          SELECT k, agent_name, agent_version, batch_id, case_id INTO v_last, v_agent, v_version, v_of, v_case FROM {{in "_pending"}}(v_batch, v_metrics, v_last, 1, v_batches);
          EXIT WHEN NOT FOUND;
          INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
          VALUES (gen_random_uuid()::text, clock_timestamp(), v_run, 'answer failed', v_case, 1, v_problem, v_agent, v_version, v_of);
          v_last_problem := v_problem;
          v_left_out := v_left_out + 1;
          v_in_a_row := v_in_a_row + 1;
          IF v_in_a_row = {{.Failing}} THEN
            v_fatal := v_problem;
          END IF;
        END IF;
      EXCEPTION WHEN query_canceled OR OTHERS THEN
        v_fatal := SQLERRM;
      END;
    END IF;
    COMMIT;
  END LOOP;

  IF v_left_out > 0 THEN
    BEGIN
      -- An answer that fails by itself in {{.Attempts}} calls is not tried again: its scores are failed, with the reason.
      WITH given_up AS MATERIALIZED (
        SELECT agent_name, agent_version, batch_id, case_id, (array_agg(message ORDER BY logged_at DESC))[1] AS message
        FROM {{in "run_log"}} WHERE event = 'answer failed' AND agent_name IS NOT NULL GROUP BY agent_name, agent_version, batch_id, case_id
        HAVING COUNT(*) >= {{.Attempts}} AND MAX(logged_at) >= v_started
      ), begun AS (
        INSERT INTO {{in "eval_runs"}} (eval_run_id, agent_name, agent_version, batch_id, eval_run_date, mode, config, judge, versions, status)
        SELECT v_run, agent_name, agent_version, batch_id, v_started, 'both', v_settings -> 'config', v_settings ->> 'judge', v_settings -> 'versions', 'running'
        FROM (SELECT DISTINCT agent_name, agent_version, batch_id FROM given_up) b
        ON CONFLICT (eval_run_id, agent_name, agent_version, batch_id) DO NOTHING
      ), failed AS (
        INSERT INTO {{in "scores"}} (eval_run_id, case_id, agent_name, agent_version, batch_id, metric, status, reason, code, scored_at)
        SELECT v_run, g.case_id, g.agent_name, g.agent_version, g.batch_id, m, 'failed', g.message, 'unknown', clock_timestamp()
        FROM given_up g CROSS JOIN unnest(v_metrics) AS m
        WHERE NOT EXISTS (SELECT 1 FROM {{in "scores"}} s WHERE s.agent_name = g.agent_name AND s.agent_version = g.agent_version AND s.batch_id = g.batch_id AND s.case_id = g.case_id AND s.metric = m)
      ), logged AS (
        INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, case_id, answers, message, agent_name, agent_version, batch_id)
        SELECT gen_random_uuid()::text, clock_timestamp(), v_run, 'not retried', case_id, 1, message, agent_name, agent_version, batch_id FROM given_up
      )
      SELECT v_left_out - COUNT(*) INTO v_left_out FROM given_up;
    EXCEPTION WHEN query_canceled OR OTHERS THEN
      v_fatal := COALESCE(v_fatal, SQLERRM);
    END;
    IF v_fatal IS NULL AND v_left_out > 0 THEN
      v_fatal := v_left_out || ' answers could not be scored; the reason of the last one: ' || v_last_problem;
    END IF;
    COMMIT;
  END IF;
  BEGIN
    UPDATE {{in "eval_runs"}} r SET status = CASE WHEN v_fatal IS NULL THEN 'done' ELSE 'failed' END,
      counts = (SELECT json_object_agg(status, n ORDER BY status) FROM (
        SELECT status, COUNT(*) AS n FROM {{in "scores"}} s
        WHERE s.eval_run_id = r.eval_run_id AND s.agent_name = r.agent_name AND s.agent_version = r.agent_version AND s.batch_id = r.batch_id GROUP BY status) c),
      tokens = (SELECT json_build_object('calls', COALESCE(SUM((usage ->> 'calls')::bigint), 0), 'in', COALESCE(SUM(GREATEST((usage ->> 'tokens_in')::bigint, 0)), 0),
          'out', COALESCE(SUM(GREATEST((usage ->> 'tokens_out')::bigint, 0)), 0)) FROM {{in "scores"}} s
        WHERE s.eval_run_id = r.eval_run_id AND s.agent_name = r.agent_name AND s.agent_version = r.agent_version AND s.batch_id = r.batch_id)
    WHERE eval_run_id = v_run AND (v_batch IS NULL OR batch_id = v_batch);
    -- What was left under other versions has been scored by this run.
    UPDATE {{in "eval_runs"}} SET status = 'stopped'
    WHERE v_fatal IS NULL AND eval_run_id LIKE 'evaluate-%' AND eval_run_id <> v_run AND status IN ('running', 'failed') AND v_batch IS NULL;
    -- The look-back only moves on when nothing is left.
    UPDATE {{in "schedule"}} SET since_day = {{template "since" .}} WHERE v_fatal IS NULL AND v_scheduled AND metric = '';
  EXCEPTION WHEN query_canceled OR OTHERS THEN
    v_fatal := COALESCE(v_fatal, SQLERRM);
  END;
  COMMIT;
  BEGIN
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, answers, message, batch_id)
    VALUES (gen_random_uuid()::text, clock_timestamp(), v_run, CASE WHEN v_fatal IS NOT NULL THEN 'run failed' WHEN v_done = 0 AND NOT v_resumed THEN 'idle' ELSE 'done' END, v_done, v_fatal, v_batch);
    INSERT INTO {{in "run_log"}} (entry_id, logged_at, eval_run_id, event, answers, message, agent_name, agent_version, batch_id)
    SELECT gen_random_uuid()::text, clock_timestamp(), v_run, 'batch failed', answers, left(v_fatal, 1000), agent_name, agent_version, batch_id FROM {{in "backlog"}}
    WHERE v_fatal IS NOT NULL AND (v_batch IS NULL OR batch_id = v_batch);
  EXCEPTION WHEN query_canceled OR OTHERS THEN
    v_fatal := COALESCE(v_fatal, SQLERRM);
  END;
  COMMIT;
  BEGIN
    PERFORM {{in "_new_alerts"}}();
  EXCEPTION WHEN query_canceled OR OTHERS THEN
    v_fatal := COALESCE(v_fatal, SQLERRM);
  END;
  COMMIT;                  -- so that a webhook that hangs cannot undo them
{{- if .Values.Schedule.Alert.Webhook}}
  BEGIN
    PERFORM {{in "send_alerts"}}();
  EXCEPTION WHEN query_canceled OR OTHERS THEN
    v_fatal := COALESCE(v_fatal, SQLERRM);
  END;
  COMMIT;
{{- end}}
  PERFORM pg_advisory_unlock(hashtext('badger'), hashtext({{lit (print .SchemaName ".evaluate")}}));
  IF v_fatal IS NOT NULL THEN
    RAISE EXCEPTION '%', v_fatal;
  END IF;
END $badger$
--- owner: What the procedure says, for those who look it up.
COMMENT ON PROCEDURE {{in "evaluate"}}(text, text) IS {{lit .ProcedureDoc}}
--- owner: A new procedure may be called by everyone until that is taken away. It needs the rights of the owner.
REVOKE ALL ON PROCEDURE {{in "evaluate"}}(text, text) FROM PUBLIC
--- owner: The same for the functions it calls.
REVOKE ALL ON FUNCTION {{in "_pending"}}(text, text[], text, int, text[]), {{in "_new_alerts"}}(), {{in "send_alerts"}}() FROM PUBLIC
--- owner: They belong to the owner, whoever ran this.
ALTER PROCEDURE {{in "evaluate"}}(text, text) OWNER TO {{id .Values.Roles.Owner}}
--- owner: They belong to the owner, whoever ran this.
ALTER FUNCTION {{in "_pending"}}(text, text[], text, int, text[]) OWNER TO {{id .Values.Roles.Owner}}
--- owner: They belong to the owner, whoever ran this.
ALTER FUNCTION {{in "_new_alerts"}}() OWNER TO {{id .Values.Roles.Owner}}
--- owner: They belong to the owner, whoever ran this.
ALTER FUNCTION {{in "send_alerts"}}() OWNER TO {{id .Values.Roles.Owner}}
{{if .Values.Schedule.Cron -}}
--- hand: pg_cron must be loaded, for this database. It reads schedules in UTC, or in the time zone that cron.timezone names.
shared_preload_libraries = 'pg_cron'
cron.database_name = 'THIS DATABASE'
{{if ne .Values.Schedule.Timezone "UTC"}}cron.timezone = '{{.Values.Schedule.Timezone}}'
{{end -}}
--- admin: What calls the procedure by night.
CREATE EXTENSION IF NOT EXISTS pg_cron
--- admin: The owner schedules.
GRANT USAGE ON SCHEMA cron TO {{id .Values.Roles.Owner}}
--- owner: The nightly call. It runs as whoever runs this statement: a user who may log in and is a member of the owner's role.
--- drop: SELECT cron.unschedule(jobid) FROM cron.job WHERE jobname = 'badger evaluate' AND database = current_database()
SELECT cron.schedule('badger evaluate', {{lit .Values.Schedule.Cron}}, {{lit (print "CALL " (in "evaluate") "()")}})
{{else -}}
--- owner: Without a schedule nothing calls the procedure: a job of earlier values ends.
--- drop: DO $badger$ BEGIN IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'cron' AND has_schema_privilege(oid, 'USAGE')) AND EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_cron') THEN PERFORM cron.unschedule(jobid) FROM cron.job WHERE jobname = 'badger evaluate' AND database = current_database(); END IF; END $badger$
DO $badger$ BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_cron') AND EXISTS (SELECT FROM pg_namespace WHERE nspname = 'cron' AND has_schema_privilege(oid, 'USAGE')) THEN
    PERFORM cron.unschedule(jobid) FROM cron.job WHERE jobname = 'badger evaluate' AND database = current_database();
  END IF;
END $badger$
{{end -}}
