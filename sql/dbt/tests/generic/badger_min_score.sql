{# Fails with the newest batch of each agent whose mean of a metric is below min, or above it if lower is better, and if no score has a value.

   agent_name, agent_version and batch_id choose other batches than the newest of each agent. min_coverage is the least share of answers with a value,
   from 0 to 1. #}
{% test badger_min_score(model, metric, min, agent_name=none, agent_version=none, batch_id=none, min_coverage=0) %}
WITH counted AS (
{{ badger.counted_scores(model, metric) }}
), chosen AS (
  SELECT agent_name, agent_version, batch_id, cases, valued, mean, ROW_NUMBER() OVER (PARTITION BY agent_name ORDER BY place) AS place
  FROM (
{{ badger.batches_of("counted") }}) b
  WHERE 1 = 1
  {%- if agent_name is not none %} AND agent_name = {{ badger.literal(agent_name) }}{% endif %}
  {%- if agent_version is not none %} AND agent_version = {{ badger.literal(agent_version | string) }}{% endif %}
  {%- if batch_id is not none %} AND batch_id = {{ badger.literal(batch_id | string) }}{% endif %}
)
SELECT agent_name, agent_version, batch_id, cases, valued, mean, {{ min }} AS expected
FROM chosen
WHERE place = 1 AND (mean IS NULL OR {% if badger.is_lower_better(metric) %}mean > {{ min }} + 0.000000001{% else %}mean < {{ min }} - 0.000000001{% endif %} OR valued < {{ min_coverage }} * cases - 0.000000001)
UNION ALL
SELECT {% for n in ["agent_name", "agent_version", "batch_id"] %}CAST(NULL AS {{ dbt.type_string() }}) AS {{ n }}, {% endfor %}0 AS cases, 0 AS valued, NULL AS mean, {{ min }} AS expected
FROM (SELECT COUNT(*) AS n FROM chosen) c WHERE n = 0
{% endtest %}
