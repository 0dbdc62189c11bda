{# The latest score of each answer in a metric, with the value that figures count. #}
{% macro counted_scores(relation, metric) -%}
  SELECT s.agent_name, s.agent_version, s.batch_id, s.case_id, s.metric_version, s.config_hash, s.gold_hash, s.scored_at, {{ badger.counted_value() }} AS value
  FROM (SELECT t.*, ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version, batch_id, case_id ORDER BY scored_at DESC, eval_run_id DESC) AS newest
    FROM {{ relation }} {{ badger._as() }} t WHERE metric = {{ badger.literal(metric) }}) s
  WHERE s.newest = 1
{%- endmacro %}

{# The batches of the relation counted. place is 1 for the newest batch of an agent, and place_of_version for the newest of a version. #}
{% macro batches_of(counted) -%}
  SELECT agent_name, agent_version, batch_id, cases, valued, mean,
    ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY scored_at DESC, batch_id DESC, agent_version DESC) AS place,
    ROW_NUMBER() OVER (PARTITION BY agent_name, agent_version ORDER BY scored_at DESC, batch_id DESC) AS place_of_version
  FROM (SELECT agent_name, agent_version, batch_id, COUNT(*) AS cases, COUNT(value) AS valued, AVG(value) AS mean, MAX(scored_at) AS scored_at
    FROM {{ counted }} GROUP BY agent_name, agent_version, batch_id) b
{%- endmacro %}

{# Whether lower values of a metric are better. #}
{% macro is_lower_better(metric) -%}
{{ return(("'" ~ metric ~ "'") in badger.lower_is_better()) }}
{%- endmacro %}
