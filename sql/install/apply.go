package install

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Database is the warehouse that an installation is applied to, such as a store.Store.
type Database interface {
	Exec(ctx context.Context, query string, args ...any) error
	Query(ctx context.Context, query string, args ...any) (*scoring.Table, error)
	// Inspect returns which of badger's tables and views exist.
	Inspect(ctx context.Context) (store.Found, error)
	// Install creates badger's tables and views, and migrates tables of an earlier version.
	Install(ctx context.Context) error
}

// State is the difference between an installed function and the plan.
type State string

// The values of State.
const (
	Missing  State = "missing"   // it does not exist
	Changed  State = "changed"   // it exists with another version or other values
	Same     State = "same"      // it exists as planned
	LeftOver State = "left over" // badger created it, and the plan does not contain it
	Foreign  State = "foreign"   // it exists, and badger did not create it
)

// Change is the State of one function.
type Change struct {
	State State
	Name  string // signature; the name alone of a function that is left over, and of a foreign helper
}

// Compare returns the State of each installed or planned function. Foreign functions that the plan does not contain are
// not listed.
func (p *Plan) Compare(ctx context.Context, db Database) ([]Change, error) {
	installed, err := p.installed(ctx, db)
	if err != nil {
		return nil, err
	}
	planned := map[string]bool{}
	var out []Change
	for i := range p.Steps {
		f := p.Steps[i].Function
		if f == nil || i > 0 && p.Steps[i-1].Function == f {
			continue
		}
		planned[f.Name] = true
		page := page{Plan: p, Function: f}
		out = append(out, Change{stateOf(installed[f.Name], f.Mark), page.signature()})
	}
	if p.procedure != "" {
		planned[procedureName] = true
		out = append(out, Change{stateOf(installed[procedureName], p.procedure), procedureName + "(batch, metrics)"})
	}
	for _, name := range p.Warehouse.Helpers {
		planned[name] = true
	}
	for _, name := range p.foreignHelpers(installed) {
		out = append(out, Change{Foreign, name})
	}
	var names []string
	for name := range installed {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if s := stateOf(installed[name], ""); !planned[strings.TrimSuffix(name, "__rows")] && s == Changed {
			out = append(out, Change{LeftOver, name})
		}
	}
	return out, nil
}

// foreignHelpers returns the names of the plan's helpers that exist, and that badger did not create.
func (p *Plan) foreignHelpers(installed map[string][]string) (out []string) {
	for _, comments := range installed { // earlier versions of badger did not mark helpers
		if slices.ContainsFunc(comments, func(c string) bool { return strings.Contains(c, "[badger:") }) {
			return nil
		}
	}
	for _, name := range p.Warehouse.Helpers {
		creates := slices.ContainsFunc(p.Steps, func(s Step) bool {
			return strings.HasPrefix(s.SQL, "CREATE OR REPLACE FUNCTION "+p.In(name)+"(") ||
				strings.HasPrefix(s.SQL, "CREATE OR REPLACE PROCEDURE "+p.In(name)+"(")
		})
		if creates && stateOf(installed[name], "") == Foreign {
			out = append(out, name)
		}
	}
	return out
}

func stateOf(comments []string, mark string) State {
	switch {
	case len(comments) == 0:
		return Missing
	case mark != "" && slices.ContainsFunc(comments, func(c string) bool { return strings.Contains(c, "["+mark+"]") }):
		return Same
	case slices.ContainsFunc(comments, func(c string) bool {
		return strings.Contains(c, "[badger:") || strings.Contains(c, "[badger-procedure:") ||
			strings.Contains(c, "[badger-helper]")
	}):
		return Changed
	}
	return Foreign
}

// installed returns the comments of the functions in badger's schema, by the function's name.
func (p *Plan) installed(ctx context.Context, db Database) (map[string][]string, error) {
	if p.Inventory == "" {
		return nil, errcode.New(errcode.Unimplemented,
			"%s stores no comments on functions, from which the versions could be read", p.Warehouse.Name)
	}
	t, err := db.Query(ctx, p.Inventory)
	if errcode.Of(err) == errcode.NotFound { // the schema does not exist
		return map[string][]string{}, nil
	}
	if err != nil {
		return nil, errcode.New(errcode.Of(err), "listing the functions of %s: %w", p.SchemaName(), err)
	}
	out := map[string][]string{}
	for i := range t.Rows() {
		name := t.Columns[0].Value(i).String()
		out[name] = append(out[name], t.Columns[1].Value(i).String())
	}
	return out, nil
}

// Done is the outcome of applying a plan.
type Done struct {
	Run     int      // number of statements that were run
	Same    int      // number of functions that existed as planned
	Hand    []Step   // steps to be done by hand
	Refused []string // purposes of the optional steps that failed
	LeftOut int      // number of steps of other roles
}

// Apply runs the plan's steps of the roles in by, or of all roles if by is empty. It skips functions that exist as
// planned. If a statement fails, the error says how many statements were completed; Apply can be run again to continue.
// Foreign functions of the same names are an error, and nothing is run then.
func (p *Plan) Apply(ctx context.Context, db Database, by ...string) (Done, error) {
	var done Done
	states := map[string]State{}
	if p.Inventory != "" {
		changes, err := p.Compare(ctx, db)
		if err != nil {
			return done, err
		}
		var foreign []string
		for _, c := range changes {
			if states[c.Name] = c.State; c.State == Foreign {
				foreign = append(foreign, c.Name)
			}
		}
		if foreign != nil {
			return done, errcode.New(errcode.AlreadyExists, "%s has functions of these names that badger did not create: %s; nothing was done. Drop or rename them, or choose another schema",
				p.SchemaName(), strings.Join(foreign, ", "))
		}
	}
	if p.HasTables() { // an incompatible schema is reported before any change
		f, err := db.Inspect(ctx)
		if err == nil {
			err = f.Check(p.dialect)
		}
		if err != nil && errcode.Of(err) != errcode.PermissionDenied {
			return done, err
		}
	}
	service, err := p.serviceState(ctx, db)
	if err != nil {
		return done, err
	}
	if service == Foreign { // no step applies to that state
		done.Hand = append(done.Hand,
			Step{By: Hand,
				Why: "The service " + p.In(p.Values.Service) +
					" has no mark of badger's: Terraform or a person made it, and brings it to this specification.",
				SQL: "badger deploy snowflake writes service.yaml and upgrade.sql"})
	}
	tables := false
	for i := range p.Steps {
		s := &p.Steps[i]
		switch {
		case s.By == Hand:
			done.Hand = append(done.Hand, *s)
			continue
		case len(by) > 0 && !slices.Contains(by, s.By):
			done.LeftOut++
			continue
		}
		if s.Function != nil {
			page := page{Plan: p, Function: s.Function}
			if states[page.signature()] == Same {
				if i == 0 || p.Steps[i-1].Function != s.Function {
					done.Same++
				}
				continue
			}
		}
		if s.Service != "" && s.Service != service {
			continue
		}
		if s.Table && tables {
			done.Run++ // the first of these steps created all tables and views
			continue
		}
		var err error
		if s.Table {
			err, tables = db.Install(ctx), true
		} else {
			err = db.Exec(ctx, s.SQL)
		}
		if err != nil && s.Optional {
			done.Refused = append(done.Refused, s.Why)
			continue
		}
		if err != nil && s.MayExist && errcode.Of(err) == errcode.AlreadyExists {
			err = nil
		}
		if err != nil {
			return done, p.stopped(err, fmt.Sprintf("step %d of %d", i+1, len(p.Steps)), s, s.Why, done.Run)
		}
		done.Run++
	}
	return done, nil
}

// stopped returns the error of the statement of step s, which what numbers and why describes, after run statements.
func (p *Plan) stopped(err error, what string, s *Step, why string, run int) error {
	return errcode.New(errcode.Of(err), "%s, to be run by %s (%s): %w\n%d statements were run and are complete; this one and those after it are left. "+
		"Put right what is wrong and run the same command again to resume at this step", what, p.Who(s), why, err, run)
}

// Who returns a description of the user who must run a step.
func (p *Plan) Who(s *Step) string {
	switch s.By {
	case Admin:
		return p.Warehouse.Admin
	case Owner:
		if p.Warehouse.Name == "duckdb" || p.Warehouse.Global {
			return p.Warehouse.Admin
		}
		return p.Values.Roles.Owner
	}
	return "a person, not as SQL"
}
