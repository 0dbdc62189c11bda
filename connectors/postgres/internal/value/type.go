// Package value parses values in the binary and text formats of PostgreSQL and Redshift into Arrow arrays, and writes
// values of arrays in the server's text format. It uses neither connections nor SQL.
package value

import "github.com/jackc/pgx/v5/pgtype"

// Object IDs of Redshift's own types, which are fixed.
const (
	SuperOID   = 4000 // JSON
	varbyteOID = 6551 // bytes
)

// Kind describes how values of a type are converted to JSON.
type Kind uint8

const (
	asText Kind = iota
	asBool
	asNumber
	asBytes
	asJSON
	Array // elements of the same type
	Row   // named fields
)

// builtin are the types that the server need not be queried for.
var builtin = map[uint32]Kind{
	pgtype.BoolOID: asBool, pgtype.Int2OID: asNumber, pgtype.Int4OID: asNumber, pgtype.Int8OID: asNumber,
	pgtype.OIDOID: asNumber, pgtype.Float4OID: asNumber, pgtype.Float8OID: asNumber, pgtype.NumericOID: asNumber,
	pgtype.ByteaOID: asBytes, varbyteOID: asBytes, pgtype.JSONOID: asJSON, pgtype.JSONBOID: asJSON, SuperOID: asJSON,
	pgtype.RecordOID: asText, pgtype.RecordArrayOID: asText,
	pgtype.TextOID: asText, pgtype.UnknownOID: asText, pgtype.BPCharOID: asText, pgtype.VarcharOID: asText,
	pgtype.DateOID: asText, pgtype.TimeOID: asText, pgtype.TimestampOID: asText, pgtype.TimestamptzOID: asText,
	pgtype.IntervalOID: asText, pgtype.TimetzOID: asText, pgtype.UUIDOID: asText, pgtype.QCharOID: asText,
	pgtype.NameOID: asText,
}

// Builtin returns the type with an object ID that is the same on every server. For other IDs ok is false, and the type
// is read as text.
func Builtin(oid uint32) (t *Type, ok bool) {
	k, ok := builtin[oid]
	return &Type{Kind: k}, ok
}

// Type describes how values of a type are converted to JSON inside arrays and rows. The zero value is a string.
type Type struct {
	Kind   Kind
	Elem   *Type   // type of an array's elements
	Delim  byte    // delimiter between an array's elements
	Fields []Field // fields of a row
}

// Field is a field of a row.
type Field struct {
	Name string
	Type *Type
}
