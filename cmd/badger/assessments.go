package main

import (
	"context"
	"strings"

	"github.com/badger-eval/badger/internal/assessfile"
	"github.com/badger-eval/badger/scoring"
)

// recorded is what one backend answered elsewhere, in place of a judge.
type recorded struct {
	scoring.Replies
	backend string
	methods map[string]bool // those with replies
}

// openAssessments reads the assessments of one backend, or returns nil without a path.
func openAssessments(ctx context.Context, path, backend string) (*recorded, error) {
	if path == "" {
		if backend != "" {
			return nil, usage("--backend: expected --assessments FILE with it")
		}
		return nil, nil //nolint:nilnil // nothing recorded
	}
	var o assessfile.Options
	if backend != "" {
		o.Backends = []string{backend}
	}
	f, err := assessfile.Open(ctx, path, o)
	if err != nil {
		return nil, usageError{err}
	}
	if backend == "" {
		all := f.Backends()
		if len(all) != 1 {
			return nil, usage("--assessments: the file holds the replies of %d backends (%s); name one with --backend", len(all), strings.Join(all, ", "))
		}
		backend = all[0]
	}
	replies, err := f.Replies(backend)
	if err != nil {
		return nil, usageError{err}
	}
	r := &recorded{Replies: replies, backend: backend, methods: map[string]bool{}}
	for _, run := range f.Runs() {
		if run.Backend == backend && run.HasReplies() {
			r.methods[run.Method] = true
		}
	}
	return r, nil
}

// answers tells whether replies to a metric's questions were recorded.
func (r *recorded) answers(m *scoring.Metric) bool { return r != nil && r.methods[m.Name] }
