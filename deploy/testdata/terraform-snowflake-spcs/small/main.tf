# Made by badger v1.2.3 from the values; make it again instead of editing it. README.md in the folder beside it says more.
# terraform init && terraform apply       or: tofu init && tofu apply

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

variable "with_service" {
  description = "Create the service. Set it when the image has been pushed."
  type        = bool
  default     = false
}

variable "egress_hosts" {
  description = "HOST:PORT that the service may connect to. Empty: nothing leaves the account."
  type        = list(string)
  default     = []
}

module "badger" {
  source = "./snowflake-spcs"

  database        = "ANALYTICS"
  schema          = "BADGER"
  owner_role      = "BADGER_OWNER"
  compute_pool    = "BADGER_POOL"
  instance_family = "CPU_X64_XS"
  instances       = { min = 1, max = 1 }
  service         = "BADGER"
  specification   = var.with_service ? file("${path.module}/service.yaml") : null # badger deploy snowflake writes it
  query_warehouse = "BADGER_WH"
  egress_hosts    = var.egress_hosts
}

output "image_repository" {
  description = "Where the image is pushed to, after the account's host."
  value       = module.badger.image_repository
}
