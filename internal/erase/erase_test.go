package erase_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/badger-eval/badger/internal/erase"
)

func TestLines(t *testing.T) {
	t.Parallel()
	has := func(word string) func([]byte) bool {
		return func(line []byte) bool { return bytes.Contains(line, []byte(word)) }
	}
	for _, c := range []struct {
		name, text, word, want string
		n                      int64
	}{
		{"none", "a\nb\n", "x", "a\nb\n", 0},
		{"the first", "xa\nb\n", "x", "  \nb\n", 1},
		{"the last", "a\nbx\n", "x", "a\n  \n", 1},
		{"an incomplete one stays", "x\nx", "x", " \nx", 1},
		{"an empty file", "", "x", "", 0},
		{"blank lines are not counted", "  \n\nx\n", "", "  \n\n \n", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "f")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, dry := range []bool{true, false} {
				if n, err := erase.Lines(path, dry, has(c.word)); n != c.n || err != nil {
					t.Errorf("dry %v: %d, %v; want %d", dry, n, err, c.n)
				}
				want := c.want
				if dry {
					want = c.text
				}
				if got, _ := os.ReadFile(path); string(got) != want {
					t.Errorf("dry %v: %q, want %q", dry, got, want)
				}
			}
			if n, err := erase.Lines(path, false, has(c.word)); n != 0 || err != nil {
				t.Errorf("the second time: %d, %v", n, err)
			}
		})
	}
}

// A line longer than the buffer is overwritten as a whole, and what another program appends meanwhile stays.
func TestLinesWhileAnotherProgramAppends(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	long := bytes.Repeat([]byte("x"), 200_000)
	if err := os.WriteFile(path, append(long, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n, err := erase.Lines(path, false, func([]byte) bool {
		if _, err := f.WriteString("kept\n"); err != nil {
			t.Error(err)
		}
		return true
	})
	if n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if _, err := f.WriteString("last\n"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || bytes.ContainsRune(got, 'x') || !bytes.HasSuffix(got, []byte("last\n")) {
		t.Errorf("%v: %.80q", err, bytes.TrimLeft(got, " \n"))
	}
}

func TestLinesOfAMissingFile(t *testing.T) {
	t.Parallel()
	if _, err := erase.Lines(filepath.Join(t.TempDir(), "f"), false, func([]byte) bool { return true }); !os.IsNotExist(err) {
		t.Error(err)
	}
}
