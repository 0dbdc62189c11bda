package sqlparts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// goldenCase is one case of testdata/golden/<dialect>.txt. The files hold cases of this form:
//
//	=== why the case exists
//	SQL, over any number of lines
//	--- select: a ; b
//	--- where: a = 1
//
// Every line that begins with --- names a fact and its value; elements are separated by " ; ".
// Components that are not named must be empty, unless the case names none of them. Other facts:
// kinds and effects of the statements, notes (how many, 0 if not named), tier, ordered, limit,
// tables* (full names), columns (table.column, or ?a,b.column) and format.
type goldenCase struct {
	file    string
	line    int
	why     string
	dialect Dialect
	sql     string
	facts   map[string]string
}

func goldenCases(tb testing.TB) []goldenCase {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*.txt"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no golden files: %v", err)
	}
	var out []goldenCase
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		dialect := DialectOf(strings.TrimSuffix(filepath.Base(file), ".txt"))
		for i, line := range strings.Split(string(text), "\n") {
			switch {
			case strings.HasPrefix(line, "=== "):
				out = append(out, goldenCase{file: filepath.Base(file), line: i + 1, why: line[4:], dialect: dialect, facts: map[string]string{}})
			case len(out) == 0 || out[len(out)-1].file != filepath.Base(file):
			case strings.HasPrefix(line, "--- "):
				name, value, ok := strings.Cut(line[4:], ":")
				if _, twice := out[len(out)-1].facts[name]; !ok || twice {
					tb.Fatalf("%s:%d: want a new fact, name: value", file, i+1)
				}
				out[len(out)-1].facts[name] = strings.TrimSpace(value)
			default:
				out[len(out)-1].sql += line + "\n"
			}
		}
	}
	return out
}

func elements(s string) []string {
	if s == "" {
		return nil
	}
	out := strings.Split(s, " ; ")
	slices.Sort(out)
	return out
}

// TestGolden holds every case's facts against what the package says.
func TestGolden(t *testing.T) {
	for _, c := range goldenCases(t) {
		t.Run(fmt.Sprintf("%s:%d", c.file, c.line), func(t *testing.T) {
			for fact, want := range c.facts {
				if got := goldenFact(t, c, fact); got != want && !slices.Equal(elements(got), elements(want)) {
					t.Errorf("%s\n%s\n%s: got  %s\n%s  want %s", c.why, c.sql, fact, got, strings.Repeat(" ", len(fact)), want)
				}
			}
			named := false
			for _, name := range ComponentList {
				_, ok := c.facts[string(name)]
				named = named || ok
			}
			for _, name := range ComponentList {
				if _, ok := c.facts[string(name)]; named && !ok {
					if got := goldenFact(t, c, string(name)); got != "" {
						t.Errorf("%s\n%s\n%s: got %s, want nothing", c.why, c.sql, name, got)
					}
				}
			}
			if _, ok := c.facts["notes"]; !ok {
				if s := Parse(c.sql, c.dialect); len(s.Notes) > 0 {
					t.Errorf("%s\n%s\nnotes: %+v, want none", c.why, c.sql, s.Notes)
				}
			}
			checkParse(t, c.sql, c.dialect)
		})
	}
}

// goldenFact is what the package says for a fact, in the form of the golden files.
func goldenFact(t *testing.T, c goldenCase, fact string) string {
	t.Helper()
	s := Parse(c.sql, c.dialect)
	q := s.Final()
	if name := Component(fact); slices.Contains(ComponentList, name) {
		comps := Extract(q)
		return strings.Join(comps.Set(name), " ; ")
	}
	var list []string
	switch fact {
	case "kinds":
		for _, st := range s.Statements {
			list = append(list, string(st.Kind))
		}
		return strings.Join(list, ", ")
	case "effects":
		return s.Effects().String()
	case "targets":
		for _, st := range s.Statements {
			if len(st.Target) > 0 {
				list = append(list, nameText(st.Target))
			}
		}
	case "notes":
		return fmt.Sprint(len(s.Notes))
	case "tier":
		tier, _ := Complexity(Extract(q))
		return string(tier)
	case "signals":
		return strings.Join(signalsOf(Extract(q)).Fired, ", ")
	case "ordered":
		return fmt.Sprint(ordersRows(c.sql, c.dialect))
	case "limit":
		if n, ok := q.RowLimit(); ok {
			return fmt.Sprint(n)
		}
		return "none"
	case "tables*":
		for _, n := range Tables(q) {
			list = append(list, nameText(n))
		}
	case "columns":
		for _, r := range Columns(q) {
			table := r.Table
			if table == "" {
				table = "?" + strings.Join(r.Among, ",")
			}
			list = append(list, table+"."+r.Column)
		}
	case "format":
		return Format(q)
	default:
		t.Fatalf("%s:%d: unknown fact %q", c.file, c.line, fact)
	}
	return strings.Join(list, " ; ")
}

func nameText(n Name) string {
	var parts []string
	for _, id := range n {
		parts = append(parts, id.Text)
	}
	return strings.Join(parts, ".")
}
