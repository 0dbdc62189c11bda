variable "project" {
  description = "Project of the service, the connection and the dataset."
  type        = string

  validation {
    condition     = can(regex("^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project))
    error_message = "Expected the id of a project, such as analytics-prod."
  }
}

variable "region" {
  description = "Region of the Cloud Run service, in or near the location of the dataset."
  type        = string

  validation {
    condition     = can(regex("^[a-z]+(-[a-z]+)+[0-9]+$", var.region))
    error_message = "Expected a region, such as europe-west1."
  }
}

variable "location" {
  description = "Location of the dataset and of the connection, such as EU or europe-west1."
  type        = string
}

variable "service" {
  description = "Name of the Cloud Run service."
  type        = string
  default     = "badger"

  validation {
    condition     = can(regex("^[a-z]([a-z0-9-]{0,47}[a-z0-9])?$", var.service))
    error_message = "Expected at most 49 lower-case letters, digits and dashes."
  }
}

variable "connection" {
  description = "Id of the connection that the remote functions use."
  type        = string
  default     = "badger"
}

variable "image" {
  description = "Image in Artifact Registry, best by its digest."
  type        = string

  validation {
    condition     = can(regex("^[a-z0-9.-]+(:[0-9]+)?/.+(:[^/]+|@sha256:[0-9a-f]{64})$", var.image))
    error_message = "Expected HOST/PROJECT/REPOSITORY/IMAGE:TAG, or @sha256:DIGEST."
  }
}

variable "instances" {
  description = "How many servers run at least and at most. At least 1 avoids cold starts."
  type = object({
    min = number
    max = number
  })
  default = { min = 1, max = 4 }

  validation {
    condition     = var.instances.min >= 0 && var.instances.max >= max(1, var.instances.min)
    error_message = "Expected min at most max, and max at least 1."
  }
}

variable "cpu" {
  description = "Cores of a server."
  type        = string
  default     = "1"
}

variable "memory" {
  description = "Memory of a server."
  type        = string
  default     = "1Gi"

  validation {
    condition     = can(regex("^[1-9][0-9]*(Mi|Gi)$", var.memory))
    error_message = "Expected a size, such as 1Gi."
  }
}

variable "concurrency" {
  description = "Calls that one server handles concurrently. Set BADGER_LIMITS_CALLS and BADGER_LIMITS_CALLER_CALLS in environment to the same."
  type        = number
  default     = 80

  validation {
    condition     = var.concurrency >= 1 && var.concurrency <= 1000
    error_message = "Expected 1 to 1000 calls."
  }
}

variable "account" {
  description = "E-mail address of an existing service account that the server runs as. null: the module creates SERVICE-server."
  type        = string
  default     = null

  validation {
    condition     = var.account == null || can(regex("^[a-z0-9][a-z0-9._-]*@[a-z0-9-]+([.][a-z0-9-]+)+$", var.account))
    error_message = "Expected the e-mail address of a service account."
  }
}

variable "network" {
  description = "VPC network that all outgoing connections go through. null: Cloud Run's default route."
  type        = string
  default     = null
}

variable "subnetwork" {
  description = "Subnetwork of the network, in the region. null: the one with the network's name. It needs network."
  type        = string
  default     = null
}

variable "environment" {
  description = "Further variables of the server: BADGER_… sets a key of its configuration. No secrets: name files of secret_files."
  type        = map(string)
  default     = {}
}

variable "secret_files" {
  description = "Secrets of Secret Manager that are mounted as files: by the folder under /etc/badger/secrets, the secret's id. Its latest version is in the file named value."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for k, v in var.secret_files : can(regex("^[a-z0-9]([a-z0-9-]*[a-z0-9])?$", k)) && k != "tmp"])
    error_message = "Expected folders of lower-case letters, digits and dashes, and none with the name tmp."
  }
}

variable "project_roles" {
  description = "Roles of the server's account in the project. It needs jobUser where it reads or writes the warehouse; its rights to datasets are granted by setup.sh --roles of badger deploy cloud-run."
  type        = set(string)
  default     = ["roles/bigquery.jobUser"]
}

variable "invokers" {
  description = "Principals that may call the service in addition to BigQuery, such as user:ana@example.com, who opens the report."
  type        = set(string)
  default     = []

  validation {
    condition     = alltrue([for m in var.invokers : can(regex("^(user|serviceAccount|group):[^@]+@[^@]+$", m))])
    error_message = "Expected user:EMAIL, serviceAccount:EMAIL or group:EMAIL."
  }
}

variable "deletion_protection" {
  description = "Prevents Terraform from destroying the service."
  type        = bool
  default     = true
}
