output "image_repository" {
  description = "Path of the image repository; the host before it is the account's, in lower case."
  value       = "/${lower(var.database)}/${lower(var.schema)}/${lower(snowflake_image_repository.this.name)}"
}

output "compute_pool" {
  description = "Name of the compute pool, for pool in the values of badger install."
  value       = snowflake_compute_pool.this.name
}

output "service" {
  description = "Name of the service, for service in the values of badger install; null while there is none."
  value       = one(snowflake_service.this[*].name)
}
