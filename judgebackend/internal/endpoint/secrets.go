package endpoint

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/badger-eval/badger/judgebackend"
)

// maskedPart is the length of a part of a secret that is masked wherever it appears.
const maskedPart = 8

// Mask replaces secrets in a text of an endpoint by [secret]: whole ones of at least four characters and parts of at
// least eight, in upper or lower case, plain or in one of [encodings], HTML entities or wide letters.
func Mask(text string, secrets ...string) string {
	for _, decode := range []func(string) string{html.UnescapeString, norm.NFKC.String} {
		if plain := decode(text); plain != text && mask(plain, secrets) != plain {
			text = plain
		}
	}
	return mask(text, secrets)
}

func mask(text string, secrets []string) string {
	for _, s := range secrets {
		if len(s) < 4 { // such as x, for an endpoint that needs no key
			continue
		}
		for _, e := range encodings(s) {
			least := maskedPart * e.width
			if len(s) < maskedPart {
				least = len(e.text)
			}
			text = judgebackend.MaskParts(text, e.text, least, "[secret]")
		}
	}
	return text
}

// maskKey replaces a key of at least eight characters in a reply, plain or encoded. Parts of it stay: a reply is
// data, and may have a word in common with a key.
func maskKey(reply, key string) string {
	if len(key) < maskedPart {
		return reply
	}
	for _, e := range encodings(key) {
		reply = strings.ReplaceAll(reply, e.text, "[secret]")
	}
	return reply
}

// encoded is a secret in an encoding, with at most width characters for each character of the secret.
type encoded struct {
	text  string
	width int
}

// encodings returns a secret as text, in base64 and hexadecimal, and escaped as in URLs, JSON and HTML. An endpoint
// that repeats a request often encodes it.
func encodings(secret string) []encoded {
	quoted, _ := json.Marshal(secret)
	all := []encoded{
		{secret, 1}, {strings.Trim(string(quoted), `"`), 1}, {url.QueryEscape(secret), 1}, {url.QueryEscape(url.QueryEscape(secret)), 1},
		{url.PathEscape(secret), 1},
		{hex.EncodeToString([]byte(secret)), 2},
	}
	for _, escape := range []string{`%%%02x`, `\x%02x`, `\u%04x`, `&#%d;`, `&#x%x;`, `%02x:`, `%02x `, `%d, `, `%d,`, `%c `} {
		var b strings.Builder
		for _, c := range []byte(secret) {
			fmt.Fprintf(&b, escape, c)
		}
		all = append(all, encoded{b.String(), len(fmt.Sprintf(escape, 'm'))})
	}
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		// What comes before the secret, such as a user name or Bearer, shifts its bits by 0, 2 or 4.
		for before := range 3 {
			text := e.EncodeToString([]byte(strings.Repeat("x", before) + secret))
			all = append(all, encoded{text[(before*8+5)/6 : (before+len(secret))*8/6], 2})
		}
	}
	slices.SortStableFunc(all, func(a, b encoded) int { return cmp.Compare(len(b.text), len(a.text)) })
	return all
}

// secretsOf returns the secrets in the headers of a request: the key, from any of the headers that can have it and
// without a scheme such as Bearer, and the values of the headers named in others.
func secretsOf(h http.Header, others []string) []string {
	var found []string
	for _, name := range append([]string{"Authorization", "Api-Key", "X-Api-Key"}, others...) {
		for _, v := range h.Values(name) {
			_, token, isScheme := strings.Cut(v, " ")
			if name == "Authorization" && isScheme {
				v = token
			}
			found = append(found, v)
		}
	}
	return found
}
