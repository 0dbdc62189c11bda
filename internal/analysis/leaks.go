package analysis

import (
	"encoding/json"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/badger-eval/badger/scoring"
)

// leastLeak is the length in bytes from which an accepted query is searched for in passages: a shorter one is there by
// chance.
const leastLeak = 20

// Leaked reports whether an accepted query of a case is in a passage that the agent retrieved for it. Letter case and
// blanks do not count.
func Leaked(c *scoring.Case) bool {
	var passages any
	if len(c.Agent.Contexts) == 0 || json.Unmarshal(c.Agent.Contexts, &passages) != nil {
		return false
	}
	var text strings.Builder
	textsIn(passages, &text)
	all := folded(text.String())
	for i := range c.Golds {
		if sql := folded(c.Golds[i].SQL); len(sql) >= leastLeak && strings.Contains(all, sql) {
			return true
		}
	}
	return false
}

func folded(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(norm.NFKC.String(text)), " "))
}

// textsIn appends the strings of a JSON value, each on a line.
func textsIn(v any, to *strings.Builder) {
	switch v := v.(type) {
	case string:
		to.WriteString(v + "\n")
	case []any:
		for _, x := range v {
			textsIn(x, to)
		}
	case map[string]any:
		for _, x := range v {
			textsIn(x, to)
		}
	}
}
