//go:build !no_duckdb

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring/agreement"
)

// A database that does not exist is created with its tables, as by badger run; an address that is none is an error.
func TestPromoteCreatesTheDatabase(t *testing.T) {
	dir := t.TempDir()
	file, url := writeFile(t, "polite.yaml", politeJudge), "duckdb:"+filepath.Join(dir, "new.duckdb")
	code, _, log := badger(t, "judge", "promote", file, "--untested", "--to", url)
	if code != exitDone || !strings.Contains(log, "promoted ") {
		t.Fatalf("exit %d: %s", code, log)
	}
	w, err := openWarehouse(t.Context(), url, readOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if newest, err := w.NewestJudges(t.Context()); err != nil || len(newest) != 1 {
		t.Errorf("%d judges, %v", len(newest), err)
	}
	code, _, log = badger(t, "judge", "promote", file, "--untested", "--to", "duckdb:"+filepath.Join(dir, "none", "new.duckdb"))
	if code == exitDone || !strings.Contains(log, "--to: ") {
		t.Errorf("exit %d: %s", code, log)
	}
}

// With labels of one side, agreement beyond chance cannot be measured, and the result of the test says so.
func TestPromotionWithLabelsOfOneSide(t *testing.T) {
	for _, tc := range []struct {
		why  string
		c    agreement.Confusion
		want string
	}{
		{"pass, and the judge agrees", agreement.Confusion{TP: 3}, "every label is pass"},
		{"pass, and the judge differs once", agreement.Confusion{TP: 3, FN: 1}, "every label is pass"},
		{"fail", agreement.Confusion{TN: 2, FP: 1}, "every label is fail"},
		{"both", agreement.Confusion{TP: 2, TN: 1}, ""},
		{"none", agreement.Confusion{}, "there are no cases"},
	} {
		if got := tc.c.LabelKappa(); !strings.HasPrefix(got.Why, tc.want) || got.Defined != (tc.why == "both") {
			t.Errorf("%s: %+v, want %q", tc.why, got, tc.want)
		}
	}
	accuracy := 1.0
	text := tested{Cases: 3, Labelled: 3, N: 3, Accuracy: &accuracy, KappaWhy: agreement.Confusion{TP: 3}.LabelKappa().Why}.String()
	if want := "tested on 3 of 3 labelled answers, accuracy 1.000, kappa undefined (every label is pass; add answers that fail)"; text != want {
		t.Errorf("%s, want %s", text, want)
	}
}
