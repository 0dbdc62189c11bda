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
  project = "example.com:null-off"
  region  = "europe-west1"
}

# The module grants no roles on datasets and connections, and creates no account for the nightly job: run "setup.sh --roles" of
# badger deploy cloud-run after terraform apply.
module "badger" {
  source = "./bigquery-cloud-run"

  concurrency   = 80
  connection    = "1e3"
  cpu           = "1"
  image         = "registry.example.com:5000/a/b_c.d:0x1F"
  instances     = { max = 1, min = 1 }
  invokers      = ["user:null+off@example.com"]
  location      = "EU"
  memory        = "1Gi"
  project       = "example.com:null-off"
  project_roles = []
  region        = "europe-west1"
  secret_files  = { judge = "true" }
  service       = "no"

  environment = {
    BADGER_AUTH_HTTP_AUDIENCE         = "https://badger.example.com,32555940559.apps.googleusercontent.com"
    BADGER_AUTH_HTTP_EMAILS           = "*@gcp-sa-bigquery-condel.iam.gserviceaccount.com,null+off@example.com"
    BADGER_AUTH_HTTP_MODE             = "platform"
    BADGER_AUTH_HTTP_PLATFORM         = "cloud-run"
    BADGER_AUTH_HTTP_ROLES            = "{\"null+off@example.com\":[\"call\",\"read\"]}"
    BADGER_JUDGE_BACKEND              = "openai:%%{ if true }$${x} \"q\" \\"
    BADGER_JUDGE_BASE_URL             = "https://models.example.com/<&>"
    BADGER_JUDGE_CALLER_BUDGET_TOKENS = "500000"
    BADGER_JUDGE_KEY_FILE             = "/etc/badger/secrets/judge/value"
    BADGER_LIMITS_CALLER_CALLS        = "80"
    BADGER_LIMITS_CALLER_MEMORY_BYTES = "245366784"
    BADGER_LIMITS_CALLS               = "80"
    BADGER_LIMITS_MEMORY_BYTES        = "245366784"
    BADGER_LIMITS_MESSAGE_BYTES       = "10485760"
    BADGER_LIMITS_STOP_GRACE          = "9s"
    BADGER_LISTEN_H2C                 = "true"
    BADGER_RELOAD                     = "5m"
    BADGER_REPORT_MASKED              = "[\"a, b: 'c' $${d} $(e) %%{f}\",\"null\"]"
    BADGER_RESULTS_WAREHOUSE          = "bigquery://acme-analytics/a$${b}?location=EU&credentials=metadata"
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
