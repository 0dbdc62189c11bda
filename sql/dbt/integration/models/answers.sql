{# Columns of the agent's log, and scores from the macros of single functions. #}
{{ config(materialized="table") }}
SELECT a.agent_version, a.case_id,
  {{ badger.hybrid_ex("g.gold_result", "a.result") }} AS score,
  {{ badger.hybrid_ex("g.gold_result", "a.result", options={"tolerance": 0.01}, dialect="g.dialect") }} AS tolerant,
  {{ badger.hybrid_ex_json("g.gold_result", "a.result", gold_sql="g.gold_sql", agent_sql="a.sql") }} AS why
FROM {{ source("badger", "agent_runs") }} a JOIN {{ source("badger", "golden_set") }} g ON g.case_id = a.case_id
