package printable_test

import (
	"bytes"
	"encoding/json"
	"html/template"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/badger-eval/badger/internal/printable"
)

// Whatever place of a page a text has, no rune that steers is there; what is sent back keeps its value,
// and what is shown says which rune it was.
func TestHTML(t *testing.T) {
	page := template.Must(template.New("").Parse(`<!DOCTYPE html><title>{{.}}</title><p title="{{.}}" id='{{.}}' data-x="{{.}}">{{.}}<a href="/x?y={{.}}">é 文 &amp; ` + "\t" + `</a></p>
<input type="hidden" name="case" value="{{.}}"/><textarea>{{.}}</textarea><option label="{{.}}" value="{{.}}">{{.}}</option><script>let x = {{.}};</script><script type="application/json">{{.}}</script>`))
	const text = "a\x1b[31mb\u202ec\u2066d\u200ee\x7ff<script>\"'&"
	var b bytes.Buffer
	if err := page.Execute(&b, text); err != nil {
		t.Fatal(err)
	}
	out := printable.HTML(b.Bytes())
	if bytes.ContainsFunc(out, printable.Steers) {
		t.Errorf("a rune that steers is left: %q", out)
	}
	const shown = "aU+001B[31mbU+202EcU+2066dU+200EeU+007Ff<script>\"'&"
	doc, err := html.Parse(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for n := range doc.Descendants() {
		if n.Type == html.TextNode && n.Parent != nil {
			seen[n.Parent.Data] += n.Data
		}
		for _, a := range n.Attr {
			seen[n.Data+" "+a.Key] = a.Val
		}
	}
	for at, want := range map[string]string{
		"title": shown, "p": shown, "option": shown, "p title": shown, "option label": shown, "a": "é 文 & \t",
		"p id": text, "p data-x": text, "input value": text, "option value": text, "textarea": text,
	} {
		if seen[at] != want {
			t.Errorf("%s: %q, want %q", at, seen[at], want)
		}
	}
	scripts := strings.SplitN(seen["script"], ";", 2)
	var got string
	if err := json.Unmarshal([]byte(strings.TrimPrefix(scripts[0], "let x = ")), &got); err != nil || got != text {
		t.Errorf("the script has %q: %q, %v", scripts[0], got, err)
	}
	const plain = "<p>nothing\r\n\tto do, é文</p>"
	if got := printable.HTML([]byte(plain)); string(got) != plain {
		t.Errorf("a page without such runes became %q", got)
	}
}

func TestLines(t *testing.T) {
	for in, want := range map[string]string{
		"one\n\ttwo":            "one\n\ttwo",
		`a "b\n" c:\new`:        `a "b\n" c:\new`,
		"x\x1b]0;t\ay\r\u202ez": `x\x1b]0;t\x07y\r\u202ez`,
		"\xff\u009b":            `\xff\u009b`,
		"Größe 文":               "Größe 文",
	} {
		if got := printable.Lines(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestSteers(t *testing.T) {
	for _, r := range "\x00\a\b\v\f\x1b\x7f\u0085\u009b\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" {
		if !printable.Steers(r) {
			t.Errorf("%U", r)
		}
	}
	for _, r := range "\t\n\r aé文\u00a0\u200d\u200c🏳" {
		if printable.Steers(r) {
			t.Errorf("%U", r)
		}
	}
}
