package snowflake

import (
	_ "unsafe" // for go:linkname

	sf "github.com/snowflakedb/gosnowflake"
)

// driverTypes is gosnowflake's own table of how values of a type are read. Version 1.19.1 takes the
// text that Snowflake sends of a MAP for native Arrow and panics; read as rows, the text becomes a Go
// map, which has no order and refuses NULL. There is no option against that.
//
//go:linkname driverTypes github.com/snowflakedb/gosnowflake.snowflakeToDriverType
var driverTypes map[string]int

// A MAP is read as a VARIANT is: left as it was sent.
func init() {
	_ = sf.GetLogger() // whose package is initialised before this one
	driverTypes["MAP"] = driverTypes["VARIANT"]
}
