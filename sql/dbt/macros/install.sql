{# Prints how the functions get into the warehouse of the target: dbt run-operation badger.install. dbt does not create them, because they are external
   functions with roles, grants and services, which badger install knows. #}
{% macro install(via=none) -%}
{%- set vias = {"snowflake": ["spcs", "api-gateway"], "bigquery": ["cloud-run"], "databricks": ["http", "python"], "postgres": ["http"], "redshift": ["lambda"]} %}
{%- if target.type == "duckdb" %}
  {%- do log("The functions are registered in dbt's own DuckDB. Add this to the output of the profile, and install badger-eval in the same environment as dbt-duckdb:\n\nplugins:\n  - module: badger_eval.dbt_duckdb", info=True) %}
{%- elif target.type not in vias %}
  {%- do exceptions.raise_compiler_error("badger has no functions in " ~ target.type ~ "; expected snowflake, bigquery, databricks, postgres, redshift or duckdb") %}
{%- elif via is not none and via not in vias[target.type] %}
  {%- do exceptions.raise_compiler_error(target.type ~ " cannot call badger via " ~ via ~ ", expected " ~ vias[target.type] | join(" or ")) %}
{%- else %}
  {%- set of = " --warehouse " ~ target.type ~ " --via " ~ (via or vias[target.type][0]) %}
  {%- set schema = var("badger_schema", "badger") %}
  {%- do log("badger install" ~ of ~ " --example > badger.yaml     # then complete it" ~ ("" if target.type in ("postgres", "redshift") else "; database: " ~ (var("badger_database", none) or target.database)) ~ "; schema: " ~ schema
    ~ "\nbadger install --values badger.yaml --print        # shows every statement\nbadger install --values badger.yaml --apply URL    # runs them; the role of this target needs to be a caller", info=True) %}
{%- endif %}
{%- endmacro %}
