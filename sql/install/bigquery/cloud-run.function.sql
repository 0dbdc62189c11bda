--- owner: {{.Why}}
--- drop: DROP FUNCTION IF EXISTS {{in .Function.Name}}
CREATE OR REPLACE FUNCTION {{in .Function.Name}}({{range $i, $p := .Function.Params}}{{if $i}}, {{end}}{{id .Name}} {{argtype .Type}}{{end}})
RETURNS {{type .Function.Result}}
REMOTE WITH CONNECTION {{id .Values.Database .Values.Location .Values.Connection}}
OPTIONS (
  description = {{lit .Comment}},
  endpoint = {{lit (print .Values.Endpoint "/v1/bigquery/" .Function.Of.Name)}},
  max_batching_rows = {{.RowsOf .Function}},
  user_defined_context = [('fn', '{{.Function.Of.Name}}'), ('fnv', '{{.Function.Of.Version}}')]
)
