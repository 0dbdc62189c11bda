SELECT LOWER(function_name) AS name, COALESCE(comment, '') AS comment FROM {{id .Values.Database}}.information_schema.functions
WHERE function_schema = {{lit (folded .Values.Schema)}}
UNION ALL
SELECT LOWER(procedure_name) AS name, COALESCE(comment, '') AS comment FROM {{id .Values.Database}}.information_schema.procedures
WHERE procedure_schema = {{lit (folded .Values.Schema)}}
