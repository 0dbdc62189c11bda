package site

import (
	"net/http"
	"net/url"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf/identity"
)

// labelPage shows one answer of a queue to label. It shows no score, verdict or relation and nothing
// that others said: in a blind queue none of it may be in the page, and in an open one it is on the
// page of the case, one link away.
var labelPage = &page{name: "label", pattern: "GET /label", role: identity.Label, show: (*Site).label}

type labelView struct {
	Queue    queueRow
	Item     labelling.Item
	Progress labelling.Progress
	Case     *scoring.Case
	Trouble  string // why the case cannot be shown
	Gold     []answerView
	Agent    answerView
	Control  *labelControl
	List     string // address of the queue
	Before   string // addresses of the neighbours; "": none
	After    string
	Next     string // address that gives the next answer
	Ahead    string // the same but for this answer, to fetch it early
	CasePage string // "": the queue is blind
	Undo     bool   // there is something to undo
	UndoID   string
}

// answerView is a query with what it returned.
type answerView struct {
	Title    string
	SQL      string
	Error    string
	Response string
	Result   *resultView
	Note     string // why there is no result
}

// labelNextPage leads to the next answer of a queue for whoever asks.
var labelNextPage = &page{pattern: "GET /label/next", role: identity.Label, serve: func(s *Site, rw http.ResponseWriter, r *http.Request) error {
	if _, err := s.writing(); err != nil {
		return err
	}
	v := r.URL.Query()
	store, q, err := queueOf(s, r, v.Get("queue"))
	if err != nil {
		return err
	}
	me := annotator(r)
	if me == "" {
		return s.goTo(rw, r, queueAddress(q.ID))
	}
	next, err := store.Next(r.Context(), q, me, v["not"]...)
	if err != nil {
		return err
	}
	if next.Item == nil {
		to := url.Values{"queue": {q.ID}, "nothing": {"left"}}
		if next.Busy {
			to.Set("nothing", "busy")
		}
		return s.goTo(rw, r, address("/queue", to))
	}
	return s.goTo(rw, r, labelAddress(q.ID, next.Item.CaseID))
}}

func (s *Site) label(r *http.Request) (content, error) {
	ctx, v := r.Context(), r.URL.Query()
	if _, err := s.writing(); err != nil {
		return content{}, err
	}
	store, q, err := queueOf(s, r, v.Get("queue"))
	if err != nil {
		return content{}, err
	}
	me := annotator(r)
	item, err := store.Item(ctx, q, me, v.Get("case"))
	if err != nil {
		return content{}, err
	}
	out := labelView{Queue: rowOf(q), Item: *item, List: queueAddress(q.ID), Next: labelAddress(q.ID, "")}
	out.Ahead = address("/label/next", url.Values{"queue": {q.ID}, "not": {item.CaseID}})
	if !q.Blind {
		out.CasePage = caseAddress(allOf(out.Queue.Run), item.CaseID)
	}
	before, after, err := store.Neighbours(ctx, q, me, item.Position)
	if err != nil {
		return content{}, err
	}
	if before != nil {
		out.Before = labelAddress(q.ID, before.CaseID)
	}
	if after != nil {
		out.After = labelAddress(q.ID, after.CaseID)
	}
	if out.Progress, err = store.Progress(ctx, q, me); err != nil {
		return content{}, err
	}
	if me != "" && q.ClosedAt.IsZero() && item.Mine == connectors.Untouched {
		if err := store.Open(ctx, q, item, me); err != nil {
			return content{}, err
		}
	}
	of := q.Answer(item.CaseID)
	c, err := s.o.Warehouse.LabelledCase(ctx, of)
	switch {
	case err == nil:
		out.Case = c
		s.showAnswers(r, &out)
	case errcode.Of(err) == errcode.NotFound || errcode.Of(err) == errcode.InvalidArgument || errcode.Of(err) == errcode.FailedPrecondition:
		out.Trouble = err.Error()
	default:
		return content{}, err
	}
	seen := ""
	if c != nil {
		seen = labelling.AnswerHash(c)
	}
	if out.Control, err = s.newLabelControl(r, q, of, seen, labelAddress(q.ID, "")); err != nil {
		return content{}, err
	}
	out.Control.NameBack, out.Control.Keys = labelAddress(q.ID, item.CaseID), true
	out.Undo, out.UndoID = out.Progress.Mine+out.Progress.MySkipped > 0, newLabelID()
	return content{Title: item.CaseID + " · " + q.Name, Page: out}, nil
}

// showAnswers shows what the accepted query and the agent's returned.
func (s *Site) showAnswers(r *http.Request, out *labelView) {
	c := out.Case
	for i := range c.Golds {
		title := "Accepted answer"
		if i > 0 {
			title = "Another accepted answer"
		}
		out.Gold = append(out.Gold, s.answer(r, title, &c.Golds[i]))
	}
	out.Agent = s.answer(r, "The agent's answer", &c.Pred)
	out.Agent.Response = c.Agent.Response
}

// saveLabelPage keeps a label. A script gets the label as JSON, and a form leads on.
var saveLabelPage = &page{pattern: "POST /label", role: identity.Label, serve: func(s *Site, rw http.ResponseWriter, r *http.Request) error {
	saved, err := s.saveLabel(rw, r)
	if wantsJSON(r) {
		return answerLabel(rw, saved, err)
	}
	if err != nil {
		return err
	}
	return s.goTo(rw, r, back(r, queuesAddress()))
}}

func (s *Site) saveLabel(rw http.ResponseWriter, r *http.Request) (labelling.Label, error) {
	store, err := s.writing()
	if err != nil {
		return labelling.Label{}, err
	}
	if err := readForm(rw, r); err != nil {
		return labelling.Label{}, err
	}
	me, err := s.whoSends(r)
	if err != nil {
		return labelling.Label{}, err
	}
	f := r.PostFormValue
	l := labelling.Label{
		ID: f("id"), AnswerID: scoring.AnswerID{CaseID: f("case"), Agent: f("agent"), Version: f("version"), Batch: f("batch")}, Annotator: me, Verdict: f("verdict"), Note: f("note"),
		GoldWrong: f("gold_wrong") != "", Ambiguous: f("ambiguous") != "", Queue: f("queue"), AnswerHash: f("answer"), Decides: f("decides") != "",
	}
	var q *labelling.Queue
	if l.Queue != "" {
		if q, err = store.Queue(r.Context(), l.Queue); err != nil {
			return l, err
		}
	}
	return store.Save(r.Context(), q, l)
}

// whoSends is who a label is of. What was sent in the name of somebody else, before another person
// began to use the browser, is refused rather than kept under the wrong name.
func (s *Site) whoSends(r *http.Request) (string, error) {
	me := annotator(r)
	if me == "" {
		return "", errcode.New(errcode.FailedPrecondition, "your name is not known yet: open a queue and say it")
	}
	if as := r.PostFormValue("as"); as != "" && as != me {
		return "", errcode.New(errcode.FailedPrecondition, "the label was given by %.100s, and you are %s", as, me)
	}
	return me, nil
}

// sentLabel is what a script is told of a label that it sent.
type sentLabel struct {
	ID    string     `json:"id"`
	At    *time.Time `json:"at,omitempty"`    // when it was saved
	Case  string     `json:"case,omitempty"`  // whose answer it is of
	Error string     `json:"error,omitempty"` // why it was not saved
	Again bool       `json:"again,omitempty"` // sending it again may help
}

// answerLabel answers a script.
func answerLabel(rw http.ResponseWriter, l labelling.Label, err error) error {
	if err == nil {
		return answerJSON(rw, http.StatusOK, sentLabel{ID: l.ID, At: &l.At, Case: l.CaseID})
	}
	out, status := sentLabel{ID: l.ID, Error: err.Error()}, http.StatusInternalServerError
	switch errcode.Of(err) {
	case errcode.InvalidArgument, errcode.FailedPrecondition, errcode.NotFound, errcode.AlreadyExists:
		status = http.StatusConflict
	case errcode.PermissionDenied, errcode.Unauthenticated:
		status = http.StatusForbidden
	case errcode.Unavailable, errcode.DeadlineExceeded, errcode.ResourceExhausted:
		status, out.Again = http.StatusServiceUnavailable, true
	default:
		out.Again = true
	}
	return answerJSON(rw, status, out)
}

// undoLabelPage takes back what somebody said last in a queue, and leads to that answer.
var undoLabelPage = &page{pattern: "POST /label/undo", role: identity.Label, serve: func(s *Site, rw http.ResponseWriter, r *http.Request) error {
	l, err := s.undoLabel(rw, r)
	if wantsJSON(r) {
		return answerLabel(rw, l, err)
	}
	if err != nil {
		return err
	}
	return s.goTo(rw, r, labelAddress(l.Queue, l.CaseID))
}}

func (s *Site) undoLabel(rw http.ResponseWriter, r *http.Request) (labelling.Label, error) {
	if _, err := s.writing(); err != nil {
		return labelling.Label{}, err
	}
	if err := readForm(rw, r); err != nil {
		return labelling.Label{}, err
	}
	store, q, err := queueOf(s, r, r.PostFormValue("queue"))
	if err != nil {
		return labelling.Label{}, err
	}
	me, err := s.whoSends(r)
	if err != nil {
		return labelling.Label{}, err
	}
	return store.Undo(r.Context(), q, me, r.PostFormValue("id"))
}

// renewPage keeps an answer for who has it before them.
var renewPage = &page{pattern: "POST /label/renew", role: identity.Label, serve: func(s *Site, rw http.ResponseWriter, r *http.Request) error {
	if _, err := s.writing(); err != nil {
		return err
	}
	if err := readForm(rw, r); err != nil {
		return err
	}
	store, q, err := queueOf(s, r, r.PostFormValue("queue"))
	if err != nil {
		return err
	}
	me, err := s.whoSends(r)
	if err != nil {
		return err
	}
	item, err := store.Item(r.Context(), q, me, r.PostFormValue("case"))
	if err == nil && item.Mine == connectors.Untouched {
		err = store.Open(r.Context(), q, item, me)
	}
	if err != nil {
		return err
	}
	rw.WriteHeader(http.StatusNoContent)
	return nil
}}
