package site

import (
	"net/http"
	"strings"

	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// The address exports all cases of a list as a file, in the order of their IDs. If it fails after the first bytes were
// sent, it aborts the connection, so that the client notices that the file is truncated.
var _ = register(
	&page{pattern: "GET /export", ofRun: true, role: identity.Read,
		serve: func(s *Site, rw http.ResponseWriter, r *http.Request) error {
			state, err := s.listOf(r.URL.Query())
			if err != nil {
				return err
			}
			began := &startedWriter{ResponseWriter: rw}
			format, err := export.FormatNamed(r.URL.Query().Get("format"))
			if err != nil {
				return err
			}
			pages, err := s.reader(r.Context())
			if err != nil {
				return err
			}
			list, err := pages.List(r.Context(), state)
			if err != nil {
				return err
			}
			chosen := map[string]bool{}
			for id, err := range list.IDs(r.Context()) {
				if err != nil {
					return err
				}
				chosen[id] = true
			}
			options := export.Options{Metric: list.State.Metric, Program: s.o.Version, Only: onlyOf(list.State),
				Status: func() string { return list.Run.Status }}
			for _, m := range list.Shape.Metrics {
				options.Metrics = append(options.Metrics, m.Metric)
				known := scoring.Metric{Name: m.Metric}
				if k := s.known(m.Metric); k != nil {
					known = *k
				}
				options.Known = append(options.Known, known)
			}
			if options.Metric == "" {
				options.Metric = s.primary(options.Metrics)
			}
			w, err := format.New(began, options)
			if err != nil {
				return err
			}
			rw.Header().Set("Content-Type", format.Type)
			rw.Header().Set("Content-Disposition", `attachment; filename="`+format.File+`"`)
			of := store.OfRun{RunID: state.RunID}
			for a, err := range s.o.Warehouse.ScoredAnswers(r.Context(), of) {
				if err == nil &&
					(a.Agent != state.Agent || a.Version != state.Version || a.Batch != state.Batch || !chosen[a.CaseID]) {
					continue
				}
				if err == nil {
					answer := export.Of(state.ID, &a)
					answer.Withhold(s.mask)
					err = w.Add(answer)
				}
				if err != nil {
					return began.orAbort(err)
				}
			}
			return began.orAbort(w.Close())
		}})

// startedWriter records whether anything was written to the response.
type startedWriter struct {
	http.ResponseWriter
	started bool
}

func (w *startedWriter) Write(p []byte) (int, error) {
	w.started = true
	return w.ResponseWriter.Write(p)
}

// orAbort returns err if nothing was written yet or if err is nil. Otherwise it panics with [http.ErrAbortHandler],
// which closes the connection.
func (w *startedWriter) orAbort(err error) error {
	if err != nil && w.started {
		panic(http.ErrAbortHandler)
	}
	if err != nil {
		w.Header().Del("Content-Disposition")
	}
	return err
}

// onlyOf describes the cases of a list, such as its mode and filters; "" if it has all cases.
func onlyOf(s store.State) string {
	var parts []string
	if s.Mode != store.All && s.Mode != "" {
		parts = append(parts, string(s.Mode))
	}
	for _, f := range s.Filters {
		parts = append(parts, f.String())
	}
	if s.Search != "" {
		parts = append(parts, "search "+s.Search)
	}
	return strings.Join(parts, ", ")
}
