package install_test

import (
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
)

// cutOnce is before a server. The first connection that has sent so many bytes is cut, as by a
// server that is restarted; those after it are whole.
func cutOnce(t *testing.T, server string, bytes int64) (at string, cut *atomic.Bool) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	cut = new(atomic.Bool)
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", server)
			if err != nil {
				in.Close()
				continue
			}
			go func() {
				_, _ = io.Copy(in, out)
				in.Close()
			}()
			go func() {
				n, _ := io.CopyN(out, in, bytes)
				if n < bytes || !cut.CompareAndSwap(false, true) {
					_, _ = io.Copy(out, in)
				}
				in.Close()
				out.Close()
			}()
		}
	}()
	return l.Addr().String(), cut
}

// A server that is restarted in the middle of a statement fails the statement or does not show in
// it: no row is lost or comes twice.
func TestDatabendServerRestartedInAStatement(t *testing.T) {
	eachDatabend(t, func(t *testing.T, variable string, _ bool) { databendRestart(t, variable) })
}

func databendRestart(t *testing.T, variable string) {
	server, _ := serve(t, catalogue(t), "127.0.0.1:0", false)
	at, cut := cutOnce(t, server, 2<<20)
	v := plain("databend", "flight")
	v.Endpoint = "http://" + at
	e := databend(t, variable, settingsOf(t, plan(t, v, few)))
	e.must("CREATE FUNCTION hybrid_ex (VARCHAR NULL, VARCHAR NULL) RETURNS DOUBLE NULL LANGUAGE python HANDLER = 'hybrid_ex@databend' ADDRESS = 'http://" + at + "'")
	const sql = `SELECT concat(to_string(count(*)), ' ', to_string(count(v)), ' ', to_string(sum(v))) FROM (
  SELECT hybrid_ex(concat('{"columns":[{"name":"a"}],"rows":[["r', to_string(number), '"]]}'), concat('{"columns":[{"name":"a"}],"rows":[["r', to_string(number), '"]]}')) AS v FROM numbers(200000))`
	cells, problem := e.ask(sql)
	if !cut.Load() {
		t.Fatal("no connection was cut")
	}
	t.Logf("the statement: %q %.500s", cells, problem)
	if problem == "" && !strings.HasPrefix(cells[0], "'200000 200000 200000") {
		t.Errorf("the statement gives %q", cells)
	}
	if again := e.must(sql); !strings.HasPrefix(again[0], "'200000 200000 200000") {
		t.Errorf("the next statement gives %q", again)
	}
}
