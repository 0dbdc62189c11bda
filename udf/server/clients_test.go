package server

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// curl calls the HTTP forms: plain and compressed, and the probes.
func TestCurl(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("there is no curl")
	}
	s := start(t, newCatalogue(t), nil)
	for _, tc := range []struct {
		why, path, in string
		args          []string
		want          string
	}{
		{"Snowflake's form", "/v1/snowflake/same_text", `{"data":[[0,"a","a"],[5,"a","b"]],"more":1}`, nil, `{"data":[[0,1],[5,0]]}`},
		{"a compressed body", "/v1/snowflake/same_text", string(gzipOf([]byte(`{"data":[[0,"a","a"]]}`))), []string{"-H", "Content-Encoding: gzip"}, `{"data":[[0,1]]}`},
		{"a compressed reply", "/v1/snowflake/same_text", `{"data":[[0,"a","a"]]}`, []string{"--compressed"}, `{"data":[[0,1]]}`},
		{"the plain form", "/v1/functions/badger_echo", `{"rows":[["é😀"],[9007199254740993],[null]]}`, nil, `{"results":["é😀","9007199254740993",null]}`},
		{"a refusal", "/v1/functions/same_txt", `{}`, []string{"-w", "%{http_code} %{content_type}", "-o", os.DevNull}, "400 application/json"},
		{"a probe", "/health/ready", "", []string{"-X", "GET"}, `{"status":"ready"}`},
	} {
		cmd := exec.CommandContext(t.Context(), curl, append([]string{"-sS", "--data-binary", "@-", s.url + tc.path}, tc.args...)...)
		cmd.Stdin = strings.NewReader(tc.in)
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != tc.want {
			t.Errorf("%s: %v, got %s, want %s", tc.why, err, out, tc.want)
		}
	}
}

// grpcurl finds the service by reflection and calls it. BADGER_GRPCURL is the program.
func TestGrpcurl(t *testing.T) {
	program := os.Getenv("BADGER_GRPCURL")
	if program == "" {
		t.Skip("BADGER_GRPCURL is not set: the program grpcurl")
	}
	s := start(t, newCatalogue(t), &Options{})
	run := func(in string, args ...string) []byte {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, append([]string{"-plaintext"}, args...)...)
		cmd.Stdin = strings.NewReader(in)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
		return out
	}
	if got := run("", s.addr, "list"); !bytes.Contains(got, []byte("badger.v1.Scoring")) || !bytes.Contains(got, []byte("arrow.flight.protocol.FlightService")) {
		t.Errorf("services: %s", got)
	}
	var reply struct {
		Result struct{ Doubles struct{ Values []float64 } }
	}
	out := run(`{"function":"same_text","arguments":[{"texts":{"values":["a","b"]}},{"texts":{"values":["a","c"]}}]}`, "-d", "@", s.addr, "badger.v1.Scoring/Call")
	if err := json.Unmarshal(out, &reply); err != nil || len(reply.Result.Doubles.Values) != 2 || reply.Result.Doubles.Values[0] != 1 || reply.Result.Doubles.Values[1] != 0 {
		t.Errorf("%s, %v", out, err)
	}
	if got := run("", s.addr, "grpc.health.v1.Health/Check"); !bytes.Contains(got, []byte("SERVING")) {
		t.Errorf("health: %s", got)
	}
	// protocol_version, as RisingWave asks for it: one byte, 2.
	if got := run(`{"type":"protocol_version"}`, "-d", "@", s.addr, "arrow.flight.protocol.FlightService/DoAction"); !bytes.Contains(got, []byte(`"Ag=="`)) {
		t.Errorf("protocol_version: %s", got)
	}
}
