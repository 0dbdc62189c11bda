package cell

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"fmt"

	"github.com/badger-eval/badger/scoring"
)

// Law is a rule that decides whether two results are the same answer. Tests check it with pairs of results on both
// sides of its border (package metric). These pairs are the examples of docs/reference/equality.md.
type Law struct {
	Name   string // stable identifier; its pairs are in laws/NAME.jsonl
	About  string // the heading of its section on the page
	Says   string // the rule, in a few sentences
	Change string // the option that changes it; "" if none does
}

// LawPair is a gold result, an answer, and whether they are the same answer. Case can also be read by `badger run
// --cases`.
type LawPair struct {
	Law  string
	Case *scoring.Case
	// Equal: the metric verdict accepts the answer without a judge and hybrid_ex is 1. If false, neither holds.
	Equal bool
	// Only is the name of the only metric that the pair tests, such as verdict for results that are related but not
	// equal; "" for both.
	Only string
	Note string
}

//go:embed laws/*.jsonl
var files embed.FS

// LawPairs returns the pairs of a law, in the order of its file.
func LawPairs(law string) ([]LawPair, error) {
	name := "laws/" + law + ".jsonl"
	text, err := files.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading the pairs of law %s: %w", law, err)
	}
	var pairs []LawPair
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		c, err := scoring.DecodeCase(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, n, err)
		}
		var more struct {
			Only string `json:"only"`
			Note string `json:"note"`
		}
		if err := json.Unmarshal(lines.Bytes(), &more); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, n, err)
		}
		if c.Human == nil || len(c.Golds) != 1 || c.Golds[0].Result.Table == nil || c.Pred.Result.Table == nil {
			return nil, fmt.Errorf("%s, line %d: expected human.label and two inline results", name, n)
		}
		pairs = append(pairs, LawPair{Law: law, Case: c, Equal: *c.Human, Only: more.Only, Note: more.Note})
	}
	return pairs, lines.Err()
}
