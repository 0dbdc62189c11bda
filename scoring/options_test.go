package scoring

import (
	"encoding/json"
	"strings"
	"testing"
)

type sample struct {
	Share   float64            `json:"share"`
	Sort    string             `json:"sort"`
	Asks    bool               `json:"asks"`
	Rows    int                `json:"rows"`
	Most    *float64           `json:"most"`
	Allow   []string           `json:"allow"`
	Weights map[string]float64 `json:"weights"`
}

func declareSample(check func(*sample) error) *DeclaredOptions[sample] {
	return DeclareOptions(sample{Share: 0.5, Sort: "gold", Rows: 3}, check,
		Option{Name: "share", Min: At(0), Below: At(1), Doc: "d"},
		Option{Name: "sort", Choices: []string{"gold", "keep"}, Doc: "d"},
		Option{Name: "asks", Doc: "d"},
		Option{Name: "rows", Min: At(1), Doc: "d"},
		Option{Name: "most", Max: At(2), Unset: "the share", Doc: "d"},
		Option{Name: "allow", Choices: []string{"a", "b", "c"}, Doc: "d"},
		Option{Name: "weights", Above: At(0), Doc: "d"},
	)
}

func TestDeclareOptionsDerivesTypesAndDefaults(t *testing.T) {
	var got []string
	for _, o := range declareSample(nil).List {
		got = append(got, o.String())
	}
	want := []string{
		"share (number, at least 0 and less than 1; default: 0.5): d",
		"sort (string, gold or keep; default: gold): d",
		"asks (boolean; default: false): d",
		"rows (integer, at least 1; default: 3): d",
		"most (number, at most 2; default: the share): d",
		"allow (list of strings, a, b or c; default: none): d",
		"weights (object of numbers, more than 0; default: none): d",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("options are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestDeclaredOptionsCheck(t *testing.T) {
	d := declareSample(func(o *sample) error {
		if o.Sort == "keep" && o.Rows > 5 {
			return errTooMany
		}
		return nil
	})
	for _, tc := range []struct{ raw, says string }{ // says: what the error must say; empty: there is none
		{``, ""},
		{`null`, ""},
		{`{}`, ""},
		{`{"share": 0, "sort": "keep", "asks": true, "rows": 5, "most": 2, "allow": ["a", "c"], "weights": {"x": 1}}`, ""},
		{`{"share": null, "most": null, "allow": null}`, ""},
		{`{"shore": 0.1}`, `unknown option "shore"; did you mean share`},
		{`{"Share": 0.1}`, `unknown option "Share"`},
		{`{"qqqqqqqq": 1}`, "there are share, sort, asks"},
		{`{"share": 1}`, "option share is 1, expected at least 0 and less than 1"},
		{`{"share": -0.1}`, "option share is -0.1, expected"},
		{`{"share": "half"}`, "option share is a JSON string, expected number"},
		{`{"sort": "none"}`, `option sort is "none", expected gold or keep`},
		{`{"rows": 0}`, "option rows is 0, expected at least 1"},
		{`{"rows": 1.5}`, "option rows is a JSON number 1.5, expected integer"},
		{`{"most": 3}`, "option most is 3, expected at most 2"},
		{`{"allow": ["a", "d"]}`, `option allow[1] is "d", expected a, b or c`},
		{`{"weights": {"x": 1, "y": 0}}`, "option weights.y is 0, expected more than 0"},
		{`{"sort": "keep", "rows": 6}`, "too many"},
		{`[]`, "expected a JSON object"},
		{`{} {}`, "expected a JSON object"},
	} {
		err := d.Check(json.RawMessage(tc.raw))
		if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: got %v, want %q", tc.raw, err, tc.says)
		}
	}
}

type constError string

func (e constError) Error() string { return string(e) }

const errTooMany = constError("too many")

// A check of all options together sees what the deployment and the case give between them.
func TestDeclaredOptionsRead(t *testing.T) {
	d := declareSample(func(o *sample) error {
		if o.Sort == "keep" && o.Rows > 5 {
			return errTooMany
		}
		return nil
	})
	in := &Input{options: []json.RawMessage{json.RawMessage(`{"rows": 6, "allow": ["a"]}`), json.RawMessage(`{"share": 0.25}`)}}
	o, err := d.Read(in)
	if err != nil || o.Rows != 6 || o.Share != 0.25 || o.Sort != "gold" || len(o.Allow) != 1 {
		t.Errorf("options are %+v (%v)", o, err)
	}
	if d.Defaults.Rows != 3 || d.Defaults.Allow != nil {
		t.Errorf("reading changed the defaults: %+v", d.Defaults)
	}
	in.options = append(in.options, json.RawMessage(`{"sort": "keep"}`))
	if _, err := d.Read(in); err == nil {
		t.Error("options that do not go together are accepted when they come from two places")
	}
}

func TestDeclareOptionsPanics(t *testing.T) {
	type one struct {
		A string `json:"a"`
	}
	type own struct {
		A struct{ x int } `json:"a"`
	}
	for why, declare := range map[string]func(){
		"an option is missing":      func() { DeclareOptions(one{}, nil) },
		"a name is another":         func() { DeclareOptions(one{}, nil, Option{Name: "b", Doc: "d"}) },
		"nothing says what it does": func() { DeclareOptions(one{}, nil, Option{Name: "a"}) },
		"the default is no choice":  func() { DeclareOptions(one{"x"}, nil, Option{Name: "a", Choices: []string{"y"}, Doc: "d"}) },
		"the type is not known":     func() { DeclareOptions(own{}, nil, Option{Name: "a", Doc: "d"}) },
		"a default list is shared": func() {
			DeclareOptions(sample{Allow: []string{"a"}}, nil, declareSample(nil).List...)
		},
	} {
		t.Run(why, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("the declaration is accepted")
				}
			}()
			declare()
		})
	}
}
