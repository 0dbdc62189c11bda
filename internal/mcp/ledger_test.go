package mcp

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func ledgerIn(t testing.TB, dir string, limit int, at *clock) *Ledger {
	t.Helper()
	l, err := openLedger(dir, limit, at.now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func take(t testing.TB, l *Ledger, caller, topic, answer string) Grant {
	t.Helper()
	grants, err := l.Take(caller, "check_answer", []Request{{Case: topic, Topic: topic, Answer: answer}})
	if err != nil {
		t.Error(err)
		return Grant{}
	}
	return grants[0]
}

func TestLedger(t *testing.T) {
	at, dir := &clock{time.Date(2026, 3, 1, 23, 59, 0, 0, time.UTC)}, t.TempDir()
	l := ledgerIn(t, dir, 2, at)
	other := ledgerIn(t, dir, 2, at) // as another process
	for _, tc := range []struct {
		of                    *Ledger
		caller, topic, answer string
		want                  Grant
	}{
		{l, "ana", "q", "1", Grant{Left: 1}},
		{other, "ana", "q", "1", Grant{Left: 1, Again: false}}, // counted, and its outcome is not recorded
		{other, "ana", "q", "2", Grant{Left: 0}},
		{l, "ana", "q", "3", Grant{Refused: true}},
		{l, "ana", "r", "3", Grant{Left: 1}},
		{l, "bob", "q", "3", Grant{Left: 1}},
		{l, "an", "aq", "1", Grant{Left: 1}}, // another caller, not ana by other cuts
	} {
		if got := take(t, tc.of, tc.caller, tc.topic, tc.answer); got != tc.want {
			t.Errorf("%s %s %s: %+v, want %+v", tc.caller, tc.topic, tc.answer, got, tc.want)
		}
	}
	if err := other.Record("ana", Request{Topic: "q", Answer: "1"}, otherData); err != nil {
		t.Fatal(err)
	}
	if got, want := take(t, l, "ana", "q", "1"), (Grant{Again: true, Outcome: otherData}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	at.at = at.at.Add(2 * time.Minute) // the next day
	if got, want := take(t, l, "ana", "q", "1"), (Grant{Again: true, Outcome: otherData, Left: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := take(t, l, "ana", "q", "3"), (Grant{Left: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	at.at = at.at.AddDate(0, 0, keptDays)
	again := ledgerIn(t, dir, 2, at)
	if got, want := take(t, again, "ana", "q", "1"), (Grant{Left: 1}); got != want {
		t.Errorf("after %d days: %+v, want %+v", keptDays, got, want)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "verdicts-*")); len(files) != 2 {
		t.Errorf("files %v, want those of two days", files)
	}
}

// Several requests of one call count against the limit together.
func TestLedgerCountsRequestsOfACall(t *testing.T) {
	l := ledgerIn(t, t.TempDir(), 2, &clock{day1})
	grants, err := l.Take("ana", "failing_cases", []Request{{Topic: "q", Answer: "1"}, {Topic: "q", Answer: "1"}, {Topic: "q", Answer: "2"}, {Topic: "q", Answer: "3"}, {Topic: "r", Answer: "4"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []Grant{{Left: 1}, {Left: 1}, {Left: 0}, {Refused: true}, {Left: 1}}
	if fmt.Sprint(grants) != fmt.Sprint(want) {
		t.Errorf("%+v, want %+v", grants, want)
	}
}

// Callers in several processes and goroutines see no more than the limit together.
func TestLedgerAcrossProcesses(t *testing.T) {
	const limit, processes, tries = 7, 3, 40
	dir := os.Getenv("BADGER_TEST_LEDGER")
	if dir == "" {
		dir = t.TempDir()
		var outs [processes]strings.Builder
		var all [processes]*exec.Cmd
		for i := range all {
			c := exec.Command(os.Args[0], "-test.run", "^TestLedgerAcrossProcesses$")
			c.Env = append(os.Environ(), "BADGER_TEST_LEDGER="+dir, fmt.Sprintf("BADGER_TEST_PROCESS=%d", i))
			c.Stdout = &outs[i]
			all[i] = c
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
		}
		shown := 0
		for i, c := range all {
			if err := c.Wait(); err != nil {
				t.Errorf("%v\n%s", err, &outs[i])
			}
			shown += strings.Count(outs[i].String(), "shown\n")
		}
		if shown != limit {
			t.Errorf("%d verdicts are shown, want %d", shown, limit)
		}
		return
	}
	l := ledgerIn(t, dir, limit, &clock{day1})
	var shown atomic.Int64
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			for i := range tries {
				if !take(t, l, "ana", "q", fmt.Sprint(os.Getenv("BADGER_TEST_PROCESS"), g, i)).Refused {
					shown.Add(1)
				}
			}
		})
	}
	wait.Wait()
	fmt.Print(strings.Repeat("shown\n", int(shown.Load())))
}

// A line that a killed process left is removed; another line that cannot be read stops the ledger, which forgets nothing
// in silence.
func TestLedgerFiles(t *testing.T) {
	at, dir := &clock{day1}, t.TempDir()
	l := ledgerIn(t, dir, 2, at)
	take(t, l, "ana", "q", "1")
	l.Close()
	file := filepath.Join(dir, "verdicts-2026-03-01.jsonl")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(string(whole) + `{"at":"2026-03-01T12:00:00Z","caller":"ana","to`)
	l = ledgerIn(t, dir, 2, at)
	if got, want := take(t, l, "ana", "q", "2"), (Grant{Left: 0}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	l.Close()
	forget := func() {
		t.Helper()
		if err := os.Remove(filepath.Join(dir, "lock")); err != nil {
			t.Fatal(err)
		}
	}
	forget()
	for _, broken := range []string{"x\n", "{}\n", `{"asked":"zz"}` + "\n"} {
		write(string(whole) + broken)
		_, err := openLedger(dir, 2, at.now)
		if want := fmt.Sprintf("mcp.ledger: verdicts-2026-03-01.jsonl, byte %d: this line cannot be read", len(whole)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", broken, err, want)
		}
	}
	write(string(whole))
	l = ledgerIn(t, dir, 2, at)
	defer forget()
	write("")
	if _, err := l.Take("ana", "check_answer", []Request{{Topic: "q", Answer: "3"}}); err == nil || !strings.Contains(err.Error(), "became shorter") {
		t.Errorf("a file that was emptied: %v", err)
	}
	if strings.Contains(string(whole), "boats") || strings.Count(string(whole), "\n") != 1 {
		t.Errorf("the ledger holds %s", whole)
	}
}

// A file that is removed or cut is noticed: at once while it is in use, or by the next process.
func TestLedgerThatIsRemoved(t *testing.T) {
	for _, tc := range []struct {
		why    string
		remove func(dir string) error
		used   string // what a process says that has it open
		next   string // what the next process says
	}{
		{"the file of the day", func(dir string) error { return os.Remove(filepath.Join(dir, "verdicts-2026-03-01.jsonl")) },
			"verdicts-2026-03-01.jsonl was removed or replaced", "verdicts-2026-03-01.jsonl is missing or shorter"},
		{"the file, emptied", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "verdicts-2026-03-01.jsonl"), nil, 0o600)
		}, "became shorter", "verdicts-2026-03-01.jsonl is missing or shorter"},
		{"the lock", func(dir string) error { return os.Remove(filepath.Join(dir, "lock")) }, "lock was removed or replaced", ""},
		{"the directory", os.RemoveAll, "lock was removed or replaced", ""},
		{"the directory, with one in its place", func(dir string) error {
			if err := os.Rename(dir, dir+"-away"); err != nil {
				return err
			}
			return os.Mkdir(dir, 0o700)
		}, "lock was removed or replaced", ""},
	} {
		at, dir := &clock{day1}, filepath.Join(t.TempDir(), "ledger")
		l := ledgerIn(t, dir, 2, at)
		take(t, l, "ana", "q", "1")
		l.Close()
		l = ledgerIn(t, dir, 2, at)
		if err := tc.remove(dir); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := l.Take("ana", "check_answer", []Request{{Topic: "q", Answer: "2"}}); err == nil || !strings.Contains(err.Error(), tc.used) {
				t.Errorf("%s: %v, want %s", tc.why, err, tc.used)
			}
		}
		l.Close()
		_, err := openLedger(dir, 2, at.now)
		if tc.next == "" && err != nil || tc.next != "" && (err == nil || !strings.Contains(err.Error(), tc.next)) {
			t.Errorf("%s: the next process: %v, want %q", tc.why, err, tc.next)
		}
	}
}
