--- owner: {{.Why}}
--- drop: DROP FUNCTION {{in .Function.Name}}({{.Types}})
CREATE OR REPLACE EXTERNAL FUNCTION {{in .Function.Name}}({{.Types}})
RETURNS {{type .Function.Result}}
{{if .Function.Of.Volatile}}VOLATILE{{else}}STABLE{{end}}
LAMBDA {{lit .Values.Lambda}} IAM_ROLE {{lit .Values.RoleARN}}
RETRY_TIMEOUT 60000
MAX_BATCH_ROWS {{.RowsOf .Function}}
MAX_BATCH_SIZE 5 MB
--- owner: A new function may be called by everyone until that is taken away.
REVOKE ALL ON FUNCTION {{in .Function.Name}}({{.Types}}) FROM PUBLIC
--- owner: Callers call it.
GRANT EXECUTE ON FUNCTION {{in .Function.Name}}({{.Types}}) TO ROLE {{id .Values.Roles.Caller}}
