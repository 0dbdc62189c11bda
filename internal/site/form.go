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
	"strings"

	"github.com/badger-eval/badger/internal/analysis"
	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/chart"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/udf/identity"
)

// addressing is how a form of the report leads from one page to another.
type addressing interface {
	// href is where an address of the site leads from any page of the form; "" if the form does
	// not have that page.
	href(address string) string
	// static reports whether there is no server: there are no forms to submit and nothing changes.
	static() bool
}

// servedForm is the report as a server gives it out.
type servedForm struct{ prefix string }

func (f servedForm) href(address string) string { return f.prefix + address }
func (servedForm) static() bool                 { return false }

// form is a form of the report: its addresses, and the templates that use them.
type form struct {
	addressing
	templates map[string]*template.Template // by name of a page
	layout    string                        // the template that a page is shown in
}

//go:embed templates
var templateFiles embed.FS

// newForm parses the templates for a form.
func newForm(a addressing, pages []*page) (*form, error) {
	f := &form{a, map[string]*template.Template{}, "layout"}
	layout, err := template.New("layout.html").Funcs(f.functions()).Option("missingkey=error").ParseFS(templateFiles,
		"templates/layout.html", "templates/parts.html", "templates/cells.html", "templates/shortcase.html",
		"templates/labelcontrol.html")
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

// link is the target of a link on a page.
type link struct {
	Href  string // "": nowhere in this form
	Text  string
	Class string
	Title string // tooltip; "": none
}

// content is the content of a page.
type content struct {
	Title string
	Run   *scoring.RunID // the run that is examined; nil: none
	Page  any            // what the page's template sees as .Page
	Short bool           // it is one of many in a report: it has no links to the pages of the run
	Poll  bool           // what is shown continues: the page is loaded again while it is examined
}

// frame is the data of every template.
type frame struct {
	content
	Version string
	Static  bool
	Labels  bool   // the user may label
	Admin   bool   // the user may create queues
	Caller  string // the authenticated user; "" if unknown
	Nav     []navLink
	RunNav  []navLink // the pages of the run
	Note    string    // what is left out of the report
	Script  string    // addresses of assets; "" if the form has them inline
	Style   string
}

// navLink leads to a page.
type navLink struct {
	Address string
	Text    string
	Here    bool
}

func (s *Site) frame(ctx context.Context, f *form, here *page, c content) frame {
	who := caller(ctx)
	out := frame{
		content: c, Version: s.o.Version, Static: f.static(), Caller: who.Name,
		Labels: s.o.Labels && !f.static() && who.May(identity.Label),
		Admin:  s.o.Labels && !f.static() && who.May(identity.Admin),
	}
	if h := heldIn(ctx); h != nil && here != nil && here.noted {
		out.Note = h.note
	}
	for _, p := range s.pages {
		if p.nav == "" || p.ofRun && c.Run == nil {
			continue
		}
		l := navLink{addressOf(p, c.Run), p.nav, p == here}
		if p.ofRun {
			out.RunNav = append(out.RunNav, l)
		} else {
			out.Nav = append(out.Nav, l)
		}
	}
	return out
}

// render writes a page, asked for by r.
func (f *form) render(ctx context.Context, w io.Writer, s *Site, p *page, r *http.Request) error {
	c, err := p.show(s, r)
	if err != nil {
		return err
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

// functions are the functions of templates in addition to those of html/template.
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
		"href":  f.href,
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
		"figure":  figure,
		"instant": instant,
		"took":    took,

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
		"add":         func(a, b int) int { return a + b },
		"float":       func(n int64) float64 { return float64(n) },
		"isTrue":      func(b *bool) bool { return b != nil && *b },
	}
}
