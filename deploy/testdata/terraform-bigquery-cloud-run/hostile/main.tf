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
  project = "example.com:my-project"
  region  = var.region
}

module "badger" {
  source = "./bigquery-cloud-run"

  project      = "example.com:my-project"
  region       = var.region
  location     = "EU$${var.x}"
  service      = "a\"b"
  connection   = "c\\d"
  image        = "europe-docker.pkg.dev/p/r/i:1.0.0$${path.module}"
  instances    = { min = 1, max = 1 }
  cpu          = "1"
  memory       = "1Gi"
  secret_files = { judge = "a\\\"b" }

  environment = {
    BADGER_JUDGE_BACKEND  = "openai:%%{ if true }"
    BADGER_JUDGE_BASE_URL = "https://models.example.com/<&>"
    BADGER_JUDGE_KEY_FILE = "/etc/badger/secrets/judge/value"
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
