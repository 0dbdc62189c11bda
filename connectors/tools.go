//go:build required

// Package connectors: this file keeps the warehouse drivers that the connectors build on pinned in
// go.mod, whichever of them a given build links. It is never compiled.
package connectors

import (
	_ "github.com/databricks/databricks-sql-go"
	_ "github.com/snowflakedb/gosnowflake"
)
