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
