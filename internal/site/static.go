package site

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"html"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

// Static selects the runs and cases of a static report.
type Static struct {
	Runs     []scoring.RunID // runs of the report
	Baseline scoring.RunID   // the run to compare with; zero: the default baseline of each run
	All      bool            // every case has a page; else those that did not pass, have an error or changed
	Done     func(pages, of int)

	short     bool // pages of cases are shortened, however few there are
	baselines map[scoring.RunID]scoring.RunID
	file      bool // the report is one file, whose list of all cases is JSON
}

// staticForm is the form of a static report: a link leads to a file in the folder, or to a section of the one file.
type staticForm struct {
	names map[string]string                 // names of pages, by address
	cases map[scoring.RunID]map[string]bool // IDs of the cases that have pages
	one   bool                              // all pages are sections of one file
}

func (*staticForm) static() bool { return true }

func (f *staticForm) href(address string) string {
	if name, ok := f.names[address]; ok {
		return f.to(name)
	}
	if strings.HasPrefix(address, "/assets/") {
		if f.one {
			return ""
		}
		return strings.TrimPrefix(address, "/assets/")
	}
	if query, ok := strings.CutPrefix(address, "/case?"); ok {
		if run, id, plain := caseOf(query); plain && f.cases[run][id] {
			return f.to(caseName(run, id))
		}
	}
	return ""
}

func (f *staticForm) to(name string) string {
	if f.one {
		return "#" + sectionMark + name
	}
	return name + ".html"
}

// sectionMark is the prefix of the element IDs of sections; other IDs on their page do not have it.
const sectionMark = "p-"

// listKeys are the parameters that name a case and the list it was opened from. An address with other parameters, such
// as other rows, is a different page.
var listKeys = map[string]bool{
	"run": true, "agent": true, "version": true, "batch": true, "mode": true, "search": true, "regexp": true,
	"filter": true, "sort": true, "column": true, "page": true, "size": true, "rows": true,
	"base_run": true, "base_agent": true, "base_version": true, "base_batch": true, "case": true,
}

// caseOf returns the run and case ID in the query of an address. plain is false if the query is invalid or selects
// another view of the case than the default one.
func caseOf(query string) (run scoring.RunID, id string, plain bool) {
	v, err := url.ParseQuery(query)
	if err != nil {
		return run, "", false
	}
	for key := range v {
		if !listKeys[key] {
			return run, "", false
		}
	}
	return store.ParseRun(v), v.Get("case"), true
}

// caseName returns the name of the page of a case. It depends only on the run and the case, so that links to it remain
// valid.
func caseName(run scoring.RunID, id string) string {
	h := sha256.New()
	for _, part := range []string{run.ID, run.Agent, run.Version, run.Batch, id} {
		_, _ = h.Write([]byte(part + "\x00"))
	}
	return "case-" + hex.EncodeToString(h.Sum(nil)[:8])
}

// staticPage is a page of a static report.
type staticPage struct {
	page    *page
	address string
	name    string
	of      *staticCase // nil if the page is not about a case
}

// staticCase is the case that a page of a static report is about.
type staticCase struct {
	run        scoring.RunID
	id         string
	neighbours store.Neighbours // among the cases that have pages
}

// pageSize is the number of cases on a page of a list in a static report.
const pageSize = store.MaxSize

// modesOf returns the modes of the lists of a run in the report: without a baseline those of changes are omitted.
func (o *Static) modesOf(run scoring.RunID) []store.Mode {
	modes := []store.Mode{store.All, store.Failed, store.Errors}
	if o.state(run, store.All).Baseline != (scoring.RunID{}) {
		modes = append(modes, store.Changed)
		modes = append(modes, changeModes...)
	}
	return modes
}

// changeModes are the modes that compare a case's verdict with that in the baseline.
var changeModes = []store.Mode{store.Broke, store.Fixed, store.StillWrong, store.StillRight, store.Unasked,
	store.NotCompared, store.Added}

// holdRun reads the data that the pages of a run share.
func (s *Site) holdRun(ctx context.Context, p *store.Pages, o *Static, run scoring.RunID) (*heldRun, error) {
	rows, err := s.o.Warehouse.Runs(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	h := &heldRun{config: caseview.ConfigOf(rows, run), ids: map[store.Mode][]string{}}
	for _, mode := range o.modesOf(run) {
		list, err := p.List(ctx, o.state(run, mode))
		if err != nil {
			return nil, err
		}
		for id, err := range list.IDs(ctx) {
			if err != nil {
				return nil, err
			}
			h.ids[mode] = append(h.ids[mode], id)
		}
		if mode == store.All {
			names := make([]string, len(list.Shape.Metrics))
			for i := range list.Shape.Metrics {
				names[i] = list.Shape.Metrics[i].Metric
			}
			h.of = len(names)
			h.metrics = append(slices.Sorted(maps.Keys(briefMetrics)), "relation", safetyMetric, s.primary(names))
		}
	}
	return h, nil
}

// staticPlan collects the pages of a static report.
type staticPlan struct {
	*Static
	names map[string]string // names of pages, by address
	pages []staticPage
}

// staticRun is one run of a static report.
type staticRun struct {
	*heldRun
	run    scoring.RunID
	first  bool
	suffix string // suffix of its pages' names, so that they differ between runs
}

// add adds a page, unless the report has one for the address. The addresses also lead to the page, too.
func (l *staticPlan) add(p *page, address, name string, also ...string) {
	if _, there := l.names[address]; there {
		return
	}
	l.names[address] = name
	for _, a := range also {
		l.names[a] = name
	}
	l.pages = append(l.pages, staticPage{page: p, address: address, name: name})
}

// one adds page p for a run, at its address without parameters.
func (l *staticPlan) one(p *page, of *staticRun) { l.add(p, addressOf(p, &of.run), p.name+of.suffix) }

// plan returns the pages of the report and sets the names and cases of f, and the shared settings in ctx.
func (s *Site) plan(ctx context.Context, o *Static, f *staticForm) []staticPage {
	shared := heldIn(ctx)
	plan := staticPlan{Static: o, names: f.names}
	var ofCases []staticPage
	left := 0
	for i, run := range o.Runs {
		of := &staticRun{heldRun: shared.runs[run], run: run, first: i == 0}
		if i > 0 {
			of.suffix = "-" + strconv.Itoa(i+1)
		}
		for _, p := range s.pages {
			if p.inReport != nil {
				p.inReport(&plan, p, of)
			}
		}
		ids, without := o.chosen(of.heldRun, mostCases-len(ofCases))
		left += without
		f.cases[run] = map[string]bool{}
		for i, id := range ids {
			f.cases[run][id] = true
			n := store.Neighbours{Place: int64(i) + 1, Of: int64(len(ids))}
			if i > 0 {
				n.Before = ids[i-1]
			}
			if i+1 < len(ids) {
				n.After = ids[i+1]
			}
			ofCases = append(ofCases, staticPage{
				s.pageOfCases(), caseAddress(o.state(run, store.All), id), caseName(run, id), &staticCase{run, id, n},
			})
		}
	}
	if s.pageOfCases() == nil {
		ofCases, f.cases = nil, nil
	}
	shared.withPage = f.cases
	shared.brief = o.short || len(ofCases) > manyCases
	if left > 0 {
		shared.note = "This report has pages of " + things(len(ofCases), "case") + ". " + count(left) + " more that did not pass, have an error or changed are in the lists only: badger view shows them, and --cases all gives every case a page."
	}
	return append(plan.pages, ofCases...)
}

const (
	// manyCases is the maximum number of cases with complete pages. In a larger report the pages omit the scores of
	// less informative metrics and the relations that do not hold.
	manyCases = 500
	// mostCases is the maximum number of cases with pages, unless all cases were asked for. It keeps a report small
	// enough for mail.
	mostCases = 2000
)

// pageOfCases returns the registered page that shows one case, or nil.
func (s *Site) pageOfCases() *page {
	for _, p := range s.pages {
		if p.perCase {
			return p
		}
	}
	return nil
}

// state returns the state of the list of a run's cases in a mode, as the report links to it.
func (o *Static) state(run scoring.RunID, mode store.Mode) store.State {
	s := store.State{RunID: run, Mode: mode, Page: 1, Size: pageSize, Baseline: o.baselines[run]}
	if ofChanges(mode) {
		s.Sort.Column = "group"
	}
	return s
}

// chosen returns the IDs of the cases of a run that get pages, in the order of the list: all if o.All, else at most
// room of those that failed, have an error or changed; left is the number of the others of these. Cases that failed or
// have an error and changed are chosen first, then other failed ones and errors.
func (o *Static) chosen(of *heldRun, room int) (ids []string, left int) {
	if o.All {
		return of.ids[store.All], 0
	}
	const changed, wrong = 1, 2
	what := map[string]int{}
	for mode, kind := range map[store.Mode]int{store.Changed: changed, store.Failed: wrong, store.Errors: wrong} {
		for _, id := range of.ids[mode] {
			what[id] |= kind
		}
	}
	chosen := map[string]bool{}
	for kind := changed | wrong; kind > 0; kind-- {
		for _, id := range of.ids[store.All] {
			if what[id] == kind && len(chosen) < room {
				chosen[id] = true
			}
		}
	}
	for _, id := range of.ids[store.All] {
		if chosen[id] {
			ids = append(ids, id)
		}
	}
	return ids, len(what) - len(ids)
}

// readTogether is the number of pages whose cases are read in one call.
const readTogether = 400

// contexts returns a context for each page that holds the data of its case, if any. The cases of one run are read in
// one call, and so are the earlier answers to their questions.
func (s *Site) contexts(ctx context.Context, pages []staticPage, o *Static) ([]context.Context, error) {
	shared := heldIn(ctx)
	out := make([]context.Context, len(pages))
	ids := map[scoring.RunID][]string{}
	for i, p := range pages {
		if out[i] = ctx; p.of != nil {
			ids[p.of.run] = append(ids[p.of.run], p.of.id)
		}
	}
	read, earlier := map[scoring.RunID][]*store.CaseDetail{}, map[scoring.RunID]*heldAnswers{}
	for run, of := range ids {
		var metrics []string
		if shared.brief {
			metrics = shared.runs[run].metrics
		}
		var err error
		if read[run], err = shared.pages.Cases(ctx, run, of, metrics); err != nil {
			return nil, err
		}
		if shared.brief { // such pages show no earlier answer
			continue
		}
		pr, err := s.pairOf(ctx, run, o.baselines[run])
		if err != nil {
			return nil, err
		}
		if earlier[run], err = s.earlierAnswers(ctx, shared.pages, pr, of); err != nil {
			return nil, err
		}
	}
	for i, p := range pages {
		if p.of == nil {
			continue
		}
		h := *shared
		h.shown = &heldCase{read[p.of.run][0], p.of.neighbours, earlier[p.of.run]}
		read[p.of.run] = read[p.of.run][1:]
		out[i] = holding(ctx, &h)
	}
	return out, nil
}

// each renders the pages concurrently and calls write for each in their order.
func (s *Site) each(ctx context.Context, f *form, pages []staticPage, o *Static,
	write func(p staticPage, text []byte) error) error {
	group, ctx := errgroup.WithContext(ctx)
	workers := max(2, runtime.GOMAXPROCS(0))
	type made struct {
		staticPage
		ctx  context.Context //nolint:containedctx // what the page is rendered in
		text chan []byte
	}
	// the next cases are read while these are rendered
	todo, ready := make(chan made, readTogether), make(chan made, readTogether)
	group.Go(func() error {
		defer close(todo)
		defer close(ready)
		for some := range slices.Chunk(pages, readTogether) {
			in, err := s.contexts(ctx, some, o)
			if err != nil {
				return err
			}
			for i, p := range some {
				m := made{p, in[i], make(chan []byte, 1)}
				for _, to := range []chan made{ready, todo} {
					select {
					case to <- m:
					case <-ctx.Done():
						return ctx.Err()
					}
				}
			}
		}
		return nil
	})
	for range workers {
		group.Go(func() error {
			for m := range todo {
				var b bytes.Buffer
				r, err := http.NewRequestWithContext(m.ctx, http.MethodGet, m.address, nil)
				if err != nil {
					return errcode.New(errcode.Internal, "page %s: %w", m.name, err)
				}
				if err := f.render(m.ctx, &b, s, m.page, r); err != nil {
					return errcode.New(errcode.Of(err), "page %s: %w", m.address, err)
				}
				m.text <- b.Bytes()
			}
			return nil
		})
	}
	group.Go(func() error {
		done := 0
		for m := range ready {
			select {
			case text := <-m.text:
				if err := write(m.staticPage, text); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
			if done++; o.Done != nil {
				o.Done(done, len(pages))
			}
		}
		return nil
	})
	return group.Wait()
}

// begin plans a report and parses its templates. The returned context holds the data that its pages share.
func (s *Site) begin(ctx context.Context, o *Static, one bool) (context.Context, *form, []staticPage, error) {
	if len(o.Runs) == 0 {
		return nil, nil, nil, errcode.New(errcode.InvalidArgument, "a report needs a run")
	}
	ctx = sharing(ctx)
	p, err := s.reader(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	if s.o.Elsewhere != nil {
		p = p.Lacking(s.o.Elsewhere)
	}
	o.file = one
	if err := s.setBaselines(ctx, o); err != nil {
		return nil, nil, nil, err
	}
	shared := &held{pages: p, runs: map[scoring.RunID]*heldRun{},
		lists: &heldLists{counts: map[string]map[store.Mode]int64{}}}
	for _, run := range o.Runs {
		if shared.runs[run], err = s.holdRun(ctx, p, o, run); err != nil {
			return nil, nil, nil, err
		}
	}
	ctx = holding(ctx, shared)
	a := &staticForm{names: map[string]string{}, cases: map[scoring.RunID]map[string]bool{}, one: one}
	pages := s.plan(ctx, o, a)
	f, err := newForm(a, s.pages)
	if err != nil {
		return nil, nil, nil, err
	}
	if one {
		f.layout = "section"
	}
	return ctx, f, pages, nil
}

// setBaselines sets the baseline of each run, and sorts the runs so that the newest batch comes first.
func (s *Site) setBaselines(ctx context.Context, o *Static) error {
	o.baselines = map[scoring.RunID]scoring.RunID{}
	t, err := s.timeline(ctx)
	if err != nil {
		return err
	}
	place := func(run scoring.RunID) int {
		return slices.IndexFunc(t.moments, func(m moment) bool { return m.Of.By == run.By })
	}
	o.Runs = slices.Clone(o.Runs)
	slices.SortStableFunc(o.Runs, func(a, b scoring.RunID) int { return place(b) - place(a) })
	for _, run := range o.Runs {
		from, _, err := t.baseline(ctx, run)
		if err != nil {
			return err
		}
		switch {
		case o.Baseline != (scoring.RunID{}) && o.Baseline != run:
			o.baselines[run] = o.Baseline
		case o.Baseline == (scoring.RunID{}) && from != nil:
			o.baselines[run] = from.Run.RunID
		}
	}
	return nil
}

// listFile is the file with the names of a report's files in a folder, so that a later report can remove them.
const listFile = "badger-report.txt"

// WriteFolder writes the report into a folder: index.html, the other pages, and the assets. The folder is created, or
// must be empty or hold a report, whose files are removed first. Other files in it are never replaced: if a page has
// the name of one, the error is AlreadyExists, and the report there stays. Equal data and options give equal bytes.
func (s *Site) WriteFolder(ctx context.Context, dir string, o Static) error {
	ctx, f, pages, err := s.begin(ctx, &o, false)
	if err != nil {
		return err
	}
	names := []string{listFile}
	for _, a := range usedAssets() {
		names = append(names, a.name)
	}
	for _, p := range pages {
		names = append(names, p.name+".html")
	}
	slices.Sort(names)
	if err := clear(dir, names); err != nil {
		return err
	}
	// first: what is there is known even where the rest fails
	if err := writeNew(dir, listFile, []byte(strings.Join(names, "\n")+"\n")); err != nil {
		return err
	}
	for _, a := range usedAssets() {
		if err := writeNew(dir, a.name, a.data); err != nil {
			return err
		}
	}
	return s.each(ctx, f, pages, &o, func(p staticPage, text []byte) error { return writeNew(dir, p.name+".html", text) })
}

// writeNew writes a file that does not exist, so that nothing is written through a link.
func writeNew(dir, name string, text []byte) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // a report is to be read
	if err == nil {
		_, err = f.Write(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return errcode.New(errcode.ResourceExhausted, "writing the report: %w", err)
	}
	return nil
}

// usedAssets returns the assets that the pages of a folder refer to.
func usedAssets() []*asset {
	return []*asset{assets()["icon.svg"], assets()["site.css"], assets()["site.js"], assets()["rows.js"]}
}

// reportFile matches the names of files of a report.
var reportFile = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*\.(html|css|js|svg|txt)$`)

// IsReportFile reports whether a file of a report in a folder may have this name.
func IsReportFile(name string) bool { return reportFile.MatchString(name) }

// HoldsReport reports whether there is a report in the folder dir.
func HoldsReport(dir string) bool {
	list, err := listIn(dir)
	return err == nil && list != ""
}

// CheckFolder returns an error if a report cannot be written into the folder dir, because it has other content or is
// a file. A folder that does not exist is created later.
func CheckFolder(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.IsDir():
		return errcode.New(errcode.AlreadyExists, "%.80q is a file; name a folder, or a file that ends with .html", dir)
	}
	_, err = listIn(dir)
	return err
}

// listIn returns the names of the files of the report in a folder, one a line; "" if the folder is empty. It returns
// AlreadyExists if the folder has other content.
func listIn(dir string) (string, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return "", errcode.New(errcode.PermissionDenied, "the folder of the report: %w", err)
	}
	if len(files) == 0 {
		return "", nil
	}
	list, err := os.ReadFile(filepath.Join(dir, listFile))
	if err != nil {
		return "", errcode.New(errcode.AlreadyExists, "the folder %.80q is not empty and holds no report; name a new one", dir)
	}
	return string(list), nil
}

// clear creates the folder dir, or removes the report in it. It returns AlreadyExists, and removes nothing, if the
// folder has no report but other content, or other content with one of the names of the new report.
func clear(dir string, names []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // a report is to be read
		return errcode.New(errcode.PermissionDenied, "the folder of the report: %w", err)
	}
	list, err := listIn(dir)
	if err != nil {
		return err
	}
	old := map[string]bool{}
	for name := range strings.Lines(list) {
		if name = strings.TrimSpace(name); IsReportFile(name) && name != listFile {
			old[name] = true // others are there only if the list was changed
		}
	}
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil && name != listFile && !old[name] {
			return errcode.New(errcode.AlreadyExists, "the folder %.80q has a file %s that is not of the report there; name a new folder",
				dir, name)
		}
	}
	for _, name := range append(slices.Sorted(maps.Keys(old)), listFile) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !os.IsNotExist(err) {
			return errcode.New(errcode.PermissionDenied, "the report that is in the folder: %w", err)
		}
	}
	return nil
}

// WriteFile writes the report as one HTML document: its pages are sections, style and scripts are inline, and its
// content security policy allows only these. Equal data and options give equal bytes.
func (s *Site) WriteFile(ctx context.Context, w io.Writer, o Static) error {
	ctx, f, pages, err := s.begin(ctx, &o, true)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<20)
	_, _ = out.WriteString(documentHead(agentName(o.Runs[0].Agent, o.Runs[0].Version)))
	err = s.each(ctx, f, pages, &o, func(p staticPage, text []byte) error {
		name := sectionMark + p.name
		return s.writeSection(ctx, out, p, inSection(name, text), len(pages) > mostSections)
	})
	if err == nil {
		_, _ = out.WriteString("</main>\n<footer><p>badger " + html.EscapeString(s.o.Version) + "</p></footer>\n")
		for _, name := range scriptsOfFile {
			_, _ = out.WriteString("<script>" + string(assets()[name].data) + "</script>\n")
		}
		_, _ = out.WriteString("</body>\n</html>\n")
		err = out.Flush()
	}
	if err != nil {
		return errcode.New(errcode.Of(err), "writing the report: %w", err)
	}
	return nil
}

// mostSections is the maximum number of pages that a report in one file has as sections of the document. In a larger
// report the pages of cases, and of lists after the first, are text that a script shows on demand: a document of
// hundreds of thousands of elements takes half a minute to open.
const mostSections = 250

// writeSection writes a page as a section of a report in one file. If large, the pages for which later is true are
// written as text for the script.
func (s *Site) writeSection(ctx context.Context, out *bufio.Writer, p staticPage, text []byte, large bool) error {
	name := sectionMark + p.name
	if large && p.later() && !bytes.Contains(text, []byte("</script")) && !bytes.Contains(text, []byte("<!--")) {
		_, _ = out.WriteString(`<script type="text/plain" class="later" id="` + name + "\">\n")
		_, _ = out.Write(text)
		_, err := out.WriteString("</script>\n")
		return err
	}
	class := "page"
	if p.page.inPrint && (p.name == p.page.name || p.name == "index") {
		class += " printed"
	}
	_, _ = out.WriteString(`<section class="` + class + `" id="` + name + "\">\n")
	_, _ = out.Write(text)
	_, err := out.WriteString("</section>\n")
	if err != nil || p.page.name != "cases" {
		return err
	}
	return s.writeListData(ctx, out, p)
}

// later reports whether p is about one case, or a page of a list after the first.
func (p *staticPage) later() bool {
	return p.of != nil || strings.Contains(p.name, "-page-")
}

// scriptsOfFile are the scripts of a report in one file, in their order.
var scriptsOfFile = []string{"site.js", "rows.js", "file.js"}

// documentHead returns the beginning of a report in one file, up to its first section.
func documentHead(title string) string {
	hash := func(text []byte) string {
		sum := sha256.Sum256(text)
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	style, scripts := assets()["site.css"].data, ""
	for _, name := range scriptsOfFile {
		scripts += " " + hash(assets()[name].data)
	}
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ` + hash(style) + `; script-src` + scripts + `; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>` + html.EscapeString(title) + ` · badger</title>
<style>` + string(style) + `</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<main id="content" tabindex="-1" class="file">
`
}

// naming are the attributes that define or refer to element IDs.
var naming = []string{"id", "for", "aria-labelledby", "aria-describedby", "aria-controls"}

// inSection prefixes the IDs and local links of a page with its section, so that they are unique in the document. Those
// that begin with sectionMark are unchanged. Quotes in data are escaped, so that data cannot look like an attribute.
func inSection(section string, text []byte) []byte {
	out := make([]byte, 0, len(text)+len(text)/16)
	for {
		at := bytes.Index(text, []byte(`="`))
		if at < 0 {
			return append(out, text...)
		}
		attribute := text[bytes.LastIndexByte(text[:at], ' ')+1 : at]
		at += len(`="`)
		out, text = append(out, text[:at]...), text[at:]
		names := false
		if string(attribute) == "href" {
			if names = bytes.HasPrefix(text, []byte("#")); names {
				out, text = append(out, '#'), text[1:]
			}
		} else {
			names = slices.Contains(naming, string(attribute))
		}
		if names && !bytes.HasPrefix(text, []byte(sectionMark)) {
			out = append(append(out, section...), '-')
		}
	}
}
