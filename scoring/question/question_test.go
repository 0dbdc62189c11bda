package question_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring/question"
)

// TestRequests states by example which columns a question asks for, and which only sort, filter
// or say whose they are.
func TestRequests(t *testing.T) {
	for _, tc := range []struct{ question, requested, not string }{
		// What is asked next to a ranking, and what ranks only.
		{"Top 5 drivers with their mileage", "driver mileage", ""},
		{"Top 5 drivers by mileage", "driver", "mileage"},
		{"Top 5 drivers by mileage, with mileage", "driver mileage", ""},
		{"Top 5 drivers by mileage (driver, mileage)", "driver mileage", ""},
		{"Top 5 drivers by mileage: driver and mileage", "driver mileage", ""},
		{"Top 5 drivers by mileage - name, mileage", "name mileage", ""},
		{"the top five drivers by total mileage in March", "driver", "mileage total_mileage"},
		{"Show the ten busiest airports together with passenger numbers.", "airport passenger_numbers", ""},
		{"Show the ten busiest airports.", "airport", "passengers"},
		{"Which clinic treated the most patients?", "clinic", "patients"},
		{"Which clinic treated the most patients, and how many patients?", "clinic patients", ""},
		{"Best paid nurses incl. salary", "nurse salary", ""},
		{"Name the five longest rivers and give their lengths.", "river length", ""},
		{"Name the five longest rivers.", "river", "length"},
		{"Rank the branches by deposits.", "branch", "deposits"},
		{"Rank the branches by deposits and show the deposits.", "branch deposits", ""},
		{"Please give me the top 10 suppliers by spend.", "supplier", "spend"},
		{"Could you list the suppliers with the highest spend, including the spend?", "supplier spend", ""},
		{"Which supplier has the highest spend?", "supplier", "spend"},
		{"Supplier with the lowest defect rate", "supplier", "defect_rate"},
		{"Supplier with the lowest defect rate, and the rate itself", "supplier rate", ""},
		{"What are the defect rates of the three worst suppliers?", "defect_rate", "supplier"},
		{"Defect rate of the worst supplier", "defect_rate", "supplier"},
		{"Which wells produced most, and what was the output of each?", "well output", ""},
		{"Show players and goals of the five best scorers.", "player goals", ""},
		{"List the five best scorers.", "scorer", "goals"},
		{"Who were the three fastest runners? Show their times too.", "runner time", ""},
		{"Which plant emits the most CO2? Also state the emissions.", "plant emissions", "co2"},
		{"Give the three oldest bridges along with the year of construction", "bridge year_of_construction", ""},
		{"the bridge that has carried the most trains", "bridge", "trains"},
		{"the 3 cheapest flights to Oslo, plus airline", "flight airline", "oslo"},
		{"Find the cheapest flight to Oslo accompanied by its airline and departure time", "flight airline departure_time", ""},
		{"What were the turnovers of the four largest shops?", "turnover", "shop"},
		{"For each team, the player with the most goals", "team player", "goals"},
		{"For each team, the player with the most goals and the number of goals", "team player goals", ""},
		{"What is the highest bid and who made it?", "bid", ""},
		{"The four tallest towers in order of height", "tower", "height"},
		{"List the towers sorted by height.", "tower", "height"},
		{"List towers and heights sorted by height.", "tower height", ""},
		{"Departments ranked by average tenure", "department", "tenure avg_tenure"},
		// Groups are requested.
		{"Beds per ward", "beds ward", ""},
		{"bed count by ward", "bed_count ward", ""},
		{"For every ward, the number of beds", "ward beds", ""},
		{"How many beds does each ward have?", "beds ward", ""},
		{"Number of admissions in each month of 2021", "admissions month", ""},
		{"Sales by region and quarter, 2023", "sales region quarter", ""},
		{"Give me each carrier's share of late parcels", "carrier share", ""},
		{"What percentage of parcels arrived late, by carrier?", "percentage carrier", ""},
		{"Compare the revenue of 2023 and 2024 per shop.", "revenue shop", ""},
		{"Average rent grouped by district", "rent district", ""},
		{"What is the median rent in each district, from highest to lowest?", "rent district", ""},
		{"Energy use broken down by building", "building", ""},
		{"For each supplier country, what is the number of suppliers and the number of products?", "country suppliers products", ""},
		{"On each day of June, how many tests were positive?", "day tests", "positive"},
		// Filters are not.
		{"Which drivers live in Essen?", "driver", "essen"},
		{"Names of patients whose blood group is 0", "patient_name", "blood_group"},
		{"Find all invoices over 500 euros with their due dates.", "invoice due_date", "euros"},
		{"Customers with open invoices", "customer", "invoices"},
		{"Customers with an open invoice, plus the amount due", "customer amount_due", "invoice"},
		{"Show title, author and year of books borrowed more than 10 times.", "title author year", "times"},
		{"Employees hired after 2019 and their managers", "employee manager", "2019"},
		{"Products with a price above 100", "product", "price"},
		{"Products with price and stock", "product price stock", ""},
		{"Products never sold", "product", ""},
		{"Departments whose average salary exceeds the company average", "department", "salary"},
		{"What is the phone number of the clinic named Nordstern?", "phone_number", "clinic"},
		{"In which street is the school with the lowest score?", "street", "score school"},
		{"In 2020, which tenants paid late?", "tenant", "2020"},
		{"Among flights to Rome, which airline has the fewest delays?", "airline", "flights delays"},
		{"List the emails of members who joined before 2015 and never renewed.", "email", "joined"},
		{"Which teachers teach more than two subjects, and which subjects are those?", "teacher subject", ""},
		{"Which machines were serviced by the firm Alto?", "machine", "firm"},
		{"Give the serial numbers of pumps in hall 3.", "serial_number", "pump hall"},
		{"Who chairs the committee with the largest budget?", "who", "budget"},
		{"When was the permit for site 9 issued?", "when", "permit site"},
		{"Where are the depots? Give latitude and longitude.", "latitude longitude", ""},
		{"What was the total of paid claims in Porto?", "total", "porto"},
		{"How many vans are parked in Ulm?", "vans", "ulm"},
		{"How much did the repair of lift 4 cost?", "much", "lift"},
		{"How old is the oldest tree in the park?", "old", "park"},
		// More sentences, asides and courtesies.
		{"Which agent sold the most policies? Give the name and branch.", "agent name branch", "policies"},
		{"I would like to know the names and birth dates of all swimmers.", "name birth_date", ""},
		{"We need all open tickets. Include the severity and the owner.", "severity owner", ""},
		{"List all tickets (after deduplication) with the severity.", "ticket severity", "deduplication"},
		{"Please tell me the yield (in percent) of each line", "yield line", "percent"},
		{"Return columns: ship, harbour, arrival", "ship harbour arrival", ""},
		{"ship, harbour and arrival for all ships under Greek flag", "ship harbour arrival", "flag"},
		{"For ships under Greek flag, return the harbour.", "harbour", "flag"},
		{"Show me what each ship carried as well as its captain", "ship captain", ""},
		{"Are there any ships without a captain?", "", "ships captain"},
		{"List every manager along with headcount", "manager headcount", ""},
		{"The name and id of the employee with the lowest salary", "name id employee_name", "salary"},
		{"What are the first and last names of the pilots?", "first_name last_name", ""},
		{"Which customers spent more than 45 in total, and how much?", "customer", "spent"},
	} {
		q := question.Read(tc.question, "")
		for _, name := range strings.Fields(tc.requested) {
			if !q.Requests(name) {
				t.Errorf("%s: %s is not told", tc.question, name)
			}
		}
		for _, name := range strings.Fields(tc.not) {
			if q.Requests(name) {
				t.Errorf("%s: %s is told", tc.question, name)
			}
		}
	}
}

// TestAsksForNumbers states which numbers a question requests, and how many things in all.
func TestAsksForNumbers(t *testing.T) {
	for _, tc := range []struct {
		question string
		measures int
		things   int
		back     bool
	}{
		{"Which ward has most beds?", 0, 1, false},
		{"Which ward has most beds, and how many?", 1, 2, false},
		{"Which ward has most beds, and what is it?", 1, 1, true},
		{"Which fund had the best return and what was it?", 1, 1, true},
		{"Wards by beds", 0, 2, false},
		{"Top 3 wards by beds", 0, 1, false},
		{"Top 3 wards by beds, showing the count", 1, 2, false},
		{"How many beds are there?", 1, 1, false},
		{"What is the average age and total income of the members?", 2, 2, false},
		{"Which agent sold the most policies? Give the name.", 0, 1, false},
		{"Names and salaries of the cooks", 1, 2, false},
	} {
		q := question.Read(tc.question, "")
		if got := len(q.Measures()); got != tc.measures {
			t.Errorf("%s: measures %q, want %d", tc.question, q.Measures(), tc.measures)
		}
		if got := q.Things(); got != tc.things {
			t.Errorf("%s: %d things, want %d", tc.question, got, tc.things)
		}
		if q.AsksBack() != tc.back {
			t.Errorf("%s: asks back %v", tc.question, !tc.back)
		}
	}
}

func TestRequestsAggregate(t *testing.T) {
	for _, tc := range []struct {
		question, function string
		want               bool
	}{
		{"How many boats are there per harbour?", "count", true},
		{"Which harbour has the largest number of boats?", "count", false},
		{"Harbours with more than 20 boats", "count", false},
		{"Total tonnage of each harbour", "sum", true},
		{"Harbours by total tonnage, top 3", "sum", false},
		{"Harbours with a total tonnage above 900", "sum", false},
		{"What is the average draught of the boats?", "avg", true},
		{"Boats above the average draught", "avg", false},
		{"What was the highest price?", "max", true},
		{"Which boat had the highest price?", "max", false},
		{"List the minimum and maximum depth of each dock.", "min", true},
		{"The dock with the lowest depth", "min", false},
		{"Boats of dock 3", "stddev", true}, // a function that it does not know
	} {
		if got := question.Read(tc.question, "").RequestsAggregate(tc.function); got != tc.want {
			t.Errorf("%s: %s is told: %v", tc.question, tc.function, got)
		}
	}
}

func TestOrder(t *testing.T) {
	for _, text := range []string{
		"Show the final table of the regatta as standings.", "List the stages of the tour from start to finish.", "In what order did the boats arrive?", "In which sequence are the valves opened?",
		"Give a chronology of the mergers.", "timeline of the outages", "Show the leaderboard of the hackathon.", "Give the running order of the show.", "List the batting order of the home side.",
		"List the applicants in the order they applied.", "List the claims in the order in which they were settled.", "Give the order in which the witnesses were heard.", "Order of finish in the 1500 m", "Show the itinerary of bus 7.",
		"Show the queue of waiting jobs.", "Print the schedule of hall 2.", "Which steps does the recipe have, one after the other?", "List the floors from bottom to top.", "List the halts of line 3 from first to last.", "the succession of abbots",
		"List the monarchs, earliest first.", "Clients, newest at the top", "Runners ranked by time", "Sort the vats by volume.", "cities from A to Z", "wines by increasing price", "Rank the teams.", "show the ranking of the schools",
		"the agenda of the meeting of 3 May", "Give the history of status changes of ticket 88.", "Show the medal table.", "give the sequence of events of session 5", "Tasks by priority", "List the songs in playing order.",
		"cars from cheap to expensive", "measurements sorted by time", "top 4 harbours by tonnage", "The payments in chronological order", "from the oldest to the youngest member", "List members alphabetically.", "Give the route of truck 9, stop by stop.",
		"What is the order of the stops on line 5?", "Show the starting grid.", "loans in descending order of amount", "List the visitors, most frequent first.", "Countdown of the ten best songs",
	} {
		if question.Read(text, "").Order() == "" {
			t.Errorf("%s: no order", text)
		}
	}
	for _, text := range []string{
		"What sort of boats are there?", "List the customers in any order.", "List the boats; the order does not matter.", "Which orders were shipped late?", "In order to plan, list the free docks.", "List the first names of the pilots.",
		"How many boats arrived in each month?", "What is the order number of the largest order?", "Which products were ordered by customer 5?", "boats in no particular order", "Which currencies do we hold?", "Sales by year", "Names of the history teachers",
		"List the boats regardless of order.", "Which schedules were changed?", "Give the highest bid.", "Which ranks are there in the navy?", "all docks (unsorted)", "Who holds the record?", "Which routes does the carrier fly?", "list the order of customer 5",
		"What is in the queue table for printer 9?", "Boats and their captains", "List the tickets that were closed first by Ann.",
	} {
		if o := question.Read(text, "").Order(); o != "" {
			t.Errorf("%s: order %q", text, o)
		}
	}
	if question.Read("List the boats.", "sort by tonnage").Order() == "" || question.Read("List the boats in any order.", "sort by tonnage").Order() != "" {
		t.Error("what came with the question asks for an order unless the question takes it back")
	}
}

func TestAtLeastOne(t *testing.T) {
	for _, text := range []string{
		"Which hives have queens, and how many?", "Hives with at least one queen and their number of queens", "Which beekeepers sold honey, and how many jars?", "Count of jars per beekeeper who sold any", "For hives that have queens, the number of queens",
		"Number of queens per hive, for hives with one or more", "Queens per hive, more than zero only", "queens per hive, excluding hives without queens", "Show hives with a nonzero queen count", "Queens of each non-empty hive", "Who bought jars, and how many each?",
		"How many jars did each beekeeper with any jars sell?", "Beekeepers who sold jars, with the number of jars", "Number of visits of each patient that had visits", "Which patients visited the clinic and how often?", "Visits per patient with visits",
		"Only count patients who came at least twice: visits per patient", "Which departments made hires in 2022? Show the hires.", "Number of queens of every active hive (a hive is active if it has one queen or more)", "Visits per patient; leave out those with none",
		"Which agents closed deals in May?", "Projects that received grants and the grant total", "Report stations that recorded strikes along with strike counts", "Which lenders had any defaults?", "Which regions actually produced wine, and how many bottles?",
	} {
		if !question.Read(text, "").AtLeastOne("queens", "jars", "visits", "grants", "strikes") {
			t.Errorf("%s: groups with nothing belong to it", text)
		}
	}
	for _, text := range []string{
		"How many jars did each beekeeper sell?", "Queens per hive", "Number of queens for every hive", "For each hive, how many queens are there?", "Which hives have queens, and how many? Include hives without queens.", "Jars per beekeeper, 0 if none",
		"All hives with their number of queens, even if they have none", "How many visits did each patient who lives in Celle make?", "Number of visits per patient, including those who never came", "Hives and queens", "", "Show each hive and the queens in it, if any",
		"How many jars were sold by each beekeeper?", "What is the number of grants of each project that is located in Ghent?", "Show zero for hives without queens: queens per hive", "For each hive that is older than its keeper, list the queens", "Which hive has the fewest queens?",
	} {
		if question.Read(text, "").AtLeastOne("queens", "jars", "visits", "grants") {
			t.Errorf("%s: groups with nothing do not belong to it", text)
		}
	}
}

func TestEveryRow(t *testing.T) {
	for _, text := range []string{
		"List the colour of each car, one row per car.", "Show the fare of every trip.", "List all deposits of May: branch and amount.", "The price on each line of receipt 4", "Give the weight of every parcel of batch 6.", "List the amounts of all refunds in June.",
		"Colours of the cars, including duplicates", "A line for each sample with its pH", "Which scores did each judge give? Equal scores count.", "Do not remove duplicates: shoe sizes of the team", "Show the status of each shipment.", "Every payment of member 7",
		"List all measurements of probe 3.", "show the rating of each review of hotel 9", "All withdrawals on 3 March", "severity of every single incident",
	} {
		if !question.Read(text, "").EveryRow() {
			t.Errorf("%s: rows may come once", text)
		}
	}
	for _, text := range []string{
		"Which colours do the cars have?", "List the different colours of all cars.", "Names of all patients who had a scan", "Names of every student who owns a dog", "List the unique fares of all trips.", "Which genres are there?", "All customers", "List all departments.",
		"How many trips did each driver make?", "What is the total of all refunds?", "", "Titles of all films with a sequel", "Give the distinct weights of every parcel.", "Average fare of all trips", "In which cities do all members live?",
	} {
		if question.Read(text, "").EveryRow() {
			t.Errorf("%s: every row counts", text)
		}
	}
}

func TestDigits(t *testing.T) {
	for text, want := range map[string]int{
		"to two decimals": 2, "Round to 3 decimal places.": 3, "with one decimal": 1, "as a whole percent": 0, "rounded to the nearest whole number": 0, "to the cent": 2, "to the nearest cent": 2, "rounded to integers": 0, "to four digits": 4, "without decimals": 0,
		"decimal places: 2": 2, "rounded to the nearest euro": 0, "to the nearest tenth": 1, "zero decimals": 0, "a single decimal digit": 1, "in whole minutes": 0,
	} {
		if got, ok := question.Read("What was the mean price, "+text, "").Digits(); !ok || got != want {
			t.Errorf("%s: %d, %v; want %d", text, got, ok, want)
		}
		if got, ok := question.Read("What was the mean price?", text).Digits(); !ok || got != want {
			t.Errorf("with the question, %s: %d, %v; want %d", text, got, ok, want)
		}
	}
	for text, want := range map[string]bool{
		"What is the exact amount?": true, "Do not round.": true, "Round the result.": true, "Give the unrounded mean.": true, "What is the mean?": false, "Which teams have exactly 5 players?": false, "How many rounds were played?": false, "whole milk sold in May": false,
		"The nearest depot": true, // may be about rounding
	} {
		if got := question.Read(text, "").Rounds(); got != want {
			t.Errorf("%s: says how to round: %v", text, got)
		}
		if n, ok := question.Read(text, "").Digits(); ok {
			t.Errorf("%s: %d digits", text, n)
		}
	}
}

func TestNamesAndIDs(t *testing.T) {
	for _, tc := range []struct {
		question string
		name, id bool
	}{
		{"Names of the pilots", true, false},
		{"Who flew to Oslo?", true, false},
		{"Title of the longest film", true, false},
		{"ids of the pilots named Ann", false, true},
		{"What is the order number of the largest order?", false, true},
		{"Give the name and id of each pilot.", true, true},
		{"Which pilots flew to Oslo?", false, false},
		{"How many pilots have the name Ann?", false, false},
		{"the number of pilots", false, false},
		{"List the product codes of hall 3.", false, true},
		{"Loans per branch id.", false, true},
		{"For each depot id, how many vans are there? Return their names.", true, true},
	} {
		q := question.Read(tc.question, "")
		if q.AsksName() != tc.name || q.AsksID() != tc.id {
			t.Errorf("%s: names %v, ids %v", tc.question, q.AsksName(), q.AsksID())
		}
	}
	for text, want := range map[string]bool{"Is any valve open?": true, "Does valve 3 leak?": true, "Are there pumps without a filter?": true, "Which valves are open?": false, "Can you list the valves?": false, "Could you tell me which valves are open?": false} {
		if got := question.Read(text, "").YesNo(); got != want {
			t.Errorf("%s: yes or no: %v", text, got)
		}
	}
}

// TestReadings reads questions of many domains and registers, on both sides of each border.
func TestReadings(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "readings.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	readings := map[string]func(q *question.Question) bool{
		"more":  func(q *question.Question) bool { return q.AsksBack() || len(q.Measures()) > 0 || q.Things() > 1 },
		"least": func(q *question.Question) bool { return q.AtLeastOne("orders", "n") },
		"row":   (*question.Question).EveryRow,
		"order": func(q *question.Question) bool { return q.Order() != "" },
	}
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		cells := strings.Split(lines.Text(), "\t")
		if len(cells) != 3 || readings[cells[0]] == nil || cells[1] != "yes" && cells[1] != "no" {
			t.Fatalf("%q is no reading", lines.Text())
		}
		n++
		if got := readings[cells[0]](question.Read(cells[2], "")); got != (cells[1] == "yes") {
			t.Errorf("%s: %s is read as %v", cells[2], cells[0], got)
		}
	}
	if n < 150 {
		t.Errorf("%d readings", n)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("Top 3 products by revenue (product, revenue), with \"x\" and their 'y")
	f.Add("(((")
	f.Add("List the customer's, and who’s, 3.5 % – etc.")
	f.Fuzz(func(t *testing.T, text string) {
		q := question.Read(text, text)
		q.Requests(text)
		q.RequestsAggregate("sum")
		q.Order()
		q.AtLeastOne(text)
		q.EveryRow()
		q.Digits()
		q.Rounds()
		if q.Things() < 0 || len(q.Measures()) > len(text) {
			t.Error("more is asked than there are words")
		}
	})
}

func BenchmarkRead(b *testing.B) {
	const text = "For each supplier country, what is the number of suppliers and the number of products, and which one has the most?"
	for name, ask := range map[string]func(q *question.Question){
		"requests": func(q *question.Question) { q.Requests("country") },
		"order":    func(q *question.Question) { q.Order() },
		"least":    func(q *question.Question) { q.AtLeastOne("products") },
		"rows":     func(q *question.Question) { q.EveryRow() },
		"round":    func(q *question.Question) { q.Rounds() },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				ask(question.Read(text, ""))
			}
		})
	}
}
