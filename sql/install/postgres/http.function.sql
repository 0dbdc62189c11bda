--- owner: {{.Why}}
--- drop: DROP FUNCTION IF EXISTS {{in .Function.Name}}({{.Types}})
CREATE OR REPLACE FUNCTION {{in .Function.Name}}({{range $i, $p := .Function.Params}}{{if $i}}, {{end}}{{id .Name}} {{argtype .Type}}{{if .Optional}} DEFAULT NULL{{end}}{{end}})
RETURNS {{type .Function.Result}}
LANGUAGE sql {{if .Function.Of.Volatile}}VOLATILE{{else}}STABLE{{end}} PARALLEL SAFE COST 10000 AS $badger$
  SELECT {{if .JSON}}{{in "_call"}}('{{.Function.Of.Name}}', json_build_object({{range $i, $p := .Function.Params}}{{if $i}}, {{end}}'{{.Name}}', ${{inc $i}}{{end}})){{else}}(CASE WHEN json_typeof(r) <> 'object' THEN r #>> '{}' END)::{{type .Function.Result}}
  FROM (SELECT {{in "_call"}}('{{.Function.Of.Name}}', json_build_object({{range $i, $p := .Function.Params}}{{if $i}}, {{end}}'{{.Name}}', ${{inc $i}}{{end}})) AS r) c{{end}}
$badger$
--- owner: What the function says, for those who look it up, and the mark of this version.
COMMENT ON FUNCTION {{in .Function.Name}}({{.Types}}) IS {{lit .Comment}}
