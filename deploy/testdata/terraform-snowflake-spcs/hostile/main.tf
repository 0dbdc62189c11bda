# Made by badger v1.2.3 from the values; regenerate it instead of editing it. See README.md in the folder next to it.
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

module "badger" {
  source = "./snowflake-spcs"

  auto_suspend_seconds = 600
  compute_pool         = "POOL_1"
  database             = "ANALYTICS_2"
  instance_family      = "CPU_X64_XS"
  instances            = { max = 1, min = 1 }
  min_ready_instances  = 1
  nodes                = { max = 1, min = 1 }
  owner_role           = "O'Brien $${x}"
  query_warehouse      = "W$${x} \"1\""
  schema               = "EVALS"
  service              = "EVAL_1"
  # badger deploy snowflake writes it into this folder.
  specification = var.with_service ? file("${path.module}/service.yaml") : null
}

output "image_repository" {
  description = "Where the image is pushed to, after the account's host."
  value       = module.badger.image_repository
}
