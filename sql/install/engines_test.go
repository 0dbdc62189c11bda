package install_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/badger-eval/badger/internal/fake/port"
)

// engineServer is badger serve in a process, which can be killed and started again at its addresses.
type engineServer struct {
	t          *testing.T
	bin, log   string
	grpc, http string
	cmd        *exec.Cmd
	kills      int
}

func (s *engineServer) start() {
	s.t.Helper()
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	defer log.Close()
	s.cmd = badgerCommand(s.bin, "serve", "--grpc", s.grpc, "--http", s.http)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	for range 600 {
		if r, err := http.Get("http://" + s.http + "/readyz"); err == nil {
			r.Body.Close()
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.t.Fatal("badger serve does not answer")
}

func (s *engineServer) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// calls is the number of calls in the log.
func (s *engineServer) calls() int {
	text, _ := os.ReadFile(s.log)
	return bytes.Count(text, []byte(`"msg":"call"`))
}

// busy reports whether a call is in progress.
func (s *engineServer) busy() bool {
	r, err := http.Get("http://" + s.http + "/metrics")
	if err != nil {
		return false
	}
	defer r.Body.Close()
	text, _ := io.ReadAll(r.Body)
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("badger_calls_in_flight")) && !bytes.HasSuffix(bytes.TrimSpace(line), []byte(" 0")) {
			return true
		}
	}
	return false
}

// during calls f, and kills the server and starts it again once it has answered a few calls of f, or has been busy
// with a long one.
func (s *engineServer) during(f func()) {
	before, done, ended := s.calls(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for busy := 0; s.calls() < before+5 && busy < 20; {
			if s.busy() {
				busy++
			} else {
				busy = 0
			}
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
		s.kill()
		s.kills++
		s.start()
	}()
	f()
	close(done)
	<-ended
}

// pair is one answer: the results are texts, as a column holds them; nil is NULL.
type pair struct {
	ID     string  `json:"id"`
	Agent  string  `json:"agent"`
	Gold   *string `json:"gold"`
	Result *string `json:"result"`
	bad    bool    // no result, or none that can be read
}

// enginePairs are the answers of three agents to 50 questions. The first spells the same data in another way, the
// second has other values, the third other rows. Values are nested; some answers are large, malformed or missing.
func enginePairs() (out []pair) {
	for q := range 50 {
		rows := 3 + q%5
		if q%16 == 7 {
			rows = 300
		}
		result := func(space string, cell func(r int) string, order func(r int) int) string {
			var b strings.Builder
			b.WriteString(`{"columns":` + space + `["k","v","n"],` + space + `"rows":` + space + `[`)
			for i := range rows {
				r := order(i)
				if i > 0 {
					b.WriteString("," + space)
				}
				fmt.Fprintf(&b, `["k%d",%s%s,%s{"a":%s[%d,%s2.50,%s{"b":%s"x\u00e9"}]}]`, r, space, cell(r), space, space, q, space, space, space)
			}
			return b.String() + "]}"
		}
		same := func(r int) int { return r }
		value := func(r int) string { return strconv.Itoa(q*1000 + r) }
		gold := result("", value, same)
		for a, answer := range []string{
			result(" ", func(r int) string { return value(r) + ".0" }, same),
			result("", func(r int) string { return strconv.Itoa(q*1000 + r + r%2*q%3) }, same),
			result("\n", value, func(r int) int { return (r + 1 + q%2) % rows }),
		} {
			p := pair{ID: fmt.Sprintf("q%02d-a%d", q, a), Agent: fmt.Sprint("agent", a), Gold: &gold, Result: &answer}
			switch (q*3 + a) % 25 {
			case 4:
				broken := answer[:len(answer)/2]
				p.Result, p.bad = &broken, true
			case 9:
				p.Result, p.bad = nil, true
			case 14:
				text := "tab\there, line\nbreak, \u00fc and \"quotes\""
				p.Result, p.bad = &text, true
			}
			out = append(out, p)
		}
	}
	return out
}

func hexOf(x float64) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], math.Float64bits(x))
	return hex.EncodeToString(b[:])
}

var engineFunctions = []string{"hybrid_ex", "ex_multiset", "row_f1"}

// TestEngines computes scores over every path from an engine to badger that can run here, with the server killed in
// the middle of each, and compares the values byte by byte with those of badger run. It needs the program, in
// BADGER_ENGINES, and for most paths a Python with their packages, in BADGER_ENGINES_PYTHON: see make engines.
func TestEngines(t *testing.T) {
	bin, python := os.Getenv("BADGER_ENGINES"), os.Getenv("BADGER_ENGINES_PYTHON")
	if bin == "" {
		t.Skip("BADGER_ENGINES does not name the program badger; make engines does")
	}
	count, err := strconv.Atoi(os.Getenv("BADGER_ENGINES_ROWS"))
	if err != nil || count < 1 {
		count = 2000
	}
	dir := t.TempDir()
	s := &engineServer{t: t, bin: bin, log: filepath.Join(dir, "serve.log"), grpc: port.Unused(t), http: port.Unused(t)}
	s.start()
	defer s.kill()
	pairs := enginePairs()
	var lines, cases bytes.Buffer
	for i := range pairs {
		p := &pairs[i]
		line, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
		if !p.bad {
			fmt.Fprintf(&cases, `{"case_id":%q,"gold":{"sql":"SELECT 1","result":%s},"agent":{"name":%q,"version":"1","sql":"SELECT 2","result":%s}}`+"\n",
				p.ID, oneLine(*p.Gold), p.Agent, oneLine(*p.Result))
		}
	}
	for name, text := range map[string][]byte{"pairs.jsonl": lines.Bytes(), "cases.jsonl": cases.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := runScores(t, bin, dir, pairs)
	all := make([]string, 0, count+2*len(pairs))
	for i := range count {
		all = append(all, want["hybrid_ex"][i%len(pairs)])
	}
	all = append(append(all, want["ex_multiset"]...), want["row_f1"]...)
	if distinct := slices.Compact(slices.Sorted(slices.Values(all))); len(distinct) < 4 {
		t.Fatalf("the answers have only the values %q", distinct)
	}

	var report bytes.Buffer
	table := tabwriter.NewWriter(&report, 0, 8, 2, ' ', 0)
	fmt.Fprintf(table, "path\tvalues\tNULL\tdifferent\tserver killed\tseconds\n")
	path := func(name string, f func(t *testing.T) []string) {
		ran := false
		t.Run(name, func(t *testing.T) {
			began, kills := time.Now(), s.kills
			var got []string
			s.during(func() { got = f(t) })
			different, nulls, first := 0, 0, ""
			for i := range max(len(got), len(all)) {
				switch {
				case i >= len(got) || i >= len(all) || got[i] != all[i]:
					if different++; different == 1 && i < len(got) && i < len(all) {
						first = fmt.Sprintf("; value %d is %s, want %s", i, got[i], all[i])
					}
				case got[i] == "NULL":
					nulls++
				}
			}
			fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%.1f\n", name, len(got), nulls, different, s.kills-kills, time.Since(began).Seconds())
			ran = true
			if different > 0 {
				t.Errorf("%d of %d values differ%s", different, len(all), first)
			}
		})
		if !ran {
			fmt.Fprintf(table, "%s\tskipped or failed\t\t\t\t\n", name)
		}
	}
	path("HTTP", func(t *testing.T) []string { return overHTTP(t, s, "functions", pairs, count) })
	path("HTTP, Snowflake's form", func(t *testing.T) []string { return overHTTP(t, s, "snowflake", pairs, count) })
	path("badger call", func(t *testing.T) []string { return byCall(t, s, pairs, count) })
	path("PostgreSQL", func(t *testing.T) []string { return inPostgres(t, s, pairs, count) })
	for _, engine := range []struct{ name, script, client, file, endpoint string }{
		{"Arrow Flight, pyarrow", "flight", "datafusion", "badger_functions.py", s.grpc},
		{"DuckDB client", "duckdb", "duckdb-client", "badger_functions.py", s.grpc},
		{"DataFusion", "datafusion", "datafusion", "badger_functions.py", s.grpc},
		{"chDB (ClickHouse)", "chdb", "clickhouse", "udf_config.xml", s.http},
		{"Spark", "spark", "datafusion", "badger_functions.py", s.grpc},
	} {
		path(engine.name, func(t *testing.T) []string {
			python := python
			if engine.script == "spark" {
				if python = os.Getenv("BADGER_SPARK_PYTHON"); python == "" {
					t.Skip("BADGER_SPARK_PYTHON does not name a python3 that has pyspark")
				}
			}
			if python == "" {
				t.Skip("BADGER_ENGINES_PYTHON does not name a python3 with the packages of .ci/engines.txt")
			}
			folder := filepath.Join(dir, engine.script)
			file := command(t, badgerCommand(bin, "install", "--warehouse", engine.client, "--set", "endpoint=http://"+engine.endpoint, "--print"))
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string][]byte{engine.file: file, "pairs.jsonl": lines.Bytes()} {
				if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(bin, filepath.Join(folder, "badger")); err != nil {
				t.Fatal(err)
			}
			cmd := badgerCommand(python, "testdata/engines.py", engine.script, folder, strconv.Itoa(count), "grpc://"+s.grpc)
			out := command(t, cmd)
			return strings.Fields(string(out))
		})
	}
	table.Flush() //nolint:errcheck // in memory
	t.Logf("%d rows of %d answers by 3 agents, of %s\n%s", count, len(pairs), strings.Join(engineFunctions, ", "), report.String())
}

// badgerCommand runs the program without the variables of this test, which it would take for keys of a configuration.
func badgerCommand(bin string, args ...string) *exec.Cmd {
	cmd := exec.Command(bin, args...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "BADGER_") })
	return cmd
}

func oneLine(text string) string { return strings.ReplaceAll(text, "\n", " ") }

// command runs a program and returns its standard output.
func command(t *testing.T, cmd *exec.Cmd) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(cmd.Path), err, stderr.Bytes()[max(0, stderr.Len()-3000):])
	}
	return out
}

// runScores are the values of badger run for each pair, by metric; NULL for those that cannot be read.
func runScores(t *testing.T, bin, dir string, pairs []pair) map[string][]string {
	t.Helper()
	file := filepath.Join(dir, "scores.jsonl")
	command(t, badgerCommand(bin, "run", "--cases", filepath.Join(dir, "cases.jsonl"), "--no-to", "--scores", file, "--quiet",
		"--metrics", strings.Join(engineFunctions, ",")))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	values := map[[2]string]string{}
	for line := range bytes.Lines(text) {
		var row struct {
			CaseID string `json:"case_id"`
			Metric string
			Value  *float64
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		values[[2]string{row.Metric, row.CaseID}] = "NULL"
		if row.Value != nil {
			values[[2]string{row.Metric, row.CaseID}] = hexOf(*row.Value)
		}
	}
	out := map[string][]string{}
	for _, metric := range engineFunctions {
		for i := range pairs {
			value, is := values[[2]string{metric, pairs[i].ID}]
			if is == pairs[i].bad {
				t.Fatalf("%s of %s: scored %v", metric, pairs[i].ID, is)
			}
			if !is {
				value = "NULL"
			}
			out[metric] = append(out[metric], value)
		}
	}
	return out
}

// overHTTP calls the functions in requests of 500 rows, which are repeated while the server is away.
func overHTTP(t *testing.T, s *engineServer, form string, pairs []pair, count int) (out []string) {
	for k, function := range engineFunctions {
		n := count
		if k > 0 {
			n = len(pairs)
		}
		for from := 0; from < n; from += 500 {
			var rows [][]any
			for i := from; i < min(n, from+500); i++ {
				row := []any{pairs[i%len(pairs)].Gold, pairs[i%len(pairs)].Result}
				if form == "snowflake" {
					row = append([]any{i - from}, row...)
				}
				rows = append(rows, row)
			}
			key := map[string]string{"functions": "rows", "snowflake": "data"}[form]
			body, err := json.Marshal(map[string]any{key: rows})
			if err != nil {
				t.Fatal(err)
			}
			var reply struct {
				Results []*float64
				Data    [][2]*float64
			}
			for try := 0; ; try++ {
				r, err := http.Post("http://"+s.http+"/v1/"+form+"/"+function, "application/json", bytes.NewReader(body))
				if err == nil {
					text, e := io.ReadAll(r.Body)
					r.Body.Close()
					if err = e; err == nil && r.StatusCode == http.StatusOK {
						if err := json.Unmarshal(text, &reply); err != nil {
							t.Fatal(err)
						}
						break
					}
				}
				if try == 100 {
					t.Fatalf("no reply: %v", err)
				}
				time.Sleep(100 * time.Millisecond)
			}
			for _, d := range reply.Data {
				reply.Results = append(reply.Results, d[1])
			}
			for _, x := range reply.Results {
				out = append(out, valueOrNull(x))
			}
		}
	}
	return out
}

func valueOrNull(x *float64) string {
	if x == nil {
		return "NULL"
	}
	return hexOf(*x)
}

// byCall gives the rows to badger call, and reads its results as they come.
func byCall(t *testing.T, s *engineServer, pairs []pair, count int) (out []string) {
	for k, function := range engineFunctions {
		n := count
		if k > 0 {
			n = len(pairs)
		}
		cmd := badgerCommand(s.bin, "call", function, "--to", "http://"+s.http)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			defer in.Close()
			w := bufio.NewWriter(in)
			defer w.Flush()
			for i := range n {
				line, _ := json.Marshal([]any{pairs[i%len(pairs)].Gold, pairs[i%len(pairs)].Result})
				if _, err := w.Write(append(line, '\n')); err != nil {
					return
				}
			}
		}()
		for line := range bytes.Lines(command(t, cmd)) {
			var row [1]*float64
			if err := json.Unmarshal(line, &row); err != nil {
				t.Fatalf("%v: %.80s", err, line)
			}
			out = append(out, valueOrNull(row[0]))
		}
	}
	return out
}

// inPostgres calls the installed functions in PostgreSQL.
func inPostgres(t *testing.T, s *engineServer, pairs []pair, count int) (out []string) {
	server := postgresServer(t)
	url := server.URL("postgres", server.Port)
	command(t, badgerCommand(s.bin, "install", "--warehouse", "postgres", "--set", "endpoint=http://"+s.http, "--apply", url))
	w := open(t, url)
	exec1(t, w, "CREATE TABLE pairs (i bigint, gold text, result text)")
	for i := range pairs {
		texts := []any{int64(i), nil, nil}
		for k, text := range []*string{pairs[i].Gold, pairs[i].Result} {
			if text != nil {
				texts[k+1] = *text
			}
		}
		if err := w.Exec(t.Context(), "INSERT INTO pairs VALUES ($1, $2, $3)", texts...); err != nil {
			t.Fatal(err)
		}
	}
	for k, function := range engineFunctions {
		n := count
		if k > 0 {
			n = len(pairs)
		}
		got := query(t, w, fmt.Sprintf("SELECT badger.%s(p.gold, p.result) FROM generate_series(0, %d) r(i) JOIN pairs p ON p.i = r.i %% %d ORDER BY r.i",
			function, n-1, len(pairs)))
		for row := range got.Rows() {
			if v := got.Columns[0].Value(row); v.IsNull() {
				out = append(out, "NULL")
			} else {
				out = append(out, hexOf(v.Float()))
			}
		}
	}
	return out
}
