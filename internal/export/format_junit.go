package export

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
)

var _ = register(Format{Name: "junit", File: "cases.xml", Type: "application/xml", open: NewJUnit})

// junit stores the test cases in a temporary file until Close, since the numbers of failures of a suite precede its
// cases.
type junit struct {
	w      io.Writer
	o      Options
	spool  *os.File
	cases  *bufio.Writer
	size   int64 // of the spool
	suites map[scoring.RunID]*suite
	gates  []report.GateResult
}

type suite struct {
	parts                            []part // of the spool
	tests, failures, errors, skipped int
	means                            map[string]*sum // by metric
}

// part is a range of bytes of the spool with test cases of one suite.
type part struct{ from, to int64 }

type sum struct {
	total float64
	n     int
}

// suitePlace marks where a class name begins in the spool. XML cannot contain it.
const suitePlace = '\x00'

// NewJUnit returns a Writer of JUnit XML: a test suite for each run, agent, version and batch, and a test case for each
// answer. An answer that failed or is missing is a failure, and so is one that would change data or that should have
// been declined. A failed score is an error. An answer that the metric abstained on, does not apply to or did not score
// is skipped. The class of a test case is its tier, or its first tag. Gates have another suite.
// Until Close the test cases are in a temporary file.
func NewJUnit(w io.Writer, o Options) (Writer, error) {
	f, err := os.CreateTemp("", "badger-junit-")
	if err != nil {
		return nil, errcode.New(errcode.Unavailable, "JUnit: no temporary file can be made: %w", err)
	}
	return &junit{w: w, o: o, spool: f, cases: bufio.NewWriter(f), suites: map[scoring.RunID]*suite{}}, nil
}

// maxCase is the maximum number of bytes of text in a test case; servers reject or cut longer ones.
const maxCase = 60_000

// Add writes the test case of an answer to the spool.
func (j *junit) Add(a *Answer) error {
	key := scoring.RunID{ID: a.RunID, By: a.By}
	s := j.suites[key]
	if s == nil {
		s = &suite{means: map[string]*sum{}}
		j.suites[key] = s
	}
	for i := range a.Scores {
		known := j.known(a.Scores[i].Metric)
		of := known.Counted(a.Scores[i])
		missing := of.Unanswered() && (known == nil || !known.LowerIsBetter) // it counts as 0
		if of.Status == scoring.StatusOK || missing {
			m := s.means[of.Metric]
			if m == nil {
				m = &sum{}
				s.means[strings.Clone(of.Metric)] = m
			}
			if m.n++; !missing {
				m.total += of.Value
			}
		}
	}
	s.tests++
	var b strings.Builder
	b.WriteString(
		`    <testcase name="` + attribute(a.CaseID) + `" classname="` + string(suitePlace) + attribute(className(a)) + `">`)
	what, kind := "", ""
	relation, difference := a.difference()
	outcome, by := a.verdict(j.o.Metric)
	switch outcome {
	case Failed:
		if what, kind = "failure", cmp.Or(relation, by); by != j.o.Metric {
			kind = a.Score(by).Label
		}
		s.failures++
	case Unanswered:
		what, kind = "failure", string(Unanswered)
		s.failures++
	case Error:
		what, kind = "error", a.Score(j.o.Metric).Code.String()
		s.errors++
	case Abstained, NotApplicable, Unscored:
		what = "skipped"
		s.skipped++
	}
	if what != "" {
		b.WriteString("\n      <" + what + ` message="` + attribute(a.reason(by)) + `"`)
		if kind != "" {
			b.WriteString(` type="` + attribute(kind) + `"`)
		}
		if what == "skipped" {
			b.WriteString("/>")
		} else {
			b.WriteString(">" + j.body(a, by, difference) + "</" + what + ">")
		}
		b.WriteString("\n    ")
	}
	b.WriteString("</testcase>\n")
	from := j.size
	j.size += int64(b.Len())
	if n := len(s.parts) - 1; n >= 0 && s.parts[n].to == from {
		s.parts[n].to = j.size
	} else {
		s.parts = append(s.parts, part{from, j.size})
	}
	_, err := j.cases.WriteString(b.String())
	return err
}

// body returns the text of a failure by a metric: value, reasons and question.
func (j *junit) body(a *Answer, by, difference string) string {
	var b strings.Builder
	add := func(label, text string) {
		if text != "" {
			b.WriteString("\n" + label + ": " + oneLine(text))
		}
	}
	b.WriteString(by + " " + shownValue(a.Score(by)))
	add("reason", a.reason(by))
	add("why they differ", difference)
	add("question", a.Question)
	return element(cut(b.String(), maxCase))
}

// known returns the metric with this name, or nil if it is not among the known ones.
func (j *junit) known(metric string) *scoring.Metric {
	if i := slices.IndexFunc(j.o.Known, func(m scoring.Metric) bool { return m.Name == metric }); i >= 0 {
		return &j.o.Known[i]
	}
	return nil
}

// className returns the class of a test case: tier, else first tag, else "cases". Dots, which separate classes, are
// replaced.
func className(a *Answer) string {
	name := a.Tier
	if name == "" && len(a.Tags) > 0 {
		name = a.Tags[0]
	}
	return strings.ReplaceAll(cmp.Or(name, "cases"), ".", "_")
}

// suiteName returns the name of a suite. It does not depend on the run's ID, since servers identify a suite by it.
func suiteName(k scoring.RunID) string {
	name := strings.Join(strings.Fields(report.Agent{Name: k.Agent, Version: k.Version}.Shown()), " ")
	if k.Batch != "" {
		name = strings.TrimSpace(name + " " + k.Batch)
	}
	return name
}

// Close writes the document and removes the temporary file.
func (j *junit) Close() error {
	defer func() {
		_ = j.spool.Close()
		_ = os.Remove(j.spool.Name())
	}()
	if err := j.cases.Flush(); err != nil {
		return errcode.New(errcode.ResourceExhausted, "JUnit: the temporary file cannot be written: %w", err)
	}
	keys := slices.SortedFunc(maps.Keys(j.suites), func(a, b scoring.RunID) int {
		return cmp.Or(printable.CompareNatural(a.ID, b.ID), printable.CompareNatural(a.Agent, b.Agent),
			printable.CompareVersions(a.Version, b.Version), printable.CompareNatural(a.Batch, b.Batch))
	})
	w := bufio.NewWriter(j.w)
	_, _ = w.WriteString(xml.Header + `<testsuites name="badger">` + "\n")
	for _, k := range keys {
		prefix := "" // servers know a test again by its class and name, over files and versions
		if len(keys) > 1 {
			prefix = attribute(strings.ReplaceAll(suiteName(k), ".", "_")) + "."
		}
		if err := j.suite(w, k, prefix); err != nil {
			return err
		}
	}
	j.gateSuite(w)
	_, _ = w.WriteString("</testsuites>\n")
	return w.Flush()
}

// gateSuite writes a test suite with a test case for each gate, in the order of the messages about them.
func (j *junit) gateSuite(w *bufio.Writer) {
	if len(j.gates) == 0 {
		return
	}
	failures := 0
	for _, g := range j.gates {
		if !g.Passed {
			failures++
		}
	}
	_, _ = w.WriteString(`  <testsuite name="gates" tests="` + strconv.Itoa(len(j.gates)) + `" failures="` +
		strconv.Itoa(failures) + `" errors="0" skipped="0">` + "\n")
	for i, g := range j.gates {
		_, _ = w.WriteString(`    <testcase name="gate ` + strconv.Itoa(i+1) + `" classname="gates">` + "\n      ")
		if text := cut(g.Text, maxCase); g.Passed {
			_, _ = w.WriteString("<system-out>" + element(text) + "</system-out>")
		} else {
			_, _ = w.WriteString(`<failure message="` + attribute(text) + `" type="gate"/>`)
		}
		_, _ = w.WriteString("\n    </testcase>\n")
	}
	_, _ = w.WriteString("  </testsuite>\n")
}

func (j *junit) suite(w *bufio.Writer, k scoring.RunID, prefix string) error {
	s := j.suites[k]
	_, _ = w.WriteString(
		`  <testsuite name="` + attribute(suiteName(k)) + `" tests="` + strconv.Itoa(s.tests) + `" failures="` +
			strconv.Itoa(s.failures) +
			`" errors="` + strconv.Itoa(s.errors) + `" skipped="` + strconv.Itoa(s.skipped) + "\">\n    <properties>\n")
	property := func(name, value string) {
		_, _ = w.WriteString(`      <property name="` + attribute(name) + `" value="` + attribute(value) + "\"/>\n")
	}
	property("eval_run_id", k.ID)
	property("agent_name", k.Agent)
	property("agent_version", k.Version)
	property("batch_id", k.Batch)
	if status := j.o.status(); status != "" {
		property("run_status", status)
	}
	property("metric", j.o.Metric)
	for _, m := range j.o.Metrics {
		if of := s.means[m]; of != nil {
			property("mean "+m, report.Value(of.total/float64(of.n)))
		}
	}
	_, _ = w.WriteString("    </properties>\n")
	r := bufio.NewReader(nil)
	for _, p := range s.parts {
		r.Reset(io.NewSectionReader(j.spool, p.from, p.to-p.from))
		for {
			b, err := r.ReadByte()
			if err == io.EOF {
				break
			}
			if err != nil {
				return errcode.New(errcode.DataLoss, "JUnit: the temporary file cannot be read: %w", err)
			}
			if b == suitePlace {
				_, _ = w.WriteString(prefix)
				continue
			}
			_ = w.WriteByte(b)
		}
	}
	_, err := w.WriteString("  </testsuite>\n")
	return err
}

// attribute escapes text from data for an XML attribute, on one line. Characters that XML 1.0 forbids become escapes.
func attribute(s string) string { return element(oneLine(s)) }

// element escapes text for an XML element.
func element(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // never fails
	return strings.ReplaceAll(b.String(), "&#xA;", "\n")
}
