--- owner: {{.Why}}
--- drop: DROP MACRO IF EXISTS {{in .Function.Name}}
CREATE OR REPLACE MACRO {{in .Function.Name}}({{range $i, $p := .Function.Params}}{{if $i}}, {{end}}{{id .Name}}{{if .Optional}} := NULL{{end}}{{end}}) AS {{id .Function.Of.Name}}({{range $i, $p := .Function.Params}}{{if $i}}, {{end}}{{id .Name}}{{end}})
--- owner: What the function says, for those who look it up, and the mark of this version.
COMMENT ON MACRO {{in .Function.Name}} IS {{lit .Comment}}
