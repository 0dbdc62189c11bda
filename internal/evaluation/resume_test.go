package evaluation

import "testing"

// A run has one configuration, however a warehouse writes JSON.
func TestOtherConfiguration(t *testing.T) {
	for _, tc := range []struct{ why, was, is, want string }{
		{"the same", `{"thresholds":{"a":0.5}}`, `{"thresholds":{"a":0.5}}`, ""},
		{"written anew", `{"options":{"m":{"x":1,"y":2}}}`, ` { "options": {"m": {"y": 2, "x": 1}} }`, ""},
		{"not recorded", ``, `{"thresholds":{"a":0.5}}`, ""},
		{"another threshold", `{"thresholds":{"a":0.5,"b":1}}`, `{"thresholds":{"a":0.6,"b":1}}`, "thresholds.a"},
		{"one more", `{}`, `{"thresholds":{"a":0.6}}`, "thresholds.a"},
		{"one less", `{"options":{"m":{"x":1}}}`, `{}`, "options.m"},
		{"several: the first by name", `{"options":{"z":1,"m":1}}`, `{"options":{"z":2,"m":2},"thresholds":{"a":1}}`, "options.m"},
	} {
		if got := otherConfiguration(tc.was, tc.is); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.why, got, tc.want)
		}
	}
}

// What a run paid before it was resumed is added; money is left out where no price is known.
func TestCostOfARun(t *testing.T) {
	for _, tc := range []struct {
		why        string
		a, b, want Cost
	}{
		{"both known", Cost{Calls: 2, TokensIn: 10, TokensOut: 1, Money: "0.10"}, Cost{Calls: 3, TokensIn: 5, TokensOut: 2, Money: "0.25"}, Cost{Calls: 5, TokensIn: 15, TokensOut: 3, Money: "0.35"}},
		{"no price is known", Cost{Calls: 1}, Cost{Calls: 1}, Cost{Calls: 2}},
		{"one price is known", Cost{Calls: 1}, Cost{Calls: 1, Money: "1.50"}, Cost{Calls: 2, Money: "1.50"}},
	} {
		got := tc.a
		if got.plus(tc.b); got != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.why, got, tc.want)
		}
	}
}
