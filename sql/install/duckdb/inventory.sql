SELECT function_name AS name, COALESCE(comment, '') AS comment FROM duckdb_functions() WHERE schema_name = {{lit .Values.Schema}}
