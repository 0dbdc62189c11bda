package postgres

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// Object ids of types that are read by their meaning. They are fixed, in PostgreSQL and in
// Redshift.
const (
	oidBool        = 16
	oidBytea       = 17
	oidInt8        = 20
	oidInt2        = 21
	oidInt4        = 23
	oidText        = 25
	oidOid         = 26
	oidJSON        = 114
	oidFloat4      = 700
	oidFloat8      = 701
	oidUnknown     = 705
	oidBpchar      = 1042
	oidVarchar     = 1043
	oidDate        = 1082
	oidTime        = 1083
	oidTimestamp   = 1114
	oidTimestamptz = 1184
	oidInterval    = 1186
	oidTimetz      = 1266
	oidNumeric     = 1700
	oidRecord      = 2249
	oidRecordArray = 2287
	oidUUID        = 2950
	oidJSONB       = 3802

	oidSuper   = 4000 // Redshift's JSON
	oidVarbyte = 6551 // Redshift's bytes
)

// kind is what becomes of a type's values.
type kind uint8

const (
	asText kind = iota
	asBool
	asInt
	asFloat
	asNumeric
	asBytes
	asJSON
	asArray     // JSON
	asComposite // JSON
	asRecord    // JSON; a row type without a name, or arrays of it
)

var builtin = map[uint32]kind{
	oidBool: asBool, oidInt2: asInt, oidInt4: asInt, oidInt8: asInt, oidOid: asInt, oidFloat4: asFloat, oidFloat8: asFloat, oidNumeric: asNumeric, oidBytea: asBytes, oidVarbyte: asBytes,
	oidJSON: asJSON, oidJSONB: asJSON, oidSuper: asJSON, oidRecord: asRecord, oidRecordArray: asRecord,
	oidText: asText, oidUnknown: asText, oidBpchar: asText, oidVarchar: asText, oidDate: asText, oidTime: asText, oidTimestamp: asText, oidTimestamptz: asText,
	oidInterval: asText, oidTimetz: asText, oidUUID: asText, 18: asText, 19: asText,
}

// pgType is a type as values inside arrays and rows need it.
type pgType struct {
	kind   kind
	elem   *pgType // of an array
	delim  byte    // between an array's elements
	fields []field // of a row
}

type field struct {
	name string
	typ  *pgType
}

// catalog is what the server says of its types, kept for the types that were met.
type catalog struct {
	mu    sync.Mutex
	types map[uint32]*pgType
}

// of is a type that was loaded, or one of text.
func (c *catalog) of(oid uint32) *pgType {
	if k, ok := builtin[oid]; ok {
		return &pgType{kind: k}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.types[oid]; t != nil {
		return t
	}
	return &pgType{}
}

// forget drops what is known, because a type has changed.
func (c *catalog) forget() {
	c.mu.Lock()
	c.types = nil
	c.mu.Unlock()
}

// load asks the server for the types of columns that are not known. It tells whether it did.
func (c *catalog) load(ctx context.Context, s *session, fields []pgconn.FieldDescription) (asked bool, err error) {
	if !s.db.nested {
		return false, nil
	}
	for _, f := range fields {
		if _, known := builtin[f.DataTypeOID]; known {
			continue
		}
		c.mu.Lock()
		known := c.types[f.DataTypeOID] != nil
		c.mu.Unlock()
		if known {
			continue
		}
		asked = true
		if err := c.ask(ctx, s, f.DataTypeOID); err != nil {
			return true, err
		}
	}
	return asked, nil
}

// ask loads a type and those it is made of.
func (c *catalog) ask(ctx context.Context, s *session, oid uint32) error {
	const members = `WITH RECURSIVE part(oid) AS (
  SELECT $1::pg_catalog.oid
  UNION
  SELECT m.oid FROM part p JOIN pg_catalog.pg_type t ON t.oid = p.oid
  CROSS JOIN LATERAL (
    SELECT t.typelem WHERE t.typinput = 'pg_catalog.array_in'::pg_catalog.regproc
    UNION ALL SELECT t.typbasetype WHERE t.typtype = 'd'
    UNION ALL SELECT a.atttypid FROM pg_catalog.pg_attribute a WHERE t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
  ) m(oid)
)
SELECT t.oid, CASE WHEN t.typinput = 'pg_catalog.array_in'::pg_catalog.regproc THEN 'a' ELSE t.typtype END, t.typelem, t.typbasetype, COALESCE(e.typdelim, ',')
FROM part JOIN pg_catalog.pg_type t ON t.oid = part.oid LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem`
	const attributes = `SELECT t.oid, a.attname, a.atttypid FROM pg_catalog.pg_type t JOIN pg_catalog.pg_attribute a ON a.attrelid = t.typrelid
WHERE t.typtype = 'c' AND t.oid = ANY($1::pg_catalog.oid[]) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY t.oid, a.attnum`
	types := s.pg.ExecParams(ctx, members, [][]byte{strconv.AppendUint(nil, uint64(oid), 10)}, nil, nil, nil).Read()
	if types.Err != nil {
		return s.db.errorOf(ctx, types.Err)
	}
	all := make([]string, 0, len(types.Rows))
	for _, r := range types.Rows {
		all = append(all, string(r[0]))
	}
	rows := s.pg.ExecParams(ctx, attributes, [][]byte{[]byte("{" + strings.Join(all, ",") + "}")}, nil, nil, nil).Read()
	if rows.Err != nil {
		return s.db.errorOf(ctx, rows.Err)
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.types == nil {
		c.types = map[uint32]*pgType{}
	}
	found := map[uint32]*pgType{}
	for _, r := range types.Rows { // types refer to one another in any order: first they are there, then they are filled
		id := oidIn(r[0])
		if k, ok := builtin[id]; ok {
			found[id] = &pgType{kind: k}
		} else {
			found[id] = &pgType{}
		}
	}
	bases := map[uint32]uint32{}
	for _, r := range types.Rows {
		t := found[oidIn(r[0])]
		if _, ok := builtin[oidIn(r[0])]; ok {
			continue
		}
		switch r[1][0] {
		case 'a':
			t.kind, t.elem, t.delim = asArray, found[oidIn(r[2])], r[4][0]
		case 'c':
			t.kind = asComposite
		case 'd':
			bases[oidIn(r[0])] = oidIn(r[3])
		}
	}
	for _, r := range rows.Rows {
		if t := found[oidIn(r[0])]; t.kind == asComposite {
			t.fields = append(t.fields, field{string(r[1]), found[oidIn(r[2])]})
		}
	}
	for id := range bases { // a domain is the type it is made on
		base := bases[id]
		for bases[base] != 0 {
			base = bases[base]
		}
		*found[id] = *found[base]
	}
	for id, t := range found {
		c.types[id] = t
	}
	if c.types[oid] == nil {
		c.types[oid] = &pgType{}
	}
	return nil
}

func oidIn(text []byte) uint32 {
	n, _ := strconv.ParseUint(string(text), 10, 32)
	return uint32(n)
}
