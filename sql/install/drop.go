package install

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Drop is a statement that undoes a Step.
type Drop struct {
	Step *Step
	SQL  string
	Role bool // it drops a role, which may have existed before badger
}

// Drops returns the statements that undo the plan, in reverse order of the steps. If withData is false, tables and the
// schema are kept.
func (p *Plan) Drops(withData bool) (out []Drop) {
	for i := len(p.Steps) - 1; i >= 0; i-- {
		s := &p.Steps[i]
		if s.Drop != "" {
			out = append(out, Drop{s, s.Drop, s.DropRole})
		}
		if withData && s.DropData != "" {
			out = append(out, Drop{s, s.DropData, false})
		}
	}
	return out
}

// Dropped is the outcome of dropping an installation.
type Dropped struct {
	Run     int      // number of statements that were run
	Gone    int      // number of statements whose object did not exist
	Left    []string // statements that failed, as another object needs theirs; they can be run later
	Kept    []string // statements that were not run, as badger did not create the object or may not have
	LeftOut int      // number of statements of other roles
}

// Remove runs the statements of [Plan.Drops] of the roles in by, or of all roles if by is empty. It keeps and reports
// objects that others depend on, such as a role that owns kept tables, and functions, services and roles that badger
// did not create. Any other failure is an error that says how many statements were completed; Remove can be run again
// to continue.
func (p *Plan) Remove(ctx context.Context, db Database, withData bool, by ...string) (Dropped, error) {
	var done Dropped
	all := p.Drops(withData)
	keeps, err := p.keeps(ctx, db)
	if err != nil {
		return done, err
	}
	for i, d := range all {
		if len(by) > 0 && !slices.Contains(by, d.Step.By) {
			done.LeftOut++
			continue
		}
		if keeps(&d) {
			done.Kept = append(done.Kept, d.SQL)
			continue
		}
		err := db.Exec(ctx, d.SQL)
		switch code := errcode.Of(err); {
		case err == nil:
			done.Run++
		case code == errcode.NotFound, code == errcode.InvalidArgument && strings.HasPrefix(d.SQL, "REVOKE"):
			// its role does not exist any more
			done.Gone++
		case code == errcode.FailedPrecondition,
			code == errcode.InvalidArgument && (d.SQL == d.Step.DropData || strings.HasPrefix(d.SQL, "DROP VIEW")):
			// such as if a table of this name is a view of the user's
			done.Left = append(done.Left, d.SQL)
		default:
			return done, p.stopped(err, fmt.Sprintf("statement %d of %d", i+1, len(all)), d.Step, d.SQL, done.Run)
		}
	}
	return done, nil
}

// keeps returns a function that reports whether a statement must not run, as it would drop a function or a service
// without badger's mark, or a role that badger may not have created.
func (p *Plan) keeps(ctx context.Context, db Database) (func(d *Drop) bool, error) {
	var foreign []string
	if p.Inventory != "" {
		changes, err := p.Compare(ctx, db)
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			if c.State == Foreign {
				name, _, _ := strings.Cut(c.Name, "(")
				foreign = append(foreign, p.In(name))
			}
		}
	}
	service, err := p.serviceState(ctx, db)
	if err != nil {
		return nil, err
	}
	var others []string
	if p.Others != "" {
		t, err := db.Query(ctx, p.Others)
		if err != nil {
			return nil, errcode.New(errcode.Of(err), "looking at roles: %w", err)
		}
		for i := range t.Rows() {
			others = append(others, p.dialect.Identifier(t.Columns[0].Value(i).String()))
		}
	}
	return func(d *Drop) bool {
		if d.Role {
			return p.Others == "" ||
				slices.ContainsFunc(others, func(name string) bool { return d.SQL == "DROP ROLE IF EXISTS "+name })
		}
		if d.Step.Service != "" {
			return service == Foreign
		}
		_, what, ok := strings.Cut(d.SQL, " IF EXISTS ")
		return ok && slices.ContainsFunc(foreign, func(name string) bool { // types follow in some warehouses
			return what == name || strings.HasPrefix(what, name+"(")
		})
	}, nil
}
