// Package value reads values as PostgreSQL and Redshift send them, in binary or as text, into Arrow
// arrays, and writes values of arrays as the server reads them. It knows each type's forms, and neither
// connections nor SQL.
package value

import "github.com/jackc/pgx/v5/pgtype"

// Object ids of Redshift's own types. They are fixed, as those of PostgreSQL's are, which pgtype names.
const (
	SuperOID   = 4000 // JSON
	varbyteOID = 6551 // bytes
)

// Kind is what becomes of a type's values in JSON.
type Kind uint8

const (
	asText Kind = iota
	asBool
	asNumber
	asBytes
	asJSON
	Array // of elements of the same type
	Row   // of fields
)

// builtin are the types that the server is not asked about.
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

// Builtin is the type with an object id that is the same on every server; ok is false for others.
func Builtin(oid uint32) (t *Type, ok bool) {
	k, ok := builtin[oid]
	return &Type{Kind: k}, ok
}

// Type is a type as values inside arrays and rows need it. The zero value is read as text.
type Type struct {
	Kind   Kind
	Elem   *Type   // of an array
	Delim  byte    // between an array's elements
	Fields []Field // of a row
}

// Field is a field of a row.
type Field struct {
	Name string
	Type *Type
}
