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

  auto_suspend_seconds    = 300
  compute_pool            = "EVAL_POOL"
  database                = "ANALYTICS"
  egress_hosts            = ["models.example.com:8443"]
  egress_secrets          = ["ANALYTICS.BADGER.JUDGE_KEY"]
  instance_family         = "CPU_X64_S"
  instances               = { max = 5, min = 2 }
  min_ready_instances     = 2
  nodes                   = { max = 3, min = 1 }
  owner_role              = "EVAL_OWNER"
  query_warehouse         = "EVAL_WH"
  schema                  = "BADGER"
  service                 = "EVAL"
  service_suspend_seconds = 600
  # badger deploy snowflake writes it into this folder.
  specification = var.with_service ? file("${path.module}/service.yaml") : null
}

output "image_repository" {
  description = "Where the image is pushed to, after the account's host."
  value       = module.badger.image_repository
}
