{# Fails if the newest batch of the baseline's agent is worse than the newest batch of the baseline by more than max_drop of the mean, over the cases that
   both have and that were scored in the same way, and if there is no such case.

   baseline is AGENT@VERSION, or a version of every agent. baseline_batch chooses another batch of it than the newest. #}
{% test badger_no_regression(model, baseline, metric="hybrid_ex", max_drop=0, baseline_batch=none) %}
{%- set agent = (baseline | string).rpartition("@")[0] %}
{%- set version = (baseline | string).rpartition("@")[2] %}
WITH counted AS (
{{ badger.counted_scores(model, metric) }}
), batches AS (
{{ badger.batches_of("counted") }}
), baselines AS (
  SELECT agent_name, agent_version, batch_id FROM batches
  WHERE agent_version = {{ badger.literal(version) }}{% if agent %} AND agent_name = {{ badger.literal(agent) }}{% endif %} AND {% if baseline_batch is none %}place_of_version = 1{% else %}batch_id = {{ badger.literal(baseline_batch | string) }}{% endif %}
), compared AS (
  SELECT b.agent_name, b.agent_version AS baseline_version, b.batch_id AS baseline_batch, n.agent_version, n.batch_id
  FROM baselines b JOIN batches n ON n.agent_name = b.agent_name AND n.place = 1
), pairs AS (
  SELECT c.agent_name, c.baseline_version, c.baseline_batch, c.agent_version, c.batch_id, o.value AS value_before, v.value AS value_after
  FROM compared c
  JOIN counted o ON o.agent_name = c.agent_name AND o.agent_version = c.baseline_version AND o.batch_id = c.baseline_batch
  JOIN counted v ON v.agent_name = c.agent_name AND v.agent_version = c.agent_version AND v.batch_id = c.batch_id AND v.case_id = o.case_id
  WHERE o.value IS NOT NULL AND v.value IS NOT NULL AND COALESCE(o.metric_version = v.metric_version, TRUE) AND COALESCE(o.config_hash = v.config_hash, TRUE)
    AND COALESCE(o.gold_hash = v.gold_hash, TRUE)
), figures AS (
  SELECT c.agent_name, c.baseline_version, c.baseline_batch, c.agent_version, c.batch_id, COUNT(p.value_before) AS cases, AVG(p.value_before) AS mean_before, AVG(p.value_after) AS mean_after
  FROM compared c LEFT JOIN pairs p ON p.agent_name = c.agent_name AND p.baseline_version = c.baseline_version AND p.baseline_batch = c.baseline_batch
  GROUP BY c.agent_name, c.baseline_version, c.baseline_batch, c.agent_version, c.batch_id
)
SELECT agent_name, baseline_version, baseline_batch, agent_version, batch_id, cases, mean_before, mean_after
FROM figures
WHERE cases = 0 OR {% if badger.is_lower_better(metric) %}mean_after - mean_before{% else %}mean_before - mean_after{% endif %} > {{ max_drop }} + 0.000000001
UNION ALL
SELECT {{ badger.literal(agent) }} AS agent_name, {{ badger.literal(version) }} AS baseline_version, {% for n in ["baseline_batch", "agent_version", "batch_id"] %}CAST(NULL AS {{ dbt.type_string() }}) AS {{ n }}, {% endfor %}0 AS cases, NULL AS mean_before, NULL AS mean_after
FROM (SELECT COUNT(*) AS n FROM compared) c WHERE n = 0
{% endtest %}
