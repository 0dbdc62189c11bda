// Package assessfile reads files of recorded judge assessments (JSON Lines), such as are published
// with a labelled data set, so that metrics score from them in place of a judge.
//
// A line is the reply of one backend to one case under one method:
//
//	{"case_id": "c1", "backend": "o3", "method": "rose", "score": 1, "prover": {…}, "refuter": {…}}
//	{"case_id": "c1", "backend": "gpt-4o", "method": "flex", "score": 1, "reply_text": "… {\"correct\": true}"}
//	{"case_id": "c1", "backend": "o3", "method": "stef", "replies": {"stef/extract": {…}}}
//
// score is the published verdict, which may have no replies. replies holds replies by the purpose of the prompt, as
// text or as a JSON value. prover and refuter are short for rose/prover and rose/refuter, and reply_text is the reply
// for the purpose with the method's name. Unknown members are ignored.
//
// The lines of one backend and one method are a [Run]. To score from a file:
//
//	f, err := assessfile.Open(ctx, path, assessfile.Options{Backends: []string{"o3"}})
//	replies, err := f.Replies("o3") // or f.Replies("o3", "rose_prover_only")
//	engine, err := scoring.NewEngine(metrics, &scoring.EngineOptions{Replies: replies})
//
// The file is read line by line, and only what the options ask for is kept.
package assessfile

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
)

// maxLine is the maximum length of a line in bytes, with its line feed.
const maxLine = 64 << 20

// Options select what to read. The zero value reads everything and fails on invalid lines.
type Options struct {
	Backends []string // only these; none: all
	Methods  []string // only these; none: all

	// BadLine is called with the number, from 1, of each invalid line, which is then skipped. If it is nil, Read
	// returns an error that names the first invalid lines.
	BadLine func(line int, err error)
}

func (o *Options) wants(l *line) bool {
	return (len(o.Backends) == 0 || slices.Contains(o.Backends, l.Backend)) &&
		(len(o.Methods) == 0 || slices.Contains(o.Methods, l.Method))
}

// File is the content of an assessment file.
type File struct {
	name     string
	runs     map[runKey]*Run
	backends map[string]bool // all backends in the file, including those that Options exclude
}

type runKey struct{ backend, method string }

// Open reads the file at path.
func Open(ctx context.Context, path string, o Options) (*File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, errcode.New(errcode.OfFile(err), "the assessment file: %w", err)
	}
	defer in.Close() //nolint:errcheck // only read
	return Read(ctx, filepath.Base(path), in, o)
}

// Read reads assessments from in. name is the file's name in errors. An invalid line is InvalidArgument, unless
// o.BadLine is set.
func Read(ctx context.Context, name string, in io.Reader, o Options) (*File, error) {
	f := &File{name: name, runs: map[runKey]*Run{}, backends: map[string]bool{}}
	var bad badLines
	for l, err := range jsonscan.Lines(in, maxLine-1) {
		if err != nil {
			return nil, errcode.New(errcode.Unavailable, "the assessment file: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return nil, errcode.New(errcode.Of(err), "reading %s: %w", name, err)
		}
		if err := f.add(l, &o); err != nil {
			if o.BadLine != nil {
				o.BadLine(l.Number, err)
			} else {
				bad.add(l.Number, err)
			}
		}
	}
	if bad.n > 0 {
		return nil, errcode.New(errcode.InvalidArgument, "%s: %s", name, bad.String())
	}
	return f, nil
}

// badLines counts the invalid lines and holds the errors of the first.
type badLines struct {
	n     int
	first []string
}

func (b *badLines) add(line int, err error) {
	if b.n++; b.n <= 5 {
		b.first = append(b.first, fmt.Sprintf("line %d: %v", line, err))
	}
}

func (b *badLines) String() string {
	text := strings.Join(b.first, "; ")
	if more := b.n - len(b.first); more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// line is one line of the file.
type line struct {
	CaseID    string                     `json:"case_id"`
	Backend   string                     `json:"backend"`
	Method    string                     `json:"method"`
	Score     *float64                   `json:"score"`
	Prover    json.RawMessage            `json:"prover"`
	Refuter   json.RawMessage            `json:"refuter"`
	ReplyText *string                    `json:"reply_text"`
	Replies   map[string]json.RawMessage `json:"replies"`
}

// add parses one line and adds it to the run of its backend and method. A blank line, or one that o excludes, is
// ignored.
func (f *File) add(t jsonscan.Line, o *Options) error {
	if t.Text == nil && t.Length > 0 {
		return errcode.New(errcode.ResourceExhausted, "the line is longer than %d MiB", maxLine>>20)
	}
	text := bytes.TrimSpace(t.Text)
	if t.Number == 1 {
		text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	}
	if len(text) == 0 {
		return nil
	}
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return jsonscan.Explain(err)
	}
	for _, member := range []struct{ name, value string }{{"case_id", l.CaseID}, {"backend", l.Backend},
		{"method", l.Method}} {
		if member.value == "" {
			return errcode.New(errcode.InvalidArgument, "%s is missing", member.name)
		}
	}
	f.backends[l.Backend] = true
	if !o.wants(&l) {
		return nil
	}
	replies, err := l.replies()
	if err != nil {
		return err
	}
	if len(replies) == 0 && l.Score == nil {
		return errcode.New(errcode.InvalidArgument, "expected a score or replies, found neither")
	}
	key := runKey{l.Backend, l.Method}
	r := f.runs[key]
	if r == nil {
		r = &Run{Backend: l.Backend, Method: l.Method, cases: map[string]*entry{}}
		f.runs[key] = r
	}
	return r.add(l.CaseID, &entry{line: t.Number, score: l.Score, replies: replies})
}

// replies returns the replies of a line by purpose, whichever members hold them. Two replies with the same purpose are
// an error.
func (l *line) replies() (map[string]string, error) {
	out := map[string]string{}
	put := func(purpose, reply string) error {
		if _, twice := out[purpose]; twice {
			return errcode.New(errcode.InvalidArgument, "duplicate reply to %s", purpose)
		}
		out[purpose] = reply
		return nil
	}
	if l.ReplyText != nil && *l.ReplyText != "" {
		out[l.Method] = *l.ReplyText
	}
	short := []struct {
		purpose string
		reply   json.RawMessage
	}{{"rose/prover", l.Prover}, {"rose/refuter", l.Refuter}}
	for _, s := range short {
		if text := replyText(s.reply); text != "" {
			if err := put(s.purpose, text); err != nil {
				return nil, err
			}
		}
	}
	for _, purpose := range slices.Sorted(maps.Keys(l.Replies)) {
		if text := replyText(l.Replies[purpose]); text != "" {
			if err := put(purpose, text); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// replyText returns a reply as text: the content of a JSON string, "" for null, and the JSON itself of any other value.
func replyText(raw json.RawMessage) string {
	var s string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return ""
	case raw[0] == '"' && json.Unmarshal(raw, &s) == nil:
		return s
	}
	return string(raw)
}

// Runs returns all runs, sorted by method and then by backend.
func (f *File) Runs() []*Run {
	return slices.SortedFunc(maps.Values(f.runs), func(a, b *Run) int {
		return cmp.Or(cmp.Compare(a.Method, b.Method), cmp.Compare(a.Backend, b.Backend))
	})
}

// Run returns the run of a backend and a method, if there is one.
func (f *File) Run(backend, method string) (*Run, bool) {
	r, ok := f.runs[runKey{backend, method}]
	return r, ok
}

// Backends returns the backends that were read, sorted.
func (f *File) Backends() []string { return f.distinct(func(k runKey) string { return k.backend }) }

// Methods returns the methods that were read, sorted.
func (f *File) Methods() []string { return f.distinct(func(k runKey) string { return k.method }) }

func (f *File) distinct(part func(runKey) string) []string {
	set := map[string]bool{}
	for k := range f.runs {
		set[part(k)] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// Replies returns the recorded replies of one backend, for an engine. If no methods are named, a prompt is answered
// from the method with the name of the metric: rose/prover from rose, but not from a variant such as rose_prover_only.
// Named methods answer all prompts that they have a reply to. If several of them have replies for a case and a metric,
// only the first is used, so that replies of different runs are not mixed. An unknown name is NotFound, with the known
// names in the error.
func (f *File) Replies(backend string, methods ...string) (scoring.Replies, error) {
	if !slices.Contains(f.Backends(), backend) {
		all := slices.Sorted(maps.Keys(f.backends))
		return nil, errcode.New(errcode.NotFound, "%s has no assessments of backend %.60q; it has those of %s%s", f.name,
			backend, listed(all), scoring.Suggest(backend, all))
	}
	var s selection
	for _, m := range methods {
		r, ok := f.Run(backend, m)
		if !ok {
			return nil, errcode.New(errcode.NotFound, "%s has no assessments of %s by backend %s; its methods are %s", f.name, m,
				backend, listed(f.Methods()))
		}
		s.runs = append(s.runs, r)
	}
	if len(methods) > 0 {
		return &s, nil
	}
	s.ownMethod = true
	for _, r := range f.Runs() {
		if r.Backend == backend {
			s.runs = append(s.runs, r)
		}
	}
	return &s, nil
}

func listed(names []string) string {
	const most = 12
	if len(names) == 0 {
		return "nobody"
	}
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// selection returns replies from some runs of one backend.
type selection struct {
	runs      []*Run
	ownMethod bool // use only the method with the metric's name
}

// Reply returns the recorded reply for a case and a purpose, and its ID; ok is false if there is none.
func (s *selection) Reply(caseID, purpose string) (reply, assessmentID string, ok bool) {
	metric, _, _ := strings.Cut(purpose, "/")
	for _, r := range s.runs {
		if s.ownMethod && r.Method != metric {
			continue
		}
		if e := r.cases[caseID]; e != nil && e.answers(metric) {
			return r.Reply(caseID, purpose)
		}
	}
	return "", "", false
}

// ReplyModel returns the backend of the replies, or "" if there are none.
func (s *selection) ReplyModel(string, string) string {
	if len(s.runs) == 0 {
		return ""
	}
	return s.runs[0].Backend
}

// Run holds the replies of one backend under one method. It implements [scoring.Replies].
type Run struct {
	Backend string
	Method  string
	cases   map[string]*entry
}

var (
	_ scoring.ModelReplies = (*Run)(nil)
	_ scoring.ModelReplies = (*selection)(nil)
	_ scoring.Replies      = (*Run)(nil)
)

// entry is the assessment of one case by one backend and method.
type entry struct {
	line    int
	score   *float64
	replies map[string]string // by purpose
}

func (e *entry) equal(o *entry) bool {
	return maps.Equal(e.replies, o.replies) && (e.score == nil) == (o.score == nil) &&
		(e.score == nil || *e.score == *o.score)
}

// answers reports whether the entry has a reply to any prompt of the metric.
func (e *entry) answers(metric string) bool {
	for purpose := range e.replies {
		if m, _, _ := strings.Cut(purpose, "/"); m == metric {
			return true
		}
	}
	return false
}

func (r *Run) add(caseID string, e *entry) error {
	if have := r.cases[caseID]; have != nil {
		if have.equal(e) {
			return nil
		}
		return errcode.New(errcode.AlreadyExists,
			"the case was assessed by %s under %s before, on line %d, with another outcome", r.Backend, r.Method, have.line)
	}
	r.cases[caseID] = e
	return nil
}

// Reply returns the recorded reply for a case and a purpose, and its ID, backend/method/case/purpose. ok is false if
// there is none.
func (r *Run) Reply(caseID, purpose string) (reply, assessmentID string, ok bool) {
	e := r.cases[caseID]
	if e == nil {
		return "", "", false
	}
	if reply, ok = e.replies[purpose]; !ok {
		return "", "", false
	}
	return reply, strings.Join([]string{r.Backend, r.Method, caseID, purpose}, "/"), true
}

// ReplyModel returns the backend of the run.
func (r *Run) ReplyModel(string, string) string { return r.Backend }

// Score returns the score that was recorded for a case, if any.
func (r *Run) Score(caseID string) (float64, bool) {
	if e := r.cases[caseID]; e != nil && e.score != nil {
		return *e.score, true
	}
	return 0, false
}

// Calls returns the number of replies recorded for a case.
func (r *Run) Calls(caseID string) int {
	if e := r.cases[caseID]; e != nil {
		return len(e.replies)
	}
	return 0
}

// HasReplies reports whether the run has replies, and not only scores.
func (r *Run) HasReplies() bool {
	for _, e := range r.cases {
		if len(e.replies) > 0 {
			return true
		}
	}
	return false
}

// Cases returns the IDs of the cases in the run, sorted.
func (r *Run) Cases() []string { return slices.Sorted(maps.Keys(r.cases)) }

// Len returns the number of cases in the run.
func (r *Run) Len() int { return len(r.cases) }
