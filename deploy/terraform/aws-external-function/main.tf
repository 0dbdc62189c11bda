# Amazon API Gateway between Snowflake's external functions and badger serve. The integration and the functions in Snowflake are
# made by badger install.

data "aws_caller_identity" "this" {}

data "aws_partition" "this" {}

locals {
  trusted = var.snowflake_user_arn != null && var.snowflake_external_id != null
  private = var.vpc_endpoint_id != null
  # A batch that takes longer than the gateway waits is asked for again by GET.
  methods = ["GET", "POST"]
  calls   = [for m in local.methods : "${aws_api_gateway_rest_api.this.execution_arn}/*/${m}/*"]
}

# Snowflake's user takes this role. Until the integration exists, the external id "not-yet" keeps everyone out.
resource "aws_iam_role" "snowflake" {
  name        = "${var.name}-snowflake"
  description = "Snowflake calls badger serve by this role"
  tags        = var.tags

  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = local.trusted ? "Allow" : "Deny"
      Action    = "sts:AssumeRole"
      Principal = { AWS = local.trusted ? var.snowflake_user_arn : data.aws_caller_identity.this.account_id }
      Condition = { StringEquals = { "sts:ExternalId" = local.trusted ? var.snowflake_external_id : "not-yet" } }
    }]
  })
}

resource "aws_iam_role_policy" "invoke" {
  name = "invoke"
  role = aws_iam_role.snowflake.name

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect   = "Allow"
      Action   = "execute-api:Invoke"
      Resource = local.calls
    }]
  })
}

resource "aws_api_gateway_rest_api" "this" {
  name        = var.name
  description = "Snowflake's external functions of badger"
  tags        = var.tags

  endpoint_configuration {
    types            = [local.private ? "PRIVATE" : "REGIONAL"]
    vpc_endpoint_ids = local.private ? [var.vpc_endpoint_id] : null
  }
}

# Only that role may call, and only from Snowflake's network where the API is private.
resource "aws_api_gateway_rest_api_policy" "this" {
  rest_api_id = aws_api_gateway_rest_api.this.id

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = concat([{
      Effect    = "Allow"
      Action    = "execute-api:Invoke"
      Principal = { AWS = "arn:${data.aws_partition.this.partition}:sts::${data.aws_caller_identity.this.account_id}:assumed-role/${aws_iam_role.snowflake.name}/snowflake" }
      Resource  = local.calls
      }], [for e in compact([var.vpc_endpoint_id]) : {
      Effect    = "Deny"
      Action    = "execute-api:Invoke"
      Principal = "*"
      Resource  = "${aws_api_gateway_rest_api.this.execution_arn}/*"
      Condition = { StringNotEquals = { "aws:SourceVpce" = e } }
    }])
  })
}

resource "aws_api_gateway_resource" "functions" {
  rest_api_id = aws_api_gateway_rest_api.this.id
  parent_id   = aws_api_gateway_rest_api.this.root_resource_id
  path_part   = "{path+}"
}

# The methods add the token to each request. An integration made by Terraform would have the token in its state; CloudFormation
# resolves the reference when it makes the methods.
resource "aws_cloudformation_stack" "methods" {
  name = "${var.name}-methods"
  tags = var.tags

  template_body = jsonencode({
    Description = "Methods of ${var.name} that add the token of badger serve, version ${var.token_version}"
    Resources = {
      for m in local.methods : title(lower(m)) => {
        Type = "AWS::ApiGateway::Method"
        Properties = {
          RestApiId         = aws_api_gateway_rest_api.this.id
          ResourceId        = aws_api_gateway_resource.functions.id
          HttpMethod        = m
          AuthorizationType = "AWS_IAM"
          RequestParameters = { "method.request.path.path" = true }
          Integration = merge({
            Type                  = "HTTP_PROXY"
            IntegrationHttpMethod = m
            Uri                   = "${var.backend_url}/{path}"
            TimeoutInMillis       = 29000
            RequestParameters = {
              "integration.request.path.path"             = "method.request.path.path"
              "integration.request.header.x-badger-token" = "'{{resolve:secretsmanager:${var.token_secret}:SecretString}}'"
            }
          }, var.vpc_link_id == null ? { ConnectionType = "INTERNET" } : { ConnectionType = "VPC_LINK", ConnectionId = var.vpc_link_id })
        }
      }
    }
  })
}

resource "aws_api_gateway_deployment" "this" {
  rest_api_id = aws_api_gateway_rest_api.this.id

  # A stage serves what was there when its deployment was made.
  triggers = {
    methods = sha256(aws_cloudformation_stack.methods.template_body)
    policy  = sha256(aws_api_gateway_rest_api_policy.this.policy)
  }

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_cloudwatch_log_group" "access" {
  name              = "/aws/apigateway/${var.name}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.log_key_arn
  tags              = var.tags
}

resource "aws_api_gateway_stage" "this" {
  rest_api_id   = aws_api_gateway_rest_api.this.id
  deployment_id = aws_api_gateway_deployment.this.id
  stage_name    = var.stage
  tags          = var.tags

  access_log_settings {
    destination_arn = aws_cloudwatch_log_group.access.arn
    format = jsonencode({
      time       = "$context.requestTimeEpoch"
      request    = "$context.requestId"
      path       = "$context.path"
      status     = "$context.status"
      latency    = "$context.responseLatency"
      serverTime = "$context.integration.latency"
      bytes      = "$context.responseLength"
    })
  }
}

# Bodies are never logged.
resource "aws_api_gateway_method_settings" "this" {
  rest_api_id = aws_api_gateway_rest_api.this.id
  stage_name  = aws_api_gateway_stage.this.stage_name
  method_path = "*/*"

  settings {
    metrics_enabled    = true
    logging_level      = "OFF"
    data_trace_enabled = false
  }
}
