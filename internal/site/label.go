package site

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// The page shows one answer of a queue to label. It shows no score, verdict, relation or label of others: a blind
// queue must not reveal any of them, and in an open one they are on the page of the case, one link away.
var _ = register(&page{name: "label", pattern: "GET /label", role: identity.Label, show: (*Site).label})

type labelView struct {
	Queue    queueRow
	Item     labelling.Item
	Progress labelling.Progress
	View     *caseview.View // nil if the case cannot be read
	Trouble  string         // why View is nil
	Gold     *side
	Agent    *side
	Others   [][]caseview.SQLPart // other accepted queries
	Cells    *caseview.Cells      // comparison of the results; nil if the queue is blind, or if there is none
	Table    *cellTable           // view of Cells
	Marks    []string             // a CSS class for each answer: is (done), now, or "" (open); nil: too many
	Control  *labelControl
	Before   string // address of the previous answer of the queue; "": none
	After    string
	Next     string // address that redirects to the next answer
	Ahead    string // like Next, but skips this answer: the script prefetches it
	CasePage string // address of the case's page; "" if the queue is blind
}

// side is a query with its complete result, in the result's own order.
type side struct {
	Title   string
	SQL     []caseview.SQLPart
	Columns []caseview.Column
	Rows    [][]*caseview.Value
	Of      int // number of rows of the result
	Result  bool
}

// The address redirects to the next answer of a queue for the current user.
var _ = register(
	&page{pattern: "GET /label/next", role: identity.Label,
		serve: func(s *Site, rw http.ResponseWriter, r *http.Request) error {
			if _, err := s.writing(); err != nil {
				return err
			}
			v := r.URL.Query()
			labels, q, err := queueOf(s, r, v.Get("queue"))
			if err != nil {
				return err
			}
			me := annotator(r)
			if me == "" {
				return s.goTo(rw, r, queueAddress(q.ID))
			}
			if !q.ClosedAt.IsZero() { // the page of the queue shows that
				return s.goTo(rw, r, queueAddress(q.ID))
			}
			next, err := labels.Next(r.Context(), q, me, v["not"]...)
			if err != nil {
				return err
			}
			if next.Item == nil {
				to := url.Values{"queue": {q.ID}, "nothing": {"left"}}
				switch {
				case next.Busy:
					to.Set("nothing", "busy")
				case next.Gone:
					to.Set("nothing", "gone")
				}
				return s.goTo(rw, r, address("/queue", to))
			}
			to := url.Values{"queue": {q.ID}, "case": {next.Item.CaseID}}
			if len(v["not"]) > 0 {
				to["behind"] = v["not"]
			}
			return s.goTo(rw, r, address("/label", to))
		}})

func (s *Site) label(r *http.Request) (content, error) {
	ctx, v := r.Context(), r.URL.Query()
	if _, err := s.writing(); err != nil {
		return content{}, err
	}
	labels, q, err := queueOf(s, r, v.Get("queue"))
	if err != nil {
		return content{}, err
	}
	me := annotator(r)
	item, err := labels.Item(ctx, q, me, v.Get("case"))
	if err != nil {
		return content{}, err
	}
	out := labelView{Queue: queueRowOf(q), Item: *item, Next: labelAddress(q.ID, "")}
	out.Ahead = address("/label/next", url.Values{"queue": {q.ID}, "not": {item.CaseID}})
	if !q.Blind {
		out.CasePage = caseAddress(store.State{RunID: out.Queue.Run, Mode: store.All}, item.CaseID)
	}
	before, after, err := labels.Neighbours(ctx, q, me, item.Position)
	if err != nil {
		return content{}, err
	}
	if before != nil {
		out.Before = labelAddress(q.ID, before.CaseID)
	}
	if after != nil {
		out.After = labelAddress(q.ID, after.CaseID)
	}
	if out.Progress, err = labels.Progress(ctx, q, me); err != nil {
		return content{}, err
	}
	for _, id := range v["behind"] { // the page was fetched before the labels of these were sent
		if left, err := labels.Item(ctx, q, me, id); err == nil && left.Mine == store.Untouched && out.Progress.MyLeft > 1 {
			out.Progress.MyLeft--
		}
	}
	if me != "" && q.ClosedAt.IsZero() && item.Mine == store.Untouched {
		if err := labels.Open(ctx, q, item, me); err != nil {
			return content{}, err
		}
	}
	out.mark()
	of := q.Answer(item.CaseID)
	c, err := s.o.Warehouse.LabelledCase(ctx, of)
	seen := ""
	switch code := errcode.Of(err); {
	case err == nil:
		seen = labelling.AnswerHash(c)
		err = s.showAnswers(ctx, &out, c)
	case code == errcode.NotFound || code == errcode.InvalidArgument || code == errcode.FailedPrecondition ||
		code == errcode.AlreadyExists:
		out.Trouble, err = err.Error(), nil
	}
	if err != nil {
		return content{}, err
	}
	if out.Control, err = s.newLabelControl(r, q, of, seen, labelAddress(q.ID, "")); err != nil {
		return content{}, err
	}
	out.Control.NameBack, out.Control.Keys = labelAddress(q.ID, item.CaseID), true
	return content{Title: item.CaseID + " · " + q.Name, Page: &out}, nil
}

// mostMarks is the maximum number of answers of a queue for which the page shows a mark each.
const mostMarks = 60

// mark sets v.Marks: as many answers as the annotator has finished, from the first one, are marked as done. Which ones
// they are is unknown. Longer queues than mostMarks get no marks.
func (v *labelView) mark() {
	all := int(v.Queue.Cases)
	if all < 1 || all > mostMarks {
		return
	}
	v.Marks = make([]string, all)
	done := all - int(v.Progress.MyLeft)
	for i := range min(max(done, 0), all) {
		v.Marks[i] = "is"
	}
	if done >= 0 && done < all {
		v.Marks[done] = "now"
	}
}

// showAnswers sets the results of gold and the answer. It sets the comparison of their cells only if the queue is not
// blind, since it reveals whether the answer is right.
func (s *Site) showAnswers(ctx context.Context, out *labelView, c *scoring.Case) error {
	build := func(c *scoring.Case) (*caseview.View, error) {
		return caseview.Build(ctx, caseview.Input{Case: c, Snapshots: s.o.Warehouse, Mask: s.mask},
			caseview.Options{Cells: caseview.CellOptions{Show: caseview.All, Layout: caseview.Merged, Rows: caseview.MaxRows}})
	}
	v, err := build(c)
	if err != nil {
		return err
	}
	out.View = v
	gold, agent := v, v
	if v.Cells == nil { // one of them has no result: each is shown for itself
		if len(c.Golds) > 0 {
			alone := *c
			alone.Pred = c.Golds[max(v.Gold, 1)-1]
			if gold, err = build(&alone); err != nil {
				return err
			}
		}
		alone := *c
		alone.Golds = []scoring.Query{c.Pred}
		if agent, err = build(&alone); err != nil {
			return err
		}
	} else if !out.Queue.Blind {
		out.Cells, out.Table = v.Cells, newCellTable(v)
	}
	out.Gold, out.Agent = newSide("Gold", gold, true), newSide("Answer", agent, false)
	out.Gold.SQL, out.Agent.SQL = v.Queries.Gold, v.Queries.Agent
	for i := range v.Golds {
		if i+1 != v.Gold && v.Golds[i].SQL != "" {
			out.Others = append(out.Others, caseview.Layout(v.Golds[i].SQL, sqlparts.DialectOf(v.Dialect)))
		}
	}
	return nil
}

// newSide returns the result of gold, or else of the answer, in its own order of rows and columns. The values come from
// the cells of the comparison v; without cells it returns only the title.
func newSide(title string, v *caseview.View, gold bool) *side {
	out, cells := &side{Title: title}, v.Cells
	if cells == nil {
		return out
	}
	names := map[int]string{} // of the answer's columns: the cells have those of gold
	if v.Mapping != nil {
		for _, c := range v.Mapping.Columns {
			if c.Agent != nil {
				names[c.Agent.Position] = c.Agent.Name
			}
		}
	}
	var columns []int
	for i, c := range cells.Columns {
		if gold && c.Gold > 0 || !gold && c.Agent > 0 {
			columns = append(columns, i)
		}
	}
	place := func(i int) int {
		if gold {
			return cells.Columns[i].Gold
		}
		return cells.Columns[i].Agent
	}
	slices.SortFunc(columns, func(a, b int) int { return place(a) - place(b) })
	number := func(r *caseview.Row) int {
		if gold {
			return r.GoldRow
		}
		return r.AgentRow
	}
	rows := slices.Clone(cells.Page)
	rows = slices.DeleteFunc(rows, func(r caseview.Row) bool { return number(&r) == 0 })
	slices.SortFunc(rows, func(a, b caseview.Row) int { return number(&a) - number(&b) })
	out.Result, out.Of = true, cells.Rows.Agent
	if gold {
		out.Of = cells.Rows.Gold
	}
	for _, i := range columns {
		c := cells.Columns[i]
		if name, own := names[c.Agent]; own && !gold {
			c.Label = name
		}
		out.Columns = append(out.Columns, c)
	}
	for r := range rows {
		var row []*caseview.Value
		for _, i := range columns {
			v := rows[r].Cells[i].Agent
			if gold {
				v = rows[r].Cells[i].Gold
			}
			row = append(row, v)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// The address saves a label. A script gets the label as JSON, and a form redirects to the next answer. A rejected
// form is shown again with its input.
var _ = register(
	&page{pattern: "POST /label", role: identity.Label,
		serve: func(s *Site, rw http.ResponseWriter, r *http.Request) error {
			saved, err := s.saveLabel(rw, r)
			if wantsJSON(r) {
				return answerLabel(rw, sentLabel{ID: saved.ID, At: &saved.At, Case: saved.CaseID}, err)
			}
			switch errcode.Of(err) {
			case errcode.OK:
				return s.goTo(rw, r, back(r, queuesAddress()))
			case errcode.InvalidArgument, errcode.FailedPrecondition, errcode.AlreadyExists:
				return s.comeBack(rw, r, saved, err)
			}
			return err
		}})

// refusal is a submitted label that was rejected, and why.
type refusal struct {
	labelling.Label
	Why string
}

type refusalKey struct{}

// refused returns the rejected label that the control for answer of in a queue shows again, or nil.
func refused(r *http.Request, of scoring.AnswerID, queue string) *refusal {
	v, _ := r.Context().Value(refusalKey{}).(*refusal)
	if v == nil || v.AnswerID != of || v.Queue != queue {
		return nil
	}
	return v
}

// comeBack renders the page that the form came from with the rejected input and the error, as status 400. It returns
// why if the page cannot be rendered.
func (s *Site) comeBack(rw http.ResponseWriter, r *http.Request, l labelling.Label, why error) error {
	u, err := url.Parse(s.pageOf(r, &l))
	if err != nil {
		return why
	}
	again := r.Clone(context.WithValue(r.Context(), refusalKey{}, &refusal{l, why.Error()}))
	again.Method, again.URL, again.Form, again.PostForm = http.MethodGet, u, nil, nil
	for _, p := range s.pages {
		if p.pattern != "GET "+u.Path || p.show == nil || caller(r.Context()).Demand(p.role) != nil {
			continue
		}
		var b bytes.Buffer
		if err := s.served.render(again.Context(), &b, s, p, again); err != nil {
			break // such as that of a case that is not in the queue
		}
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		rw.WriteHeader(http.StatusBadRequest)
		_, _ = rw.Write(b.Bytes())
		return nil
	}
	return why
}

// pageOf returns the address of the page that submitted label l.
func (*Site) pageOf(r *http.Request, l *labelling.Label) string {
	if l.Queue != "" && !l.Decides {
		return named(r, "here", labelAddress(l.Queue, l.CaseID))
	}
	return back(r, queuesAddress())
}

// sent parses a submitted label form, and returns the store of labels and the annotator.
func (s *Site) sent(rw http.ResponseWriter, r *http.Request) (labels *labelling.Store, me string, err error) {
	if labels, err = s.writing(); err != nil {
		return nil, "", err
	}
	if err = readForm(rw, r); err != nil {
		return nil, "", err
	}
	me, err = s.whoSends(r)
	return labels, me, err
}

func (s *Site) saveLabel(rw http.ResponseWriter, r *http.Request) (labelling.Label, error) {
	labels, me, err := s.sent(rw, r)
	if err != nil {
		return labelling.Label{}, err
	}
	f := r.PostFormValue
	l := labelling.Label{
		// Forms send two characters for the end of a line, which browsers count as one.
		ID: f("id"), AnswerID: answerOf(r), Annotator: me, Verdict: f("verdict"),
		Note:      strings.ReplaceAll(f("note"), "\r\n", "\n"),
		GoldWrong: f("gold_wrong") != "", Ambiguous: f("ambiguous") != "", Queue: f("queue"), AnswerHash: f("answer"),
		Decides: f("decides") != "",
	}
	var q *labelling.Queue
	if l.Queue != "" {
		if q, err = labels.Queue(r.Context(), l.Queue); err != nil {
			return l, err
		}
	}
	if err := inOrder(r, labels, q, &l); err != nil {
		return l, err
	}
	return labels.Save(r.Context(), q, l)
}

// answerOf returns the ID of the answer that a submitted form names.
func answerOf(r *http.Request) scoring.AnswerID {
	f := r.PostFormValue
	return scoring.AnswerID{CaseID: f("case"), By: scoring.By{Agent: f("agent"), Version: f("version"), Batch: f("batch")}}
}

// whoSends returns the annotator of a submitted form. It returns an error if the annotator has no name, or if the form
// was filled in under another name than the current one.
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

// sentLabel is the response to a script that submitted a label.
type sentLabel struct {
	ID    string     `json:"id"`
	At    *time.Time `json:"at,omitempty"`    // when it was saved
	Case  string     `json:"case,omitempty"`  // ID of the labeled case
	Error string     `json:"error,omitempty"` // why it was not saved
	Again bool       `json:"again,omitempty"` // sending it again may help
	To    string     `json:"to,omitempty"`    // address of the page that shows the answer
}

// answerLabel responds to a script with l, or with err and a matching HTTP status.
func answerLabel(rw http.ResponseWriter, l sentLabel, err error) error {
	if err == nil {
		return answerJSON(rw, http.StatusOK, l)
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

// The address withdraws the annotator's latest label in a queue, or that of an answer outside of queues, and
// redirects to that answer.
var _ = register(
	&page{pattern: "POST /label/undo", role: identity.Label,
		serve: func(s *Site, rw http.ResponseWriter, r *http.Request) error {
			l, err := s.undoLabel(rw, r)
			to := back(r, queuesAddress())
			if l.Queue != "" {
				to = named(r, "here", labelAddress(l.Queue, l.CaseID))
			}
			switch {
			case wantsJSON(r):
				return answerLabel(rw, sentLabel{ID: l.ID, At: &l.At, Case: l.CaseID, To: s.served.href(to)}, err)
			case errcode.Of(err) == errcode.NotFound && r.PostFormValue("queue") != "":
				return s.goTo(rw, r, address("/queue", url.Values{"queue": {r.PostFormValue("queue")}, "nothing": {"undo"}}))
			case err != nil:
				return err
			case l.Decides && r.PostFormValue("decides") != "":
				return s.goTo(rw, r, back(r, adjudicateAddress(l.Queue)))
			case l.Decides:
				return s.goTo(rw, r, adjudicateAddress(l.Queue))
			}
			return s.goTo(rw, r, to)
		}})

func (s *Site) undoLabel(rw http.ResponseWriter, r *http.Request) (labelling.Label, error) {
	labels, me, err := s.sent(rw, r)
	if err != nil {
		return labelling.Label{}, err
	}
	if r.PostFormValue("queue") == "" {
		return labels.UndoAnswer(r.Context(), answerOf(r), me, r.PostFormValue("id"))
	}
	q, err := labels.Queue(r.Context(), r.PostFormValue("queue"))
	if err != nil {
		return labelling.Label{}, err
	}
	if r.PostFormValue("decides") != "" {
		return labels.UndoDecision(r.Context(), q, me, r.PostFormValue("case"), r.PostFormValue("id"))
	}
	if r.PostFormValue("here") != "" { // the page is about one answer
		l, err := labels.UndoCase(r.Context(), q, me, r.PostFormValue("case"), r.PostFormValue("id"))
		if errcode.Of(err) == errcode.NotFound { // the label on the page was given in another place
			return undoOnOtherPage(r, labels, me, err)
		}
		return l, err
	}
	return labels.Undo(r.Context(), q, me, r.PostFormValue("id"))
}

// undoOnOtherPage withdraws me's label of the answer that the form names, if it was given in another queue or outside
// of queues. It returns the error nothing if me has no label of it.
func undoOnOtherPage(r *http.Request, labels *labelling.Store, me string, nothing error) (labelling.Label, error) {
	id := r.PostFormValue("id")
	said, err := labels.Mine(r.Context(), labelling.Label{AnswerID: answerOf(r), Annotator: me})
	switch {
	case err != nil:
		return labelling.Label{}, err
	case said == nil:
		return labelling.Label{}, nothing
	case said.Queue == "":
		return labels.UndoAnswer(r.Context(), said.AnswerID, me, id)
	}
	q, err := labels.Queue(r.Context(), said.Queue)
	if err != nil {
		return labelling.Label{}, err
	}
	return labels.UndoCase(r.Context(), q, me, said.CaseID, id)
}

// The address extends the annotator's reservation of an answer.
var _ = register(
	&page{pattern: "POST /label/renew", role: identity.Label,
		serve: func(s *Site, rw http.ResponseWriter, r *http.Request) error {
			if _, err := s.writing(); err != nil {
				return err
			}
			if err := readForm(rw, r); err != nil {
				return err
			}
			labels, q, err := queueOf(s, r, r.PostFormValue("queue"))
			if err != nil {
				return err
			}
			me, err := s.whoSends(r)
			if err != nil {
				return err
			}
			item, err := labels.Item(r.Context(), q, me, r.PostFormValue("case"))
			if err == nil && item.Mine == store.Untouched {
				err = labels.Open(r.Context(), q, item, me)
			}
			if err != nil {
				return err
			}
			rw.WriteHeader(http.StatusNoContent)
			return nil
		}})
