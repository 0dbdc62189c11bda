// Package tracking sends the scores of a run to programs that track experiments and traces. Each of them is one file,
// with an [Exporter] in the table exporters. An export may be repeated: what is there is not created a second time.
//
// Nothing but the given URL is contacted: proxies of the environment are not used, and redirects are not followed.
package tracking

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Run is a run with its scores, to be exported.
type Run struct {
	Rows   []store.Run                   // its rows of eval_runs, one for each agent, version and batch
	Scores iter.Seq2[scoring.Row, error] // ordered by agent, version, batch, case and metric
	Labels []store.Vote                  // labels of its answers
	Known  []scoring.Metric              // badger's metrics, for the figures
}

// Options say where a run goes, and what of it.
type Options struct {
	URL        string
	Key        string            // USER:PASSWORD, or a token; "" for a server without keys
	Experiment string            // of MLflow
	Traces     map[string]string // trace IDs by case ID; a case whose ID is that of a trace needs no entry
	Content    bool              // also send the reasons of scores, which may quote questions, SQL and cells
	Version    string            // badger's
	CA         []byte            // certificates of the server's authority, in PEM; nil: those of the system
}

// Report counts what an export did.
type Report struct {
	Sent    map[string]int `json:"sent"`          // created or replaced, by kind, such as scores
	Same    int            `json:"unchanged"`     // already there
	NoTrace int            `json:"without_trace"` // answers whose trace is unknown
	NoValue int            `json:"without_value"` // scores without a value, for which the program has no form
	Failed  map[string]int `json:"failed"`        // not accepted, by reason

	labels []store.Label
}

// Labels are the labels of people that were read back.
func (r *Report) Labels() []store.Label { return r.labels }

func (r *Report) sent(what string) { r.Sent[what]++ }

func (r *Report) failed(what string, err error) { r.Failed[what+": "+err.Error()]++ }

// Lost is the number of things that were not accepted.
func (r *Report) Lost() (n int) {
	for _, k := range r.Failed {
		n += k
	}
	return n
}

// Exporter sends runs to one program.
type Exporter struct {
	Name, Title string

	export func(ctx context.Context, c *client, o *Options, run *Run, r *Report) error
	labels func(ctx context.Context, c *client, o *Options, run *Run, r *Report) error
}

var exporters []Exporter

func register(e Exporter) struct{} {
	exporters = append(exporters, e)
	slices.SortFunc(exporters, func(a, b Exporter) int { return strings.Compare(a.Name, b.Name) })
	return struct{}{}
}

// Named returns the exporter with a name, or an error that lists the names.
func Named(name string) (*Exporter, error) {
	var names []string
	for i := range exporters {
		if exporters[i].Name == name {
			return &exporters[i], nil
		}
		names = append(names, exporters[i].Name)
	}
	return nil, errcode.Usage("--to: expected %s with --tracking, found %.40q", strings.Join(names, " or "), name)
}

// Export sends a run. The report counts the accepted and the failed records, also if there is an error: that of a
// server that cannot be reached, or that rejects the key.
func (e *Exporter) Export(ctx context.Context, o *Options, run *Run) (*Report, error) {
	return e.do(ctx, o, run, e.export)
}

// ReadLabels reads the labels that people gave to answers of the run there.
func (e *Exporter) ReadLabels(ctx context.Context, o *Options, run *Run) (*Report, error) {
	if e.labels == nil {
		return nil, errcode.Usage("--read-labels: labels cannot be read from %s", e.Title)
	}
	return e.do(ctx, o, run, e.labels)
}

func (e *Exporter) do(ctx context.Context, o *Options, run *Run,
	f func(context.Context, *client, *Options, *Run, *Report) error) (*Report, error) {
	c, err := newClient(o, e.Title)
	if err != nil {
		return nil, err
	}
	r := &Report{Sent: map[string]int{}, Failed: map[string]int{}}
	return r, f(ctx, c, o, run, r)
}

var traceID = regexp.MustCompile(`^(tr-)?[0-9a-f]{32}$`)

// trace returns the ID of an answer's trace, or "".
func (o *Options) trace(caseID string) string {
	if id := o.Traces[caseID]; id != "" {
		return id
	}
	if traceID.MatchString(caseID) {
		return caseID
	}
	return ""
}

// key identifies a score, or with an empty metric an answer, in other programs: 32 hexadecimal digits.
func key(run string, a scoring.AnswerID, metric string) string {
	h := sha256.New()
	for _, part := range []string{run, a.Agent, a.Version, a.Batch, a.CaseID, metric} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// figures are those of one metric in a row of eval_runs.
type figures struct {
	sum                    float64
	valued, passed, judged int
}

// add counts a score as badger's reports do: a missing answer is 0 and did not pass, unless lower is better.
func (f *figures) add(m *scoring.Metric, s scoring.Score) {
	s = m.Counted(s)
	if s.Unanswered() && (m == nil || !m.LowerIsBetter) {
		f.valued++
		f.judged++
		return
	}
	if s.Status != scoring.StatusOK {
		return
	}
	f.valued++
	f.sum += s.Value
	if s.Passed != nil {
		f.judged++
		if *s.Passed {
			f.passed++
		}
	}
}

// metric returns a metric of badger, or nil for that of a judge file.
func (r *Run) metric(name string) *scoring.Metric {
	i := slices.IndexFunc(r.Known, func(m scoring.Metric) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Known[i]
}
