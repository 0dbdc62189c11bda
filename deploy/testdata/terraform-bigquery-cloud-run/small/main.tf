# Made by badger v1.2.3 from the values; regenerate it instead of editing it. See README.md in the folder next to it.
# terraform init && terraform apply       or: tofu init && tofu apply

terraform {
  required_version = ">= 1.6"

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = "~> 6.50"
    }
  }
}

provider "google" {
  project = "analytics-prod"
  region  = "europe-west1"
}

# The module grants no roles on datasets and connections, and creates no account for the nightly job: run "setup.sh --roles" of
# badger deploy cloud-run after terraform apply.
module "badger" {
  source = "./bigquery-cloud-run"

  concurrency   = 80
  connection    = "badger"
  cpu           = "1"
  image         = "europe-docker.pkg.dev/analytics-prod/badger/badger:1.0.0"
  instances     = { max = 1, min = 1 }
  location      = "EU"
  memory        = "1Gi"
  project       = "analytics-prod"
  project_roles = []
  region        = "europe-west1"
  secret_files  = {}
  service       = "badger"

  environment = {
    BADGER_AUTH_HTTP_AUDIENCE         = "https://badger-123456789012.europe-west1.run.app"
    BADGER_AUTH_HTTP_EMAILS           = "*@gcp-sa-bigquery-condel.iam.gserviceaccount.com"
    BADGER_AUTH_HTTP_MODE             = "platform"
    BADGER_AUTH_HTTP_PLATFORM         = "cloud-run"
    BADGER_LIMITS_CALLER_CALLS        = "80"
    BADGER_LIMITS_CALLER_MEMORY_BYTES = "245366784"
    BADGER_LIMITS_CALLS               = "80"
    BADGER_LIMITS_MEMORY_BYTES        = "245366784"
    BADGER_LIMITS_MESSAGE_BYTES       = "10485760"
    BADGER_LIMITS_STOP_GRACE          = "9s"
    BADGER_LISTEN_H2C                 = "true"
    BADGER_REPORT_OFF                 = "true"
    GOMEMLIMIT                        = "832MiB"
  }
}

output "endpoint" {
  description = "URL of the service that Cloud Run reports; the functions name the one in the values."
  value       = module.badger.endpoint
}

output "server_account" {
  description = "Account of the server, which setup.sh --roles gives its roles on datasets."
  value       = module.badger.server_account
}
