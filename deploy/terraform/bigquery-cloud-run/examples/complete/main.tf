# A service with a judge whose key is in Secret Manager, and a ledger in BigQuery.

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

module "badger" {
  source = "../.."

  project      = "analytics-prod"
  region       = "europe-west1"
  location     = "EU"
  image        = "europe-docker.pkg.dev/analytics-prod/badger/badger:1.0.0"
  instances    = { min = 1, max = 8 }
  secret_files = { judge = "badger-judge" }

  environment = {
    BADGER_AUTH_HTTP_AUDIENCE  = "https://badger-123456789012.europe-west1.run.app"
    BADGER_AUTH_HTTP_EMAILS    = "*@gcp-sa-bigquery-condel.iam.gserviceaccount.com"
    BADGER_LIMITS_CALLS        = "80"
    BADGER_LIMITS_CALLER_CALLS = "80"
    BADGER_LIMITS_STOP_GRACE   = "9s"
    BADGER_LISTEN_H2C          = "true"
    BADGER_RELOAD              = "5m"
    BADGER_RESULTS_WAREHOUSE   = "bigquery://analytics-prod/badger?location=EU&credentials=metadata"
    BADGER_JUDGE_BACKEND       = "openai:gpt-4o"
    BADGER_JUDGE_BASE_URL      = "https://models.example.com/v1"
    BADGER_JUDGE_KEY_FILE      = "/etc/badger/secrets/judge/value"
  }
}

output "endpoint" {
  description = "For endpoint in the values of badger install."
  value       = module.badger.endpoint
}
