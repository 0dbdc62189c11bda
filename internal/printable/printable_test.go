package printable

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestPrintable(t *testing.T) {
	for _, tc := range []struct{ why, in, want string }{
		{"plain text", "How many orders?", "How many orders?"},
		{"letters of any script", "Größe 売上高 שלום ไทย", "Größe 売上高 שלום ไทย"},
		{"emoji", "🦡 ok", "🦡 ok"},
		{"lines", "a\nb\r\tc", `a\nb\r\tc`},
		{"colours and bells", "\x1b[31mred\a\x00\x7f", `\x1b[31mred\x07\x00\x7f`},
		{"control characters of Latin-1", "\u009b31m", `\u009b31m`},
		{"direction of writing", "abc\u202egpj.exe\u2066\u200f", `abc\u202egpj.exe\u2066\u200f`},
		{"what cannot be seen", "a\u200bb\ufeffc\u00add\u2028e", `a\u200bb\ufeffc\u00add\u2028e`},
		{"tags and selectors that hide text", "a\U000e0041\U000e0101", `a\U000e0041\U000e0101`},
		{"private use has no width that is known", "\ue000", `\ue000`},
		{"bytes that are not UTF-8", "a\xff\xc3", `a\xff\xc3`},
		{"a joiner within a word", "می\u200cخواهم", "می\u200cخواهم"},
		{"a joiner elsewhere", "a\u200db \u200c", `a\u200db \u200c`},
		{"an accent on its letter", "e\u0301", "e\u0301"},
		{"a heap of marks", "e" + strings.Repeat("\u0301", 6), "e" + strings.Repeat("\u0301", 4) + `\u0301\u0301`},
		{"a backslash", `C:\dir 50\50`, `C:\dir 50\50`},
		{"a backslash that looks like an escape", `C:\new \x1b \\`, `C:\\new \\x1b \\\`},
	} {
		if got := Text(tc.in); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.why, got, tc.want)
		}
	}
}

// Printable text is one line that moves nothing, and different texts stay different.
func FuzzPrintable(f *testing.F) {
	for _, s := range []string{"a\nb", `a\nb`, "\x1b", `\x1b`, "\xff", "\u202e", "e\u0301\u0301\u0301\u0301\u0301", `\\`, "\u200d"} {
		f.Add(s, `\`+s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := Text(a), Text(b)
		if !utf8.ValidString(x) {
			t.Fatalf("%q is not UTF-8", x)
		}
		for _, r := range x {
			if unicode.In(r, unicode.Cc, unicode.Cs, unicode.Co, unicode.Zl, unicode.Zp) || unicode.Is(unicode.Cf, r) && r != zeroWidthJoiner && r != zeroWidthNonJoiner {
				t.Fatalf("%q of %q holds %U", x, a, r)
			}
		}
		if a != b && x == y {
			t.Fatalf("%q and %q both look like %s", a, b, x)
		}
	})
}

func TestWidths(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "日本": 4, "ｗ": 2, "é": 1, "e\u0301": 1, "🦡": 2, "…━╸≠▲": 5, "한": 2, "\u1112\u1161\u11ab": 2, "می\u200cخ": 3, "ｶ": 1,
	} {
		if got := Width(text); got != want {
			t.Errorf("%q is %d wide, want %d", text, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, tc := range []struct {
		why, in string
		n       int
		want    string
	}{
		{"fits", "abcdef", 6, "abcdef"},
		{"one too many", "abcdef", 5, "abcd…"},
		{"no blank before the ellipsis", "ab cdef", 4, "ab…"},
		{"a wide rune is not halved", "日本語", 4, "日…"},
		{"an accent stays with its letter", "ae\u0301bcd", 3, "ae\u0301…"},
		{"nothing but the ellipsis", "abc", 1, "…"},
		{"nothing", "abc", 0, ""},
	} {
		if got := Cut(tc.in, tc.n, "…"); got != tc.want || Width(got) > tc.n {
			t.Errorf("%s: %q, want %q", tc.why, got, tc.want)
		}
	}
	if got := Cut("abcdef", 2, "..."); got != ".." {
		t.Errorf("less room than the ellipsis takes: %q", got)
	}
}

func TestWrap(t *testing.T) {
	for _, tc := range []struct {
		why, in string
		n       int
		want    []string
	}{
		{"words", "one two  three", 7, []string{"one two", "three"}},
		{"a word longer than the line", "x abcdefgh y", 3, []string{"x", "abc", "def", "gh", "y"}},
		{"wide runes without blanks", "日本語です", 4, []string{"日本", "語で", "す"}},
		{"nothing", " ", 5, nil},
	} {
		if diff := cmp.Diff(tc.want, Wrap(tc.in, tc.n)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.why, diff)
		}
	}
}

// What is quoted for a shell is one word there.
func TestShell(t *testing.T) {
	for text, want := range map[string]string{
		"duckdb:badger-demo/demo.duckdb": "duckdb:badger-demo/demo.duckdb", "": "''", "duckdb:my runs.duckdb": "'duckdb:my runs.duckdb'", "postgres://h/d?a=1&b=2": "'postgres://h/d?a=1&b=2'",
		"$(rm -rf x)": "'$(rm -rf x)'", "it's": `'it'\''s'`, "~/x": "'~/x'",
	} {
		got := Shell(text)
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		out, err := exec.Command("sh", "-c", "printf %s "+got).Output()
		if errors.Is(err, exec.ErrNotFound) {
			continue
		}
		if err != nil || string(out) != text {
			t.Errorf("%q: a shell reads %q, %v", text, out, err)
		}
	}
}
