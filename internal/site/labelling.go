package site

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/labelling"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// The common part of pages on which people label: the annotator, the submitted form, and the control for labels.

// labels is the labelling of the warehouse.
func (s *Site) labels() (*labelling.Store, error) {
	if s.o.Warehouse == nil {
		return nil, errcode.New(errcode.Unavailable, "there is no warehouse yet")
	}
	return &labelling.Store{Warehouse: s.o.Warehouse, Now: s.o.Now}, nil
}

// writing is the labelling of a warehouse to which people may write labels.
func (s *Site) writing() (*labelling.Store, error) {
	if !s.o.Labels {
		return nil, errcode.New(errcode.PermissionDenied,
			"labelling is switched off: begin badger view with --label, or set report.labels for badger serve")
	}
	return s.labels()
}

// nameCookie holds the name of a caller without an authenticated name. Only a server on loopback has such callers.
const nameCookie = "badger_name"

// maxAnnotator is how long a name may be, in bytes.
const maxAnnotator = 100

// annotator returns the name that the caller's labels are stored under, or "" if the caller has not given one. It
// comes from the identity of the caller, and only without one from a form.
func annotator(r *http.Request) string {
	if who := caller(r.Context()); who.Name != "" {
		return who.Name
	}
	c, err := r.Cookie(nameCookie)
	if err != nil {
		return ""
	}
	name, err := url.PathUnescape(c.Value)
	if err != nil || checkName(name) != nil {
		return ""
	}
	return name
}

func checkName(name string) error {
	hidden := func(r rune) bool { return !unicode.IsPrint(r) }
	if name == "" || name != strings.TrimSpace(name) || len(name) > maxAnnotator || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, hidden) {
		return errcode.New(errcode.InvalidArgument, "name: expected 1 to %d bytes of letters, digits and signs", maxAnnotator)
	}
	return nil
}

// The address sets the name of an annotator who is not authenticated.
var _ = register(
	&page{pattern: "POST /name", role: "label", serve: func(s *Site, rw http.ResponseWriter, r *http.Request) error {
		if err := readForm(rw, r); err != nil {
			return err
		}
		if who := caller(r.Context()); who.Name != "" {
			return errcode.New(errcode.PermissionDenied, "your name is known already: it is %s", who.Name)
		}
		name := strings.TrimSpace(r.PostFormValue("name"))
		if err := checkName(name); err != nil {
			return err
		}
		http.SetCookie(rw, &http.Cookie{Name: nameCookie, Value: url.PathEscape(name), Path: s.o.Prefix + "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: 365 * 24 * 60 * 60}) //nolint:gosec // loopback has no TLS
		return s.goTo(rw, r, back(r, queuesAddress()))
	}})

// maxForm is how much may be sent in one form.
const maxForm = 1 << 20

func readForm(rw http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(rw, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return errcode.New(errcode.InvalidArgument, "the form cannot be read: expected at most %d bytes of fields", maxForm)
	}
	return nil
}

// back is where a form leads to, or another address where it names none of this site.
func back(r *http.Request, or string) string { return named(r, "back", or) }

// named is the address of this site in a field of a form, or another if it has none.
func named(r *http.Request, field, or string) string {
	text := r.PostFormValue(field)
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || !strings.HasPrefix(text, "/") ||
		strings.HasPrefix(text, "//") || strings.ContainsAny(text, "\\\r\n") {
		return or
	}
	return text
}

// goTo sends a browser to an address of the site after a form.
func (s *Site) goTo(rw http.ResponseWriter, r *http.Request, address string) error {
	http.Redirect(rw, r, s.served.href(address), http.StatusSeeOther) //nolint:gosec // back keeps addresses of other sites away
	return nil
}

// wantsJSON reports whether a script asks.
func wantsJSON(r *http.Request) bool { return r.Header.Get("Accept") == "application/json" }

func answerJSON(rw http.ResponseWriter, status int, v any) error {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	return json.NewEncoder(rw).Encode(v)
}

// labelControl is the data of the template labelcontrol: the control for labels. It is the same on every page.
type labelControl struct {
	scoring.AnswerID
	Queue    string  // "": outside of one
	In       string  // the queue's name, where the control is on another page than the queue's
	InAt     string  // its page
	Here     string  // the page that the control is on, if that is not the queue's
	Said     *saidIn // where Mine was given, if not in the queue of the control; nil: there
	Seen     string  // which answer they see
	ID       string  // of the label, so that it is kept once however often it is sent
	Options  []labelOption
	Mine     *labelling.Label // the annotator's label; may be nil
	Reason   bool             // fail needs a note
	Decides  bool             // it settles a disagreement
	Back     string           // where the form leads to without a script
	Name     string           // under which it is kept; "": they are to say it first
	Keys     bool             // keys work for it: there is one on the page
	NameBack string           // where saying one's name leads to
	Refused  *refusal         // what they sent, and why it was not saved; nil: nothing
}

// inOrder validates a submitted label, in addition to [labelling.Store.Save]: it names the answer that was shown,
// and the caller may adjudicate if it is an adjudication.
func inOrder(r *http.Request, store *labelling.Store, q *labelling.Queue, l *labelling.Label) error {
	if !isSeen(l.AnswerHash) {
		return errcode.New(errcode.InvalidArgument,
			"label: the answer that you saw is %.40q, expected 16 hexadecimal digits as the page has them", l.AnswerHash)
	}
	if !l.Decides || q == nil {
		return nil
	}
	item, err := store.Item(r.Context(), q, l.Annotator, l.CaseID)
	if err != nil {
		return err
	}
	return maySettle(r, q, item)
}

// isSeen reports whether a string has the form of [labelling.AnswerHash].
func isSeen(text string) bool {
	_, err := hex.DecodeString(text)
	return err == nil && len(text) == 16
}

// newLabelID names a label.
func newLabelID() string { return strings.ToLower(rand.Text()) }

// labelOption is a verdict that is offered.
type labelOption struct {
	Value, Key, Sign string
	Chosen           bool
}

var verdictSigns = map[string]string{"pass": "✓", "fail": "✗", "unsure": "?", labelling.Skip: "»"}

// controlOnOtherPage returns the control for an answer on a page outside of queues. A label given there counts in a
// queue that needs it.
func (s *Site) controlOnOtherPage(r *http.Request, of scoring.AnswerID, seen, here string) (*labelControl, error) {
	store, err := s.writing()
	if err != nil {
		return nil, err
	}
	me := annotator(r)
	var q *labelling.Queue
	if me != "" {
		if q, err = store.QueueFor(r.Context(), of, me); err != nil {
			return nil, err
		}
	}
	c, err := s.newLabelControl(r, q, of, seen, here)
	if err != nil {
		return nil, err
	}
	if q != nil {
		c.In, c.InAt, c.Here = q.Name, queueAddress(q.ID), here
	}
	if c.Mine == nil && me != "" { // they may have labelled it in another place
		if c.Mine, err = store.Mine(r.Context(), labelling.Label{AnswerID: of, Annotator: me}); err != nil {
			return nil, err
		}
		for i := range c.Options {
			c.Options[i].Chosen = c.Mine != nil && c.Mine.Verdict == c.Options[i].Value
		}
	}
	if c.Mine != nil && c.Mine.Queue != c.Queue {
		c.Said, err = placeOfLabel(r.Context(), store, c.Mine)
	}
	return c, err
}

// saidIn is the place of a label: a queue, or without a name outside of queues.
type saidIn struct{ Name, Address string }

func placeOfLabel(ctx context.Context, store *labelling.Store, l *labelling.Label) (*saidIn, error) {
	if l.Queue == "" {
		return &saidIn{}, nil
	}
	q, err := store.Queue(ctx, l.Queue)
	if errcode.Of(err) == errcode.NotFound { // a label that was taken in from a file may name a queue of elsewhere
		return &saidIn{Name: l.Queue}, nil
	}
	if err != nil {
		return nil, err
	}
	return &saidIn{q.Name, queueAddress(q.ID)}, nil
}

// newLabelControl is the control for an answer; q is nil outside of a queue. here is the page that it
// is on.
func (s *Site) newLabelControl(r *http.Request, q *labelling.Queue, of scoring.AnswerID, seen,
	here string) (*labelControl, error) {
	store, err := s.writing()
	if err != nil {
		return nil, err
	}
	c := &labelControl{AnswerID: of, Seen: seen, ID: newLabelID(), Back: here, NameBack: here, Name: annotator(r)}
	options := labelling.DefaultOptions
	if q != nil {
		c.Queue, c.Reason, options = q.ID, q.ReasonRequired, q.Options
	}
	c.Refused = refused(r, of, c.Queue)
	if c.Name != "" {
		if c.Mine, err = store.Mine(r.Context(),
			labelling.Label{AnswerID: of, Annotator: c.Name, Queue: c.Queue}); err != nil {
			return nil, err
		}
	}
	for i, v := range options {
		c.Options = append(c.Options,
			labelOption{v, string(rune('1' + i)), verdictSigns[v], c.Mine != nil && c.Mine.Verdict == v})
	}
	c.Options = append(c.Options,
		labelOption{labelling.Skip, "s", verdictSigns[labelling.Skip], c.Mine != nil && c.Mine.Verdict == labelling.Skip})
	return c, nil
}

// stateOf reads the state of a list from the query of its address.
func stateOf(query string) (store.State, error) {
	v, err := url.ParseQuery(query)
	if err != nil {
		return store.State{}, errcode.New(errcode.InvalidArgument, "list: expected the query of the address of a list")
	}
	state, err := store.Parse(v)
	state.Page = 1
	return state, err
}
