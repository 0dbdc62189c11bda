package question

import "testing"

// Orders that questions ask for by the course of events or by who stands where, and the same words
// otherwise.
func TestOrderOfCourses(t *testing.T) {
	for text, want := range map[string]bool{
		"Retell the innings over by over.":                            true,
		"Show the goals of match 7 as they fell.":                     true,
		"List the alarms just as they came in.":                       true,
		"Give the entries as they were made.":                         true,
		"the calls as received":                                       false,
		"Berths by length, longest berth heading the list":            true,
		"Rowers, most experienced rower in front":                     true,
		"Peaks, highest at the very top":                              true,
		"Loans with the largest up front":                             true,
		"Loans, biggest debtor to begin with":                         true,
		"Follow parcel 12 on its way from the depot to the customer.": true,
		"Describe the stages of the lawsuit from filing to verdict.":  true,
		"Players from the bottom of the league to the top":            true,
		"The cheapest should precede the dearest.":                    true,
		"hotels, dearest down to cheapest":                            true,
		"Put the heaviest sacks on top.":                              true,
		"Begin with the youngest.":                                    true,
		"The youngest goes first.":                                    true,
		"The best ones should come first.":                            true,
		"Least used machine last.":                                    true,
		"reverse chronologically":                                     true,
		"How far is it from the top of the hill to the lake?":         false,
		"Which lines run from north to south?":                        true,
		"Which pupils passed the course from May to July?":            false,
		"How many trains went from Kiel to Bonn day and night?":       false,
		"the leading scorer":                                          false,
		"What is the best time before noon?":                          false,
		"List the largest ships before 1950.":                         false,
		"Which farms have the lowest yield by hectare?":               false,
		"Which cases took longest as of today?":                       false,
		"Is the oldest mill above the town?":                          false,
	} {
		if got := Read(text, "").Order(); (got != "") != want {
			t.Errorf("%q: %q, want an order: %v", text, got, want)
		}
	}
}

func TestBlank(t *testing.T) {
	for text, want := range map[string]bool{
		"Marks per pupil; absent pupils stay empty.":                         true,
		"Number of nests per bay, null if the bay was not visited":           true,
		"Number of nests per bay, where bays that were never surveyed count": true,
		"Nests per bay (unknown when nobody looked)":                         true,
		"Nests per bay. There is no data for some bays.":                     true,
		"Nests per bay, 0 where not measured":                                false,
		"How many empty beds has each ward?":                                 false,
		"How many parcels are missing in each depot?":                        false,
		"How many persons of unknown age live in each street?":               false,
		"How many open cases has each court?":                                false,
		"How many seats are empty on each flight?":                           false,
		"Stock per article":                                                  false,
	} {
		if got := Read(text, "").Blank(); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestOnce(t *testing.T) {
	for text, want := range map[string]bool{
		"List the different breeds.":                         true,
		"What are the unique colours of the buses?":          true,
		"Which distinct ports occur?":                        true,
		"Breeds without duplicates":                          true,
		"How many different breeds are there?":               false,
		"Show each farm with its number of distinct breeds.": false,
		"Which farms have different owners?":                 false,
		"List the animals of different farms.":               false,
		"Which breeds occur?":                                false,
	} {
		if got := Read(text, "").Once(); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestSelected(t *testing.T) {
	for text, want := range map[string]bool{
		"Which wards did nurses report, and how often?":                     true,
		"What tools have the miners broken, and how many times?":            true,
		"Who was fined and how much did they pay?":                          true,
		"Which routes were closed last winter, and how frequently?":         true,
		"Which clubs did we beat and how often?":                            true,
		"How often did each driver stop?":                                   false,
		"Which drivers are there, and how often did each of them stop?":     false,
		"Which wards are located upstairs, and how many beds do they have?": false,
		"How many stops did all drivers make?":                              false,
	} {
		if got := Read(text, "").AtLeastOne(); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
