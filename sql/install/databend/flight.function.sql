--- owner: {{.Why}}
--- drop: DROP FUNCTION IF EXISTS {{in .Function.Name}}
CREATE OR REPLACE FUNCTION {{in .Function.Name}} ({{range $i, $p := .Function.Params}}{{if $i}}, {{end}}{{argtype .Type}} NULL{{end}}) RETURNS {{type .Function.Result}} NULL
  LANGUAGE python HANDLER = '{{.Function.Of.Name}}/{{len .Function.Params}}@databend'{{if .Values.TokenFile}} HEADERS = ('authorization' = {{lit (print "Bearer " .TokenPlaceholder)}}){{end}} ADDRESS = {{lit .Values.Endpoint}}
  DESC = {{lit .Comment}}
