--- owner: Callers find the schema.
--- drop: REVOKE USAGE ON SCHEMA {{.SchemaName}} FROM ROLE {{id .Values.Roles.Caller}}
GRANT USAGE ON SCHEMA {{.SchemaName}} TO ROLE {{id .Values.Roles.Caller}}
--- owner: Callers call the functions. Creating a function again takes the right away, so this comes last, always.
GRANT USAGE ON ALL FUNCTIONS IN SCHEMA {{.SchemaName}} TO ROLE {{id .Values.Roles.Caller}}
