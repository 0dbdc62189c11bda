package databricks_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/badger-eval/badger/connectors/databricks"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/drivertest"
	fakedatabricks "github.com/badger-eval/badger/connectors/fake/databricks"
	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/sample"
)

const id = "01f0badb-adba-1bad-bad0-0123456789ab"

func show(r array.RecordReader, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer r.Release()
	t, err := arrowtable.Read(r, arrowtable.Limits{})
	if err != nil {
		return "", err
	}
	return drivertest.Show(t), nil
}

func snapshot(c *databricks.Conn, ref string) (string, error) {
	parsed, err := driver.ParseRef(ref)
	if err != nil {
		return "", err
	}
	return show(c.ReadSnapshot(ctx, parsed))
}

// However a result was kept, its values are those that the statement gives when it is run over
// Thrift.
func TestResultsByStatementID(t *testing.T) {
	for _, file := range sample.Of([]string{"booleans", "bytes", "dates", "decimals", "floats", "instants", "integers", "json", "lists", "maps", "structs", "intervals", "texts", "timestamps", "nulls", "nul_bytes"}, 2) {
		query := strings.TrimSpace(drivertest.TypeQuery("databricks", file))
		ways := map[string]fakedatabricks.Kept{
			"JSON": {}, "JSON in chunks": {ChunkRows: 2}, "JSON in files": {External: true, ChunkRows: 1}, "Arrow": {Format: "ARROW_STREAM"}, "Arrow, compressed, in chunks": {Format: "ARROW_STREAM", Compression: "LZ4_FRAME", ChunkRows: 2},
			"still running": {Polls: 3},
		}
		for i, name := range slices.Sorted(maps.Keys(ways)) {
			if k := ways[name]; sample.Thorough() || i == sample.One(file, len(ways)) {
				t.Run(file+"/"+name, func(t *testing.T) { resultByStatementID(t, query, k) })
			}
		}
	}
}

func resultByStatementID(t *testing.T, query string, k fakedatabricks.Kept) {
	s := start(t)
	c := open(t, s.URL(), options)
	defer c.Close() //nolint:errcheck // nothing follows
	want, err := show(c.Query(ctx, query))
	if err != nil {
		t.Fatal(err)
	}
	k.SQL, k.Result = query, s.Canned(query)
	s.Keep(id, k)
	got, err := snapshot(c, "query:"+id)
	if err != nil || got != want {
		t.Errorf("got\n%s%v\nwant\n%s", got, err, want)
	}
	if n := len(s.Statements()); n != 1 {
		t.Errorf("%d statements were run, want the one of the comparison", n)
	}
}

func TestResultsByStatementIDWithFaults(t *testing.T) {
	gone := step{Status: 403}
	for _, tc := range []struct {
		why   string
		kept  fakedatabricks.Kept
		id    string
		kind  string
		steps []step
		want  errcode.Code
		names []string
	}{
		{"expired", fakedatabricks.Kept{State: "CLOSED"}, id, "", nil, errcode.NotFound, []string{"one hour", id}},
		{"forgotten", fakedatabricks.Kept{}, strings.Replace(id, "1", "2", 1), "", nil, errcode.NotFound, []string{"one hour", "table:NAME"}},
		{"another's", fakedatabricks.Kept{Forbidden: true}, id, "", nil, errcode.PermissionDenied, []string{"account that ran it"}},
		{"failed", fakedatabricks.Kept{State: "FAILED", Code: "BAD_REQUEST", Message: "[TABLE_OR_VIEW_NOT_FOUND] hunter2"}, id, "", nil, errcode.FailedPrecondition, []string{"failed"}},
		{"cancelled", fakedatabricks.Kept{State: "CANCELED"}, id, "", nil, errcode.FailedPrecondition, []string{"cancelled"}},
		{"cut off", fakedatabricks.Kept{Truncated: true}, id, "", nil, errcode.DataLoss, []string{"row_limit"}},
		{"CSV", fakedatabricks.Kept{Format: "CSV"}, id, "", nil, errcode.Unimplemented, []string{"ARROW_STREAM"}},
		{"no id", fakedatabricks.Kept{}, "../../secrets", "", nil, errcode.InvalidArgument, []string{"STATEMENT_ID"}},
		{"a chunk is lost", fakedatabricks.Kept{ChunkRows: 100}, id, "chunk", []step{{Lose: true}, {Truncate: 40}, {Status: 429}, {Status: 503}}, errcode.OK, nil},
		{"the result expires while it is read", fakedatabricks.Kept{ChunkRows: 100}, id, "chunk", []step{{}, {Status: 404, Body: `{"error_code":"NOT_FOUND"}`}}, errcode.NotFound, []string{"one hour"}},
		{"a link has expired: the chunk is asked for again", fakedatabricks.Kept{Format: "ARROW_STREAM", ChunkRows: 100}, id, "file", []step{gone, {}, gone, gone}, errcode.OK, nil},
		{"a link is refused for good", fakedatabricks.Kept{Format: "ARROW_STREAM", ChunkRows: 100}, id, "file", []step{{}, gone, gone, gone, gone, gone}, errcode.Unavailable, []string{"clock"}},
		{"a file breaks off", fakedatabricks.Kept{External: true, ChunkRows: 100}, id, "file", []step{{Truncate: 20}, {Drop: true}}, errcode.OK, nil},
	} {
		t.Run(tc.why, func(t *testing.T) {
			s := start(t)
			c := open(t, s.URL("retries=4"), options)
			defer c.Close() //nolint:errcheck // nothing follows
			tc.kept.SQL = "SELECT i FROM range(1000) AS t(i) ORDER BY i"
			s.Keep(id, tc.kept)
			s.Script(tc.kind, tc.steps...)
			got, err := snapshot(c, "query:"+tc.id)
			if code := c.ErrorCode(err); code != tc.want {
				t.Fatalf("%v (%v), want %v", err, code, tc.want)
			}
			if err == nil && (strings.Count(got, "|") != 999 || !strings.HasSuffix(got, "|998|999\n")) {
				t.Errorf("%d rows, to %.40q", strings.Count(got, "|")+1, got[max(0, len(got)-40):])
			}
			for _, name := range tc.names {
				if !strings.Contains(err.Error(), name) {
					t.Errorf("%v, want it to say %q", err, name)
				}
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v shows a value", err)
			}
			if n := len(s.Statements()); n != 0 {
				t.Errorf("%d statements were run, want none", n)
			}
		})
	}
}

func TestTimeTravel(t *testing.T) {
	s := start(t)
	c := open(t, s.URL(), options)
	defer c.Close() //nolint:errcheck // nothing follows
	s.Answer("SELECT .* AS OF .*", text([]string{"a"}, nil, "then"))
	for ref, want := range map[string]string{
		"table:main.s.t@17": "SELECT * FROM `main`.`s`.`t` VERSION AS OF 17", "table:\"o`dd\"@0": "SELECT * FROM `o``dd` VERSION AS OF 0",
		"table:t@2024-02-29T12:00:00+02:00": "SELECT * FROM `t` TIMESTAMP AS OF '2024-02-29T10:00:00.000000Z'", "table:t@2024-02-29": "SELECT * FROM `t` TIMESTAMP AS OF '2024-02-29T00:00:00.000000Z'",
	} {
		if got, err := snapshot(c, ref); err != nil || got != "\"a\" STRING: \"then\"\n" {
			t.Errorf("%s: %q, %v", ref, got, err)
		}
		all := s.Statements()
		if got := all[len(all)-1]; got != want {
			t.Errorf("%s ran %s, want %s", ref, got, want)
		}
	}
	for _, ref := range []string{"table:t@yesterday", "table:t@1 OR 1=1", "table:t@'"} {
		if _, err := snapshot(c, ref); errcode.Of(err) != errcode.InvalidArgument {
			t.Errorf("%s: %v, want invalid_argument", ref, err)
		}
	}
}
