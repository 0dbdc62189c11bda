package site

import (
	"net/http"
	"slices"
	"strings"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf/identity"
)

// exportFormats are the forms in which a list of cases can be had, with the names of their files.
var exportFormats = []struct{ name, file, kind string }{
	{"csv", "cases.csv", "text/csv; charset=utf-8"},
	{"jsonl", "cases.jsonl", "application/x-ndjson"},
	{"junit", "cases.xml", "application/xml"},
}

// exportPage gives out all cases of a list as a file, in the order of their ids. What comes after the
// first bytes went out and fails breaks the connection off: the file is then known to be cut.
var exportPage = &page{pattern: "GET /export", role: identity.Read, serve: func(s *Site, rw http.ResponseWriter, r *http.Request) error {
	state, err := s.listOf(r.URL.Query())
	if err != nil {
		return err
	}
	at := slices.IndexFunc(exportFormats, func(f struct{ name, file, kind string }) bool { return f.name == r.URL.Query().Get("format") })
	if at < 0 {
		return errcode.New(errcode.InvalidArgument, "format: %.40q, expected csv, jsonl or junit", r.URL.Query().Get("format"))
	}
	format := exportFormats[at]
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
	options := export.Options{Metric: list.State.Metric, Program: s.o.Version}
	for _, m := range list.Shape.Metrics {
		options.Metrics = append(options.Metrics, m.Metric)
	}
	if options.Metric == "" {
		options.Metric = s.primary(options.Metrics)
	}
	began := &startedWriter{ResponseWriter: rw}
	var w export.Writer
	switch format.name {
	case "csv":
		w = export.NewCSV(began, options)
	case "jsonl":
		w = export.NewJSONLines(began, options)
	case "junit":
		w, err = export.NewJUnit(began, options)
	}
	if err != nil {
		return err
	}
	rw.Header().Set("Content-Type", format.kind)
	rw.Header().Set("Content-Disposition", `attachment; filename="`+format.file+`"`)
	of := connectors.OfRun{Run: state.ID, Agent: state.Agent, Version: state.Version, Batch: state.Batch}
	for a, err := range s.o.Warehouse.ScoredAnswers(r.Context(), of) {
		if err == nil && (a.Agent != state.Agent || a.Version != state.Version || a.Batch != state.Batch || !chosen[a.CaseID]) {
			continue
		}
		if err == nil {
			if !s.mask.None() {
				a.Question, a.Tags = "", nil
			}
			err = w.Add(&export.Answer{RunID: state.ID, AnswerID: a.AnswerID, Question: a.Question, Tags: a.Tags, Tier: tierOf(a.Scores), Scores: s.mask.Scores(a.Scores)})
		}
		if err != nil {
			return began.orAbort(err)
		}
	}
	return began.orAbort(w.Close())
}}

// startedWriter knows whether something was written.
type startedWriter struct {
	http.ResponseWriter
	started bool
}

func (w *startedWriter) Write(p []byte) (int, error) {
	w.started = true
	return w.ResponseWriter.Write(p)
}

// orAbort is err where an answer of it can still be made, and otherwise ends the connection.
func (w *startedWriter) orAbort(err error) error {
	if err != nil && w.started {
		panic(http.ErrAbortHandler)
	}
	if err != nil {
		w.Header().Del("Content-Disposition")
	}
	return err
}

// tierOf is the complexity that scores say their case has.
func tierOf(scores []scoring.Score) string {
	for i := range scores {
		if s := &scores[i]; s.Metric == "sql_complexity" && s.Status == scoring.StatusOK {
			return strings.ReplaceAll(s.Label, "_", " ")
		}
	}
	return ""
}
