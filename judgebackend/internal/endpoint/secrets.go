package endpoint

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/badger-eval/badger/judgebackend"
)

// maskedPart is the length of a part of a secret that is masked wherever it appears.
const maskedPart = 8

// Mask replaces secrets in a text of an endpoint by [secret]: whole ones of at least four characters, as they are or
// escaped in a URL, and parts of at least eight.
func Mask(text string, secrets ...string) string {
	for _, s := range secrets {
		if len(s) < 4 { // such as x, for an endpoint that needs no key
			continue
		}
		text = strings.ReplaceAll(text, s, "[secret]")
		text = strings.ReplaceAll(text, url.QueryEscape(s), "[secret]")
		text = judgebackend.MaskParts(text, s, maskedPart, "[secret]")
	}
	return text
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
