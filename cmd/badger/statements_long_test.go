//go:build !no_duckdb

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/badger-eval/badger/internal/fake/callers"
	"github.com/badger-eval/badger/judgebackend/backendtest"
)

// held is a judge that answers only once it is released: it stands for one that takes minutes.
type held struct {
	asked   chan struct{}
	release chan struct{}
}

func newHeld() *held { return &held{make(chan struct{}, 100), make(chan struct{})} }

func (h *held) answer(c backendtest.Call) backendtest.Answer {
	h.asked <- struct{}{}
	<-h.release
	return correct(c)
}

// brief are the times after which callers are told to come again.
const brief = "timeouts: {snowflake: 100ms}\n"

const polledID = "01c0aaaa-0000-1111-0000-222233334444:3:1:0:7"

// exchange sends one request of Snowflake's, without what the simulator makes of it.
func exchange(t *testing.T, method, url, id, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("sf-external-function-query-batch-id", id)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func bodyOf(t *testing.T, rows [][]any) string {
	t.Helper()
	for i := range rows {
		rows[i] = append([]any{i}, rows[i]...)
	}
	b, err := json.Marshal(map[string]any{"data": rows})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A long batch is polled for, and its reply has the bytes of a synchronous one.
func polled(t *testing.T) {
	h := newHeld()
	j := asking(t, h.answer, brief)
	go func() {
		<-h.asked
		for n := 0; n < 2; { // polls that were told to come again
			status, _ := exchange(t, http.MethodGet, j.http+"/v1/snowflake/flex_json", polledID, "")
			if status == http.StatusAccepted {
				n++
			}
			time.Sleep(time.Millisecond)
		}
		close(h.release)
	}()
	s := j.snowflake(polledID)
	s.URL = j.http + "/v1/snowflake/flex_json"
	c, err := s.Call(t.Context(), questions(1, 2)...)
	if err != nil || len(c.Results) != 2 || c.Attempts[0] != (callers.Attempt{Method: "POST", Status: 202}) || c.Posts() != 1 {
		t.Fatalf("%s, %v, %v; want a POST that is accepted, and GETs", c.Results, c.Attempts, err)
	}
	again := j.snowflake(polledID + ":other") // answered by the ledger, at once
	again.URL = s.URL
	sync, err := again.Call(t.Context(), questions(1, 2)...)
	if err != nil || len(sync.Attempts) != 1 || string(sync.Reply) != string(c.Reply) {
		t.Errorf("synchronous %s (%v, %v)\npolled      %s", sync.Reply, sync.Attempts, err, c.Reply)
	}
	lost, err := s.Call(t.Context(), questions(1, 2)...)
	if err != nil || string(lost.Reply) != string(c.Reply) {
		t.Errorf("sent again: %s, %v", lost.Reply, err)
	}
	j.wantAsked("a batch that is polled for", 2)
}

// What is sent again while it runs starts nothing; afterwards it gets the stored bytes.
func sentAgain(t *testing.T) {
	h := newHeld()
	j := asking(t, h.answer, brief)
	url, body := j.http+"/v1/snowflake/flex", bodyOf(t, questions(1))
	for range 3 {
		if status, reply := exchange(t, http.MethodPost, url, polledID, body); status != http.StatusAccepted {
			t.Errorf("while it runs: %d %s", status, reply)
		}
	}
	close(h.release)
	if got := await(t, url, polledID); got != `{"data":[[0,1]]}` {
		t.Errorf("done: %s", got)
	}
	if status, reply := exchange(t, http.MethodPost, url, polledID, body); status != http.StatusOK || reply != `{"data":[[0,1]]}` {
		t.Errorf("sent again: %d %s", status, reply)
	}
	j.wantAsked("a batch sent four times", 1)
}

// await polls until there is a reply.
func await(t *testing.T, url, id string) string {
	t.Helper()
	for {
		status, reply := exchange(t, http.MethodGet, url, id, "")
		if status == http.StatusAccepted {
			time.Sleep(5 * time.Millisecond)
			continue
		}
		if status != http.StatusOK {
			t.Fatalf("polling: %d %s", status, reply)
		}
		return reply
	}
}

// A replica that shares the warehouse answers for a batch that it never saw.
func otherReplica(t *testing.T) {
	h := newHeld()
	j := asking(t, h.answer, brief)
	here := j.http
	status, reply := exchange(t, http.MethodPost, here+"/v1/snowflake/flex", polledID, bodyOf(t, questions(1)))
	if status != http.StatusAccepted {
		t.Fatalf("%d %s", status, reply)
	}
	other := &judgedServer{t: t, judge: j.judge, config: j.config}
	other.start()
	close(h.release)
	first, second := await(t, here+"/v1/snowflake/flex", polledID), await(t, other.http+"/v1/snowflake/flex", polledID)
	if first != `{"data":[[0,1]]}` || second != first {
		t.Errorf("here %s, at the other replica %s", first, second)
	}
	for _, url := range []string{here, other.http} {
		if status, reply := exchange(t, http.MethodGet, url+"/v1/snowflake/flex", polledID+":unknown", ""); status != http.StatusGone {
			t.Errorf("an unknown id: %d %s, want 410", status, reply)
		}
	}
	j.wantAsked("two replicas", 1)
}

// What is known of a batch survives a restart for twelve hours; rows are in the ledger for good.
func twelveHours(t *testing.T) {
	h := newHeld()
	j := asking(t, h.answer, brief)
	if status, reply := exchange(t, http.MethodPost, j.http+"/v1/snowflake/flex", polledID, bodyOf(t, questions(1))); status != http.StatusAccepted {
		t.Fatalf("%d %s", status, reply)
	}
	close(h.release)
	want := await(t, j.http+"/v1/snowflake/flex", polledID)
	at := time.Now()
	for _, tc := range []struct {
		later  time.Duration
		status int
	}{{11*time.Hour + 55*time.Minute, http.StatusOK}, {24 * time.Hour, http.StatusGone}} {
		if code := j.stop(); code != exitDone {
			t.Fatalf("exit code %d", code)
		}
		j.startAt(func() time.Time { return at.Add(tc.later) })
		status, reply := exchange(t, http.MethodGet, j.http+"/v1/snowflake/flex", polledID, "")
		if status != tc.status || status == http.StatusOK && reply != want {
			t.Errorf("after %v: %d %s, want %d", tc.later, status, reply, tc.status)
		}
	}
	wantOnes(t, "a new statement a day later", 1)(j.snowflake("new").Call(t.Context(), questions(1)...))
	j.wantAsked("a day later", 1)
}

// Another body under a known id is refused, while the first one runs and afterwards.
func otherBody(t *testing.T) {
	h := newHeld()
	j := asking(t, h.answer, brief)
	url := j.http + "/v1/snowflake/flex"
	first, second := bodyOf(t, questions(1)), bodyOf(t, questions(2))
	if status, reply := exchange(t, http.MethodPost, url, polledID, first); status != http.StatusAccepted {
		t.Fatalf("%d %s", status, reply)
	}
	refused := func(when string) {
		t.Helper()
		s := j.snowflake(polledID)
		c, err := s.Send(t.Context(), []byte(second), 1)
		var r *callers.Refused
		if !errors.As(err, &r) || r.Status != http.StatusBadRequest || r.Attempts != 1 {
			t.Errorf("%s: %s, %v", when, c.Reply, err)
		}
	}
	refused("while it runs")
	close(h.release)
	await(t, url, polledID)
	refused("afterwards")
	j.wantAsked("another body", 1)
}

// A caller that has five seconds submits a row and fetches its result later.
func submitAndFetch(t *testing.T) {
	h := newHeld()
	j := asking(t, h.answer, "")
	client := j.client()
	text := arrow.Field{Type: arrow.BinaryTypes.String, Nullable: true}
	jsonb := arrow.Field{Type: arrow.BinaryTypes.String, Nullable: true, Metadata: arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{"arrowudf.json"})}
	submit := &callers.RisingWave{Client: client, Name: "flex_submit", Args: []arrow.Field{text, text, text}, Result: text}
	fetch := &callers.RisingWave{Client: client, Name: "flex_fetch", Args: []arrow.Field{text}, Result: jsonb}
	for _, f := range []*callers.RisingWave{submit, fetch} {
		if err := f.Create(t.Context()); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
	}
	// The simulator gives each call five seconds; the judge answers none of them meanwhile.
	tickets, err := submit.Call(t.Context(), record(questions(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]any
	for _, ticket := range tickets.Results {
		var s string
		if err := json.Unmarshal(ticket, &s); err != nil || s == "" {
			t.Fatalf("ticket %s", ticket)
		}
		rows = append(rows, []any{s})
	}
	<-h.asked
	pending, err := fetch.Call(t.Context(), record(rows))
	if err != nil || strings.Count(fmt.Sprintf("%s", pending.Results), `\"status\":\"pending\"`) != 2 {
		t.Errorf("before the judge answered: %s, %v", pending.Results, err)
	}
	again, err := submit.Call(t.Context(), record(questions(1, 2)))
	if err != nil || fmt.Sprintf("%s", again.Results) != fmt.Sprintf("%s", tickets.Results) {
		t.Errorf("submitted again: %s, %v", again.Results, err)
	}
	close(h.release)
	for {
		done, err := fetch.Call(t.Context(), record(rows))
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%s", done.Results)
		if strings.Contains(text, "pending") {
			time.Sleep(5 * time.Millisecond)
			continue
		}
		if strings.Count(text, `\"value\":1`) != 2 {
			t.Errorf("after the judge answered: %s", text)
		}
		break
	}
	j.wantAsked("submitted twice, fetched often", 2)
}
