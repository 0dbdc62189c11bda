package lazyregexp

import (
	"regexp"
	"testing"
)

// A regular expression matches as [regexp.MustCompile] of the same text does.
func TestRegexp(t *testing.T) {
	const text, in = `(\w)=(\d+)`, "a=1, b=22"
	lazy, eager := New(text), regexp.MustCompile(text)
	if got, want := lazy.ReplaceAllString(in, "$2=$1"), eager.ReplaceAllString(in, "$2=$1"); got != want {
		t.Errorf("replaced: %q, expected %q", got, want)
	}
	if got := lazy.FindStringSubmatch(in); len(got) != 3 || got[2] != "1" {
		t.Errorf("submatches: %q", got)
	}
	if lazy.String() != text || !lazy.MatchString(in) || lazy.MatchString("a=b") {
		t.Errorf("%s does not match as it should", lazy)
	}
}

// An invalid one is found by the first test of the package that has it, not by the first command that uses it.
func TestInvalid(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("expected a panic")
		}
	}()
	New(`(`)
}
