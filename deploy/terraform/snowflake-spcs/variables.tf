variable "database" {
  description = "Database that holds the schema. It must exist."
  type        = string
  nullable    = false

  validation {
    condition     = length(var.database) > 0 && !can(regex("[.|\"]", var.database))
    error_message = "Expected the name of a database, without dots, bars and quotes."
  }
}

variable "schema" {
  description = "Schema of the service, its images and its specification. It must exist: badger install creates it."
  type        = string
  default     = "BADGER"

  validation {
    condition     = length(var.schema) > 0 && !can(regex("[.|\"]", var.schema))
    error_message = "Expected the name of a schema, without dots, bars and quotes."
  }
}

variable "owner_role" {
  description = "Role that owns badger's objects and creates the service. It must exist and must not be ACCOUNTADMIN, which cannot create services."
  type        = string
  default     = "BADGER_OWNER"

  validation {
    condition     = upper(var.owner_role) != "ACCOUNTADMIN" && !can(regex("[\"]", var.owner_role))
    error_message = "Expected a role other than ACCOUNTADMIN, which cannot create services, and without quotes."
  }
}

variable "compute_pool" {
  description = "Name of the compute pool."
  type        = string
  default     = "BADGER_POOL"

  validation {
    condition     = can(regex("^[A-Z_][A-Z0-9_]*$", var.compute_pool))
    error_message = "Expected a name of capitals, digits and underscores."
  }
}

variable "instance_family" {
  description = "Instance family of the pool's nodes."
  type        = string
  default     = "CPU_X64_XS"

  validation {
    condition     = can(regex("^[A-Z][A-Z0-9_]+$", var.instance_family))
    error_message = "Expected an instance family in capitals, such as CPU_X64_XS."
  }
}

variable "instances" {
  description = "How many servers run at least and at most. nodes says on how many nodes."
  type = object({
    min = number
    max = number
  })
  default = { min = 1, max = 1 }

  validation {
    condition     = var.instances.min >= 1 && var.instances.max >= var.instances.min
    error_message = "Expected at least 1, and min at most max."
  }
}

variable "nodes" {
  description = "How many nodes the pool has at least and at most. null: as many as instances."
  type = object({
    min = number
    max = number
  })
  default = null
}

variable "min_ready_instances" {
  description = "Servers that must be ready for the service to be ready."
  type        = number
  default     = 1

  validation {
    condition     = var.min_ready_instances >= 1
    error_message = "Expected at least 1."
  }
}

variable "service_suspend_seconds" {
  description = "Seconds without a call after which the service stops, 300 or more. 0: never."
  type        = number
  default     = 0

  validation {
    condition     = var.service_suspend_seconds == 0 || var.service_suspend_seconds >= 300
    error_message = "Expected 0, or at least 300 seconds."
  }
}

variable "auto_suspend_seconds" {
  description = "Seconds without a service after which the pool's nodes are released."
  type        = number
  default     = 600

  validation {
    condition     = var.auto_suspend_seconds >= 1
    error_message = "Expected at least 1 second."
  }
}

variable "image_repository" {
  description = "Name of the image repository that is created in the schema."
  type        = string
  default     = "IMAGES"

  validation {
    condition     = can(regex("^[A-Z_][A-Z0-9_]*$", var.image_repository))
    error_message = "Expected a name of capitals, digits and underscores."
  }
}

variable "service" {
  description = "Name of the service."
  type        = string
  default     = "BADGER"

  validation {
    condition     = can(regex("^[A-Z_][A-Z0-9_]*$", var.service))
    error_message = "Expected a name of capitals, digits and underscores."
  }
}

variable "specification" {
  description = "Text of the service specification, as badger writes it. null creates all but the service, so that the image can be pushed first."
  type        = string
  default     = null
}

variable "query_warehouse" {
  description = "Warehouse for the queries of the service. null: it runs no queries that need one."
  type        = string
  default     = null
}

variable "egress_hosts" {
  description = "HOST:PORT that the service may connect to, such as a judge outside of the account. Empty: no network rule, no integration, no outbound connections."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for h in var.egress_hosts : can(regex("^[a-z0-9*][a-z0-9.*-]*:[0-9]{1,5}$", h))]) && length(var.egress_hosts) <= 100
    error_message = "Expected at most 100 of the form HOST:PORT, such as api.example.com:443."
  }
}

variable "egress_secrets" {
  description = "Secrets that the integration allows, as DATABASE.SCHEMA.NAME. They are made outside of Terraform, whose state would hold their values."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for s in var.egress_secrets : can(regex("^[A-Za-z_][A-Za-z0-9_$]*[.][A-Za-z_][A-Za-z0-9_$]*[.][A-Za-z_][A-Za-z0-9_$]*$", s))])
    error_message = "Expected names of the form DATABASE.SCHEMA.NAME."
  }
}
