--- owner: {{.Why}}
--- drop: DROP FUNCTION IF EXISTS {{in .Function.Name}}({{.Types}})
CREATE OR REPLACE FUNCTION {{in .Function.Name}}({{range $i, $p := .Function.Params}}{{if $i}}, {{end}}{{id .Name}} {{argtype .Type}}{{end}})
  RETURNS {{type .Function.Result}}{{if .JSON}} NOT NULL{{end}}
  CALLED ON NULL INPUT
  {{if .Function.Of.Volatile}}VOLATILE{{else}}IMMUTABLE{{end}}
  COMMENT = {{lit .Comment}}
  SERVICE = {{in .Values.Service}}
  ENDPOINT = 'api'
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = {{.RowsOf .Function}}
  ON_BATCH_FAILURE = ABORT
  BATCH_TIMEOUT_SECS = 900
  AS '/v1/snowflake/{{.Function.Of.Name}}'
