package install

import (
	"context"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Database runs the statements; store.Store is one.
type Database interface {
	Exec(ctx context.Context, query string, args ...any) error
	Query(ctx context.Context, query string, args ...any) (*scoring.Table, error)
	// Inspect finds out what is there of badger's tables and views.
	Inspect(ctx context.Context) (store.Found, error)
	// Install creates badger's tables and views, and brings tables of an earlier version to the
	// present one.
	Install(ctx context.Context) error
}

// State is how an installed function stands to the plan.
type State string

// The states.
const (
	Missing  State = "missing"   // not there
	Changed  State = "changed"   // there, of another version or with other values
	Same     State = "same"      // there as planned
	LeftOver State = "left over" // badger's, and not in the plan
	Foreign  State = "foreign"   // there, and not badger's
)

// Change is one function's state.
type Change struct {
	State State
	Name  string // as SQL declares it, with its arguments; of one that is left over, the name alone
}

// Compare says how the functions that are installed stand to the plan.
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

// foreignHelpers returns the existing functions with the names of the plan's additional functions that badger did
// not create.
func (p *Plan) foreignHelpers(installed map[string][]string) (out []string) {
	for _, comments := range installed { // earlier installations did not mark them
		if slices.ContainsFunc(comments, func(c string) bool { return strings.Contains(c, "[badger:") }) {
			return nil
		}
	}
	for _, name := range p.Warehouse.Helpers {
		creates := slices.ContainsFunc(p.Steps,
			func(s Step) bool { return strings.HasPrefix(s.SQL, "CREATE OR REPLACE FUNCTION "+p.in(name)+"(") })
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

// installed are the comments of the functions of badger's schema, by name.
func (p *Plan) installed(ctx context.Context, db Database) (map[string][]string, error) {
	if p.Inventory == "" {
		return nil, errcode.New(errcode.Unimplemented,
			"%s stores no comments on functions, from which the versions could be read", p.Warehouse.Name)
	}
	t, err := db.Query(ctx, p.Inventory)
	if errcode.Of(err) == errcode.NotFound { // no schema, no functions
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

// Done is what applying did.
type Done struct {
	Run     int      // statements
	Same    int      // functions that existed as planned
	Hand    []Step   // what is left to a person
	Refused []string // what optional steps were for that failed
	LeftOut int      // steps of other roles
}

// Apply runs the plan's steps of the roles in by, or of all roles if it is empty. It does not create a function
// again that exists as planned. If a statement fails, the error lists the completed steps; applying again continues
// from there.
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
	if p.HasTables() { // an incompatible schema is reported before anything is changed
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
	if service == Foreign { // none of its steps is for that state
		done.Hand = append(done.Hand,
			Step{By: Hand,
				Why: "The service " + p.in(p.Values.Service) +
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
			done.Run++ // the first of them did all
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
			return done, errcode.New(errcode.Of(err), "step %d of %d, to be run by %s (%s): %w\n%d statements were run and are complete; this one and those after it are left. "+
				"Put right what is wrong and run the same command again to resume at this step", i+1, len(p.Steps), p.Who(s), s.Why,
				err, done.Run)
		}
		done.Run++
	}
	return done, nil
}

// Who says who must run a step.
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
