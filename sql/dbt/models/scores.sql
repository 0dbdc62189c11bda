{# merge has no rows to match, since only answers without scores are scored; it keeps a key unique if two runs overlap. #}
{{ config(
    materialized="incremental",
    alias="badger_scores",
    unique_key=["eval_run_id", "agent_name", "agent_version", "batch_id", "case_id", "metric"],
    incremental_strategy="delete+insert" if target.type in ("postgres", "redshift") else "merge",
    on_schema_change="append_new_columns",
) }}
{%- set answers = var("badger_answers", none) %}
{%- set golden = var("badger_golden_set", none) %}
-- depends_on: {{ ref(answers) if answers else source("badger", "agent_runs") }}
-- depends_on: {{ ref(golden) if golden else source("badger", "golden_set") }}
{{ badger.score_answers(
    ref(answers) if answers else source("badger", "agent_runs"),
    ref(golden) if golden else source("badger", "golden_set"),
    var("badger_metrics", ["hybrid_ex"]),
    this if not flags.FULL_REFRESH and is_incremental() else none,
) }}
