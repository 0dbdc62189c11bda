package judgebackend

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// MaxReply is the maximum number of bytes of a reply; [Decode] rejects longer ones.
const MaxReply = 1 << 20

// Decode finds the JSON object in a model's reply, checks it against schema and stores it in the value that into
// points to. These rules apply in order:
//
//   - A thinking block at the start (<think>…</think>, also with the opening tag left out) is not part of the reply.
//   - Every object that is not inside another counts, with or without prose and code fences around it. Text around
//     objects is ignored. If there is none, and the reply is a string of JSON, its content is read instead.
//   - Inside an object, comments, a comma before a closing bracket, raw control characters in strings, a backslash
//     before a character that JSON does not escape, and Python's True, False and None are mended; these have one
//     meaning. Anything else that is not JSON, a duplicate key, and a number of absurd size make the object invalid.
//     Nothing is searched for inside an invalid object, since what is there may be quoted.
//   - An object that the reply's end cuts off makes the whole reply invalid, for the same reason.
//   - Exactly one object must satisfy the schema; several must be equal. A reply that gives two different answers gives
//     none.
//
// Errors are an *Error of [KindBadReply] (DataLoss) that describes the fault and its place without showing values. A
// malformed schema is InvalidArgument.
func Decode(reply string, schema json.RawMessage, into any) error {
	return decode(reply, schema, "", "", into)
}

// DecodeNonce is Decode for a request whose reply must repeat the word nonce in field ([Request.WithNonce]). It
// ignores objects without the word: they are copies from the judged text. An object that wraps one other object, such
// as {"answer": {…}} or the name and arguments of a tool, is read as that object if it has the word.
func DecodeNonce(reply string, schema json.RawMessage, field, nonce string, into any) error {
	return decode(reply, schema, field, nonce, into)
}

func decode(reply string, schema json.RawMessage, nonceField, nonce string, into any) error {
	s, err := compileSchema(schema)
	if err != nil {
		return err
	}
	if len(reply) > MaxReply {
		return badReply("%d bytes, expected at most %d", len(reply), MaxReply)
	}
	text := afterThinking(reply)
	objects, err := findObjects(text)
	if inner, ok := quotedJSON(text); len(objects) == 0 && ok {
		objects, err = findObjects(inner)
	}
	if err != nil {
		return err
	}
	var found []byte
	why := "no JSON object in it"
	for _, object := range objects {
		if err := checkJSON(object); err != nil {
			why = err.Error()
			continue
		}
		v := mustUnmarshal(object)
		if nonceField != "" {
			v = unwrapped(v, nonceField, nonce)
			if m, ok := v.(map[string]any); !ok || m[nonceField] != nonce {
				why = "no object repeats the word it was to repeat"
				continue
			}
		}
		if err := s.Validate(v); err != nil {
			why = violation(err)
			continue
		}
		if miscased(v, s.Properties) {
			why = "a key differs from the schema's in case"
			continue
		}
		if nonceField != "" {
			delete(v.(map[string]any), nonceField) //nolint:forcetypeassert // checked above
			object, _ = json.Marshal(v)
		}
		if found != nil && !bytes.Equal(canonicalJSON(found), canonicalJSON(object)) {
			return badReply("two different answers")
		}
		found = object
	}
	if found == nil {
		return badReply("%s", why)
	}
	if err := json.Unmarshal(found, into); err != nil {
		return badReply("does not fit the value it is decoded into") // the schema allows more than the type
	}
	return nil
}

// quotedJSON returns the content of a reply that is a string of JSON, with a code fence around it or without.
func quotedJSON(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if fenced, ok := strings.CutPrefix(text, "```"); ok {
		_, fenced, _ = strings.Cut(fenced, "\n") // the name of a language
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(fenced), "```"))
	}
	var inner string
	return inner, strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &inner) == nil
}

// unwrapped returns the only object among the members of v, as an object or as JSON text, if it repeats the word and
// v does not; else v.
func unwrapped(v any, nonceField, nonce string) any {
	m, _ := v.(map[string]any)
	if m == nil || m[nonceField] != nil {
		return v
	}
	var found map[string]any
	for _, member := range m {
		if text, ok := member.(string); ok && checkJSON([]byte(text)) == nil {
			member = mustUnmarshal([]byte(text))
		}
		inner, ok := member.(map[string]any)
		switch {
		case !ok:
		case found != nil:
			return v
		default:
			found = inner
		}
	}
	if found == nil || found[nonceField] != nonce {
		return v
	}
	return found
}

// miscased reports whether v has a member whose name differs from a property only in case. encoding/json would store
// it as that property, although the schema has not checked its value.
func miscased[S any](v any, properties map[string]S) bool {
	m, _ := v.(map[string]any)
	for key := range m {
		if _, ok := properties[key]; ok {
			continue
		}
		for p := range properties {
			if foldKey(p) == foldKey(key) {
				return true
			}
		}
	}
	return false
}

func badReply(format string, args ...any) error {
	return &Error{Kind: KindBadReply, Detail: fmt.Sprintf(format, args...)}
}

// mustUnmarshal decodes JSON that checkJSON has accepted. Numbers keep their text.
func mustUnmarshal(b []byte) any {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var v any
	_ = dec.Decode(&v)
	return v
}

// afterThinking returns the reply without a thinking block at its start. A closing tag without an opening one ends
// such a block only if no { precedes it, because some prompt templates open the block but the tag may also be quoted.
func afterThinking(reply string) string {
	trimmed := strings.TrimSpace(reply)
	for _, tag := range []string{"think", "thinking"} {
		end := strings.Index(trimmed, "</"+tag+">")
		switch opened := strings.HasPrefix(trimmed, "<"+tag+">"); {
		case opened && end < 0:
			return "" // it thought to the end
		case opened, end >= 0 && !strings.Contains(trimmed[:end], "{"):
			return trimmed[end+len(tag)+3:]
		}
	}
	return trimmed
}
