package metrictest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring"
)

var update = flag.Bool("update", false,
	"rewrite files of versions; an answer that moved without its Version is refused all the same")

// Corpus is a collection of files of cases.
type Corpus struct{ Files []*File }

// ReadCorpus parses all files in fsys whose names end in .test. An invalid file fails the test.
func ReadCorpus(t *testing.T, fsys fs.FS) *Corpus {
	t.Helper()
	names, err := fs.Glob(fsys, "*.test")
	if err != nil {
		t.Fatal(err)
	}
	c := &Corpus{}
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parse(path.Base(name), text)
		if err != nil {
			t.Fatal(err)
		}
		c.Files = append(c.Files, f)
	}
	return c
}

// Properties returns the properties that the files declare for each metric.
func (c *Corpus) Properties() Properties {
	all := Properties{}
	for _, f := range c.Files {
		for metric, declared := range f.Properties {
			all[metric] = append(all[metric], declared...)
		}
	}
	return all
}

// replies holds the recorded judge replies of a corpus, by case and purpose.
type replies map[string]map[string]string

func (r replies) Reply(caseID, purpose string) (reply, assessmentID string, ok bool) {
	reply, ok = r[caseID][purpose]
	return reply, "recorded/" + purpose, ok
}

// engine returns an engine that uses only the recorded replies of the corpus as a judge.
func (c *Corpus) engine(t *testing.T, metrics []scoring.Metric) *scoring.Engine {
	t.Helper()
	recorded := replies{}
	for _, f := range c.Files {
		for _, k := range f.Cases {
			recorded[f.Name+"/"+k.Title] = k.Replies
		}
	}
	e, err := scoring.NewEngine(metrics,
		&scoring.EngineOptions{Replies: recorded, Panicked: func(metric string, v any, stack []byte) {
			t.Errorf("%s panicked: %v\n%s", metric, v, stack)
		}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Covers reports a test error for each metric that no case has an expectation for.
func (c *Corpus) Covers(t *testing.T, metrics ...string) {
	for _, m := range metrics {
		if !slices.ContainsFunc(c.Files, func(f *File) bool {
			return slices.ContainsFunc(f.Cases, func(k *Case) bool { return k.expects(m) })
		}) {
			t.Errorf("no case expects anything of %s: add %s.test", m, m)
		}
	}
}

// Games reports whether a case demonstrates how the metric can be gamed.
func (c *Corpus) Games(metric string) bool {
	return slices.ContainsFunc(c.Files, func(f *File) bool {
		return slices.ContainsFunc(f.Cases, func(k *Case) bool { return slices.Contains(k.Games, metric) })
	})
}

func (k *Case) expects(metric string) bool {
	return slices.ContainsFunc(k.Expects, func(e Expectation) bool { return e.Metric == metric })
}

// Run scores every case and reports a test error for each score that differs from the expected one.
func (c *Corpus) Run(t *testing.T, metrics []scoring.Metric) {
	engine := c.engine(t, metrics)
	for _, f := range c.Files {
		for _, k := range f.Cases {
			t.Run(f.Name+"/"+k.Title, func(t *testing.T) {
				for _, e := range k.Expects {
					s := score(t, engine, k.JSON, e.Metric).Score
					if err := e.check(s); err != nil {
						t.Errorf("%s:%d: %s (%s) %v; why: %s", f.Name, e.Line, e.Metric, s.Reason, err, k.Why)
					}
				}
			})
		}
	}
}

func score(t *testing.T, engine *scoring.Engine, raw []byte, metric string) scoring.Row {
	t.Helper()
	c, err := scoring.DecodeCase(raw)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := engine.Score(context.Background(), c, metric)
	if err != nil {
		t.Fatal(err)
	}
	return scoring.Row{AnswerID: scoring.AnswerID{CaseID: c.ID}, Score: scores[0]}
}

// check returns an error that describes the difference if the score is not the expected one.
func (e *Expectation) check(s scoring.Score) error {
	if s.Status != e.Status || e.Code != "" && s.Code.String() != e.Code {
		return fmt.Errorf("is %s (%s), want %s %s", s.Status, s.Code, e.Status, e.Code)
	}
	if e.Value != nil && !(math.Abs(s.Value-*e.Value) <= e.Within) {
		return fmt.Errorf("is %v, want %v within %v", s.Value, *e.Value, e.Within)
	}
	if e.Label != nil && s.Label != *e.Label {
		return fmt.Errorf("has label %q, want %q", s.Label, *e.Label)
	}
	if e.Passed != nil && (s.Passed == nil || *s.Passed != *e.Passed) {
		return fmt.Errorf("passed is %s, want %t", verdict(s.Passed), *e.Passed)
	}
	for _, d := range e.Detail {
		if err := d.check(s.Detail); err != nil {
			return err
		}
	}
	return nil
}

func verdict(passed *bool) string {
	if passed == nil {
		return "not said"
	}
	return strconv.FormatBool(*passed)
}

func (d DetailExpectation) check(detail any) error {
	raw, err := json.Marshal(detail)
	if err != nil {
		return err
	}
	var have, want any
	if err := json.Unmarshal(raw, &have); err != nil {
		return err
	}
	if err := json.Unmarshal(d.JSON, &want); err != nil {
		return err
	}
	for i, part := range d.Path {
		var next any
		switch v := have.(type) {
		case map[string]any:
			next = v[part]
		case []any:
			if n, err := strconv.Atoi(part); err == nil && n >= 0 && n < len(v) {
				next = v[n]
			}
		}
		if have = next; have == nil && i < len(d.Path)-1 {
			break
		}
	}
	if !reflect.DeepEqual(have, want) {
		got, _ := json.Marshal(have)
		return fmt.Errorf("has detail %s %s, want %s (line %d)", strings.Join(d.Path, "."), got, d.JSON, d.Line)
	}
	return nil
}

// repairs matches the number of repair calls in a score, which digests exclude since it is a cost and not a result.
var repairs = regexp.MustCompile(`,"repaired":\d+`)

// Versions compares the scores of the corpus with a file that has one line for each metric: name, version, digest of
// the cases with an expectation for it, digest of its scores. If scores changed but neither cases nor version did,
// the test fails even with -update: increase the metric's Version. For any other difference it fails without -update,
// and with -update writes the file.
func (c *Corpus) Versions(t *testing.T, metrics []scoring.Metric, file string) {
	old, err := os.ReadFile(file) //nolint:gosec // a golden file that the test names
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	engine := c.engine(t, metrics)
	var now []versionLine
	for _, m := range metrics {
		if cases, scores, n := c.digests(t, engine, m.Name); n > 0 {
			now = append(now, versionLine{m.Name, strconv.Itoa(m.Version), cases, scores})
		}
	}
	text, moved, stale := compareVersions(string(old), now)
	for _, name := range moved {
		t.Errorf("%s says something else of the same cases than the version recorded did: raise its Version, and note under Scores in the changelog what moved", name)
	}
	if len(stale) > 0 && !*update {
		t.Errorf("version or cases of %s differ from %s; run go test -run %s with -update to record them",
			strings.Join(stale, ", "), file, strings.Split(t.Name(), "/")[0])
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// versionLine is a line of a file of versions.
type versionLine struct{ metric, version, cases, scores string }

// compareVersions returns the new text of a file of versions, the metrics whose scores changed although version and
// cases did not (moved), and those with another difference (stale).
func compareVersions(old string, now []versionLine) (text string, moved, stale []string) {
	was := map[string]versionLine{}
	for line := range strings.Lines(old) {
		if f := strings.Fields(line); len(f) == 4 {
			was[f[0]] = versionLine{f[0], f[1], f[2], f[3]}
		}
	}
	var out strings.Builder
	for _, n := range now {
		fmt.Fprintln(&out, n.metric, n.version, n.cases, n.scores)
		w := was[n.metric]
		switch {
		case w.version == n.version && w.cases == n.cases && w.scores != n.scores:
			moved = append(moved, n.metric)
		case w != n:
			stale = append(stale, n.metric)
		}
		delete(was, n.metric)
	}
	return out.String(), moved, append(stale, slices.Sorted(maps.Keys(was))...)
}

// digests returns a digest of the cases that have an expectation for a metric, a digest of the metric's scores for
// them, and their number.
func (c *Corpus) digests(t *testing.T, engine *scoring.Engine, metric string) (cases, scores string, n int) {
	t.Helper()
	in, out := sha256.New(), sha256.New()
	for _, f := range c.Files {
		for _, k := range f.Cases {
			if !k.expects(metric) {
				continue
			}
			n++
			said, err := json.Marshal(k.Replies) // keys in order
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(in, "%s\n%s\n", k.JSON, said)
			s := score(t, engine, k.JSON, metric)
			s.Score.Reason = "" // the wording of reasons is not part of the digest
			line, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(out, "%s\n", repairs.ReplaceAll(line, nil))
		}
	}
	return hex.EncodeToString(in.Sum(nil)[:8]), hex.EncodeToString(out.Sum(nil)[:8]), n
}
