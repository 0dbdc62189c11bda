package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// answering is a server of functions: each result is the first argument of its row, and answer may reply otherwise.
func answering(t *testing.T, answer func(w http.ResponseWriter, rows []json.RawMessage) bool) (url string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var in struct{ Rows []json.RawMessage }
		if err := json.Unmarshal(body, &in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if answer != nil && answer(w, in.Rows) {
			return
		}
		results := make([]json.RawMessage, len(in.Rows))
		for i, row := range in.Rows {
			var args []json.RawMessage
			if err := json.Unmarshal(row, &args); err != nil {
				t.Error(err)
			}
			results[i] = args[0]
		}
		json.NewEncoder(w).Encode(map[string]any{"results": results}) //nolint:errcheck // a test
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func callOf(t *testing.T, input string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), append([]string{"call"}, args...), process{getenv: func(string) string { return "" },
		stdin: strings.NewReader(input), stdout: &out, stderr: &errs})
	return code, out.String(), errs.String()
}

// A line gives a line, in the same order, and values keep their spelling; JSON becomes a string.
func TestCall(t *testing.T) {
	t.Parallel()
	url := answering(t, nil)
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"numbers keep their digits", "[0.10]\n[1e400]\n[12345678901234567890]\n", "[0.10]\n[1e400]\n[12345678901234567890]\n"},
		{"tabs, line breaks, Unicode, NULL", `["a\tb\nc ü \u0000"]` + "\n[null]\n", `["a\tb\nc ü \u0000"]` + "\n[null]\n"},
		{"JSON is a string", `[{"a":[1,"x"]}]` + "\n", `["{\"a\":[1,\"x\"]}"]` + "\n"},
		{"a last line without its end", "[1]\n[2]", "[1]\n[2]\n"},
		{"spaces around", " [1] \r\n", "[1]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := callOf(t, c.in, "f", "--to", url)
			if code != exitDone || out != c.want {
				t.Errorf("exit %d, %s\n%q, want %q", code, errs, out, c.want)
			}
		})
	}
	for _, in := range []string{"5\n", "{}\n", "[1\n", "[1]\n\n", "[1] [2]\n"} {
		if code, _, errs := callOf(t, in, "f", "--to", url); code != exitFail || !strings.Contains(errs, "expected a JSON array of arguments") {
			t.Errorf("%q: exit %d, %s", in, code, errs)
		}
	}
}

// A caller that waits for each result gets it.
func TestCallAnswersEachLine(t *testing.T) {
	t.Parallel()
	url := answering(t, nil)
	in, write := io.Pipe()
	read, out := io.Pipe()
	ended := make(chan int)
	go func() {
		code := run(t.Context(), []string{"call", "f", "--to", url}, process{getenv: func(string) string { return "" },
			stdin: in, stdout: out, stderr: io.Discard})
		out.Close()
		ended <- code
	}()
	for i := range 3 {
		line := fmt.Sprintf("[%d]\n", i)
		if _, err := io.WriteString(write, line); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(line))
		if _, err := io.ReadFull(read, got); err != nil || string(got) != line {
			t.Fatalf("%q, %v", got, err)
		}
	}
	write.Close()
	if code := <-ended; code != exitDone {
		t.Errorf("exit %d", code)
	}
}

// Requests are repeated while the server is overloaded; a row that is too large is NULL, and its neighbors are scored.
func TestCallOfAnOverloadedServer(t *testing.T) {
	t.Parallel()
	var calls, most atomic.Int64
	url := answering(t, func(w http.ResponseWriter, rows []json.RawMessage) bool {
		most.Store(max(most.Load(), int64(len(rows))))
		switch n := calls.Add(1); {
		case n == 1:
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		case strings.Contains(fmt.Sprintf("%s", rows), "large"):
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"error":{"code":"resource_exhausted"},"status":"failed"}`) //nolint:errcheck // a test
			return true
		}
		return false
	})
	in := strings.Repeat("[1]\n", 5) + "[\"large\"]\n" + strings.Repeat("[2]\n", 5)
	code, out, errs := callOf(t, in, "f", "--to", url, "--rows", "4")
	if want := strings.Repeat("[1]\n", 5) + "[null]\n" + strings.Repeat("[2]\n", 5); code != exitDone || out != want {
		t.Errorf("exit %d, %s\n%s", code, errs, out)
	}
	if most.Load() != 4 {
		t.Errorf("%d rows in a request, want at most 4", most.Load())
	}
	if code, out, _ := callOf(t, "[\"large\"]\n", "f_json", "--to", url); code != exitDone || !strings.Contains(out, "resource_exhausted") {
		t.Errorf("exit %d, %s", code, out)
	}
}

func TestCallRejects(t *testing.T) {
	t.Parallel()
	wrong := answering(t, func(w http.ResponseWriter, _ []json.RawMessage) bool {
		io.WriteString(w, `{"results":[]}`) //nolint:errcheck // a test
		return true
	})
	moved := answering(t, func(w http.ResponseWriter, _ []json.RawMessage) bool {
		w.WriteHeader(http.StatusForbidden)
		return true
	})
	bad := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(bad, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{exitUsage, "--to: expected a URL", []string{"f", "--to", "badger:7434"}},
		{exitUsage, "sends the token and results as plain text", []string{"f", "--to", "http://badger.example.com"}},
		{exitUsage, "--rows: expected 1 to 100000", []string{"f", "--to", wrong, "--rows", "100001"}},
		{exitUsage, "--ca: expected certificates in PEM", []string{"f", "--to", wrong, "--ca", bad}},
		{exitUsage, "--token-file: ", []string{"f", "--to", wrong, "--token-file", bad + ".missing"}},
		{exitFail, "expected 1 results", []string{"f", "--to", wrong}},
		{exitFail, "HTTP status 403", []string{"f", "--to", moved}},
	} {
		if code, _, errs := callOf(t, "[1]\n", c.args...); code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d, %s; want %d and %q", c.args, code, errs, c.code, c.want)
		}
	}
}

// A reply that is too long would be as long again, so it is not asked for twice.
func TestCallDoesNotRepeatLongReplies(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	url := answering(t, func(w http.ResponseWriter, _ []json.RawMessage) bool {
		calls.Add(1)
		part := bytes.Repeat([]byte(" "), 1<<20)
		for range 64 {
			w.Write(part) //nolint:errcheck // the client may have ended
		}
		io.WriteString(w, " ") //nolint:errcheck // the client may have ended
		return true
	})
	code, _, errs := callOf(t, "[1]\n", "f", "--to", url)
	if code != exitUsage || !strings.Contains(errs, url) || !strings.Contains(errs, "longer than 64 MiB; send fewer rows with --rows") {
		t.Errorf("exit %d, %s", code, errs)
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}
