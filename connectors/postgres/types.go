package postgres

import (
	"context"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/badger-eval/badger/connectors/postgres/internal/value"
)

// catalog caches the server's definitions of types that cannot change.
type catalog struct {
	mu    sync.Mutex
	types map[uint32]*value.Type
}

// load returns the types of columns. asked reports whether the server was queried for any. Types that contain rows are
// queried each time, as fields can be renamed.
func (c *catalog) load(ctx context.Context, s *session,
	fields []pgconn.FieldDescription) (types []*value.Type, asked bool, err error) {
	types = make([]*value.Type, len(fields))
	met := map[uint32]*value.Type{}
	for i, f := range fields {
		t, known := value.Builtin(f.DataTypeOID)
		if !known && s.db.nested {
			if t = met[f.DataTypeOID]; t == nil {
				c.mu.Lock()
				t = c.types[f.DataTypeOID]
				c.mu.Unlock()
			}
			if t == nil {
				asked = true
				if t, err = ask(ctx, s, f.DataTypeOID); err != nil {
					return nil, true, err
				}
				c.keep(f.DataTypeOID, t)
			}
			met[f.DataTypeOID] = t
		}
		types[i] = t
	}
	return types, asked, nil
}

// keep caches a type, unless it contains rows.
func (c *catalog) keep(oid uint32, t *value.Type) {
	part := t
	for part.Kind == value.Array { // nested arrays, whose element is a domain over an array
		part = part.Elem
	}
	if part.Kind == value.Row {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.types == nil {
		c.types = map[uint32]*value.Type{}
	}
	c.types[oid] = t
}

// members is a query for a type and the types that it consists of. A row type has one row for each of its columns.
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

// ask queries the server for a type and the types that it consists of.
func ask(ctx context.Context, s *session, oid uint32) (*value.Type, error) {
	r := s.pg.ExecParams(ctx, members, [][]byte{strconv.AppendUint(nil, uint64(oid), 10)}, nil, nil, nil).Read()
	if r.Err != nil {
		return nil, s.db.errorOf(ctx, r.Err)
	}
	found, bases := map[uint32]*value.Type{}, map[uint32]uint32{}
	typ := func(id uint32) *value.Type { // types may refer to ones that come later
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
	for id, base := range bases { // a domain is read as its base type
		for bases[base] != 0 {
			base = bases[base]
		}
		*found[id] = *typ(base)
	}
	return found[oid], nil
}

func oidIn(text []byte) uint32 {
	n, _ := strconv.ParseUint(string(text), 10, 32)
	return uint32(n)
}
