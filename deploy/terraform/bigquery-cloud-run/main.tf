# Infrastructure of badger serve on Cloud Run for BigQuery's remote functions. Functions and tables are made by badger install.

locals {
  account = var.account == null ? google_service_account.server[0].email : var.account
}

resource "google_service_account" "server" {
  count = var.account == null ? 1 : 0

  project      = var.project
  account_id   = substr("${var.service}-server", 0, 30)
  display_name = "badger serve"
}

resource "google_project_iam_member" "server" {
  for_each = var.project_roles

  project = var.project
  role    = each.value
  member  = "serviceAccount:${local.account}"
}

resource "google_secret_manager_secret_iam_member" "server" {
  for_each = var.secret_files

  project   = var.project
  secret_id = each.value
  role      = "roles/secretmanager.secretAccessor"
  member    = "serviceAccount:${local.account}"
}

resource "google_cloud_run_v2_service" "this" {
  project             = var.project
  location            = var.region
  name                = var.service
  ingress             = "INGRESS_TRAFFIC_INTERNAL_ONLY"
  deletion_protection = var.deletion_protection

  template {
    execution_environment            = "EXECUTION_ENVIRONMENT_GEN2"
    service_account                  = local.account
    timeout                          = "1200s"
    max_instance_request_concurrency = var.concurrency

    scaling {
      min_instance_count = var.instances.min
      max_instance_count = var.instances.max
    }

    dynamic "vpc_access" {
      for_each = var.network == null ? [] : [var.network]

      content {
        egress = "ALL_TRAFFIC"

        network_interfaces {
          network    = vpc_access.value
          subnetwork = var.subnetwork
        }
      }
    }

    containers {
      image = var.image
      args  = ["serve"]

      ports {
        name           = lookup(var.environment, "BADGER_LISTEN_H2C", "false") == "true" ? "h2c" : "http1"
        container_port = 8080
      }

      resources {
        # The ledger is written between calls, too.
        cpu_idle          = false
        startup_cpu_boost = true
        limits            = { cpu = var.cpu, memory = var.memory }
      }

      dynamic "env" {
        for_each = merge({
          BADGER_AUTH_HTTP_MODE     = "platform"
          BADGER_AUTH_HTTP_PLATFORM = "cloud-run"
        }, var.environment)

        content {
          name  = env.key
          value = env.value
        }
      }

      # All that badger writes.
      volume_mounts {
        name       = "tmp"
        mount_path = "/tmp"
      }

      dynamic "volume_mounts" {
        for_each = var.secret_files

        content {
          name       = volume_mounts.key
          mount_path = "/etc/badger/secrets/${volume_mounts.key}"
        }
      }

      startup_probe {
        period_seconds    = 2
        timeout_seconds   = 2
        failure_threshold = 60

        http_get {
          path = "/health/ready"
        }
      }

      liveness_probe {
        period_seconds    = 30
        timeout_seconds   = 5
        failure_threshold = 4

        http_get {
          path = "/health/live"
        }
      }
    }

    volumes {
      name = "tmp"

      empty_dir {
        medium     = "MEMORY"
        size_limit = "64Mi"
      }
    }

    dynamic "volumes" {
      for_each = var.secret_files

      content {
        name = volumes.key

        secret {
          secret = volumes.value

          items {
            path    = "value"
            version = "latest"
          }
        }
      }
    }
  }

  lifecycle {
    precondition {
      condition     = var.subnetwork == null || var.network != null
      error_message = "subnetwork needs network."
    }
  }

  depends_on = [google_project_iam_member.server, google_secret_manager_secret_iam_member.server]
}

resource "google_bigquery_connection" "this" {
  project       = var.project
  location      = var.location
  connection_id = var.connection
  friendly_name = "badger"
  description   = "Remote functions of badger call Cloud Run by this connection"

  cloud_resource {}
}

# Nobody may call the service but BigQuery and var.invokers.
resource "google_cloud_run_v2_service_iam_member" "caller" {
  project  = var.project
  location = google_cloud_run_v2_service.this.location
  name     = google_cloud_run_v2_service.this.name
  role     = "roles/run.invoker"
  member   = "serviceAccount:${google_bigquery_connection.this.cloud_resource[0].service_account_id}"
}

resource "google_cloud_run_v2_service_iam_member" "invoker" {
  for_each = var.invokers

  project  = var.project
  location = google_cloud_run_v2_service.this.location
  name     = google_cloud_run_v2_service.this.name
  role     = "roles/run.invoker"
  member   = each.value
}
