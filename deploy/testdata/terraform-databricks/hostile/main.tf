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

  catalog      = "ma$${in}`x`"
  notify       = []
  schedule     = null
  schema       = "s \"q\" \\"
  secret_scope = "badger"
  timezone     = "UTC"
  warehouse_id = null

  groups = {
    owner     = "a$${b}"
    caller    = "%%{c}"
    reader    = "null"
    annotator = "ünïcode @ example.com"
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
