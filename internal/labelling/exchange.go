package labelling

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/textlines"
	"github.com/badger-eval/badger/scoring"
)

// maxLine is how long a line of a file of labels may be, in bytes. Case files are read too, results
// and all.
const maxLine = 256 << 20

// line is an answer with its labels, as a line of a case file. label and votes are what the labels
// come to; who reads cases reads these.
type line struct {
	CaseID string `json:"case_id"`
	Agent  struct {
		Name    string `json:"name,omitempty"`
		Version string `json:"version,omitempty"`
		BatchID string `json:"batch_id,omitempty"`
	} `json:"agent"`
	Human struct {
		Label  string            `json:"label,omitempty"`
		Votes  map[string]string `json:"votes,omitempty"`
		Labels []labelJSON       `json:"labels"`
	} `json:"human"`
}

// labelJSON is one label, with all that the table holds of it.
type labelJSON struct {
	ID         string    `json:"id"`
	Annotator  string    `json:"annotator"`
	Verdict    string    `json:"verdict"`
	Note       string    `json:"note,omitempty"`
	GoldWrong  bool      `json:"gold_wrong,omitempty"`
	Ambiguous  bool      `json:"ambiguous,omitempty"`
	At         time.Time `json:"labelled_at"`
	Queue      string    `json:"queue,omitempty"`
	AnswerHash string    `json:"answer,omitempty"`
	Decides    bool      `json:"decides,omitempty"`
}

// Export writes the labels of a queue, or all of label_log where queue is empty, as JSON Lines in the
// form of case files: an answer a line, with every label that was given, the oldest first.
func (s *Store) Export(ctx context.Context, to io.Writer, queue string) (answers int, err error) {
	labels, err := s.Warehouse.LoggedLabels(ctx, connectors.LabelFilter{Queue: queue}, 0)
	if err != nil {
		return 0, err
	}
	out := bufio.NewWriter(to)
	write := json.NewEncoder(out)
	write.SetEscapeHTML(false)
	for len(labels) > 0 {
		n := slices.IndexFunc(labels, func(l Label) bool { return l.AnswerID != labels[0].AnswerID })
		if n < 0 {
			n = len(labels)
		}
		if err := write.Encode(lineOf(labels[:n])); err != nil {
			return answers, err
		}
		labels = labels[n:]
		answers++
	}
	return answers, out.Flush()
}

// lineOf is the line of one answer; its labels are given the oldest first.
func lineOf(labels []Label) *line {
	out := &line{CaseID: labels[0].CaseID}
	of := labels[0].AnswerID
	out.Agent.Name, out.Agent.Version, out.Agent.BatchID = of.Agent, of.Version, of.Batch
	out.Human.Votes = map[string]string{}
	decisions := map[string]string{}
	type whose struct {
		annotator string
		decides   bool
	}
	given := map[whose][]Label{}
	for i := range slices.Backward(labels) {
		l := &labels[i]
		given[whose{l.Annotator, l.Decides}] = append(given[whose{l.Annotator, l.Decides}], *l)
	}
	for _, l := range labels {
		out.Human.Labels = append(out.Human.Labels, labelJSON{l.ID, l.Annotator, l.Verdict, l.Note, l.GoldWrong, l.Ambiguous, l.At.UTC(), l.Queue, l.AnswerHash, l.Decides})
	}
	for who, rows := range given {
		votes := out.Human.Votes
		if who.decides {
			votes = decisions
		}
		if l := counting(rows); l != nil && answered(l.Verdict) {
			votes[who.annotator] = l.Verdict
		}
	}
	out.Human.Label = majority(out.Human.Votes)
	if len(decisions) > 0 {
		out.Human.Label = majority(decisions)
	}
	return out
}

// majority is what most votes say: pass, fail, or nothing.
func majority(votes map[string]string) string {
	sum := 0
	for _, v := range votes {
		switch v {
		case "pass":
			sum++
		case "fail":
			sum--
		}
	}
	switch {
	case sum > 0:
		return "pass"
	case sum < 0:
		return "fail"
	}
	return ""
}

// Imported counts what an import did.
type Imported struct {
	Lines, Labels int // that the file holds
	Written       int // labels that were new
}

// ImportOptions say how a file is read.
type ImportOptions struct {
	Queue     string // of labels that name no queue; empty: none
	Annotator string // whose label human.label is, where the line has no votes; empty: such a line is an error
}

// Import reads labels from JSON Lines in the form of case files. Labels that [Store.Export] wrote are
// written as they are, with their times, unless a label with their ID is there. Of human.votes and
// human.label those are written that say something else than the annotator's newest label of the
// answer. Reading a file again changes nothing. An error names the line; the lines before it may have
// been written.
func (s *Store) Import(ctx context.Context, in io.Reader, o ImportOptions) (done Imported, err error) {
	var pending [][]Label
	write := func() error {
		n, err := s.bring(ctx, pending)
		done.Written += n
		pending = pending[:0]
		return err
	}
	for l, err := range textlines.Read(in, maxLine) {
		if err != nil {
			return done, errcode.New(errcode.Of(err), "reading labels: %w", err)
		}
		text := bytes.TrimSpace(bytes.TrimPrefix(l.Text, []byte("\xef\xbb\xbf")))
		if l.Length > maxLine {
			return done, errcode.New(errcode.ResourceExhausted, "line %d: it has %d bytes, at most %d are read", l.Number, l.Length, maxLine)
		}
		if len(text) == 0 {
			continue
		}
		labels, err := s.read(text, o)
		if err != nil {
			return done, errcode.New(errcode.Of(err), "line %d: %w", l.Number, err)
		}
		done.Lines++
		done.Labels += len(labels)
		if pending = append(pending, labels); len(pending) == batch {
			if err := write(); err != nil {
				return done, err
			}
		}
	}
	return done, write()
}

// batch is how many answers are written at once.
const batch = 200

// read reads the labels of a line. Those without a time are votes.
func (s *Store) read(text []byte, o ImportOptions) ([]Label, error) {
	c, err := scoring.DecodeCase(text)
	if err != nil {
		return nil, err
	}
	var more struct {
		Human struct {
			Labels []labelJSON     `json:"labels"`
			Label  json.RawMessage `json:"label"`
		} `json:"human"`
	}
	if err := json.Unmarshal(text, &more); err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "human.labels: %w", err)
	}
	var out []Label
	if more.Human.Labels != nil {
		for i, j := range more.Human.Labels {
			l := Label{
				ID: j.ID, AnswerID: c.AnswerID(), Annotator: j.Annotator, Verdict: j.Verdict, Note: j.Note, GoldWrong: j.GoldWrong, Ambiguous: j.Ambiguous,
				At: j.At.UTC().Truncate(time.Microsecond), Queue: j.Queue, AnswerHash: j.AnswerHash, Decides: j.Decides,
			}
			if l.At.IsZero() {
				return nil, errcode.New(errcode.InvalidArgument, "human.labels: label %d has no labelled_at", i+1)
			}
			out = append(out, l)
		}
	} else if out, err = votes(c, more.Human.Label, o); err != nil {
		return nil, err
	}
	for i := range out {
		id := out[i].ID
		if out[i].At.IsZero() {
			out[i].ID = "vote"
		}
		if err := check(&Queue{Options: append(slices.Clone(DefaultOptions), out[i].Verdict)}, &out[i]); err != nil {
			return nil, err
		}
		out[i].ID = id
	}
	return out, nil
}

// votes are the labels of a case file's line that only says who says what.
func votes(c *scoring.Case, label json.RawMessage, o ImportOptions) ([]Label, error) {
	var said map[string]any
	if len(c.Votes) > 0 && json.Unmarshal(c.Votes, &said) != nil {
		return nil, errcode.New(errcode.InvalidArgument, "human.votes: expected an object of verdicts by name, such as {\"kim\": \"pass\"}: a list does not say whose they are")
	}
	if said == nil && len(label) > 0 && string(label) != "null" {
		if o.Annotator == "" {
			return nil, errcode.New(errcode.InvalidArgument, "human.votes is missing, so that it is not known whose label human.label is; name an annotator")
		}
		verdict := "unsure"
		if c.Human != nil {
			verdict = map[bool]string{true: "pass", false: "fail"}[*c.Human]
		}
		said = map[string]any{o.Annotator: verdict}
	}
	var out []Label
	for _, name := range slices.Sorted(maps.Keys(said)) {
		text, isText := said[name].(string)
		if !isText {
			b, _ := json.Marshal(said[name]) // came from JSON
			text = string(b)
		}
		if said[name] == nil {
			continue
		}
		verdict := "unsure"
		if passes, says := scoring.ReadLabel(text); says {
			verdict = map[bool]string{true: "pass", false: "fail"}[passes]
		}
		out = append(out, Label{AnswerID: c.AnswerID(), Annotator: strings.TrimSpace(name), Verdict: verdict, Queue: o.Queue})
	}
	return out, nil
}

// bring writes the labels of some answers that are not there yet.
func (s *Store) bring(ctx context.Context, answers [][]Label) (written int, err error) {
	var cases []string
	for _, labels := range answers {
		for i := range labels {
			cases = append(cases, labels[i].CaseID)
		}
	}
	if len(cases) == 0 {
		return 0, nil
	}
	there, err := s.Warehouse.LoggedLabels(ctx, connectors.LabelFilter{Cases: distinct(cases)}, 0)
	if err != nil {
		return 0, err
	}
	type whose struct {
		scoring.AnswerID
		annotator, queue string
	}
	known, newest := map[string]*Label{}, map[whose]*Label{}
	note := func(l *Label) {
		known[l.ID] = l
		if n := newest[whose{l.AnswerID, l.Annotator, l.Queue}]; !l.Decides && (n == nil || !l.At.Before(n.At)) {
			newest[whose{l.AnswerID, l.Annotator, l.Queue}] = l
		}
	}
	for i := range there {
		note(&there[i])
	}
	var fresh []Label
	for _, labels := range answers {
		for i := range labels {
			l := &labels[i]
			if l.At.IsZero() { // a vote
				n := newest[whose{l.AnswerID, l.Annotator, l.Queue}]
				if n != nil && n.Verdict == l.Verdict {
					continue
				}
				l.ID, l.At = strings.ToLower(rand.Text()), s.now().UTC().Truncate(time.Microsecond)
				if n != nil && !l.At.After(n.At) {
					l.At = n.At.Add(time.Microsecond)
				}
			} else if is := known[l.ID]; is != nil {
				same := *is
				if same.At.Equal(l.At) {
					same.At = l.At
				}
				if same != *l {
					return 0, errcode.New(errcode.AlreadyExists, "case %q: another label has the id %q", l.CaseID, l.ID)
				}
				continue
			}
			note(l)
			fresh = append(fresh, *l)
		}
	}
	return len(fresh), s.Warehouse.WriteLoggedLabels(ctx, fresh)
}
