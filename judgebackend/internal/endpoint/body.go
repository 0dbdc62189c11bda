package endpoint

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/net/html"

	"github.com/badger-eval/badger/judgebackend"
)

// decompress returns a body without the compressions that its first bytes show, whatever its header says: proxies
// lose the header, or compress twice. The result has at most one byte more than most. A compression that is in the
// header only is an error.
func decompress(body []byte, header http.Header, most int64) ([]byte, error) {
	for range 2 {
		var from io.Reader
		switch {
		case bytes.HasPrefix(body, []byte{0x1f, 0x8b}):
			z, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				return nil, err
			}
			from = z
		case bytes.HasPrefix(body, []byte{0x28, 0xb5, 0x2f, 0xfd}):
			z, err := zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(8<<20))
			if err != nil {
				return nil, err
			}
			defer z.Close()
			from = z
		default:
			if e := strings.ToLower(header.Get("Content-Encoding")); e != "" && e != "identity" && !isText(body) {
				return nil, &judgebackend.Error{Kind: judgebackend.KindUnsupported,
					Detail: "the response is compressed in an encoding that was not asked for; expected gzip or none"}
			}
			return body, nil
		}
		plain, err := io.ReadAll(io.LimitReader(from, most+1))
		if err != nil {
			return nil, err
		}
		body = plain
	}
	return body, nil
}

// isText reports whether a body starts as JSON, HTML or events do.
func isText(body []byte) bool {
	body = bytes.TrimSpace(body)
	return len(body) == 0 || bytes.IndexByte([]byte("{[<\"dei:"), body[0]) >= 0
}

// withoutNaN returns JSON in which NaN and infinite numbers, which Python writes, are null.
func withoutNaN(body []byte) []byte {
	var out bytes.Buffer
	quoted := false
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case quoted && c == '\\' && i+1 < len(body):
			out.WriteByte(c)
			i++
			c = body[i]
		case c == '"':
			quoted = !quoted
		case !quoted:
			n := 0
			for _, name := range []string{"NaN", "-NaN", "Infinity", "-Infinity"} {
				if bytes.HasPrefix(body[i:], []byte(name)) {
					n = len(name)
				}
			}
			if n > 0 {
				out.WriteString("null")
				i += n - 1
				continue
			}
		}
		out.WriteByte(c)
	}
	return out.Bytes()
}

// withoutMarkup returns the text of a body that is HTML, and any other body unchanged.
func withoutMarkup(body []byte) string {
	start := bytes.TrimSpace(body)
	start = bytes.ToLower(start[:min(len(start), 64)])
	isHTML := func(s string) bool { return bytes.HasPrefix(start, []byte(s)) }
	if !slices.ContainsFunc([]string{"<!doctype html", "<html", "<head"}, isHTML) {
		return string(body)
	}
	var words []string
	hidden := false
	for z := html.NewTokenizer(bytes.NewReader(body)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return strings.Join(words, " ")
		case html.StartTagToken, html.EndTagToken:
			t := z.Token()
			if t.Data == "script" || t.Data == "style" {
				hidden = t.Type == html.StartTagToken
			}
		case html.TextToken:
			if text := strings.Join(strings.Fields(string(z.Text())), " "); text != "" && !hidden {
				words = append(words, text)
			}
		}
	}
}
