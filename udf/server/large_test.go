package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/apache/arrow/go/v17/arrow/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// A call that is too large by itself is refused for good, by a message and a log that name the setting; one that is too
// large next to others is asked for again. Both sides of each border are tried.
func TestTooLargeCallsNameTheSetting(t *testing.T) {
	var log lines
	const message, body = 64 << 10, 32 << 10
	s := start(t, newCatalogue(t), &Options{
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Limits: Limits{Message: message, Body: body, InFlight: 1 << 20, Rows: 500, Caller: CallerLimits{InFlight: 400 << 10}},
	})
	databend := metadata.AppendToOutgoingContext(t.Context(), "x-databend-tenant", "t1")
	exchange := func(ctx context.Context, rows, bytes int) error {
		col := make([]string, rows)
		for i := range col {
			col[i] = strings.Repeat("x", bytes)
		}
		_, values, err := tryExchange(ctx, flight.NewClientFromConn(dial(t, s.addr), nil), "same_text", textRecord(col, col))
		if err == nil && (len(values) != rows || values[rows-1] != "1") {
			t.Errorf("%d rows of %d bytes: %d results", rows, bytes, len(values))
		}
		return err
	}
	const advice = "SET external_server_request_batch_rows in Databend"
	for _, tc := range []struct {
		why         string
		ctx         context.Context
		rows, bytes int
		setting     string // "": the call succeeds
		advice      bool
	}{
		{"a message that fits", databend, 2, message/4 - 500, "", false},
		{"a message that does not", databend, 2, message/4 + 1, "limits.message_bytes", true},
		{"a message of another client", t.Context(), 2, message/4 + 1, "limits.message_bytes", false},
		{"rows that fit", databend, 500, 1, "", false},
		{"a row too many", databend, 501, 1, "limits.batch_rows", true},
	} {
		err := exchange(tc.ctx, tc.rows, tc.bytes)
		switch {
		case tc.setting == "" && err != nil:
			t.Errorf("%s: %v", tc.why, err)
		case tc.setting == "":
		case status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), tc.setting) || strings.Contains(err.Error(), advice) != tc.advice || strings.Contains(err.Error(), "try again"):
			t.Errorf("%s: %v, want %s", tc.why, err, tc.setting)
		}
	}
	rows := func(n, bytes int) string {
		return `{"rows":[` + strings.TrimSuffix(strings.Repeat(`["`+strings.Repeat("y", bytes)+`","a"],`, n), ",") + `]}`
	}
	fits := `{"rows":[["` + strings.Repeat("y", body-len(`{"rows":[["","a"]]}`)) + `","a"]]}`
	for _, tc := range []struct{ why, body, setting string }{
		{"a body that fits", fits, ""}, {"a body of a byte more", fits + " ", "limits.body_bytes"},
		{"rows that fit", rows(500, 1), ""}, {"a row too many", rows(501, 1), "limits.batch_rows"},
	} {
		code, reply, _ := post(t, s.url+"/v1/functions/same_text", tc.body)
		if tc.setting == "" && code != http.StatusOK || tc.setting != "" && (code != http.StatusBadRequest || !strings.Contains(reply, tc.setting) || !strings.Contains(reply, `"resource_exhausted"`)) {
			t.Errorf("%s: %d %.300s, want %s", tc.why, code, reply, tc.setting)
		}
	}
	for _, want := range []string{"limits.message_bytes", "limits.batch_rows", "limits.body_bytes"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, log.String())
		}
	}
	if strings.Contains(log.String(), "cancelled") {
		t.Errorf("the log:\n%s", log.String())
	}
}

// Memory that a caller may never have is refused for good. Memory that another call of it has is asked for again.
func TestMemoryThatACallerNeverHas(t *testing.T) {
	a := newAdmission(Limits{InFlight: 100, Calls: 10, Caller: CallerLimits{Calls: 10, InFlight: 60}})
	one, two := a.of("x"), a.of("x")
	if err := one.Hold(40); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		n     int64
		again bool // the error asks to try again
	}{{60, true}, {21, true}, {61, false}, {1000, false}} {
		err := two.Hold(tc.n)
		if err == nil || strings.Contains(err.Error(), "try again") != tc.again || strings.Contains(err.Error(), "limits.caller.memory_bytes") == tc.again {
			t.Errorf("%d bytes next to 40 of 60: %v", tc.n, err)
		}
	}
	if err := one.Hold(21); err == nil || strings.Contains(err.Error(), "try again") { // with its own 40
		t.Errorf("a call of 61: %v", err)
	}
	if err := one.Hold(20); err != nil {
		t.Errorf("a call of 60: %v", err)
	}
	one.end()
	if err := two.holdLarge(60); err != nil { // a message may use all
		t.Errorf("a message of 60: %v", err)
	}
	two.end()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := (waiting{a.of("x"), t.Context()}).Hold(61); err == nil || time.Since(began) != 0 {
			t.Errorf("a stream waits %v for memory that it never gets: %v", time.Since(began), err)
		}
	})
}

// Servers that share nothing never ask a caller to poll, since the poll could reach the other one: a batch that is not
// done is sent again, and each server asks its judge once.
func TestSlowBatchesOfServersThatShareNothing(t *testing.T) {
	o := &Options{Timeouts: map[string]time.Duration{"snowflake": 20 * time.Millisecond}}
	slow := []*slowJudge{newSlow(300 * time.Millisecond), newSlow(300 * time.Millisecond)}
	servers := []*running{start(t, slowCatalogue(t, slow[0], nil), o), start(t, slowCatalogue(t, slow[1], nil), o)}
	const path, body = "/v1/snowflake/slow_json", `{"data":[[0,"one",1],[7,"two"]]}`
	_, want, _ := post(t, start(t, slowCatalogue(t, newSlow(0), nil), nil).url+path, body)
	seen := map[string]int{}
	for i := 0; len(seen) < 2 || seen["200 of 0"]+seen["200 of 1"] < 2; i++ {
		code, reply, h := post(t, servers[i%2].url+path, body, batchID, "B7")
		switch {
		case code == http.StatusServiceUnavailable && h.Get("Retry-After") != "" && strings.Contains(reply, "send it again"):
		case code == http.StatusOK && reply == want:
		default:
			t.Fatalf("%d %s", code, reply)
		}
		seen[fmt.Sprintf("%d of %d", code, i%2)]++
	}
	if seen["503 of 0"] == 0 || seen["503 of 1"] == 0 {
		t.Errorf("no batch was late: %v", seen)
	}
	for i, j := range slow {
		if n := j.most(); n != 1 {
			t.Errorf("server %d asked a question %d times", i, n)
		}
	}
}
