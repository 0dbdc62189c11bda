package postgres

import (
	"context"
	"maps"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/badger-eval/badger/connectors/postgres/internal/value"
)

// catalog is what the server says of its types, kept for the types that were met.
type catalog struct {
	mu    sync.Mutex
	types map[uint32]*value.Type
}

// of is a type that was loaded, or one of text.
func (c *catalog) of(oid uint32) *value.Type {
	if t, ok := value.Builtin(oid); ok {
		return t
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.types[oid]; t != nil {
		return t
	}
	return &value.Type{}
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
		c.mu.Lock()
		known := c.types[f.DataTypeOID] != nil
		c.mu.Unlock()
		if _, fixed := value.Builtin(f.DataTypeOID); fixed || known {
			continue
		}
		asked = true
		if err := c.ask(ctx, s, f.DataTypeOID); err != nil {
			return true, err
		}
	}
	return asked, nil
}

// members finds a type and those it is made of, a row type once for each of its columns.
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
SELECT t.oid, CASE WHEN t.typinput = 'pg_catalog.array_in'::pg_catalog.regproc THEN 'a' ELSE t.typtype END, CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.typelem END, COALESCE(e.typdelim, ','), a.attname, a.atttypid
FROM part JOIN pg_catalog.pg_type t ON t.oid = part.oid LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem
LEFT JOIN pg_catalog.pg_attribute a ON t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY t.oid, a.attnum`

// ask loads a type and those it is made of.
func (c *catalog) ask(ctx context.Context, s *session, oid uint32) error {
	r := s.pg.ExecParams(ctx, members, [][]byte{strconv.AppendUint(nil, uint64(oid), 10)}, nil, nil, nil).Read()
	if r.Err != nil {
		return s.db.errorOf(ctx, r.Err)
	}
	found, bases := map[uint32]*value.Type{}, map[uint32]uint32{}
	typ := func(id uint32) *value.Type { // types refer to one another in any order
		if found[id] == nil {
			found[id], _ = value.Builtin(id)
		}
		return found[id]
	}
	typ(oid)
	for _, row := range r.Rows {
		id, part := oidIn(row[0]), oidIn(row[2])
		t := typ(id)
		if _, ok := value.Builtin(id); ok {
			continue
		}
		switch row[1][0] {
		case 'a':
			t.Kind, t.Elem, t.Delim = value.Array, typ(part), row[3][0]
		case 'c':
			t.Kind = value.Row
			if row[4] != nil {
				t.Fields = append(t.Fields, value.Field{Name: string(row[4]), Type: typ(oidIn(row[5]))})
			}
		case 'd':
			bases[id] = part
		}
	}
	for id, base := range bases { // a domain is the type it is made on
		for bases[base] != 0 {
			base = bases[base]
		}
		*found[id] = *typ(base)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.types == nil {
		c.types = map[uint32]*value.Type{}
	}
	maps.Copy(c.types, found)
	return nil
}

func oidIn(text []byte) uint32 {
	n, _ := strconv.ParseUint(string(text), 10, 32)
	return uint32(n)
}
