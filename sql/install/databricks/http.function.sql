--- owner: {{.Why}}
--- drop: DROP FUNCTION IF EXISTS {{in .Function.Name}}
CREATE OR REPLACE FUNCTION {{in .Function.Name}}({{range $i, $p := .Function.Params}}{{if $i}}, {{end}}{{id .Name}} {{argtype .Type}}{{if .Optional}} DEFAULT NULL{{end}} COMMENT {{lit (oneline .Doc)}}{{end}})
RETURNS {{type .Function.Result}}
NOT DETERMINISTIC
COMMENT {{lit .Comment}}
RETURN (
  SELECT CASE {{if .Scores}}WHEN r.status_code = 400 AND contains(r.text, '"code":"resource_exhausted"') THEN to_json(transform(split({{id .Function.Name "metrics"}}, ','), m -> named_struct('metric', trim(m), 'status', 'failed', 'code', 'resource_exhausted', 'reason', get_json_object(r.text, '$.reason'))))
    {{else if not .JSON}}WHEN r.status_code = 400 AND contains(r.text, '"code":"resource_exhausted"') THEN NULL
    {{end}}{{if .JSON}}WHEN r.status_code NOT IN (429, 503) THEN r.text{{else}}WHEN r.status_code = 200 THEN CAST(get_json_object(concat('{"v":', r.text, '}'), '$.v') AS {{type .Function.Result}}){{end}}
    ELSE CAST(raise_error(concat('badger serve answered with HTTP status ', r.status_code, ': ', left(r.text, 300))) AS {{type .Function.Result}}) END
  FROM (SELECT http_request(conn => {{lit .Values.Connection}}, method => 'POST', path => '/databricks/{{.Function.Of.Name}}',
    headers => map('Content-Type', 'application/json'),
    json => {{if .Function.Params}}to_json(named_struct({{range $i, $p := .Function.Params}}{{if $i}}, {{end}}'{{.Name}}', {{id $.Function.Name .Name}}{{end}})){{else}}'{}'{{end}}) AS r)
)
