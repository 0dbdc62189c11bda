package golden

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// Spider 1: a JSON list, or a file of gold queries and databases, one a line. The predictions are a file with one query
// a line: Spider has no IDs.
func init() {
	register(&Kind{
		Name: "spider", Title: "Spider", dialect: "sqlite",
		signs: []string{"db_id question query"}, golds: true,
		fields: []field{
			{name: "db_id", to: "database", need: true},
			{name: "question", to: "question", need: true},
			{name: "query", also: []string{"SQL"}, to: "gold.sql", write: firstQuery},
			{name: "id", also: []string{"question_id"}, to: "case_id"},
		},
		files:       spiderFile,
		predictions: spiderPredictions,
		write:       writeRecords,
	})
}

// spiderFile reads questions in JSON, with the gold queries of another file if there is one, or gold queries alone.
func spiderFile(s *Set, path string) error {
	if !isJSON(path) {
		if head := headOf(path); len(head) > 0 && !bytes.ContainsRune(head, '\t') || isFolder(path) {
			found := notJSON(path)
			if found == "" {
				found = "text without tabs"
			}
			return errcode.New(errcode.InvalidArgument,
				"expected JSON, or lines with a query, a tab and the name of a database; found %s", found)
		}
		s.note("%s has gold queries without questions; import the JSON file for the questions", s.files[len(s.files)-1])
		return s.eachLine(path, func(p place, text string) error {
			sql, database := spiderGold(text)
			if database == "" {
				s.bad(p, errcode.New(errcode.InvalidArgument, "expected a query, a tab and the name of a database"))
				return nil
			}
			if err := s.checkLine(p, sql); err != nil {
				return err
			}
			return s.put(p, &Case{Database: database, Golds: []Gold{{SQL: sql}}})
		})
	}
	if s.o.Gold == "" {
		return s.jsonFile(path)
	}
	return s.spiderWithGold(path)
}

// spiderWithGold reads questions in JSON whose gold queries are the lines of the file Options.Gold.
func (s *Set) spiderWithGold(path string) error {
	type gold struct{ sql, database string }
	var golds []gold
	if err := s.eachLine(s.o.Gold, func(p place, text string) error {
		sql, database := spiderGold(text)
		if err := s.checkLine(p, sql); err != nil {
			return errcode.Usage("--gold-file: %w", err)
		}
		golds = append(golds, gold{sql, database})
		return nil
	}); err != nil {
		return err
	}
	n := 0
	kind := *s.kind
	kind.finish = func(_ *Set, c *Case, _ jsonscan.Object) error {
		i := n
		n++
		switch {
		case i >= len(golds):
			return errcode.New(errcode.InvalidArgument, "--gold-file has %d lines, expected one for each question", len(golds))
		case golds[i].database != "" && golds[i].database != c.Database:
			return errcode.New(errcode.InvalidArgument, "line %d of --gold-file is about the database %.80q, the question about %.80q",
				i+1, golds[i].database, c.Database)
		}
		c.Golds = nil
		c.addGolds(golds[i].sql)
		return nil
	}
	outer := s.kind
	s.kind = &kind
	defer func() { s.kind = outer }()
	if err := s.jsonFile(path); err != nil {
		return err
	}
	if n != len(golds) {
		return errcode.Usage("--gold-file: %d lines for %d questions; expected one line for each question", len(golds), n)
	}
	s.note("the gold queries are those of the lines of --gold-file")
	return nil
}

// spiderGold splits a line into a query and a database.
func spiderGold(text string) (sql, database string) {
	if i := strings.LastIndexByte(text, '\t'); i >= 0 {
		return strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:])
	}
	return strings.TrimSpace(text), ""
}

// statement matches the beginning of a statement or a comment.
var statement = lazyregexp.New(`(?i)^\s*(\(|--|/\*|(select|with|values|table|explain|show|describe|desc|pragma|insert|update|delete|replace|merge|create|alter|drop|truncate|set|call)\b)`)

// checkLine returns an error for a line that does not begin as a statement: it continues the one before, and all later
// lines would belong to other questions.
func (s *Set) checkLine(p place, sql string) error {
	if statement.MatchString(sql) {
		return nil
	}
	first, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	return errcode.Usage("line %d: expected a query that begins with SELECT, WITH, VALUES or (, found %.20q: each query is one line",
		p.line, first)
}

// spiderPredictions reads a query a line. Line n is about record n.
func spiderPredictions(s *Set, path string) error {
	s.byLine = true
	s.o.Pair = "index"
	n := 0
	err := s.eachLine(path, func(p place, text string) error {
		sql, database := spiderGold(text)
		if !isName(database) {
			sql, database = strings.TrimSpace(text), ""
		}
		if err := s.checkLine(p, sql); err != nil {
			return errcode.Usage("--predictions: %w (write SELECT NULL for a missing answer)", err)
		}
		n++
		return s.predict(strconv.Itoa(n-1), database, "", Answer{SQL: sql}, p)
	})
	if err == nil && n != len(s.all) {
		err = errcode.Usage("--predictions: %d queries for %d questions; expected one line for each question, because Spider has no IDs (blank lines are skipped: write SELECT NULL for a missing answer)",
			n, len(s.all))
	}
	return err
}

// isName reports whether a text may be the name of a database.
func isName(text string) bool {
	return text != "" && !strings.ContainsAny(text, " \t()*,;'\"=")
}

// eachLine calls each for the lines of a file that are not blank.
func (s *Set) eachLine(path string, each func(p place, text string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	for line, err := range jsonscan.Lines(f, maxRecord) {
		if err != nil {
			return err
		}
		text := bytes.TrimRight(bytes.TrimPrefix(line.Text, []byte(mark)), "\r\n ")
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if err := each(s.here(line.Number, ""), string(text)); err != nil {
			return err
		}
	}
	return nil
}
