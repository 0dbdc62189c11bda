package resultfile_test

import (
	"testing"

	"github.com/badger-eval/badger/scoring"
)

// Texts that say more than a number stay texts: no two different ones of a column become one value.
func TestCSVKeepsCodes(t *testing.T) {
	for _, tc := range []struct{ why, text, want string }{
		{"versions", "v\n4.1\n4.10\n", "v STRING: 4.1|4.10"},
		{"a zero at the end beside more digits", "v\n2.30\n2.314\n", "v STRING: 2.30|2.314"},
		{"sections with whole numbers", "s\n7\n7.20\n7.3\n", "s STRING: 7|7.20|7.3"},
		{"money has two digits everywhere", "v\n4.10\n4.25\n12.00\n", "v FLOAT64: 4.1|4.25|12"},
		{"and whole amounts may have none", "v\n4\n4.50\n", "v FLOAT64: 4|4.5"},
		{"doubles as programs print them", "v\n4.0\n4.25\n4.5\n", "v FLOAT64: 4|4.25|4.5"},
		{"doubles beside integers", "v\n5\n4.0\n", "v FLOAT64: 5|4"},
		{"5 and 5.0 are two texts", "v\n5\n5.0\n", "v STRING: 5|5.0"},
		{"and so are 5 and 5.00", "v\n5\n5.00\n6.00\n", "v STRING: 5|5.00|6.00"},
		{"one number twice is one text", "v\n5.0\n5.0\n4\n4\n", "v FLOAT64: 5|5|4|4"},
		{".5 and 0.5", "v\n.5\n0.5\n", "v STRING: .5|0.5"},
		{".5 and 0.25", "v\n.5\n0.25\n", "v FLOAT64: 0.5|0.25"},
		{"negative ones", "v\n-3.10\n-3.1\n", "v STRING: -3.10|-3.1"},
		{"after NULL", "v,w\n,1\n1.10,1\n1.2,1\n", "v STRING: NULL|1.10|1.2\nw INT64: 1|1|1"},
		{"decimals of many digits and one scale", "v\n0.1234567890123456789010\n0.1234567890123456789011\n", "v DECIMAL: 0.1234567890123456789010|0.1234567890123456789011"},
	} {
		got, err := read(t, "r.csv", tc.text, nil)
		if err != nil || show(got) != tc.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", tc.why, err, show(got), tc.want)
		}
	}
}

// What a program prints for NULL is NULL beside numbers, truth values, dates and times, in any form;
// among texts it is one, unless the file shows that its writer prints NULL so.
func TestCSVWordsForNull(t *testing.T) {
	for _, tc := range []struct{ why, text, want string }{
		{"beside integers", "v\n7\nNULL\n9\n", "v INT64: 7|NULL|9"},
		{"first", "v\nnull\nnull\n9\n", "v INT64: NULL|NULL|9"},
		{"beside fractions", "v\n(null)\n7.5\n", "v FLOAT64: NULL|7.5"},
		{"beside dates", "v\n2024-05-01\nNaT\n", "v DATE: 2024-05-01|NULL"},
		{"beside timestamps", "v\n2024-05-01 10:00:00\n<NA>\nNone\n", "v TIMESTAMP: 2024-05-01 10:00:00|NULL|NULL"},
		{"NaN beside dates is no number", "v\nNaN\n2024-05-01\n", "v DATE: NULL|2024-05-01"},
		{"NaN beside numbers is one", "v\nNaN\nNULL\n2\n", "v FLOAT64: NaN|NULL|2"},
		{"beside truth values", "v\ntrue\nN/A\n", "v BOOL: true|NULL"},
		{"beside numbers that the comparison reads", "v\nNULL\n\"12,345.50\"\n3.25\n", "v STRING: NULL|12,345.50|3.25"},
		{"beside dates that the comparison reads", "v\n[NULL]\n24.12.2023\n", "v STRING: NULL|24.12.2023"},
		{"beside money", "v\nNA\n$4.20\n", "v STRING: NULL|$4.20"},
		{"beside versions", "v\nnull\n4.10\n4.2\n", "v STRING: NULL|4.10|4.2"},
		{"quoted", "\"v\"\n\"NULL\"\n\"3\"\n", "v INT64: NULL|3"},
		{"the backslash of unloads, in any column", "v,w\n\\N,x\n2,\\N\n", "v INT64: NULL|2\nw STRING: x|NULL"},
		{"a surname", "v\nNull\nSmith\n", "v STRING: Null|Smith"},
		{"a country", "v\nNA\nDE\n", "v STRING: NA|DE"},
		{"a choice", "v\nNone\nBoth\n1\n", "v STRING: None|Both|1"},
		{"among texts, and so in a column of numbers", "v,w\nNULL,NULL\nx,3\n", "v STRING: NULL|x\nw INT64: NULL|3"},
		{"another word than in the column of numbers", "v,w\nNone,NULL\nx,3\n", "v STRING: None|x\nw INT64: NULL|3"},
		{"quoted where the NULL of numbers is not", "v,w\n\"NULL\",NULL\nx,3\n", "v STRING: NULL|x\nw INT64: NULL|3"},
		{"nothing but NULL", "v\nNULL\n\\N\nNaT\n", "v NULL: NULL|NULL|NULL"},
		{"nothing but a word that may be one", "v\nNone\nNone\n", "v STRING: None|None"},
		{"no word for NULL", "v\nnot applicable\n3\n", "v STRING: not applicable|3"},
		{"mixed case", "v\nnUlL\n3\n", "v STRING: nUlL|3"},
	} {
		got, err := read(t, "r.csv", tc.text, nil)
		if err != nil || show(got) != tc.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", tc.why, err, show(got), tc.want)
		}
	}
	// Show does not tell NULL from the text NULL.
	got, err := read(t, "r.csv", "v,w,x\nNULL,NULL,None\nx,3,y\n", nil)
	if err != nil || !got.Columns[0].IsNull(0) || got.Columns[2].IsNull(0) {
		t.Errorf("the writer prints NULL as NULL, and None is a text: %v %v", err, got)
	}
	if got, err = read(t, "r.csv", "v,w\n\"NULL\",NULL\nx,3\n", nil); err != nil || got.Columns[0].IsNull(0) {
		t.Errorf("a quoted word is a text where NULL is not quoted: %v", err)
	}
}

// In JSON, too, words for NULL are NULL beside numbers and dates, as values and as text.
func TestJSONWordsForNull(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{`[{"v":"NULL"},{"v":12.5}]`, "v FLOAT64: NULL|12.5"},
		{`[{"v":"N/A"},{"v":"12.5"},{"v":"1,000"}]`, "v STRING: NULL|12.5|1,000"},
		{`[{"v":"None"},{"v":"Both"}]`, "v STRING: None|Both"},
		{`{"columns":["v"],"rows":[["NaT"],["2024-05-01"]]}`, "v STRING: NULL|2024-05-01"},
		{`{"columns":[{"name":"v","type":"DATE"}],"rows":[["NaT"],["2024-05-01"]]}`, "v DATE: NULL|2024-05-01"},
		{`{"columns":[{"name":"v","type":"NUMBER(9,2)"}],"rows":[["NULL"],["7.10"]]}`, "v DECIMAL: NULL|7.10"},
		{`{"columns":[{"name":"v","type":"VARCHAR"}],"rows":[["NULL"],["7.10"]]}`, "v STRING: NULL|7.10"},
	} {
		got, err := read(t, "r.json", tc.text, nil)
		if err != nil || show(got) != tc.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", tc.text, err, show(got), tc.want)
		}
	}
	declared, err := read(t, "r.json", `{"columns":[{"name":"v","type":"VARCHAR"}],"rows":[["NULL"],["7.10"]]}`, nil)
	if err != nil || declared.Columns[0].IsNull(0) {
		t.Errorf("a text of a declared type is a text: %v", err)
	}
}

// The digits that a column shows leave out the zero of whole doubles, and how numbers were written is
// told of columns of CSV alone.
func TestShownDigits(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		scale      int32
		written    scoring.Written
	}{
		{"r.csv", "v\n2631.0\n18.0\n", 0, scoring.WrittenPlain},
		{"r.csv", "v\n2631.0\n18.5\n", 1, scoring.WrittenPlain},
		{"r.csv", "v\n2631.00\n18.00\n", 2, scoring.WrittenPadded},
		{"r.csv", "v\n2631\n18.25\n", 2, scoring.WrittenPlain},
		{"r.csv", "v\n2631\n18\n", 0, scoring.NotWritten},
		{"r.json", `[{"v":2631.0},{"v":18.0}]`, 0, scoring.NotWritten},
		{"r.json", `[{"v":2631.50},{"v":18.0}]`, 2, scoring.NotWritten},
		{"r.json", `{"columns":[{"name":"v","type":"DOUBLE"}],"rows":[[3.0],[4.0]]}`, 0, scoring.NotWritten},
	} {
		got, err := read(t, tc.name, tc.text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c := &got.Columns[0]; c.Scale != tc.scale || c.Written != tc.written {
			t.Errorf("%s: %d digits, written %d; want %d, %d", tc.text, c.Scale, c.Written, tc.scale, tc.written)
		}
	}
}
