--- owner: Callers call the functions of the schema, and see nothing else of it.
--- drop: REVOKE USE SCHEMA, EXECUTE ON SCHEMA {{.SchemaName}} FROM {{id .Values.Roles.Caller}}
GRANT USE SCHEMA, EXECUTE ON SCHEMA {{.SchemaName}} TO {{id .Values.Roles.Caller}}
