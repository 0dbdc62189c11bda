package scoring

import (
	"bytes"
	"strings"

	"github.com/badger-eval/badger/internal/jsonscan"
)

// QuestionMembers returns the members of a line of a case file except those of the answer, for a line with another
// answer. ref returns the reference that is written instead of one to an accepted result, in any of its spellings; nil
// keeps references. The line must be a valid case.
func QuestionMembers(line []byte, ref func(string) string) jsonscan.Object {
	var out jsonscan.Object
	for _, m := range jsonscan.ParseObject(line) {
		key := strings.ToLower(string(m.Name))
		if k, is := aliasIn("", key); is && key != alternativesKey {
			key = k.Name
		}
		switch {
		case key == "agent" || strings.HasPrefix(key, "agent."):
			continue
		case ref == nil:
		case key == "gold.result":
			m.Value = referring(m.Value, ref)
		case key == "gold" || key == alternativesKey:
			m.Value = referringGolds(m.Value, ref)
		}
		out = append(out, m)
	}
	return out
}

// referringGolds returns the JSON of one or several accepted answers with other references.
func referringGolds(raw []byte, ref func(string) string) []byte {
	whole := unwrapped(raw)
	if jsonscan.ParseObject(whole) != nil {
		return referringGold(whole, ref)
	}
	var s jsonscan.Scanner
	s.Reset(whole)
	if s.Array() != nil {
		return raw
	}
	out := []byte{'['}
	for first := true; ; first = false {
		more, err := s.More(first)
		if err != nil {
			return raw
		}
		if !more {
			return append(out, ']')
		}
		element, err := s.Skip()
		if err != nil {
			return raw
		}
		if !first {
			out = append(out, ',')
		}
		out = append(out, referringGold(element, ref)...)
	}
}

// referringGold returns the JSON of an accepted answer with another reference.
func referringGold(raw []byte, ref func(string) string) []byte {
	members := jsonscan.ParseObject(raw)
	if members == nil {
		return raw
	}
	out := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		if strings.EqualFold(string(m.Name), "result") {
			m.Value = referring(m.Value, ref)
		}
		out = append(append(jsonscan.AppendString(out, m.Name), ':'), m.Value...)
	}
	return append(out, '}')
}

// referring returns the JSON of a result with another reference. Other results are unchanged.
func referring(raw []byte, ref func(string) string) []byte {
	text := jsonscan.Unquote(raw)
	if text == nil {
		return raw
	}
	if to := ref(string(text)); !bytes.Equal(text, []byte(to)) {
		return jsonscan.AppendString(nil, to)
	}
	return raw
}
