package judging

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/badger-eval/badger/connectors/doctor"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/judgebackend/inwarehouse"
	"github.com/badger-eval/badger/judgebackend/openai"
	"github.com/badger-eval/badger/sql/store"
)

// Judges are examined without a question, a ledger or a file, one check for each model. No key is told.
func TestExamine(t *testing.T) {
	const key = "sk-of-nobody"
	dir := t.TempDir()
	local := Endpoint{Backend: "openai:m-2024-08-06", BaseURL: "http://127.0.0.1:9/v1", KeyEnv: "THE_KEY"}
	other := Endpoint{Backend: "openai:n", BaseURL: "http://127.0.0.1:8/v1", KeyEnv: "THE_KEY"}
	hot := 3.0
	type check struct {
		status       doctor.Status
		name, detail string // the detail has it
	}
	for _, tc := range []struct {
		why    string
		config Config
		prices judgebackend.PriceTable
		want   []check
	}{
		{why: "nobody is asked"},
		{why: "nobody is asked, by name", config: Config{Endpoint: Endpoint{Backend: "none"}}},
		{why: "no price", config: Config{Endpoint: local}, want: []check{{doctor.Warning, "judge openai:m-2024-08-06", "asked at 127.0.0.1:9; its price is not known"}}},
		{
			why: "a price, and a name without a date", config: Config{Endpoint: other}, prices: judgebackend.PriceTable{"n": {In: "2", Out: "8"}},
			want: []check{{doctor.OK, "judge openai:n", "asked at 127.0.0.1:8; a million tokens cost 2.00 USD in, 8.00 out; its name has no date"}},
		},
		{
			why: "a judge of some metrics besides", prices: judgebackend.PriceTable{"m": {In: "1", Out: "1"}, "n": {In: "2", Out: "8"}},
			config: Config{Endpoint: local, Metrics: map[string]Metric{"rose": {Endpoint: other}, "flex": {Endpoint: other}}},
			want:   []check{{doctor.OK, "judge openai:m-2024-08-06", "asked at 127.0.0.1:9"}, {doctor.OK, "judge openai:n", "asked at 127.0.0.1:8, for [flex rose]"}},
		},
		{
			why: "a metric of a judge file, which is not known here", prices: judgebackend.PriceTable{"n": {In: "2", Out: "8"}},
			config: Config{Metrics: map[string]Metric{"of_mine": {Endpoint: other}}}, want: []check{{doctor.OK, "judge openai:n", "for [of_mine]"}},
		},
		{why: "no key", config: Config{Endpoint: Endpoint{Backend: "openai:n", BaseURL: "http://127.0.0.1:8/v1", KeyEnv: "NO_KEY"}}, want: []check{{doctor.Failed, "judge", "NO_KEY"}}},
		{why: "a host that nobody allowed", config: Config{Endpoint: Endpoint{Backend: "openai:n", KeyEnv: "THE_KEY"}}, want: []check{{doctor.Failed, "judge", "api.openai.com"}}},
		{why: "no such backend", config: Config{Endpoint: Endpoint{Backend: "nosuch:n"}}, want: []check{{doctor.Failed, "judge", "judge backend: expected one of"}}},
		{why: "a temperature out of range", config: Config{Endpoint: local, Metrics: map[string]Metric{"rose": {Temperature: &hot}}}, want: []check{{doctor.Failed, "judge", "rose"}}},
		{
			why:    "the warehouse that it asks through is not there",
			config: Config{Endpoint: Endpoint{Backend: "cortex:n", Warehouse: "nosuch:w"}}, want: []check{{doctor.Failed, "judge", "judge.warehouse: it is away"}},
		},
	} {
		c := tc.config
		c.Budget.Prices, c.Offline = tc.prices, tc.why == "no price"
		c.Ledger, c.Audit = filepath.Join(dir, "ledger.jsonl"), filepath.Join(dir, "audit.jsonl")
		got := c.Examine(t.Context(), Env{
			Providers: judgebackend.Providers{openai.Provider, inwarehouse.Cortex},
			Getenv:    func(name string) string { return map[string]string{"THE_KEY": key}[name] }, Now: time.Now,
			Open: func(context.Context, string) (*store.Store, error) { return nil, errors.New("it is away") },
		}, "nosuch:w")
		if len(got) != len(tc.want) {
			t.Errorf("%s: %+v, want %d checks", tc.why, got, len(tc.want))
			continue
		}
		for i, want := range tc.want {
			g := got[i]
			if g.Status != want.status || g.Name != want.name || !strings.Contains(g.Detail, want.detail) || (g.Status == doctor.OK) != (g.Fix == "") || (g.Status == doctor.Failed) != (g.Code != "") {
				t.Errorf("%s: %+v, want %+v", tc.why, g, want)
			}
			if strings.Contains(g.Detail+g.Fix, key) {
				t.Errorf("%s: the key is told: %+v", tc.why, g)
			}
		}
	}
	if made, err := os.ReadDir(dir); err != nil || len(made) > 0 {
		t.Errorf("files were made: %v %v", made, err)
	}
}
