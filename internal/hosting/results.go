package hosting

import (
	"context"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf/identity"
)

// Readable lists what callers may read in results.warehouse by table: and query: references, with the server's
// permissions. References to anything else are rejected.
type Readable struct {
	Tables  []string `yaml:"tables"`  // SCHEMA.TABLE and SCHEMA.*; see driver.Allowed
	Queries bool     `yaml:"queries"` // results of all queries that the warehouse still stores, by their ids
}

// Guarded is a SnapshotReader that checks whether the caller may read a table: or query: reference by the
// configuration. Callers with the role admin may read all that the server may.
type Guarded struct {
	scoring.SnapshotReader
	common readable
	of     map[string]readable // by caller, instead of common
}

type readable struct {
	tables  driver.Allowed
	queries bool
}

// Guard returns r with the permissions common, or those in callers for the named ones. An invalid pattern is a usage
// error.
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

// ReadSnapshot implements scoring.SnapshotReader. References to files are not checked here.
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
