package report_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/badger-eval/badger/internal/report"
)

func TestTerminal(t *testing.T) {
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	pipe, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close() //nolint:errcheck // only a test
	defer w.Close()    //nolint:errcheck // only a test
	for _, tc := range []struct {
		why  string
		env  func(string) string
		want report.Options
	}{
		{"nothing is known", env(), report.Options{Width: 100, Unicode: true}},
		{"a locale with UTF-8", env("LANG", "de_DE.UTF-8"), report.Options{Width: 100, Unicode: true}},
		{"a locale without it", env("LANG", "C"), report.Options{Width: 100}},
		{"the stronger variable counts", env("LC_ALL", "C.utf8", "LANG", "C"), report.Options{Width: 100, Unicode: true}},
		{"a width that was asked for", env("COLUMNS", "72"), report.Options{Width: 72, Unicode: true}},
		{"a width that is none", env("COLUMNS", "-3"), report.Options{Width: 100, Unicode: true}},
	} {
		if got := report.Terminal(&bytes.Buffer{}, tc.env); got != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.why, got, tc.want)
		}
		if got := report.Terminal(w, tc.env); got.Color {
			t.Errorf("%s: colours in a pipe", tc.why)
		}
	}
}
