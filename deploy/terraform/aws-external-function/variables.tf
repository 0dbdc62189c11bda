variable "name" {
  description = "Name of the API, the role and what belongs to them."
  type        = string
  default     = "badger"

  validation {
    condition     = can(regex("^[A-Za-z][A-Za-z0-9-]{0,40}$", var.name))
    error_message = "Expected a letter and up to 40 letters, digits and dashes."
  }
}

variable "integration" {
  description = "Name of the API integration in Snowflake, for the output create_api_integration."
  type        = string
  default     = "BADGER_API"
}

variable "backend_url" {
  description = "URL of badger serve without a path, as the gateway reaches it. Through a VPC link its host must be the name in the server's certificate."
  type        = string

  validation {
    condition     = can(regex("^https://[A-Za-z0-9.-]+(:[0-9]+)?$", var.backend_url))
    error_message = "Expected an https URL without a path, such as https://badger.example.com."
  }
}

variable "vpc_link_id" {
  description = "VPC link to the load balancer before badger serve. null: the gateway reaches it over the internet."
  type        = string
  default     = null
}

variable "token_secret" {
  description = "Name of the secret in Secrets Manager whose text is the token for badger serve. CloudFormation reads it, so that neither Terraform nor its state ever does."
  type        = string

  validation {
    condition     = can(regex("^[A-Za-z0-9/_+=.@-]+$", var.token_secret))
    error_message = "Expected the name of a secret, such as badger/gateway-token. An ARN has colons, which a reference cannot hold."
  }
}

variable "token_version" {
  description = "Any string: a change makes the gateway read the rotated token."
  type        = string
  default     = "1"

  validation {
    condition     = can(regex("^[A-Za-z0-9._-]{1,64}$", var.token_version))
    error_message = "Expected up to 64 letters, digits, dots, dashes and underscores."
  }
}

variable "snowflake_user_arn" {
  description = "API_AWS_IAM_USER_ARN of DESCRIBE INTEGRATION. null on the first pass, before the integration exists: then no one can assume the role."
  type        = string
  default     = null

  validation {
    condition     = var.snowflake_user_arn == null || can(regex("^arn:aws[a-z-]*:iam::[0-9]{12}:user/.+$", var.snowflake_user_arn))
    error_message = "Expected the ARN of a user, as DESCRIBE INTEGRATION shows it under API_AWS_IAM_USER_ARN."
  }
}

variable "snowflake_external_id" {
  description = "API_AWS_EXTERNAL_ID of DESCRIBE INTEGRATION. null on the first pass."
  type        = string
  default     = null
}

variable "vpc_endpoint_id" {
  description = "VPC endpoint of execute-api for a private API, as Snowflake's private connectivity uses it. null: a regional API."
  type        = string
  default     = null
}

variable "stage" {
  description = "Name of the stage, the first element of the path."
  type        = string
  default     = "badger"

  validation {
    condition     = can(regex("^[A-Za-z0-9_]{1,128}$", var.stage))
    error_message = "Expected letters, digits and underscores."
  }
}

variable "log_retention_days" {
  description = "Days that access logs are kept. They hold no bodies."
  type        = number
  default     = 30

  validation {
    condition     = contains([1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653], var.log_retention_days)
    error_message = "Expected a number of days that CloudWatch knows, such as 30 or 365."
  }
}

variable "log_key_arn" {
  description = "KMS key that encrypts the access logs. null: CloudWatch's own."
  type        = string
  default     = null
}

variable "tags" {
  description = "Tags of the resources that support tags."
  type        = map(string)
  default     = {}
}
