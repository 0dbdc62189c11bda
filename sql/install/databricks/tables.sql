{{range $t := .Tables -}}
--- owner{{if .Input}}, optional{{end}}: A comment on the table {{.Name}}.
COMMENT ON TABLE {{in .Name}} IS {{lit (oneline .Doc)}}
{{range .Columns -}}
--- owner{{if $t.Input}}, optional{{end}}: A comment on {{$t.Name}}.{{.Name}}.
ALTER TABLE {{in $t.Name}} ALTER COLUMN {{id .Name}} COMMENT {{lit (oneline .Doc)}}
{{end}}{{end -}}
{{range .Views -}}
--- owner: A comment on the view {{.Name}}.
COMMENT ON TABLE {{in .Name}} IS {{lit (oneline .Doc)}}
{{end -}}
{{range slice .Roles 2 -}}
--- admin: {{.Name}} finds the catalog.
--- drop: REVOKE USE CATALOG ON CATALOG {{id $.Values.Database}} FROM {{id .Name}}
GRANT USE CATALOG ON CATALOG {{id $.Values.Database}} TO {{id .Name}}
{{end -}}
{{range $r := slice .Roles 2 -}}
--- owner: {{.Name}} finds the schema.
--- drop: REVOKE USE SCHEMA ON SCHEMA {{$.SchemaName}} FROM {{id .Name}}
GRANT USE SCHEMA ON SCHEMA {{$.SchemaName}} TO {{id .Name}}
{{end -}}
{{range readable -}}
--- owner: The reader reads {{.}}.
--- drop: REVOKE SELECT ON TABLE {{in .}} FROM {{id $.Values.Roles.Reader}}
GRANT SELECT ON TABLE {{in .}} TO {{id $.Values.Roles.Reader}}
{{end -}}
--- owner: The annotator reads and writes labels, and nothing else.
--- drop: REVOKE SELECT, MODIFY ON TABLE {{in "human_labels"}} FROM {{id .Values.Roles.Annotator}}
GRANT SELECT, MODIFY ON TABLE {{in "human_labels"}} TO {{id .Values.Roles.Annotator}}
