package driverbase

import "github.com/apache/arrow/go/v17/arrow"

// Metadata of fields whose types Arrow lacks, see package driver.
var (
	JSON    = extension("arrow.json")
	Decimal = extension("badger.decimal")
	UUID    = extension("arrow.uuid")
)

func extension(name string) arrow.Metadata {
	return arrow.MetadataFrom(map[string]string{extensionKey: name})
}

const extensionKey = "ARROW:extension:name"

// Marked reports whether the metadata of a field names the extension type of mark, such as [JSON].
func Marked(f arrow.Field, mark arrow.Metadata) bool {
	name, ok := f.Metadata.GetValue(extensionKey)
	return ok && name == mark.Values()[0]
}
