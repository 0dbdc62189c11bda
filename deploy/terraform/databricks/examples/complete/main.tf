# A schema with an evaluation at six.

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
  source = "../.."

  catalog      = "main"
  schedule     = "0 0 6 * * ?"
  timezone     = "Europe/Berlin"
  warehouse_id = "0123456789abcdef"
  notify       = ["data@example.com"]
}

output "secret_scope" {
  description = "Where the token for badger serve is put."
  value       = module.badger.secret_scope
}
