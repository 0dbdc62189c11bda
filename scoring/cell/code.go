package cell

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode"

	"github.com/badger-eval/badger/scoring"
)

// Formats that read strings as identifiers, ignoring separators and letter case.
const (
	FormatUUID   = "UUID text"               // with dashes or none, in braces or not
	FormatHex    = "hexadecimal text"        // of bytes: DE:AD, 0xdead
	FormatBase64 = "base64 text"             // of bytes
	FormatCode   = "text without separators" // +49 40 555, 978-0-306-40615-7
)

// parseUUID returns the digits of a UUID in lower case, and whether it has dashes. It may be in braces or parentheses
// or follow urn:uuid:.
func parseUUID(s string) (digits string, dashes, ok bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	s = strings.TrimPrefix(s, "urn:uuid:")
	if n := len(s); n > 2 && (s[0] == '{' && s[n-1] == '}' || s[0] == '(' && s[n-1] == ')') {
		s = s[1 : n-1]
	}
	if dashes = len(s) == 36; dashes {
		for _, i := range []int{8, 13, 18, 23} {
			if s[i] != '-' {
				return "", false, false
			}
		}
		s = strings.ReplaceAll(s, "-", "")
	}
	return s, dashes, len(s) == 32 && isHex(s)
}

func isHex(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.Is(unicode.ASCII_Hex_Digit, r) })
}

// minBytes is the minimum number of bytes that a string must encode to be read as bytes, since shorter words may be
// hexadecimal by chance.
const minBytes = 4

// parseHex parses bytes in hexadecimal digits: deadbeef, 0xDEADBEEF, \xdeadbeef, X'DEADBEEF', and groups of one or two
// bytes separated by colons, dashes or points, as in MAC addresses and fingerprints.
func parseHex(s string) (raw string, ok bool) {
	s = strings.TrimSpace(s)
	for _, prefix := range []string{"0x", "0X", `\x`} {
		if t, found := strings.CutPrefix(s, prefix); found {
			s = t
			break
		}
	}
	if n := len(s); n > 3 && (s[0] == 'x' || s[0] == 'X') && s[1] == '\'' && s[n-1] == '\'' {
		s = s[2 : n-1]
	}
	if i := strings.IndexAny(s, ":-."); i == 2 || i == 4 {
		groups := strings.Split(s, s[i:i+1])
		for _, g := range groups {
			if len(g) != i {
				return "", false
			}
		}
		s = strings.Join(groups, "")
	}
	b, err := hex.DecodeString(s)
	return string(b), err == nil && len(b) >= minBytes
}

// parseBase64 parses bytes in standard or URL-safe base64, with or without padding.
func parseBase64(s string) (raw string, ok bool) {
	s = strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "").Replace(strings.TrimSpace(s))
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	return string(b), err == nil && len(b) >= minBytes
}

// codeLetters returns the letters and digits of a code in lower case, without a prefix such as ISBN. In a telephone
// number it replaces a leading 00 by + and removes a (0).
func codeLetters(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	for _, prefix := range []string{"isbn-13", "isbn-10", "isbn", "iban", "tel", "doi"} {
		if t, found := strings.CutPrefix(s, prefix); found && t != "" && strings.ContainsAny(t[:1], " :") {
			s = strings.TrimLeft(t, " :")
			break
		}
	}
	plus := strings.HasPrefix(s, "+")
	if t, found := strings.CutPrefix(s, "00"); found && len(t) > 8 && strings.ContainsAny(s, " -/") {
		s, plus = t, true
	}
	if plus {
		s = strings.Replace(s, "(0)", "", 1)
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
	if plus {
		return "+" + s
	}
	return s
}

// minCode is the minimum number of letters and digits of a code, including a plus.
const minCode = 6

// separated reports whether a string may be a code: it has a digit, at least minCode letters and digits, and no signs
// other than blanks, dashes, points, slashes, colons, plus and parentheses.
func separated(s string) bool {
	s = strings.TrimSpace(s)
	return len(s) <= 64 && s != "" && s[0] != '-' && len(codeLetters(s)) >= minCode &&
		strings.ContainsFunc(s, unicode.IsDigit) && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" \u00a0\u202f-‐‑–./()+:", r)
	})
}

// readCode returns a cell read in one of the formats of this file; ok is false if that is not possible.
func readCode(v scoring.Value, format string) (scoring.Value, bool) {
	if format == FormatCode && (v.Type == scoring.Int64 || v.Type == scoring.Decimal) {
		return scoring.StringValue(v.String()), true
	}
	if format == FormatUUID && v.Type == scoring.Bytes {
		return scoring.StringValue(hex.EncodeToString([]byte(v.Text()))), true
	}
	if v.Type != scoring.String {
		return v, false
	}
	s := v.Text()
	switch format {
	case FormatUUID:
		if digits, _, ok := parseUUID(s); ok {
			return scoring.StringValue(digits), true
		}
	case FormatHex:
		if raw, ok := parseHex(s); ok {
			return scoring.TextValue(scoring.Bytes, raw), true
		}
	case FormatBase64:
		if raw, ok := parseBase64(s); ok {
			return scoring.TextValue(scoring.Bytes, raw), true
		}
	case FormatCode:
		if separated(s) {
			return scoring.StringValue(codeLetters(s)), true
		}
	}
	return v, false
}

// CodeText describes how a column can be read as codes.
type CodeText struct {
	UUID   bool
	Dashes bool // UUIDs with dashes
	Bytes  bool // the column is of type Bytes
	Hex    bool
	Marked bool // a string has a hexadecimal digit above 9
	Base64 bool
	Groups bool // codes of letters and digits, with or without separators
	Check  bool // … all with correct check digits, as of an IBAN, an ISBN or a card number
	Plus   bool // … all with a leading plus
}

// ReadCodes returns how a column can be read as codes, in each form only if no two different values become equal.
func ReadCodes(c *scoring.Column) (t CodeText) {
	c.Halt().Check()
	switch c.Type {
	case scoring.Bytes:
		return CodeText{Bytes: true, UUID: true}
	case scoring.String:
	default:
		return t
	}
	distinct := func(format string) bool { return !merges(c, View{Kind: scoring.KindText, Format: format}) }
	t.UUID = every(c, func(s string) bool {
		_, dashes, ok := parseUUID(s)
		t.Dashes = t.Dashes || dashes
		return ok
	}) && distinct(FormatUUID)
	t.Hex = every(c, func(s string) bool {
		t.Marked = t.Marked || strings.ContainsAny(strings.TrimPrefix(strings.ToLower(s), "0x"), "abcdef")
		_, ok := parseHex(s)
		return ok
	}) && distinct(FormatHex)
	t.Base64 = every(c, func(s string) bool { _, ok := parseBase64(s); return ok }) && !mergesVerbatim(c, FormatBase64)
	t.Check, t.Plus = true, true
	t.Groups = every(c, func(s string) bool {
		code := codeLetters(s)
		t.Check, t.Plus = t.Check && checked(code), t.Plus && code != "" && code[0] == '+'
		return separated(s)
	}) && distinct(FormatCode)
	t.Check, t.Plus = t.Check && t.Groups, t.Plus && t.Groups
	return t
}

// mergesVerbatim reports whether a format makes two different strings equal, with regard to letter case.
func mergesVerbatim(c *scoring.Column, format string) bool {
	return merges(c, View{Kind: scoring.KindText, Format: format, Verbatim: true})
}

// checked reports whether the check digits of a code are correct: those of an IBAN, of an ISBN or EAN with 13 digits,
// or of a card number with 15 to 19.
func checked(code string) bool {
	n := len(code)
	switch {
	case n >= 15 && n <= 34 && unicode.IsLetter(rune(code[0])) && unicode.IsLetter(rune(code[1])) && isDigits(code[2:4]):
		rest := 0
		for _, r := range code[4:] + code[:4] {
			switch {
			case r >= '0' && r <= '9':
				rest = (rest*10 + int(r-'0')) % 97
			case r >= 'a' && r <= 'z':
				rest = (rest*100 + int(r-'a') + 10) % 97
			default:
				return false
			}
		}
		return rest == 1
	case n == 13 && isDigits(code):
		sum := 0
		for i, r := range code {
			sum += int(r-'0') * (1 + 2*(i%2))
		}
		return sum%10 == 0
	case n >= 15 && n <= 19 && isDigits(code):
		sum := 0
		for i := range n {
			d := int(code[n-1-i] - '0')
			if i%2 == 1 {
				if d *= 2; d > 9 {
					d -= 9
				}
			}
			sum += d
		}
		return sum%10 == 0
	}
	return false
}

func isDigits(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}
