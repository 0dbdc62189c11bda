package snowflake

import (
	_ "unsafe" // for go:linkname

	sf "github.com/snowflakedb/gosnowflake"
)

// driverTypes is gosnowflake's table of how values of a type are read. Version 1.19.1 expects native Arrow for a MAP,
// which Snowflake sends as text, and panics. Read as rows, the text becomes a Go map, which has no order and cannot
// contain NULL. No option changes that.
//
//go:linkname driverTypes github.com/snowflakedb/gosnowflake.snowflakeToDriverType
var driverTypes map[string]int

// A MAP is read like a VARIANT: as the text that Snowflake sends.
func init() {
	_ = sf.GetLogger() // ensures that its package is initialized before this one
	driverTypes["MAP"] = driverTypes["VARIANT"]
}
