package server

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/badger-eval/badger/udf"
)

// The golden files of the HTTP wires, and which conformance statements of the protocol reference
// each one shows.
var golden = []struct{ file, statements string }{
	{"snowflake/worked_example.txtar", "G-1 G-2 G-3 SFE-1 SFE-2 SFE-8 SFE-17"},
	{"snowflake/function_in_header.txtar", "SFE-4"},
	{"snowflake/row_numbers.txtar", "SFE-1 SFE-2"},
	{"snowflake/no_rows.txtar", "G-3"},
	{"snowflake/six_inputs.txtar", "G-1 G-2 SFE-18"},
	{"snowflake/null_arguments.txtar", "SFE-17"},
	{"snowflake/bad_row.txtar", "G-4"},
	{"snowflake/terminal.txtar", "G-16 SFE-3 SFE-5 SFE-13 SFC-2"},
	{"bigquery/worked_example.txtar", "G-1 BQ-2 BQ-3 BQ-4 BQ-6 BQ-7"},
	{"bigquery/context_selects.txtar", "BQ-1 BQ-7"},
	{"bigquery/encodings.txtar", "BQ-2 BQ-3 BQ-4 BQ-5 BQ-6"},
	{"bigquery/terminal.txtar", "BQ-7 BQ-8"},
	{"databricks/worked_example.txtar", "DBX-1"},
	{"databricks/value.txtar", "DBX-1 DBX-3 DBX-12"},
	{"databricks/terminal.txtar", "DBX-2"},
	{"json/rows.txtar", "G-3 G-4"},
	{"json/score.txtar", ""},
	{"json/paths.txtar", "SFC-2 BQ-13"},
}

// scoreRun is the function of the protocol reference's worked examples, in the words of each.
func scoreRun(wire string) udf.Function {
	params := map[string][]udf.Param{
		"snowflake":  {{Name: "run_id"}, {Name: "expected"}, {Name: "actual"}, {Name: "decided_at"}, {Name: "ctx", Type: udf.JSON}},
		"bigquery":   {{Name: "run_id"}, {Name: "cost"}, {Name: "digest"}, {Name: "decided_at"}, {Name: "actual", Type: udf.JSON}},
		"databricks": {{Name: "run_id"}, {Name: "expected"}, {Name: "actual"}},
		"flight":     {{Name: "run_id", Type: udf.BIGINT}, {Name: "expected"}, {Name: "actual", Type: udf.JSON}},
	}[wire]
	// What has to arrive, by row id; anything else is told by the reply.
	want := map[string][]string{
		"snowflake/9007199254740993":                       {"9007199254740993", `{"rows":[[1]]}`, `{"rows":[[1]]}`, "2026-03-01 09:30:00.000", `{"dialect":"snowflake"}`},
		"snowflake/12345678901234567890123456789012345678": {"12345678901234567890123456789012345678", `{"rows":[]}`, "NULL", "2026-03-01 09:31:00.000", "NULL"},
		"bigquery/17":                 {"17", "123.56", "AP8=", "2026-03-01T09:30:00Z", `{"rows":[[1]]}`},
		"bigquery/9007199254740993":   {"9007199254740993", "5", "NULL", "NULL", "NULL"},
		"databricks/9007199254740993": {"9007199254740993", `{"rows":[[1]]}`, "NULL"},
		"flight/9007199254740993":     {"9007199254740993", `{"rows":[[1]]}`, `{"a":1}`},
		"flight/18":                   {"18", "NULL", "NULL"},
	}
	return udf.Function{
		Name: "score_run", Group: "test", Result: udf.JSON, Version: 1, Params: params,
		Row: func(_ context.Context, in *udf.Batch, i int, out *udf.Column) error {
			got := make([]string, len(params))
			for k := range params {
				switch {
				case in.IsNull(k, i):
					got[k] = "NULL"
				case in.Args[k].Type == udf.BIGINT:
					got[k] = strconv.FormatInt(in.Args[k].Ints[i], 10)
				default:
					got[k] = in.Args[k].Texts[i]
				}
			}
			if w := strings.Join(want[wire+"/"+got[0]], "|"); strings.Join(got, "|") != w {
				out.SetText(i, strconv.Quote("arrived as "+strings.Join(got, "|")+", want "+w))
				return nil
			}
			missing := got[2] == "NULL" || wire == "bigquery" && got[4] == "NULL"
			switch {
			case missing && wire == "snowflake":
				out.SetText(i, `{"v":1,"ok":false,"error":{"code":"SNAPSHOT_MISSING","msg":"actual is NULL"}}`)
			case missing:
				out.SetText(i, `{"v":1,"ok":false,"error":{"code":"SNAPSHOT_MISSING"}}`)
			case wire == "snowflake":
				out.SetText(i, `{"v":1,"ok":true,"score":"0.875","verdict":"partial","cost_tokens":412}`)
			default:
				out.SetText(i, `{"v":1,"ok":true,"score":"1"}`)
			}
			return nil
		},
	}
}

func TestGoldenHTTP(t *testing.T) {
	listed := map[string]bool{}
	for _, g := range golden {
		listed[g.file] = true
		t.Run(g.file, func(t *testing.T) {
			wire, _, _ := strings.Cut(g.file, "/")
			var extra []udf.Function
			if f := scoreRun(wire); f.Params != nil {
				extra = append(extra, f)
			}
			s := start(t, newCatalogue(t, extra...), nil)
			a, err := txtar.ParseFile(filepath.Join("testdata", g.file))
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i+1 < len(a.Files); i += 2 {
				exchangeGolden(t, s.url, a.Files[i].Data, a.Files[i+1].Data)
			}
		})
	}
	for _, dir := range []string{"snowflake", "bigquery", "databricks", "json"} {
		files, _ := os.ReadDir(filepath.Join("testdata", dir))
		for _, f := range files {
			if !listed[dir+"/"+f.Name()] {
				t.Errorf("testdata/%s/%s is in no table", dir, f.Name())
			}
		}
	}
}

// cutMessage splits a message of a golden file: first line, header lines, body.
func cutMessage(data []byte) (line string, header http.Header, body []byte) {
	head, body, _ := bytes.Cut(data, []byte("\n\n"))
	line, rest, _ := strings.Cut(string(head), "\n")
	header = http.Header{}
	for l := range strings.SplitSeq(rest, "\n") {
		if k, v, ok := strings.Cut(l, ": "); ok {
			header.Set(k, v)
		}
	}
	return strings.TrimSpace(line), header, bytes.TrimSuffix(body, []byte("\n"))
}

func exchangeGolden(t *testing.T, url string, request, response []byte) {
	t.Helper()
	line, header, body := cutMessage(request)
	method, path, _ := strings.Cut(line, " ")
	req, err := http.NewRequest(method, url+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	req.Header.Set("X-Request-Id", "test")
	resp, err := (&http.Transport{DisableCompression: true}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(bufio.NewReader(resp.Body))
	if err != nil {
		t.Fatal(err)
	}
	status, wantHeader, want := cutMessage(response)
	if strconv.Itoa(resp.StatusCode) != status {
		t.Errorf("%s: status %d, want %s", line, resp.StatusCode, status)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s:\n got %s\nwant %s", line, got, want)
	}
	for k := range wantHeader {
		if resp.Header.Get(k) != wantHeader.Get(k) {
			t.Errorf("%s: %s is %q, want %q", line, k, resp.Header.Get(k), wantHeader.Get(k))
		}
	}
}
