package sqlparts

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Random expressions are read as an independent parser reads them: what is written again from the
// tree has the same tree there.
func TestReadingAgainstSqlglot(t *testing.T) {
	python := os.Getenv("BADGER_SQLGLOT_PYTHON")
	if python == "" {
		t.Skip("BADGER_SQLGLOT_PYTHON does not name a python3 that has sqlglot")
	}
	r := rand.New(rand.NewPCG(1, 19))
	of := func(list ...string) string { return list[r.IntN(len(list))] }
	var value, cond func(depth int) string
	value = func(depth int) string {
		if depth == 0 {
			return of("a", "b", "t.c", "1", "2.5", "'x'", "NULL")
		}
		switch r.IntN(9) {
		case 0, 1, 2, 3:
			return value(depth-1) + of(" + ", " - ", " * ", " / ", " % ") + value(depth-1)
		case 4:
			return "(" + value(depth-1) + ")"
		case 5:
			return "CASE WHEN " + cond(depth-1) + " THEN " + value(depth-1) + " ELSE " + value(depth-1) + " END"
		case 6:
			return "CAST(" + value(depth-1) + " AS INT)"
		case 7:
			return "f(" + value(depth-1) + ", " + value(depth-1) + ")"
		}
		return value(0)
	}
	cond = func(depth int) string {
		if depth > 0 {
			switch r.IntN(6) {
			case 0, 1:
				return cond(depth-1) + of(" AND ", " OR ") + cond(depth-1)
			case 2:
				return "NOT " + cond(depth-1)
			case 3:
				return "(" + cond(depth-1) + ")"
			}
		}
		x := value(min(depth, 1))
		return of(x+of(" = ", " <> ", " < ", " >= ")+value(1), x+" BETWEEN "+value(0)+" AND "+value(0), x+" IN ("+value(0)+", "+value(0)+")", x+" IS NOT NULL", x+" LIKE 'a%'", x+" IS NULL")
	}
	type pair struct {
		Dialect string `json:"dialect"`
		A       string `json:"a"`
		B       string `json:"b"`
	}
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	var asked []pair
	for range 1500 {
		d := []Dialect{Postgres, DuckDB, Snowflake, Databricks}[r.IntN(4)]
		sql := "SELECT " + value(3) + " FROM t WHERE " + cond(3)
		s := Parse(sql, d)
		if len(s.Notes) > 0 || s.Final() == nil {
			t.Errorf("%s: %q was not read: %+v", d, sql, s.Notes)
			continue
		}
		p := pair{d.String(), sql, Format(s.Final())}
		asked = append(asked, p)
		if err := enc.Encode(p); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, filepath.Join("testdata", "oracle", "reading.py"))
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("oracle: %v", err)
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	unread := 0
	for _, p := range asked {
		var says struct {
			Same  bool
			Error string
		}
		if err := dec.Decode(&says); err != nil {
			t.Fatal(err)
		}
		switch {
		case says.Error != "":
			unread++
		case !says.Same:
			t.Errorf("%s: read otherwise\n  %s\n  %s", p.Dialect, p.A, p.B)
		}
	}
	if unread > len(asked)/100 {
		t.Errorf("sqlglot did not read %d of %d", unread, len(asked))
	}
}

// All set operators of SQLite bind alike; what is written keeps that in the dialects where INTERSECT
// binds tighter.
func TestSetOperatorsOfSQLite(t *testing.T) {
	for sql, want := range map[string]string{
		"SELECT 1 UNION SELECT 2 EXCEPT SELECT 3":                       "select 1 union select 2 except select 3",
		"SELECT 1 UNION SELECT 2 INTERSECT SELECT 3":                    "(select 1 union select 2) intersect select 3",
		"SELECT 1 INTERSECT SELECT 2 UNION SELECT 3":                    "(select 1 intersect select 2) union select 3",
		"SELECT 1 UNION SELECT 2 INTERSECT SELECT 3 INTERSECT SELECT 4": "(select 1 union select 2) intersect select 3 intersect select 4",
		"SELECT 1 UNION SELECT 2 INTERSECT SELECT 3 UNION ALL SELECT 4": "((select 1 union select 2) intersect select 3) union all select 4",
	} {
		s := Parse(sql, SQLite)
		one := Format(s.Statements[0].Query)
		if two := Format(Parse(one, Generic).Statements[0].Query); one != want || two != want {
			t.Errorf("%s: %s, and then %s, want %s", sql, one, two, want)
		}
	}
}
