SELECT routine_name AS name, COALESCE(ddl, '') AS comment FROM {{.SchemaName}}.INFORMATION_SCHEMA.ROUTINES
