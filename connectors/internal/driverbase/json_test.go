package driverbase_test

import (
	"context"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// given is a stream of one record, or of a panic if there is none.
type given struct {
	rec    arrow.Record
	closed int
}

func (g *given) Next(context.Context) (arrow.Record, error) {
	if g.rec == nil {
		var none []int
		return nil, []error{nil}[none[0]] // as a driver that does not expect an answer
	}
	rec := g.rec
	g.rec = nil
	return rec, nil
}

func (g *given) Close(context.Context) { g.closed++ }

// What is marked as JSON is JSON, alone, in lists and in structs.
func TestMarkedJSONIsJSON(t *testing.T) {
	marked := arrow.Field{Name: "j", Type: arrow.BinaryTypes.String, Nullable: true, Metadata: driverbase.JSON}
	plain := arrow.Field{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}
	list := arrow.Field{Name: "l", Type: arrow.ListOfField(marked), Nullable: true}
	object := arrow.Field{Name: "o", Type: arrow.StructOf(marked), Nullable: true}
	for _, tc := range []struct {
		why   string
		field arrow.Field
		rows  string // of an object in JSON
		ok    bool
	}{
		{"values of every kind, and NULL", marked, `[{"j": "{\"a\": [1, null]}"}, {"j": null}, {"j": "\"x\""}, {"j": " 1e400 "}]`, true},
		{"words that become values", marked, `[{"j": "1"}, {"j": null}, {"j": "[1, undefined, -Infinity, \"undefined\"]"}, {"j": "NaN"}]`, true},
		{"a word that is none of JSON's", marked, `[{"j": "1"}, {"j": "[1, nil]"}]`, false},
		{"two values", marked, `[{"j": "1 2"}]`, false},
		{"nothing", marked, `[{"j": ""}]`, false},
		{"text that is not marked", plain, `[{"s": "undefined"}]`, true},
		{"in a list", list, `[{"l": ["1", "x"]}]`, false},
		{"in a list, right", list, `[{"l": ["1", null]}, {"l": null}]`, true},
		{"in a struct", object, `[{"o": {"j": "{"}}]`, false},
	} {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		s := arrow.NewSchema([]arrow.Field{tc.field}, nil)
		rec, _, err := array.RecordFromJSON(mem, s, strings.NewReader(tc.rows))
		if err != nil {
			t.Fatal(err)
		}
		stream := &given{rec: rec}
		r := driverbase.NewReader(t.Context(), s, stream)
		if got := r.Next(); got != tc.ok || !tc.ok && (errcode.Of(r.Err()) != errcode.DataLoss || !strings.Contains(r.Err().Error(), `"`+tc.field.Name+`"`)) {
			t.Errorf("%s: %v, %v", tc.why, got, r.Err())
		}
		r.Release()
		mem.AssertSize(t, 0)
		if stream.closed != 1 {
			t.Errorf("%s: closed %d times", tc.why, stream.closed)
		}
	}
}

// A panic of a vendor's driver is the error of the query that met it.
func TestPanicsAreErrors(t *testing.T) {
	stream := &given{}
	r := driverbase.NewReader(t.Context(), schema("a"), stream)
	if r.Next() || errcode.Of(r.Err()) != errcode.Internal || stream.closed != 1 {
		t.Errorf("%v (%v), closed %d times, want internal", r.Err(), errcode.Of(r.Err()), stream.closed)
	}
	r.Release()
}
