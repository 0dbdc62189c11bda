package labelling

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/store"
)

// How long texts may be, in bytes; notes are counted as browsers count.
const (
	maxNote      = 10_000
	maxAnnotator = 200
	maxID        = 100
)

// Save writes a label and returns the answer to the queue. It returns the written label, with its time. The same
// label sent again is not written again; a different one under the same ID is an error (AlreadyExists). q is the
// label's queue, or nil if there is none. Neither a lease nor a closed queue prevents a label from being saved. An
// adjudication is a label of an answer that [Store.Conflicts] lists; for any other it is an error
// (FailedPrecondition).
func (s *Store) Save(ctx context.Context, q *Queue, l Label) (Label, error) {
	return s.save(ctx, q, l, time.Time{})
}

// save is [Store.Save]. A restored label keeps its time; it was valid when it was first given.
func (s *Store) save(ctx context.Context, q *Queue, l Label, restored time.Time) (Label, error) {
	if err := check(q, &l); err != nil {
		return l, err
	}
	var item *Item
	if q != nil {
		if l.AnswerID != q.Answer(l.CaseID) || l.Queue != q.ID {
			return l, errcode.New(errcode.InvalidArgument, "label: it is of another answer than those of queue %s", q.ID)
		}
		var err error
		if item, err = s.Item(ctx, q, l.Annotator, l.CaseID); err != nil {
			return l, err
		}
		defer func() { _ = s.Leave(context.WithoutCancel(ctx), q, item, l.Annotator) }() // else it ends by itself
	}
	if there, err := s.saved(ctx, &l); err != nil || there != nil {
		return valueOf(there, l), err
	}
	if l.Decides && restored.IsZero() && (item == nil || !inConflict(q, item)) {
		return l, errcode.New(errcode.FailedPrecondition,
			"label: only conflicting labels can be adjudicated, and those of case %.80q agree", l.CaseID)
	}
	if l.At = restored; restored.IsZero() {
		newest, err := s.newest(ctx, &l, 1)
		if err != nil {
			return l, err
		}
		l.At = s.after(newest)
	}
	if err := s.Warehouse.AddLabel(ctx, &l); err != nil {
		return l, err
	}
	there, err := s.saved(ctx, &l) // it may have been sent twice at the same time
	if err == nil && there == nil {
		err = errcode.New(errcode.DataLoss, "label: written but not found")
	}
	return valueOf(there, l), err
}

// after returns the current time, or the next moment after one person's labels, which are sorted from new to old:
// the clocks of two servers may differ, and a person's last label must be the latest.
func (s *Store) after(newest []Label) time.Time {
	at := s.now().UTC().Truncate(time.Microsecond)
	if len(newest) > 0 && !at.After(newest[0].At) {
		at = newest[0].At.Add(time.Microsecond)
	}
	return at
}

func valueOf(l *Label, or Label) Label {
	if l == nil {
		return or
	}
	return *l
}

// saved is the row with the label's ID, or nil. A row that says something else is an error.
func (s *Store) saved(ctx context.Context, l *Label) (*Label, error) {
	rows, err := s.Warehouse.LoggedLabels(ctx, store.LabelFilter{ID: l.ID}, 1)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	same := rows[0]
	same.At = l.At
	if same != *l {
		return nil, errcode.New(errcode.AlreadyExists, "label: another label has the id %q", l.ID)
	}
	return &rows[0], nil
}

// check validates a label, and normalizes its strings for storage.
func check(q *Queue, l *Label) error {
	options, reason := DefaultOptions, false
	if q != nil {
		options, reason = q.Options, q.ReasonRequired
	}
	l.Note, l.Annotator = strings.ToValidUTF8(strings.TrimSpace(l.Note), "\ufffd"),
		strings.ToValidUTF8(strings.TrimSpace(l.Annotator), "\ufffd")
	switch {
	case !isID(l.ID):
		return errcode.New(errcode.InvalidArgument, "label: the id is %.40q, expected 1 to %d letters, digits and hyphens",
			l.ID, maxID)
	case l.Annotator == "":
		return errcode.New(errcode.InvalidArgument, "label: the annotator is missing")
	case l.CaseID == "":
		return errcode.New(errcode.InvalidArgument, "label: the case is missing")
	case l.Verdict == "" || l.Verdict != Skip && l.Verdict != Withdrawn && !slices.Contains(options, l.Verdict):
		return errcode.New(errcode.InvalidArgument, "label: the verdict is %.40q, expected one of %s, %s", l.Verdict,
			strings.Join(options, ", "), Skip)
	case utf16Length(l.Note) > maxNote:
		return errcode.New(errcode.InvalidArgument, "note: %d characters, expected at most %d", utf16Length(l.Note), maxNote)
	case reason && l.Verdict == "fail" && l.Note == "":
		return errcode.New(errcode.InvalidArgument, "label: the note is missing: this queue asks for a reason with fail")
	}
	for _, text := range []struct {
		what, text string
		longest    int
	}{{"verdict", l.Verdict, maxID}, {"annotator", l.Annotator, maxAnnotator}, {"answer", l.AnswerHash, maxID}} {
		if err := plain(text.what, text.text, text.longest); err != nil {
			return err
		}
	}
	return plain("note", l.Note, len(l.Note))
}

// utf16Length returns the number of UTF-16 code units, which browsers count.
func utf16Length(s string) (n int) {
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

func isID(s string) bool {
	plain := func(r rune) bool {
		return r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	return s != "" && len(s) <= maxID && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) })
}
