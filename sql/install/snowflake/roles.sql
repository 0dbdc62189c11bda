{{range .Roles -}}
--- admin: The role that {{.Doc}}.
--- drop role: DROP ROLE IF EXISTS {{id .Name}}
CREATE ROLE IF NOT EXISTS {{id .Name}} COMMENT = {{lit (print "badger: " .Doc)}}
--- admin: Whoever administers the account may use the role.
GRANT ROLE {{id .Name}} TO ROLE SYSADMIN
{{end -}}
--- admin: The owner creates the schema. Nothing outside it is granted.
--- drop: REVOKE USAGE, CREATE SCHEMA ON DATABASE {{id .Values.Database}} FROM ROLE {{id .Values.Roles.Owner}}
GRANT USAGE, CREATE SCHEMA ON DATABASE {{id .Values.Database}} TO ROLE {{id .Values.Roles.Owner}}
{{range slice .Roles 1 -}}
--- admin: {{.Name}} finds the database.
--- drop: REVOKE USAGE ON DATABASE {{id $.Values.Database}} FROM ROLE {{id .Name}}
GRANT USAGE ON DATABASE {{id $.Values.Database}} TO ROLE {{id .Name}}
{{end -}}
--- owner: The schema of everything that belongs to badger. It stays when badger is removed, unless its data go too.
--- drop data: DROP SCHEMA IF EXISTS {{.SchemaName}} RESTRICT
CREATE SCHEMA IF NOT EXISTS {{.SchemaName}}
