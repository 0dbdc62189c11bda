{# A query for scores of answers, in the columns of badger's table scores.

   answers and golden are relations with the columns of agent_runs and golden_set. metrics is a list of names. scored is a relation of earlier scores:
   an answer that has a score of a metric in it is not scored again. Of rows with the same key, the earliest answer counts, and of the versions of a
   question the highest. #}
{% macro score_answers(answers, golden, metrics, scored=none) -%}
{{ badger._check_metrics(metrics) }}
WITH badger_answers AS (
  SELECT agent_name, agent_version, batch_id, case_id, row_json
  FROM (
    SELECT agent_name, agent_version, batch_id, case_id, row_json, ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY ran_at, sql) AS place
    FROM (
      SELECT {{ badger._key("agent_name") }} AS agent_name, {{ badger._key("agent_version") }} AS agent_version, {{ badger._key("batch_id") }} AS batch_id,
        {{ badger._key("case_id") }} AS case_id, ran_at, sql, {{ badger.row_json("r", badger.columns_of_agent_runs()) }} AS row_json
      FROM {{ answers }} {{ badger._as() }} r) t) t
  WHERE place = 1
), badger_owed AS (
{%- if scored is none %}
  SELECT a.agent_name, a.agent_version, a.batch_id, a.case_id, a.row_json, m.metrics
  FROM badger_answers a CROSS JOIN ({{ badger._asked(metrics) }}) m
{%- else %}
  {%- set one = badger.metrics_of_a_call() == 1 %}
  {%- for group in (metrics if one else [none]) %}
  {%- set of = [group] if one else metrics %}
  {% if not loop.first %}UNION ALL {% endif %}SELECT a.agent_name, a.agent_version, a.batch_id, a.case_id, a.row_json, SUBSTR({% for metric in of %}{% if not loop.first %} || {% endif %}CASE WHEN s.m{{ loop.index0 }} = 1 THEN '' ELSE {{ badger.literal("," ~ metric) }} END{% endfor %}, 2) AS metrics
  FROM badger_answers a LEFT JOIN (
    SELECT agent_name, agent_version, batch_id, case_id
      {%- for metric in of %}, MAX(CASE WHEN metric = {{ badger.literal(metric) }} THEN 1 ELSE 0 END) AS m{{ loop.index0 }}{% endfor %}
    FROM {{ scored }} GROUP BY agent_name, agent_version, batch_id, case_id) s
  ON s.agent_name = a.agent_name AND s.agent_version = a.agent_version AND s.batch_id = a.batch_id AND s.case_id = a.case_id
  WHERE {% for metric in of %}{% if not loop.first %} OR {% endif %}COALESCE(s.m{{ loop.index0 }}, 0) = 0{% endfor %}
  {%- endfor %}
{%- endif %}
), badger_golden AS (
  SELECT case_id, row_json, copies
  FROM (
    SELECT case_id, row_json, COUNT(*) OVER (PARTITION BY case_id, set_version) AS copies,
      ROW_NUMBER() OVER (PARTITION BY case_id ORDER BY {{ badger.version_order("set_version") }}, set_version DESC) AS place
    FROM (
      SELECT {{ badger._key("case_id") }} AS case_id, {{ badger._key("set_version") }} AS set_version, {{ badger.row_json("g", badger.columns_of_golden_set()) }} AS row_json
      FROM {{ golden }} {{ badger._as() }} g) t) t
  WHERE place = 1
), badger_scored AS {{ badger._materialized() }}(
  SELECT a.agent_name, a.agent_version, a.batch_id, a.case_id, {{ badger.score_row(badger.case_json(), "a.metrics") }} AS results
  FROM badger_owed a LEFT JOIN badger_golden g ON g.case_id = a.case_id
)
{{ badger.rows_of_scores(badger.literal(badger.eval_run_id())) }}
{%- endmacro %}

{# The run of the scores of this invocation of dbt. #}
{% macro eval_run_id() -%}
{{ return(var("badger_eval_run_id", none) or "dbt-" ~ run_started_at.strftime("%Y%m%dT%H%M%S") ~ "-" ~ invocation_id[:6]) }}
{%- endmacro %}

{% macro _check_metrics(metrics) -%}
{% if metrics is string or metrics is not sequence or not metrics %}{{ exceptions.raise_compiler_error("badger_metrics: expected a list of metrics, such as [hybrid_ex, verdict]; found " ~ metrics) }}{% endif %}
{%- endmacro %}

{% macro _key(column) -%}
{{ return("COALESCE(CAST(" ~ column ~ " AS " ~ badger.type_text() ~ "), '')") }}
{%- endmacro %}

{# TEXT has 256 bytes in Redshift. #}
{% macro type_text() -%}
{{ return("varchar(65535)" if target.type == "redshift" else dbt.type_string()) }}
{%- endmacro %}

{% macro _as() -%}
{{ return("AS" if target.type in ("bigquery", "databricks") else "") }}
{%- endmacro %}

{% macro _materialized() -%}
{{ return("MATERIALIZED " if target.type in ("duckdb", "postgres") else "") }}
{%- endmacro %}

{# The reply of one call of an external function of Redshift has 65,535 bytes at most: a call has one metric. #}
{% macro metrics_of_a_call() -%}
{{ return(1 if target.type == "redshift" else none) }}
{%- endmacro %}

{% macro _asked(metrics) -%}
{% if badger.metrics_of_a_call() == 1 %}{% for metric in metrics %}{% if not loop.first %} UNION ALL {% endif %}SELECT CAST({{ badger.literal(metric) }} AS {{ badger.type_text() }}) AS metrics{% endfor %}
{%- else %}SELECT {{ badger.literal(metrics | join(",")) }} AS metrics{% endif %}
{%- endmacro %}

{# v10 comes before v9: digits are padded and sort as text. #}
{% macro version_order(column) -%}
{{ return(adapter.dispatch("version_order", "badger")(column)) }}
{%- endmacro %}

{% macro default__version_order(column) -%}
{{ return("REGEXP_REPLACE(REGEXP_REPLACE(" ~ column ~ ", '([0-9]+)', '" ~ "0" * 40 ~ "$1'), '[0-9]*([0-9]{40})', '$1') DESC") }}
{%- endmacro %}

{% macro snowflake__version_order(column) -%}
{{ return("REGEXP_REPLACE(REGEXP_REPLACE(" ~ column ~ ", '([0-9]+)', '" ~ "0" * 40 ~ "\\\\1'), '[0-9]*([0-9]{40})', '\\\\1') DESC") }}
{%- endmacro %}

{% macro bigquery__version_order(column) -%}
{{ return("REGEXP_REPLACE(REGEXP_REPLACE(" ~ column ~ ", r'([0-9]+)', r'" ~ "0" * 40 ~ "\\1'), r'[0-9]*([0-9]{40})', r'\\1') DESC") }}
{%- endmacro %}

{% macro postgres__version_order(column) -%}
{{ return("REGEXP_REPLACE(REGEXP_REPLACE(" ~ column ~ ", '([0-9]+)', '" ~ "0" * 40 ~ "\\1', 'g'), '[0-9]*([0-9]{40})', '\\1', 'g') COLLATE \"C\" DESC") }}
{%- endmacro %}

{% macro redshift__version_order(column) -%}
{{ return(badger.default__version_order(column)) }}
{%- endmacro %}

{% macro duckdb__version_order(column) -%}
{{ return("REGEXP_REPLACE(REGEXP_REPLACE(" ~ column ~ ", '([0-9]+)', '" ~ "0" * 40 ~ "\\1', 'g'), '[0-9]*([0-9]{40})', '\\1', 'g') DESC") }}
{%- endmacro %}

{# A row of a relation as JSON. #}
{% macro row_json(alias, columns) -%}
{{ return(adapter.dispatch("row_json", "badger")(alias, columns)) }}
{%- endmacro %}

{% macro default__row_json(alias, columns) -%}
{{ return("to_json(" ~ alias ~ ")") }}
{%- endmacro %}

{% macro snowflake__row_json(alias, columns) -%}
{{ return("OBJECT_CONSTRUCT(*)") }}
{%- endmacro %}

{% macro bigquery__row_json(alias, columns) -%}
{{ return("TO_JSON_STRING(" ~ alias ~ ")") }}
{%- endmacro %}

{% macro databricks__row_json(alias, columns) -%}
{{ return("to_json(struct(" ~ alias ~ ".*))") }}
{%- endmacro %}

{% macro redshift__row_json(alias, columns) -%}
{% set parts = [] %}
{% for column in columns %}{% do parts.append("'" ~ column ~ "', " ~ column) %}{% endfor %}
{{ return("OBJECT(" ~ parts | join(", ") ~ ")") }}
{%- endmacro %}

{# An answer a with its question g, as score_row reads it. #}
{% macro case_json() -%}
{{ return(adapter.dispatch("case_json", "badger")()) }}
{%- endmacro %}

{% macro default__case_json() -%}
{{ return("CONCAT('{\"run\":', a.row_json, ',\"golden\":', COALESCE(g.row_json, 'null'), ',\"copies\":', CAST(COALESCE(g.copies, 0) AS STRING), '}')") }}
{%- endmacro %}

{% macro snowflake__case_json() -%}
{{ return("OBJECT_CONSTRUCT('run', a.row_json, 'golden', g.row_json, 'copies', COALESCE(g.copies, 0))::VARIANT") }}
{%- endmacro %}

{% macro postgres__case_json() -%}
{{ return("json_build_object('run', a.row_json, 'golden', g.row_json, 'copies', COALESCE(g.copies, 0))") }}
{%- endmacro %}

{% macro redshift__case_json() -%}
{{ return("JSON_SERIALIZE(OBJECT('run', a.row_json, 'golden', g.row_json, 'copies', COALESCE(g.copies, 0)))") }}
{%- endmacro %}

{% macro duckdb__case_json() -%}
{{ return("json_object('run', a.row_json, 'golden', g.row_json, 'copies', COALESCE(g.copies, 0))::VARCHAR") }}
{%- endmacro %}

{# The scores in the results of badger_scored, a row for each. #}
{% macro rows_of_scores(run) -%}
{{ return(adapter.dispatch("rows_of_scores", "badger")(run)) }}
{%- endmacro %}

{% macro default__rows_of_scores(run) -%}
SELECT {{ run }} AS eval_run_id, case_id, agent_name, agent_version, batch_id, r.metric, r.metric_version, r.status, r.value, r.label, r.passed, r.reason, r.detail, r.assessment_ids,
  r.config_hash, {{ dbt.current_timestamp() }} AS scored_at, r.code, r.usage, r.gold_hash, r.answer_hash
FROM (SELECT *, explode(from_json(results, 'array<struct<metric:string,metric_version:bigint,status:string,value:double,label:string,passed:boolean,reason:string,detail:string,assessment_ids:string,config_hash:string,code:string,usage:string,gold_hash:string,answer_hash:string>>')) AS r
  FROM badger_scored) t
WHERE r.metric IS NOT NULL
{%- endmacro %}

{% macro snowflake__rows_of_scores(run) -%}
SELECT {{ run }}::VARCHAR AS eval_run_id, p.case_id, p.agent_name, p.agent_version, p.batch_id, f.value:metric::VARCHAR AS metric, f.value:metric_version::NUMBER(19, 0) AS metric_version, f.value:status::VARCHAR AS status,
  f.value:value::FLOAT AS value, f.value:label::VARCHAR AS label, f.value:passed::BOOLEAN AS passed, f.value:reason::VARCHAR AS reason, STRIP_NULL_VALUE(f.value:detail) AS detail,
  STRIP_NULL_VALUE(f.value:assessment_ids) AS assessment_ids, f.value:config_hash::VARCHAR AS config_hash, CURRENT_TIMESTAMP() AS scored_at, f.value:code::VARCHAR AS code,
  STRIP_NULL_VALUE(f.value:usage) AS usage, f.value:gold_hash::VARCHAR AS gold_hash, f.value:answer_hash::VARCHAR AS answer_hash
FROM badger_scored p, LATERAL FLATTEN(INPUT => p.results) f
WHERE f.value:metric::VARCHAR IS NOT NULL
{%- endmacro %}

{% macro bigquery__rows_of_scores(run) -%}
SELECT {{ run }} AS eval_run_id, p.case_id, p.agent_name, p.agent_version, p.batch_id, JSON_VALUE(r, '$.metric') AS metric, CAST(JSON_VALUE(r, '$.metric_version') AS INT64) AS metric_version,
  JSON_VALUE(r, '$.status') AS status, CAST(JSON_VALUE(r, '$.value') AS FLOAT64) AS value, JSON_VALUE(r, '$.label') AS label, CAST(JSON_VALUE(r, '$.passed') AS BOOL) AS passed,
  JSON_VALUE(r, '$.reason') AS reason, NULLIF(TO_JSON_STRING(JSON_QUERY(r, '$.detail')), 'null') AS detail,
  NULLIF(TO_JSON_STRING(JSON_QUERY(r, '$.assessment_ids')), 'null') AS assessment_ids, JSON_VALUE(r, '$.config_hash') AS config_hash, CURRENT_TIMESTAMP() AS scored_at,
  JSON_VALUE(r, '$.code') AS code, NULLIF(TO_JSON_STRING(JSON_QUERY(r, '$.usage')), 'null') AS usage, JSON_VALUE(r, '$.gold_hash') AS gold_hash, JSON_VALUE(r, '$.answer_hash') AS answer_hash
FROM badger_scored AS p, UNNEST(JSON_QUERY_ARRAY(p.results)) AS r
WHERE JSON_VALUE(r, '$.metric') IS NOT NULL
{%- endmacro %}

{% macro postgres__rows_of_scores(run) -%}
SELECT {{ run }}::text AS eval_run_id, p.case_id, p.agent_name, p.agent_version, p.batch_id, r.metric, r.metric_version, r.status, r.value, r.label, r.passed, r.reason, r.detail, r.assessment_ids,
  r.config_hash, clock_timestamp() AS scored_at, r.code, r.usage, r.gold_hash, r.answer_hash
FROM badger_scored p CROSS JOIN LATERAL json_to_recordset(p.results) AS r(metric text, metric_version bigint, status text, value double precision, label text, passed boolean, reason text,
  detail json, assessment_ids json, config_hash text, code text, usage json, gold_hash text, answer_hash text)
WHERE r.metric IS NOT NULL
{%- endmacro %}

{% macro redshift__rows_of_scores(run) -%}
SELECT {{ run }}::varchar AS eval_run_id, p.case_id, p.agent_name, p.agent_version, p.batch_id, r.metric::varchar AS metric, r.metric_version::bigint AS metric_version, r.status::varchar AS status,
  r.value::double precision AS value, r.label::varchar(65535) AS label, r.passed::boolean AS passed, r.reason::varchar(65535) AS reason, r.detail AS detail, r.assessment_ids AS assessment_ids,
  r.config_hash::varchar AS config_hash, SYSDATE AS scored_at, r.code::varchar AS code, r.usage AS usage, r.gold_hash::varchar AS gold_hash, r.answer_hash::varchar AS answer_hash
FROM (SELECT agent_name, agent_version, batch_id, case_id, JSON_PARSE(results) AS results FROM badger_scored) p, p.results AS r
WHERE r.metric IS NOT NULL
{%- endmacro %}

{% macro duckdb__rows_of_scores(run) -%}
SELECT {{ run }} AS eval_run_id, case_id, agent_name, agent_version, batch_id, r.metric, r.metric_version, r.status, r.value, r.label, r.passed, r.reason, r.detail, r.assessment_ids,
  r.config_hash, now() AS scored_at, r.code, r.usage, r.gold_hash, r.answer_hash
FROM (SELECT * EXCLUDE (results), unnest(from_json(results,
    '[{"metric":"VARCHAR","metric_version":"BIGINT","status":"VARCHAR","value":"DOUBLE","label":"VARCHAR","passed":"BOOLEAN","reason":"VARCHAR","detail":"JSON","assessment_ids":"JSON","config_hash":"VARCHAR","code":"VARCHAR","usage":"JSON","gold_hash":"VARCHAR","answer_hash":"VARCHAR"}]')) AS r
  FROM badger_scored) t
WHERE r.metric IS NOT NULL
{%- endmacro %}
