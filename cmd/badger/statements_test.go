//go:build !no_duckdb

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/flight"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/badger-eval/badger/internal/conformance"
	"github.com/badger-eval/badger/internal/fake/callers"
	"github.com/badger-eval/badger/internal/sample"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// TestNumberedStatements shows the statements of docs/reference/conformance.md that need a judge and a
// ledger: how often a judge is asked, whatever callers send again.
func TestNumberedStatements(t *testing.T) {
	tests := map[string]func(*testing.T){
		"G-5": sameRowAgain, "G-6": otherCuts, "G-7": otherModel, "G-8": killed, "G-9": equalRows,
		"SFE-9": polled, "SFE-10": sentAgain, "SFE-11": otherReplica, "SFE-12": twelveHours, "SFE-14": otherBody,
		"SFC-3": withoutID, "BQ-9": requestIDs, "BQ-15": twentyAttempts, "DB-7": nineAttempts, "RW-5": submitAndFetch, "RS-7": redshiftAgain,
	}
	for i, number := range slices.Sorted(maps.Keys(tests)) {
		if !sample.Takes(i, len(tests), 6) {
			tests[number] = func(t *testing.T) { t.Skip("one statement in six is shown, all with BADGER_THOROUGH=1") }
		}
	}
	conformance.Run(t, "cmd/badger", tests)
}

// judgedServer is a server with a judge and a ledger, and the judge.
type judgedServer struct {
	t      *testing.T
	judge  *backendtest.Endpoint
	config string // of further replicas too

	http, grpc string
	stop       func() int
}

// asking starts a server whose judge answers as answer says; more is further configuration.
func asking(t *testing.T, answer func(backendtest.Call) backendtest.Answer, more string) *judgedServer {
	t.Helper()
	dir := t.TempDir()
	j := &judgedServer{t: t, judge: backendtest.NewEndpoint(t, answer), config: filepath.Join(dir, "badger.yaml")}
	j.configure("openai:gpt-4o", filepath.Join(dir, "w.duckdb"), more)
	j.start()
	return j
}

func (j *judgedServer) configure(model, db, more string) {
	j.t.Helper()
	text := "results: {warehouse: 'duckdb:" + db + "'}\njudge: {backend: '" + model + "', base_url: '" + j.judge.URL() + "', key_env: JUDGE_KEY}\nmetrics: {options: {flex: {categories: false}}}\n" + more
	if err := os.WriteFile(j.config, []byte(text), 0o600); err != nil {
		j.t.Fatal(err)
	}
}

func (j *judgedServer) start() {
	j.t.Helper()
	j.startAt(time.Now)
}

// startAt starts the server with another clock.
func (j *judgedServer) startAt(now func() time.Time) {
	j.t.Helper()
	addrs, stop := servingAt(j.t, now, "--config", j.config)
	stopped := false
	j.grpc, j.http = addrs[0], "http://"+addrs[1]
	j.stop = func() int {
		if stopped {
			return exitDone
		}
		stopped = true
		callers.CloseIdle()
		return stop()
	}
	j.t.Cleanup(func() { j.stop() })
}

// restart ends the server and starts another one on the same ledger.
func (j *judgedServer) restart() {
	j.t.Helper()
	if code := j.stop(); code != exitDone {
		j.t.Fatalf("exit code %d", code)
	}
	j.start()
}

func (j *judgedServer) snowflake(id string) *callers.Snowflake {
	return &callers.Snowflake{URL: j.http + "/v1/snowflake/flex", BatchID: id}
}

// asked is how often the judge was asked so far.
func (j *judgedServer) asked() int { return len(j.judge.Calls()) }

// wantAsked checks how often it was asked, all in all.
func (j *judgedServer) wantAsked(why string, n int) {
	j.t.Helper()
	if got := j.asked(); got != n {
		j.t.Errorf("%s: the judge was asked %d times, want %d", why, got, n)
	}
}

// question is a row of flex's arguments that only a judge can decide, another one for each number.
func question(n int) []any {
	return []any{fmt.Sprintf("How many boats has harbour %d?", n), fmt.Sprintf("SELECT count(*) FROM boats WHERE harbour = %d", n), fmt.Sprintf("SELECT sum(1) FROM boats WHERE harbour = %d", n)}
}

func questions(numbers ...int) (rows [][]any) {
	for _, n := range numbers {
		rows = append(rows, question(n))
	}
	return rows
}

// slowly answers after a while, so that calls meet.
func slowly(c backendtest.Call) backendtest.Answer {
	time.Sleep(50 * time.Millisecond)
	return correct(c)
}

func wantOnes(t *testing.T, why string, n int) func(*callers.Call, error) {
	return func(c *callers.Call, err error) {
		t.Helper()
		if err != nil || fmt.Sprintf("%s", c.Results) != "["+strings.TrimSpace(strings.Repeat("1 ", n))+"]" {
			t.Errorf("%s: %s, %v, want %d times 1", why, c.Results, err, n)
		}
	}
}

func sameRowAgain(t *testing.T) {
	j := asking(t, slowly, "")
	wantOnes(t, "first", 3)(j.snowflake("a").Call(t.Context(), questions(1, 2, 3)...))
	wantOnes(t, "again, as another statement", 3)(j.snowflake("b").Call(t.Context(), questions(1, 2, 3)...))
	j.wantAsked("one after the other", 3)
	together(8, func(i int) {
		wantOnes(t, "at once", 3)(j.snowflake(fmt.Sprint("c", i)).Call(t.Context(), questions(4, 5, 6)...))
	})
	j.wantAsked("at the same time", 6)
	j.restart()
	wantOnes(t, "after a restart", 6)(j.snowflake("d").Call(t.Context(), questions(1, 2, 3, 4, 5, 6)...))
	j.wantAsked("after a restart", 6)
}

func otherCuts(t *testing.T) {
	j := asking(t, correct, "")
	wantOnes(t, "whole", 6)(j.snowflake("a").Call(t.Context(), questions(1, 2, 3, 4, 5, 6)...))
	for i, cut := range [][]int{{6, 1}, {5}, {2, 4, 3}} {
		wantOnes(t, "cut", len(cut))(j.snowflake(fmt.Sprint("b", i)).Call(t.Context(), questions(cut...)...))
	}
	c, err := (&callers.BigQuery{URL: j.http + "/v1/bigquery/flex"}).Call(t.Context(), questions(3, 2, 1, 6, 5, 4)...)
	wantOnes(t, "over another wire", 6)(c, err)
	j.wantAsked("other cuts and orders", 6)
}

func otherModel(t *testing.T) {
	j := asking(t, correct, "")
	db := filepath.Join(filepath.Dir(j.config), "w.duckdb")
	call := func(why string) {
		t.Helper()
		wantOnes(t, why, 2)(j.snowflake(why).Call(t.Context(), questions(1, 2)...))
	}
	call("the first model")
	j.wantAsked("the first model", 2)
	j.configure("openai:gpt-4o-mini", db, "")
	j.restart()
	call("another model")
	j.wantAsked("another model", 4)
	j.configure("openai:gpt-4o", db, "")
	j.restart()
	call("the first model again")
	j.wantAsked("the first model again", 4)
}

// killed kills servers while they work: one that has replied, and one whose judge has not answered.
func killed(t *testing.T) {
	reached, release := make(chan struct{}, 10), make(chan struct{})
	var once sync.Once
	free := func() { once.Do(func() { close(release) }) }
	e := backendtest.NewEndpoint(t, func(c backendtest.Call) backendtest.Answer {
		if strings.Contains(c.Prompt, "harbour 3?") {
			reached <- struct{}{}
			<-release
		}
		return correct(c)
	})
	t.Cleanup(free)
	dir := t.TempDir()
	j := &judgedServer{t: t, judge: e, config: filepath.Join(dir, "badger.yaml")}
	j.configure("openai:gpt-4o", filepath.Join(dir, "w.duckdb"), "")

	kill := j.process()
	wantOnes(t, "before", 2)(j.snowflake("a").Call(t.Context(), questions(1, 2)...))
	kill()
	j.wantAsked("before", 2)

	kill = j.process()
	wantOnes(t, "after a kill", 2)(j.snowflake("a").Call(t.Context(), questions(2, 1)...))
	j.wantAsked("what was replied is in the ledger", 2)
	gone := make(chan error, 1)
	once3 := j.snowflake("b")
	once3.Service = true // gives up soon, as the one who calls is of no interest
	go func() {
		_, err := once3.Call(context.Background(), questions(1, 3)...)
		gone <- err
	}()
	<-reached
	kill()
	if err := <-gone; err == nil {
		t.Error("a killed server replied")
	}
	before := j.asked()
	free()
	// What a killed process has claimed is free after a minute.
	j.startAt(func() time.Time { return time.Now().Add(2 * time.Minute) })
	wantOnes(t, "sent again", 2)(j.snowflake("b").Call(t.Context(), questions(1, 3)...))
	if n := j.asked() - before; n > 1 {
		t.Errorf("sent again: the judge was asked %d times more, want once at most", n)
	}
}

// process starts a server in a process of its own, on the configuration; kill ends it as a crash
// does.
func (j *judgedServer) process() (kill func()) {
	j.t.Helper()
	cmd := exec.Command(os.Args[0])
	dir := j.t.TempDir()
	program := filepath.Join(dir, "badger") // the name by which a test program is the command
	if err := os.Symlink(os.Args[0], program); err != nil {
		j.t.Fatal(err)
	}
	cmd.Path, cmd.Args = program, []string{program, "serve", "--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0", "--config", j.config}
	cmd.Env = append(os.Environ(), "JUDGE_KEY="+testKey)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		j.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		j.t.Fatal(err)
	}
	ended := false
	kill = func() {
		if !ended {
			ended = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	j.t.Cleanup(kill)
	in := bufio.NewReader(stderr)
	first, err := in.ReadString('\n')
	addrs := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindAllString(first, 2)
	if err != nil || len(addrs) != 2 {
		j.t.Fatalf("%q, %v", first, err)
	}
	go func() { _, _ = io.Copy(io.Discard, in) }()
	j.grpc, j.http = addrs[0], "http://"+addrs[1]
	return kill
}

func equalRows(t *testing.T) {
	j := asking(t, slowly, "")
	wantOnes(t, "a batch", 6)(j.snowflake("a").Call(t.Context(), questions(1, 2, 1, 1, 2, 1)...))
	j.wantAsked("six rows of two kinds", 2)
}

func withoutID(t *testing.T) {
	j := asking(t, slowly, "")
	together(4, func(int) {
		c := j.snowflake("")
		c.Service = true
		wantOnes(t, "a retry storm", 3)(c.Call(t.Context(), questions(1, 2, 3)...))
	})
	j.wantAsked("the same body four times", 3)
}

func requestIDs(t *testing.T) {
	j := asking(t, correct, "")
	b := &callers.BigQuery{URL: j.http + "/v1/bigquery/flex"} // each call has another requestId
	wantOnes(t, "first", 2)(b.Call(t.Context(), questions(1, 2)...))
	wantOnes(t, "another request id", 2)(b.Call(t.Context(), questions(1, 2)...))
	j.wantAsked("another request id", 2)
	for n := range 3 {
		body, err := json.Marshal(map[string]any{"requestId": "the-same", "calls": questions(n)})
		if err != nil {
			t.Fatal(err)
		}
		if got := post(t, j.http+"/v1/bigquery/flex", body); got != `{"replies":[1]}` {
			t.Errorf("%s", got)
		}
	}
	j.wantAsked("other calls under the same request id", 3)
}

func twentyAttempts(t *testing.T) {
	j := asking(t, correct, "")
	b := &callers.BigQuery{URL: j.http + "/v1/bigquery/flex_json"}
	var first []byte
	for range callers.BigQueryAttempts {
		c, err := b.Call(t.Context(), questions(1, 2)...)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = c.Reply
		}
		if !bytes.Equal(first, c.Reply) {
			t.Errorf("replies differ:\n%s\n%s", first, c.Reply)
		}
	}
	j.wantAsked("twenty attempts", 2)
}

// client is a Flight client of the server.
func (j *judgedServer) client() flight.Client {
	j.t.Helper()
	conn, err := grpc.NewClient(j.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		j.t.Fatal(err)
	}
	j.t.Cleanup(func() { _ = conn.Close() })
	return flight.NewClientFromConn(conn, nil)
}

// record is rows of text as Flight sends them.
func record(rows [][]any) arrow.Record {
	fields := make([]arrow.Field, len(rows[0]))
	arrays := make([]arrow.Array, len(fields))
	for k := range fields {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		for _, r := range rows {
			b.Append(r[k].(string))
		}
		fields[k], arrays[k] = arrow.Field{Name: fmt.Sprint("arg", k+1), Type: arrow.BinaryTypes.String, Nullable: true}, b.NewArray()
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), arrays, int64(len(rows)))
}

func nineAttempts(t *testing.T) {
	j := asking(t, slowly, "")
	block := record(questions(1, 2, 3))
	client := j.client()
	together(9, func(int) {
		d := &callers.Databend{Client: client, Handler: "flex", Result: arrow.Field{Type: arrow.PrimitiveTypes.Float64, Nullable: true}}
		wantOnes(t, "a block", 3)(d.Call(t.Context(), block))
	})
	j.wantAsked("a block and its eight retries", 3)
}

func redshiftAgain(t *testing.T) {
	j := asking(t, slowly, "")
	r := &callers.Redshift{Function: "badger.flex", Invoke: func(ctx context.Context, payload []byte) ([]byte, error) { // as the Lambda function does
		var event struct {
			Arguments json.RawMessage `json:"arguments"`
		}
		if err := json.Unmarshal(payload, &event); err != nil {
			return nil, err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, j.http+"/v1/functions/flex", strings.NewReader(`{"rows":`+string(event.Arguments)+`}`))
		if err != nil {
			return nil, err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		var reply struct{ Results []json.RawMessage }
		if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil || resp.StatusCode != http.StatusOK {
			return nil, errors.Join(err, fmt.Errorf("status %d", resp.StatusCode))
		}
		return json.Marshal(map[string]any{"success": true, "num_records": len(reply.Results), "results": reply.Results})
	}}
	defer http.DefaultClient.CloseIdleConnections()
	together(4, func(int) { wantOnes(t, "at once", 2)(r.Call(t.Context(), questions(1, 2)...)) })
	wantOnes(t, "again", 2)(r.Call(t.Context(), questions(1, 2)...))
	j.wantAsked("a request sent again", 2)
}
