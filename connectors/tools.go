//go:build tools

// This file is never compiled. It keeps the warehouse drivers that the connectors use pinned in go.mod, even if a
// build does not link them.

package connectors

import (
	_ "github.com/databricks/databricks-sql-go"
	_ "github.com/snowflakedb/gosnowflake"
)
