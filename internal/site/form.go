package site

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/chart"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/relation"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// addressing converts addresses of the site to links of one form of the report.
type addressing interface {
	// href returns the link to an address of the site that works on every page of the form, or "" if the form lacks the
	// page.
	href(address string) string
	// static reports whether the form needs no server: it has no forms to submit, and its data never changes.
	static() bool
}

// servedForm is the report as served over HTTP under a path prefix.
type servedForm struct{ prefix string }

func (f servedForm) href(address string) string { return f.prefix + address }
func (servedForm) static() bool                 { return false }

// form is one form of the report (served, folder or one file) with its parsed templates.
type form struct {
	addressing
	templates map[string]*template.Template // by page name
	layout    string                        // name of the template that renders a page
}

//go:embed templates
var templateFiles embed.FS

// newForm parses the templates of the error page and of all pages that have one, with the links of a.
func newForm(a addressing, pages []*page) (*form, error) {
	f := &form{a, map[string]*template.Template{}, "layout"}
	layout, err := template.New("layout.html").Funcs(f.functions()).Option("missingkey=error").ParseFS(templateFiles,
		"templates/layout.html", "templates/parts.html", "templates/cells.html", "templates/shortcase.html",
		"templates/labelcontrol.html", "templates/spending.html")
	if err == nil {
		_, err = layout.New("chart.html").Parse(chart.Template)
	}
	if err != nil {
		return nil, err
	}
	names := []string{"error"}
	for _, p := range pages {
		if p.show != nil {
			names = append(names, p.name)
		}
	}
	for _, name := range names {
		own, err := layout.Clone()
		if err == nil {
			own, err = own.ParseFS(templateFiles, "templates/"+name+".html")
		}
		if err != nil {
			return nil, fmt.Errorf("page %s: %w", name, err)
		}
		f.templates[name] = own
	}
	return f, nil
}

// link is the data of the template for a link.
type link struct {
	Href  string // "" renders plain text
	Text  string
	Class string
	Title string // tooltip; "": none
}

// content is what a page's show function returns.
type content struct {
	Step   *stepper // links to the batches before and after, of a page of a case
	List   string   // name of the page of the list that a case was opened from
	Title  string
	Run    *scoring.RunID // the run that the page is about; nil: none
	Page   any            // what the page's template sees as .Page
	Short  bool           // the page omits the links to the other pages of its run
	Status int            // HTTP status of the response; 0 means 200
	Poll   bool           // the run is still running: the browser reloads the page periodically
}

// frame is the data of the layout template.
type frame struct {
	content
	Version string
	Static  bool
	Labels  bool   // the user may label
	Admin   bool   // the user may create queues
	Caller  string // the authenticated user; "" if unknown
	Tabs    []navLink
	More    []navLink      // links to less important pages
	About   *scoring.RunID // the run that Tabs and More link to; nil: none
	Step    *stepper       // links to the previous and next batch; nil: none
	Foot    string         // names of the page's run
	Note    string         // what the static report omits
	Script  string         // address of the asset; "" if the form has it inline
	Style   string
}

// navLink is a link in the navigation.
type navLink struct {
	Address string
	Text    string
	Here    bool
	Within  bool // it leads to the list that the page was opened from
}

func (s *Site) frame(ctx context.Context, f *form, here *page, c content) frame {
	who := caller(ctx)
	out := frame{
		content: c, Version: s.o.Version, Static: f.static(), Caller: who.Name,
		Labels: s.o.Labels && !f.static() && who.May(identity.Label),
		Admin:  s.o.Labels && !f.static() && who.May(identity.Admin),
	}
	out.Step = c.Step
	out.Title = printable.Text(c.Title) // it may have the name of an agent
	if h := heldIn(ctx); h != nil && here != nil && here.noted {
		out.Note = h.note
	}
	s.lead(ctx, &out, here)
	return out
}

// firstOfMore is the smallest page.place whose link is in the collapsed part of the navigation.
const firstOfMore = 100

// lead sets the links to other pages. On a page without a run they lead to the newest run, except in a static report.
func (s *Site) lead(ctx context.Context, out *frame, here *page) {
	out.About = out.Run
	if here != nil && s.o.Warehouse != nil {
		if t, err := s.timeline(ctx); err == nil { // else the page itself reports the error
			if out.About == nil && !out.Static {
				out.About = t.newest()
			}
			if out.Run != nil && here.ofRun && here.nav != "" {
				out.Step = t.stepOf(here, *out.Run)
			}
		}
	}
	if out.Run != nil {
		out.Foot = footOf(out.Run)
	}
	for _, p := range s.pages {
		if p.nav == "" || p.ofRun && out.About == nil || p.role == identity.Submit && !s.submits(ctx, out) {
			continue
		}
		l := navLink{addressOf(p, out.About), p.nav, p == here, out.List != "" && out.List == p.name}
		if p.place < firstOfMore {
			out.Tabs = append(out.Tabs, l)
		} else {
			out.More = append(out.More, l)
		}
	}
}

// submits reports whether the navigation links to the page that submits runs.
func (s *Site) submits(ctx context.Context, out *frame) bool {
	return !out.Static && (s.o.Submit != nil || s.o.NoSubmit != "") && caller(ctx).May(identity.Submit)
}

// footOf returns the agent, version, batch and ID of a run for the footer of its pages.
func footOf(run *scoring.RunID) string {
	text := agentName(run.Agent, run.Version)
	if run.Batch != "" {
		text += ", batch " + run.Batch
	}
	return text + ", run " + run.ID
}

// response buffers a served page with its HTTP status.
type response struct {
	bytes.Buffer
	status int
}

// render writes page p for request r to w. If w is a *response, it sets its status.
func (f *form) render(ctx context.Context, w io.Writer, s *Site, p *page, r *http.Request) error {
	ctx = sharing(ctx)
	c, err := p.show(s, r.WithContext(ctx))
	if err != nil {
		return err
	}
	if rw, served := w.(*response); served && c.Status != 0 {
		rw.status = c.Status
	}
	return f.write(w, p.name, s.frame(ctx, f, p, c))
}

func (f *form) write(w io.Writer, name string, data frame) error {
	t := f.templates[name]
	if t == nil {
		return errcode.New(errcode.Internal, "there is no template %s", name)
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, f.layout, data); err != nil {
		return err
	}
	_, err := w.Write(printable.HTML(b.Bytes()))
	return err
}

// functions returns the functions of the templates, in addition to those of html/template.
func (f *form) functions() template.FuncMap {
	return template.FuncMap{
		// to is a link: {{template "a" (to .Address "text")}}, or with a class as third argument. Without an
		// address it leads nowhere.
		"to": func(address string, text any, class ...string) link {
			l := link{Text: cmp.Or(shown(text), analysis.NoName), Class: strings.Join(class, " ")}
			if address != "" {
				l.Href = f.href(address)
			}
			return l
		},
		// caseLink leads to a case by its id, which is shortened where it is long.
		"caseLink": func(address, id string) link {
			l := link{Text: cmp.Or(printable.ShortID(id), analysis.NoName)}
			if l.Text != id {
				l.Title = visible(id)
			}
			if address != "" {
				l.Href = f.href(address)
			}
			return l
		},
		// those is a number of cases that leads to them; none, or an unknown number, leads nowhere.
		"those": func(address string, number any) link {
			text := count(number)
			if address == "" || text == "0" || text == dash {
				return link{Text: text}
			}
			return link{Href: f.href(address), Text: text}
		},
		// href is an address for the action of a form, which only a served page has.
		"href": f.href,
		"listPath": func(state store.State) string {
			path, _, _ := strings.Cut(casesAddress(state), "?")
			return path
		},
		"asset": func(name string) string { return f.href(assetAddress(name)) },
		"list":  func(v ...any) []any { return v },
		// args returns the arguments of a template with several: {{template "x" (args "A" 1 "B" 2)}}.
		"args": func(pairs ...any) (map[string]any, error) {
			m := map[string]any{}
			for i := 0; i+1 < len(pairs); i += 2 {
				key, ok := pairs[i].(string)
				if !ok {
					return nil, fmt.Errorf("args: %v is not a string", pairs[i])
				}
				m[key] = pairs[i+1]
			}
			return m, nil
		},
		"count":    count,
		"things":   things,
		"share":    share,
		"interval": interval,
		"opname":   opName,
		"statusname": func(status string) string {
			if status == "unanswered" {
				return "no answer"
			}
			return strings.ReplaceAll(status, "_", " ")
		},
		"title":   upper,
		"figure":  figure,
		"instant": instant,
		"took":    took,
		"said":    caseview.Said,

		"runAddress":  runAddress,
		"agentName":   agentName,
		"shortID":     printable.ShortID,
		"noName":      func(agent string) string { return cmp.Or(agent, analysis.NoName) },
		"pieces":      caseview.Pieces,
		"name":        columnName,
		"brief":       func(s string) string { return cutText(s, 200) },
		"lines":       textLines,
		"pad":         padding,
		"columnState": columnState,
		"paired":      pairedColumns,
		"personWord": func(verdict string) verdictWord {
			class, text := personWord(verdict)
			return verdictWord{class, text}
		},
		"asSentence":   asSentence,
		"rowCounts":    func(r caseview.RowCounts) string { return countsText(&r) },
		"relationName": relation.DisplayName,
		"keyName":      keyName,
		"sentenceCase": func(s string) string {
			if s == "" {
				return s
			}
			return strings.ToUpper(s[:1]) + s[1:]
		},
		"add":       func(a, b int) int { return a + b },
		"sum":       func(a, b int64) int64 { return a + b },
		"mebibytes": func(n int64) string { return strconv.FormatFloat(float64(n)/(1<<20), 'f', -1, 64) + " MiB" },
		"float":     func(n int64) float64 { return float64(n) },
		"isTrue":    func(b *bool) bool { return b != nil && *b },
	}
}
