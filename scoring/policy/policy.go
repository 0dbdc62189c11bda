// Package policy determines which relations between two results make an answer correct, by a table derived from human
// labels. For each relation the table has the number of labeled cases and the number of accepted answers.
//
// Teams differ in what they call right. The policy [Answer] asks whether the delivered data answers
// the question. [Logic] asks whether the query would remain right if the data changed. The built-in
// table comes from published labels. [Fit] makes a table from other labels. A table is text that
// people can read and edit.
package policy

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/relation"
)

// Policy is the criterion for a correct answer.
type Policy string

// The policies.
const (
	Answer Policy = "answer" // the result answers the question on the given data
	Logic  Policy = "logic"  // the query would remain correct if the data changed
)

// Policies returns all policies.
func Policies() []Policy { return []Policy{Answer, Logic} }

// Relations that are not between two results.
const (
	// both queries are proven to be equivalent; under Logic this decides, whatever the results are
	SameQuery = "equivalent_query"
	// a result is missing, and no difference of the queries is known. If one is known, its name follows after a slash.
	// It never passes
	NoResults = "no_results"
)

// AcceptFrom is the chance from which a relation may pass without a judge (see Row.Passes), unless a table states
// otherwise.
const AcceptFrom = 0.85

// Row is the row of a table for one relation under one policy.
type Row struct {
	Policy   Policy
	Relation string         // a name of [relation.Kinds]
	Class    relation.Class // the class of the relation
	Cases    int            // number of labeled cases whose first relation it was
	Accepted int            // number of these that people accepted
	Groups   int            // number of groups, such as databases, of these cases
	Shown    int            // number of right answers among chosen cases (see [Labelled])
	Against  int            // number of wrong answers among chosen cases
	Chance   float64        // probability that people accept an answer with this relation
	Passes   bool           // whether an answer with this relation passes without a judge
}

// Table is a table of the rows of all policies, sorted by policy and then by relation.
type Table struct {
	Sources []string // describes the sources of the labels, one line each; they are comments at the start of its text

	rows  []Row
	index map[key]int
}

type key struct {
	policy   Policy
	relation string
}

// Rows returns the rows. The slice must not be modified.
func (t *Table) Rows() []Row { return t.rows }

// Row returns the row of a relation under a policy. For a relation without a row, such as one of a newer version, it
// returns a row computed from the prior of the relation's class.
func (t *Table) Row(p Policy, r relation.Relation) Row {
	if i, ok := t.index[key{p, r.Name}]; ok {
		return t.rows[i]
	}
	row := Row{Policy: p, Relation: r.Name, Class: r.Class, Chance: priorOf(p, r.Class).mean}
	row.Passes = row.passes(priorOf(p, r.Class))
	return row
}

func newTable(rows []Row) *Table {
	t := &Table{rows: rows, index: make(map[key]int, len(rows))}
	for i, r := range rows {
		t.index[key{r.Policy, r.Relation}] = i
	}
	return t
}

// passes reports whether an answer with this relation passes without a judge: the chance is at least AcceptFrom, also
// with chosen cases, and enough cases are accepted unless the class is Equivalent. The class Difference and missing
// results never pass; under Logic only SameQuery does.
func (r *Row) passes(believed prior) bool {
	accepted, seen := r.Accepted+r.Shown, r.Cases+r.Shown+r.Against
	all := (believed.mean*believed.weight + float64(accepted)) / (believed.weight + float64(seen))
	switch {
	case r.Class == relation.Difference || min(r.Chance, all) < AcceptFrom || withoutResults(r.Relation):
		return false
	case r.Policy == Logic && r.Relation != SameQuery:
		return false
	case r.Class == relation.Equivalent:
		return true
	}
	return accepted >= leastLabels && (r.Groups+r.Shown >= leastLabels || accepted >= leastOfOne)
}

// leastLabels is the minimum number of accepted cases, and of groups that they come from, for a relation whose class
// is not Equivalent. leastOfOne is the minimum number of accepted cases from a single group. Without them, too many
// wrong answers in databases without labels would pass.
const (
	leastLabels = 2
	leastOfOne  = 5
)

// DisplayName returns the name of a relation for pages: one of [relation.Kinds], or one of this package.
func DisplayName(name string) string {
	switch of, found := strings.CutPrefix(name, NoResults+"/"); {
	case found:
		return relation.DisplayName(of)
	case name == SameQuery:
		return "Equivalent query"
	case name == NoResults:
		return "No results to compare"
	}
	return relation.DisplayName(name)
}

func withoutResults(name string) bool { return strings.HasPrefix(name, NoResults) }

//go:embed table.tsv
var delivered []byte

// Default returns the built-in table.
var Default = sync.OnceValue(func() *Table {
	t, err := Parse(delivered)
	if err != nil {
		panic("the table of policies: " + err.Error()) // it is part of the program
	}
	return t
})

const header = "policy\trelation\tclass\tcases\taccepted\tgroups\tshown\tagainst\tchance\tpasses"

// shortHeader is the header of a table without the columns shown and against, which is accepted too.
const shortHeader = "policy\trelation\tclass\tcases\taccepted\tgroups\tchance\tpasses"

// Format returns the table as tab-separated text with a header, which [Parse] accepts.
func (t *Table) Format() []byte {
	var b bytes.Buffer
	for _, line := range t.Sources {
		b.WriteString("# " + line + "\n")
	}
	b.WriteString(header + "\n")
	for _, r := range t.rows {
		fmt.Fprintf(&b, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%.3f\t%s\n", r.Policy, r.Relation, r.Class, r.Cases, r.Accepted,
			r.Groups, r.Shown, r.Against, r.Chance, map[bool]string{true: "yes", false: "no"}[r.Passes])
	}
	return b.Bytes()
}

// Parse parses a table. It skips blank lines and lines that start with #; those above the header describe the sources
// of the labels. Errors name the line and the column.
func Parse(text []byte) (*Table, error) {
	var rows []Row
	var names, sources []string
	seen := map[key]bool{}
	s := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; s.Scan(); n++ {
		line := strings.TrimRight(s.Text(), "\r")
		if comment, ok := strings.CutPrefix(line, "#"); ok || strings.TrimSpace(line) == "" {
			if ok && names == nil {
				sources = append(sources, strings.TrimSpace(comment))
			}
			continue
		}
		if names == nil {
			if line != header && line != shortHeader {
				return nil, errcode.New(errcode.InvalidArgument, "line %d: expected the header %q", n, header)
			}
			names = strings.Split(line, "\t")
			continue
		}
		r, err := parseRow(names, strings.Split(line, "\t"))
		if err != nil {
			return nil, errcode.New(errcode.InvalidArgument, "line %d: %w", n, err)
		}
		k := key{r.Policy, r.Relation}
		if seen[k] {
			return nil, errcode.New(errcode.InvalidArgument, "line %d: duplicate relation %s under %s", n, r.Relation, r.Policy)
		}
		seen[k] = true
		rows = append(rows, r)
	}
	if err := s.Err(); err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "the table cannot be read: %w", err)
	}
	if len(rows) == 0 {
		return nil, errcode.New(errcode.InvalidArgument, "the table has no rows")
	}
	t := newTable(rows)
	t.Sources = sources
	return t, nil
}

func parseRow(names, f []string) (r Row, err error) {
	if len(f) != len(names) {
		return r, errcode.New(errcode.InvalidArgument, "%d columns, expected %d separated by tabs", len(f), len(names))
	}
	bad := func(column int, want string) error {
		return errcode.New(errcode.InvalidArgument, "column %s is %.20q, expected %s", names[column], f[column], want)
	}
	r = Row{Policy: Policy(f[0]), Relation: f[1], Class: relation.Class(f[2])}
	switch {
	case !slices.Contains(Policies(), r.Policy):
		return r, bad(0, "answer or logic")
	case !known(r.Relation):
		return r, bad(1, "the name of a relation"+scoring.Suggest(r.Relation, relationNames()))
	case priors[r.Class].weight == 0:
		return r, bad(2, "one of "+strings.Join(classes(), ", "))
	}
	chance := len(names) - 2
	for i, n := range []*int{&r.Cases, &r.Accepted, &r.Groups, &r.Shown, &r.Against}[:chance-3] {
		if *n, err = strconv.Atoi(f[3+i]); err != nil || *n < 0 {
			return r, bad(3+i, "a count")
		}
	}
	if r.Accepted > r.Cases {
		return r, bad(4, "at most the number of cases")
	}
	if r.Chance, err = strconv.ParseFloat(f[chance], 64); err != nil || !(r.Chance >= 0 && r.Chance <= 1) {
		return r, bad(chance, "a number from 0 to 1")
	}
	switch f[chance+1] {
	case "yes", "no":
		r.Passes = f[chance+1] == "yes"
	default:
		return r, bad(chance+1, "yes or no")
	}
	return r, nil
}

// known reports whether a row may have this relation name.
func known(name string) bool {
	name = strings.TrimPrefix(name, NoResults+"/")
	return slices.Contains(relationNames(), name)
}

// relationNames returns the valid relation names of rows. Each is also valid after no_results and a slash.
func relationNames() []string {
	names := []string{SameQuery, NoResults}
	for _, k := range relation.Kinds() {
		names = append(names, k.Name)
	}
	return names
}

func classes() []string {
	out := make([]string, 0, len(priors))
	for c := range maps.Keys(priors) {
		out = append(out, string(c))
	}
	slices.Sort(out)
	return out
}

// sortRows sorts rows by policy, then by the order of [relation.Kinds]; relations without results follow.
func sortRows(rows []Row) {
	order := map[string]int{}
	for i, k := range relation.Kinds() {
		order[k.Name] = i + 1
	}
	place := func(name string) int {
		if i := order[name]; i > 0 {
			return i
		}
		return len(order) + 1 + order[strings.TrimPrefix(name, NoResults+"/")]
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(slices.Index(Policies(), a.Policy), slices.Index(Policies(), b.Policy)),
			cmp.Compare(place(a.Relation), place(b.Relation)), cmp.Compare(a.Relation, b.Relation))
	})
}
