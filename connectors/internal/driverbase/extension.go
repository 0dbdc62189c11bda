package driverbase

import "github.com/apache/arrow/go/v17/arrow"

// Metadata of fields whose types Arrow lacks, see package driver.
var (
	JSON    = extension("arrow.json")
	Decimal = extension("badger.decimal")
)

func extension(name string) arrow.Metadata {
	return arrow.MetadataFrom(map[string]string{"ARROW:extension:name": name})
}
