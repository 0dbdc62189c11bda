// Package words counts the words in comments, messages and pages that a reader has to decode. The file words.tsv lists
// them with a maximum for each. A test fails if a maximum is exceeded; the maxima may only be lowered.
package words

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
)

//go:embed words.tsv
var list []byte

// term is a pattern of words, what to write instead, and the maximum number of uses.
type term struct {
	Pattern string
	Write   string
	Most    int

	re *regexp.Regexp
}

// terms returns the terms of words.tsv.
func terms() ([]term, error) {
	var terms []term
	lines := bufio.NewScanner(bytes.NewReader(list))
	for n := 1; lines.Scan(); n++ {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) != 3 {
			return nil, fmt.Errorf("words.tsv: line %d: %d columns, expected 3", n, len(fields))
		}
		most, err := strconv.Atoi(fields[2])
		if err != nil {
			return nil, fmt.Errorf("words.tsv: line %d: %w", n, err)
		}
		re, err := regexp.Compile("(?i)" + fields[0])
		if err != nil {
			return nil, fmt.Errorf("words.tsv: line %d: %w", n, err)
		}
		terms = append(terms, term{fields[0], fields[1], most, re})
	}
	return terms, lines.Err()
}

// use is one place where a term is used.
type use struct {
	Path string
	Line int
	Text string // the matching words
}

// find returns the uses of each term below a folder, by the index of the term: in comments and string literals of Go
// files except tests, and in the text of Markdown files outside code blocks.
func find(folder string, terms []term) ([][]use, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // only read
	uses := make([][]use, len(terms))
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != "." &&
				(strings.HasPrefix(name, ".") || name == "testdata" || name == "bin" || name == "dist" || name == "words" ||
					name == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		read := prose
		switch {
		case strings.HasSuffix(name, ".md"):
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, ".pb.go"):
			read = code
		default:
			return nil
		}
		text, err := root.ReadFile(path)
		if err != nil {
			return err
		}
		read(text, func(line int, text string) {
			for i := range terms {
				for _, found := range terms[i].re.FindAllString(text, -1) {
					uses[i] = append(uses[i], use{path, line, found})
				}
			}
		})
		return nil
	})
	return uses, err
}

// prose calls f with each line of a Markdown page that is not in a code block.
func prose(page []byte, f func(line int, text string)) {
	fenced := false
	for i, line := range strings.Split(string(page), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		} else if !fenced {
			f(i+1, line)
		}
	}
}

// code calls f with each comment and each string literal of a Go file. Comments on consecutive lines are joined.
func code(source []byte, f func(line int, text string)) {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, scanner.ScanComments)
	var comment strings.Builder
	first, last := 0, 0
	flush := func() {
		if comment.Len() > 0 {
			f(first, comment.String())
			comment.Reset()
		}
	}
	for {
		pos, kind, literal := s.Scan()
		switch kind {
		case token.EOF:
			flush()
			return
		case token.COMMENT:
			line := file.Line(pos)
			if line != last+1 {
				flush()
			}
			if comment.Len() == 0 {
				first = line
			}
			last = line
			comment.WriteString(strings.TrimPrefix(literal, "//"))
		case token.STRING:
			flush()
			if text, err := strconv.Unquote(literal); err == nil {
				f(file.Line(pos), text)
			}
		}
	}
}
