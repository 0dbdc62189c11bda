package calibration

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/badger-eval/badger/scoring/agreement"
	"github.com/badger-eval/badger/scoring/policy"
	"github.com/badger-eval/badger/scoring/relation"
)

// PolicyCounts is what the labels of each set say of each relation, under one policy.
type PolicyCounts struct {
	policy policy.Policy
	sets   []string                          // in the order in which they were named; built pairs are one set
	of     map[string]map[string]answerCount // by relation, then by set
}

// answerCount counts the answers of a relation.
type answerCount struct {
	seen, right int
	databases   map[string]bool
}

// built is the set of pairs that were made for badger.
const built = "built pairs"

// setOf is the set that a source of labels belongs to: its folder.
func setOf(s LabelSource) string {
	name := s.name()
	switch folder := path.Dir(name); {
	case s.Where == Laws || folder == "testdata" || folder == "traps":
		return built
	case folder != ".":
		return folder
	}
	return name
}

// CountPolicy counts what the labels of each set say of each relation. Of says where each case is from.
func CountPolicy(which policy.Policy, sources []LabelSource, cases []policy.Labelled, of []string) PolicyCounts {
	c := PolicyCounts{policy: which, of: map[string]map[string]answerCount{}}
	set := map[string]string{}
	for _, s := range sources {
		set[s.Where] = setOf(s)
		if !slices.Contains(c.sets, setOf(s)) {
			c.sets = append(c.sets, setOf(s))
		}
	}
	for i, l := range cases {
		if c.of[l.Relation] == nil {
			c.of[l.Relation] = map[string]answerCount{}
		}
		n := c.of[l.Relation][set[of[i]]]
		if n.databases == nil {
			n.databases = map[string]bool{}
		}
		n.seen++
		if l.Accepted {
			n.right++
		}
		n.databases[l.Group] = true
		c.of[l.Relation][set[of[i]]] = n
	}
	return c
}

// add adds the answers of another set.
func (n *answerCount) add(o answerCount) {
	n.seen, n.right = n.seen+o.seen, n.right+o.right
	if n.databases == nil {
		n.databases = map[string]bool{}
	}
	for d := range o.databases {
		n.databases[d] = true
	}
}

// cell is right answers of those seen, and in how many databases.
func (n answerCount) cell() string {
	if n.seen == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d (%d)", n.right, n.seen, len(n.databases))
}

// unread reports whether nobody read the answers of a set when a relation was written.
func unread(set, name string) bool {
	if set == built || set == "rosevec" || set == "flex200" {
		return false
	}
	name = strings.TrimPrefix(name, policy.NoResults+"/")
	i := slices.IndexFunc(relation.Kinds(), func(k relation.Kind) bool { return k.Name == name })
	return i < 0 || !strings.Contains(relation.Kinds()[i].WrittenFrom, set)
}

// PolicyPage is a page that says what was seen of each relation, and how the table does on databases
// that were left out when it was made.
func PolicyPage(table *policy.Table, counted []PolicyCounts, tried []PolicyTrial) []byte {
	var b bytes.Buffer
	b.WriteString("# What labels say of relations\n\nThis page is generated: `make policy DATA=DIR`. [verdict.md](verdict.md) explains the table of policies.\n\n## Databases left out\n\n" +
		"Each case was decided by a table made without the labels of its database, in whatever set. A built pair is a database of its own. Interval: 95 %, of the share of right ones among those accepted.\n\n" +
		"| policy | labels | cases | databases | accepted by evidence | of them wrong | interval | kappa by evidence | kappa, nobody asked |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	figure := func(f *float64) string {
		if f == nil {
			return "–"
		}
		return fmt.Sprintf("%.3f", *f)
	}
	for i := range tried {
		t := &tried[i]
		within := "–"
		if t.ByEvidence > 0 {
			within = share(t.ByEvidence-t.WronglySo, t.ByEvidence)
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %s | %s | %s |\n", t.Policy, t.Source, t.Cases, t.Groups, t.ByEvidence, t.WronglySo, within, figure(t.Evidence), figure(t.Guess))
	}
	for _, c := range counted {
		fmt.Fprintf(&b, "\n## Relations under the policy %s\n\nRight answers of those seen, and the databases they come from, for the first relation between two results. "+
			"Unread: labels of sets that nobody read when the relation was written or changed, with the interval of the share of right ones, 95 %%. They may be wrong answers only.\n\n", c.policy)
		b.WriteString("| relation | class | passes | " + strings.Join(c.sets, " | ") + " | unread | interval |\n|" + strings.Repeat(" --- |", len(c.sets)+5) + "\n")
		for _, r := range table.Rows() {
			sets := c.of[r.Relation]
			if r.Policy != c.policy || len(sets) == 0 {
				continue
			}
			var rest answerCount
			cells := make([]string, len(c.sets))
			for i, s := range c.sets {
				cells[i] = sets[s].cell()
				if unread(s, r.Relation) {
					rest.add(sets[s])
				}
			}
			within := "–"
			if rest.seen > 0 {
				within = share(rest.right, rest.seen)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", r.Relation, r.Class, map[bool]string{true: "yes", false: ""}[r.Passes], strings.Join(cells, " | "), rest.cell(), within)
		}
	}
	return b.Bytes()
}

// share is the interval of a share.
func share(part, whole int) string {
	within := agreement.Wilson(part, whole, 0.95)
	return fmt.Sprintf("%.2f–%.2f", within.Lo, within.Hi)
}
