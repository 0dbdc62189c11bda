package labelling

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// maxLine is the maximum length of a line of a label file in bytes. Import also reads case files, whose lines contain
// results.
const maxLine = 256 << 20

// line is an answer with its labels, in the format of a line of a case file. Readers of cases use label and votes.
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
		Labels []labelJSON       `json:"labels,omitempty"`
	} `json:"human"`
	decision *Label // the latest adjudicated label; nil: none
}

// labelJSON is one label with all columns of label_log.
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

// Export writes the labels of a queue, or all labels if queue is "", as JSON Lines in the format of case files: a
// line per answer with all its labels in label_log, oldest first. If queue is "", the outcome of an answer also
// includes human_labels. It omits labels in human_labels whose answer is ambiguous because they name no version. It
// returns the number of lines.
func (s *Store) Export(ctx context.Context, to io.Writer, queue string) (answers int, err error) {
	labels, err := s.Warehouse.LoggedLabels(ctx, store.LabelFilter{Queue: queue}, 0)
	if err != nil {
		return 0, err
	}
	lines := map[scoring.AnswerID]*line{}
	for len(labels) > 0 {
		n := slices.IndexFunc(labels, func(l Label) bool { return l.AnswerID != labels[0].AnswerID })
		if n < 0 {
			n = len(labels)
		}
		lines[labels[0].AnswerID] = lineOf(labels[:n])
		labels = labels[n:]
	}
	if queue == "" {
		votes, err := s.votes(ctx)
		if err != nil {
			return 0, err
		}
		for i := range votes {
			v := &votes[i]
			if !v.Known || v.Decides {
				continue
			}
			if lines[v.AnswerID] == nil {
				lines[v.AnswerID] = newLine(v.AnswerID)
			}
			lines[v.AnswerID].add(v.Annotator, verdictOf(v))
		}
	}
	out := bufio.NewWriter(to)
	write := json.NewEncoder(out)
	write.SetEscapeHTML(false)
	for _, id := range slices.SortedFunc(maps.Keys(lines), compareAnswers) {
		lines[id].decide()
		if err := write.Encode(lines[id]); err != nil {
			return answers, err
		}
		answers++
	}
	return answers, out.Flush()
}

func compareAnswers(a, b scoring.AnswerID) int {
	return cmp.Or(strings.Compare(a.CaseID, b.CaseID), strings.Compare(a.Agent, b.Agent),
		strings.Compare(a.Version, b.Version), strings.Compare(a.Batch, b.Batch))
}

// votes returns the current human verdicts on answers. It returns nil if the warehouse has no tables of answers; then
// only label_log has verdicts.
func (s *Store) votes(ctx context.Context) ([]store.Vote, error) {
	votes, err := s.Warehouse.Votes(ctx)
	if errcode.Of(err) == errcode.NotFound {
		return nil, nil
	}
	return votes, err
}

func verdictOf(v *store.Vote) string { return []string{"fail", "unsure", "pass"}[v.Says+1] }

func newLine(of scoring.AnswerID) *line {
	out := &line{CaseID: of.CaseID}
	out.Agent.Name, out.Agent.Version, out.Agent.BatchID = of.Agent, of.Version, of.Batch
	out.Human.Votes = map[string]string{}
	return out
}

// lineOf returns the line of an answer; labels are its labels, oldest first.
func lineOf(labels []Label) *line {
	out := newLine(labels[0].AnswerID)
	type whose struct {
		annotator string
		decides   bool
	}
	given := map[whose][]Label{}
	for _, l := range slices.Backward(labels) {
		given[whose{l.Annotator, l.Decides}] = append(given[whose{l.Annotator, l.Decides}], l)
	}
	for _, l := range labels {
		out.Human.Labels = append(out.Human.Labels,
			labelJSON{l.ID, l.Annotator, l.Verdict, l.Note, l.GoldWrong, l.Ambiguous, l.At.UTC(), l.Queue, l.AnswerHash,
				l.Decides})
	}
	for who, rows := range given {
		l := counting(rows)
		switch {
		case l == nil || !answered(l.Verdict):
		case !who.decides:
			out.Human.Votes[who.annotator] = l.Verdict
		case out.decision == nil || newer(l, out.decision):
			out.decision = l
		}
	}
	return out
}

// add adds the verdict of an annotator, unless label_log has one.
func (l *line) add(annotator, verdict string) {
	if l.Human.Votes[annotator] == "" {
		l.Human.Votes[annotator] = verdict
	}
}

// decide sets the outcome: the adjudicated label, or else the majority of the votes.
func (l *line) decide() {
	l.Human.Label = majority(l.Human.Votes)
	if l.decision != nil {
		l.Human.Label = majority(map[string]string{"": l.decision.Verdict})
	}
}

// majority returns pass or fail, or "" for a tie.
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

// Imported counts the lines and labels of an import.
type Imported struct {
	Lines, Labels int // in the file
	Written       int // labels that did not exist yet
	Unknown       int // lines whose answer is not in the warehouse
}

// ImportOptions configure an import.
type ImportOptions struct {
	Queue     string // for labels that name no queue; empty: none
	Annotator string // annotator of human.label if the line has no votes; empty: such a line is an error
	Unknown   bool   // also write labels of answers that are not in the warehouse, instead of an error
}

// Import reads labels in JSON Lines in the format of case files. It writes labels of [Store.Export] unchanged unless
// their ID exists; a time in the future is replaced by the present. Of human.votes and human.label, it uses the last
// verdict in the file of an annotator on an answer, and writes it if it differs from the annotator's current one.
// Importing a file twice changes nothing.
//
// An error found while the file is read names the line, and nothing is written then. If an answer has neither a row
// in agent_runs nor a score, the error is FailedPrecondition, unless o.Unknown is set.
func (s *Store) Import(ctx context.Context, in io.Reader, o ImportOptions) (done Imported, err error) {
	queues, err := s.optionsOfQueues(ctx)
	if err != nil {
		return done, err
	}
	var labels []Label
	firstOf := map[scoring.AnswerID]int{} // the first line of each answer
	lines := map[scoring.AnswerID]int{}
	for l, err := range jsonscan.Lines(in, maxLine) {
		if err != nil {
			return done, errcode.New(errcode.Of(err), "reading labels: %w", err)
		}
		text := bytes.TrimSpace(bytes.TrimPrefix(l.Text, []byte("\xef\xbb\xbf")))
		if l.Length > maxLine {
			return done, errcode.New(errcode.ResourceExhausted, "line %d: %d bytes, expected at most %d", l.Number,
				l.Length, maxLine)
		}
		if len(text) == 0 {
			continue
		}
		of, read, err := s.read(text, o, queues)
		if err != nil {
			return done, errcode.New(errcode.Of(err), "line %d: %w", l.Number, err)
		}
		if lines[of]++; lines[of] == 1 {
			firstOf[of] = l.Number
		}
		done.Lines++
		done.Labels += len(read)
		labels = append(labels, read...)
	}
	unknown, err := s.unknown(ctx, slices.Collect(maps.Keys(lines)))
	if err != nil {
		return done, err
	}
	first := scoring.AnswerID{}
	for _, of := range unknown {
		done.Unknown += lines[of]
		if first == (scoring.AnswerID{}) || firstOf[of] < firstOf[first] {
			first = of
		}
	}
	if done.Unknown > 0 && !o.Unknown {
		return done, errcode.New(errcode.FailedPrecondition, "%d of %d lines name answers that the database does not have, the first in line %d: case %.80q of agent %.80q, version %.80q, batch %.80q; nothing was written",
			done.Unknown, done.Lines, firstOf[first], first.CaseID, first.Agent, first.Version, first.Batch)
	}
	labels = lastVotes(labels)
	s.notLaterThanNow(labels)
	said, err := s.currentVerdicts(ctx, labels)
	if err != nil {
		return done, err
	}
	for part := range slices.Chunk(labels, batch) {
		n, err := s.bring(ctx, part, said)
		done.Written += n
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// batch is the number of labels per write, and of cases per query.
const batch = 500

// optionsOfQueues returns the verdicts that each queue offers, by the queue's id.
func (s *Store) optionsOfQueues(ctx context.Context) (map[string][]string, error) {
	all, err := s.Queues(ctx)
	if err != nil && errcode.Of(err) != errcode.NotFound { // tables of an earlier version have none
		return nil, err
	}
	out := map[string][]string{}
	for i := range all {
		out[all[i].ID] = all[i].Options
	}
	return out, nil
}

// unknown returns the answers that have neither a row in agent_runs nor a score.
func (s *Store) unknown(ctx context.Context, answers []scoring.AnswerID) ([]scoring.AnswerID, error) {
	cases := map[scoring.AnswerID][]string{}
	for _, of := range answers {
		id := of.CaseID
		of.CaseID = ""
		cases[of] = append(cases[of], id)
	}
	var out []scoring.AnswerID
	for of, ids := range cases {
		for part := range slices.Chunk(ids, batch) {
			there, err := s.Warehouse.Answered(ctx, of, part)
			if err != nil {
				return nil, err
			}
			scored, err := s.Warehouse.Scored(ctx, of, part)
			if err != nil {
				return nil, err
			}
			for _, id := range part {
				if there[id] == 0 && !scored[id] {
					one := of
					one.CaseID = id
					out = append(out, one)
				}
			}
		}
	}
	return out, nil
}

// lastVotes removes the votes (labels without a time) that a later vote in the file replaces.
func lastVotes(labels []Label) []Label {
	type whose struct {
		scoring.AnswerID
		annotator, queue string
	}
	seen := map[whose]bool{}
	var out []Label
	for _, l := range slices.Backward(labels) {
		who := whose{l.AnswerID, l.Annotator, l.Queue}
		if l.At.IsZero() && seen[who] {
			continue
		}
		seen[who] = seen[who] || l.At.IsZero()
		out = append(out, l)
	}
	slices.Reverse(out)
	return out
}

// notLaterThanNow replaces times in the future by the present, and keeps their order. Such labels would otherwise
// take precedence over all labels given until then.
func (s *Store) notLaterThanNow(labels []Label) {
	now := s.now().UTC().Truncate(time.Microsecond)
	var late []*Label
	for i := range labels {
		if labels[i].At.After(now) {
			late = append(late, &labels[i])
		}
	}
	slices.SortStableFunc(late, func(a, b *Label) int { return a.At.Compare(b.At) })
	for i, l := range late {
		l.At = now.Add(time.Duration(i+1-len(late)) * time.Microsecond)
	}
}

// read returns the answer and the labels of a line. Labels without a time are votes.
func (s *Store) read(text []byte, o ImportOptions,
	queues map[string][]string) (of scoring.AnswerID, out []Label, err error) {
	c, err := scoring.DecodeCase(text)
	if err != nil {
		return of, nil, err
	}
	of = c.AnswerID()
	var more struct {
		Human struct {
			Labels []labelJSON     `json:"labels"`
			Label  json.RawMessage `json:"label"`
		} `json:"human"`
	}
	if err := json.Unmarshal(text, &more); err != nil {
		return of, nil, errcode.New(errcode.InvalidArgument, "human.labels: %w", err)
	}
	named := map[string]bool{}
	for i, j := range more.Human.Labels {
		l := Label{
			ID: j.ID, AnswerID: of, Annotator: j.Annotator, Verdict: j.Verdict, Note: j.Note, GoldWrong: j.GoldWrong,
			Ambiguous: j.Ambiguous,
			At:        j.At.UTC().Truncate(time.Microsecond), Queue: j.Queue, AnswerHash: j.AnswerHash, Decides: j.Decides,
		}
		if l.At.IsZero() {
			return of, nil, errcode.New(errcode.InvalidArgument, "human.labels: label %d has no labelled_at", i+1)
		}
		named[strings.TrimSpace(l.Annotator)] = true
		out = append(out, l)
	}
	if more.Human.Labels == nil || len(c.Votes) > 0 {
		given, err := votes(c, more.Human.Label, o, queues[o.Queue], named)
		if err != nil {
			return of, nil, err
		}
		out = append(out, given...)
	}
	for i := range out {
		l := &out[i]
		id, options := l.ID, slices.Concat(DefaultOptions, queues[l.Queue])
		if _, here := queues[l.Queue]; !here && l.Queue != "" { // of another database, whose queue offered it
			options = append(options, l.Verdict)
		}
		if l.At.IsZero() {
			l.ID = "vote"
		}
		if err := check(&Queue{Options: options}, l); err != nil {
			return of, nil, err
		}
		l.ID = id
	}
	return of, out, nil
}

// votes returns the votes of a line, which have only an annotator and a verdict. It omits the annotators in the last
// argument: the line has their complete labels, too.
func votes(c *scoring.Case, label json.RawMessage, o ImportOptions, options []string,
	besides map[string]bool) ([]Label, error) {
	var said map[string]any
	if len(c.Votes) > 0 && json.Unmarshal(c.Votes, &said) != nil {
		return nil, errcode.New(errcode.InvalidArgument, "human.votes: expected an object of verdicts by name, such as {\"kim\": \"pass\"}: a list does not say whose they are")
	}
	if said == nil && len(label) > 0 && string(label) != "null" {
		if o.Annotator == "" {
			return nil, errcode.New(errcode.InvalidArgument,
				"human.votes is missing, so that it is not known whose label human.label is; name an annotator")
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
		if said[name] == nil || besides[strings.TrimSpace(name)] {
			continue
		}
		verdict := strings.TrimSpace(text)
		switch passes, says := scoring.ReadLabel(text); {
		case says:
			verdict = map[bool]string{true: "pass", false: "fail"}[passes]
		case slices.Contains(options, verdict):
		case strings.EqualFold(verdict, "unsure"):
			verdict = "unsure"
		default:
			return nil, errcode.New(errcode.InvalidArgument, "human.votes: %.80q says %.40q, expected pass, fail, unsure, true, false, 1, 0, yes, no, correct, incorrect or an option of the queue", name, text)
		}
		out = append(out, Label{AnswerID: c.AnswerID(), Annotator: strings.TrimSpace(name), Verdict: verdict, Queue: o.Queue})
	}
	return out, nil
}

// bring writes the labels that do not exist yet and returns their number. said has the current verdicts.
func (s *Store) bring(ctx context.Context, labels []Label, said map[voter]string) (written int, err error) {
	var cases []string
	for i := range labels {
		cases = append(cases, labels[i].CaseID)
	}
	there, err := s.Warehouse.LoggedLabels(ctx, store.LabelFilter{Cases: distinct(cases)}, 0)
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
	for i := range labels {
		l := &labels[i]
		if l.At.IsZero() { // a vote
			n := newest[whose{l.AnswerID, l.Annotator, l.Queue}]
			if n != nil && n.Verdict == l.Verdict ||
				n == nil && l.Queue == "" && said[voter{l.AnswerID, l.Annotator}] == l.Verdict {
				continue
			}
			l.ID, l.At = strings.ToLower(rand.Text()), s.now().UTC().Truncate(time.Microsecond)
			if n != nil && !l.At.After(n.At) {
				l.At = n.At.Add(time.Microsecond)
			}
		} else if is := known[l.ID]; is != nil {
			same := *is
			same.At = l.At // it may have been to come when it was read first
			if same != *l {
				return 0, errcode.New(errcode.AlreadyExists, "case %q: another label has the id %q", l.CaseID, l.ID)
			}
			continue
		}
		note(l)
		fresh = append(fresh, *l)
	}
	return len(fresh), s.Warehouse.WriteLoggedLabels(ctx, fresh)
}

type voter struct {
	scoring.AnswerID
	annotator string
}

// currentVerdicts returns the current verdicts by answer and annotator, including human_labels; nil if no label is a
// vote.
func (s *Store) currentVerdicts(ctx context.Context, labels []Label) (map[voter]string, error) {
	if !slices.ContainsFunc(labels, func(l Label) bool { return l.At.IsZero() }) {
		return nil, nil
	}
	all, err := s.votes(ctx)
	out := map[voter]string{}
	for i := range all {
		if v := &all[i]; v.Known && !v.Decides {
			out[voter{v.AnswerID, v.Annotator}] = verdictOf(v)
		}
	}
	return out, err
}
