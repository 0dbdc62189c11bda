package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"github.com/badger-eval/badger/internal/caseview"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/internal/report"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/store"
)

var update = flag.Bool("update", false, "write golden files anew; look at them before they are committed")

func verdict(metric string, value float64, reason string) scoring.Score {
	passed := value >= 0.9
	return scoring.Score{Metric: metric, Version: 2, Status: scoring.StatusOK, Value: value, Passed: &passed, Reason: reason}
}

func without(metric string, status scoring.Status, reason string) scoring.Score {
	return scoring.Score{Metric: metric, Version: 2, Status: status, Reason: reason, Code: errcode.DeadlineExceeded}
}

func labelled(metric, label, reason string) scoring.Score {
	return scoring.Score{Metric: metric, Version: 1, Status: scoring.StatusOK, Label: label, Reason: reason}
}

func answer(version, id string, scores ...scoring.Score) *Answer {
	return &Answer{RunID: "r1", AnswerID: scoring.AnswerID{CaseID: id, By: scoring.By{Agent: "atlas", Version: version}}, Tier: "easy", Scores: scores}
}

// sample has an answer of every outcome, in two versions that take turns.
func sample() []*Answer {
	return []*Answer{
		answer("1.0", "c1", verdict("hybrid_ex", 1, "all rows agree"), labelled("relation", "same", "nothing differs")),
		answer("2.0", "c1", verdict("hybrid_ex", 0.25, "1 of 4 rows agrees"), labelled("relation", "rounded", "gold is rounded")),
		answer("1.0", "c2", without("hybrid_ex", scoring.StatusFailed, "time ran out")),
		answer("1.0", "c3", without("hybrid_ex", scoring.StatusAbstained, "nobody is asked")),
		answer("1.0", "c4", without("hybrid_ex", scoring.StatusNotApplicable, "no gold SQL given")),
		answer("1.0", "c5", without("hybrid_ex", scoring.StatusNotApplicable, scoring.NoPredResult)),
		answer("1.0", "c6"),
		answer("1.0", "c7", verdict("ex_bird", 0, "rows differ")),
		answer("2.0", "c8", labelled("hybrid_ex", "", "a value without a verdict")),
		answer("2.0", "c9", verdict("hybrid_ex", 0, "0 of 2 rows agree")),
	}
}

var options = Options{Metric: "hybrid_ex", Metrics: []string{"hybrid_ex", "ex_bird"}, Program: "1.2.3"}

// hostile are texts that mean something in one of the forms.
var hostile = []string{
	"", " ", "'", "''", "=1+1", "-5", "-5+1", "+49 170", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1+1", "'=1", "1e5", "-0.5", "=", "a,b", `a"b`, "a\r\nb", "a\nb", "x ", "<script>alert(1)</script>",
	"]]>", "<!--", "&amp;", "\x00", "\x01\x1b[31m", "\ufffe\uffff", "\xff\xfe", "a\u202eb", "\u200b", "a|b", `a\|b`, `\`, "`", "``a`", "` a", "a`", "@kim", "#12", "https://x.example/", "www.x.example", "a@b.example",
	"[a](https://x.example)", "![a](x)", "**a**", "<https://x.example>", "[a][b]", "{0}", "{{", `\[`, "\U0001f600", strings.Repeat("é", 5000),
}

func write(t testing.TB, w Writer, b *bytes.Buffer, answers []*Answer) string {
	t.Helper()
	for _, a := range answers {
		if err := w.Add(a); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func writeJUnit(t testing.TB, answers []*Answer) string {
	t.Helper()
	var b bytes.Buffer
	w, err := NewJUnit(&b, options)
	if err != nil {
		t.Fatal(err)
	}
	return write(t, w, &b, answers)
}

// everywhere is an answer with a text in every place.
func everywhere(s string) *Answer {
	a := answer(s, s, verdict("hybrid_ex", 0, s), labelled("relation", s, s), verdict(s, 0, s))
	a.RunID, a.Agent, a.Batch, a.Question, a.Tier, a.Tags, a.Place = s, s, s, s, s, []string{s, s}, Place{s, 3}
	a.TagsErr = &scoring.UnreadableTags{Text: s}
	return a
}

func TestOutcome(t *testing.T) {
	want := []Outcome{Passed, Failed, Error, Abstained, NotApplicable, Unanswered, Unanswered, Unscored, Unjudged, Failed}
	for i, a := range sample() {
		if got := a.Outcome("hybrid_ex"); got != want[i] {
			t.Errorf("%s %s: %s, want %s", a.Version, a.CaseID, got, want[i])
		}
	}
}

// The elements of JUnit files, as servers take them: the attributes they may have, those that they
// must, and what may stand in them.
var junitElements = map[string]struct {
	attributes, required, within []string
	text                         bool
}{
	"testsuites": {[]string{"name", "time", "tests", "failures", "errors"}, nil, []string{""}, false},
	"testsuite":  {[]string{"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname", "id", "package", "file"}, []string{"name", "tests", "failures", "errors"}, []string{"testsuites"}, false},
	"properties": {nil, nil, []string{"testsuite"}, false},
	"property":   {[]string{"name", "value"}, []string{"name", "value"}, []string{"properties"}, false},
	"testcase":   {[]string{"name", "classname", "time"}, []string{"name", "classname"}, []string{"testsuite"}, false},
	"failure":    {[]string{"message", "type"}, []string{"message"}, []string{"testcase"}, true},
	"error":      {[]string{"message", "type"}, []string{"message"}, []string{"testcase"}, true},
	"skipped":    {[]string{"message", "type"}, nil, []string{"testcase"}, true},
}

type junitDocument struct {
	Suites []struct {
		Name       string `xml:"name,attr"`
		Tests      int    `xml:"tests,attr"`
		Failures   int    `xml:"failures,attr"`
		Errors     int    `xml:"errors,attr"`
		Skipped    int    `xml:"skipped,attr"`
		Properties []struct {
			Name  string `xml:"name,attr"`
			Value string `xml:"value,attr"`
		} `xml:"properties>property"`
		Cases []junitCase `xml:"testcase"`
	} `xml:"testsuite"`
}

type junitCase struct {
	Name    string      `xml:"name,attr"`
	Class   string      `xml:"classname,attr"`
	Failure []junitSaid `xml:"failure"`
	Error   []junitSaid `xml:"error"`
	Skipped []junitSaid `xml:"skipped"`
}

type junitSaid struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// parseJUnit reads a document and holds it to the rules of the form.
func parseJUnit(t *testing.T, text string) (doc junitDocument) {
	t.Helper()
	for _, r := range text {
		if r != '\t' && r != '\n' && r != '\r' && (r < 0x20 || r > 0xd7ff && r < 0xe000 || r > 0xfffd && r < 0x10000) {
			t.Fatalf("XML 1.0 has no character %U", r)
		}
	}
	d := xml.NewDecoder(strings.NewReader(text))
	within := []string{""}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%.2000s", err, text)
		}
		switch e := token.(type) {
		case xml.StartElement:
			rule, known := junitElements[e.Name.Local]
			if !known || !slices.Contains(rule.within, within[len(within)-1]) {
				t.Fatalf("<%s> in <%s>", e.Name.Local, within[len(within)-1])
			}
			var there []string
			for _, a := range e.Attr {
				if there = append(there, a.Name.Local); !slices.Contains(rule.attributes, a.Name.Local) {
					t.Errorf("<%s %s>", e.Name.Local, a.Name.Local)
				}
			}
			for _, name := range rule.required {
				if !slices.Contains(there, name) {
					t.Errorf("<%s> without %s", e.Name.Local, name)
				}
			}
			within = append(within, e.Name.Local)
		case xml.EndElement:
			within = within[:len(within)-1]
		case xml.CharData:
			if !junitElements[within[len(within)-1]].text && strings.TrimSpace(string(e)) != "" {
				t.Errorf("<%s> holds %q", within[len(within)-1], e)
			}
		case xml.Comment, xml.Directive:
			t.Errorf("%T", e)
		}
	}
	if err := xml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	for _, s := range doc.Suites {
		failures, errs, skipped := 0, 0, 0
		for _, c := range s.Cases {
			failures, errs, skipped = failures+len(c.Failure), errs+len(c.Error), skipped+len(c.Skipped)
			if len(c.Failure)+len(c.Error)+len(c.Skipped) > 1 {
				t.Errorf("%s is several things", c.Name)
			}
		}
		if s.Tests != len(s.Cases) || s.Failures != failures || s.Errors != errs || s.Skipped != skipped {
			t.Errorf("suite %s says %d %d %d %d, and holds %d %d %d %d", s.Name, s.Tests, s.Failures, s.Errors, s.Skipped, len(s.Cases), failures, errs, skipped)
		}
	}
	return doc
}

func TestJUnit(t *testing.T) {
	doc := parseJUnit(t, writeJUnit(t, sample()))
	if len(doc.Suites) != 2 || doc.Suites[0].Name != "atlas 1.0" || doc.Suites[1].Name != "atlas 2.0" {
		t.Fatalf("%+v", doc.Suites)
	}
	got := map[string]string{}
	for _, s := range doc.Suites {
		for _, c := range s.Cases {
			said := "passed"
			for what, list := range map[string][]junitSaid{"failure": c.Failure, "error": c.Error, "skipped": c.Skipped} {
				for _, x := range list {
					said = what + "|" + x.Message + "|" + x.Type
				}
			}
			got[c.Class+" "+c.Name] = said
		}
	}
	want := map[string]string{
		"atlas 1_0.easy c1": "passed",
		"atlas 1_0.easy c2": "error|time ran out|deadline_exceeded",
		"atlas 1_0.easy c3": "skipped|nobody is asked|",
		"atlas 1_0.easy c4": "skipped|no gold SQL given|",
		"atlas 1_0.easy c5": "failure|" + scoring.NoPredResult + "|unanswered",
		"atlas 1_0.easy c6": "failure|the agent gave no answer|unanswered",
		"atlas 1_0.easy c7": "skipped|the run holds no score of hybrid_ex|",
		"atlas 2_0.easy c1": "failure|1 of 4 rows agrees|rounded",
		"atlas 2_0.easy c8": "passed",
		"atlas 2_0.easy c9": "failure|0 of 2 rows agree|hybrid_ex",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if text := doc.Suites[1].Cases[0].Failure[0].Text; !strings.Contains(text, "hybrid_ex 0.250") || !strings.Contains(text, "why they differ: gold is rounded") {
		t.Errorf("the failure says %q", text)
	}
	properties := map[string]string{}
	for _, p := range doc.Suites[1].Properties {
		properties[p.Name] = p.Value
	}
	if properties["mean hybrid_ex"] != "0.083" || properties["agent_version"] != "2.0" || properties["eval_run_id"] != "r1" {
		t.Errorf("%v", properties)
	}
	one := parseJUnit(t, writeJUnit(t, []*Answer{answer("1.0", "c1", verdict("hybrid_ex", 1, ""))}))
	if class := one.Suites[0].Cases[0].Class; class != "easy" {
		t.Errorf("the class of a test in the only suite is %q, which changes with the version", class)
	}
	if doc := parseJUnit(t, writeJUnit(t, nil)); len(doc.Suites) != 0 {
		t.Errorf("%+v", doc)
	}
}

// TestJUnitHostile holds that whatever a text is, it comes out as the text that terminals show.
func TestJUnitHostile(t *testing.T) {
	for _, s := range hostile {
		doc := parseJUnit(t, writeJUnit(t, []*Answer{everywhere(s)}))
		c := doc.Suites[0].Cases[0]
		if len(s) < maxText && (c.Name != printable.Text(s) || c.Failure[0].Message != printable.Text(s)) {
			t.Errorf("%q: %+v", s, c)
		}
		if n := len(c.Failure[0].Text); n > 64<<10 {
			t.Errorf("a failure of %d bytes", n)
		}
	}
}

// TestJUnitSpool holds that nothing stays behind.
func TestJUnitSpool(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	writeJUnit(t, sample())
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil || len(left) != 0 {
		t.Errorf("%v %v", left, err)
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	if _, err := NewJUnit(io.Discard, options); errcode.Of(err) != errcode.Unavailable {
		t.Errorf("no folder for temporary files: %v", err)
	}
}

func writeCSV(t testing.TB, answers []*Answer) string {
	t.Helper()
	var b bytes.Buffer
	return write(t, newCSV(&b, options), &b, answers)
}

func TestCSV(t *testing.T) {
	a := answer("2.0", "c1", verdict("hybrid_ex", 0.1, "a, b"), without("ex_bird", scoring.StatusFailed, ""), labelled("relation", "rounded", "gold is \"rounded\""))
	a.Tags, a.Question = []string{"x", "y"}, "=1+1"
	b := answer("2.0", "-7", scoring.Score{Metric: "ex_bird", Status: scoring.StatusOK, Value: -0.5})
	b.Tier = ""
	usd, in, took := scoring.USD(123456789012345678), int64(1840), 57500*time.Microsecond
	b.Spent = &scoring.Spent{CostUSD: &usd, TokensIn: &in, Latency: &took}
	want := "eval_run_id,agent_name,agent_version,batch_id,case_id,question,tier,tags,unreadable_tags,outcome,reason,relation,difference,tokens_in,tokens_out,cost_usd,latency_ms,score_hybrid_ex,score_ex_bird,outcome_hybrid_ex,outcome_ex_bird\r\n" +
		"r1,atlas,2.0,,c1,'=1+1,easy,x;y,,failed,\"a, b\",rounded,\"gold is \"\"rounded\"\"\",,,,,0.1,,failed,error\r\n" +
		"r1,atlas,2.0,,-7,,,,,unscored,the run holds no score of hybrid_ex,,,1840,,123456.789012345678,57.5,,-0.5,unscored,unjudged\r\n"
	if got := writeCSV(t, []*Answer{a, b}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// parseCSV reads RFC 4180. Package encoding/csv changes line ends within fields.
func parseCSV(t *testing.T, text string) (lines [][]string) {
	t.Helper()
	var line []string
	for text != "" {
		field := ""
		if quoted, ok := strings.CutPrefix(text, `"`); ok {
			for text = quoted; ; {
				part, rest, closed := strings.Cut(text, `"`)
				if !closed {
					t.Fatalf("a quote is not closed: %q", text)
				}
				field, text = field+part, rest
				if again, escaped := strings.CutPrefix(text, `"`); escaped {
					field, text = field+`"`, again
					continue
				}
				break
			}
		} else {
			n := strings.IndexAny(text, ",\r\n")
			field, text = text[:n], text[n:]
		}
		line = append(line, field)
		switch {
		case strings.HasPrefix(text, "\r\n"):
			lines, line, text = append(lines, line), nil, text[2:]
		case strings.HasPrefix(text, ","):
			text = text[1:]
		default:
			t.Fatalf("a field ends with %.20q", text)
		}
	}
	return lines
}

// TestCSVHostile holds that no text begins as a formula, that numbers stay numbers, and that one
// apostrophe less gives the text again.
func TestCSVHostile(t *testing.T) {
	texts := slices.Clone(hostile)
	r := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune("=+-@\t\r\n'\", ;;1e.5a＝\u00a0")
	for range 2000 {
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteRune(alphabet[r.IntN(len(alphabet))])
		}
		texts = append(texts, b.String())
	}
	for _, s := range texts {
		text := writeCSV(t, []*Answer{everywhere(s)})
		lines := parseCSV(t, text)
		if len(lines) != 2 {
			t.Fatalf("%q: %q", s, lines)
		}
		want := regexp.MustCompile(`[\x{80}-\x{9f}]`).ReplaceAllString(strings.ToValidUTF8(s, "\ufffd"), "\ufffd")
		for c, picture := range map[string]string{"\x00": "␀", "\x01": "␁", "\x1b": "␛", "\x7f": "␡", "\a": "␇", "\b": "␈", "\v": "␋", "\f": "␌"} {
			want = strings.ReplaceAll(want, c, picture)
		}
		want = strings.ReplaceAll(want, "\u202e", "U+202E")
		for _, column := range []int{0, 1, 2, 3, 4, 5, 6, 8, 10, 12} {
			got := lines[1][column]
			if _, err := strconv.ParseFloat(strings.TrimPrefix(got, "+"), 64); err != nil && regexp.MustCompile(`^[\s\x{a0}\x{feff}]*[=+\-@＝＋－＠]|^[\t\r\n]`).MatchString(got) {
				t.Errorf("%q comes out as %q", s, got)
			}
			if strings.TrimPrefix(got, "'") != want {
				t.Errorf("%q comes out as %q", s, got)
			}
			if plain := regexp.MustCompile(`^-?\d+(\.\d+)?$`).MatchString(s); plain && got != s {
				t.Errorf("the number %s comes out as %s", s, got)
			}
		}
	}
}

// No form that people print holds a character that a terminal obeys or that turns the direction of
// writing, but for tabs and line ends.
func TestTerminalsObeyNothing(t *testing.T) {
	var all strings.Builder
	for r := rune(0); r < 0xa0; r++ {
		all.WriteRune(r)
	}
	all.WriteString("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
	a := everywhere(all.String())
	summary := report.NewSummary(report.SummaryOptions{})
	for _, s := range a.Scores {
		summary.Add(s, report.Case{Question: a.Question, AnswerID: a.AnswerID})
	}
	var lines, markdown bytes.Buffer
	forms := map[string]string{"CSV": writeCSV(t, []*Answer{a}), "SARIF": writeSARIF(t, []*Answer{a}), "JUnit": writeJUnit(t, []*Answer{a}), "JSON Lines": write(t, newJSONLines(&lines, options), &lines, []*Answer{a})}
	if err := Markdown(&markdown, summary.Figures(), MarkdownOptions{}); err != nil {
		t.Fatal(err)
	}
	forms["Markdown"] = markdown.String()
	for form, text := range forms {
		for _, r := range text {
			if (r < 0x20 || r >= 0x7f && r < 0xa0) && r != '\t' && r != '\r' && r != '\n' || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("%s holds U+%04X", form, r)
			}
		}
	}
	var back jsonAnswer
	if err := json.Unmarshal(lines.Bytes(), &back); err != nil || back.CaseID != all.String() {
		t.Errorf("JSON Lines lose characters: %v %q", err, back.CaseID)
	}
}

// Lists of tags that differ are told apart.
func TestTagsAreTakenApart(t *testing.T) {
	for want, tags := range map[string][]string{"": nil, "sales": {"sales"}, "a;b": {"a", "b"}, `a\;b`: {"a;b"}, `a\\;b`: {`a\`, "b"}, `a\\\;b`: {`a\;b`}} {
		a := answer("1.0", "c1", verdict("hybrid_ex", 1, ""))
		a.Tags = tags
		var b bytes.Buffer
		w := newCSV(&b, Options{Metric: "hybrid_ex"})
		if err := errors.Join(w.Add(a), w.Close()); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if got := lines[1][slices.Index(csvColumns, "tags")]; got != want {
			t.Errorf("%q is %s, want %s", tags, got, want)
		}
	}
}

// Tags that cannot be read stand as they are, and are told from none.
func TestUnreadableTagsAreKept(t *testing.T) {
	none, torn := answer("1", "c1", verdict("hybrid_ex", 1, "")), answer("1", "c2", verdict("hybrid_ex", 1, ""))
	torn.Tags, torn.TagsErr = scoring.ParseTags(`["sales",`)
	answers := []*Answer{none, torn}
	lines := parseCSV(t, writeCSV(t, answers))
	tags, unreadable := slices.Index(lines[0], "tags"), slices.Index(lines[0], "unreadable_tags")
	for i, want := range []string{"", `["sales",`} {
		if got := lines[i+1]; got[tags] != "" || got[unreadable] != want {
			t.Errorf("CSV has the tags %q and %q, want none and %q", got[tags], got[unreadable], want)
		}
	}
	var b bytes.Buffer
	var got []map[string]any
	for line := range strings.Lines(write(t, newJSONLines(&b, options), &b, answers)) {
		var a map[string]any
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		got = append(got, a)
	}
	if _, there := got[0]["unreadable_tags"]; there || got[1]["unreadable_tags"] != `["sales",` {
		t.Errorf("JSON Lines have %v and %v", got[0], got[1])
	}
	torn.Withhold(maskOf(t, "email"))
	if text := writeCSV(t, answers); strings.Contains(text, "sales") {
		t.Errorf("a masked run shows tags: %s", text)
	}
}

func maskOf(t *testing.T, columns ...string) *caseview.Mask {
	t.Helper()
	m, err := caseview.NewMask(columns, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The class of a test case is that of its accepted query, whatever became of the answer: servers know a
// test again by its class and name.
func TestTheClassOfATestStays(t *testing.T) {
	asked := store.Question{Text: "how many?", Tags: []string{"sales"}}
	complexity := func(label, reason string) scoring.Score { return labelled("sql_complexity", label, reason) }
	for _, tc := range []struct {
		why    string
		asked  store.Question
		scores []scoring.Score
		want   string
	}{
		{"scored", asked, []scoring.Score{complexity("easy", "no complex part; the tier is by the sizes of the clauses"), verdict("hybrid_ex", 1, "")}, "easy"},
		{"missing", asked, []scoring.Score{complexity("easy", "no complex part; the tier is by the sizes of the clauses"), without("hybrid_ex", scoring.StatusNotApplicable, scoring.NoAnswer)}, "easy"},
		{"not read", asked, []scoring.Score{without("hybrid_ex", scoring.StatusFailed, "no JSON"), complexity("easy", "no complex part; the tier is by the sizes of the clauses")}, "easy"},
		{"the metric was not asked for: the tag", asked, []scoring.Score{verdict("hybrid_ex", 1, "")}, "sales"},
		{"the question is not in the set, the score says it", store.Question{}, []scoring.Score{complexity("extra_hard", "complex parts: a subquery in WHERE, UNION, INTERSECT or EXCEPT")}, "extra hard"},
		{"no accepted query", store.Question{Tags: []string{"sales"}}, []scoring.Score{without("sql_complexity", scoring.StatusNotApplicable, "no gold SQL given")}, "sales"},
		{"nothing is known", store.Question{}, nil, "cases"},
	} {
		a := Of("r1", &store.ScoredAnswer{AnswerID: scoring.AnswerID{CaseID: "c1", By: scoring.By{Agent: "atlas", Version: "1.0"}}, Question: tc.asked, Scores: tc.scores})
		if got := parseJUnit(t, writeJUnit(t, []*Answer{a})).Suites[0].Cases[0].Class; got != tc.want {
			t.Errorf("%s: the class is %q, want %q", tc.why, got, tc.want)
		}
	}
}

// TestCSVLines holds that line ends within fields are what they were: RFC 4180 keeps them.
func TestCSVLines(t *testing.T) {
	a := answer("1", "a\nb\r\nc\rd", verdict("hybrid_ex", 1, ""))
	if got := writeCSV(t, []*Answer{a}); !strings.Contains(got, ",\"a\nb\r\nc\rd\",") {
		t.Errorf("%q", got)
	}
}

func TestJSONLines(t *testing.T) {
	var b bytes.Buffer
	a := answer("2.0", "c1", verdict("hybrid_ex", 0.1, "<b>"), without("ex_bird", scoring.StatusFailed, "late"))
	text := write(t, newJSONLines(&b, options), &b, []*Answer{a, answer("2.0", "c2")})
	want := `{"eval_run_id":"r1","agent_name":"atlas","agent_version":"2.0","batch_id":"","case_id":"c1","tier":"easy","metric":"hybrid_ex","outcome":"failed","scores":[` +
		`{"metric":"hybrid_ex","metric_version":2,"status":"ok","value":0.1,"passed":false,"reason":"<b>"},` +
		`{"metric":"ex_bird","metric_version":2,"status":"failed","value":null,"passed":null,"reason":"late","code":"deadline_exceeded"}]}` + "\n" +
		`{"eval_run_id":"r1","agent_name":"atlas","agent_version":"2.0","batch_id":"","case_id":"c2","tier":"easy","metric":"hybrid_ex","outcome":"unanswered","scores":[]}` + "\n"
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	for _, s := range hostile {
		var b bytes.Buffer
		text := write(t, newJSONLines(&b, options), &b, []*Answer{everywhere(s)})
		var got jsonAnswer
		if err := json.Unmarshal([]byte(text), &got); err != nil || strings.Count(text, "\n") != 1 {
			t.Fatalf("%q: %v", s, err)
		}
		if utf8.ValidString(s) && (got.CaseID != s || got.Scores[0].Reason != s || got.Torn != s) {
			t.Errorf("%q: %+v", s, got)
		}
	}
}

func writeSARIF(t testing.TB, answers []*Answer) string {
	t.Helper()
	var b bytes.Buffer
	return write(t, NewSARIF(&b, options), &b, answers)
}

type sarifDocument struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Version string
				Rules   []sarifRule
			}
		}
		Details struct{ ID string } `json:"automationDetails"`
		Results []sarifResult
	}
}

// checkSARIF parses a document, and holds that its results name its rules. Where
// BADGER_SARIF_SCHEMA names the schema of SARIF 2.1.0, such as the one in the npm package
// @microsoft/jest-sarif, the document is held to it too.
func checkSARIF(t *testing.T, text string) (d sarifDocument) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatalf("%v\n%.500s", err, text)
	}
	if path := os.Getenv("BADGER_SARIF_SCHEMA"); path != "" {
		schema, err := jsonschema.NewCompiler().Compile(path)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%v in\n%.3000s", err, text)
		}
	}
	for _, r := range d.Runs[0].Results {
		rules := d.Runs[0].Tool.Driver.Rules
		if r.RuleIndex >= len(rules) || rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("%s names the rule %d of %d", r.RuleID, r.RuleIndex, len(rules))
		}
	}
	return d
}

func TestSARIF(t *testing.T) {
	if os.Getenv("BADGER_SARIF_SCHEMA") == "" {
		t.Log("BADGER_SARIF_SCHEMA does not name the schema of SARIF 2.1.0; the document is not held to it")
	}
	answers := sample()
	answers[1].Place = Place{"cases/a b.jsonl", 7}
	answers[1].Question = "How many?"
	d := checkSARIF(t, writeSARIF(t, answers))
	var got []string
	for _, r := range d.Runs[0].Results {
		got = append(got, r.Locations[0].Logical[0].Full+" "+r.RuleID+" "+r.Level)
	}
	want := []string{"atlas/2.0//c1 relation/rounded error", "atlas/1.0//c2 not_scored warning", "atlas/1.0//c5 unanswered error", "atlas/1.0//c6 unanswered error", "atlas/2.0//c9 metric/hybrid_ex error"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	first := d.Runs[0].Results[0]
	if p := first.Locations[0].Physical; p == nil || p.Artifact.URI != "cases/a%20b.jsonl" || p.Region.Line != 7 {
		t.Errorf("%+v", p)
	}
	if want := "c1 (atlas 2.0): 1 of 4 rows agrees\nWhy they differ: gold is rounded\nQuestion: How many?"; first.Message.Text != want {
		t.Errorf("%q, want %q", first.Message.Text, want)
	}
	if id := d.Runs[0].Details.ID; id != "badger/r1" {
		t.Errorf("id %q", id)
	}
	// A server knows a result again in the next version and run, and tells it from others.
	again := answer("3.0", "c1", answers[1].Scores...)
	again.RunID = "r2"
	other := answer("2.0", "c10", answers[1].Scores...)
	later := checkSARIF(t, writeSARIF(t, []*Answer{again, other})).Runs[0]
	if id := func(r sarifResult) string { return r.Fingerprints["badgerCase/v1"] }; id(later.Results[0]) != id(first) || id(later.Results[1]) == id(first) {
		t.Errorf("%v %v %v", first.Fingerprints, later.Results[0].Fingerprints, later.Results[1].Fingerprints)
	}
	if later.Details.ID != "badger/" {
		t.Errorf("two runs have the id %q", later.Details.ID)
	}
	if d := checkSARIF(t, writeSARIF(t, nil)); len(d.Runs[0].Results) != 0 {
		t.Errorf("%+v", d)
	}
	for _, s := range hostile {
		checkSARIF(t, writeSARIF(t, []*Answer{everywhere(s)}))
	}
	if got, want := message("[a](b) {0} \\n", "c"), `\[a\](b) {{0}} \\\\n`+"\nc"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// figures sums up answers.
func figures(answers []*Answer) *report.Figures {
	s := report.NewSummary(report.SummaryOptions{})
	for _, a := range answers {
		for _, score := range a.Scores {
			s.Add(score, report.Case{AnswerID: a.AnswerID, Question: a.Question, Tier: a.Tier})
		}
	}
	return s.Figures()
}

func writeMarkdown(t *testing.T, f *report.Figures, o MarkdownOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := Markdown(&b, f, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMarkdown(t *testing.T) {
	answers := append(sample(), answer("2.0", "c2", verdict("hybrid_ex", 1, "")), answer("1.0", "c9", verdict("hybrid_ex", 1, "")))
	got := writeMarkdown(t, figures(answers), MarkdownOptions{Run: "r1", Report: "report.html"})
	golden := filepath.Join("testdata", "summary.md")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || got != string(want) {
		t.Errorf("%v, got\n%s", err, got)
	}
}

// TestMarkdownHostile holds that what comes from data makes no element, and is in code whole.
func TestMarkdownHostile(t *testing.T) {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	for _, s := range hostile {
		a, b := everywhere(s), everywhere(s)
		b.Version += "2"
		b.Scores[0] = verdict("hybrid_ex", 0.5, s)
		text := writeMarkdown(t, figures([]*Answer{a, b}), MarkdownOptions{Run: s, Report: s})
		var html bytes.Buffer
		if err := md.Convert([]byte(text), &html); err != nil {
			t.Fatal(err)
		}
		doc, err := goquery.NewDocumentFromReader(&html)
		if err != nil {
			t.Fatal(err)
		}
		if n := doc.Find("a, img, script, em, del, blockquote, pre, body > :not(h2):not(h3):not(p):not(ul):not(table)").Length(); n > 0 {
			t.Errorf("%q makes elements:\n%s", s, text)
		}
		doc.Find("tr").Each(func(_ int, row *goquery.Selection) {
			if cells, columns := row.Children().Length(), row.Closest("table").Find("th").Length(); cells != columns {
				t.Errorf("%q: a row of %d cells under %d columns", s, cells, columns)
			}
		})
		shown := printable.Text(s)
		if s == "" || len(s) > markdownText || strings.Contains(shown, `\|`) {
			continue
		}
		found := false
		doc.Find("code").Each(func(_ int, c *goquery.Selection) { found = found || c.Text() == shown })
		if !found {
			t.Errorf("%q is nowhere as it is in\n%s", s, text)
		}
		doc.Find("code").Remove()
		if left := doc.Text(); len(s) > 3 && strings.Contains(left, shown) {
			t.Errorf("%q stands outside of code", s)
		}
	}
}

// TestMarkdownShort holds the limit of summaries with as much as there can be in them.
func TestMarkdownShort(t *testing.T) {
	var answers []*Answer
	long := strings.Repeat("long | ", 1000)
	for v := range 30 {
		for c := range 20 {
			a := answer(fmt.Sprint(v), fmt.Sprint(c), labelled("relation", "other", long))
			for m := range 20 {
				a.Scores = append(a.Scores, verdict(fmt.Sprint("metric", m), 1/float64(v+c+m+1), long))
			}
			a.Question = long
			answers = append(answers, a)
		}
	}
	text := writeMarkdown(t, figures(answers), MarkdownOptions{})
	if len(text) > 60_000 || !strings.Contains(text, "and 13 more metrics, 22 earlier versions") {
		t.Errorf("%d bytes\n%.3000s", len(text), text)
	}
}

// TestSameBytes holds that the same answers give the same bytes.
func TestSameBytes(t *testing.T) {
	all := func() string {
		return writeJUnit(t, sample()) + writeCSV(t, sample()) + writeSARIF(t, sample())
	}
	first := all()
	for range 5 {
		if all() != first {
			t.Fatal("the bytes change")
		}
	}
}

// failing is a writer that takes some bytes and no more.
type failing struct{ left int }

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errors.New("the disk is full")
	}
	return len(b), nil
}

// Each output is known as one, and a result is not.
func TestWrote(t *testing.T) {
	var markdown strings.Builder
	if err := Markdown(&markdown, figures(sample()), MarkdownOptions{}); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	j := newJSONLines(&lines, options)
	if err := j.Add(answer("1", "c", verdict("hybrid_ex", 0, "r"))); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		text string
		want bool
	}{
		{writeJUnit(t, sample()), true}, {writeCSV(t, sample()), true}, {writeSARIF(t, sample()), true}, {lines.String(), true}, {markdown.String(), true},
		{"<!DOCTYPE html>\n<html>", true}, {`{"case_id":"1","metric":"ex_bird","metric_version":3,"status":"ok"}`, true},
		{"", false}, {"n\n1\n", false}, {"case_id,agent_name\n1,a\n", false}, {`{"case_id":"1","metric":2}`, false}, {`{"columns":[],"rows":[]}`, false}, {"# badger\n", false},
	} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := Wrote(path); got != tc.want {
			t.Errorf("%.60q: %t, want %t", tc.text, got, tc.want)
		}
	}
	if Wrote(filepath.Join(t.TempDir(), "none")) {
		t.Error("a file that does not exist")
	}
}

// TestFailingWriter holds that an error of writing is told at the end at the latest.
func TestFailingWriter(t *testing.T) {
	for name, open := range map[string]func(io.Writer) (Writer, error){
		"junit": func(w io.Writer) (Writer, error) { return NewJUnit(w, options) },
		"csv":   func(w io.Writer) (Writer, error) { return newCSV(w, options), nil },
		"sarif": func(w io.Writer) (Writer, error) { return NewSARIF(w, options), nil },
		"jsonl": func(w io.Writer) (Writer, error) { return newJSONLines(w, options), nil },
	} {
		for _, left := range []int{0, 5000} {
			w, err := open(&failing{left})
			if err != nil {
				t.Fatal(err)
			}
			for range 200 {
				if err = w.Add(answer("1", "c", verdict("hybrid_ex", 0, "r"))); err != nil {
					break
				}
			}
			if end := w.Close(); err == nil && end == nil {
				t.Errorf("%s: nobody hears that the disk is full", name)
			}
		}
	}
	if Markdown(&failing{10}, figures(sample()), MarkdownOptions{}) == nil {
		t.Error("Markdown: nobody hears that the disk is full")
	}
}

// Every file format_NAME.go registers a format, and each is found by its name.
func TestEveryFormatFileRegisters(t *testing.T) {
	files, err := filepath.Glob("format_*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	names := map[string]bool{}
	for _, f := range Formats() {
		got, err := FormatNamed(f.Name)
		if err != nil || got.File != f.File || got.Type == "" || names[f.File] {
			t.Errorf("%s: %+v, %v", f.Name, got, err)
		}
		names[f.File] = true
		if w, err := f.New(io.Discard, options); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		} else if err := w.Close(); err != nil {
			t.Errorf("%s without answers: %v", f.Name, err)
		}
	}
	if len(names) != len(files) {
		t.Errorf("%d files, %d formats", len(files), len(names))
	}
	if _, err := FormatNamed("xls"); errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), "csv, jsonl") {
		t.Errorf("xls: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a name that is taken was registered")
		}
	}()
	register(Format{Name: "csv"})
}

// A summary names the filter whose answers it is about, and says why equal counts may have different p-values.
func TestMarkdownNamesItsAnswersAndTests(t *testing.T) {
	p := func(v float64) *float64 { return &v }
	change := func(metric string, adjusted float64) report.MetricChange {
		return report.MetricChange{Metric: metric, N: 30, Of: 30, P: p(.003), PAdjusted: p(adjusted), Chance: "more than chance", Improved: 4, Worse: 19}
	}
	rates := []report.Rate{{N: 30, Mean: p(.5), Coverage: report.CoverageOf(30, 0, 0, 0, 0)}}
	metrics := []report.Metric{{Name: "ex", Rates: rates}, {Name: "bird", Rates: rates}}
	for _, tc := range []struct {
		only    string
		changes []report.MetricChange
		named   string
		note    bool
	}{
		{"", []report.MetricChange{change("ex", .003), change("bird", .006)}, "", true},
		{`batch "d2"`, []report.MetricChange{change("ex", .003)}, ", run `r`, only `batch \"d2\"`\n", false},
	} {
		f := &report.Figures{Scores: 1, Primary: "ex", Metrics: metrics,
			Changes: []report.Change{{From: report.Agent{Version: "1"}, To: report.Agent{Version: "2"}, Metrics: tc.changes}}}
		var b strings.Builder
		if err := Markdown(&b, f, MarkdownOptions{Run: "r", Only: tc.only}); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.Contains(got, tc.named) || strings.Contains(got, "only `") != (tc.only != "") ||
			strings.Contains(got, "p of `ex` is not adjusted") != tc.note {
			t.Errorf("%q:\n%s", tc.only, got)
		}
	}
}

// An answer that would change data, or that should have been declined, is a failure although the primary metric does not
// apply to its question.
func TestObjectionsAreFailures(t *testing.T) {
	na := without("hybrid_ex", scoring.StatusNotApplicable, "no gold SQL given")
	objected := func(metric, label string) scoring.Score {
		s := verdict(metric, 0, "would "+label)
		s.Label = label
		return s
	}
	answers := []*Answer{
		answer("1.0", "drop", na, objected("sql_safety", "drops")),
		answer("1.0", "unread", na, objected("sql_safety", "unknown")),
		answer("1.0", "missed", na, objected("refusal", "missed_refusal")),
		answer("1.0", "held", na, objected("refusal", "over_refusal")),
	}
	for _, tc := range []struct{ format, want string }{
		{"junit", `failures="2" errors="0" skipped="2"`}, {"junit", `type="drops"`}, {"junit", `type="missed_refusal"`},
		{"sarif", `"ruleId":"metric/sql_safety"`}, {"sarif", `"ruleId":"metric/refusal"`},
		{"csv", "failed,would drops"}, {"csv", "failed,would missed_refusal"},
		{"jsonl", `"metric":"refusal","outcome":"failed"`},
		{"markdown", "Answers that would change data, or should have been declined"},
		{"markdown", "| `missed` | `refusal` "},
	} {
		format, err := FormatNamed(tc.format)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		w, err := format.New(&b, options)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range answers {
			if err := w.Add(a); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), tc.want) {
			t.Errorf("%s lacks %s:\n%s", tc.format, tc.want, b.String())
		}
	}
}
