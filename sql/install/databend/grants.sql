{{range .Functions -}}
--- owner: Callers call {{.Name}}.
GRANT USAGE ON UDF {{in .Name}} TO ROLE {{id $.Values.Roles.Caller}}
{{end -}}
