package evaluation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/assessfile"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
)

// Recorded holds the recorded replies of one backend, which replace a judge.
type Recorded struct {
	scoring.Replies
	backend string
	methods map[string]bool // methods that have replies
	runs    []*assessfile.Run

	metrics []string                   // names of the run's metrics
	used    map[string]map[string]bool // cases whose recorded reply was used, by method
	missing map[string]string          // by case, the prompt without a recorded reply
}

// count records which replies the scores of a case used, and which reply was missing.
func (r *Recorded) count(rows []scoring.Row) {
	for i := range rows {
		s := &rows[i].Score
		for _, id := range s.AssessmentIDs {
			for _, run := range r.runs {
				if strings.HasPrefix(id, run.Backend+"/"+run.Method+"/") && run.Calls(rows[i].CaseID) > 0 {
					if r.used[run.Method] == nil {
						r.used[run.Method] = map[string]bool{}
					}
					r.used[run.Method][rows[i].CaseID] = true
				}
			}
		}
		if _, what, ok := strings.Cut(s.Reason, "no reply is recorded for "); ok && s.Status == scoring.StatusFailed {
			r.missing[rows[i].CaseID] = what
		}
	}
}

func (r *Recorded) wanted(method string) bool { return slices.Contains(r.metrics, method) }

// lines describes how many recorded replies were used, which were not, and which were missing. known reports whether
// the run has a case.
func (r *Recorded) lines(known func(caseID string) bool) (out []string) {
	var idle []string
	for _, run := range r.runs {
		if r.used[run.Method] == nil && !r.wanted(run.Method) {
			idle = append(idle, run.Method)
			continue
		}
		of, unknown, example := r.used[run.Method], 0, ""
		for _, id := range run.Cases() {
			if !known(id) {
				if unknown++; example == "" {
					example = id
				}
			}
		}
		line := fmt.Sprintf("assessments of %s, method %s: %d of %s used", run.Backend, run.Method, len(of),
			printable.Count(run.Len(), "line"))
		if unknown > 0 {
			line += fmt.Sprintf("; %d are of no case of this run, such as %.40q", unknown, example)
		}
		out = append(out, line)
	}
	if len(idle) > 0 {
		out = append(out,
			fmt.Sprintf("not used of %s, since no metric of this run has the name of the method: %s", r.backend,
				strings.Join(idle, ", ")))
	}
	if n := len(r.missing); n > 0 {
		id := slices.Min(slices.Collect(maps.Keys(r.missing)))
		out = append(out,
			fmt.Sprintf("!! %s %s no reply in the file, such as %.40q: %s", printable.Count(n, "case"),
				map[bool]string{true: "has", false: "have"}[n == 1], id, r.missing[id]))
	}
	return out
}

// OpenRecorded reads the recorded replies of one backend from the file at path, or returns nil if path is "". Without
// backend, the file must have the replies of only one.
func OpenRecorded(ctx context.Context, path, backend string) (*Recorded, error) {
	if path == "" {
		if backend != "" {
			return nil, errcode.Usage("--backend: expected --assessments FILE with it")
		}
		return nil, nil //nolint:nilnil // nothing recorded
	}
	var o assessfile.Options
	if backend != "" {
		o.Backends = []string{backend}
	}
	f, err := assessfile.Open(ctx, path, o)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errcode.NoFile("--assessments: ", path)
	case err != nil:
		return nil, errcode.AsUsage(err)
	}
	if backend == "" {
		all := f.Backends()
		if len(all) != 1 {
			return nil, errcode.Usage("--assessments: the file holds the replies of %d backends (%s); name one with --backend",
				len(all), strings.Join(all, ", "))
		}
		backend = all[0]
	}
	replies, err := f.Replies(backend)
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	r := &Recorded{Replies: replies, backend: backend, methods: map[string]bool{}, used: map[string]map[string]bool{},
		missing: map[string]string{}}
	for _, run := range f.Runs() {
		if run.Backend == backend && run.HasReplies() {
			r.methods[run.Method] = true
			r.runs = append(r.runs, run)
		}
	}
	return r, nil
}

// Answers reports whether replies for a metric were recorded.
func (r *Recorded) Answers(m *scoring.Metric) bool { return r != nil && r.methods[m.Name] }
