{# Every macro of a function ends here. arguments is a list of [name, value, type], the required ones first. A value is SQL, a number, a Boolean, or
   a list or mapping, which becomes a JSON literal. none is left out or NULL. #}
{% macro call(name, required, arguments) -%}
{{ return(adapter.dispatch('call', 'badger')(name, required, arguments)) }}
{%- endmacro %}

{% macro default__call(name, required, arguments) -%}
{{ exceptions.raise_compiler_error("badger has no functions in " ~ target.type ~ "; expected snowflake, bigquery, databricks, postgres, redshift or duckdb") }}
{%- endmacro %}

{# Optional arguments have defaults: they are named. #}
{% macro postgres__call(name, required, arguments) -%}
{{ return(badger._call_by_name(badger.function_name(name), required, arguments)) }}
{%- endmacro %}

{% macro databricks__call(name, required, arguments) -%}
{{ return(badger._call_by_name(badger.function_name(name), required, arguments)) }}
{%- endmacro %}

{# Optional arguments are those of a second function with the same name, which has all of them. #}
{% macro snowflake__call(name, required, arguments) -%}
{{ return(badger._call_by_place(badger.function_name(name), badger.function_name(name), required, arguments)) }}
{%- endmacro %}

{% macro redshift__call(name, required, arguments) -%}
{{ return(badger._call_by_place(badger.function_name(name), badger.function_name(name), required, arguments)) }}
{%- endmacro %}

{# NAME has the required arguments, and NAME_all has all. #}
{% macro bigquery__call(name, required, arguments) -%}
{{ return(badger._call_by_place(badger.function_name(name), badger.function_name(name ~ "_all"), required, arguments)) }}
{%- endmacro %}

{# The functions that the Python package registers. Those without required arguments have one name, and those without arguments do not exist. #}
{% macro duckdb__call(name, required, arguments) -%}
{% if not arguments %}{{ exceptions.raise_compiler_error("badger." ~ name ~ ": DuckDB cannot call functions without arguments") }}{% endif %}
{{ return(badger._call_by_place(name, name ~ "_all" if required else name, required, arguments)) }}
{%- endmacro %}

{% macro _call_by_name(function, required, arguments) -%}
{% set parts = [] %}
{% for argument in arguments %}
{% if loop.index0 < required %}{% do parts.append(badger.argument(argument)) %}
{% elif argument[1] is not none %}{% do parts.append(argument[0] ~ " => " ~ badger.argument(argument)) %}
{% endif %}
{% endfor %}
{{ return(function ~ "(" ~ parts | join(", ") ~ ")") }}
{%- endmacro %}

{% macro _call_by_place(short, all, required, arguments) -%}
{% set given = arguments[required:] | rejectattr(1, "none") | list %}
{% set parts = [] %}
{% for argument in (arguments if given or (required == 0 and short == all) else arguments[:required]) %}
{% do parts.append(badger.argument(argument)) %}
{% endfor %}
{{ return((all if given else short) ~ "(" ~ parts | join(", ") ~ ")") }}
{%- endmacro %}

{# The SQL of one argument. #}
{% macro argument(argument) -%}
{% set value = argument[1] %}
{% if value is none %}{{ return("NULL") }}
{% elif value is string %}{{ return(value) }}
{% elif value is boolean %}{{ return("TRUE" if value else "FALSE") }}
{% elif value is number %}{{ return(value | string) }}
{% else %}{{ return(badger.json_literal(tojson(value))) }}
{% endif %}
{%- endmacro %}

{# The full name of a function. #}
{% macro function_name(name) -%}
{{ return(adapter.dispatch("function_name", "badger")(name)) }}
{%- endmacro %}

{% macro default__function_name(name) -%}
{{ return((var("badger_database", none) or target.database) ~ "." ~ var("badger_schema", "badger") ~ "." ~ name) }}
{%- endmacro %}

{% macro bigquery__function_name(name) -%}
{{ return("`" ~ (var("badger_database", none) or target.database) ~ "." ~ var("badger_schema", "badger") ~ "`." ~ name) }}
{%- endmacro %}

{% macro postgres__function_name(name) -%}
{{ return(var("badger_schema", "badger") ~ "." ~ name) }}
{%- endmacro %}

{# A text as a literal. #}
{% macro literal(text) -%}
{{ return(adapter.dispatch("literal", "badger")(text)) }}
{%- endmacro %}

{# A backslash escapes. #}
{% macro default__literal(text) -%}
{{ return("'" ~ text | replace("\\", "\\\\") | replace("'", "\\'") | replace("\n", "\\n") ~ "'") }}
{%- endmacro %}

{% macro postgres__literal(text) -%}
{{ return("'" ~ text | replace("'", "''") ~ "'") }}
{%- endmacro %}

{% macro duckdb__literal(text) -%}
{{ return("'" ~ text | replace("'", "''") ~ "'") }}
{%- endmacro %}

{% macro redshift__literal(text) -%}
{{ return(badger.default__literal(text)) }}
{%- endmacro %}

{# JSON as an argument of a function. #}
{% macro json_literal(text) -%}
{{ return(adapter.dispatch("json_literal", "badger")(text)) }}
{%- endmacro %}

{% macro default__json_literal(text) -%}
{{ return(badger.literal(text)) }}
{%- endmacro %}

{% macro snowflake__json_literal(text) -%}
{{ return("PARSE_JSON(" ~ badger.literal(text) ~ ")") }}
{%- endmacro %}

{% macro postgres__json_literal(text) -%}
{{ return(badger.literal(text) ~ "::json") }}
{%- endmacro %}

{% macro redshift__json_literal(text) -%}
{{ return(badger.literal(text)) }}
{%- endmacro %}
