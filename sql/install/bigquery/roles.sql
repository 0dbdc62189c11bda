--- admin: The dataset of everything that belongs to badger. It stays when badger is removed, unless its data go too.
--- drop data: DROP SCHEMA IF EXISTS {{.SchemaName}} RESTRICT
CREATE SCHEMA IF NOT EXISTS {{.SchemaName}} OPTIONS (location = {{lit .Values.Location}}, description = 'badger: functions, scores, labels')
--- admin: The owner creates functions and tables in the dataset. BigQuery's roles are people, groups and service accounts.
--- drop: REVOKE `roles/bigquery.dataOwner` ON SCHEMA {{.SchemaName}} FROM {{lit .Values.Roles.Owner}}
GRANT `roles/bigquery.dataOwner` ON SCHEMA {{.SchemaName}} TO {{lit .Values.Roles.Owner}}
