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

// Length limits in bytes; that of notes is in UTF-16 code units, as browsers count.
const (
	maxNote      = 10_000
	maxAnnotator = 200
	maxID        = 100
)

// Save writes a label, releases the annotator's places of the item, and returns the label with its time. A label that
// was saved before is not written again; a different label with the same ID is an AlreadyExists error. q is the
// label's queue, or nil for a label outside of queues. A closed queue or a missing reservation does not prevent
// saving. An adjudication of an answer that [Store.Conflicts] does not list is FailedPrecondition.
func (s *Store) Save(ctx context.Context, q *Queue, l Label) (Label, error) {
	return s.save(ctx, q, l, time.Time{})
}

// save is [Store.Save]. If restored is not zero, it is the time of the label, which an undo restores: an adjudication
// is then not checked for a conflict.
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

// after returns the current time or, if that is not later than the newest of the annotator's labels, the next
// microsecond after it: servers' clocks may differ, but the last label given must be the latest.
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

// saved returns the row with the label's ID, or nil. A row with other content is an AlreadyExists error.
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

// check returns an error if a label is invalid. It trims the note and the annotator, and replaces invalid UTF-8 in
// them.
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

// utf16Length returns the number of UTF-16 code units in s.
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
