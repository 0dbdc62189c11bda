package sqlparts

import (
	"sync"

	"github.com/badger-eval/badger/internal/halt"
)

// Texts caches parsed queries and DDL of one case, so that each is parsed once for all its users. Returned values
// are shared and must not be changed. The zero value is ready for use, also by several goroutines; a nil *Texts
// caches nothing.
type Texts struct {
	Halt *halt.Signal // stops work that takes too long; may be nil; set before first use

	mu      sync.Mutex
	scripts map[textKey]*Script
	schemas map[textKey]*Schema
	bound   map[pairKey]*[2]*Bound
}

// pairKey is two queries with the DDL of their tables.
type pairKey struct {
	gold, pred, ddl string
	dialect         Dialect
}

// textKey is SQL text with its dialect.
type textKey struct {
	text    string
	dialect Dialect
}

// Parse returns [Parse] of the text, cached.
func (t *Texts) Parse(sql string, d Dialect) *Script {
	if t == nil {
		return Parse(sql, d)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return kept(&t.scripts, textKey{sql, d}, func(sql string, d Dialect) *Script { return parseUntil(sql, d, t.Halt) })
}

// ReadSchema returns [ReadSchema] of the DDL, cached.
func (t *Texts) ReadSchema(ddl string, d Dialect) *Schema {
	if t == nil {
		return ReadSchema(ddl, d)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return kept(&t.schemas, textKey{ddl, d}, func(ddl string, d Dialect) *Schema { return readSchema(ddl, d, t.Halt) })
}

// Bind returns [Bind] of two queries of one case with the schema of the DDL, cached for each pair.
func (t *Texts) Bind(ddl, gold, pred string, d Dialect) (g, p *Bound) {
	key := pairKey{gold, pred, ddl, d}
	if t != nil {
		t.mu.Lock()
		b := t.bound[key]
		t.mu.Unlock()
		if b != nil {
			return b[0], b[1]
		}
	}
	b := (*[2]*Bound)(Bind(t.ReadSchema(ddl, d), t.Parse(gold, d), t.Parse(pred, d)))
	if t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.bound == nil {
			t.bound = map[pairKey]*[2]*Bound{}
		}
		t.bound[key] = b
	}
	return b[0], b[1]
}

func kept[T any](in *map[textKey]*T, key textKey, read func(string, Dialect) *T) *T {
	if x, ok := (*in)[key]; ok {
		return x
	}
	if *in == nil {
		*in = map[textKey]*T{}
	}
	x := read(key.text, key.dialect)
	(*in)[key] = x
	return x
}
