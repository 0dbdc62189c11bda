--- hand: The token for badger serve is kept as a secret and never stands in SQL.
databricks secrets create-scope {{oneline .Values.Secret.Scope}}
databricks secrets put-secret {{oneline .Values.Secret.Scope}} {{oneline .Values.Secret.Key}}
