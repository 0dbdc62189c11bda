package evaluation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Selection is which answers a run scores. An empty field selects all; [scoring.Unnamed] selects an empty name.
type Selection struct {
	scoring.By
	SetVersion string `json:"set_version,omitempty"` // of the golden set; "": the highest of each question
}

// runVersions is the JSON of eval_runs.versions: what a run was made with, and what it scores.
type runVersions struct {
	Badger    string            `json:"badger,omitempty"`
	Metrics   map[string]int    `json:"metrics,omitempty"` // versions of the metrics
	Judges    map[string]string `json:"judges,omitempty"`  // of judge files
	GoldenSet any               `json:"golden_set,omitempty"`
	// Removed are the answers whose scores were removed; nil if none were.
	Removed *store.Removed `json:"removed,omitempty"`
	// Answers is the selection of the answers; nil if all were selected, or in rows that do not record it.
	Answers *recordedSelection `json:"answers,omitempty"`
}

// recordedSelection is a Selection in JSON: nil selects all, and "" an empty name.
type recordedSelection struct {
	Agent      *string `json:"agent_name,omitempty"`
	Version    *string `json:"agent_version,omitempty"`
	Batch      *string `json:"batch_id,omitempty"`
	SetVersion string  `json:"set_version,omitempty"`
}

func recorded(s Selection) *recordedSelection {
	if s == (Selection{}) {
		return nil
	}
	field := func(pattern string) *string {
		if name, ok := scoring.Named(pattern); ok {
			return &name
		}
		return nil
	}
	return &recordedSelection{field(s.Agent), field(s.Version), field(s.Batch), s.SetVersion}
}

func (r *recordedSelection) selection() Selection {
	s := Selection{SetVersion: r.SetVersion}
	for _, f := range []struct {
		from *string
		to   *string
	}{{r.Agent, &s.Agent}, {r.Version, &s.Version}, {r.Batch, &s.Batch}} {
		if f.from == nil {
			continue
		}
		if *f.to = *f.from; *f.to == "" {
			*f.to = scoring.Unnamed
		}
	}
	return s
}

// Resume returns the selection of the run to resume, narrowed by given, the selection of the command line. named are
// the metrics of the command line. A selection of other answers is a usage error, and so is another mode. Resume writes
// a note if the run does not record what it selected. The caller must have called [Run.Begin].
func (e *Run) Resume(given Selection, named []string) (Selection, error) {
	var ok bool
	had := e.Mode
	for _, r := range e.earlier {
		had = r.Mode
	}
	if e.Mode != "both" && e.Mode != had {
		return given, errcode.Usage("--mode: run %.80q has the mode %s; remove the flag to resume it, or start a new run", e.ID,
			printable.Short(had))
	}
	e.Mode = had
	if e.selection, ok = e.readSelection(); !ok {
		e.noteUnrecorded(given, named)
		return given, nil
	}
	out := e.selection
	for _, f := range []struct {
		flag, given string
		to          *string
	}{{"--agent", given.Agent, &out.Agent}, {"--agent-version", given.Version, &out.Version},
		{"--batch", given.Batch, &out.Batch}, {"--set-version", given.SetVersion, &out.SetVersion}} {
		switch {
		case f.given == "" || f.given == *f.to:
		case *f.to == "" && f.flag != "--set-version": // a part of the run
			*f.to = f.given
		default:
			had, is := scoring.Named(*f.to)
			what := "selected " + strconv.Quote(printable.Short(had))
			if !is {
				what = "did not have this flag"
			}
			return out, errcode.Usage("%s: run %.80q %s; remove the flag to resume it, or start a new run", f.flag, e.ID, what)
		}
	}
	return out, nil
}

// Select sets what a new run selects, which its rows of eval_runs record.
func (e *Run) Select(s Selection) { e.selection = s }

// noteUnrecorded writes a note if neither the run nor the command line selects answers, or metrics. A run that records
// metrics and no answers selected all answers.
func (e *Run) noteUnrecorded(given Selection, named []string) {
	var what, scored []string
	if given == (Selection{}) && len(e.had) == 0 {
		what, scored = append(what, "answers"), append(scored, "all answers")
	}
	if len(named) == 0 && len(e.had) == 0 {
		what, scored = append(what, "metrics"), append(scored, "the default metrics")
	}
	if len(what) > 0 {
		fmt.Fprintf(e.Notes, "note: run %s records no selection of %s; selected are %s\n", printable.Short(e.ID),
			strings.Join(what, " and "), strings.Join(scored, " and "))
	}
}

// readSelection reads the metrics of a resumed run into e.had, and returns the selection that its rows of eval_runs
// record; ok is false if no row has one.
func (e *Run) readSelection() (s Selection, ok bool) {
	e.had = map[string]int{}
	for _, r := range e.earlier {
		var v runVersions
		if json.Unmarshal([]byte(r.Versions), &v) != nil {
			continue
		}
		maps.Copy(e.had, v.Metrics)
		if v.Answers != nil {
			s, ok = v.Answers.selection(), true
		}
	}
	return s, ok
}

// ResumedMetrics returns the names of the metrics to score: named, or all of a resumed run if named is empty.
func (e *Run) ResumedMetrics(named []string) []string {
	if len(named) > 0 || len(e.had) == 0 {
		return named
	}
	return slices.Sorted(maps.Keys(e.had))
}

// SameMetrics returns a usage error if a resumed run that records its metrics lacks one of e.Metrics.
func (e *Run) SameMetrics() error {
	if len(e.had) == 0 {
		return nil
	}
	var more []string
	for _, m := range e.Metrics {
		if _, is := e.had[m]; !is {
			more = append(more, m)
		}
	}
	if len(more) == 0 {
		return nil
	}
	return errcode.Usage("--metrics: run %.80q was started without %s; remove it, or score it in a new run", e.ID,
		strings.Join(more[:min(len(more), 5)], ", "))
}
