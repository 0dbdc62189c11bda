package printable_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/badger-eval/badger/internal/printable"
)

// Each list is in order. The first two are the examples of Semantic Versioning 2.0.0, section 11, and
// of PEP 440, "Summary of permitted suffixes and relative ordering".
func TestCompareVersions(t *testing.T) {
	for _, tc := range []struct {
		why  string
		want []string
	}{
		{"semver.org", []string{"1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "2.0.0", "2.1.0", "2.1.1"}},
		{"PEP 440", []string{"1.dev0", "1.0.dev456", "1.0a1", "1.0a2.dev456", "1.0a12.dev456", "1.0a12", "1.0b1.dev456", "1.0b2", "1.0b2.post345.dev456", "1.0b2.post345", "1.0rc1.dev456", "1.0rc1", "1.0", "1.0+abc.5", "1.0+abc.7", "1.0+5", "1.0.post456.dev34", "1.0.post456", "1.0.15", "1.1.dev1"}},
		{"pre-releases by numbers", []string{"1.0.0-0.3.7", "1.0.0-0.3.8", "1.0.0-x.7.z.92", "1.0.0", "1.0.1-0"}},
		{"spellings of one stage", []string{"3.2-Alpha3", "3.2b1", "3.2-pre4", "3.2.RC5", "v3.2_c6", "3.2", "3.2-post1", "3.2.r2"}},
		{"zeros at the end", []string{"2rc1", "2.0-rc2", "2.0.0-rc.3", "2.0.0", "2.0.0.1"}},
		{"a release after its candidates, of each number", []string{"0.9", "0.10-rc1", "0.10-rc2", "0.10-rc10", "0.10", "0.11"}},
		{"with and without v", []string{"v0.9", "1.0-beta", "v1.0", "V1.1", "version 1.2", "2.0"}},
		{"other words of what is not out", []string{"7.1.0-canary.3", "7.1.0-nightly.20260401", "7.1.0-snapshot", "7.1.0"}},
		{"variants come after what they vary", []string{"4-rc1", "4", "4-long-prompt-rc1", "4-long-prompt", "5"}},
		{"epochs", []string{"2024.4", "1!1.0", "1!1.1"}},
		{"dates", []string{"2024", "2024-9-30", "2024-10-01-rc1", "2024-10-01", "2024-10-01.2", "2024-11-02"}},
		{"dates without hyphens", []string{"20240930", "20241001rc1", "20241001", "20241001.1", "20250101"}},
		{"dates with points", []string{"2024.09.30", "2024.10.01-rc1", "2024.10.01", "2024.10.01-2", "2024.10.02"}},
		{"after a tag", []string{"1.4.2-rc.1", "1.4.2", "1.4.2-14-g2414721", "1.4.3"}},
		{"a name before the number", []string{"prod-9", "prod-10-rc1", "prod-10", "prod-11"}},
		{"names", []string{"", "1", "a", "b", "main", "q", "r"}},
		{"numbers of any length", []string{"99999999999999999999998", "99999999999999999999999-rc1", "99999999999999999999999", "100000000000000000000000"}},
	} {
		for range 20 {
			got := slices.Clone(tc.want)
			rand.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
			slices.SortFunc(got, printable.CompareVersions)
			if !slices.Equal(got, tc.want) {
				t.Errorf("%s\ngot  %q\nwant %q", tc.why, got, tc.want)
				break
			}
		}
	}
}

// The order is one: no cycle among versions of all kinds, and only a version itself equals it.
func TestCompareVersionsIsAnOrder(t *testing.T) {
	all := []string{"", "1", "1.0", "1.0.0", "v1", "1.0-1", "1.0.0-1", "1.0.0-a.1", "1.0a1", "1.0.0-dev", "1.0.0-alpha", "1.0.0-x", "1.0-x", "1.0+x", "1.0.0+x", "1.0.post1", "1.0.0-post1", "1!1", "2024-10-01", "2024.10.1", "main", "rc1", "a1", "dev", "1..2", "1-", "-1", "+", "1.0.0-14-g24", "1.0.0-", "x@1.0", "x@1.0-rc1"}
	for _, a := range all {
		for _, b := range all {
			ab := printable.CompareVersions(a, b)
			if ab != -printable.CompareVersions(b, a) || (ab == 0) != (a == b) {
				t.Errorf("%q and %q: %d, and %d the other way round", a, b, ab, printable.CompareVersions(b, a))
			}
			for _, c := range all {
				if ab < 0 && printable.CompareVersions(b, c) < 0 && printable.CompareVersions(a, c) >= 0 {
					t.Errorf("%q < %q < %q, and not %[1]q < %[3]q", a, b, c)
				}
			}
		}
	}
}
