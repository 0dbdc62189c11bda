--- admin: Callers see the functions; the data of the dataset they do not see.
--- drop: REVOKE `roles/bigquery.metadataViewer` ON SCHEMA {{.SchemaName}} FROM {{lit .Values.Roles.Caller}}
GRANT `roles/bigquery.metadataViewer` ON SCHEMA {{.SchemaName}} TO {{lit .Values.Roles.Caller}}
