package report

import (
	"fmt"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// reasonGroup is the scores without a value whose reasons have the same status, code and shape.
type reasonGroup struct {
	groupKey
	text   string // the first reason of the group, in the order of texts
	varied bool   // the reasons of the group are not all equal
}

type groupKey struct {
	status scoring.Status
	code   errcode.Code
	shape  string
}

// group returns the number, from 1, of the group of a score's reason. After maxGroups groups, new reasons of each
// status share one.
func (s *Summary) group(score *scoring.Score) uint16 {
	text := shorten(score.Reason)
	status := score.Status
	if score.Unanswered() {
		status = unanswered
	}
	key := groupKey{status, score.Code, shape(text)}
	n, ok := s.byKey[key]
	if !ok && len(s.groups) >= maxGroups {
		text = "other reasons"
		key = groupKey{status, errcode.OK, text}
		n, ok = s.byKey[key]
	}
	if !ok {
		s.groups = append(s.groups, reasonGroup{groupKey: key, text: text})
		n = uint16(len(s.groups)) //nolint:gosec // bounded
		s.byKey[key] = n
	}
	if g := &s.groups[n-1]; g.text != text {
		g.varied, g.text = true, min(g.text, text) // whichever was scored first
	}
	return n
}

// reason returns the reason of n scores of the group; if the reasons differ, one of them, and how many there are.
func (g *reasonGroup) reason(n int) string {
	if g.varied && n > 1 {
		return fmt.Sprintf("%s, and %d more alike", g.text, n-1)
	}
	return g.text
}

// shape replaces double-quoted text in s by "…" and numbers by N.
func shape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"':
			if end := strings.IndexByte(s[i+1:], '"'); end >= 0 {
				b.WriteString(`"…"`)
				i += end + 2
				continue
			}
		case c >= '0' && c <= '9' && (i == 0 || !letter(s[i-1])):
			for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.' && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9') {
				i++
			}
			b.WriteString("N")
			continue
		}
		b.WriteByte(c)
		i++
	}
	return b.String()
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
