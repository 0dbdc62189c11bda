--- admin: The machines that the service runs on. It sleeps after ten minutes without a call.
--- drop: DROP COMPUTE POOL IF EXISTS {{id .Values.Pool}}
CREATE COMPUTE POOL IF NOT EXISTS {{id .Values.Pool}} MIN_NODES = 1 MAX_NODES = 1 INSTANCE_FAMILY = {{id .Values.Instances}} AUTO_RESUME = TRUE AUTO_SUSPEND_SECS = 600
--- admin: The owner runs the service there.
GRANT USAGE, MONITOR ON COMPUTE POOL {{id .Values.Pool}} TO ROLE {{id .Values.Roles.Owner}}
--- owner: Where the image is kept.
--- drop: DROP IMAGE REPOSITORY IF EXISTS {{in "images"}}
CREATE IMAGE REPOSITORY IF NOT EXISTS {{in "images"}}
--- owner: Where the service specification is kept.
--- drop: DROP STAGE IF EXISTS {{in "specs"}}
CREATE STAGE IF NOT EXISTS {{in "specs"}} DIRECTORY = (ENABLE = TRUE)
--- hand: The image (linux/amd64) and the specification have to be there before the service starts. The specification names an HTTP endpoint called api and a service role called caller that grants it.
snow spcs image-repository url images; docker push that URL/badger:VERSION
snow stage copy {{oneline .Values.Spec}} @specs, in the schema {{.SchemaName}}
in the configuration of badger serve: timeouts: {snowflake: 10m}, because no gateway ends a call after 29 s
--- owner: badger serve, in the account.
--- drop: DROP SERVICE IF EXISTS {{in .Values.Service}}
CREATE SERVICE IF NOT EXISTS {{in .Values.Service}} IN COMPUTE POOL {{id .Values.Pool}} FROM @{{in "specs"}} SPECIFICATION_FILE = {{lit .Values.Spec}} MIN_INSTANCES = 1 MAX_INSTANCES = 1
--- owner: The functions' owner may call the service's endpoint; callers of the functions need no right on it.
GRANT SERVICE ROLE {{in .Values.Service}}!caller TO ROLE {{id .Values.Roles.Owner}}
