package golden

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/internal/resultfile"
	"github.com/badger-eval/badger/scoring"
)

// csvID are the columns of an ID.
var csvID = field{name: "case_id",
	also: []string{"id", "question_id", "qid", "instance_id", "uid", "key"}, to: "case_id"}

// csvQuestion are the columns of a question.
var csvQuestion = field{name: "question", also: []string{"nl_question", "natural_language_question", "nlq", "nl",
	"nl_prompt", "utterance", "prompt", "input"}, to: "question"}

// csvAnswer are the columns of an agent's answer.
var csvAnswer = []field{
	{name: "agent_sql", also: []string{"predicted_sql", "pred_sql", "generated_sql", "generated_query", "predicted_query",
		"agent_query", "model_sql", "answer_sql"}, to: "agent.sql"},
	{name: "answer", also: []string{"prediction", "predicted", "pred", "output", "response", "agent_answer",
		"actual_answer"},
		to: "agent", write: func(c *Case) json.RawMessage { return textOrNil(c.Answer.Response) }},
	{name: "agent_result", also: []string{"result", "pred_result", "predicted_result"}, to: "agent.result"},
	{name: "error", also: []string{"sql_error", "agent_error", "generated_error"}, to: "agent.error"},
}

// CSV with a question, gold and answer for each row, under usual names of columns.
func init() {
	fields := []field{
		csvID,
		csvQuestion,
		{name: "gold_sql", also: []string{"gold_query", "golden_sql", "golden_query", "reference_sql", "expected_sql",
			"target_sql", "gold.sql"}, to: "gold.sql", read: readQueries},
		{name: "gold", also: []string{"expected", "expected_answer", "ground_truth", "reference", "target", "truth"},
			to: "gold", write: unwritten},
		{name: "gold_result", also: []string{"expected_result", "reference_result", "gold.result"}, to: "gold.result"},
		{name: "evidence", also: []string{"hint", "hints", "instructions", "external_knowledge"}, to: "evidence"},
		{name: "database", also: []string{"db_id", "db", "db_name", "database_name"}, to: "database"},
		{name: "dialect", also: []string{"db_type", "engine"}, to: "dialect"},
		{name: "schema_ddl", also: []string{"ddl", "schema"}, to: "schema_ddl"},
		{name: "tags", also: []string{"tag", "category", "difficulty", "query_category"}, to: "tags"},
		{name: "label", also: []string{"human_label", "human.label"}, to: "human.label"},
		{name: "note", also: []string{"human_note", "comment"}, to: "human.note"},
	}
	fields = append(append(fields, csvAnswer...),
		field{name: "sql", also: []string{"query"}, to: "gold.sql", read: readRest, write: unwritten})
	register(&Kind{
		Name: "csv", Title: "CSV", fields: fields,
		files: func(s *Set, path string) error {
			s.dir = filepath.Dir(path)
			return s.table(path)
		},
		header:      csvHeader,
		finish:      csvFiles,
		predictions: csvPredictions,
		write:       writeCSV,
	})
}

// unwritten writes nothing: another field has the key.
func unwritten(*Case) json.RawMessage { return nil }

// readQueries reads a query, or the JSON list of the accepted ones.
func readQueries(c *Case, raw json.RawMessage) error {
	if list := jsonscan.Unquote(raw); len(list) > 1 && list[0] == '[' && json.Valid(list) {
		raw = list
	}
	return readGoldSQL(c, raw)
}

// csvHeader returns an error if no column is a question or gold, as in a file without a header. An answer is none.
func csvHeader(s *Set, header []string) error {
	if s.given { // of predictions
		return nil
	}
	found := false
	s.asks = false
	for _, f := range append(s.over[:len(s.over):len(s.over)], s.kind.fields...) {
		if f.to != "question" && f.to != "gold" && !strings.HasPrefix(f.to, "gold.") {
			continue
		}
		for _, name := range append([]string{f.name}, f.also...) {
			for _, column := range header {
				if plain(column) == plain(name) {
					found = true
					s.asks = s.asks || f.to == "question"
				}
			}
		}
	}
	if found {
		s.suggest(header)
		return nil
	}
	return errcode.New(errcode.InvalidArgument, "line 1: no column is a question or gold; found %.200q: expected a header with a name that docs/eval/import.md lists, or a name in --map question=COLUMN",
		strings.Join(header, ", "))
}

// suggest notes columns that are not read and whose names are nearly those of columns that are.
func (s *Set) suggest(header []string) {
	fields := append(s.over[:len(s.over):len(s.over)], s.kind.fields...)
	var known []string
	for _, f := range s.kind.fields {
		known = append(append(known, f.name), f.also...)
	}
	for _, column := range header {
		alike := slices.DeleteFunc(slices.Clone(known), func(name string) bool { // model does not mean model_sql
			return len(name) > len(column)+2 || len(column) > len(name)+2
		})
		if near := scoring.Suggest(plain(column), alike); near != "" && len(column) > 3 && !names(fields, column) {
			s.note("the column %.60s is not read and stays in meta%s", column, near)
		}
	}
}

// readRest reads a column sql or query: gold or, if another column is gold, the answer.
func readRest(c *Case, raw json.RawMessage) error {
	sql, err := textIn(raw)
	switch {
	case err != nil:
		return err
	case len(c.Golds) == 0 || len(c.queries()) == 0 && c.Golds[0].Result[0] == '"': // of a column of results
		c.gold().SQL = sql
	case c.Answer.SQL == "":
		c.Answer.SQL = sql
	default:
		return errKept
	}
	return nil
}

// csvFiles reads names of files in the columns of results, relative to the CSV, as references.
func csvFiles(s *Set, c *Case, _ jsonscan.Object) error {
	if c.Question == "" && s.asks {
		return errcode.New(errcode.InvalidArgument, "question is missing: expected a question, as in other rows of the column")
	}
	if c.Question == "" && !c.hasGold() {
		return errcode.New(errcode.InvalidArgument, "neither a question nor gold: expected one of them in each row")
	}
	for i := range c.Golds {
		if err := s.namedResult(&c.Golds[i].Result, "gold_result"); err != nil {
			return err
		}
	}
	return s.namedResult(&c.Answer.Result, "agent_result")
}

func (s *Set) namedResult(result *json.RawMessage, column string) error {
	text := string(jsonscan.Unquote(*result))
	for _, prefix := range []string{"{", "[", "table:", "query:"} {
		if _, is := resultfile.PathIn(text); text == "" || is || strings.HasPrefix(text, prefix) {
			return nil
		}
	}
	in := resultfile.Snapshots{Options: resultfile.Options{Dir: s.dir}}
	path := in.File("file:" + text)
	if !isFile(path) {
		return errcode.New(errcode.NotFound, "%s: no file of this name; expected the name of a file, a reference such as file:PATH, or a result as JSON", column)
	}
	*result = s.reference(path)
	return nil
}

// csvPredictions reads the answers of another CSV or folder, by ID.
func csvPredictions(s *Set, path string) error {
	if !isFile(path) {
		return folderPredictions(s, path)
	}
	id := csvID
	id.need = true
	fields := append([]field{id, csvQuestion}, csvAnswer...)
	fields = append(fields, field{name: "sql", also: []string{"query"}, to: "agent.sql"})
	s.dir = filepath.Dir(path)
	return s.csvRows(path, s.o.Encoding, s.o.Delimiter, func(p place, o jsonscan.Object) error {
		c, err := convert(fields, o)
		if err == nil {
			c.Answer.Result = s.moved(p, c.Answer.Result)
			err = s.namedResult(&c.Answer.Result, "agent_result")
		}
		if err != nil {
			s.problem(p, err)
			return nil
		}
		return s.predict(c.ID, "", c.Question, c.Answer, p)
	})
}
