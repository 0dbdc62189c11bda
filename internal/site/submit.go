package site

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/submission"
	"github.com/badger-eval/badger/udf/identity"
)

// The page submits runs: a case file, or answers in the tables. It lists the caller's submissions.
var submitPage = register(&page{name: "submit", pattern: "GET /submit", nav: "Submit a run", place: 115,
	role: identity.Submit, show: (*Site).submit})

func submitAddress() string { return "/submit" }

type submitView struct {
	Trouble  string // why the form was rejected; "": it was not
	ID       string // ID of the next submission
	Limits   submission.Config
	Tables   submission.Tables // selection to show again
	Headline string
	Rows     []submissionRow
	Names    bool // whether the submissions are of callers with names
}

type submissionRow struct {
	submission.Submission
	Address string
	State   stateWord
}

// stateWord is the display word of a status, with the CSS class of its sign.
type stateWord struct{ Class, Text string }

func stateWordOf(s submission.Status) stateWord {
	switch s {
	case submission.Draft:
		return stateWord{"none", "– not started"}
	case submission.Waiting:
		return stateWord{"info", "… waiting"}
	case submission.Running:
		return stateWord{"info", "… running"}
	case submission.Done:
		return stateWord{"pass", "✓ done"}
	case submission.Failed:
		return stateWord{"fail", "✗ failed"}
	case submission.Cancelled:
		return stateWord{"none", "– cancelled"}
	}
	return stateWord{"unsure", "? interrupted"}
}

// desk returns the desk for submissions, or an error with the reason why there is none.
func (s *Site) desk() (*submission.Desk, error) {
	if s.o.Submit == nil {
		if s.o.NoSubmit == "" {
			return nil, errcode.New(errcode.PermissionDenied,
				"submitting runs is off here: start badger view with --submit and a database that it can write")
		}
		return nil, errcode.New(errcode.FailedPrecondition, "runs cannot be submitted: %s", s.o.NoSubmit)
	}
	return s.o.Submit, nil
}

// submitter returns the caller as the desk knows them.
func submitter(ctx context.Context) submission.Caller {
	who := caller(ctx)
	return submission.Caller{Name: who.Name, Admin: who.May(identity.Admin)}
}

func (s *Site) submit(r *http.Request) (content, error) {
	desk, err := s.desk()
	if err != nil {
		return content{}, err
	}
	v := submitView{ID: newLabelID(), Limits: desk.Limits()}
	if t := rejectedIn(r.Context()); t != nil {
		v.Trouble, v.Tables = t.why, tablesOf(t.form)
	}
	running, waiting := 0, 0
	for _, one := range desk.List(submitter(r.Context())) {
		v.Rows = append(v.Rows, submissionRow{one, submissionAddress(one.ID), stateWordOf(one.Status)})
		v.Names = v.Names || one.By != ""
		switch one.Status {
		case submission.Running:
			running++
		case submission.Waiting:
			waiting++
		}
	}
	switch {
	case running == 0 && waiting == 0:
		v.Headline = "No run of yours is at work."
	case waiting == 0:
		v.Headline = "A run of yours is at work."
	default:
		v.Headline = fmt.Sprintf("%s of yours at work, %d waiting.", things(running, "run"), waiting)
	}
	// The page is not reloaded while a run is at work: that would drop a file that was chosen.
	return content{Title: "Submit a run", Page: v}, nil
}

// rejected is a submitted form that was rejected, and why.
type rejected struct {
	why  string
	form url.Values
}

type rejectedKey struct{}

func rejectedIn(ctx context.Context) *rejected {
	t, _ := ctx.Value(rejectedKey{}).(*rejected)
	return t
}

// showAgain renders page p at an address with the reason why the form was rejected. It returns why if the error is not
// about the form.
func (s *Site) showAgain(rw http.ResponseWriter, r *http.Request, p *page, address string, why error) error {
	status := http.StatusBadRequest
	switch errcode.Of(why) {
	case errcode.InvalidArgument:
	case errcode.ResourceExhausted:
		status = http.StatusRequestEntityTooLarge
	case errcode.FailedPrecondition, errcode.AlreadyExists:
		status = http.StatusConflict
	case errcode.Unavailable:
		status = http.StatusServiceUnavailable
	default:
		return why
	}
	u, err := url.Parse(address)
	if err != nil {
		return why
	}
	again := r.Clone(context.WithValue(r.Context(), rejectedKey{}, &rejected{why.Error(), r.PostForm}))
	again.Method, again.URL, again.Form, again.PostForm, again.MultipartForm = http.MethodGet, u, nil, nil, nil
	b := &response{}
	if s.served.render(again.Context(), b, s, p, again) != nil {
		return why
	}
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	rw.WriteHeader(status)
	_, _ = rw.Write(b.Bytes())
	return nil
}

// The address takes an uploaded case file.
var _ = register(
	&page{pattern: "POST /submit/file", role: identity.Submit,
		serve: func(s *Site, rw http.ResponseWriter, r *http.Request) error {
			desk, err := s.desk()
			if err != nil {
				return err
			}
			r.Body = http.MaxBytesReader(rw, r.Body, desk.Limits().UploadBytes+maxForm)
			one, err := upload(r, desk)
			if err != nil {
				// A browser shows the answer only if its file was read. The limit of the body bounds that.
				_, _ = io.Copy(io.Discard, r.Body)
				return s.showAgain(rw, r, submitPage, submitAddress(), err)
			}
			return s.goTo(rw, r, submissionAddress(one.ID))
		}})

const maxFormParts = 8

// upload reads the form of an uploaded file: the field id, then the file. It holds neither in memory.
func upload(r *http.Request, desk *submission.Desk) (submission.Submission, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return submission.Submission{}, errcode.New(errcode.InvalidArgument,
			"the form has no file: expected the form of this page (multipart/form-data)")
	}
	id := ""
	for range maxFormParts {
		part, err := parts.NextPart()
		if err != nil {
			break
		}
		switch part.FormName() {
		case "id":
			text, err := io.ReadAll(io.LimitReader(part, 100))
			if err != nil {
				return submission.Submission{}, cutOff(err)
			}
			id = string(text)
		case "file":
			return storeUpload(r.Context(), desk, id, part)
		}
	}
	return submission.Submission{}, errcode.New(errcode.InvalidArgument, "file: missing; choose a case file")
}

func storeUpload(ctx context.Context, desk *submission.Desk, id string, part *multipart.Part) (submission.Submission,
	error) {
	name := part.FileName()
	if name == "" {
		return submission.Submission{}, errcode.New(errcode.InvalidArgument, "file: missing; choose a case file")
	}
	out, err := desk.Upload(ctx, submitter(ctx), id, name, part)
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		err = errcode.New(errcode.ResourceExhausted, "the form is larger than %d bytes", large.Limit)
	}
	return out, err
}

func cutOff(err error) error {
	return errcode.New(errcode.InvalidArgument, "the form is cut off: %w; send it again", err)
}

// The address takes a selection of answers in the tables.
var _ = register(
	&page{pattern: "POST /submit/tables", role: identity.Submit,
		serve: func(s *Site, rw http.ResponseWriter, r *http.Request) error {
			desk, err := s.desk()
			if err != nil {
				return err
			}
			if err := readForm(rw, r); err != nil {
				return err
			}
			one, err := desk.Select(r.Context(), submitter(r.Context()), r.PostFormValue("id"), tablesOf(r.PostForm))
			if err != nil {
				return s.showAgain(rw, r, submitPage, submitAddress(), err)
			}
			return s.goTo(rw, r, submissionAddress(one.ID))
		}})

// tablesOf returns the selection in a submitted form.
func tablesOf(form url.Values) submission.Tables {
	f := func(name string) string { return strings.TrimSpace(form.Get(name)) }
	return submission.Tables{Agent: f("agent"), Version: f("version"), Batch: f("batch"), SetVersion: f("set")}
}
