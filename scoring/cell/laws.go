package cell

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"fmt"

	"github.com/badger-eval/badger/scoring"
)

// Law is one rule that decides whether results are the same answer. Pairs of results on both sides of its border
// test it (package metric). They are the examples of docs/reference/equality.md, so that the page agrees with the
// code.
type Law struct {
	Name   string // stable; its pairs are in laws/NAME.jsonl
	About  string // the heading of its section
	Says   string // the rule, in a few sentences
	Change string // the option that changes it; may be empty
}

// LawPair is a gold result and an answer, and states whether they are the same answer. Cases has the form of a case
// file, so that `badger run --cases` can read it too.
type LawPair struct {
	Law  string
	Case *scoring.Case
	// Equal: verdict accepts the answer without a judge and hybrid_ex is 1. Otherwise neither does.
	Equal bool
	// Only names the one metric that the pair is about, such as verdict where the results are
	// related and not the same.
	Only string
	Note string
}

//go:embed laws/*.jsonl
var files embed.FS

// LawPairs reads the pairs of a law, in the order of the file.
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
