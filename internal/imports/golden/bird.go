package golden

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
)

// BIRD and its mini-dev: a JSON list or JSON Lines. The predictions are an object from an index to the query and the
// database.
func init() {
	register(&Kind{
		Name: "bird", Title: "BIRD", dialect: "sqlite",
		signs: []string{"question_id db_id SQL", "evidence SQL"}, golds: true,
		fields: []field{
			{name: "question_id", also: []string{"id"}, to: "case_id",
				write: func(c *Case) json.RawMessage { return numberOrText(c.ID) }},
			{name: "db_id", to: "database"},
			{name: "question", to: "question", need: true},
			{name: "evidence", to: "evidence", write: func(c *Case) json.RawMessage { return quoted(c.Evidence) }},
			{name: "SQL", also: []string{"query"}, to: "gold.sql", write: firstQuery},
			{name: "difficulty", to: "tags", read: readTag, write: difficulty},
		},
		files: func(s *Set, path string) error {
			if isJSON(path) {
				return s.jsonFile(path)
			}
			if found := notJSON(path); found != "" {
				return errcode.New(errcode.InvalidArgument, "expected JSON or JSON Lines, found %s", found)
			}
			return errcode.New(errcode.InvalidArgument,
				"expected JSON or JSON Lines; gold queries, a query and a database a line, are read by badger import spider")
		},
		finish:      birdDialect,
		predictions: birdPredictions,
		write:       writeRecords,
	})
}

// firstQuery writes the first accepted query, for forms that have one.
func firstQuery(c *Case) json.RawMessage {
	if queries := c.queries(); len(queries) > 0 {
		return quoted(queries[0])
	}
	return nil
}

// difficulty writes the tag that is a difficulty of BIRD, or the first.
func difficulty(c *Case) json.RawMessage {
	for _, tag := range c.Tags {
		if slices.Contains([]string{"simple", "moderate", "challenging"}, tag) {
			return quoted(tag)
		}
	}
	if len(c.Tags) > 0 {
		return quoted(c.Tags[0])
	}
	return nil
}

// birdDialect takes the dialect from the name of the file: mini-dev has one file for each.
func birdDialect(s *Set, c *Case, _ jsonscan.Object) error {
	name := strings.ToLower(s.files[len(s.files)-1])
	switch {
	case strings.Contains(name, "mysql"):
		c.Dialect = "mysql"
	case strings.Contains(name, "postgres"):
		c.Dialect = "postgres"
	}
	return nil
}

// birdMark separates the query from the database in a prediction.
const birdMark = "\t----- bird -----\t"

// birdPredictions reads an object from an index to a prediction, or records with a question_id and a query.
func birdPredictions(s *Set, path string) error {
	text, err := readWhole(path)
	if err != nil {
		return err
	}
	text = bytes.TrimSpace(text)
	if err := jsonscan.Check(text); err == nil && len(text) > 0 && text[0] == '{' {
		o := jsonscan.ParseObject(text)
		if o.Get("question_id") == nil && o.Get("SQL") == nil && o.Get("sql") == nil {
			lines, err := newLineCounter(path)
			if err != nil {
				return err
			}
			defer lines.file.Close() //nolint:errcheck // only read
			end := 0
			for _, m := range o { // in the order of the text
				end += bytes.Index(text[end:], m.Value) + len(m.Value)
				at := s.here(lines.at(int64(end)), string(m.Name))
				if err := s.birdAnswer(string(m.Name), m.Value, at); err != nil {
					return err
				}
			}
			return s.anyPrediction()
		}
	}
	err = s.jsonValues(path, func(line int, raw json.RawMessage) error {
		o := objectIn(raw)
		if o == nil {
			s.problem(s.here(line, ""), expected("an object with question_id and SQL, or one object from the ID or number of each "+
				"question to its query", raw))
			return nil
		}
		c, err := convert([]field{{name: "question_id", also: []string{"id"}, to: "case_id", need: true}}, o)
		if err != nil {
			s.problem(s.here(line, ""), err)
			return nil
		}
		return s.birdAnswer(c.ID, raw, s.here(line, ""))
	})
	return cmp.Or(err, s.anyPrediction())
}

// anyPrediction returns an error if predictions are missing and nothing was reported about them.
func (s *Set) anyPrediction() error {
	if len(s.order) > 0 || s.Bad > 0 {
		return nil
	}
	return errcode.New(errcode.InvalidArgument,
		"--predictions: no prediction in the file; docs/eval/import.md describes predictions of %s", s.kind.Title)
}

// birdAnswer adds the prediction of a question: a text, an object with a query and perhaps a database, or null or 0,
// which BIRD's program also takes, for a question without an answer. Anything else is reported.
func (s *Set) birdAnswer(key string, raw json.RawMessage, at place) error {
	if raw[0] == 'n' || string(raw) == "0" {
		return s.predict(key, "", "", Answer{}, at)
	}
	in, question := "", ""
	if raw[0] == '{' { // a text that is JSON is what the agent wrote
		o := jsonscan.ParseObject(raw)
		query := field{name: "SQL", to: "agent.sql",
			also: []string{"predicted_sql", "pred_sql", "prediction", "query", "pred"}}
		if !slices.ContainsFunc(append(query.also, query.name), func(name string) bool {
			value, _ := lookUp(o, name)
			return value != nil
		}) {
			s.problem(at, errcode.New(errcode.InvalidArgument, "no query: expected the key SQL, or one of %s", strings.Join(query.also, ", ")))
			return nil
		}
		c, err := convert([]field{{name: "db_id", to: "database"}, {name: "question", to: "question"}, query}, o)
		if err != nil {
			s.problem(at, err)
			return nil
		}
		in, question, raw = c.Database, c.Question, quoted(c.Answer.SQL)
	}
	if raw[0] != '"' {
		s.problem(at, expected("a query as text, or null", raw))
		return nil
	}
	sql, database := birdPrediction(string(jsonscan.Unquote(raw)))
	return s.predict(key, cmp.Or(database, in), question, Answer{SQL: sql}, at)
}

func birdPrediction(text string) (sql, database string) {
	sql, database, _ = strings.Cut(text, birdMark)
	return strings.TrimSpace(sql), strings.TrimSpace(database)
}

// fromOne reports whether the keys of the predictions are the numbers from 1 to that of the cases, and the IDs of the
// cases those from 0.
func (s *Set) fromOne(ids map[string]bool) bool {
	if s.kind.Name != "bird" || len(s.order) != len(ids) || len(ids) < 2 {
		return false
	}
	for i := range ids {
		n, err := strconv.Atoi(i)
		if err != nil || n < 0 || n >= len(ids) || s.pred[strconv.Itoa(n+1)] == nil {
			return false
		}
	}
	return true
}

// pair finds the prediction of each case. The keys of the predictions are IDs of questions if all are. If not, and all
// are numbers of records, they are these.
func (s *Set) pair() {
	if !s.given {
		return
	}
	ids := map[string]bool{}
	cases := 0
	for _, e := range s.all {
		cases++
		if e.id != "" {
			ids[e.id] = true
		}
	}
	byID, byIndex := 0, len(s.order) > 0
	for _, key := range s.order {
		if ids[key] {
			byID++
		}
		n, err := strconv.Atoi(key)
		byIndex = byIndex && err == nil && n >= 0 && n < cases
	}
	how := s.o.Pair
	switch {
	case how != "":
	case s.byLine, s.kind.Name == "bird" && byIndex && byID < len(s.order):
		how = "index"
	default:
		how = "question_id"
	}
	if s.o.Pair == "" && how == "question_id" && s.fromOne(ids) {
		s.problem(s.pred[s.order[0]].place, errcode.New(errcode.InvalidArgument,
			"the predictions are numbered from 1 and the questions from 0, so that none is used: number them alike, or name --pair question_id"))
		for _, p := range s.pred {
			p.used = true
		}
		return
	}
	paired, elsewhere, agree := 0, 0, 0
	for i := range s.all {
		e := &s.all[i]
		key := e.id
		if how == "index" {
			key = strconv.Itoa(i)
		}
		if other := s.pred[strconv.Itoa(i)]; other != nil && other.database == e.database {
			agree++
		}
		p := s.pred[key]
		if p == nil || e.bad {
			if p != nil {
				p.used = true
			}
			continue
		}
		p.used = true
		if p.database != "" && e.database != "" && p.database != e.database {
			s.problem(p.place, errcode.New(errcode.InvalidArgument,
				"the prediction is for the database %.80q, and %s by %s is about %.80q; expected the same database",
				p.database, s.where(e.place), how, e.database))
			elsewhere++
			continue
		}
		if p.question != [8]byte{} && e.question != [8]byte{} && p.question != e.question {
			s.problem(p.place, errcode.New(errcode.InvalidArgument,
				"the prediction is for another question than %s, with which it is paired by %s; it is not used: expected the same question",
				s.where(e.place), how))
			continue
		}
		if p.size > 0 {
			e.answered = true
		}
		paired++
		e.prediction = p
	}
	if elsewhere > 0 && how == "question_id" && agree == len(s.order) && s.kind.Name == "bird" {
		s.note("all databases agree if the keys of the predictions are the numbers of the questions: try --pair index")
	}
	by := map[string]string{"index": "their number, from 0, in the order of the set", "question_id": "the ID of the question"}[how]
	if s.byLine {
		by = "their line"
	}
	s.note("%d of %d predictions are paired with a question by %s", paired, len(s.order), by)
}
