SELECT routine_name AS name, COALESCE(comment, '') AS comment FROM {{id .Values.Database}}.information_schema.routines
WHERE routine_schema = {{lit .Values.Schema}}
