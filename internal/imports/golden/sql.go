package golden

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
)

// A folder of SQL files. The ID is the path without the extension, and the question the comment at the beginning, or a
// row of a CSV.
func init() {
	register(&Kind{
		Name: "sql", Title: "SQL files",
		files:       sqlFiles,
		predictions: folderPredictions,
	})
}

// commentKeys are what a comment may name, a line each, such as -- tags: sales, 2024.
var commentKeys = []field{
	{name: "question", to: "question"},
	{name: "id", also: []string{"case_id"}, to: "case_id"},
	{name: "database", to: "database"},
	{name: "dialect", to: "dialect"},
	{name: "tags", to: "tags"},
	{name: "evidence", also: []string{"hint"}, to: "evidence"},
}

// sqlFiles reads a folder, or one file.
func sqlFiles(s *Set, path string) error {
	questions, err := s.questionRows()
	if err != nil {
		return err
	}
	var paths []string
	err = filepath.WalkDir(path, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.EqualFold(filepath.Ext(p), ".sql") {
			paths = append(paths, p)
		}
		return err
	})
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return errcode.New(errcode.InvalidArgument, "expected a folder with files whose names end in .sql, or one such file")
	}
	slices.Sort(paths)
	for _, p := range paths {
		relative, err := filepath.Rel(path, p)
		if err != nil {
			return err
		}
		if relative == "." {
			relative = filepath.Base(p)
		}
		id := filepath.ToSlash(strings.TrimSuffix(relative, filepath.Ext(relative)))
		text, err := sqlText(p)
		if err != nil {
			s.bad(s.here(0, relative), err)
			continue
		}
		comment, sql := leadingComment(text)
		c, err := commented(comment)
		if err == nil && sql == "" {
			err = errcode.New(errcode.InvalidArgument, "no query: expected one after the comment")
		}
		if row := questions[id]; err == nil && row != nil {
			row.used = true
			c, err = convert(commentKeys, merged(row.row, record(commentKeys, c)))
			c.Meta = without(c.Meta, [][]string{{"file"}})
		} else if err == nil && s.o.Questions != "" && c.Question == "" {
			s.doubt(s.here(0, relative), "--questions has no row for %s", id)
		}
		if err != nil {
			s.bad(s.here(0, relative), err)
			continue
		}
		if c.ID == "" {
			c.ID = id
		}
		c.addGolds(sql)
		if err := s.put(s.here(0, relative), c); err != nil {
			return err
		}
	}
	return nil
}

// questionRow is a row of --questions.
type questionRow struct {
	row   jsonscan.Object
	place place
	used  bool
}

// questionRows returns the rows of --questions by the file that they name, without its extension.
func (s *Set) questionRows() (map[string]*questionRow, error) {
	if s.o.Questions == "" || s.questions != nil {
		return s.questions, nil
	}
	rows := map[string]*questionRow{}
	s.from(s.o.Questions)
	err := s.csvRows(s.o.Questions, s.o.Encoding, s.o.Delimiter, func(p place, o jsonscan.Object) error {
		for _, name := range []string{"file", "id", "case_id"} {
			if value, _ := lookUp(o, name); value != nil {
				id := strings.TrimSuffix(filepath.ToSlash(string(jsonscan.Unquote(value))), ".sql")
				if other := rows[id]; other != nil {
					s.problem(p, errcode.New(errcode.InvalidArgument, "a question for %.80q is already in %s; this one is not used",
						id, s.where(other.place)))
					return nil
				}
				rows[id] = &questionRow{row: o, place: p}
				return nil
			}
		}
		s.problem(p, errcode.New(errcode.InvalidArgument, "expected a column file or id with the name of a file of SQL"))
		return nil
	})
	folder := len(s.files) - 2 // it is read on
	s.files, s.dirs = append(s.files, s.files[folder]), append(s.dirs, s.dirs[folder])
	s.questions = rows
	if err != nil {
		return nil, errcode.AsUsage(errcode.New(errcode.InvalidArgument, "--questions: %w", err))
	}
	return rows, nil
}

// leadingComment splits a text into the lines of the comments at its beginning and the rest.
func leadingComment(text string) (lines []string, sql string) {
	for {
		text = strings.TrimSpace(text)
		switch {
		case strings.HasPrefix(text, "--"):
			line, rest, _ := strings.Cut(text, "\n")
			lines, text = append(lines, strings.TrimSpace(strings.TrimLeft(line, "-"))), rest
		case strings.HasPrefix(text, "/*"):
			comment, rest, ok := strings.Cut(text[2:], "*/")
			if !ok {
				return lines, text
			}
			for line := range strings.Lines(comment) {
				lines = append(lines, strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "*")))
			}
			text = rest
		default:
			return lines, text
		}
	}
}

// commented returns a case with the keys of a comment. Its other lines are the question.
func commented(lines []string) (*Case, error) {
	var o jsonscan.Object
	var question []string
	for _, line := range lines {
		key, value, ok := strings.Cut(line, ":")
		known := ok && slices.ContainsFunc(commentKeys, func(f field) bool {
			return f.name == plain(key) || slices.Contains(f.also, plain(key))
		})
		switch {
		case known:
			o = append(o, jsonscan.Member{Name: []byte(plain(key)), Value: quoted(strings.TrimSpace(value))})
		case line != "":
			question = append(question, line)
		}
	}
	if o.Get("question") == nil && question != nil {
		o = append(o, jsonscan.Member{Name: []byte("question"), Value: quoted(strings.Join(question, " "))})
		question = nil
	}
	c, err := convert(commentKeys, o)
	if err == nil && question != nil {
		c.Meta = append(c.Meta, jsonscan.Member{Name: []byte("comment"), Value: quoted(strings.Join(question, "\n"))})
	}
	return c, err
}
