package printable

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// HTML returns a page of package html/template in which all runes for which [Steers] is true are replaced:
//
//   - in text and in attributes that are shown (title, aria-label, placeholder, alt, label), by their code point, such
//     as U+202E;
//   - in other attributes and in text areas, whose values are sent to the server, by a character reference, which keeps
//     the value. There is none for U+0080 to U+009F: these are left unchanged there;
//   - in scripts and styles, by a JavaScript escape, which JSON also has.
//
// Pages that show text in pieces mark invisible characters in more detail; this function covers all other text.
func HTML(page []byte) []byte {
	if !bytes.ContainsFunc(page, Steers) {
		return page
	}
	out := make([]byte, 0, len(page)+len(page)/8)
	in := ""
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		kind := z.Next()
		raw := z.Raw()
		switch {
		case !bytes.ContainsFunc(raw, Steers):
			out = append(out, raw...)
		case kind == html.StartTagToken || kind == html.SelfClosingTagToken:
			out = appendTag(out, raw)
		case in == "script" || in == "style":
			out = appendSpelled(out, raw, jsonEscape)
		case in == "textarea":
			out = appendSpelled(out, raw, reference)
		default:
			out = appendSpelled(out, raw, Number)
		}
		switch kind {
		case html.ErrorToken: // the end
			return out
		case html.StartTagToken:
			name, _ := z.TagName()
			in = string(name)
		case html.EndTagToken:
			in = ""
		}
	}
}

func appendSpelled(out, text []byte, as func(r rune) string) []byte {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if Steers(r) {
			out = append(out, as(r)...)
		} else {
			out = append(out, text[i:i+n]...)
		}
		i += n
	}
	return out
}

func reference(r rune) string {
	if r >= 0x80 && r < 0xa0 {
		return string(r)
	}
	return fmt.Sprintf("&#%d;", r)
}

// appendTag appends a tag with its control characters replaced, in a form that depends on the attribute. Values must be
// quoted, as html/template writes them.
func appendTag(out, tag []byte) []byte {
	for {
		open := bytes.IndexAny(tag, `"'`)
		if open < 0 {
			return appendSpelled(out, tag, Number)
		}
		end := bytes.IndexByte(tag[open+1:], tag[open])
		if end < 0 {
			return appendSpelled(out, tag, Number)
		}
		as := reference
		name := bytes.TrimRight(tag[:open], "= ")
		if shownAttributes[string(name[bytes.LastIndexAny(name, " \n\t/")+1:])] {
			as = Number
		}
		out = appendSpelled(out, tag[:open+1], Number)
		out = appendSpelled(out, tag[open+1:open+1+end], as)
		out = append(out, tag[open])
		tag = tag[open+end+2:]
	}
}

var shownAttributes = map[string]bool{"title": true, "aria-label": true, "placeholder": true, "alt": true,
	"label": true}

// Spell replaces each rune of text for which [Steers] is true by as(rune).
func Spell(text string, as func(r rune) string) string {
	if !strings.ContainsFunc(text, Steers) {
		return text
	}
	return string(appendSpelled(nil, []byte(text), as))
}

// Number returns the code point of a rune as text, such as U+202E.
func Number(r rune) string { return fmt.Sprintf("U+%04X", r) }

// JSON returns a JSON document in which all runes for which [Steers] is true are escaped. Package encoding/json escapes
// only some of them.
func JSON(document []byte) []byte {
	if !bytes.ContainsFunc(document, Steers) {
		return document
	}
	return appendSpelled(nil, document, jsonEscape)
}

func jsonEscape(r rune) string { return fmt.Sprintf(`\u%04x`, r) } // all are below U+10000

// JSONWriter writes JSON documents, each in one call of Write, with the escapes of [JSON].
type JSONWriter struct{ io.Writer }

func (j JSONWriter) Write(document []byte) (int, error) {
	if _, err := j.Writer.Write(JSON(document)); err != nil {
		return 0, err
	}
	return len(document), nil
}
