package prompt

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/badger-eval/badger/scoring"
)

// Limits of the earlier turns of a conversation in a prompt, in characters.
const (
	turnsChars = 8_000 // all turns; if they are longer, the oldest are left out
	turnChars  = 2_000 // a question, a query or a response
)

// conversation renders turns, the oldest first. Of a conversation that is longer than turnsChars it renders the latest
// turns, and the number of those that it leaves out.
func conversation(turns []scoring.Turn) string {
	var out []string
	chars := 0
	for i, t := range slices.Backward(turns) {
		text := turn(i+1, t)
		if chars += utf8.RuneCountInString(text); chars > turnsChars && len(out) > 0 {
			out = append(out, fmt.Sprintf("... (%d earlier turns are left out)\n", i+1))
			break
		}
		out = append(out, text)
	}
	slices.Reverse(out)
	return strings.Join(out, "")
}

func turn(n int, t scoring.Turn) string {
	text := fmt.Sprintf("Turn %d\nQuestion: %s\n", n, cut(strings.TrimSpace(visible(t.Question)), turnChars))
	for _, part := range []struct{ title, text string }{
		{"Query of the agent", t.SQL}, {"Response of the agent", t.Response},
	} {
		if s := strings.TrimSpace(visible(part.text)); s != "" {
			text += part.title + ": " + cut(s, turnChars) + "\n"
		}
	}
	return text
}

// turns returns a block with the earlier turns of a conversation.
func (p *page) turns(turns []scoring.Turn) string {
	return "The request is the next turn of a conversation. Take it in the sense that the turns before it give it; " +
		"they are not judged.\n" + p.block("Turns before it", strings.TrimSpace(conversation(turns)))
}
