# Infrastructure of badger serve in Snowpark Container Services. Roles, functions and tables are made by badger install.

locals {
  qualified = "\"${var.database}\".\"${var.schema}\""
  open      = length(var.egress_hosts) > 0
  external  = "${var.service}_EGRESS"
}

resource "snowflake_compute_pool" "this" {
  name              = var.compute_pool
  instance_family   = var.instance_family
  min_nodes         = coalesce(var.nodes, var.instances).min
  max_nodes         = coalesce(var.nodes, var.instances).max
  auto_resume       = "true"
  auto_suspend_secs = var.auto_suspend_seconds
  comment           = "badger serve"
}

resource "snowflake_grant_privileges_to_account_role" "pool" {
  account_role_name = "\"${var.owner_role}\""
  privileges        = ["USAGE", "MONITOR", "OPERATE"]

  on_account_object {
    object_type = "COMPUTE POOL"
    object_name = snowflake_compute_pool.this.name
  }
}

resource "snowflake_image_repository" "this" {
  database = var.database
  schema   = var.schema
  name     = var.image_repository
  comment  = "Images of badger"
}

resource "snowflake_grant_privileges_to_account_role" "images" {
  account_role_name = "\"${var.owner_role}\""
  privileges        = ["READ", "WRITE"]

  on_schema_object {
    object_type = "IMAGE REPOSITORY"
    object_name = "${local.qualified}.\"${snowflake_image_repository.this.name}\""
  }
}

resource "snowflake_network_rule" "egress" {
  count = local.open ? 1 : 0

  database   = var.database
  schema     = var.schema
  name       = local.external
  mode       = "EGRESS"
  type       = "HOST_PORT"
  value_list = var.egress_hosts
  comment    = "What badger serve may connect to"
}

# The provider has no resource for it.
resource "snowflake_execute" "external_access" {
  count = local.open ? 1 : 0

  execute = join(" ", compact([
    "CREATE OR REPLACE EXTERNAL ACCESS INTEGRATION \"${local.external}\"",
    "ALLOWED_NETWORK_RULES = (${local.qualified}.\"${snowflake_network_rule.egress[0].name}\")",
    length(var.egress_secrets) > 0 ? "ALLOWED_AUTHENTICATION_SECRETS = (${join(", ", var.egress_secrets)})" : "",
    "ENABLED = TRUE",
  ]))
  revert = "DROP EXTERNAL ACCESS INTEGRATION IF EXISTS \"${local.external}\""
  query  = "SHOW EXTERNAL ACCESS INTEGRATIONS LIKE '${local.external}'"
}

resource "snowflake_grant_privileges_to_account_role" "external_access" {
  count = local.open ? 1 : 0

  account_role_name = "\"${var.owner_role}\""
  privileges        = ["USAGE"]

  on_account_object {
    object_type = "INTEGRATION"
    object_name = local.external
  }

  depends_on = [snowflake_execute.external_access]
}

resource "snowflake_service" "this" {
  count = var.specification == null ? 0 : 1

  database                     = var.database
  schema                       = var.schema
  name                         = var.service
  compute_pool                 = snowflake_compute_pool.this.name
  min_instances                = var.instances.min
  max_instances                = var.instances.max
  min_ready_instances          = var.min_ready_instances
  auto_suspend_secs            = var.service_suspend_seconds
  auto_resume                  = "true"
  query_warehouse              = var.query_warehouse
  external_access_integrations = local.open ? [local.external] : []
  comment                      = "badger serve"

  from_specification {
    text = var.specification
  }

  depends_on = [
    snowflake_grant_privileges_to_account_role.pool,
    snowflake_grant_privileges_to_account_role.images,
    snowflake_grant_privileges_to_account_role.external_access,
  ]
}
