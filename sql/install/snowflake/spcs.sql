--- admin: The machines that the service runs on. They stop {{.Values.Deploy.Snowflake.PoolSuspend}} s after the last service on them was suspended, and start again with it.
--- drop: DROP COMPUTE POOL IF EXISTS {{id .Values.Pool}}
CREATE COMPUTE POOL IF NOT EXISTS {{id .Values.Pool}} MIN_NODES = {{.Values.Deploy.Snowflake.Nodes.Min}} MAX_NODES = {{.Values.Deploy.Snowflake.Nodes.Max}} INSTANCE_FAMILY = {{.Values.Instances}} AUTO_RESUME = TRUE AUTO_SUSPEND_SECS = {{.Values.Deploy.Snowflake.PoolSuspend}} COMMENT = 'badger: runs badger serve'
--- admin: A pool that was there gets these nodes, too. Its instance family cannot be changed: that takes another pool.
ALTER COMPUTE POOL IF EXISTS {{id .Values.Pool}} SET MIN_NODES = {{.Values.Deploy.Snowflake.Nodes.Min}} MAX_NODES = {{.Values.Deploy.Snowflake.Nodes.Max}} AUTO_RESUME = TRUE AUTO_SUSPEND_SECS = {{.Values.Deploy.Snowflake.PoolSuspend}}
--- admin: The owner runs the service there.
--- drop: REVOKE USAGE, MONITOR ON COMPUTE POOL {{id .Values.Pool}} FROM ROLE {{id .Values.Roles.Owner}}
GRANT USAGE, MONITOR ON COMPUTE POOL {{id .Values.Pool}} TO ROLE {{id .Values.Roles.Owner}}
--- admin: The service's own statements run on this warehouse: the ledger, references{{if .Values.Deploy.Judge.Cortex}}, questions to Cortex{{end}}.
--- drop: REVOKE USAGE ON WAREHOUSE {{id .Values.Deploy.Snowflake.QueryWarehouse}} FROM ROLE {{id .Values.Roles.Owner}}
GRANT USAGE ON WAREHOUSE {{id .Values.Deploy.Snowflake.QueryWarehouse}} TO ROLE {{id .Values.Roles.Owner}}
{{if .Values.Deploy.Judge.Cortex -}}
--- admin: The service asks Cortex with its own token. Nothing leaves the account.
--- drop: REVOKE DATABASE ROLE SNOWFLAKE.CORTEX_USER FROM ROLE {{id .Values.Roles.Owner}}
GRANT DATABASE ROLE SNOWFLAKE.CORTEX_USER TO ROLE {{id .Values.Roles.Owner}}
{{end -}}
{{if .Values.Deploy.Snowflake.Public -}}
--- admin: The service has an endpoint outside Snowflake. Snowflake asks its callers to sign in.
--- drop: REVOKE BIND SERVICE ENDPOINT ON ACCOUNT FROM ROLE {{id .Values.Roles.Owner}}
GRANT BIND SERVICE ENDPOINT ON ACCOUNT TO ROLE {{id .Values.Roles.Owner}}
{{end -}}
--- owner: Where the image is kept.
--- drop: DROP IMAGE REPOSITORY IF EXISTS {{in "images"}}
CREATE IMAGE REPOSITORY IF NOT EXISTS {{in "images"}}
--- hand: The image, for linux/amd64, has to be there before the service starts.
snow spcs image-registry login
snow spcs image-repository url images --database {{.Values.Database}} --schema {{.Values.Schema}}
docker push URL/NAME:TAG, so that it is {{.Values.Deploy.Image}}
{{if .Values.Judges -}}
--- owner: Where the service finds the judge files.
--- drop: DROP STAGE IF EXISTS {{in "judges"}}
CREATE STAGE IF NOT EXISTS {{in "judges"}} ENCRYPTION = (TYPE = 'SNOWFLAKE_SSE') COMMENT = 'badger: judge files'
--- hand: The judge files have to be on the stage before the service starts.
{{range .SPCS.JudgeFiles -}}
snow stage copy {{.}} @{{in "judges"}} --overwrite
{{end}}{{end -}}
{{if .Values.Deploy.Judge.Outside -}}
--- hand: The key of the judge. It is typed here and kept by Snowflake; the service sees it as a file, anew when it changes.
CREATE SECRET IF NOT EXISTS {{in .Values.Deploy.Judge.Secret}} TYPE = GENERIC_STRING SECRET_STRING = '<the key>'
to change it: ALTER SECRET {{in .Values.Deploy.Judge.Secret}} SET SECRET_STRING = '<the new key>'
as {{oneline .Values.Roles.Owner}}; type the key in the place of <the key>, and keep it in no file
--- owner: A comment on the key's secret.
--- drop: DROP SECRET IF EXISTS {{in .Values.Deploy.Judge.Secret}}
ALTER SECRET IF EXISTS {{in .Values.Deploy.Judge.Secret}} SET COMMENT = 'badger: the key of the judge'
--- owner: The one host outside that the service may reach: the judge.
--- drop: DROP NETWORK RULE IF EXISTS {{in "judge_host"}}
CREATE NETWORK RULE IF NOT EXISTS {{in "judge_host"}} MODE = EGRESS TYPE = HOST_PORT VALUE_LIST = ({{lit .Values.Deploy.Judge.Host}}) COMMENT = 'badger: the judge'
--- owner: The rule names this host and no other, if it was there, too.
ALTER NETWORK RULE IF EXISTS {{in "judge_host"}} SET VALUE_LIST = ({{lit .Values.Deploy.Judge.Host}})
--- admin: Lets the service reach that host.
--- drop: DROP INTEGRATION IF EXISTS {{id .SPCS.EgressName}}
CREATE EXTERNAL ACCESS INTEGRATION IF NOT EXISTS {{id .SPCS.EgressName}} ALLOWED_NETWORK_RULES = ({{in "judge_host"}}) ENABLED = TRUE COMMENT = 'badger: the judge'
--- admin: The owner's service uses it.
GRANT USAGE ON INTEGRATION {{id .SPCS.EgressName}} TO ROLE {{id .Values.Roles.Owner}}
{{end -}}
--- owner, if missing: badger serve, in the account.
--- drop: DROP SERVICE IF EXISTS {{in .Values.Service}}
CREATE SERVICE IF NOT EXISTS {{in .Values.Service}} IN COMPUTE POOL {{id .Values.Pool}}
  FROM SPECIFICATION $$
{{.SPCS.Specification}}$$
{{template "properties" .}}
  COMMENT = {{lit .ServiceDoc}}
--- owner, if changed: A service that is there gets what is outside the specification.
ALTER SERVICE IF EXISTS {{in .Values.Service}} SET
{{template "properties" .}}
{{if not .Values.Deploy.Judge.Outside -}}
--- owner, if changed: No judge outside any more: the service reaches nothing but Snowflake.
ALTER SERVICE IF EXISTS {{in .Values.Service}} UNSET EXTERNAL_ACCESS_INTEGRATIONS
{{end -}}
--- owner, if changed: And the specification. Snowflake replaces the instances one after another; functions keep their paths, and calls that are cut are sent again.
ALTER SERVICE IF EXISTS {{in .Values.Service}} FROM SPECIFICATION $$
{{.SPCS.Specification}}$$
--- owner, if changed: The mark by which the service is compared, last.
ALTER SERVICE IF EXISTS {{in .Values.Service}} SET COMMENT = {{lit .ServiceDoc}}
--- owner: The functions' owner may call the service's endpoint; callers of the functions need no right on it.
GRANT SERVICE ROLE {{in .Values.Service}}!caller TO ROLE {{id .Values.Roles.Owner}}
{{if .Values.Deploy.Snowflake.Public -}}
{{range .Values.Visitors -}}
--- owner: {{oneline .}} reaches the public endpoint{{if $.Values.Deploy.Report.On}}, where the report is{{end}}.
GRANT SERVICE ROLE {{in $.Values.Service}}!viewer TO ROLE {{id .}}
{{end -}}
{{end -}}
{{define "properties"}}  MIN_INSTANCES = {{.Values.Deploy.Replicas.Min}} MAX_INSTANCES = {{.Values.Deploy.Replicas.Max}} MIN_READY_INSTANCES = {{.Values.Deploy.Snowflake.Ready}}
  AUTO_SUSPEND_SECS = {{.Values.Deploy.Snowflake.Suspend}} AUTO_RESUME = TRUE QUERY_WAREHOUSE = {{id .Values.Deploy.Snowflake.QueryWarehouse}}{{if .Values.Deploy.Judge.Outside}}
  EXTERNAL_ACCESS_INTEGRATIONS = ({{id .SPCS.EgressName}}){{end}}{{end}}
