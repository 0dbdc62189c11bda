package driver

import (
	"net/url"
	"strings"

	"github.com/badger-eval/badger/internal/lazyregexp"
)

var (
	secretName = lazyregexp.New(`(?i)pass|secret|token|key|pwd|credential|signature|^(pat|sig|pw)$`)
	placeName  = lazyregexp.New(`(?i)(_file|_env|_command|file|path|^sslkey|^credentials)$`)
	plainURL   = lazyregexp.New(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	userOnly   = lazyregexp.New(`(?i)^(postgres|postgresql|redshift|snowflake)$`)
)

// SecretOption reports whether the value of the URL option with this name is a secret itself, and not the name of a
// file, an environment variable, a command or a kind of authentication.
func SecretOption(name string) bool {
	return secretName.MatchString(name) && !placeName.MatchString(name)
}

// HoldsSecret reports whether a URL contains a password, a user in a scheme whose URLs need none, or an option that is
// a secret, also in a URL that is the value of an option. It is false for a string that is not a URL.
func HoldsSecret(text string) bool {
	scheme, rest, _ := strings.Cut(text, ":")
	if !plainURL.MatchString(text) {
		return false
	}
	before, query, _ := strings.Cut(rest, "?")
	if after, ok := strings.CutPrefix(before, "//"); ok {
		if scheme == "http" || scheme == "https" { // an @ may be part of the path
			after, _, _ = strings.Cut(after, "/")
		}
		if at := strings.LastIndexByte(after, '@'); at >= 0 &&
			(strings.Contains(after[:at], ":") || !userOnly.MatchString(scheme)) {
			return true
		}
	}
	query, _, _ = strings.Cut(query, "#")
	for _, option := range strings.FieldsFunc(query, func(c rune) bool { return c == '&' || c == ';' }) {
		name, value, _ := strings.Cut(option, "=")
		name, value = plain(name), plain(value)
		if value != "" && SecretOption(name) || HoldsSecret(value) {
			return true
		}
	}
	return false
}

// plain decodes the escapes of a part of a URL. Malformed text is returned unchanged.
func plain(text string) string {
	if t, err := url.QueryUnescape(text); err == nil {
		return t
	}
	return text
}
