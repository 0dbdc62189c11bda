package install

import (
	"context"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Drop is a statement that undoes a step.
type Drop struct {
	Step *Step
	SQL  string
	Role bool // of a role, which may have been there before badger
}

// Drops are the statements that undo the plan, the last step first. Tables and the schema stay
// unless the data go too.
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

// Dropped is what removing did.
type Dropped struct {
	Run     int      // statements
	Gone    int      // statements for what did not exist any more
	Left    []string // statements that were refused because something else needs the object: they may be run later
	Kept    []string // statements that were not run, because badger did not create the object, or cannot tell
	LeftOut int      // statements of other roles
}

// Remove reverses the plan. An object that another one needs, such as a role that owns tables that are kept, is
// kept and reported. Functions and roles that badger did not create are kept. Any other failure is an error that
// lists the completed steps; removing again continues from there.
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
			// of a role that is gone
			done.Gone++
		case code == errcode.FailedPrecondition,
			code == errcode.InvalidArgument && (d.SQL == d.Step.DropData || strings.HasPrefix(d.SQL, "DROP VIEW")):
			// such as a view of the users' own in a table's place
			done.Left = append(done.Left, d.SQL)
		default:
			return done, errcode.New(code, "statement %d of %d, to be run by %s (%s): %w\n%d statements were run and are complete; this one and those after it are left. "+
				"Put right what is wrong and run the same command again to resume at this step", i+1, len(all), p.Who(d.Step),
				d.SQL, err, done.Run)
		}
	}
	return done, nil
}

// keeps returns the statements that would drop objects that badger did not create: functions without its mark, and
// roles that existed before.
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
				foreign = append(foreign, p.in(name)+"(")
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
		return ok && slices.ContainsFunc(foreign, func(name string) bool { return strings.HasPrefix(what, name) })
	}, nil
}
