# Made by badger v1.2.3 from the values; make it again instead of editing it. README.md in the folder beside it says more.
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

variable "region" {
  description = "Region of the service, in or near the location of the dataset."
  type        = string
}

provider "google" {
  project = "analytics-prod"
  region  = var.region
}

module "badger" {
  source = "./bigquery-cloud-run"

  project      = "analytics-prod"
  region       = var.region
  location     = "europe-west1"
  service      = "eval"
  connection   = "eval"
  image        = "europe-docker.pkg.dev/analytics-prod/badger/badger@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
  instances    = { min = 1, max = 8 }
  cpu          = "2"
  memory       = "2Gi"
  secret_files = { judge = "badger-judge" }

  environment = {
    BADGER_RESULTS_WAREHOUSE = "bigquery://analytics-prod/badger?location=europe-west1"
    BADGER_JUDGE_BACKEND     = "openai:gpt-4o"
    BADGER_JUDGE_BASE_URL    = "https://models.example.com/v1"
    BADGER_JUDGE_KEY_FILE    = "/etc/badger/secrets/judge/value"
  }
}

output "endpoint" {
  description = "For endpoint in the values of badger install."
  value       = module.badger.endpoint
}

output "server_account" {
  description = "Grant it roles/bigquery.dataEditor on the dataset that keeps its ledger."
  value       = module.badger.server_account
}
