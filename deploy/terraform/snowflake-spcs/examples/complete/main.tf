# A service that may ask a judge outside of the account, with a key that is in the Secret ANALYTICS.BADGER.JUDGE.

terraform {
  required_version = ">= 1.6"

  required_providers {
    snowflake = {
      source  = "snowflakedb/snowflake"
      version = "~> 2.11"
    }
  }
}

# The account and who signs in come from SNOWFLAKE_… or from ~/.snowflake/config.
provider "snowflake" {
  preview_features_enabled = ["snowflake_network_rule_resource"]
}

module "badger" {
  source = "../.."

  database        = "ANALYTICS"
  schema          = "BADGER"
  owner_role      = "BADGER_OWNER"
  instance_family = "CPU_X64_S"
  instances       = { min = 1, max = 3 }
  specification   = file("${path.module}/badger.yaml")
  query_warehouse = "NIGHTLY"
  egress_hosts    = ["api.example.com:443"]
  egress_secrets  = ["ANALYTICS.BADGER.JUDGE"]
}

output "image_repository" {
  description = "Where the image is pushed to."
  value       = module.badger.image_repository
}
