--- hand: The connection by whose service account BigQuery calls the service, and its right to call it.
bq mk --connection --location={{oneline .Values.Location}} --project_id={{oneline .Values.Database}} --connection_type=CLOUD_RESOURCE {{oneline .Values.Connection}}
bq show --connection {{oneline .Values.Database}}.{{oneline .Values.Location}}.{{oneline .Values.Connection}}    (shows SERVICE_ACCOUNT)
gcloud run services add-iam-policy-binding {{oneline .Values.Service}} --member=serviceAccount:SERVICE_ACCOUNT --role=roles/run.invoker
gcloud run services update {{oneline .Values.Service}} --timeout=1200
--- hand: The owner creates functions over the connection, callers use it. In the console: BigQuery, the connection, Share.
roles/bigquery.connectionUser for {{oneline .Values.Roles.Owner}} and {{oneline .Values.Roles.Caller}}
