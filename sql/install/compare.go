package install

import (
	"context"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/store"
)

// Line is one difference between an installation and the plan.
type Line struct {
	State string // missing, changed, left over, foreign, wrong type, …
	What  string // function, service, table, column, view, role, grant, key, job or version
	Name  string
	Why   string // the reason; "" if State suffices
	Fix   string // what Apply does about it; "" if nothing
	Fine  bool   // nothing needs to be done
}

// Comparison is the result of comparing an installation with the plan.
type Comparison struct {
	Lines []Line // the differences
	// number of objects without a difference by kind: function, service, table, view, role, grant, key, job
	Same        map[string]int
	NotCompared []string // kinds of objects that the warehouse does not show

	warehouse string // name of the warehouse
}

// Differs reports whether a difference requires a change.
func (c *Comparison) Differs() bool {
	for i := range c.Lines {
		if !c.Lines[i].Fine {
			return true
		}
	}
	return false
}

// Diff compares functions, the service, tables, views, roles, grants and the nightly job with the plan. It only reads.
func (p *Plan) Diff(ctx context.Context, db Database) (*Comparison, error) {
	c := &Comparison{Same: map[string]int{}, warehouse: p.Warehouse.Name}
	if p.Inventory == "" {
		c.NotCompared = append(c.NotCompared, "functions")
	} else if err := p.diffFunctions(ctx, db, c); err != nil {
		return nil, err
	}
	if err := p.diffService(ctx, db, c); err != nil {
		return nil, err
	}
	if p.HasTables() {
		if err := p.diffTables(ctx, db, c); err != nil {
			return nil, err
		}
	}
	if p.Rights == "" {
		if p.Warehouse.Name != "duckdb" { // DuckDB has no roles
			c.NotCompared = append(c.NotCompared, "roles", "grants")
		}
		return c, nil
	}
	t, err := db.Query(ctx, p.Rights)
	if err != nil {
		return nil, errcode.New(errcode.Of(err), "looking at roles and grants: %w", err)
	}
	for i := range t.Rows() {
		what, name := t.Columns[0].Value(i).String(), t.Columns[1].Value(i).String()
		if t.Columns[2].Value(i).Bool() {
			c.Same[what]++
			continue
		}
		fix := "gives it"
		if what == "role" || what == "key" {
			fix = "creates it"
		}
		c.Lines = append(c.Lines, Line{State: string(Missing), What: what, Name: name, Fix: fix})
	}
	return c, p.diffJob(ctx, db, c)
}

// diffJob compares the nightly job. It does nothing if the warehouse has no query for it.
func (p *Plan) diffJob(ctx context.Context, db Database, c *Comparison) error {
	if p.Job == "" {
		return nil
	}
	there := false
	t, err := db.Query(ctx, p.Job)
	switch code := errcode.Of(err); {
	case err == nil:
		there = t.Rows() > 0
	case code == errcode.PermissionDenied:
		c.NotCompared = append(c.NotCompared, "the nightly job")
		return nil
	case code != errcode.NotFound:
		return errcode.New(code, "looking at the nightly job: %w", err)
	}
	const name = "badger evaluate"
	switch want := p.Values.Schedule.Cron != ""; {
	case want && there:
		c.Same["job"]++
	case want:
		c.Lines = append(c.Lines, Line{State: string(Missing), What: "job", Name: name, Fix: "schedules it"})
	case there:
		c.Lines = append(c.Lines,
			Line{State: string(LeftOver), What: "job", Name: name, Why: "the values have no schedule.cron", Fix: "ends it"})
	}
	return nil
}

func (p *Plan) diffFunctions(ctx context.Context, db Database, c *Comparison) error {
	changes, err := p.Compare(ctx, db)
	if err != nil {
		return err
	}
	for _, change := range changes {
		l := Line{State: string(change.State), What: "function", Name: change.Name}
		switch change.State {
		case Same:
			c.Same["function"]++
			continue
		case Missing:
			l.Fix = "creates it"
		case Changed:
			l.Why, l.Fix = "it is of another version, or has other values", "creates it again"
		case Foreign:
			l.Why = "badger did not create it, and never replaces it; drop or rename it"
		case LeftOver:
			l.Why = "no function of this version; drop it, unless something still calls it"
			if p.Warehouse.Name == "postgres" { // it has a step that drops functions of earlier versions
				l.Fix = "drops it"
			}
		}
		c.Lines = append(c.Lines, l)
	}
	return nil
}

func (p *Plan) diffTables(ctx context.Context, db Database, c *Comparison) error {
	f, err := db.Inspect(ctx)
	if err != nil {
		return err
	}
	c.Same["table"], c.Same["view"] = len(store.Tables), len(store.Views)
	if !f.Shown {
		c.Same["view"] = 0
		c.NotCompared = append(c.NotCompared, "views")
	}
	tables := map[string]bool{}
	for _, d := range f.Differences(p.dialect) {
		l := Line{Name: d.Name, Why: d.Why, Fix: d.Fix, Fine: d.Fine()}
		switch d.Kind {
		case store.MissingTable:
			l.State, l.What = string(Missing), "table"
			c.Same["table"]--
		case store.MissingColumn:
			l.State, l.What = string(Missing), "column"
		case store.WrongType:
			l.State, l.What = "wrong type", "column"
		case store.OwnColumn:
			l.State, l.What = "unknown", "column"
		case store.OwnView:
			l.State, l.What = "not in your view", "column"
		case store.MissingView:
			l.State, l.What = string(Missing), "view"
			c.Same["view"]--
		case store.ChangedView:
			l.State, l.What = string(Changed), "view"
			c.Same["view"]--
		case store.ForeignView:
			l.State, l.What = string(Foreign), "view"
			c.Same["view"]--
		case store.OldVersion:
			l.State, l.What = "older", "version"
		case store.NewVersion:
			l.State, l.What = "newer", "version"
		}
		if table, _, found := strings.Cut(d.Name, "."); found && l.What == "column" && !l.Fine && !tables[table] {
			tables[table] = true
			c.Same["table"]--
		}
		c.Lines = append(c.Lines, l)
	}
	return nil
}
