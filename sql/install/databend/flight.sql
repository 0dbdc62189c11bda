--- hand: The query nodes must be allowed to call badger serve: in the configuration of each, below [query].{{if eq .Scheme "http"}} A version that rejects the third setting as unknown does not need it.{{end}}
enable_udf_server = true
udf_server_allow_list = ["{{oneline .Values.Endpoint}}"]
{{if eq .Scheme "http" -}}
udf_server_allow_insecure = true
{{end -}}
{{with .Values.TokenFile -}}
--- hand: Databend has no place for secrets: each function holds the token in a header, for which this script has {{$.TokenPlaceholder}}. Whoever may read system.user_functions reads it, so give Databend a token of its own. Put the token in when you run the script, and keep no copy that holds it.
sed "s|{{$.TokenPlaceholder}}|$(cat {{sh .}})|" SCRIPT | bendsql
{{end -}}
--- admin: Databend cuts requests by rows alone. With {{.BlockRows}} rows a request, a message fits into limits.message_bytes of badger serve (64 MiB) if the arguments of a row have less than {{.BlockKB}} KB. For longer rows, set fewer (rows.large). A version without this setting, such as 1.2.453, sends up to 2048 rows: leave this out, and raise limits.message_bytes and limits.memory_bytes of badger serve.
--- drop: UNSET GLOBAL external_server_request_batch_rows
SET GLOBAL external_server_request_batch_rows = {{.BlockRows}}
