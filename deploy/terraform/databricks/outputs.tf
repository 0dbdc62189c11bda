output "schema" {
  description = "Full name of the schema."
  value       = databricks_schema.this.id
}

output "volume_path" {
  description = "Path of the volume, for files."
  value       = "/Volumes/${var.catalog}/${databricks_schema.this.name}/${databricks_volume.this.name}"
}

output "secret_scope" {
  description = "Scope of the token, for secret.scope in the values of badger install."
  value       = databricks_secret_scope.this.name
}
