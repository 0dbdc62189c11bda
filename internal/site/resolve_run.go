package site

import (
	"net/http"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// runMissing is the error for an address that does not name an existing run; meant are links to the runs that it may
// mean.
type runMissing struct {
	error
	meant []namedAddress
}

func (e *runMissing) Unwrap() error { return e.error }

// whichRun completes an address that omits the agent, version or batch of its run. It returns the address with the only
// run that matches, or "" if nothing is to be completed. Otherwise the error is a *runMissing.
func (s *Site) whichRun(r *http.Request) (to string, err error) {
	v := r.URL.Query()
	key := store.ParseRun(v)
	if key.ID == "" || s.o.Warehouse == nil || key.Agent != "" && key.Version != "" && key.Batch != "" {
		return "", nil // the page itself says where there is no such run
	}
	rows, err := s.o.Warehouse.Runs(r.Context(), key.ID)
	if err != nil {
		return "", err
	}
	missing := &runMissing{}
	at := func(run scoring.RunID) string {
		for name, values := range store.RunValues(run) {
			v[name] = values
		}
		return address(r.URL.Path[len(s.o.Prefix):], v)
	}
	fits := func(asked, is string) bool { return asked == "" || asked == is }
	for i := range rows {
		run := rows[i].RunID
		switch {
		case run == key:
			return "", nil
		case fits(key.Agent, run.Agent) && fits(key.Version, run.Version) && fits(key.Batch, run.Batch):
			missing.meant = append(missing.meant, namedAddress{runName(&rows[i]), at(run)})
		}
	}
	switch n := len(missing.meant); {
	case n == 1:
		return missing.meant[0].Address, nil
	case n > 1:
		missing.error = errcode.New(errcode.NotFound,
			"the run %.80q has several agents, versions or batches; the address leaves out %s", key.ID, leftOut(key))
	case len(rows) == 0:
		missing.error = errcode.New(errcode.NotFound, "there is no run %.80q", key.ID)
	default:
		missing.error = errcode.New(errcode.NotFound, "there is no run %.80q of agent %.80q, version %.80q, batch %.80q",
			key.ID, key.Agent, key.Version, key.Batch)
	}
	return "", missing
}

func leftOut(run scoring.RunID) string {
	var names []string
	for _, p := range []struct{ name, value string }{{"agent", run.Agent}, {"version", run.Version},
		{"batch", run.Batch}} {
		if p.value == "" {
			names = append(names, p.name)
		}
	}
	return strings.Join(names, " and ")
}

// runThere returns an error that names the parameter key if run is neither among recent nor in the warehouse.
func (s *Site) runThere(r *http.Request, recent []store.Run, key string, run scoring.RunID) error {
	for i := range recent {
		if recent[i].RunID == run {
			return nil
		}
	}
	rows, err := s.o.Warehouse.Runs(r.Context(), run.ID) // an older one
	for i := range rows {
		if rows[i].RunID == run {
			return nil
		}
	}
	if err == nil {
		err = errcode.New(errcode.NotFound, "%s: there is no run %.80q of agent %.80q, version %.80q, batch %.80q", key,
			run.ID, run.Agent, run.Version, run.Batch)
	}
	return err
}
