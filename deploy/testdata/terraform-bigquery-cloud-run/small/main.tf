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
  location     = "EU"
  service      = "badger"
  connection   = "badger"
  image        = "europe-docker.pkg.dev/analytics-prod/badger/badger:1.0.0"
  instances    = { min = 1, max = 1 }
  cpu          = "1"
  memory       = "1Gi"
  secret_files = {}

  environment = {
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
