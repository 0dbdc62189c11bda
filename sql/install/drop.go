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
}

// Drops are the statements that undo the plan, the last step first. Tables and the schema stay
// unless the data go too.
func (p *Plan) Drops(withData bool) (out []Drop) {
	for i := len(p.Steps) - 1; i >= 0; i-- {
		s := &p.Steps[i]
		if s.Drop != "" {
			out = append(out, Drop{s, s.Drop})
		}
		if withData && s.DropData != "" {
			out = append(out, Drop{s, s.DropData})
		}
	}
	return out
}

// Dropped is what removing did.
type Dropped struct {
	Run     int      // statements
	Gone    int      // statements for what was not there any more
	Left    []string // statements that were refused because something else needs the object: they may be run later
	LeftOut int      // statements of other roles
}

// Remove undoes the plan. An object that something else needs, such as a role that owns tables that
// stay, is left and named. Any other failure is an error that says what was done; removing again goes
// on from there.
func (p *Plan) Remove(ctx context.Context, db Database, withData bool, by ...string) (Dropped, error) {
	var done Dropped
	all := p.Drops(withData)
	for i, d := range all {
		if len(by) > 0 && !slices.Contains(by, d.Step.By) {
			done.LeftOut++
			continue
		}
		err := db.Exec(ctx, d.SQL)
		switch code := errcode.Of(err); {
		case err == nil:
			done.Run++
		case code == errcode.NotFound, code == errcode.InvalidArgument && strings.HasPrefix(d.SQL, "REVOKE"): // of a role that is gone
			done.Gone++
		case code == errcode.FailedPrecondition, code == errcode.InvalidArgument && d.SQL == d.Step.DropData: // such as a view of the users' own
			done.Left = append(done.Left, d.SQL)
		default:
			return done, errcode.New(code, "statement %d of %d, to be run by %s (%s): %w\n%d statements were run and are complete; this one and those after it are left. "+
				"Put right what is wrong and run the same command again: it goes on here", i+1, len(all), p.Who(d.Step), d.SQL, err, done.Run)
		}
	}
	return done, nil
}
