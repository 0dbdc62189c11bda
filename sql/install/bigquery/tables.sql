{{range $t := .Tables -}}
--- owner{{if .Input}}, optional{{end}}: A description of the table {{.Name}} and of its columns.
ALTER TABLE {{in .Name}} SET OPTIONS (description = {{lit (oneline .Doc)}})
--- owner{{if .Input}}, optional{{end}}: The same for the columns of {{.Name}}.
ALTER TABLE {{in .Name}} {{range $i, $c := .Columns}}{{if $i}}, {{end}}ALTER COLUMN {{id .Name}} SET OPTIONS (description = {{lit (oneline .Doc)}}){{end}}
{{end -}}
{{range .Views -}}
--- owner: A description of the view {{.Name}}.
ALTER VIEW {{in .Name}} SET OPTIONS (description = {{lit (oneline .Doc)}})
{{end -}}
{{range readable -}}
--- owner: The reader reads {{.}}.
--- drop: REVOKE `roles/bigquery.dataViewer` ON {{kind .}} {{in .}} FROM {{lit $.Values.Roles.Reader}}
GRANT `roles/bigquery.dataViewer` ON {{kind .}} {{in .}} TO {{lit $.Values.Roles.Reader}}
{{end -}}
{{range underlying -}}
--- owner: A view reads {{.}} with the rights of whoever asks.
--- drop: REVOKE `roles/bigquery.dataViewer` ON TABLE {{in .}} FROM {{lit $.Values.Roles.Reader}}
GRANT `roles/bigquery.dataViewer` ON TABLE {{in .}} TO {{lit $.Values.Roles.Reader}}
{{end -}}
--- owner: The annotator reads and writes labels, and nothing else.
--- drop: REVOKE `roles/bigquery.dataEditor` ON TABLE {{in "human_labels"}} FROM {{lit .Values.Roles.Annotator}}
GRANT `roles/bigquery.dataEditor` ON TABLE {{in "human_labels"}} TO {{lit .Values.Roles.Annotator}}
