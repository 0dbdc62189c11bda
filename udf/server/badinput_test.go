package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// asSent turns one bad batch into a request of each wire. The text has ROWS where rows of two
// arguments stand, written as [·"a","b"], so that a wire can put its row number into the place of
// the dot.
type badInput struct {
	why    string
	body   string   // ROWS is the name of the wire's member
	says   string   // what every message has to name
	header []string // of the request
	wires  string   // where it is one; empty: all
	gzip   bool
}

// No status of a permanent fault may be one that any caller sends again: Snowflake and BigQuery
// 408, 429 and 5xx, service functions 404 too.
var retried = map[int]bool{404: true, 405: true, 408: true, 429: true, 500: true, 502: true, 503: true, 504: true}

var badInputs = []badInput{
	{why: "an empty body", body: ``, says: "byte 0"},
	{why: "blanks alone", body: " \n\t ", says: "expected"},
	{why: "no JSON", body: `rows=1`, says: "byte 0"},
	{why: "an array for the body", body: `[[·"a","b"]]`, says: "an object"},
	{why: "a string for the body", body: `"ROWS"`, says: "an object"},
	{why: "null for the body", body: `null`, says: "an object"},
	{why: "cut in the body", body: `{"ROWS":[[·"a","b"]`, says: "ends"},
	{why: "cut in a row", body: `{"ROWS":[[·"a"`, says: "row 0"},
	{why: "cut in a string", body: `{"ROWS":[[·"a","b`, says: "row 0"},
	{why: "more behind the body", body: `{"ROWS":[]} {}`, says: "the end"},
	{why: "two bodies", body: `{"ROWS":[]}{"ROWS":[]}`, says: "the end"},
	{why: "a comma too many", body: `{"ROWS":[[·"a","b"],]}`, says: "','"},
	{why: "a comma too many in a row", body: `{"ROWS":[[·"a","b",]]}`, says: "row 0"},
	{why: "no comma", body: `{"ROWS":[[·"a" "b"]]}`, says: "row 0"},
	{why: "single quotes", body: `{"ROWS":[[·'a','b']]}`, says: "row 0"},
	{why: "a bare word", body: `{"ROWS":[[·NaN,"b"]]}`, says: "row 0"},
	{why: "a number that is none", body: `{"ROWS":[[·01,"b"]]}`, says: "row 0"},
	{why: "a half number", body: `{"ROWS":[[·1.,"b"]]}`, says: "row 0"},
	{why: "an unknown escape", body: `{"ROWS":[[·"\x","b"]]}`, says: "row 0"},
	{why: "a line break in a string", body: "{\"ROWS\":[[·\"a\n\",\"b\"]]}", says: "row 0"},
	{why: "bytes that are not UTF-8", body: "{\"ROWS\":[[·\"a\xff\",\"b\"]]}", says: "row 0"},
	{why: "a NUL byte", body: "{\"ROWS\":[[·\"a\",\x00\"b\"]]}", says: "row 0"},
	{why: "nested too deep", body: `{"ROWS":[[·` + strings.Repeat("[", 100_000) + `]]}`, says: "nested deeper"},
	{why: "objects nested too deep", body: `{"a":` + strings.Repeat(`{"a":`, 20_000) + `1}`, says: "nested deeper"},
	{why: "no rows", body: `{"row":[]}`, says: "ROWS"},
	{why: "rows that are an object", body: `{"ROWS":{}}`, says: "ROWS"},
	{why: "rows that are null", body: `{"ROWS":null}`, says: "ROWS"},
	{why: "rows that are text", body: `{"ROWS":"[]"}`, says: "ROWS"},
	{why: "rows twice", body: `{"ROWS":[],"ROWS":[]}`, says: "duplicate"},
	{why: "a row that is a number", body: `{"ROWS":[1]}`, says: "row 0"},
	{why: "a row that is null", body: `{"ROWS":[[·"a","b"],null]}`, says: "row 1"},
	{why: "a row that is text", body: `{"ROWS":["ab"]}`, says: "row 0"},
	{why: "too few arguments", body: `{"ROWS":[[·"a","b"],[·"a"]]}`, says: "row 1"},
	{why: "too many arguments", body: `{"ROWS":[[·"a","b"],[·"a","b","c"]]}`, says: "row 1"},
	{why: "too many rows", body: `{"ROWS":[` + strings.Repeat(`[·"a","b"],`, 1000) + `[·"a","b"]]}`, says: "more than 1000 rows"},
	{why: "too many bytes", body: `{"ROWS":[[·"` + strings.Repeat("a", 300_000) + `","b"]]}`, says: "larger than"},
	{why: "too many bytes once inflated", body: `{"x":"` + strings.Repeat("a", 300_000) + `","ROWS":[]}`, says: "larger than", gzip: true},
	{why: "gzip that is none", body: `{"ROWS":[]}`, says: "Content-Encoding", header: []string{"Content-Encoding", "gzip"}},
	{why: "deflate that is none", body: "\xff\xff\xff\xff", says: "Content-Encoding", header: []string{"Content-Encoding", "deflate"}},
	{why: "an encoding nobody knows", body: `{"ROWS":[]}`, says: "Content-Encoding", header: []string{"Content-Encoding", "br"}},
	{why: "no row number", body: `{"ROWS":[[]]}`, says: "row 0", wires: "snowflake"},
	{why: "a row number with a point", body: `{"ROWS":[[1.0,"a","b"]]}`, says: "row number", wires: "snowflake"},
	{why: "a row number of 100 digits", body: `{"ROWS":[[` + strings.Repeat("9", 100) + `,"a","b"]]}`, says: "row number", wires: "snowflake"},
	{why: "a version of the protocol", body: `{"ROWS":[]}`, says: "1.0", header: []string{"Sf-External-Function-Format-Version", "3.1"}, wires: "snowflake"},
	{why: "a context that is a list", body: `{"userDefinedContext":[],"ROWS":[]}`, says: "userDefinedContext", wires: "bigquery"},
	{why: "another function in the context", body: `{"userDefinedContext":{"fn":"show"},"ROWS":[]}`, says: "userDefinedContext", wires: "bigquery"},
	{why: "another version in the context", body: `{"userDefinedContext":{"fnv":"0"},"ROWS":[]}`, says: "version", wires: "bigquery"},
	{why: "a parameter that is none", body: `{"ROWS":[{"a":"x","c":"y"}]}`, says: "no parameter", wires: "json databricks_batch bigquery"},
	{why: "a parameter twice", body: `{"ROWS":[{"a":"x","a":"y"}]}`, says: "duplicate", wires: "json databricks_batch bigquery"},
	{why: "a parameter that is none, one row", body: `{"a":"x","c":"y"}`, says: "no parameter", wires: "databricks"},
	{why: "a parameter twice, one row", body: `{"a":"x","a":"y"}`, says: "duplicate", wires: "databricks"},
}

func TestBadInputs(t *testing.T) {
	s, err := New(newCatalogue(t), &Options{Limits: Limits{Body: 200_000, Rows: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	for _, wire := range []struct{ name, path, rows, number string }{
		{"snowflake", "/v1/snowflake/same_text", "data", "0,"},
		{"bigquery", "/v1/bigquery/same_text", "calls", ""},
		{"databricks_batch", "/v1/databricks/same_text/batch", "rows", ""},
		{"json", "/v1/functions/same_text", "rows", ""},
		{"databricks", "/v1/databricks/same_text", "rows", ""},
	} {
		for _, bad := range badInputs {
			if bad.wires != "" && !strings.Contains(" "+bad.wires+" ", " "+wire.name+" ") {
				continue
			}
			if wire.name == "databricks" && bad.wires == "" && (bad.says == "ROWS" || strings.Contains(bad.body, "ROWS") && !strings.Contains(bad.says, "Content")) {
				continue // has no rows
			}
			body := strings.NewReplacer("ROWS", wire.rows, "·", wire.number).Replace(bad.body)
			says := strings.ReplaceAll(bad.says, "ROWS", wire.rows)
			if wire.name == "databricks" && says == "larger than" {
				continue
			}
			check := func(path, body string) {
				t.Helper()
				raw := []byte(body)
				header := bad.header
				if bad.gzip {
					raw, header = gzipOf(raw), []string{"Content-Encoding", "gzip"}
				}
				status, reply := serve(s, path, raw, header...)
				if status < 400 || retried[status] {
					t.Errorf("%s, %s: status %d is none of a permanent fault", wire.name, bad.why, status)
				}
				if !json.Valid([]byte(reply)) || !strings.Contains(reply, says) {
					t.Errorf("%s, %s: %s does not say %q", wire.name, bad.why, reply, says)
				}
				if wire.name == "bigquery" && (len(reply) > 1100 || !strings.HasPrefix(reply, `{"errorMessage":"`)) {
					t.Errorf("%s, %s: no errorMessage below 1 KB: %.80s", wire.name, bad.why, reply)
				}
			}
			check(wire.path, body)
		}
		status, reply := serve(s, strings.Replace(wire.path, "same_text", "same_txet", 1), []byte(`{}`))
		if status != 400 || !strings.Contains(reply, "did you mean same_text") {
			t.Errorf("%s, an unknown function: %d %s", wire.name, status, reply)
		}
	}
}

// serve sends one request to the server's handler, without a network.
func serve(s *Server, path string, body []byte, headers ...string) (int, string) {
	req := httptest.NewRequest(http.MethodPost, "http://localhost"+path, bytes.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	s.http.Handler.ServeHTTP(rec, req)
	return rec.Code, rec.Body.String()
}

func gzipOf(b []byte) []byte {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	_, _ = z.Write(b)
	_ = z.Close()
	return buf.Bytes()
}

// A few kilobytes that inflate to gigabytes are refused after the limit, not after the gigabytes.
func TestGzipBomb(t *testing.T) {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	zeros := make([]byte, 1<<20)
	for range 1024 {
		_, _ = z.Write(zeros)
	}
	_ = z.Close()
	s, err := New(newCatalogue(t), &Options{Limits: Limits{Body: 4 << 20, Message: 4 << 20, InFlight: 8 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	if buf.Len() > 4<<20 {
		t.Fatalf("the bomb has %d bytes", buf.Len())
	}
	status, reply := serve(s, "/v1/snowflake/same_text", buf.Bytes(), "Content-Encoding", "gzip")
	if status != 400 || !strings.Contains(reply, "larger than") {
		t.Errorf("got %d %s", status, reply)
	}
	if !s.admission.bytes.TryAcquire(8 << 20) {
		t.Error("memory of the refused body is still reserved")
	}
}

// A body that says how long it is and is too long is refused before it is read.
func TestTooLongBodyIsNotRead(t *testing.T) {
	s, err := New(newCatalogue(t), &Options{Limits: Limits{Body: 1000, Message: 2000, InFlight: 4000}})
	if err != nil {
		t.Fatal(err)
	}
	body := &countingReader{}
	req := httptest.NewRequest(http.MethodPost, "http://localhost/v1/bigquery/same_text", body)
	req.ContentLength = 1 << 40
	rec := httptest.NewRecorder()
	s.http.Handler.ServeHTTP(rec, req)
	if rec.Code != 400 || body.n > 0 {
		t.Errorf("status %d after %d bytes", rec.Code, body.n)
	}
}

type countingReader struct{ n int }

func (c *countingReader) Read(p []byte) (int, error) { c.n += len(p); return len(p), nil }
