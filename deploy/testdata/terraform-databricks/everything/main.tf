# Made by badger v1.2.3 from the values; regenerate it instead of editing it. See README.md in the folder next to it.
# terraform init && terraform apply       or: tofu init && tofu apply

terraform {
  required_version = ">= 1.6"

  required_providers {
    databricks = {
      source  = "databricks/databricks"
      version = "~> 1.99"
    }
  }
}

# The workspace and who signs in come from DATABRICKS_… or from a profile.
provider "databricks" {}

module "badger" {
  source = "./databricks"

  catalog           = "main"
  notify            = ["data@example.com", "ops@example.com"]
  schedule          = "0 30 5 ? * 2-6"
  schema            = "badger"
  secret_scope      = "eval"
  service_principal = "12345678-90ab-cdef-1234-567890abcdef"
  timezone          = "Europe/Berlin"
  warehouse_id      = "0123456789abcdef"

  groups = {
    owner     = "eval-owners"
    caller    = "analysts"
    reader    = "readers"
    annotator = "labellers"
  }
}

output "secret_scope" {
  description = "Where the token for badger serve is put: databricks secrets put-secret."
  value       = module.badger.secret_scope
}

output "volume_path" {
  description = "Where files are put."
  value       = module.badger.volume_path
}
