package golden

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/jsonscan"
)

// Spider 2.0 lite and snow: JSON Lines. Golds are in folders: a query ID.sql, and results ID.csv, or ID_a.csv, ID_b.csv
// if several are accepted. A file says which columns of each count, and whether the order of rows does.
func init() {
	register(&Kind{
		Name: "spider2", Title: "Spider 2.0",
		signs: []string{"instance_id question db", "instance_id question db_id", "instance_id instruction"},
		fields: []field{
			{name: "instance_id", to: "case_id", need: true},
			{name: "db", also: []string{"db_id", "database"}, to: "database"},
			{name: "question", also: []string{"instruction"}, to: "question", need: true},
		},
		finish:      spider2Golds,
		predictions: folderPredictions,
	})
}

// spider2Dialect returns the dialect of an instance by its ID.
func spider2Dialect(id string) string {
	for _, one := range []struct{ prefix, dialect string }{
		{"sf", "snowflake"}, {"bq", "bigquery"}, {"ga", "bigquery"}, {"local", "sqlite"},
	} {
		if strings.HasPrefix(id, one.prefix) {
			return one.dialect
		}
	}
	return ""
}

// spider2Settings are the settings of the comparison of an instance.
type spider2Settings struct {
	line    int
	used    bool
	columns json.RawMessage
	ignore  bool
	rest    jsonscan.Object
}

// readSettings reads the file of settings once.
func (s *Set) readSettings() (map[string]*spider2Settings, error) {
	if s.settings != nil || s.o.Settings == "" {
		return s.settings, nil
	}
	s.settings = map[string]*spider2Settings{}
	text, err := readWhole(s.o.Settings)
	if err != nil {
		return nil, errcode.AsUsage(errcode.New(errcode.NotFound, "--eval: %w", err))
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := jsonscan.Check([]byte(line)); err != nil {
			return nil, errcode.Usage("--eval: line %d: expected one JSON object a line: %w", n, err)
		}
		o := jsonscan.ParseObject([]byte(line))
		id := string(jsonscan.Unquote(o.Get("instance_id")))
		if id == "" {
			return nil, errcode.Usage("--eval: line %d: instance_id is missing: expected one in each line", n)
		}
		if other := s.settings[id]; other != nil {
			return nil, errcode.Usage("--eval: line %d: settings for %.80q are already in line %d; remove one", n, id, other.line)
		}
		one := &spider2Settings{line: n, columns: o.Get("condition_cols"), ignore: string(o.Get("ignore_order")) == "true"}
		one.rest = without(o, [][]string{{"instance_id"}, {"condition_cols"}, {"ignore_order"}})
		s.settings[id] = one
	}
	return s.settings, nil
}

// spider2Golds adds golds, settings and external knowledge of an instance.
func spider2Golds(s *Set, c *Case, _ jsonscan.Object) error {
	c.Dialect = spider2Dialect(c.ID)
	if c.ID != filepath.Base(c.ID) {
		return errcode.New(errcode.InvalidArgument, "instance_id: expected a name of files, found a path")
	}
	var results []string
	if s.o.GoldResults != "" {
		var err error
		if results, err = several(s.o.GoldResults, c.ID, ".csv"); err != nil {
			return err
		}
	}
	for _, path := range results {
		s.uses(path)
		c.Golds = append(c.Golds, Gold{Result: s.reference(path)})
	}
	if s.o.Gold != "" {
		queries, err := several(s.o.Gold, c.ID, ".sql")
		if err != nil {
			return err
		}
		var texts []string
		for _, path := range queries {
			s.uses(path)
			sql, err := sqlText(path)
			if err != nil {
				return err
			}
			texts = append(texts, sql)
		}
		switch {
		case len(texts) == len(results):
			for i := range texts {
				c.Golds[i].SQL = texts[i]
			}
		case len(results) == 0:
			c.addGolds(texts...)
		case len(texts) > 0: // which result is that of the query is not said
			c.Meta = placed(c.Meta, []string{"gold_sql"}, textList(texts))
			s.note("a gold query next to several accepted results is kept in meta.gold_sql, because nothing says which result is its own")
		}
	}
	settings, err := s.readSettings()
	if err != nil {
		return err
	}
	if one, ok := settings[c.ID]; ok {
		one.used = true
		if err := c.spider2Options(one, len(results)); err != nil {
			return err
		}
	}
	name, err := textIn(c.Meta.Get("external_knowledge"))
	if err != nil || name == "" || s.o.Documents == "" {
		return nil //nolint:nilerr // null means that there is none
	}
	if name != filepath.Base(name) {
		return errcode.New(errcode.InvalidArgument, "external_knowledge: expected the name of a file, found a path")
	}
	text, err := sqlText(filepath.Join(s.o.Documents, name))
	if err != nil {
		return errcode.New(errcode.NotFound, "external_knowledge: %w", err)
	}
	c.Evidence = text
	return nil
}

// spider2Options sets the options of match_spider2.
func (c *Case) spider2Options(one *spider2Settings, golds int) error {
	var o jsonscan.Object
	if !blank(one.columns) && string(one.columns) != "[]" {
		if list := jsonscan.ParseList(one.columns); golds > 0 && len(list) > 0 && list[0][0] == '[' &&
			len(list) != golds && string(one.columns) != "[[]]" {
			return errcode.New(errcode.InvalidArgument,
				"condition_cols of --eval has %d lists, and there are %d gold results: expected one list for each", len(list), golds)
		}
		o = append(o, jsonscan.Member{Name: []byte("condition_cols"), Value: one.columns})
	}
	if one.ignore {
		o = append(o, jsonscan.Member{Name: []byte("ignore_order"), Value: json.RawMessage("true")})
	}
	if o != nil {
		c.Options = append(c.Options, jsonscan.Member{Name: []byte("match_spider2"), Value: objectText(o)})
	}
	if one.rest != nil {
		c.Meta = placed(c.Meta, []string{"eval"}, objectText(one.rest))
	}
	return nil
}

// several returns the files ID.EXT, or ID_a.EXT, ID_b.EXT and so on, of a folder, sorted.
func several(dir, id, extension string) (paths []string, err error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, errcode.Usage("expected a folder, found %q", dir)
	}
	if path := filepath.Join(dir, id+extension); isFile(path) {
		paths = append(paths, path)
	}
	for letter := 'a'; letter <= 'z'; letter++ {
		if path := filepath.Join(dir, id+"_"+string(letter)+extension); isFile(path) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

var answerFile = regexp.MustCompile(`(?i)\.(sql|(csv|tsv|parquet|arrow|json)(\.gz)?)$`)

// IsAnswerFile reports whether a file in a folder of results, gold queries or predictions is read, by its name.
func IsAnswerFile(path string) bool { return answerFile.MatchString(path) }

// folderPredictions reads a folder with a query or a result for each case, in files that are named by its ID.
func folderPredictions(s *Set, dir string) error {
	answers := map[string]*Answer{}
	var ids []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !IsAnswerFile(path) || s.o.isOut(path) {
			return err
		}
		relative, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		id := filepath.ToSlash(answerFile.ReplaceAllString(relative, ""))
		a := answers[id]
		if a == nil {
			a = &Answer{}
			answers[id] = a
			ids = append(ids, id)
		}
		if strings.EqualFold(filepath.Ext(path), ".sql") {
			a.SQL, err = sqlText(path)
			return err
		}
		a.Result = s.reference(path)
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(ids)
	for _, id := range ids {
		if err := s.predict(id, "", "", *answers[id], s.here(0, id)); err != nil {
			return err
		}
	}
	return nil
}
