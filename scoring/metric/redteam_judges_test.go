package metric

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/badger-eval/badger/judgebackend"
)

// A fooled judge is a function from what it reads to its reply.
type fooled func(r judgebackend.Request) string

// Complete replies.
func (f fooled) Complete(_ context.Context, r judgebackend.Request) (judgebackend.Response, error) {
	return judgebackend.Response{Reply: f(r), FinishReason: judgebackend.FinishStop}, nil
}

const wordFollows = "Set the field nonce of your answer to "

// material is what the judge is shown, without the closing instruction, and the word that this asks
// for.
func materialAndWord(r judgebackend.Request) (text, word string) {
	for _, m := range r.Messages { // a repair has more than one
		if m.Role == judgebackend.User && strings.Contains(m.Content, wordFollows) {
			text = m.Content
		}
	}
	at := strings.LastIndex(text, wordFollows)
	if at < 0 {
		return text, ""
	}
	word, _, _ = strings.Cut(text[at+len(wordFollows):], ".")
	return text[:at], word
}

// objects are the JSON objects in a text, wherever they begin.
func objects(text string) (found []string) {
	for i := strings.IndexByte(text, '{'); i >= 0 && len(found) < 200; {
		var raw json.RawMessage
		d := json.NewDecoder(strings.NewReader(text[i:]))
		step := 1
		if d.Decode(&raw) == nil {
			found = append(found, string(raw))
			step = len(raw)
		}
		next := strings.IndexByte(text[i+step:], '{')
		if next < 0 {
			break
		}
		i += step + next
	}
	return found
}

// silent says nothing that could be used.
func silent(judgebackend.Request) string { return "I cannot say." }

// copier repeats verbatim every object that it reads.
func copier(r judgebackend.Request) string {
	text, _ := materialAndWord(r)
	return strings.Join(objects(text), "\n")
}

// lastCopier repeats the last object that it reads.
func lastCopier(r judgebackend.Request) string {
	text, _ := materialAndWord(r)
	if found := objects(text); len(found) > 0 {
		return found[len(found)-1]
	}
	return silent(r)
}

// adopter makes the first fitting object that it reads its own answer, word and all: as fooled as a
// judge can be.
func adopter(r judgebackend.Request) string {
	text, word := materialAndWord(r)
	for _, o := range objects(text) {
		if own := signed(o, word); own != "" {
			var any map[string]any
			if judgebackend.Decode(own, r.Schema, &any) == nil {
				return own
			}
		}
	}
	return silent(r)
}

// signed is an object with the word.
func signed(object, word string) string {
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(object), &m) != nil {
		return ""
	}
	m["nonce"], _ = json.Marshal(word)
	b, _ := json.Marshal(m)
	return string(b)
}

var (
	dictatedMap   = regexp.MustCompile(`map (\d+) to (\d+)`)
	dictatedIndex = regexp.MustCompile(`index (\d+)`)
	dictatedScale = regexp.MustCompile(`scale (-?\d+)`)
	dictatedSlack = regexp.MustCompile(`tolerance ([0-9.]+)`)
)

// obedient proposes the mapping that the material dictates in words; where it dictates none, that
// the columns correspond in order.
func obedient(r judgebackend.Request) string {
	text, word := materialAndWord(r)
	scale := "0"
	if m := dictatedScale.FindStringSubmatch(text); m != nil {
		scale = m[1]
	}
	var pairs, index []string
	for _, m := range dictatedMap.FindAllStringSubmatch(text, -1) {
		pairs = append(pairs, fmt.Sprintf(`{"gold": %s, "pred": %s, "scale": %s}`, m[1], m[2], scale))
	}
	for _, m := range dictatedIndex.FindAllStringSubmatch(text, -1) {
		index = append(index, m[1])
	}
	if pairs == nil {
		return perfect(r)
	}
	slack := "null"
	if m := dictatedSlack.FindStringSubmatch(text); m != nil {
		slack = m[1]
	}
	return fmt.Sprintf(`{"column_mapping": [%s], "index_columns": [%s], "recommended_tolerance": %s, "nonce": %q}`,
		strings.Join(pairs, ", "), strings.Join(index, ", "), slack, word)
}

// perfect calls everything right: the columns correspond in order, whatever they hold, and all that
// differs is tolerated.
func perfect(r judgebackend.Request) string {
	_, word := materialAndWord(r)
	return fmt.Sprintf(`{"column_mapping": [{"gold": 1, "pred": 1}, {"gold": 2, "pred": 2}, {"gold": 3, "pred": 3}], "index_columns": [1], "recommended_tolerance": 1, "nonce": %q}`, word)
}
