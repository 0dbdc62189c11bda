package store

import (
	"errors"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// The keys of a run in the query of a URL.
const (
	keyRun, keyAgent, keyVersion, keyBatch = "run", "agent", "version", "batch"
)

// RunValues returns a run as the query of a URL. Empty parts are omitted.
func RunValues(r scoring.RunID) url.Values {
	v := url.Values{}
	runInto(v, "", r)
	return v
}

// runInto adds a run to a query, with keys that start with prefix.
func runInto(v url.Values, prefix string, r scoring.RunID) {
	set(v, prefix+keyRun, r.ID)
	set(v, prefix+keyAgent, r.Agent)
	set(v, prefix+keyVersion, r.Version)
	set(v, prefix+keyBatch, r.Batch)
}

func set(v url.Values, key, value string) {
	if value != "" {
		v.Set(key, value)
	}
}

// ParseRun returns the run in the query of a URL. Missing parts are empty.
func ParseRun(v url.Values) scoring.RunID { return parseRun(v, "") }

// ParseBaseline returns the baseline in the query of a URL; the zero value if it has none.
func ParseBaseline(v url.Values) scoring.RunID { return parseRun(v, "base_") }

func parseRun(v url.Values, prefix string) scoring.RunID {
	return scoring.RunID{ID: v.Get(prefix + keyRun),
		By: scoring.By{Agent: v.Get(prefix + keyAgent), Version: v.Get(prefix + keyVersion), Batch: v.Get(prefix + keyBatch)}}
}

// Mode is a subset of a run's cases that a list shows.
type Mode string

// The values of Mode.
const (
	All       Mode = "all"
	Failed    Mode = "failed"    // the primary metric did not pass, or the agent gave no answer
	Passed    Mode = "passed"    // the primary metric passed
	Errors    Mode = "errors"    // a score of any metric failed
	Abstained Mode = "abstained" // the primary metric abstained
	// the primary metric's status or verdict differs from the baseline, or its value if it gives no verdict
	Changed    Mode = "changed"
	Disagrees  Mode = "disagrees" // the primary metric's verdict differs from the human verdict
	Unlabelled Mode = "unlabelled"

	// How the outcome by the primary metric changed since the baseline. A question without an answer did not pass. Only
	// comparable scores count, see [Unlike].
	Broke      Mode = "broke"       // passed in the baseline, but not now
	Fixed      Mode = "fixed"       // passes now, but not in the baseline
	StillWrong Mode = "still_wrong" // passes neither now nor in the baseline
	StillRight Mode = "still_right" // passes now and in the baseline
	Unasked    Mode = "unasked"     // the metric does not apply, although the agent answered
	// verdicts on both sides that are not comparable, such as because the gold answer changed
	NotCompared Mode = "not_compared"
	Added       Mode = "added" // has a verdict now and no score in the baseline
)

// Modes lists the modes in display order.
var Modes = []Mode{All, Failed, Passed, Errors, Abstained, Changed, Disagrees, Unlabelled, Broke, Fixed, StillWrong,
	StillRight, Unasked, NotCompared, Added}

// Columns are the columns of a list other than metrics. status, reason and label are those of the primary metric.
// The status unanswered is a score that is not applicable because the agent gave no answer; other such scores have
// the status not_applicable. people is the human verdict: pass, fail or divided. latency is that of the agent's query,
// in milliseconds. tag is one of the case's tags. tags is the unparsed value of golden_set.tags, for tags that cannot
// be parsed. finding is a finding in the evidence of a score, as KIND:LABEL, such as relation:extra_rows or
// issue:filters_missing. group is the group of the label relation, see [Pages.Grouping].
var Columns = []string{"case", "question", "sql", "gold", "status", "reason", "label", "relation", "group", "tier",
	"finding", "tag", "tags", "database", "dialect", "people", "latency"}

// Op compares a column with a value.
type Op string

// The operations of filters.
const (
	Equal    Op = "="
	NotEqual Op = "!="
	Contains Op = "~"
	Greater  Op = ">"
	Less     Op = "<"
	AtLeast  Op = ">="
	AtMost   Op = "<="
)

// Ops lists the operations in display order.
var Ops = []Op{Equal, NotEqual, Contains, Greater, AtLeast, Less, AtMost}

// ops lists the operations in the order in which a filter's text is matched against them.
var ops = []Op{NotEqual, Equal, Contains, AtLeast, AtMost, Greater, Less}

// ListFilter is one condition on the cases of a list.
//
// Equal and NotEqual compare whole strings; a missing string counts as empty. Contains ignores case. For a metric,
// they compare the score's value, or its label if the filter's value is not a number. An empty filter value selects
// scores without a value.
type ListFilter struct {
	Column string // one of [Columns], or a metric's name
	Op     Op
	Value  string
}

// pattern compiles the search of a state as a regular expression.
func (s *State) pattern() (*regexp.Regexp, error) {
	p, err := regexp.Compile(s.Search)
	if wrong := (*syntax.Error)(nil); errors.As(err, &wrong) {
		return nil, errcode.New(errcode.InvalidArgument, "search: not a valid regular expression: %s", wrong.Code)
	}
	return p, err
}

// String returns the filter as in the query of a URL, such as hybrid_ex<0.5.
func (f ListFilter) String() string { return f.Column + string(f.Op) + f.Value }

// otherOps maps operators of other languages, which would otherwise be read as an operation and a value, to those here.
// They are not looked for in columns of text, whose values may begin with any character.
var otherOps = map[string]Op{"=<": AtMost, "=>": AtLeast, "==": Equal, "===": Equal, "<>": NotEqual, "!==": NotEqual,
	"=~": Contains, "!<": AtLeast, "!>": AtMost}

func parseFilter(s string) (ListFilter, error) {
	at := strings.IndexAny(s, "!=~<>")
	if at > 0 {
		written := s[at : len(s)-len(strings.TrimLeft(s[at:], "=<>!~"))]
		text := s[:at] != "latency" && slices.Contains(Columns, s[:at])
		if meant, ok := otherOps[written]; ok && !text {
			return ListFilter{}, errcode.New(errcode.InvalidArgument, "filter: unknown operator %s in %.80q; did you mean %s?",
				written, s, meant)
		}
		for _, op := range ops {
			if value, ok := strings.CutPrefix(s[at:], string(op)); ok {
				return ListFilter{s[:at], op, value}, nil
			}
		}
	}
	return ListFilter{}, errcode.New(errcode.InvalidArgument,
		"filter: %.80q is not a condition; expected COLUMN OP VALUE with one of = != ~ > >= < <=, such as hybrid_ex<0.5", s)
}

// Sort is the order of a list.
type Sort struct {
	Column     string // a column, see [Columns], or a metric; "": by case
	Descending bool
}

// Numbers of cases on a page.
const (
	DefaultSize = 50
	MinSize     = 25
	MaxSize     = 500
)

// maxPattern is the maximum length of a search pattern, in bytes.
const maxPattern = 1000

// State determines what a list of cases shows: the run, the selection and order of its cases, and the page. The zero
// value with a run is the first page of all cases. A state can be written as the query of a URL, so that a list can be
// linked to, stored in a queue and exported.
type State struct {
	scoring.RunID
	Baseline scoring.RunID // the run to compare with; may be empty
	Metric   string        // the primary metric, to which the modes refer; "": the run's own
	Mode     Mode
	Search   string // text to find in case ID, question and queries
	Regexp   bool   // Search is a regular expression in the syntax of package regexp
	Filters  []ListFilter
	Sort     Sort
	Page     int      // page number, from 1
	Size     int      // number of cases on a page
	Columns  []string // metrics to show; nil: the default ones
	Tall     bool     // rows show their whole text
}

// Parse reads the state from the query of a URL and ignores unknown keys. In addition to the keys that [State.Values]
// writes, it reads filter_column, filter_op and filter_value as one more filter, for forms that work without a script.
func Parse(v url.Values) (State, error) {
	s := State{
		RunID: ParseRun(v), Baseline: ParseBaseline(v), Metric: v.Get("metric"), Mode: Mode(v.Get("mode")),
		Search: v.Get("search"), Regexp: v.Get("regexp") != "",
		Page: 1, Size: DefaultSize, Tall: v.Get("rows") == "tall",
	}
	if s.Mode == "" {
		s.Mode = All
	}
	if !slices.Contains(Modes, s.Mode) {
		return s, errcode.New(errcode.InvalidArgument, "mode: %.40q is not a mode; expected one of %s", s.Mode, modeNames())
	}
	if len(s.Search) > maxPattern {
		return s, errcode.New(errcode.InvalidArgument, "search: %d bytes, expected at most %d", len(s.Search), maxPattern)
	}
	if s.Regexp {
		if _, err := s.pattern(); err != nil {
			return s, err
		}
	}
	for _, text := range v["filter"] {
		if text == "" { // an empty field of a form
			continue
		}
		f, err := parseFilter(text)
		if err != nil {
			return s, err
		}
		s.Filters = append(s.Filters, f)
	}
	if column := v.Get("filter_column"); column != "" { // a form that works without a script
		f, err := parseFilter(column + v.Get("filter_op") + v.Get("filter_value"))
		if err != nil {
			return s, err
		}
		s = s.With(f)
	}
	if sort := v.Get("sort"); sort != "" {
		s.Sort.Column, s.Sort.Descending = strings.CutPrefix(sort, "-")
	}
	for _, c := range v["column"] {
		if c != "" && !slices.Contains(s.Columns, c) {
			s.Columns = append(s.Columns, c)
		}
	}
	var err error
	if s.Page, err = whole(v, "page", 1, 1, 1<<30); err != nil {
		return s, err
	}
	s.Size, err = whole(v, "size", DefaultSize, MinSize, MaxSize)
	return s, err
}

func whole(v url.Values, key string, missing, least, most int) (int, error) {
	text := v.Get(key)
	if text == "" {
		return missing, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return missing, errcode.New(errcode.InvalidArgument, "%s: %.40q, expected a whole number from %d to %d", key, text,
			least, most)
	}
	return n, nil
}

func modeNames() string {
	names := make([]string, len(Modes))
	for i, m := range Modes {
		names[i] = string(m)
	}
	return strings.Join(names, ", ")
}

// Values returns the state as the query of a URL. It omits defaults, so that equal states have equal URLs.
func (s State) Values() url.Values {
	v := RunValues(s.RunID)
	runInto(v, "base_", s.Baseline)
	set(v, "metric", s.Metric)
	if s.Mode != All {
		set(v, "mode", string(s.Mode))
	}
	set(v, "search", s.Search)
	if s.Regexp {
		v.Set("regexp", "1")
	}
	for _, f := range s.Filters {
		v.Add("filter", f.String())
	}
	if s.Sort.Column != "" {
		sign := ""
		if s.Sort.Descending {
			sign = "-"
		}
		v.Set("sort", sign+s.Sort.Column)
	}
	for _, c := range s.Columns {
		v.Add("column", c)
	}
	if s.Page > 1 {
		v.Set("page", strconv.Itoa(s.Page))
	}
	if s.Size != 0 && s.Size != DefaultSize {
		v.Set("size", strconv.Itoa(s.Size))
	}
	if s.Tall {
		v.Set("rows", "tall")
	}
	return v
}

// With returns the state with another filter, on its first page.
func (s State) With(f ListFilter) State {
	s.Page = 1
	if !slices.Contains(s.Filters, f) {
		s.Filters = append(slices.Clone(s.Filters), f)
	}
	return s
}

// Without returns the state without a filter, on its first page.
func (s State) Without(f ListFilter) State {
	s.Page = 1
	s.Filters = slices.DeleteFunc(slices.Clone(s.Filters), func(g ListFilter) bool { return g == f })
	return s
}

// In returns the state in another mode, on its first page.
func (s State) In(m Mode) State {
	s.Page, s.Mode = 1, m
	return s
}
