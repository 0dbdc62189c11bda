package golden

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/imports"
	"github.com/badger-eval/badger/internal/jsonscan"
	"github.com/badger-eval/badger/internal/resultfile"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// Options choose what is read, and how.
type Options struct {
	Map      []string // KEY=MEMBER: the member of a record that becomes a key of a case
	Database string   // of cases that name none
	Dialect  string   // of all cases
	Dataset  string   // of cases that name none
	Dir      string   // of the case file, to which references to results are relative
	Out      string   // the case file, which an earlier import may have written; "": none

	Gold        string // Spider: a file of gold queries, one a line; Spider 2.0 and SQL: a folder of gold queries
	GoldResults string // a folder of gold results
	Results     string // a folder of the agent's results
	Settings    string // Spider 2.0: the file of condition_cols and ignore_order
	Documents   string // Spider 2.0: the folder of external knowledge
	Questions   string // SQL: a CSV of questions
	Pair        string // BIRD: question_id or index; "": as the keys of the predictions suggest

	Encoding  string // of CSV, such as windows-1252; "": UTF-8 or UTF-16
	Delimiter byte   // of CSV; 0: detected
	Manual    bool   // Genie: only assessments of people are labels
	Rewrite   bool   // Cortex Analyst: replace logical names by those of the base tables

	Agent, Version, Batch string
}

// Counts are what a set has and lacks.
type Counts struct {
	Read       int `json:"read"`
	Cases      int `json:"cases"` // that are written
	Bad        int `json:"bad"`
	Duplicates int `json:"duplicates"` // records that repeat another one
	Conflicts  int `json:"conflicts"`  // records with the ID of another one and other content; they are not written
	SameAsked  int `json:"same_question"`
	NoGold     int `json:"no_gold"`
	Lacking    int `json:"gold_expected"` // of NoGold, those in a set in which they should have a gold
	NoQuestion int `json:"no_question"`
	Unparsed   int `json:"sql_not_read"` // queries that badger's SQL parser does not read completely
	Answers    int `json:"answers"`
	Unanswered int `json:"unanswered"` // cases without an answer, if others have one
	NoResult   int `json:"no_result"`  // cases without a file in a folder of results
	Labels     int `json:"labels"`

	imports.Missing

	// Notes are sentences about what was decided, such as how predictions were paired.
	Notes []string `json:"notes"`
	// Executable is set if a query lacks its result, and Engine is the dialect of such queries if they have one.
	Executable bool   `json:"executable"`
	Engine     string `json:"engine"`
	Databases  bool   `json:"databases"` // whether cases name a database
}

// Set are the cases of one or more files. The caller must close it.
type Set struct {
	Counts
	// Report is called for each record that is not a case, and each prediction that belongs to none; may be nil.
	Report func(error)
	// Doubt is called for what may be wrong with a case that is written; may be nil.
	Doubt func(error)
	// Progress is called with the number of bytes of a file that were read, and its size; may be nil.
	Progress func(file string, read, size int64)

	ctx  context.Context //nolint:containedctx // of the import
	kind *Kind
	o    Options
	over []field // of Options.Map

	mapped  map[string]bool // the members of over that a record has; nil: no record was read
	members []string        // of the first record

	file   *os.File
	buffer *bufio.Writer
	at     int64
	files  []string
	dirs   []string // of files, to which the references in them are relative
	all    []entry
	pred   map[string]*prediction // by key
	order  []string               // the keys in the order of the file
	byLine bool                   // the key of a prediction is the number of a record, from 0
	given  bool                   // predictions were added
	noted  map[string]bool
	forms  int  // of the documents of a kind that has two, as bits
	formed int  // number of files whose form was examined
	asks   bool // the CSV has a column of questions
	pages  imports.Pages
	used   map[string]bool // files in folders of results and queries that a case has
	named  map[string]bool // files of results that references mean

	engines   []string                    // dialects of queries that must run
	held      []*held                     // records that may have further parts
	parts     map[string]*held            // by what they are a part of
	settings  map[string]*spider2Settings // by instance; nil: not read
	questions map[string]*questionRow     // by file of SQL; nil: not read
	dir       string                      // to which the names of results in a CSV are relative
}

// entry is a record.
type entry struct {
	at       int64 // of its text in the file, after which its answer follows
	size     int32
	answer   int32
	id       string // "" if it has none
	key      [6]byte
	content  [8]byte
	asked    [8]byte
	apart    [8]byte // hash of the case without meta and answer
	hashed   bool    // id is made of key
	bad      bool
	answered bool
	bare     bool    // without gold
	question [8]byte // hash of the question alone; zero: none
	alike    string  // the member that may be the gold, if there is none
	database string
	place    place

	prediction *prediction // its answer, if that is in a separate file
}

// place is where a record is.
type place struct {
	file int32
	line int32  // from 1; 0 if the file is one record
	at   string // in the record or document
}

// prediction is an answer in a separate file.
type prediction struct {
	at       int64
	size     int32
	database string
	question [8]byte // hash of the question that the prediction is for; zero: it names none
	place    place
	used     bool
}

// New creates an empty set in a temporary file, which only the user can read.
func New(ctx context.Context, kind *Kind, o Options) (*Set, error) {
	s := &Set{ctx: ctx, kind: kind, o: o, pred: map[string]*prediction{}, noted: map[string]bool{}}
	for _, one := range o.Map {
		to, member, ok := strings.Cut(one, "=")
		to = strings.TrimSpace(to)
		if to == "gold_sql" || to == "gold_result" || strings.HasPrefix(to, "agent_") || strings.HasPrefix(to, "human_") {
			to = strings.Replace(to, "_", ".", 1)
		}
		if _, known := targets[to]; !known || !ok || member == "" {
			return nil, errcode.Usage("--map: expected KEY=MEMBER, such as question=inputs.question, with a KEY of %s, found %q",
				strings.Join(targetNames(), ", "), one)
		}
		s.over = append(s.over, field{name: member, to: to, need: to == "question"})
	}
	if o.Dialect != "" && !sqlparts.NamesDialect(o.Dialect) {
		return nil, errcode.Usage("--dialect: expected one of %s, found %q",
			strings.Join(sqlparts.DialectNames(), ", "), o.Dialect)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp("", "badger-golden-*")
	if err != nil {
		return nil, errcode.New(errcode.Unavailable, "temporary file: %w", err)
	}
	s.file, s.buffer = f, bufio.NewWriterSize(f, 1<<18)
	return s, nil
}

// isOut reports whether the file at path is the case file that is written.
func (o *Options) isOut(path string) bool {
	is, err := os.Stat(path)
	out, failed := os.Stat(o.Out)
	return err == nil && failed == nil && os.SameFile(is, out) && IsCaseFile(path)
}

// IsCaseFile reports whether the file at path starts as an import writes a case file.
func IsCaseFile(path string) bool {
	const first = `{"case_id":`
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // only read
	start := make([]byte, len(first))
	n, _ := io.ReadFull(f, start) //nolint:errcheck // a short file, too
	return string(start[:n]) == first
}

// check returns a usage error for folders and files that do not exist.
func (o *Options) check() error {
	for flag, path := range map[string]string{"--gold-results": o.GoldResults, "--results": o.Results,
		"--documents": o.Documents} {
		if info, err := os.Stat(path); path != "" && (err != nil || !info.IsDir()) {
			return errcode.Usage("%s: expected a folder, found %q", flag, path)
		}
	}
	if _, err := os.Stat(o.Gold); o.Gold != "" && err != nil {
		return errcode.Usage("the gold queries: %w", err)
	}
	for flag, path := range map[string]string{"--eval": o.Settings, "--questions": o.Questions} {
		if path != "" && !isFile(path) {
			return errcode.NoFile(flag+": ", path)
		}
	}
	return nil
}

// Close deletes the temporary file.
func (s *Set) Close() error { return errors.Join(s.file.Close(), os.Remove(s.file.Name())) }

// AddFile reads a file, or a folder if the kind is read from one.
func (s *Set) AddFile(path string) error {
	if err := checkNamed("", path); err != nil {
		return err
	}
	s.from(path)
	read := s.kind.files
	if read == nil {
		read = (*Set).jsonFile
	}
	if err := imports.CheckText(path); err != nil {
		s.bad(s.here(0, ""), err)
		return nil
	}
	if err := read(s, path); err != nil {
		return errcode.New(errcode.Of(err), "%s: %w", filepath.Base(path), err)
	}
	return nil
}

// AddPredictions reads a file or a folder of answers.
func (s *Set) AddPredictions(path string) error {
	if err := checkNamed("--predictions: ", path); err != nil {
		return err
	}
	s.given = true
	s.o.Agent = cmp.Or(s.o.Agent, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	s.from(path)
	if err := imports.CheckText(path); err != nil {
		s.problem(s.here(0, ""), err)
		return nil
	}
	if err := s.kind.predictions(s, path); err != nil {
		return errcode.New(errcode.Of(err), "%s: %w", filepath.Base(path), err)
	}
	return nil
}

// checkNamed returns a usage error for a file or folder that cannot be found. what is the start of the error message.
func checkNamed(what, path string) error {
	_, err := os.Stat(path)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return errcode.NoFile(what, path)
	}
	return errcode.AsUsage(errcode.New(errcode.OfFile(err), "%s%w", what, err))
}

// from adds a file that records are read from.
func (s *Set) from(path string) {
	s.files, s.dirs = append(s.files, filepath.Base(path)), append(s.dirs, filepath.Dir(path))
}

// here returns a place in the file that is read.
func (s *Set) here(line int, at string) place {
	return place{int32(len(s.files) - 1), int32(line), at} //nolint:gosec // a number of arguments, and of lines
}

func (s *Set) where(p place) string {
	text := s.files[p.file]
	for i, name := range s.files {
		if name == text && s.dirs[i] != s.dirs[p.file] { // another file has the name
			text = filepath.Join(s.dirs[p.file], text)
			break
		}
	}
	if p.line > 0 {
		text = fmt.Sprintf("%s:%d", text, p.line)
	}
	if p.at != "" {
		text += ": " + p.at
	}
	return text
}

// bad records a record that is not a case.
func (s *Set) bad(p place, err error) {
	s.Read++
	s.all = append(s.all, entry{bad: true, place: p})
	s.problem(p, err)
}

// problem reports a record that is not a case.
func (s *Set) problem(p place, err error) {
	s.Bad++
	s.report(p, err)
}

func (s *Set) report(p place, err error) {
	if s.Report != nil {
		s.Report(errcode.New(errcode.InvalidArgument, "%s: %w", s.where(p), err))
	}
}

// note records a sentence once.
func (s *Set) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !s.noted[text] {
		s.noted[text] = true
		s.Notes = append(s.Notes, text)
	}
}

// add adds a record with the fields of its kind.
func (s *Set) add(p place, o jsonscan.Object) error { return s.addAs(s.kind.fields, p, o) }

// addAs adds a record with these fields.
func (s *Set) addAs(fields []field, p place, o jsonscan.Object) error {
	if s.over != nil {
		s.seeMapped(o)
		fields = append(s.over[:len(s.over):len(s.over)], withoutTargets(fields, s.over)...)
	}
	if s.kind.variant != nil {
		if other := s.kind.variant(o); other != nil {
			fields = append(s.over[:len(s.over):len(s.over)], withoutTargets(other, s.over)...)
		}
	}
	c, err := convert(fields, o)
	if err == nil {
		for i := range c.Golds {
			c.Golds[i].Result = s.moved(p, c.Golds[i].Result)
		}
		c.Answer.Result = s.moved(p, c.Answer.Result)
	}
	if err == nil && s.kind.finish != nil {
		err = s.kind.finish(s, c, o)
	}
	if err = s.checkForm(o, c, err); err != nil {
		s.bad(p, err)
		return nil
	}
	if c.Database == "" && s.o.Database == "" && s.kind.has("database") {
		if path := instead("database", fields, c.Meta, ""); path != "" {
			s.note("%s is not read: if it is the database of a case, add --map database=%s", path, path)
		}
	}
	return s.put(p, c)
}

// seeMapped notes which members of --map the record has.
func (s *Set) seeMapped(o jsonscan.Object) {
	if s.mapped == nil {
		s.mapped = map[string]bool{}
		for _, m := range o {
			s.members = append(s.members, string(m.Name))
		}
	}
	for _, f := range s.over {
		if !s.mapped[f.name] {
			value, _ := lookUp(o, f.name)
			s.mapped[f.name] = value != nil
		}
	}
}

// idle notes options without effect.
func (s *Set) idle() {
	for _, f := range s.over {
		if s.mapped != nil && !s.mapped[f.name] {
			s.note("--map %s=%s has no effect: no record has that member%s", f.to, f.name,
				scoring.SuggestOrList(f.name, s.members))
		}
	}
	if s.Answers == 0 && !s.given && s.Cases > 0 && cmp.Or(s.o.Agent, s.o.Version, s.o.Batch) != "" {
		s.note("--agent, --agent-version and --batch have no effect: the set has no answers")
	}
}

// held is a record that may have further parts.
type held struct {
	fields []field
	place  place
	record jsonscan.Object
}

// hold keeps a part of a record until all files are read.
func (s *Set) hold(fields []field, p place, r listed) {
	if have := s.parts[r.whole]; have != nil {
		have.record = merged(have.record, cloned(r.record))
		return
	}
	if s.parts == nil {
		s.parts = map[string]*held{}
	}
	h := &held{fields, p, cloned(r.record)}
	s.parts[r.whole] = h
	s.held = append(s.held, h)
}

// cloned returns a copy of an object that does not share the memory of its text.
func cloned(o jsonscan.Object) jsonscan.Object { return jsonscan.ParseObject(objectText(o)) }

// release adds the records that were held.
func (s *Set) release() error {
	for _, h := range s.held {
		if err := s.addAs(h.fields, h.place, h.record); err != nil {
			return err
		}
	}
	s.held, s.parts = nil, nil
	return nil
}

// withoutTargets returns the fields whose keys no field of over has.
func withoutTargets(fields, over []field) (rest []field) {
	for _, f := range fields {
		taken := false
		for _, o := range over {
			taken = taken || o.to == f.to
		}
		if !taken {
			rest = append(rest, f)
		}
	}
	return rest
}

// put adds a case.
func (s *Set) put(p place, c *Case) error {
	s.Read++
	c.Database = cmp.Or(c.Database, s.o.Database)
	c.Dataset = cmp.Or(c.Dataset, s.o.Dataset)
	c.Dialect = cmp.Or(s.o.Dialect, c.Dialect, s.kind.dialect)
	if err := s.attachResults(c); err != nil {
		return err
	}
	e := entry{at: s.at, place: p, id: c.ID, answered: c.Answered, bare: !c.hasGold(), alike: c.alike,
		question: questionHash(c.Question), database: c.Database}
	s.count(p, c)
	text, answer := c.text(), c.Answer.text()
	e.size, e.answer = int32(len(text)), int32(len(answer)) //nolint:gosec // a record has at most 256 MiB
	keyed := sha256.New()
	if c.Database != "" {
		fmt.Fprintf(keyed, "%s\x00", c.Database)
	}
	io.WriteString(keyed, questionKey(c.Question)) //nolint:errcheck // a hash
	if c.Question == "" {
		fmt.Fprintf(keyed, "\x00%s", strings.Join(c.queries(), "\x00"))
	}
	sum := keyed.Sum(nil)
	e.key, e.asked, e.hashed = [6]byte(sum), [8]byte(sum), c.ID == ""
	whole := sha256.Sum256(append(text[:len(text):len(text)], answer...))
	e.content = [8]byte(whole[:])
	bare := *c
	bare.Meta = nil
	whole = sha256.Sum256(bare.text())
	e.apart = [8]byte(whole[:])
	s.all = append(s.all, e)
	return s.store(text, answer)
}

func (s *Set) store(texts ...[]byte) error {
	for _, text := range texts {
		n, err := s.buffer.Write(text)
		s.at += int64(n)
		if err != nil {
			return errcode.New(errcode.Unavailable, "temporary file: %w", err)
		}
	}
	return nil
}

// questionKey returns a question without differences of letter case and white space.
func questionKey(question string) string {
	return strings.Join(strings.Fields(strings.ToLower(question)), " ")
}

// questionHash returns a hash of questionKey, and zero without a question.
func questionHash(question string) (hash [8]byte) {
	if key := questionKey(question); key != "" {
		sum := sha256.Sum256([]byte(key))
		hash = [8]byte(sum[:])
	}
	return hash
}

// count counts what a case lacks.
func (s *Set) count(p place, c *Case) {
	if !c.hasGold() {
		s.doubt(p, "the case has no gold")
	}
	for n, is := range map[*int]bool{
		&s.NoGold: !c.hasGold(), &s.NoQuestion: c.Question == "", &s.Labels: c.Label != "",
	} {
		if is {
			*n++
		}
	}
	s.Databases = s.Databases || c.Database != ""
	for i, g := range c.Golds {
		s.parsed(p, fmt.Sprintf("gold %d", i+1), g.SQL, c.Dialect)
		s.runs(g.SQL, g.Result, c.Dialect)
	}
	s.runs(c.Answer.SQL, c.Answer.Result, c.Dialect)
	s.parsed(p, "the agent's SQL", c.Answer.SQL, c.Dialect)
}

// runs records that a query without a result must run, on an engine of the dialect.
func (s *Set) runs(sql string, result json.RawMessage, dialect string) {
	if sql == "" || result != nil {
		return
	}
	s.Executable = true
	if dialect != "" && !slices.Contains(s.engines, dialect) {
		s.engines = append(s.engines, dialect)
	}
}

// parsed counts a query that badger cannot read.
func (s *Set) parsed(p place, what, sql, dialect string) {
	if strings.TrimSpace(sql) == "" {
		return
	}
	script := sqlparts.Parse(sql, sqlparts.DialectOf(dialect))
	switch {
	case len(script.Notes) > 0:
		n := script.Notes[0]
		s.Unparsed++
		s.doubt(p, "%s is not read completely as %s: %s, at character %d", what, cmp.Or(dialect, "generic SQL"), n.What, n.Start+1)
	case script.Final() == nil:
		s.Unparsed++
		s.doubt(p, "%s is not a query", what)
	}
}

func (s *Set) doubt(p place, format string, args ...any) {
	if s.Doubt != nil {
		s.Doubt(fmt.Errorf("%s: "+format, append([]any{s.where(p)}, args...)...))
	}
}

// predict adds a prediction, and checks later that it is for the database and the question, if it names them.
func (s *Set) predict(key, database, question string, a Answer, p place) error {
	if other, ok := s.pred[key]; ok {
		s.problem(p, errcode.New(errcode.InvalidArgument, "a prediction for %s is already in %s", key, s.where(other.place)))
		return nil
	}
	if a.Result == nil && s.o.Results != "" && !s.byLine {
		a.Result = s.result(s.o.Results, key)
	}
	s.runs(a.SQL, a.Result, "")
	text := a.text()
	s.pred[key] = &prediction{at: s.at, size: int32(len(text)), database: database, //nolint:gosec // at most 256 MiB
		question: questionHash(question), place: p}
	s.order = append(s.order, key)
	return s.store(text)
}

// Finish decides the IDs of all cases and the answers that belong to them. It must be called once, before Write.
func (s *Set) Finish() error {
	if err := s.release(); err != nil {
		return err
	}
	if err := s.buffer.Flush(); err != nil {
		return errcode.New(errcode.Unavailable, "temporary file: %w", err)
	}
	contents := map[[6]byte][8]byte{} // of hashed IDs
	several := map[[6]byte]bool{}     // keys that records with other content share
	for _, e := range s.all {
		if e.hashed && !e.bad {
			if have, ok := contents[e.key]; ok && have != e.content {
				several[e.key] = true
			}
			contents[e.key] = e.content
		}
	}
	first, asked := map[string]int{}, map[[8]byte]bool{}
	s.pair()
	for i := range s.all {
		e := &s.all[i]
		if e.bad {
			continue
		}
		if e.hashed {
			e.id = "q-" + hex.EncodeToString(e.key[:])
			if several[e.key] {
				e.id += "-" + hex.EncodeToString(e.content[:4])
			}
		}
		if j, ok := first[e.id]; ok {
			e.bad = true
			if s.all[j].content == e.content {
				s.Duplicates++
			} else if s.Conflicts++; s.all[j].apart == e.apart && s.all[j].answered && e.answered {
				s.report(e.place, errcode.New(errcode.InvalidArgument,
					"%s has the ID %.80q, too, with another answer; this one is not written: import the answers of each agent from a separate file, with --agent",
					s.where(s.all[j].place), e.id))
			} else {
				s.report(e.place, errcode.New(errcode.InvalidArgument,
					"%s has the ID %.80q, too, and other content: expected one record for each ID; this one is not written",
					s.where(s.all[j].place), e.id))
			}
			continue
		}
		first[e.id] = i
		s.Cases++
		if asked[e.asked] && !e.hashed || several[e.key] && e.hashed && asked[e.asked] {
			s.SameAsked++
			s.doubt(e.place, "another case asks the same question")
		}
		asked[e.asked] = true
		if e.answered {
			s.Answers++
		}
	}
	if s.Answers > 0 || s.given {
		s.Unanswered = s.Cases - s.Answers
	}
	switch {
	case len(s.engines) == 1:
		s.Engine = s.engines[0]
	case len(s.engines) > 1:
		s.note("the queries are in %d dialects (%s), and --execute runs them on one warehouse: split the file by the key dialect",
			len(s.engines), strings.Join(s.engines, ", "))
	}
	if s.forms == 3 && s.Conflicts > 0 {
		s.note("an evaluation run has the questions and golds of its space, too: import the run alone")
	}
	s.lacking()
	s.idle()
	var missing []string
	if s.Missing, missing = s.pages.Missing(); missing != nil {
		s.Notes = append(s.Notes, missing...)
	}
	if err := s.unused(); err != nil {
		return err
	}
	numbers := map[string]string{} // IDs, by what they are as numbers
	for id := range first {
		numbers[asNumber(id)] = id
	}
	for _, key := range s.order {
		p := s.pred[key]
		if p.used {
			continue
		}
		hint := ""
		if id, ok := numbers[asNumber(key)]; ok && !s.byLine {
			hint = "; it has " + id + ", which is written in another way: write the IDs alike"
		}
		s.problem(p.place, errcode.New(errcode.InvalidArgument, "a prediction for %s, and the set has no such question%s", key, hint))
	}
	return nil
}

// asNumber returns an ID without zeros that do not change its value as a number, such as 7 for 007 and 7.0; other IDs
// unchanged.
func asNumber(id string) string {
	whole, fraction, _ := strings.Cut(id, ".")
	if whole == "" || strings.Trim(whole, "0123456789") != "" || strings.Trim(fraction, "0") != "" {
		return id
	}
	return cmp.Or(strings.TrimLeft(whole, "0"), "0")
}

// Write writes the cases as a case file.
func (s *Set) Write(out io.Writer) error {
	to := bufio.NewWriterSize(out, 1<<16)
	if err := s.Each(func(_ string, line []byte) error {
		_, err := to.Write(line)
		return err
	}); err != nil {
		return err
	}
	return to.Flush()
}

// Each calls each for the cases, with the place of the record and the line of a case file, which is valid until each
// returns.
func (s *Set) Each(each func(place string, line []byte) error) error {
	var line []byte
	for i := range s.all {
		e := &s.all[i]
		if e.bad {
			continue
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
		text := make([]byte, int(e.size)+int(e.answer))
		if _, err := s.file.ReadAt(text, e.at); err != nil {
			return errcode.New(errcode.Unavailable, "temporary file: %w", err)
		}
		m := members{append(line[:0], '{')}
		m.text("case_id", e.id)
		if e.size > 0 {
			m.to = append(append(m.to, ','), text[:e.size]...)
		}
		if e.answered || s.given {
			a := members{[]byte{'{'}}
			a.text("name", s.o.Agent)
			a.text("version", s.o.Version)
			a.text("batch_id", s.o.Batch)
			answer := text[e.size:]
			if p := e.prediction; p != nil {
				answer = make([]byte, p.size)
				if _, err := s.file.ReadAt(answer, p.at); err != nil {
					return errcode.New(errcode.Unavailable, "temporary file: %w", err)
				}
			}
			if len(answer) > 0 {
				if len(a.to) > 1 {
					a.to = append(a.to, ',')
				}
				a.to = append(a.to, answer...)
			}
			m.raw("agent", append(a.to, '}'))
		}
		line = append(m.to, "}\n"...)
		if err := each(s.where(e.place), line); err != nil {
			return err
		}
		if cap(line) > 1<<20 {
			line = nil
		}
	}
	return nil
}

// targetNames returns the keys that --map names.
func targetNames() []string {
	return []string{"case_id", "question", "gold.sql", "gold.result", "evidence", "database", "dialect", "schema_ddl",
		"tags", "agent.sql", "agent.response", "agent.result", "agent.error", "expected.tools", "human.label", "human.note"}
}

// resultExtensions are the extensions of files of results, the first that exists is used.
var resultExtensions = []string{".csv", ".tsv", ".parquet", ".arrow", ".json"}

// attachResults adds references to files in the folders of results.
func (s *Set) attachResults(c *Case) error {
	if s.kind.Name == "spider2" || s.o.GoldResults == "" && s.o.Results == "" {
		return nil
	}
	if c.ID == "" {
		return errcode.Usage("--gold-results and --results: expected an ID in each record, by which the files are named")
	}
	missing := false
	if s.o.GoldResults != "" {
		if ref := s.result(s.o.GoldResults, c.ID); ref != nil {
			c.gold().Result = ref
		} else {
			missing = true
		}
	}
	if s.o.Results != "" {
		if ref := s.result(s.o.Results, c.ID); ref != nil {
			c.Answer.Result, c.Answered = ref, true
		} else {
			missing = true
		}
	}
	if missing {
		s.NoResult++
	}
	return nil
}

// result returns a reference to the file of a folder that is named by an ID, or nil.
func (s *Set) result(dir, id string) []byte {
	if id != filepath.Base(id) || id == "." || id == ".." {
		return nil
	}
	for _, extension := range resultExtensions {
		for _, compressed := range []string{"", ".gz"} {
			if path := filepath.Join(dir, id+extension+compressed); isFile(path) {
				s.uses(path)
				return s.reference(path)
			}
		}
	}
	return nil
}

// uses records that a case has a file of a folder.
func (s *Set) uses(path string) {
	if s.used == nil {
		s.used = map[string]bool{}
	}
	s.used[filepath.Clean(path)] = true
}

// unused reports the files in folders of results and gold queries that no case has, and the settings and questions of
// no case.
func (s *Set) unused() error {
	for _, folder := range []struct{ path, what string }{
		{s.o.GoldResults, "a gold result"}, {s.o.Results, "a result of the agent"}, {s.o.Gold, "a gold query"},
	} {
		if info, err := os.Stat(folder.path); folder.path == "" || err != nil || !info.IsDir() {
			continue
		}
		files, err := os.ReadDir(folder.path)
		if err != nil {
			return errcode.New(errcode.Unavailable, "%w", err)
		}
		s.from(folder.path)
		for _, f := range files {
			path := filepath.Join(folder.path, f.Name())
			if !f.IsDir() && IsAnswerFile(path) && !s.used[path] && !s.o.isOut(path) {
				s.problem(s.here(0, f.Name()), errcode.New(errcode.InvalidArgument, "%s that no case has: expected the ID of a case as the name",
					folder.what))
			}
		}
	}
	s.from(s.o.Settings)
	for _, id := range slices.SortedFunc(maps.Keys(s.settings), func(a, b string) int {
		return s.settings[a].line - s.settings[b].line
	}) {
		if one := s.settings[id]; !one.used {
			s.problem(s.here(one.line, ""), errcode.New(errcode.InvalidArgument,
				"settings for %.80q, and the set has no such question", id))
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(s.questions), func(a, b string) int {
		return int(s.questions[a].place.line - s.questions[b].place.line)
	}) {
		if row := s.questions[id]; !row.used {
			s.problem(row.place, errcode.New(errcode.InvalidArgument,
				"a question for %.80q, and the folder lacks this file of SQL", id))
		}
	}
	return nil
}

// reference returns a reference to a file, relative to the case file.
func (s *Set) reference(path string) []byte {
	s.names(path)
	if resultfile.IsPointer(headOf(path)) {
		s.Bad++
		if s.Report != nil {
			s.Report(errcode.New(errcode.InvalidArgument, "%s: expected a result, found %s", filepath.Base(path),
				resultfile.Pointer))
		}
	}
	return quoted(resultfile.Reference(path, s.o.Dir))
}

// moved returns a result of the record at p. A reference to a file is relative to the file of the record there, and to
// the case file afterwards.
func (s *Set) moved(p place, result json.RawMessage) json.RawMessage {
	ref := string(jsonscan.Unquote(result))
	from := resultfile.Snapshots{Options: resultfile.Options{Dir: s.dirs[p.file]}}
	path := from.File(ref)
	if path == "" {
		return result
	}
	s.names(path)
	return quoted(resultfile.Moved(ref, s.dirs[p.file], s.o.Dir))
}

// names records that a reference means the file at path.
func (s *Set) names(path string) {
	if s.named == nil {
		s.named = map[string]bool{}
	}
	s.named[path] = true
}

// RefersTo reports whether a case refers to the file, which exists.
func (s *Set) RefersTo(file os.FileInfo) bool {
	for path := range s.named {
		if info, err := os.Stat(path); err == nil && os.SameFile(info, file) {
			return true
		}
	}
	return false
}

// sqlText returns the text of a file of SQL.
func sqlText(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read
	text, err := io.ReadAll(io.LimitReader(f, maxDocument+1))
	if err == nil && len(text) > maxDocument {
		err = errcode.New(errcode.ResourceExhausted, "longer than %d MiB", maxDocument>>20)
	}
	if err == nil && resultfile.IsPointer(text) {
		err = errcode.New(errcode.InvalidArgument, "expected SQL, found %s", resultfile.Pointer)
	}
	return string(bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))), err
}
