//go:build !no_duckdb

package site

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// TestExportOfAList holds that each file has the cases of the list, no more and no fewer.
func TestExportOfAList(t *testing.T) {
	s := siteOver(t, sitetest.Shared(t))
	all := store.State{RunID: judgedRun, Mode: store.All}
	for _, state := range []store.State{all, all.In(store.Failed), all.In(store.Passed), {RunID: judgedRun, Mode: store.All, Search: "no such text"}} {
		want, _, err := s.casesOf(httptest.NewRequest(http.MethodGet, "/", nil), state)
		if err != nil {
			t.Fatal(err)
		}
		if state.Mode == store.Failed && len(want) == 0 {
			t.Fatal("the small store has no case that failed")
		}
		get := func(format string) string {
			res, body := ask(t, s, "GET", exportAddress(state, format), nil, identity.Read)
			if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Disposition"), "attachment") {
				t.Fatalf("%s: %d %v\n%s", format, res.StatusCode, res.Header, body)
			}
			return body
		}
		lines, err := csv.NewReader(strings.NewReader(get("csv"))).ReadAll()
		if err != nil || len(lines) != len(want)+1 {
			t.Errorf("%s: CSV has %d lines for %d cases: %v", state.Mode, len(lines), len(want), err)
		}
		n := 0
		for d := json.NewDecoder(strings.NewReader(get("jsonl"))); d.More(); n++ {
			var one struct {
				CaseID string `json:"case_id"`
			}
			if err := d.Decode(&one); err != nil {
				t.Fatal(err)
			}
			if n >= len(want) || !slices.Contains(want, one.CaseID) {
				t.Errorf("%s: JSON Lines have %q", state.Mode, one.CaseID)
			}
		}
		if n != len(want) {
			t.Errorf("%s: JSON Lines have %d cases of %d", state.Mode, n, len(want))
		}
		var suites struct {
			Cases []struct{} `xml:"testsuite>testcase"`
		}
		if err := xml.Unmarshal([]byte(get("junit")), &suites); err != nil || len(suites.Cases) != len(want) {
			t.Errorf("%s: JUnit has %d cases of %d: %v", state.Mode, len(suites.Cases), len(want), err)
		}
	}
	if res, body := ask(t, s, "GET", exportAddress(all, "xls"), nil, identity.Read); res.StatusCode != http.StatusBadRequest || !strings.Contains(body, "expected csv, jsonl, junit, markdown or sarif") {
		t.Errorf("an unknown format: %d\n%s", res.StatusCode, body)
	}
	if res, _ := ask(t, s, "GET", exportAddress(all, "csv"), nil, identity.Call); res.StatusCode != http.StatusForbidden {
		t.Errorf("without the role: %d", res.StatusCode)
	}
}
