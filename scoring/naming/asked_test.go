package naming_test

import (
	"testing"

	"github.com/badger-eval/badger/scoring/naming"
)

// TestBelies checks names that say what a question does not ask for.
func TestBelies(t *testing.T) {
	for _, tt := range []struct {
		question, known, name string
		want                  bool
	}{
		{"How many parcels arrived in 2021?", "n", "parcels_2022", true},
		{"How many parcels arrived in 2021?", "n", "parcels_2021", false},
		{"How many parcels arrived in 2021?", "n", "parcels_fy21", false},
		{"How many parcels arrived between 2019 and 2021?", "n", "parcels_2020", false},
		{"How many parcels arrived between 2019 and 2021?", "n", "parcels_2022", true},
		{"How many parcels arrived after 2021?", "n", "parcels_since_2022", false},
		{"Parcels of 2021 and of the previous year", "n", "parcels_2020", false},
		{"Parcels of 2021", "parcels_2020", "n_2020", false},
		{"How many parcels arrived?", "n", "parcels_2022", false},
		{"Parcels of Q3 2021", "n", "parcels_q2", true},
		{"Parcels of the third quarter", "n", "q3_parcels", false},
		{"Parcels of October 2021", "n", "parcels_nov", true},
		{"Parcels of October 2021", "n", "oct_parcels", false},
		{"Parcels from 2021-10-01 to 2021-12-31", "n", "parcels_dec", false},
		{"The 95th percentile of the weight", "weight", "weight_p90", true},
		{"The 95th percentile of the weight", "weight", "p95_weight", false},
		{"The 20 heaviest parcels of 2021", "n", "top_20", false},

		{"How many lockers are still enabled?", "n", "disabled_lockers", true},
		{"How many lockers are still enabled?", "n", "active_lockers", false},
		{"How many lockers are enabled, and how many disabled?", "n", "disabled_lockers", false},
		{"How many lockers are not disabled?", "n", "enabled_lockers", false},
		{"How many lockers are not disabled?", "n", "disabled_lockers", true},
		{"Lockers that are still enabled (not disabled), by city", "n", "disabled_lockers", true},
		{"The punctual share of parcels", "share", "late_share", true},
		{"The punctual share of parcels", "share", "on_time_share", false},
		{"What is owed (invoices minus payments) by customer?", "owed", "billed", false},
		{"Share of punctual parcels", "late", "delayed", false},
		{"When did the newest locker open?", "opened", "start_date", false},
		{"The shortest route", "km", "max_length", false},
		{"Parcels by locker", "n", "late_parcels", false},
	} {
		if got := naming.Read(tt.name).Belies(naming.Read(tt.question), naming.Read(tt.known)); got != tt.want {
			t.Errorf("Belies(%q) of %q, known as %q: got %v, want %v", tt.name, tt.question, tt.known, got, tt.want)
		}
	}
}
