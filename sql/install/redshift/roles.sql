{{range .Roles -}}
--- admin, may exist: The role that {{.Doc}}. Grant it to users.
--- drop role: DROP ROLE {{id .Name}} FORCE
CREATE ROLE {{id .Name}}
{{end -}}
--- admin: The schema of everything that belongs to badger. It stays when badger is removed, unless its data go too.
--- drop data: DROP SCHEMA IF EXISTS {{.SchemaName}} RESTRICT
CREATE SCHEMA IF NOT EXISTS {{.SchemaName}}
--- admin: The owner creates functions and tables in the schema.
--- drop: REVOKE ALL ON SCHEMA {{.SchemaName}} FROM ROLE {{id .Values.Roles.Owner}}
GRANT USAGE, CREATE ON SCHEMA {{.SchemaName}} TO ROLE {{id .Values.Roles.Owner}}
--- admin: The owner creates external functions.
--- drop: REVOKE USAGE ON LANGUAGE EXFUNC FROM ROLE {{id .Values.Roles.Owner}}
GRANT USAGE ON LANGUAGE EXFUNC TO ROLE {{id .Values.Roles.Owner}}
