--- owner: {{.Why}}
--- drop: DROP FUNCTION IF EXISTS {{in .Function.Name}}({{.Types}})
CREATE OR REPLACE SECURE EXTERNAL FUNCTION {{in .Function.Name}}({{range $i, $p := .Function.Params}}{{if $i}}, {{end}}{{id .Name}} {{argtype .Type}}{{end}})
  RETURNS {{type .Function.Result}}{{if .JSON}} NOT NULL{{end}}
  CALLED ON NULL INPUT
  {{if .Function.Of.Volatile}}VOLATILE{{else}}IMMUTABLE{{end}}
  COMMENT = {{lit .Comment}}
  API_INTEGRATION = {{id .Values.Integration}}
  CONTEXT_HEADERS = (CURRENT_ACCOUNT, CURRENT_USER, CURRENT_ROLE)
  MAX_BATCH_ROWS = {{.RowsOf .Function}}
  COMPRESSION = GZIP
  AS {{lit (print .Values.Endpoint "/v1/snowflake/" .Function.Of.Name)}}
