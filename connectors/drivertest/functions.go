package drivertest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/columnar"
	"github.com/badger-eval/badger/internal/errcode"
)

var errRefused = errcode.New(errcode.FailedPrecondition, "refused, and this is why")

// functions checks Go functions that are called from SQL.
func (h Harness) functions(t *testing.T) {
	c := h.open(t)
	ctx := context.Background()
	type key struct{}
	join := func(_ context.Context, args []columnar.Column, out *columnar.Column) error {
		for i := range out.Texts {
			var parts []string
			for k := range args {
				if args[k].IsNull(i) {
					parts = append(parts, "NULL")
				} else {
					parts = append(parts, args[k].Texts[i])
				}
			}
			out.Texts[i] = strings.Join(parts, "+")
		}
		return nil
	}
	err := c.(driver.FunctionRegistrar).RegisterScalar(ctx,
		driver.Scalar{Name: "join_them", Params: []columnar.Type{columnar.VARCHAR}, Result: columnar.VARCHAR, Eval: join},
		driver.Scalar{Name: "join_them", Params: []columnar.Type{columnar.VARCHAR, columnar.JSON}, Result: columnar.VARCHAR,
			Eval: join},
		driver.Scalar{Name: "twice", Params: []columnar.Type{columnar.BIGINT, columnar.DOUBLE, columnar.BOOLEAN},
			Result: columnar.DOUBLE, Eval: func(_ context.Context, a []columnar.Column, out *columnar.Column) error {
				for i := range out.Floats {
					if a[0].IsNull(i) || a[1].IsNull(i) || a[2].IsNull(i) {
						out.SetNull(i)
					} else if out.Floats[i] = float64(a[0].Ints[i]) + a[1].Floats[i]; a[2].Bools[i] {
						out.Floats[i] *= 2
					}
				}
				return nil
			}},
		driver.Scalar{Name: "is_even", Params: []columnar.Type{columnar.BIGINT}, Result: columnar.BOOLEAN,
			Eval: func(_ context.Context, a []columnar.Column, out *columnar.Column) error {
				for i := range out.Bools {
					out.Bools[i] = a[0].Ints[i]%2 == 0
				}
				return nil
			}},
		driver.Scalar{Name: "length_of", Params: []columnar.Type{columnar.VARCHAR}, Result: columnar.BIGINT,
			Eval: func(_ context.Context, a []columnar.Column, out *columnar.Column) error {
				for i := range out.Ints {
					out.Ints[i] = int64(len(a[0].Texts[i]))
				}
				return nil
			}},
		driver.Scalar{Name: "as_json", Params: []columnar.Type{columnar.VARCHAR}, Result: columnar.JSON,
			Eval: func(_ context.Context, a []columnar.Column, out *columnar.Column) error {
				for i := range out.Texts {
					out.Texts[i] = `{"t": "` + a[0].Texts[i] + `"}`
				}
				return nil
			}},
		driver.Scalar{Name: "trips", Params: []columnar.Type{columnar.BIGINT}, Result: columnar.BIGINT,
			Eval: func(_ context.Context, a []columnar.Column, out *columnar.Column) error {
				for i, v := range a[0].Ints {
					if v%100 == 7 {
						panic("trip")
					}
					out.Ints[i] = v
				}
				return nil
			}},
		driver.Scalar{Name: "refuses", Params: []columnar.Type{columnar.VARCHAR}, Result: columnar.VARCHAR,
			Eval: func(context.Context, []columnar.Column, *columnar.Column) error { return errRefused }},
		driver.Scalar{Name: "count_up", Result: columnar.BIGINT, Volatile: true, Eval: counter()},
		driver.Scalar{Name: "of_context", Params: []columnar.Type{columnar.VARCHAR}, Result: columnar.VARCHAR,
			Eval: func(ctx context.Context, _ []columnar.Column, out *columnar.Column) error {
				word, _ := ctx.Value(key{}).(string)
				for i := range out.Texts {
					out.Texts[i] = word
				}
				return nil
			}},
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ why, query, want string }{
		{"NULLs are handed over", "SELECT join_them(NULL::VARCHAR) AS a", `"a" STRING: "NULL"`},
		{"overloads by number of arguments", "SELECT join_them('x') AS a, join_them('x', '{}') AS b",
			"\"a\" STRING: \"x\"\n\"b\" STRING: \"x+{}\""},
		{"short and long text, columns and constants", "SELECT join_them(s, 'longer than twelve bytes') AS a FROM (VALUES ('short'), ('also longer than twelve bytes 😀'), (NULL), ('')) AS t(s)",
			`"a" STRING: "short+longer than twelve bytes"|"also longer than twelve bytes 😀+longer than twelve bytes"|"NULL+longer than twelve bytes"|"+longer than twelve bytes"`},
		{"numbers and booleans", "SELECT twice(n, x, b) AS a FROM (VALUES (1, 0.5, true), (9007199254740993, 0, false), (NULL, 1, true)) AS t(n, x, b)", `"a" FLOAT64: 3|9007199254740992|NULL`},
		{"boolean results", "SELECT is_even(3) AS a, is_even(4) AS b", "\"a\" BOOL: false\n\"b\" BOOL: true"},
		{"more rows than a chunk", "SELECT COUNT(*) AS n, SUM(length_of(s)) AS l FROM (SELECT repeat('x', (i % 30)::INTEGER) AS s FROM range(30000) t(i))", "\"n\" INT64: 30000\n\"l\" DECIMAL: 435000"},
		{"JSON results are JSON", "SELECT as_json('a') AS a, as_json('b')->>'t' AS b",
			"\"a\" JSON: \"{\\\"t\\\": \\\"a\\\"}\"\n\"b\" STRING: \"b\""},
		{"JSON arguments", "SELECT join_them('x', '[1]'::JSON) AS a", `"a" STRING: "x+[1]"`},
		{"only the rows that panic are lost",
			"SELECT COUNT(*) AS n, COUNT(trips(i)) AS there, SUM(trips(i)) AS s FROM range(1000) t(i)",
			"\"n\" INT64: 1000\n\"there\" INT64: 990\n\"s\" DECIMAL: 494930"},
		{"volatile ones are called for every row",
			"SELECT COUNT(DISTINCT c) AS n FROM (SELECT count_up() AS c FROM range(5000))", `"n" INT64: 5000`},
		{"in conditions and aggregates",
			"SELECT is_even(i) AS e, COUNT(*) AS n FROM range(7) t(i) WHERE join_them(i::VARCHAR) <> '3' GROUP BY 1 ORDER BY 1",
			"\"e\" BOOL: false|true\n\"n\" INT64: 2|4"},
	} {
		if got := Show(mustRead(t, c, tc.query)); got != tc.want+"\n" {
			t.Errorf("%s: got\n%swant\n%s", tc.why, got, tc.want)
		}
	}
	if _, err := readAll(ctx, c, "SELECT refuses('hunter2')"); !errors.Is(err, errRefused) ||
		strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a function's error: %v, want it as it is", err)
	}
	got, err := readAll(context.WithValue(ctx, key{}, "word"), c, "SELECT of_context(i::VARCHAR) AS a FROM range(2) t(i)")
	if err != nil || got != "\"a\" STRING: \"word\"|\"word\"\n" {
		t.Errorf("the statement's context: %s, %v", got, err)
	}
	// The engine may compute ahead while a result is read.
	for range 20 {
		if _, err := readAll(context.WithValue(ctx, key{}, "word"), c, "SELECT CASE WHEN of_context(i::VARCHAR) <> 'word' THEN 1 / 0 WHEN i = 90000 THEN length(refuses('x')) END AS a FROM range(100000) t(i)"); !errors.Is(err, errRefused) {
			t.Fatalf("an error in the middle of a stream: %v, want the function's own", err)
		}
	}
	if err := c.(driver.FunctionRegistrar).RegisterScalar(ctx, driver.Scalar{Name: "nothing"}); code(c,
		err) != errcode.InvalidArgument {
		t.Errorf("a function without a body: %v, want invalid_argument", err)
	}
}

func readAll(ctx context.Context, c driver.Conn, query string) (string, error) {
	t, err := Read(ctx, c, query)
	if err != nil {
		return "", err
	}
	return Show(t), nil
}
