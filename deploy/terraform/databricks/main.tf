# Infrastructure of badger in Databricks. Functions, tables, views and the connection are made by badger install: a connection
# made here would have its token in the state.

resource "databricks_schema" "this" {
  catalog_name = var.catalog
  name         = var.schema
  comment      = "Functions, scores and labels of badger"
}

resource "databricks_grants" "schema" {
  schema = databricks_schema.this.id

  grant {
    principal  = var.groups.owner
    privileges = ["USE_SCHEMA", "CREATE_FUNCTION", "CREATE_TABLE", "CREATE_VOLUME", "EXECUTE", "MODIFY", "SELECT"]
  }

  grant {
    principal  = var.groups.caller
    privileges = ["USE_SCHEMA"]
  }

  grant {
    principal  = var.groups.reader
    privileges = ["USE_SCHEMA"]
  }

  grant {
    principal  = var.groups.annotator
    privileges = ["USE_SCHEMA"]
  }

  lifecycle {
    # badger install grants single functions and tables, and may grant the schema, too.
    ignore_changes = [grant]
  }
}

resource "databricks_volume" "this" {
  catalog_name = var.catalog
  schema_name  = databricks_schema.this.name
  name         = var.volume
  volume_type  = "MANAGED"
  comment      = "Files of badger"
}

resource "databricks_grants" "volume" {
  volume = databricks_volume.this.id

  grant {
    principal  = var.groups.owner
    privileges = ["READ_VOLUME", "WRITE_VOLUME"]
  }
}

locals {
  qualified = "`${replace(var.catalog, "`", "``")}`.`${replace(databricks_schema.this.name, "`", "``")}`"
}

resource "databricks_secret_scope" "this" {
  name = var.secret_scope
}

# Whoever calls a function reads the token by the function's connection, and not by this.
resource "databricks_secret_acl" "owner" {
  scope      = databricks_secret_scope.this.name
  principal  = var.groups.owner
  permission = "READ"
}

resource "databricks_query" "evaluate" {
  count = var.schedule == null ? 0 : 1

  warehouse_id = var.warehouse_id
  display_name = "badger evaluate"
  catalog      = var.catalog
  schema       = databricks_schema.this.name
  query_text   = "CALL ${local.qualified}.evaluate()"
}

# It fails with new alerts, each of them once, so that its task sends a notification.
resource "databricks_query" "alerts" {
  count = var.schedule == null ? 0 : 1

  warehouse_id = var.warehouse_id
  display_name = "badger alerts"
  catalog      = var.catalog
  schema       = databricks_schema.this.name
  query_text   = "CALL ${local.qualified}.send_alerts()"
}

resource "databricks_job" "evaluate" {
  count = var.schedule == null ? 0 : 1

  name                = "badger evaluate"
  max_concurrent_runs = 1
  timeout_seconds     = 36000

  task {
    task_key = "evaluate"

    sql_task {
      warehouse_id = var.warehouse_id

      query {
        query_id = databricks_query.evaluate[0].id
      }
    }
  }

  task {
    task_key = "alerts"
    run_if   = "ALL_DONE"

    depends_on {
      task_key = "evaluate"
    }

    email_notifications {
      on_failure = var.notify
    }

    sql_task {
      warehouse_id = var.warehouse_id

      query {
        query_id = databricks_query.alerts[0].id
      }
    }
  }

  dynamic "run_as" {
    for_each = var.service_principal == null ? [] : [var.service_principal]

    content {
      service_principal_name = run_as.value
    }
  }

  schedule {
    quartz_cron_expression = var.schedule
    timezone_id            = var.timezone
  }

  lifecycle {
    precondition {
      condition     = var.warehouse_id != null
      error_message = "schedule needs warehouse_id."
    }
  }
}
