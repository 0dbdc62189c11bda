--- hand: The token for badger serve is kept as a secret and never stands in SQL.
databricks secrets create-scope {{oneline .Values.Secret.Scope}}
databricks secrets put-secret {{oneline .Values.Secret.Scope}} {{oneline .Values.Secret.Key}}
--- admin: Where badger serve is, and the token it wants.
--- drop: DROP CONNECTION IF EXISTS {{id .Values.Connection}}
CREATE CONNECTION IF NOT EXISTS {{id .Values.Connection}} TYPE HTTP OPTIONS (host {{lit .Host}}, port {{lit .Port}}, base_path {{lit (print .Base "/v1")}}, bearer_token secret({{lit .Values.Secret.Scope}}, {{lit .Values.Secret.Key}})) COMMENT 'badger serve'
--- admin: The functions' owner uses the connection.
GRANT USE CONNECTION ON CONNECTION {{id .Values.Connection}} TO {{id .Values.Roles.Owner}}
