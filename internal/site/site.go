package site

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/submission"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// Options configure a [Site].
type Options struct {
	Warehouse *store.Store           // store of the runs; if nil, pages report that it is unavailable
	Prefix    string                 // path prefix of all addresses, such as /report; "" for none
	Version   string                 // version of badger
	Metrics   []scoring.Metric       // known metrics, in their order; other metrics follow by name
	Masked    []string               // columns of results whose values are shown as hashes
	Labels    bool                   // users may label; else the site is read-only
	Submit    *submission.Desk       // takes submitted runs; nil: none are taken
	NoSubmit  string                 // why Submit is nil, for those who may submit runs
	Elsewhere store.Elsewhere        // source of cases that the warehouse lacks, for static reports; or nil
	Snapshots scoring.SnapshotReader // source of results that cases refer to; nil: the warehouse
	EmbedIn   []string               // origins that may show the pages in a frame
	Budget    Budget                 // the configured budget for judges
	Primary   string                 // the declared primary metric; may be ""
	Since     time.Time              // earlier verdicts on sentinel cases are ignored; zero: none
	Now       func() time.Time       // nil: time.Now
	Log       *slog.Logger           // nil: silent
}

// page is a page of the report, or an address without a page. Each is registered in one file; other code finds it in
// pages.
type page struct {
	name     string // templates/NAME.html, which defines "content"
	pattern  string // method and path, such as GET /cases; the state is in the query
	nav      string // text of its link in the navigation; "": none
	place    int    // position of that link, in steps of ten
	ofRun    bool   // its address names a run; its link is shown if a run is chosen
	shortcut bool   // it redirects to another page
	perCase  bool   // a static report has one for each selected case
	noted    bool   // in a static report it shows what the report omits
	inPrint  bool   // it is printed when a report in one file is printed
	role     identity.Role
	show     func(s *Site, r *http.Request) (content, error)
	// inReport adds the page to a static report, for one run of it; nil: a static report lacks the page.
	inReport func(*staticPlan, *page, *staticRun)
	// serve handles requests that do not return a page, such as a submitted label; name and show are then empty.
	serve func(s *Site, rw http.ResponseWriter, r *http.Request) error
}

// pages are all registered pages, sorted by place; those without a link are last.
var pages []*page

// register adds a page and returns it. It is called during initialization, and panics if p is incomplete, or if its
// pattern, name or place is taken.
func register(p *page) *page {
	if p.pattern == "" || (p.show == nil) == (p.serve == nil) || (p.show == nil) != (p.name == "") ||
		(p.nav == "") != (p.place == 0) {
		panic("page " + p.pattern + ": expected an address, either a name and show or serve, and a place if it has a link")
	}
	for _, o := range pages {
		if o.pattern == p.pattern || p.name != "" && o.name == p.name || p.place != 0 && o.place == p.place ||
			p.perCase && o.perCase {
			panic("page " + p.pattern + ": its address, name or place is that of " + o.pattern)
		}
	}
	pages = append(pages, p)
	slices.SortFunc(pages, func(a, b *page) int {
		return cmp.Or(cmp.Compare(cmp.Or(a.place, math.MaxInt), cmp.Or(b.place, math.MaxInt)),
			cmp.Compare(a.pattern, b.pattern))
	})
	return p
}

// Site serves the report over HTTP. It is safe for concurrent use.
type Site struct {
	o       Options
	pages   []*page
	handler http.Handler
	served  *form
	policy  string // Content-Security-Policy
	mask    *caseview.Mask
	times   timelines
}

// New returns a site. It returns an error for an invalid option.
func New(o Options) (*Site, error) {
	if o.Prefix = strings.TrimSuffix(o.Prefix, "/"); o.Prefix != "" &&
		(!strings.HasPrefix(o.Prefix, "/") || strings.ContainsAny(o.Prefix, "?#{} \"'<>\\")) {
		return nil, errcode.New(errcode.InvalidArgument, "prefix: invalid path %.80q; expected one such as /report", o.Prefix)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Site{o: o, pages: pages}
	var err error
	if s.mask, err = caseview.NewMask(o.Masked, nil); err != nil {
		return nil, err
	}
	if s.policy, err = contentPolicy(o.EmbedIn); err != nil {
		return nil, err
	}
	if s.served, err = newForm(servedForm{o.Prefix}, s.pages); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	methods := map[string][]string{} // by path
	for _, p := range s.pages {
		method, path, _ := strings.Cut(p.pattern, " ")
		at := o.Prefix + strings.TrimSuffix(path, "{$}")
		if methods[at] = append(methods[at], method); method == http.MethodGet {
			methods[at] = append(methods[at], http.MethodHead)
		}
		mux.Handle(method+" "+o.Prefix+path, s.page(p))
	}
	mux.HandleFunc("GET "+o.Prefix+assetsPath, s.asset)
	mux.HandleFunc("/", func(rw http.ResponseWriter, r *http.Request) {
		if allowed := methods[r.URL.Path]; len(allowed) > 0 {
			rw.Header().Set("Allow", strings.Join(allowed, ", "))
			s.fail(rw, r, errMethod)
			return
		}
		s.fail(rw, r, errcode.New(errcode.NotFound, "there is no such page"))
	})
	cross := http.NewCrossOriginProtection()
	cross.SetDenyHandler(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		s.fail(rw, r, errcode.New(errcode.PermissionDenied, "the request came from a page of another site"))
	}))
	s.handler = cross.Handler(mux)
	return s, nil
}

// CheckOrigins validates the origins of [Options.EmbedIn]. It returns InvalidArgument for one that is not an https
// origin or that matches every host.
func CheckOrigins(origins []string) error {
	for _, a := range origins {
		host, ok := strings.CutPrefix(a, "https://")
		if !ok || host == "" || host == "*" || strings.HasPrefix(host, "*:") || strings.ContainsAny(host, "/;, '\"") {
			return errcode.New(errcode.InvalidArgument,
				"embed_in: invalid origin %.80q; expected one such as https://app.example.com", a)
		}
	}
	return nil
}

// contentPolicy returns the Content-Security-Policy of served pages. ancestors are the origins that may embed them.
func contentPolicy(ancestors []string) (string, error) {
	allowed := "'none'"
	if err := CheckOrigins(ancestors); err != nil {
		return "", err
	}
	if len(ancestors) > 0 {
		allowed = strings.Join(ancestors, " ")
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors " + allowed, nil
}

// errMethod is the error for a request with a method that the address does not support.
var errMethod = errcode.New(errcode.InvalidArgument, "the page cannot be asked for in this way (wrong HTTP method)")

// ServeHTTP serves the site. The caller is in the request's context ([identity.From]); requests without one are
// rejected.
func (s *Site) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	h := rw.Header()
	h.Set("Content-Security-Policy", s.policy)
	h.Set("X-Content-Type-Options", "nosniff")
	// Not no-referrer: with it, browsers send the forms of our own pages with the origin null.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if h.Get(requestID) == "" {
		h.Set(requestID, rand.Text()[:16])
	}
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler: // a file that was begun cannot be ended
			panic(v)
		default:
			s.o.Log.Error("a page could not be created", slog.String("id", h.Get(requestID)), slog.String("path", r.URL.Path),
				slog.String("stack", string(debug.Stack())))
			s.fail(rw, r, errcode.New(errcode.Internal, "the page could not be created; this is a bug in badger"))
		}
	}()
	s.handler.ServeHTTP(rw, r)
}

const requestID = "X-Request-Id"

// page returns the handler of p: it checks the caller's role and the address, completes the run, then serves p.
func (s *Site) page(p *page) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		who, _ := identity.From(r.Context())
		err := who.Demand(p.role)
		if err != nil {
			err = s.lacking(p.role, err)
		}
		if err == nil {
			err = readableAddress(r)
		}
		if p.serve == nil {
			r = r.WithContext(sharing(r.Context()))
		}
		to := ""
		if err == nil && p.ofRun {
			to, err = s.whichRun(r)
		}
		switch {
		case err != nil:
		case to != "":
			err = s.goTo(rw, r, to)
		case p.serve != nil:
			err = p.serve(s, rw, r)
		default:
			b := &response{status: http.StatusOK}
			if err = s.served.render(r.Context(), b, s, p, r); err == nil {
				rw.Header().Set("Content-Type", "text/html; charset=utf-8")
				rw.WriteHeader(b.status)
				_, _ = rw.Write(b.Bytes())
			}
		}
		if err != nil {
			s.fail(rw, r, err)
		}
	}
}

// lacking returns err, with which a caller without the role was rejected, or if no caller can use the role, the reason.
func (s *Site) lacking(role identity.Role, err error) error {
	switch {
	case role == identity.Submit && s.o.Submit == nil:
		_, err = s.desk()
	case role != identity.Submit && role != identity.Read && !s.o.Labels:
		_, err = s.writing()
	}
	return err
}

// readableAddress returns an error if a parameter of the query is not valid UTF-8, which no database accepts.
func readableAddress(r *http.Request) error {
	fields := r.URL.Query()
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !utf8.ValidString(name) {
			return errcode.New(errcode.InvalidArgument, "the field %.60q of the address is not valid UTF-8", name)
		}
		for _, text := range fields[name] {
			if !utf8.ValidString(text) {
				return errcode.New(errcode.InvalidArgument, "%.60s: %.60q is not valid UTF-8", name, text)
			}
		}
	}
	return nil
}

// failure is the content of an error page.
type failure struct {
	Status  int
	Heading string
	Message string
	Advice  string
	ID      string         // request ID, which the log contains, too
	Meant   []namedAddress // links to the runs that the address may mean
}

// fail responds with an error page: the error, advice, and the request ID. Requests for JSON get the error and the ID.
func (s *Site) fail(rw http.ResponseWriter, r *http.Request, err error) {
	f := failure{ID: rw.Header().Get(requestID), Message: err.Error()}
	if m := (*runMissing)(nil); errors.As(err, &m) {
		f.Meant = m.meant
	}
	switch code := errcode.Of(err); code {
	case errcode.NotFound:
		f.Status, f.Heading, f.Advice = http.StatusNotFound, "Not found",
			"The run or the case may have been removed. See the list of runs."
	case errcode.InvalidArgument:
		f.Status, f.Heading, f.Advice = http.StatusBadRequest, "The address is invalid",
			"Correct the named value, or start from the list of runs."
	case errcode.PermissionDenied, errcode.Unauthenticated:
		f.Status, f.Heading, f.Advice = http.StatusForbidden, "Not allowed",
			"Ask the operator of the server for the named role."
	case errcode.FailedPrecondition, errcode.AlreadyExists:
		f.Status, f.Heading, f.Advice = http.StatusConflict, "Not possible now", "Go back, reload the page and try again."
	case errcode.Unavailable, errcode.DeadlineExceeded, errcode.ResourceExhausted:
		f.Status, f.Heading, f.Advice = http.StatusServiceUnavailable, "The warehouse does not answer",
			"Load the page again in a moment."
		rw.Header().Set("Retry-After", "5")
	default:
		if code == errcode.Unknown { // it is not written for people
			f.Message = "This is a bug in badger."
			s.o.Log.Error("internal error", slog.String("id", f.ID), slog.String("error", err.Error()))
		}
		f.Status, f.Heading, f.Advice = http.StatusInternalServerError, "The page could not be created",
			"Reload the page. If it fails again, give the operator of the server the identifier below."
		s.o.Log.Error("a page could not be created", slog.String("id", f.ID), slog.String("path", r.URL.Path),
			slog.String("code", code.String()))
	}
	if errors.Is(err, errMethod) {
		f.Status, f.Heading, f.Advice = http.StatusMethodNotAllowed, "Not possible",
			"Open the address with a browser, or start from the list of runs."
	}
	if wantsJSON(r) {
		_ = answerJSON(rw, f.Status, map[string]string{"error": f.Message, "id": f.ID})
		return
	}
	var b bytes.Buffer
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	if err := s.served.write(&b, "error",
		s.frame(r.Context(), s.served, nil, content{Title: f.Heading, Page: f})); err != nil {
		b.Reset()
		rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
		b.WriteString(f.Heading + " (" + f.ID + ")\n")
	}
	rw.WriteHeader(f.Status)
	_, _ = rw.Write(b.Bytes())
}

// caller returns the authenticated caller of a request, or the zero Caller for a static report.
func caller(ctx context.Context) identity.Caller {
	who, _ := identity.From(ctx)
	return who
}
