//go:build !no_duckdb

package site

import (
	"net/http"
	"testing"

	"github.com/badger-eval/badger/internal/site/sitetest"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/udf/identity"
)

// small is a site over the small store.
func small(t *testing.T) *Site {
	t.Helper()
	s, err := New(Options{Warehouse: sitetest.Open(t, sitetest.Small(t)), Version: "test", Metrics: metric.All(), Labels: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPagesShow(t *testing.T) {
	s := small(t)
	for _, at := range []string{"/", "/run?run=night-2.0&agent=atlas&version=2.0&batch=atlas-2.0", "/cases?run=night-2.0&agent=atlas&version=2.0&batch=atlas-2.0", "/run?run=under-way&agent=atlas&version=2.0&batch=2025-01-17"} {
		res, body := ask(t, s, "GET", at, nil, identity.Read)
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s: %d\n%s", at, res.StatusCode, body)
		}
		t.Log(len(body))
	}
}
