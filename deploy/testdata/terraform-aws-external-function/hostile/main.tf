# Made by badger v1.2.3 from the values; regenerate it instead of editing it. See README.md in the folder next to it.
# terraform init && terraform apply       or: tofu init && tofu apply

terraform {
  required_version = ">= 1.6"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.25"
    }
  }
}

variable "backend_url" {
  description = "URL of badger serve without a path, as the gateway reaches it."
  type        = string
}

variable "vpc_link_id" {
  description = "VPC link to the load balancer before badger serve. null: over the internet."
  type        = string
  default     = null
}

variable "token_secret" {
  description = "Name of the secret in Secrets Manager whose text is the token for badger serve."
  type        = string
  default     = "badger/gateway-token"
}

variable "snowflake_user_arn" {
  description = "API_AWS_IAM_USER_ARN of DESCRIBE INTEGRATION; null on the first pass."
  type        = string
  default     = null
}

variable "snowflake_external_id" {
  description = "API_AWS_EXTERNAL_ID of DESCRIBE INTEGRATION; null on the first pass."
  type        = string
  default     = null
}

# The region and who signs in come from AWS_… or from a profile.
provider "aws" {}

module "badger" {
  source = "./aws-external-function"

  name                  = "ev\"al"
  integration           = "in$${te}\"gration"
  backend_url           = var.backend_url
  vpc_link_id           = var.vpc_link_id
  token_secret          = var.token_secret
  snowflake_user_arn    = var.snowflake_user_arn
  snowflake_external_id = var.snowflake_external_id
}

output "endpoint" {
  description = "For endpoint in the values of badger install."
  value       = module.badger.endpoint
}

output "role_arn" {
  description = "For role_arn in the values of badger install."
  value       = module.badger.role_arn
}

output "create_api_integration" {
  description = "What badger install tells Snowflake."
  value       = module.badger.create_api_integration
}
