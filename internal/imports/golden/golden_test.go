package golden

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/scoring"
)

// section is a part of a fixture that begins with a line -- NAME --.
type section struct{ name, text string }

func sections(t *testing.T, path string) (all []section) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitAfterSeq(string(data), "\n") {
		if name, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(name, " --\n") {
			all = append(all, section{name: strings.TrimSuffix(name, " --\n")})
		} else if n := len(all); n > 0 {
			all[n-1].text += line
		}
	}
	return all
}

// flags sets options from the words of the section args, which are those of the command. It returns the files.
func flags(t *testing.T, dir string, words []string) (o Options, files []string, pred string) {
	t.Helper()
	inDir := func(name string) string { return filepath.Join(dir, name) }
	for i := 0; i < len(words); i++ {
		value := func() string { i++; return words[i] }
		switch words[i] {
		case "--pred":
			pred = inDir(value())
		case "--gold":
			o.Gold = inDir(value())
		case "--gold-results":
			o.GoldResults = inDir(value())
		case "--results":
			o.Results = inDir(value())
		case "--eval":
			o.Settings = inDir(value())
		case "--documents":
			o.Documents = inDir(value())
		case "--questions":
			o.Questions = inDir(value())
		case "--pair":
			o.Pair = value()
		case "--map":
			o.Map = append(o.Map, value())
		case "--database":
			o.Database = value()
		case "--dialect":
			o.Dialect = value()
		case "--encoding":
			o.Encoding = value()
		case "--agent":
			o.Agent = value()
		case "--manual":
			o.Manual = true
		case "--rewrite":
			o.Rewrite = true
		default:
			if strings.HasPrefix(words[i], "--") {
				t.Fatalf("unknown flag %s", words[i])
			}
			files = append(files, inDir(words[i]))
		}
	}
	o.Dir = dir
	return o, files, pred
}

// imported returns the case file of an import, and what was reported.
func imported(t *testing.T, kind *Kind, o Options, files []string, pred string) (string, []string, *Set) {
	t.Helper()
	s, err := New(t.Context(), kind, o)
	if err != nil {
		return "", []string{err.Error()}, nil
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	var reports []string
	s.Report = func(err error) { reports = append(reports, err.Error()) }
	s.Doubt = func(err error) {
		if !strings.HasSuffix(err.Error(), noGoldDoubt) { // see TestDoubtOfNoGold
			reports = append(reports, "doubt: "+err.Error())
		}
	}
	for _, file := range files {
		if err := s.AddFile(file); err != nil {
			return "", append(reports, err.Error()), s
		}
	}
	if pred != "" {
		if err := s.AddPredictions(pred); err != nil {
			return "", append(reports, err.Error()), s
		}
	}
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := s.Write(&out); err != nil {
		t.Fatal(err)
	}
	for _, note := range s.Notes {
		reports = append(reports, "note: "+note)
	}
	return out.String(), reports, s
}

// TestFixtures imports the files of each fixture and compares the case file and the reports with those of the fixture, which were
// written by hand. Each line must be a case without unknown keys.
func TestFixtures(t *testing.T) {
	for _, k := range kinds {
		paths, err := filepath.Glob(filepath.Join("testdata", k.Name, "*.txt"))
		if err != nil {
			t.Fatal(err)
		}
		if len(paths) < 3 {
			t.Errorf("%s has %d fixtures, expected three or more", k.Name, len(paths))
		}
		for _, path := range paths {
			t.Run(k.Name+"/"+filepath.Base(path), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				var words []string
				want := map[string]string{}
				for _, s := range sections(t, path) {
					switch s.name {
					case "args":
						words = strings.Fields(s.text)
					case "cases", "reports":
						want[s.name] = s.text
					default:
						name := filepath.Join(dir, s.name)
						if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(s.text), 0o600)); err != nil {
							t.Fatal(err)
						}
					}
				}
				o, files, pred := flags(t, dir, words)
				got, reports, _ := imported(t, k, o, files, pred)
				if diff := cmp.Diff(strings.Split(want["cases"], "\n"), strings.Split(got, "\n")); diff != "" {
					t.Errorf("cases (-want +got):\n%s", diff)
				}
				wanted := strings.Split(strings.TrimSuffix(want["reports"], "\n"), "\n")
				if want["reports"] == "" {
					wanted = nil
				}
				for i := range reports {
					reports[i] = strings.ReplaceAll(reports[i], dir+string(filepath.Separator), "")
				}
				if diff := cmp.Diff(wanted, reports); diff != "" {
					t.Errorf("reports (-want +got):\n%s", diff)
				}
				for line := range strings.Lines(got) {
					c, err := scoring.DecodeCase([]byte(line))
					if err != nil || len(c.UnreadKeys) > 0 {
						t.Errorf("%s: %v, unknown keys %v", line, err, c.UnreadKeys)
					}
				}
			})
		}
	}
	folders, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if f.IsDir() && f.Name() != "fuzz" && !slices.ContainsFunc(kinds, func(k *Kind) bool { return k.Name == f.Name() }) {
			t.Errorf("testdata/%s belongs to no kind", f.Name())
		}
	}
}

const noGoldDoubt = "the case has no gold"

// Each case without gold is named, and one with gold is not.
func TestDoubtOfNoGold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "set.json")
	text := `[{"question_id": 7, "db_id": "shop", "question": "A?", "SQL": "SELECT 1"},
		{"question_id": 8, "db_id": "shop", "question": "B?", "SQL": "", "evidence": ""}]`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := New(t.Context(), KindNamed("bird"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // a test
	var doubts []string
	s.Doubt = func(err error) { doubts = append(doubts, err.Error()) }
	if err := errors.Join(s.AddFile(file), s.Finish()); err != nil {
		t.Fatal(err)
	}
	if len(doubts) != 1 || doubts[0] != "set.json:2: "+noGoldDoubt || s.NoGold != 1 {
		t.Errorf("%q, %d without gold", doubts, s.NoGold)
	}
}

// A reference is relative to the file of its record, whatever the kind, and to the case file afterwards.
func TestReferencesAreRelativeToTheirFile(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		kind, name, text string
		o                Options
	}{
		{"csv", "set.csv", "id,question,gold_sql,gold_result,agent_result\nq,How many?,SELECT 1,file:r/x.csv,r/y.csv\n", Options{}},
		{"csv", "set.csv", "id,question,gold_sql,gold_result,agent_result\nq,How many?,SELECT 1,FILE:../in/r/x.csv,r/y.csv\n", Options{}},
		{"mlflow", "set.json", `[{"inputs":{"question":"How many?"},"expectations":{"gold_sql":"SELECT 1","gold_result":"file:r/x.csv"},"y":"file:r/y.csv"}]`,
			Options{Map: []string{"agent.result=y"}}},
	} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "in", "r"), 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{tc.name: tc.text, "r/x.csv": "n\n1\n", "r/y.csv": "n\n1\n", "r/z.csv": "n\n1\n"} {
			if err := os.WriteFile(filepath.Join(dir, "in", name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		tc.o.Dir = dir
		got, reports, s := imported(t, KindNamed(tc.kind), tc.o, []string{filepath.Join(dir, "in", tc.name)}, "")
		for _, want := range []string{`"result":"file:in/r/x.csv"`, `"result":"file:in/r/y.csv"`} {
			if !strings.Contains(got, want) {
				t.Errorf("%s %s: %s lacks %s (%q)", tc.kind, tc.text, got, want, reports)
			}
		}
		for name, want := range map[string]bool{"r/x.csv": true, "r/y.csv": true, "r/z.csv": false, tc.name: false} {
			info, err := os.Stat(filepath.Join(dir, "in", name))
			if err != nil || s.RefersTo(info) != want {
				t.Errorf("%s: the cases refer to %s: %t, want %t (%v)", tc.kind, name, !want, want, err)
			}
		}
	}
}
