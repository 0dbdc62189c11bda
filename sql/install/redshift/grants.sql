--- admin: Callers find the schema.
--- drop: REVOKE USAGE ON SCHEMA {{.SchemaName}} FROM ROLE {{id .Values.Roles.Caller}}
GRANT USAGE ON SCHEMA {{.SchemaName}} TO ROLE {{id .Values.Roles.Caller}}
