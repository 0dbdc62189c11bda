package endpoint

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/badger-eval/badger/judgebackend"
)

func zipped(t *testing.T, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A body is read as it was sent: compressed once, twice or not at all, with the header or without.
func TestDecompress(t *testing.T) {
	t.Parallel()
	body := []byte(`{"choices": [{"message": {"content": "yes"}}]}`)
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		sent     []byte
		encoding string
	}{
		"plain": {body, ""}, "plain, marked": {body, "gzip"}, "gzip": {zipped(t, body), "gzip"}, "gzip, unmarked": {zipped(t, body), ""},
		"twice": {zipped(t, zipped(t, body)), "gzip"}, "zstd": {z.EncodeAll(body, nil), "zstd"}, "empty": {nil, "gzip"},
	} {
		got, err := decompress(tc.sent, http.Header{"Content-Encoding": {tc.encoding}}, 1<<20)
		if err != nil || len(tc.sent) > 0 && !bytes.Equal(got, body) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if _, err := decompress([]byte{0x0b, 0x02, 0x80}, http.Header{"Content-Encoding": {"br"}}, 1<<20); judgebackend.KindOf(err) != judgebackend.KindUnsupported {
		t.Errorf("br: %v, expected kind unsupported", err)
	}
	whole := zipped(t, body)
	for _, broken := range [][]byte{whole[:len(whole)-9], append(bytes.Clone(whole[:len(whole)-8]), 1, 2, 3, 4, 5, 6, 7, 8)} {
		if _, err := decompress(broken, nil, 1<<20); err == nil {
			t.Error("a damaged body is read")
		}
	}
	bomb := zipped(t, make([]byte, 50<<20))
	for _, b := range [][]byte{bomb, zipped(t, bomb)} {
		if got, err := decompress(b, nil, 1000); err != nil || len(got) != 1001 {
			t.Errorf("%d bytes, %v; expected one more than the limit", len(got), err)
		}
	}
}

// Numbers that JSON has not are null; texts keep their words.
func TestWithoutNaN(t *testing.T) {
	t.Parallel()
	for in, expected := range map[string]string{
		`{"logprob": -Infinity, "top": [NaN, Infinity, -1.5]}`: `{"logprob": null, "top": [null, null, -1.5]}`,
		`{"NaN": "-Infinity \" NaN", "x": NaN}`:                `{"NaN": "-Infinity \" NaN", "x": null}`,
		`{"x": 1}`:                                             `{"x": 1}`,
	} {
		if got := string(withoutNaN([]byte(in))); got != expected || !json.Valid([]byte(got)) {
			t.Errorf("%s: got %s", in, got)
		}
	}
}

// Of a page, the words are left.
func TestWithoutMarkup(t *testing.T) {
	t.Parallel()
	page := "<!DOCTYPE html><html><head><title>Stop &amp; read</title><style>b {x: y}</style></head><body><script>run()</script><p>You\n may not pass.</p></body></html>"
	if got := withoutMarkup([]byte(page)); got != "Stop & read You may not pass." {
		t.Errorf("got %q", got)
	}
	for _, text := range []string{"x < y", `{"error": "<html>"}`, ""} {
		if got := withoutMarkup([]byte(text)); got != text {
			t.Errorf("got %q, expected %q", got, text)
		}
	}
	if got := withoutMarkup([]byte(strings.Repeat("<html>", 1000))); got != "" {
		t.Errorf("got %q", got)
	}
}
