package hosting

import (
	"context"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf/identity"
)

// Readable lists the tables that table: and query: references of callers may read in results.warehouse, with the
// server's permissions. Tables that are not listed are rejected.
type Readable struct {
	Tables  []string `yaml:"tables"`  // SCHEMA.TABLE and SCHEMA.*; see driver.Allowed
	Queries bool     `yaml:"queries"` // results of any query that the warehouse remembers, by their ids
}

// Guarded resolves references for callers of a server: of the warehouse they read what the configuration
// lists for them. Who has the role admin reads what the server may.
type Guarded struct {
	scoring.SnapshotReader
	common readable
	of     map[string]readable // by caller, instead of the common one
}

type readable struct {
	tables  driver.Allowed
	queries bool
}

// Guard guards a reader. The error names a pattern that is wrong.
func Guard(r scoring.SnapshotReader, common Readable, callers map[string]Readable) (*Guarded, error) {
	g := &Guarded{SnapshotReader: r, of: map[string]readable{}}
	parse := func(key string, r Readable) (readable, error) {
		tables, err := driver.ParseAllowed(r.Tables)
		if err != nil {
			return readable{}, errcode.Usage("%s.tables: %w", key, err)
		}
		return readable{tables, r.Queries}, nil
	}
	var err error
	if g.common, err = parse("results", common); err != nil {
		return nil, err
	}
	for name, r := range callers {
		if g.of[name], err = parse("results.callers."+name, r); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// ReadSnapshot is scoring.SnapshotReader's.
func (g *Guarded) ReadSnapshot(ctx context.Context, ref string) (*scoring.Table, error) {
	r, err := driver.ParseRef(ref)
	if err != nil || r.Kind == driver.RefFile {
		return g.SnapshotReader.ReadSnapshot(ctx, ref)
	}
	caller, _ := identity.From(ctx)
	may, listed := g.of[caller.Name]
	if !listed {
		may = g.common
	}
	switch {
	case caller.May(identity.Admin):
	case r.Kind == driver.RefQuery && !may.queries:
		return nil, errcode.New(errcode.PermissionDenied,
			"query: references are not allowed for this caller: results.queries in the server's configuration permits them")
	case r.Kind == driver.RefTable && !may.tables.Allows(r):
		return nil, errcode.New(errcode.PermissionDenied,
			"this table is none that the caller may read: results.tables in the server's configuration lists them")
	}
	return g.SnapshotReader.ReadSnapshot(ctx, ref)
}
