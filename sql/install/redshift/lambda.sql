--- hand: The Lambda function (Python 3.9 or later, timeout 15 minutes) that passes batches on. Its text follows; BADGER_ENDPOINT is {{oneline .Values.Endpoint}}. The role {{oneline .Values.RoleARN}} needs lambda:InvokeFunction on it and is attached to the cluster.
{{.Lambda}}
