package naming_test

import (
	"testing"

	"github.com/badger-eval/badger/scoring/naming"
)

// TestDenials checks words that deny what is behind them, and who does and suffers a deed.
func TestDenials(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"permit", "lacks_permit", true},
		{"permitted", "without_permit", true},
		{"has_licence", "lacks_license", true},
		{"licensed", "lacks_licence", true},
		{"insured", "without_cover", true},
		{"obeys_code", "violates_code", true},
		{"compliant", "violates_norm", true},
		{"has_bugs", "bug_free", true},
		{"faults", "free_of_faults", true},
		{"seaworthy", "has_damage", true},
		{"fit", "hurt", true},
		{"uninjured", "wounded", true},
		{"consignor", "consignee", true},
		{"assessor", "assessee", true},
		{"appointer", "appointee", true},
		{"promisors", "promisee", true},
		{"interviewed", "interviewed_by", true},
		{"audited", "auditor", true},
		{"claimants", "accused", true},
		{"judge", "judged", true},
		{"has_visa", "missing_visa", true},
		{"overtime_hours", "undertime_hours", true},
		{"premarket_volume", "postmarket_volume", true},
		{"uphill_km", "downhill_km", true},
		{"onshore_wells", "offshore_wells", true},
		{"prepaid", "postpaid_lines", true},
		{"inhaled", "exhaled", true},
		{"northbound", "southbound", true},
		{"dayshift_staff", "nightshift_staff", true},
		{"preschool", "postman", false},
		{"online_offline_ratio", "offline", false},
		{"overall", "underlying", false},

		{"lacks_permit", "without_permit", false},
		{"bug_free", "free_of_bugs", false},
		{"not_without_permit", "permit", false},
		{"rooms_free", "rooms", false},
		{"rooms_free", "free_rooms", false},
		{"failed_logins", "unsuccessful_logins", false},
		{"goals_scored", "scorer_goals", false},
		{"auditor", "audited_by", false},
		{"mentor", "mentored_by", false},
		{"employer_employees", "employees", false},
		{"career", "cared", false},
		{"permit", "permits", false},
	} {
		a, b := naming.Read(tt.a), naming.Read(tt.b)
		if a.Contradicts(b) != tt.want || b.Contradicts(a) != tt.want {
			t.Errorf("%s, %s: contradict each other: %t, want %t", tt.a, tt.b, !tt.want, tt.want)
		}
	}
	if a := naming.Read("auditor").Affinity(naming.Read("audited_by")); a < 0.5 {
		t.Errorf("auditor, audited_by: %v", a)
	}
	if naming.Read("treated").Same(naming.Read("treated_by")) {
		t.Error("treated and treated_by are the same")
	}
}
