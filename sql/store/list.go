package store

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// The keys of a run in the query of an address.
const (
	keyRun, keyAgent, keyVersion, keyBatch = "run", "agent", "version", "batch"
)

// RunValues are a run as the query of an address. Empty parts are left out.
func RunValues(r scoring.RunID) url.Values {
	v := url.Values{}
	runInto(v, "", r)
	return v
}

// runInto adds a run to a query, under keys that begin with prefix.
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

// ParseRun reads the run in the query of an address. Only its ID may be missing where any run will
// do: what is missing is empty.
func ParseRun(v url.Values) scoring.RunID { return parseRun(v, "") }

// ParseBaseline reads the run that the state of a list is compared with; empty if there is none.
func ParseBaseline(v url.Values) scoring.RunID { return parseRun(v, "base_") }

func parseRun(v url.Values, prefix string) scoring.RunID {
	return scoring.RunID{ID: v.Get(prefix + keyRun),
		By: scoring.By{Agent: v.Get(prefix + keyAgent), Version: v.Get(prefix + keyVersion), Batch: v.Get(prefix + keyBatch)}}
}

// Mode is the part of a run's cases that a list shows.
type Mode string

// The modes.
const (
	All       Mode = "all"
	Failed    Mode = "failed"    // the primary metric did not pass
	Passed    Mode = "passed"    // the primary metric passed
	Errors    Mode = "errors"    // a score failed, of whichever metric
	Abstained Mode = "abstained" // the primary metric abstained
	// another status or verdict of the primary metric than in the baseline, or value where it gives no verdict
	Changed    Mode = "changed"
	Disagrees  Mode = "disagrees" // the primary metric's verdict is not that of people
	Unlabelled Mode = "unlabelled"

	// What became of a question since the baseline, by the primary metric. A question without an answer is not passed.
	Broke      Mode = "broke"       // passed in the baseline, and does not
	Fixed      Mode = "fixed"       // passes, and did not in the baseline
	StillWrong Mode = "still_wrong" // passes in neither
	StillRight Mode = "still_right" // passes in both
	Unasked    Mode = "unasked"     // the metric does not apply, although there is an answer
)

// Modes lists the modes in the order in which they are shown.
var Modes = []Mode{All, Failed, Passed, Errors, Abstained, Changed, Disagrees, Unlabelled, Broke, Fixed, StillWrong,
	StillRight, Unasked}

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

// Ops lists the operations in the order in which they are offered.
var Ops = []Op{Equal, NotEqual, Contains, Greater, AtLeast, Less, AtMost}

// ops in the order in which a filter's text is searched for them.
var ops = []Op{NotEqual, Equal, Contains, AtLeast, AtMost, Greater, Less}

// Filter is one condition on the cases of a list.
//
// Equal and NotEqual compare whole strings; a missing string counts as empty. Contains ignores case. For a metric,
// they compare the score's value, or its label if the filter's value is not a number. An empty filter value selects
// scores without a value.
type ListFilter struct {
	Column string // one of [Columns], or a metric's name
	Op     Op
	Value  string
}

// String is the filter as an address holds it, such as hybrid_ex<0.5.
func (f ListFilter) String() string { return f.Column + string(f.Op) + f.Value }

func parseFilter(s string) (ListFilter, error) {
	at := strings.IndexAny(s, "!=~<>")
	if at > 0 {
		for _, op := range ops {
			if value, ok := strings.CutPrefix(s[at:], string(op)); ok {
				return ListFilter{s[:at], op, value}, nil
			}
		}
	}
	return ListFilter{}, errcode.New(errcode.InvalidArgument,
		"filter: %.80q is not a condition; expected COLUMN OP VALUE with one of = != ~ > >= < <=, such as hybrid_ex<0.5", s)
}

// Sort is the order of a list: a column of a filter, ascending or not.
type Sort struct {
	Column     string // "": by case
	Descending bool
}

// Sizes of pages, in cases.
const (
	DefaultSize = 50
	MinSize     = 25
	MaxSize     = 500
)

// maxPattern is how long what is searched may be, in bytes.
const maxPattern = 1000

// State is all that a list of cases shows: which run, which cases of it, in which order and which page of
// them. Its zero value, with a run, is the first page of all cases. It has a form as the query of an address,
// so that a list can be linked to, kept as a queue and exported.
type State struct {
	scoring.RunID
	Baseline scoring.RunID // what Changed compares with; may be empty
	Metric   string        // the primary metric, whose scores the modes are of; "": the run's own
	Mode     Mode
	Search   string // in case, question and queries
	Regexp   bool   // Search is a regular expression, in the syntax of package regexp
	Filters  []ListFilter
	Sort     Sort
	Page     int      // from 1
	Size     int      // cases on a page
	Columns  []string // metrics that are shown; nil: the default ones
	Tall     bool     // rows show their whole text
}

// Parse reads the state from the query of a URL and ignores unknown keys. In addition to the keys that [State.Values]
// writes, it reads filter_column, filter_op and filter_value as one more condition: a form without a script cannot
// join its fields.
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
		if _, err := regexp.Compile(s.Search); err != nil {
			return s, errcode.New(errcode.InvalidArgument, "search: %w", err)
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

// With is the state with another condition, on its first page.
func (s State) With(f ListFilter) State {
	s.Page = 1
	if !slices.Contains(s.Filters, f) {
		s.Filters = append(slices.Clone(s.Filters), f)
	}
	return s
}

// Without is the state without a condition, on its first page.
func (s State) Without(f ListFilter) State {
	s.Page = 1
	s.Filters = slices.DeleteFunc(slices.Clone(s.Filters), func(g ListFilter) bool { return g == f })
	return s
}

// In is the state in another mode, on its first page.
func (s State) In(m Mode) State {
	s.Page, s.Mode = 1, m
	return s
}
