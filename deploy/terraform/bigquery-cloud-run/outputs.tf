output "endpoint" {
  description = "URL of the service, for endpoint in the values of badger install."
  value       = google_cloud_run_v2_service.this.uri
}

output "connection" {
  description = "Id of the connection, for connection in the values of badger install."
  value       = google_bigquery_connection.this.connection_id
}

output "connection_account" {
  description = "Account by which BigQuery calls the service."
  value       = google_bigquery_connection.this.cloud_resource[0].service_account_id
}

output "server_account" {
  description = "Account of the server. setup.sh --roles of badger deploy cloud-run gives it its roles on datasets."
  value       = local.account
}
