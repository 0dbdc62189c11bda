# A gateway to badger serve behind a load balancer in a VPC, in its second pass.

terraform {
  required_version = ">= 1.6"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.25"
    }
  }
}

provider "aws" {
  region = "eu-central-1"
}

module "badger" {
  source = "../.."

  backend_url           = "https://badger.internal.example.com"
  vpc_link_id           = "a1b2c3"
  token_secret          = "badger/gateway-token"
  snowflake_user_arn    = "arn:aws:iam::123456789012:user/abc1-b-self1234"
  snowflake_external_id = "ABC12345_SFCRole=2_abcdefghijk="
  tags                  = { team = "data" }
}

output "create_api_integration" {
  description = "What Snowflake is told."
  value       = module.badger.create_api_integration
}
