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

// labels returns the store of labels, or an error without a warehouse.
func (s *Site) labels() (*labelling.Store, error) {
	if s.o.Warehouse == nil {
		return nil, errcode.New(errcode.Unavailable, "there is no warehouse yet")
	}
	return &labelling.Store{Warehouse: s.o.Warehouse, Now: s.o.Now, Primary: s.o.Primary}, nil
}

// writing returns the store of labels, or an error if labeling is disabled or without a warehouse.
func (s *Site) writing() (*labelling.Store, error) {
	if !s.o.Labels {
		return nil, errcode.New(errcode.PermissionDenied,
			"labeling is off: start badger view with --label, or set report.labels for badger serve")
	}
	return s.labels()
}

// nameCookie is the cookie with the name of a user who is not authenticated, which only a server on loopback allows.
const nameCookie = "badger_name"

// maxAnnotator is the maximum length of an annotator's name, in bytes.
const maxAnnotator = 100

// annotator returns the name under which the caller's labels are stored: the authenticated name, else the one in the
// cookie nameCookie, or "" if that is missing or invalid.
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

// maxForm is the maximum size of a submitted form, in bytes.
const maxForm = 1 << 20

func readForm(rw http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(rw, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return errcode.New(errcode.InvalidArgument, "the form cannot be read: expected at most %d bytes of fields", maxForm)
	}
	return nil
}

// back returns the address in the form's field back, or the given one; see named.
func back(r *http.Request, or string) string { return named(r, "back", or) }

// named returns the address in the given field of a submitted form, or the address or if the field does not hold a path
// of this site.
func named(r *http.Request, field, or string) string {
	text := r.PostFormValue(field)
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || !strings.HasPrefix(text, "/") ||
		strings.HasPrefix(text, "//") || strings.ContainsAny(text, "\\\r\n") {
		return or
	}
	return text
}

// goTo redirects (303) to an address of the site.
func (s *Site) goTo(rw http.ResponseWriter, r *http.Request, address string) error {
	http.Redirect(rw, r, s.served.href(address), http.StatusSeeOther) //nolint:gosec // back keeps addresses of other sites away
	return nil
}

// wantsJSON reports whether the request asks for JSON, as scripts of the pages do.
func wantsJSON(r *http.Request) bool { return r.Header.Get("Accept") == "application/json" }

func answerJSON(rw http.ResponseWriter, status int, v any) error {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	return json.NewEncoder(rw).Encode(v)
}

// labelControl is the data of the template labelcontrol, the form for labeling an answer, which all pages share.
type labelControl struct {
	scoring.AnswerID
	Queue    string  // ID of the queue; "": outside of queues
	In       string  // the queue's name, if the control is not on the queue's page
	InAt     string  // address of the queue's page
	Here     string  // address of the page with the control, if it is not the queue's
	Said     *saidIn // where Mine was given; nil: in Queue
	Seen     string  // hash of the answer that the page shows
	ID       string  // ID of the new label; a label that is sent twice is stored once
	Options  []labelOption
	Mine     *labelling.Label // the annotator's label; may be nil
	Reason   bool             // the verdict fail requires a note
	Decides  bool             // the label adjudicates a disagreement
	Back     string           // where the form redirects to, without a script
	Name     string           // the annotator's name; "": it must be entered first
	Keys     bool             // keyboard shortcuts work: the page has one control
	NameBack string           // where the form for the name redirects to
	Refused  *refusal         // the rejected label with the reason; nil: none
}

// inOrder validates a submitted label before [labelling.Store.Save]: its answer hash is well-formed and, if it
// adjudicates in a queue, the caller may do so.
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

// isSeen reports whether text has the format of [labelling.AnswerHash]: 16 hexadecimal digits.
func isSeen(text string) bool {
	_, err := hex.DecodeString(text)
	return err == nil && len(text) == 16
}

// newLabelID returns a random ID for a label.
func newLabelID() string { return strings.ToLower(rand.Text()) }

// labelOption is a verdict that the user can choose.
type labelOption struct {
	Value, Key string
	Class      string // CSS class
	Word       string // display word
	Chosen     bool
}

func newLabelOption(value, key string, mine *labelling.Label) labelOption {
	o := labelOption{Value: value, Key: key, Chosen: mine != nil && mine.Verdict == value}
	o.Class, o.Word = personWord(value)
	if o.Word != value || value == "unsure" || value == labelling.Skip { // else a verdict of the queue, as it is written
		o.Word = strings.ToUpper(o.Word[:1]) + o.Word[1:]
	}
	return o
}

// controlOnOtherPage returns the control for an answer on a page outside of queues, at address here. If a queue needs
// the caller's label of the answer, the label counts in it.
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

// saidIn is the queue in which a label was given. Its name is "" for a label outside of queues.
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

// newLabelControl returns the control for the answer of with hash seen; q is nil outside of queues. here is the address
// that its forms redirect to.
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
		c.Options = append(c.Options, newLabelOption(v, string(rune('1'+i)), c.Mine))
	}
	c.Options = append(c.Options, newLabelOption(labelling.Skip, "s", c.Mine))
	return c, nil
}

// stateOf parses the state of a list, at page 1, from the query of its address.
func stateOf(query string) (store.State, error) {
	v, err := url.ParseQuery(query)
	if err != nil {
		return store.State{}, errcode.New(errcode.InvalidArgument, "list: expected the query of the address of a list")
	}
	state, err := store.Parse(v)
	state.Page = 1
	return state, err
}
