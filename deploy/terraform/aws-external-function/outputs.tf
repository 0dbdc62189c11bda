output "endpoint" {
  description = "URL for endpoint in the values of badger install, and for API_ALLOWED_PREFIXES."
  value       = aws_api_gateway_stage.this.invoke_url
}

output "role_arn" {
  description = "Role for role_arn in the values of badger install (API_AWS_ROLE_ARN)."
  value       = aws_iam_role.snowflake.arn
}

output "api_provider" {
  description = "API_PROVIDER of the integration."
  value       = local.private ? "aws_private_api_gateway" : "aws_api_gateway"
}

output "create_api_integration" {
  description = "The statement that badger install runs, for creating the integration by hand."
  value = join("\n", [
    "CREATE API INTEGRATION IF NOT EXISTS \"${replace(var.integration, "\"", "\"\"")}\"",
    "  API_PROVIDER = ${local.private ? "aws_private_api_gateway" : "aws_api_gateway"}",
    "  API_AWS_ROLE_ARN = '${aws_iam_role.snowflake.arn}'",
    "  API_ALLOWED_PREFIXES = ('${aws_api_gateway_stage.this.invoke_url}/')",
    "  ENABLED = TRUE",
  ])
}

output "trusted" {
  description = "Whether Snowflake may assume the role: false until the second pass."
  value       = local.trusted
}
