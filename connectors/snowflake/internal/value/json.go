package value

import (
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// foreign are the words that Snowflake writes into semi-structured values and that JSON does not have:
// undefined is an element that is NULL, the others are doubles. The longer ones come first.
var foreign = []struct{ word, json string }{{"undefined", "null"}, {"-Infinity", `"-Infinity"`}, {"Infinity", `"Infinity"`}, {"NaN", `"NaN"`}}

// jsonOf makes JSON of a column's semi-structured values.
func jsonOf(mem memory.Allocator, a *array.String) arrow.Array {
	at := 0
	for at < a.Len() && (a.IsNull(at) || !holdsForeign(a.Value(at))) {
		at++
	}
	if at == a.Len() {
		a.Retain()
		return a
	}
	b := array.NewStringBuilder(mem)
	defer b.Release()
	for i := range a.Len() {
		if a.IsNull(i) {
			b.AppendNull()
		} else {
			b.Append(asJSON(a.Value(i)))
		}
	}
	return b.NewArray()
}

func holdsForeign(text string) bool {
	for _, f := range foreign {
		if strings.Contains(text, f.word) {
			return true
		}
	}
	return false
}

// asJSON writes the words that JSON does not have as values that it has. Inside strings they stay.
func asJSON(text string) string {
	var b strings.Builder
	for quoted := false; text != ""; {
		switch c := text[0]; {
		case c == '\\' && quoted && len(text) > 1:
			b.WriteString(text[:2])
			text = text[2:]
			continue
		case c == '"':
			quoted = !quoted
		case !quoted && (c == 'u' || c == '-' || c == 'I' || c == 'N'):
			if word, json := foreignAt(text); word != "" {
				b.WriteString(json)
				text = text[len(word):]
				continue
			}
		}
		b.WriteByte(text[0])
		text = text[1:]
	}
	return b.String()
}

func foreignAt(text string) (word, json string) {
	for _, f := range foreign {
		if strings.HasPrefix(text, f.word) {
			return f.word, f.json
		}
	}
	return "", ""
}
