variable "catalog" {
  description = "Catalog of the schema. It must exist."
  type        = string
}

variable "schema" {
  description = "Schema that is created, and that badger install puts functions and tables into."
  type        = string
  default     = "badger"
}

variable "volume" {
  description = "Volume for what jobs read: the binary, judge files, exported results."
  type        = string
  default     = "files"
}

variable "secret_scope" {
  description = "Scope of the secret that holds the token for badger serve. Store the secret yourself, so that no Terraform state contains it."
  type        = string
  default     = "badger"

  validation {
    condition     = can(regex("^[A-Za-z0-9_@.-]{1,128}$", var.secret_scope))
    error_message = "Expected at most 128 letters, digits, dashes, underscores, @ and dots."
  }
}

variable "groups" {
  description = "Groups of the account: owner creates functions and tables, caller calls functions, reader reads scores, annotator writes labels."
  type = object({
    owner     = optional(string, "badger_owner")
    caller    = optional(string, "badger_caller")
    reader    = optional(string, "badger_reader")
    annotator = optional(string, "badger_annotator")
  })
  default = {}

  validation {
    condition     = length(distinct(values(var.groups))) == 4
    error_message = "Expected four groups that differ: one group would have the rights of both."
  }
}

variable "schedule" {
  description = "When the nightly evaluation runs, in Quartz' form, such as 0 0 6 * * ?. null: no job."
  type        = string
  default     = null
}

variable "timezone" {
  description = "Time zone of the schedule."
  type        = string
  default     = "UTC"
}

variable "warehouse_id" {
  description = "Id of the SQL warehouse that evaluates. Needed with schedule."
  type        = string
  default     = null

  validation {
    condition     = var.warehouse_id == null || can(regex("^[0-9a-f]{16}$", var.warehouse_id))
    error_message = "Expected the id of a SQL warehouse, of 16 hexadecimal digits."
  }
}

variable "notify" {
  description = "E-mail addresses that are notified of each alert once: the evaluation fails, answers could not be scored, or fewer answers pass than in the previous batch."
  type        = list(string)
  default     = []
}

variable "service_principal" {
  description = "Application id of the service principal that the job runs as. It needs CAN RUN on both queries. null: the user that applies."
  type        = string
  default     = null

  validation {
    condition     = var.service_principal == null || can(regex("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", var.service_principal))
    error_message = "Expected the application id of a service principal."
  }
}
