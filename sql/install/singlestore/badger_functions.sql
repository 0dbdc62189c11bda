-- SingleStore sends {"data": [[row, argument, …], …]} and reads {"data": [[row, result], …]}, as Snowflake does.
-- A link holds the token: CREATE LINK badger AS HTTP CREDENTIALS '{}' CONFIG '{"headers": {"x-badger-token": "…"}}';
-- The global variable enable_external_functions must be ON.
{{- range .Functions}}

-- {{oneline .Of.Doc}}
CREATE OR REPLACE EXTERNAL FUNCTION {{id .Name}}({{range $i, $p := .Params}}{{if $i}}, {{end}}{{id .Name}} {{argtype .Type}}{{end}}) RETURNS {{type .Result}}
AS REMOTE SERVICE "{{$.Values.Endpoint}}/v1/snowflake/{{.Of.Name}}" FORMAT JSON LINK badger;
{{- end}}
