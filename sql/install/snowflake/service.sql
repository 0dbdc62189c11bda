{{if eq .Via.Name "spcs"}}SHOW SERVICES IN SCHEMA {{.SchemaName}}{{end}}
