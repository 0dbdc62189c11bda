package arrowtable

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/badger-eval/badger/scoring"
)

// Metadata key and names of extension types.
const (
	ExtensionKey = "ARROW:extension:name"

	ExtensionJSON     = "arrow.json"
	ExtensionUUID     = "arrow.uuid"
	extensionBool8    = "arrow.bool8"
	ExtensionDecimal  = "badger.decimal"  // utf8 that holds decimals of more digits than Arrow's types do
	ExtensionInterval = "badger.interval" // Parquet's interval: months, days and milliseconds in 12 bytes
)

// kind is how an array's values are read: plain, or by the name of an extension type.
type kind uint8

const (
	plain kind = iota
	jsonText
	uuid
	bool8
	decimalText
	interval
)

var kinds = map[string]kind{ExtensionJSON: jsonText, ExtensionUUID: uuid, extensionBool8: bool8,
	ExtensionDecimal: decimalText, ExtensionInterval: interval}

// kindOf returns the kind of a field by its registered extension type or by its metadata; plain if it has neither.
func kindOf(f arrow.Field) kind {
	if ext, ok := f.Type.(arrow.ExtensionType); ok {
		return kinds[ext.ExtensionName()]
	}
	if name, ok := f.Metadata.GetValue(ExtensionKey); ok {
		return kinds[name]
	}
	return plain
}

// columnType returns the type of the column for a field. Null means that the values determine it.
func columnType(f arrow.Field) scoring.Type {
	return typeOf(f.Type, kindOf(f))
}

func typeOf(t arrow.DataType, k kind) scoring.Type {
	switch k {
	case jsonText:
		return scoring.JSON
	case uuid, interval:
		return scoring.String
	case bool8:
		return scoring.Bool
	case decimalText:
		return scoring.Decimal
	}
	switch t.ID() {
	case arrow.BOOL:
		return scoring.Bool
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		return scoring.Int64
	case arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		return scoring.Float64
	case arrow.DECIMAL128, arrow.DECIMAL256:
		return scoring.Decimal
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.DURATION, arrow.INTERVAL_MONTHS,
		arrow.INTERVAL_DAY_TIME, arrow.INTERVAL_MONTH_DAY_NANO:
		return scoring.String
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW, arrow.FIXED_SIZE_BINARY:
		return scoring.Bytes
	case arrow.DATE32, arrow.DATE64:
		return scoring.Date
	case arrow.TIME32, arrow.TIME64:
		return scoring.Time
	case arrow.TIMESTAMP:
		if t.(*arrow.TimestampType).TimeZone != "" {
			return scoring.TimestampTZ
		}
		return scoring.Timestamp
	case arrow.LIST, arrow.LARGE_LIST, arrow.FIXED_SIZE_LIST, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW, arrow.STRUCT,
		arrow.MAP:
		return scoring.JSON
	case arrow.DICTIONARY:
		return typeOf(t.(*arrow.DictionaryType).ValueType, plain)
	case arrow.RUN_END_ENCODED:
		return typeOf(t.(*arrow.RunEndEncodedType).Encoded(), plain)
	case arrow.EXTENSION:
		ext := t.(arrow.ExtensionType)
		return typeOf(ext.StorageType(), kinds[ext.ExtensionName()])
	}
	return scoring.Null
}
