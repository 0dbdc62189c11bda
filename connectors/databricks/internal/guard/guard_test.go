package guard

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/badger-eval/badger/connectors/databricks/internal/workspace"
	"github.com/badger-eval/badger/connectors/internal/thrift"
	"github.com/badger-eval/badger/internal/errcode"
)

// guarded is a guard before a server of this test, and the server's address.
func guarded(t *testing.T, h http.HandlerFunc) (*guard, string) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(at.Port())
	if err != nil {
		t.Fatal(err)
	}
	ws := workspace.New(&workspace.Config{Host: at.Hostname(), Port: port, Protocol: "http", HTTPPath: "/sql/1.0/warehouses/a1", Retries: 1})
	t.Cleanup(ws.Close)
	return &guard{workspace: ws, config: Config{PageRows: 10}}, server.URL
}

func message(name string, kind byte, fields thrift.Struct) []byte {
	return thrift.Append(nil, thrift.Message{Name: name, Kind: kind, Seq: 1, Fields: fields})
}

// The driver reaches the warehouse with calls that are known, and files that an answer announced. All
// else stays here.
func TestWhatTheDriverMayAsk(t *testing.T) {
	var sent atomic.Int64
	g, at := guarded(t, func(w http.ResponseWriter, r *http.Request) {
		sent.Add(1)
		if r.URL.Path == "/file" {
			_, _ = io.WriteString(w, "rows")
			return
		}
		_, _ = w.Write(message("OpenSession", thrift.Reply, thrift.Struct{0: thrift.Struct{1: thrift.Struct{1: int32(0)}}}))
	})
	ctx, w := g.witnessed(t.Context())
	w.links[at+"/file"] = workspace.Link{URL: at + "/file", Rows: 1}
	g.announced.Store(at+"/file", w)
	open := message("OpenSession", thrift.Call, thrift.Struct{})
	for _, tc := range []struct {
		why, method, url string
		body             []byte
		sent             int64
		says             string // of an error
	}{
		{"a call", http.MethodPost, at + "/sql/1.0/warehouses/a1", open, 1, ""},
		{"a call of another warehouse", http.MethodPost, at + "/sql/1.0/warehouses/b2", open, 0, "neither a call of the warehouse nor a download of a result"},
		{"a call that is not known", http.MethodPost, at + "/sql/1.0/warehouses/a1", message("GetTables", thrift.Call, thrift.Struct{}), 0, "neither a call"},
		{"what is no call", http.MethodPost, at + "/sql/1.0/warehouses/a1", []byte("{}"), 0, "neither a call"},
		{"telemetry", http.MethodPost, at + "/telemetry-ext", []byte("{}"), 0, ""},
		{"whether telemetry is wanted", http.MethodGet, at + "/api/2.0/connector-service/feature-flags/GOLANG/1", nil, 0, ""},
		{"a file that was announced", http.MethodGet, at + "/file", nil, 1, ""},
		{"the same again", http.MethodGet, at + "/file", nil, 0, "neither a call"},
		{"a file that was not", http.MethodGet, at + "/other", nil, 0, "neither a call"},
		{"closing a statement, whose files are not read yet", http.MethodPost, at + "/sql/1.0/warehouses/a1", message("CloseOperation", thrift.Call, thrift.Struct{}), 0, ""},
	} {
		sent.Store(0)
		req, err := http.NewRequestWithContext(ctx, tc.method, tc.url, strings.NewReader(string(tc.body)))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := g.RoundTrip(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		if sent.Load() != tc.sent || (err != nil) != (tc.says != "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %d requests sent, %v; want %d and %q", tc.why, sent.Load(), err, tc.sent, tc.says)
		}
	}
}

// page is an answer to FetchResults: batches of so many rows from one on.
func page(from int64, more bool, rows ...int64) thrift.Message {
	var batches []any
	for _, n := range rows {
		batches = append(batches, thrift.Struct{1: []byte("b"), 2: n})
	}
	set := thrift.Struct{1: from}
	if len(batches) > 0 {
		set[1281] = batches
	}
	return thrift.Message{Name: fetchResults, Kind: thrift.Reply, Fields: thrift.Struct{0: thrift.Struct{1: thrift.Struct{1: int32(0)}, 2: more, 3: set}}}
}

// A result is whole when its last page has come and the driver gave out all parts that were announced.
func TestWholeResults(t *testing.T) {
	for _, tc := range []struct {
		why   string
		pages []thrift.Message
		given int    // parts that the driver gives out
		rows  int64  // of them
		says  string // of an error at the end
	}{
		{"one page", []thrift.Message{page(0, false, 3, 4)}, 2, 7, ""},
		{"no rows", []thrift.Message{page(0, false)}, 0, 0, ""},
		{"several pages", []thrift.Message{page(0, true, 3), page(3, false, 4)}, 2, 7, ""},
		{"a page that comes again", []thrift.Message{page(0, true, 3), page(0, true, 3), page(3, false, 4)}, 2, 7, ""},
		{"a page that was left out", []thrift.Message{page(0, true, 3), page(7, false, 4)}, 1, 3, "the driver ends it early"},
		{"an end before the last page", []thrift.Message{page(0, true, 3)}, 1, 3, "the driver ends it early"},
		{"an end before the last part", []thrift.Message{page(0, false, 3, 4)}, 1, 3, "the driver ends it early"},
		{"no page", nil, 0, 0, "the driver ends it early"},
		{"more parts than announced", []thrift.Message{page(0, false, 3)}, 2, 3, "rows that the service did not announce"},
	} {
		g, _ := guarded(t, nil)
		_, w := g.witnessed(t.Context())
		for _, p := range tc.pages {
			// Answers are what the guard parses.
			m, err := thrift.Parse(thrift.Append(nil, p))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.take(m); err != nil {
				t.Fatal(err)
			}
		}
		var rows int64
		var err error
		for range tc.given {
			a, broken := w.part()
			if err = broken; err != nil {
				break
			}
			rows += a.rows
		}
		if err == nil {
			err = w.complete()
		}
		if rows != tc.rows || (err != nil) != (tc.says != "") || err != nil && (errcode.Of(err) != errcode.DataLoss || !strings.Contains(err.Error(), tc.says)) {
			t.Errorf("%s: %d rows, %v; want %d and %q", tc.why, rows, err, tc.rows, tc.says)
		}
	}
}

// What the caller ends is told before anything else.
func TestFailureNamesItsCause(t *testing.T) {
	g, _ := guarded(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	_, w := g.witnessed(ctx)
	drivers := errors.New("the driver's own words")
	if err := w.failure(running, drivers); errcode.Of(err) != errcode.Unavailable || strings.Contains(err.Error(), "own words") {
		t.Errorf("nothing is known: %v", err)
	}
	said := &ServerError{What: running, State: "42P01"}
	w.failed(said)
	w.failed(errors.New("a later one"))
	if err := w.failure(running, drivers); !errors.Is(err, said) {
		t.Errorf("the service said why: %v", err)
	}
	cancel()
	if err := w.failure(running, drivers); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller has cancelled: %v", err)
	}
}
