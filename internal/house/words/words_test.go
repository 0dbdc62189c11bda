package words

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// No term is used more often than words.tsv says. BADGER_WORDS=1 (make words) lowers the numbers to what is there.
func TestWords(t *testing.T) {
	terms, err := terms()
	if err != nil {
		t.Fatal(err)
	}
	uses, err := find(filepath.Join("..", "..", ".."), terms)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("BADGER_WORDS") != "" {
		lower(t, uses)
		return
	}
	sum := 0
	for i, term := range terms {
		n := len(uses[i])
		sum += n
		if n <= term.Most {
			continue
		}
		slices.SortStableFunc(uses[i], func(a, b use) int { return strings.Compare(a.Path, b.Path) })
		var where strings.Builder
		for _, u := range uses[i] {
			fmt.Fprintf(&where, "\n  %s:%d: %s", u.Path, u.Line, u.Text)
		}
		t.Errorf("%d uses of %s, %d more than there were; write: %s%s", n, term.Pattern, n-term.Most, term.Write, where.String())
	}
	t.Logf("%d in all", sum)
}

func lower(t *testing.T, uses [][]use) {
	t.Helper()
	var out strings.Builder
	i := 0
	for line := range strings.Lines(string(list)) {
		if !strings.HasPrefix(line, "#") {
			fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			terms, err := terms()
			if err != nil {
				t.Fatal(err)
			}
			line = fmt.Sprintf("%s\t%s\t%d\n", fields[0], fields[1], min(terms[i].Most, len(uses[i])))
			i++
		}
		out.WriteString(line)
	}
	if err := os.WriteFile("words.tsv", []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Comments on several lines are read as one text, strings by their value, and neither code nor blocks of code count.
func TestReads(t *testing.T) {
	read := func(of func([]byte, func(int, string)), text string) (out []string) {
		of([]byte(text), func(line int, text string) { out = append(out, fmt.Sprintf("%d:%s", line, text)) })
		return out
	}
	got := read(code, "package p\n\n// f goes\n// on.\nfunc f() string { return \"a\\\"b\" } // end\n")
	if want := []string{"3: f goes on.", `5:a"b`, "5: end"}; !slices.Equal(got, want) {
		t.Errorf("code: %q, want %q", got, want)
	}
	got = read(prose, "one\n```sh\ntwo\n```\nthree")
	if want := []string{"1:one", "5:three"}; !slices.Equal(got, want) {
		t.Errorf("prose: %q, want %q", got, want)
	}
}
