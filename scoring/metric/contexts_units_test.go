package metric

import (
	"encoding/json"
	"testing"
)

// A figure of a passage supports one of a response only in the same unit, or converted to it.
func TestUnitsOfPassages(t *testing.T) {
	for _, c := range []struct{ response, passage, want string }{
		{"The road is 5 km long.", "The road is 5 m long.", claimContradicted},
		{"The road is 5 km long.", "The road is 5000 m long.", claimSupported},
		{"The road is 5 km long.", "The road is 5,000 meters long.", claimSupported},
		{"The road is 5000 m long.", "The road is 5 km long.", claimSupported},
		{"The road is 5 m long.", "The road is 5 km long.", claimContradicted},
		{"The pipeline is 1.5 km long.", "The pipeline is 1,500 m long.", claimSupported},
		{"The firm earned $5m last year.", "The firm earned $5 million last year.", claimSupported},
		{"The truck weighs 3.2 pounds.", "The truck weighs 3.2 tonnes.", claimContradicted},
		{"The box weighs 40 pounds.", "The box weighs 40 kg.", claimContradicted},
		{"The box weighs 22.05 pounds.", "The box weighs 10 kg.", claimSupported},
		{"The ticket costs 40 pounds.", "The ticket costs £40.", claimSupported},
		{"The plant delivers 40 MW.", "The plant delivers 40 GW.", claimContradicted},
		{"The plant delivers 40 MW.", "The plant delivers 40,000 kW.", claimSupported},
		{"A page costs 50 cents.", "A page costs $0.50.", claimSupported},
		{"A page costs 50 cents.", "A page costs 50 dollars.", claimContradicted},
		{"A page of the journal costs 0.50 euros.", "A page of the journal costs 50 cents.", claimSupported},
		{"The wall is 8 cubits high.", "The wall is 8 meters high.", undecidedClaim},
		{"The firm employs 12 engineers.", "The firm employs twelve engineers.", undecidedClaim},
		{"The firm employs 12 engineers.", "The firm employs 21 engineers in twelve halls.", claimContradicted},
		{"The firm employs 12 engineers.", "The firm employs engineers.", claimUnsupported},
		{"The flight leaves Oslo at 6:45 pm.", "The flight leaves Oslo at 18.45.", undecidedClaim},
		{"The flight leaves Oslo at 6:45 pm.", "The flight leaves Oslo at 18:45.", claimSupported},
		{"The flight leaves Oslo at 6:45 pm.", "The flight leaves Oslo at 17.45.", claimUnsupported},
	} {
		contexts, err := json.Marshal([]map[string]string{{"id": "a", "text": c.passage}})
		if err != nil {
			t.Fatal(err)
		}
		passages, err := readPassages(contexts)
		if err != nil {
			t.Fatal(err)
		}
		check := &contextCheck{passages: passages, counts: map[string]int{}}
		check.all(c.response)
		if len(check.list) != 1 || check.list[0].Verdict != c.want {
			t.Errorf("%q by %q: %+v, want %s", c.response, c.passage, check.list, c.want)
		}
	}
}
