package sqlparts

import (
	"slices"
	"strings"
)

// Templates returns the spans of the template expressions {{ x }}, {% x %} and ${x} in the script, in order. A template
// engine may replace them by any text. Inside a string, where braces may belong to arrays and patterns, only {{
// followed by a blank or -, {% and ${ before a name are recognized.
func (s *Script) Templates() []Span {
	if !strings.Contains(s.SQL, "{") {
		return nil
	}
	var texts stretches
	for _, t := range Tokens(s.SQL, s.Dialect) {
		if t.Kind == TokenString {
			texts = append(texts, t.Span)
		}
	}
	texts = texts.merged()
	var found []Span
	none := map[string]bool{} // closing signs that do not occur in the rest of the text
	closed := func(text, by string) int {
		if none[by] {
			return 0
		}
		i := strings.Index(text[1:], by)
		if none[by] = i < 0; i < 0 {
			return 0
		}
		return 1 + i + len(by)
	}
	for at := 0; at < len(s.SQL); {
		brace := strings.IndexByte(s.SQL[at:], '{')
		if brace < 0 {
			break
		}
		at += brace
		start, rest := at, s.SQL[at:]
		at++
		end := 0
		switch {
		case start > 0 && s.SQL[start-1] == '$':
			if start--; len(rest) > 1 && (isLetter(rest[1]) || rest[1] == '_') {
				end = closed(rest, "}")
			}
		case strings.HasPrefix(rest, "{{"):
			if !texts.has(int32(start)) || len(rest) > 2 && (rest[2] == ' ' || rest[2] == '-') { //nolint:gosec // within maxText
				end = closed(rest, "}}")
			}
		case strings.HasPrefix(rest, "{%"):
			end = closed(rest, "%}")
		}
		if end > 0 {
			found = append(found, Span{int32(start), int32(at - 1 + end)}) //nolint:gosec // within maxText
			at += end - 1
		}
	}
	return slices.Clip(found)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
