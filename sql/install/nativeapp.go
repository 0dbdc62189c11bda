package install

import (
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// App is an installation inside a Snowflake Native App: the same functions, tables and procedure, but in the
// application's own database and for its application roles.
type App struct {
	*Plan
	Objects   []Step // tables, views, their comments, the procedure, and grants
	Functions []Step // the functions, which need the service
	Callers   []Step // grants for calling the functions
}

// App returns the plan of an installation inside a Native App.
func (p *Plan) App() (*App, error) {
	if p.service == "" {
		return nil, errcode.New(errcode.Internal, "%s via %s has no service that an app could hold", p.Warehouse.Name,
			p.Via.Name)
	}
	inside := &Plan{Values: p.Values, Warehouse: p.Warehouse, Via: p.Via, dialect: p.dialect, functions: p.functions}
	inside.Values.Database, inside.Values.Schedule.Cron, inside.Values.Schedule.Alert = "", "", Alert{}
	declared, err := inside.declare(p.functions)
	if err != nil {
		return nil, err
	}
	a := &App{Plan: inside}
	for i := range declared {
		if err := inside.function(&declared[i]); err != nil {
			return nil, err
		}
	}
	a.Functions, inside.Steps = inside.Steps, nil
	if err := inside.tables(); err != nil {
		return nil, err
	}
	if err := inside.schedule(p.functions); err != nil {
		return nil, err
	}
	a.Objects, inside.Steps = forApplicationRoles(inside.Steps), nil
	callers, err := inside.render("grants", &page{Plan: inside, Functions: declared})
	a.Callers = forApplicationRoles(callers)
	return a, err
}

// forApplicationRoles returns the steps with grants to application roles instead of roles. Names in these steps are
// plain, so the first " TO ROLE " is SQL.
func forApplicationRoles(steps []Step) []Step {
	steps = slices.Clone(steps)
	for i := range steps {
		s := &steps[i]
		s.Why = strings.TrimSuffix(s.Why, tableStays) // dropping the application drops the tables
		if strings.HasPrefix(s.SQL, "GRANT ") {
			s.SQL = strings.Replace(s.SQL, " TO ROLE ", " TO APPLICATION ROLE ", 1)
		}
	}
	return steps
}

// Upgrade returns the steps that change an existing service.
func (p *Plan) Upgrade() (steps []Step) {
	for i := range p.Steps {
		if p.Steps[i].Service == Changed {
			steps = append(steps, p.Steps[i])
		}
	}
	return steps
}
