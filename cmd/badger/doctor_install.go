package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/doctor"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/amount"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/install"
)

// installation looks at what badger install put into a warehouse: the functions, the roles and
// grants, and whether the server that the functions call answers.
func installation(ctx context.Context, p process, values, url string) ([]doctor.Check, error) {
	c := installCommand{valuesFlags: valuesFlags{Values: values}}
	v, err := c.values()
	if err != nil {
		return nil, err
	}
	plan, err := planOf(ctx, v)
	if err != nil {
		return nil, err
	}
	checks := []doctor.Check{endpoint(ctx, plan)}
	failed := func(err error) []doctor.Check {
		return append(checks, doctor.Check{
			Name: "functions", Status: doctor.Failed, Detail: err.Error(), Code: errcode.Of(err).String(),
			Fix: "let the role see the functions, views, roles and grants of schema " + plan.SchemaName(),
		})
	}
	db, end, err := c.open(ctx, p, plan, url)
	if err != nil {
		return failed(err), nil
	}
	defer end()
	diff, err := plan.Diff(ctx, db)
	if err != nil {
		return failed(err), nil
	}
	return append(checks, compared(plan, diff, "functions", "function", "service"), compared(plan, diff, "roles, grants", "role", "grant", "key", "job")), nil
}

// compared is a check of the parts of an installation that are of some kinds.
func compared(plan *install.Plan, diff *install.Comparison, name string, kinds ...string) doctor.Check {
	var same, wrong, others []string
	for _, what := range kinds {
		if n, ok := diff.Same[what]; ok {
			same = append(same, amount.Of(n, what))
		}
		for _, l := range diff.Lines {
			if l.What == what && !l.Fine {
				wrong = append(wrong, l.State+" "+l.Name)
				if l.Fix == "" {
					others = append(others, l.Name+": "+l.Why)
				}
			}
		}
	}
	check := doctor.Check{Name: name, Status: doctor.OK, Detail: strings.Join(same, ", ") + ", as this version has them"}
	switch {
	case len(wrong) > 0:
		n := min(3, len(wrong))
		check.Status, check.Detail = doctor.Failed, strings.Join(wrong[:n], "; ")
		if n < len(wrong) {
			check.Detail += fmt.Sprintf("; and %d more", len(wrong)-n)
		}
		check.Fix = "badger install --diff shows all of them, --apply puts them right"
		if len(others) > 0 {
			check.Fix += ", but for " + strings.Join(others, "; ")
		}
	case len(same) == 0:
		check.Status, check.Detail = doctor.Skipped, plan.Warehouse.Name+" has none, or does not show them"
	}
	return check
}

// endpoint asks the server that the functions call whether it is alive.
func endpoint(ctx context.Context, plan *install.Plan) doctor.Check {
	check := doctor.Check{Name: "endpoint", Status: doctor.Skipped, Detail: "the functions call none that could be asked from here"}
	url := plan.Values.Endpoint
	if url == "" || plan.Via.Name == "flight" { // which speaks gRPC
		return check
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/healthz", nil)
	if err != nil {
		check.Status, check.Detail, check.Fix = doctor.Failed, "the endpoint is no URL", "correct endpoint in the values"
		return check
	}
	response, err := (&http.Client{Transport: driver.Transport(nil)}).Do(request)
	if err != nil {
		check.Status, check.Detail = doctor.Warning, "nobody answers from here at "+url
		check.Fix = "is badger serve running there? Where only the warehouse reaches it, call badger_echo from SQL instead"
		return check
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		check.Status, check.Detail = doctor.Warning, fmt.Sprintf("%s answers with HTTP status %d", url, response.StatusCode)
		check.Fix = "a gateway may not pass /healthz on: then call badger_echo from SQL; otherwise look at what listens there"
		return check
	}
	check.Status, check.Detail = doctor.OK, url+" answers"
	return check
}
