package gate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/gate"
)

func at(v float64) *float64 { return &v }

// A flag stands in for what the configuration says of the same metric, and a share of one metric for
// the share of all.
func TestRead(t *testing.T) {
	for _, tc := range []struct {
		why           string
		config, flags gate.Specs
		want          []gate.Gate
	}{
		{"nothing", gate.Specs{}, gate.Specs{}, nil},
		{"a value", gate.Specs{}, gate.Specs{FailUnder: []string{" ex = 0.9 "}}, []gate.Gate{{Metric: "ex", Least: at(0.9)}}},
		{"kappa may be negative", gate.Specs{}, gate.Specs{FailUnder: []string{"ex=-1"}}, []gate.Gate{{Metric: "ex", Least: at(-1)}}},
		{"a flag wins for its metric", gate.Specs{FailUnder: []string{"ex=0.9", "f1=0.5"}}, gate.Specs{FailUnder: []string{"ex=0.2"}}, []gate.Gate{{Metric: "f1", Least: at(0.5)}, {Metric: "ex", Least: at(0.2)}}},
		{"a share of all", gate.Specs{}, gate.Specs{FailUnder: []string{"ex=1", "f1=1"}, MinCoverage: []string{"0.5"}}, []gate.Gate{{"ex", at(1), at(0.5)}, {"f1", at(1), at(0.5)}}},
		{"and of one", gate.Specs{}, gate.Specs{FailUnder: []string{"ex=1", "f1=1"}, MinCoverage: []string{"f1=0.9", "0.5"}}, []gate.Gate{{"ex", at(1), at(0.5)}, {"f1", at(1), at(0.9)}}},
		{"a share alone", gate.Specs{}, gate.Specs{MinCoverage: []string{"ex=0.5"}}, []gate.Gate{{Metric: "ex", Coverage: at(0.5)}}},
		{"a flag of all wins over those of metrics", gate.Specs{FailUnder: []string{"ex=1"}, MinCoverage: []string{"ex=0.9"}}, gate.Specs{MinCoverage: []string{"0"}}, []gate.Gate{{"ex", at(1), at(0)}}},
		{"a share of the configuration without a gate says nothing", gate.Specs{MinCoverage: []string{"0.5"}}, gate.Specs{}, nil},
	} {
		got, err := gate.Read(tc.config, tc.flags, []string{"ex", "f1"}, "this run")
		if err != nil {
			t.Errorf("%s: %v", tc.why, err)
		}
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("%s: %s", tc.why, d)
		}
	}
}

// An error names the flag or the key, and is one of whoever wrote it.
func TestReadRefuses(t *testing.T) {
	under := func(s string) gate.Specs { return gate.Specs{FailUnder: []string{s}} }
	covered := func(s string) gate.Specs { return gate.Specs{FailUnder: []string{"ex=1"}, MinCoverage: []string{s}} }
	for _, tc := range []struct {
		why           string
		config, flags gate.Specs
		says          string
	}{
		{"no number", gate.Specs{}, under("ex=high"), "--fail-under: expected METRIC=NUMBER"},
		{"no metric", gate.Specs{}, under("0.9"), "--fail-under: expected METRIC=NUMBER"},
		{"an empty metric", gate.Specs{}, under("=0.9"), "--fail-under: expected METRIC=NUMBER"},
		{"NaN", gate.Specs{}, under("ex=NaN"), "--fail-under: expected METRIC=NUMBER"},
		{"infinite", gate.Specs{}, under("ex=inf"), "--fail-under: expected METRIC=NUMBER"},
		{"the configuration", under("ex"), gate.Specs{}, "gates.fail_under: expected METRIC=NUMBER"},
		{"a share of the configuration", covered("ex="), gate.Specs{}, "gates.min_coverage: expected a share, or METRIC=SHARE, such as 0.9 or verdict=0.5"},
		{"a percentage", gate.Specs{}, covered("80%"), "--min-coverage: expected a share, or METRIC=SHARE, such as 0.9 or verdict=0.5; write a percentage as a fraction"},
		{"a percentage of a metric", gate.Specs{}, under("ex=80%"), "--fail-under: expected METRIC=NUMBER, such as hybrid_ex=0.9; write a percentage as a fraction"},
		{"percent", gate.Specs{}, covered("90"), "--min-coverage: expected a share from 0 to 1"},
		{"below 0", gate.Specs{}, covered("ex=-0.1"), "--min-coverage: expected a share from 0 to 1"},
		{"a share of no gate", gate.Specs{}, gate.Specs{MinCoverage: []string{"0.9"}}, "--min-coverage: there is no gate; name a metric"},
		{"another metric", gate.Specs{}, under("rose=1"), `metric "rose" is not part of this run`},
	} {
		_, err := gate.Read(tc.config, tc.flags, []string{"ex"}, "this run")
		if err == nil || !errcode.IsUsage(err) || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", tc.why, err, tc.says)
		}
	}
	if _, err := gate.Read(gate.Specs{}, under("rose=1"), nil, ""); err != nil {
		t.Errorf("a metric while those that can be gated are not known: %v", err)
	}
}

// Ten times 0.1 is less than 1 in doubles, and reaches it; a case more or less does not hide in that.
func TestReached(t *testing.T) {
	sum := 0.0
	for range 10 {
		sum += 0.1
	}
	if sum >= 1 || !gate.Reached(sum, 1) {
		t.Errorf("%v does not reach 1", sum)
	}
	if gate.Reached(1-1e-6, 1) { // one case of a million
		t.Error("0.999999 reaches 1")
	}
}

func TestReadDrops(t *testing.T) {
	for spec, want := range map[string]gate.Drop{"ex=0.05": {Metric: "ex", Drop: 0.05}, " ex = 0 ": {Metric: "ex"}} {
		if got, err := gate.ReadDrops([]string{spec}); err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%q: %v, %v, want %v", spec, got, err, want)
		}
	}
	for _, spec := range []string{"0.05", "ex=-0.1", "=0.1", "ex", "ex=NaN", "ex=Inf", ""} {
		if _, err := gate.ReadDrops([]string{spec}); !errcode.IsUsage(err) || !strings.HasPrefix(err.Error(), "--fail-on-drop: expected METRIC=") {
			t.Errorf("%q: %v", spec, err)
		}
	}
}

// An example is one of the flag.
func TestExamplesOfBounds(t *testing.T) {
	_, broken := gate.ReadBroken([]string{"verdict"})
	_, half := gate.ReadBroken([]string{"verdict=0.5"})
	_, dropped := gate.ReadDrops([]string{"verdict"})
	for err, says := range map[error]string{
		broken:  "--max-broken: expected METRIC=N with a whole number of cases, such as hybrid_ex=0",
		half:    "--max-broken: expected METRIC=N with a whole number of cases, such as hybrid_ex=0",
		dropped: "--fail-on-drop: expected METRIC=DROP, such as hybrid_ex=0.05",
	} {
		if err == nil || err.Error() != says {
			t.Errorf("%v, want %q", err, says)
		}
	}
}
