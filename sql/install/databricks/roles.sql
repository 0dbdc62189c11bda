--- hand: Groups belong to the account: create them there, if they are not there yet.
{{range .Roles}}{{oneline .Name}}: {{.Doc}}
{{end -}}
--- admin: The owner creates the schema. Nothing outside it is granted.
--- drop: REVOKE USE CATALOG, CREATE SCHEMA ON CATALOG {{id .Values.Database}} FROM {{id .Values.Roles.Owner}}
GRANT USE CATALOG, CREATE SCHEMA ON CATALOG {{id .Values.Database}} TO {{id .Values.Roles.Owner}}
--- admin: Callers find the catalog.
--- drop: REVOKE USE CATALOG ON CATALOG {{id .Values.Database}} FROM {{id .Values.Roles.Caller}}
GRANT USE CATALOG ON CATALOG {{id .Values.Database}} TO {{id .Values.Roles.Caller}}
--- owner: The schema of everything that belongs to badger. It stays when badger is removed, unless its data go too.
--- drop data: DROP SCHEMA IF EXISTS {{.SchemaName}} RESTRICT
CREATE SCHEMA IF NOT EXISTS {{.SchemaName}} COMMENT 'badger: functions, scores, labels'
