package house

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const widest = 120

// Lines outside of tests have at most 120 columns. Longer ones hold what no line break may cut: text in backquotes,
// a string of more than 40 characters (people search for the whole of it), the reason of a linter's exception, or a
// table in a comment.
func TestLinesAreShort(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasSuffix(path, ".pb.go") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil || strings.HasPrefix(string(src), "// Code generated") {
			return err
		}
		for _, n := range longLines(src) {
			t.Errorf("%s:%d: the line has more than %d columns", strings.TrimPrefix(filepath.ToSlash(path), "../../"), n, widest)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLongLinesAreFound(t *testing.T) {
	wide := strings.Repeat("x, ", 40)
	for src, expected := range map[string]int{
		"package p\n\nvar a = []any{" + wide + "}\n":                                     1,
		"package p\n\n// " + wide + wide + "\nvar a int\n":                               1,
		"package p\n\nvar a = f(" + wide + "\"" + strings.Repeat("y", 20) + "\")\n":      1,
		"package p\n\nvar a = f(" + wide + "\"" + strings.Repeat("y", 41) + "\")\n":      0,
		"package p\n\nvar a = `" + wide + "\n" + wide + wide + "`\n":                     0,
		"package p\n\n//\tcolumn   " + wide + "\nvar a int\n":                            0,
		"package p\n\nvar a = []any{" + wide + "} //nolint:gosec // a reason is given\n": 0,
		"package p\n\nvar a = 1 // " + wide + "\n":                                       1,
	} {
		if found := longLines([]byte(src)); len(found) != expected {
			t.Errorf("%q: lines %v are too long, expected %d of them", src, found, expected)
		}
	}
}

// longLines are the numbers of the lines that are too long without a reason.
func longLines(src []byte) []int {
	excused := map[int]bool{}
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	for pos, kind, text := s.Scan(); kind != token.EOF; pos, kind, text = s.Scan() {
		line := file.Line(pos)
		switch {
		case kind == token.STRING && strings.HasPrefix(text, "`"):
			for i := range strings.Count(text, "\n") + 1 {
				excused[line+i] = true
			}
		case kind == token.STRING:
			value, _ := strconv.Unquote(text)
			excused[line] = excused[line] || utf8.RuneCountInString(value) > 40
		case kind == token.COMMENT:
			table := strings.HasPrefix(text, "//\t") || strings.HasPrefix(text, "//   ") || strings.HasPrefix(text, "//go:")
			excused[line] = excused[line] || table || strings.HasPrefix(text, "//nolint")
		}
	}
	var long []int
	for i, line := range strings.Split(string(src), "\n") {
		if utf8.RuneCountInString(line) > widest && !excused[i+1] {
			long = append(long, i+1)
		}
	}
	return long
}
