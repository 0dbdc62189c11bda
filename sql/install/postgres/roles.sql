{{range .Roles -}}
--- admin: The role that {{.Doc}}. Grant it to users.
--- drop role: DROP ROLE IF EXISTS {{id .Name}}
DO $badger$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {{lit .Name}}) THEN CREATE ROLE {{id .Name}} NOLOGIN; COMMENT ON ROLE {{id .Name}} IS {{lit (print "badger: " .Doc)}}; END IF; END $badger$
{{end -}}
--- admin: The schema of everything that belongs to badger. It stays when badger is removed, unless its data go too.
--- drop data: DROP SCHEMA IF EXISTS {{.SchemaName}} RESTRICT
CREATE SCHEMA IF NOT EXISTS {{.SchemaName}}
--- admin: The owner creates functions and tables in the schema.
--- drop: REVOKE ALL ON SCHEMA {{.SchemaName}} FROM {{id .Values.Roles.Owner}}
GRANT USAGE, CREATE ON SCHEMA {{.SchemaName}} TO {{id .Values.Roles.Owner}}
