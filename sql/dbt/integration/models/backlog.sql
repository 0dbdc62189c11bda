{# What the model scores computes when it runs again. #}
{{ config(materialized="ephemeral") }}
{{ badger.score_answers(source("badger", "agent_runs"), source("badger", "golden_set"), ["hybrid_ex", "sql_safety"], source("badger", "scores")) }}
