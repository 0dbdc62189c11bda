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
  project = "acme-analytics"
  region  = "europe-west1"
}

# The module grants no roles on datasets and connections, and creates no account for the nightly job: run "setup.sh --roles" of
# badger deploy cloud-run after terraform apply, and then its perimeter.sh. The account must be there before.
module "badger" {
  source = "./bigquery-cloud-run"

  account       = "scorer@acme-analytics.iam.gserviceaccount.com"
  concurrency   = 40
  connection    = "badger-scoring"
  cpu           = "4"
  image         = "europe-docker.pkg.dev/acme-analytics/badger/badger@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  instances     = { max = 10, min = 2 }
  invokers      = ["user:ana@example.com", "user:ben@example.com", "user:eva@example.com", "serviceAccount:viewer@acme-analytics.iam.gserviceaccount.com"]
  location      = "europe-west1"
  memory        = "4Gi"
  network       = "inside"
  project       = "acme-analytics"
  project_roles = []
  region        = "europe-west1"
  secret_files  = {}
  service       = "scoring"
  subnetwork    = "inside-ew1"

  environment = {
    BADGER_AUTH_HTTP_AUDIENCE         = "https://scoring-123456789012.europe-west1.run.app,32555940559.apps.googleusercontent.com"
    BADGER_AUTH_HTTP_EMAILS           = "bqcx-123456789012-ab12@gcp-sa-bigquery-condel.iam.gserviceaccount.com,ana@example.com,ben@example.com,eva@example.com,viewer@acme-analytics.iam.gserviceaccount.com"
    BADGER_AUTH_HTTP_MODE             = "platform"
    BADGER_AUTH_HTTP_PLATFORM         = "cloud-run"
    BADGER_AUTH_HTTP_ROLES            = "{\"ana@example.com\":[\"call\",\"read\"],\"ben@example.com\":[\"call\",\"label\"],\"eva@example.com\":[\"admin\"],\"viewer@acme-analytics.iam.gserviceaccount.com\":[\"call\",\"read\"]}"
    BADGER_JUDGE_BACKEND              = "bigqueryai:gemini-2.5-flash"
    BADGER_JUDGE_CALLER_BUDGET_TOKENS = "2000000"
    BADGER_JUDGE_CONNECTION           = "acme-analytics.europe-west1.models"
    BADGER_LIMITS_CALLER_CALLS        = "40"
    BADGER_LIMITS_CALLER_MEMORY_BYTES = "1319108608"
    BADGER_LIMITS_CALLS               = "40"
    BADGER_LIMITS_MEMORY_BYTES        = "1319108608"
    BADGER_LIMITS_MESSAGE_BYTES       = "10485760"
    BADGER_LIMITS_STOP_GRACE          = "9s"
    BADGER_LISTEN_H2C                 = "true"
    BADGER_RELOAD                     = "5m"
    BADGER_REPORT_LABELS              = "true"
    BADGER_REPORT_MASKED              = "[\"email\",\"iban\"]"
    BADGER_RESULTS_QUERIES            = "true"
    BADGER_RESULTS_TABLES             = "[\"gold.*\",\"agents.\\\"Runs\\\"\"]"
    BADGER_RESULTS_WAREHOUSE          = "bigquery://acme-analytics/answers?location=europe-west1&billing_project=acme-billing&credentials=metadata"
    GOMEMLIMIT                        = "3904MiB"
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
