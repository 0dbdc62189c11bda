{{range $t := .Tables -}}
--- owner{{if .Input}}, optional{{end}}: A comment on the table {{.Name}}.
COMMENT ON TABLE {{in .Name}} IS {{lit (oneline .Doc)}}
{{range .Columns -}}
--- owner{{if $t.Input}}, optional{{end}}: A comment on {{$t.Name}}.{{.Name}}.
COMMENT ON COLUMN {{in $t.Name}}.{{id .Name}} IS {{lit (oneline .Doc)}}
{{end}}{{end -}}
{{range .Views -}}
--- owner: A comment on the view {{.Name}}.
COMMENT ON VIEW {{in .Name}} IS {{lit (oneline .Doc)}}
{{end -}}
{{range $r := slice .Roles 2 -}}
--- owner: {{.Name}} finds the schema.
--- drop: REVOKE USAGE ON SCHEMA {{$.SchemaName}} FROM ROLE {{id .Name}}
GRANT USAGE ON SCHEMA {{$.SchemaName}} TO ROLE {{id .Name}}
{{end -}}
{{range readable -}}
--- owner: The reader reads {{.}}.
--- drop: REVOKE SELECT ON {{kind .}} {{in .}} FROM ROLE {{id $.Values.Roles.Reader}}
GRANT SELECT ON {{kind .}} {{in .}} TO ROLE {{id $.Values.Roles.Reader}}
{{end -}}
--- owner: The annotator reads and writes labels, and nothing else.
--- drop: REVOKE SELECT, INSERT, UPDATE ON TABLE {{in "human_labels"}} FROM ROLE {{id .Values.Roles.Annotator}}
GRANT SELECT, INSERT, UPDATE ON TABLE {{in "human_labels"}} TO ROLE {{id .Values.Roles.Annotator}}
