--- admin: Lets the account call the gateway. Creating it again would change the external id that the role of the cloud trusts, so it is left alone where it is there.
--- drop: DROP INTEGRATION IF EXISTS {{id .Values.Integration}}
CREATE API INTEGRATION IF NOT EXISTS {{id .Values.Integration}} API_PROVIDER = {{.Values.APIProvider}} API_AWS_ROLE_ARN = {{lit .Values.RoleARN}} API_ALLOWED_PREFIXES = ({{lit (print .Values.Endpoint "/v1/snowflake/")}}) ENABLED = TRUE
--- hand: The role of the cloud must trust this account.
DESCRIBE INTEGRATION {{id .Values.Integration}}
copy API_AWS_IAM_USER_ARN and API_AWS_EXTERNAL_ID into the trust policy of {{oneline .Values.RoleARN}}
of the Terraform module aws-external-function, they are snowflake_user_arn and snowflake_external_id: apply it a second time with them
--- admin: The owner creates functions over the integration.
GRANT USAGE ON INTEGRATION {{id .Values.Integration}} TO ROLE {{id .Values.Roles.Owner}}
