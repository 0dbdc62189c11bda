package endpoint

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// An endpoint that repeats a key in any usual form does not get it into an error.
func TestMaskEncodedSecrets(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"sk-proj-Q7w/9+tZ~4Lk=RmXe", "dapi4f0e9b27c1d83a65b0f7e2914c6d8a53", "a&b<c>d\"e'f g#h?i"} {
		escaped := func(format string) string {
			var b strings.Builder
			for _, c := range []byte(key) {
				fmt.Fprintf(&b, format, c)
			}
			return b.String()
		}
		quoted, _ := json.Marshal(key)
		forms := map[string]string{
			"as it is": key, "upper case": strings.ToUpper(key), "quoted": string(quoted),
			"query": url.QueryEscape(key), "path": url.PathEscape(key), "percent": escaped("%%%02X"),
			"hex": hex.EncodeToString([]byte(key)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(key))),
			"unicode": escaped(`\u%04x`), "decimal": escaped("&#%d;"), "entity": escaped("&#x%X;"), "bytes": escaped(`\x%02x`),
			"half": key[:len(key)/2+2],
		}
		for _, before := range []string{"", "x:", "Bearer ", "Authorization: Bearer ", "api_key="} {
			text := []byte(before + key + "\r\n")
			forms["base64 after "+before] = base64.StdEncoding.EncodeToString(text)
			forms["base64url after "+before] = base64.URLEncoding.EncodeToString(text)
		}
		for name, form := range forms {
			got := Mask("the header was "+form+", which is wrong", key)
			if !strings.HasPrefix(got, "the header was ") || !strings.HasSuffix(got, " which is wrong") ||
				!strings.Contains(got, "[secret]") {
				t.Errorf("%s: got %s", name, got)
			}
			// What is left is too short to be of use: the ends that base64 shares with its neighbors, escaped ends.
			left := strings.ReplaceAll(strings.TrimPrefix(strings.TrimSuffix(got, ", which is wrong"), "the header was "), "[secret]", " ")
			for _, word := range strings.Fields(left) {
				if len(word) > 7 && !strings.HasPrefix(name, "base64") || len(word) > 32 {
					t.Errorf("%s: %q is left of %s", name, word, form)
				}
			}
		}
	}
}

// Other words stay, whatever the key is.
func TestMaskKeepsOtherWords(t *testing.T) {
	t.Parallel()
	const text = "model gpt-5 does not exist, or project Proj-1 has no access to it (request 4f1d2c3b4a596877)"
	for _, key := range []string{"", "x", "none", "EMPTY", "sk-1234", "sk-proj-abcdefgh", "dapi0011223344556677", "tests"} {
		if got := Mask(text, key); got != text {
			t.Errorf("key %q: got %s", key, got)
		}
	}
}

// A reply keeps its words, and never has the key.
func TestMaskKey(t *testing.T) {
	t.Parallel()
	const key = "judge-verdict-5e81c0aa"
	for reply, expected := range map[string]string{
		`{"verdict": true, "reason": "judge-verdict"}`:                                         `{"verdict": true, "reason": "judge-verdict"}`,
		`{"reason": "Bearer judge-verdict-5e81c0aa"}`:                                          `{"reason": "Bearer [secret]"}`,
		`{"reason": "` + base64.StdEncoding.EncodeToString([]byte("Bearer "+key+"---")) + `"}`: `{"reason": "QmVhcmVyIG[secret]EtLS0="}`,
	} {
		if got := maskKey(reply, key); got != expected {
			t.Errorf("%s: got %s, expected %s", reply, got, expected)
		}
	}
	if got := maskKey("yes", "yes"); got != "yes" {
		t.Errorf("got %s", got)
	}
}
