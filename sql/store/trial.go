package store

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// TrialStep is a step of a [Store.Trial].
type TrialStep string

// The steps of a trial, in order.
const (
	TrialCreate   TrialStep = "create"   // create the schema and a table
	TrialWrite    TrialStep = "write"    // write rows with every type of badger's tables twice
	TrialRead     TrialStep = "read"     // read the rows
	TrialTypes    TrialStep = "types"    // compare the values that were read
	TrialSnapshot TrialStep = "snapshot" // read the table as a reference table:NAME
	TrialDrop     TrialStep = "drop"     // drop the table
)

// Trial performs badger's operations on a small test table in badger's schema. name must be new. did is called with the
// result of each step; after a failed step only the table, if it was created, is dropped.
func (w *Store) Trial(ctx context.Context, name string, did func(TrialStep, error)) {
	t := &Table{Name: name, Key: []string{"id"}, Columns: []Column{
		{Name: "id", Type: driver.BigInt}, {Name: "s", Type: driver.Text}, {Name: "j", Type: driver.JSON},
		{Name: "n", Type: driver.BigInt},
		{Name: "x", Type: driver.Double}, {Name: "b", Type: driver.Boolean}, {Name: "happened", Type: driver.Timestamp},
		{Name: "d", Type: driver.Decimal},
	}}
	err := w.Exec(ctx, createSchema())
	if err == nil {
		err = w.Exec(ctx, t.Create(w.SQL()))
	}
	did(TrialCreate, err)
	if err != nil {
		return
	}
	w.tryTable(ctx, t, did)
	// Also if ctx has ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	did(TrialDrop, w.Exec(ctx, t.Drop()))
}

// trialRows have values that change if the driver, the protocol or the column types are not exact.
var trialRows = [][]any{
	{int64(1), "it's \"añ😀\", \\ and\ta tab", `{"a":[1,null,"é"],"n":12345678901234567890}`, int64(math.MaxInt64), 0.1,
		true, time.Date(2024, 2, 29, 23, 59, 59, 999999000, time.UTC), int64(1)},
	{int64(2), nil, nil, nil, nil, nil, nil, nil},
	{int64(3), "", "[]", int64(math.MinInt64), -1.7976931348623157e308, false,
		time.Date(1969, 12, 31, 23, 59, 59, 999999000, time.UTC), int64(123456_789012345678)},
}

func (w *Store) tryTable(ctx context.Context, t *Table, did func(TrialStep, error)) {
	b := rowsOf(t)
	defer b.release()
	write := func() error {
		for _, row := range trialRows {
			b.row(row...)
		}
		return b.merge(ctx, w)
	}
	err := write()
	if err == nil {
		err = write()
	}
	did(TrialWrite, err)
	if err != nil {
		return
	}
	names := make([]string, len(t.Columns))
	for i := range t.Columns {
		names[i] = t.Columns[i].Name
	}
	got, err := w.Query(ctx, "SELECT "+strings.Join(names, ", ")+" FROM "+t.FullName()+" ORDER BY id")
	did(TrialRead, err)
	if err != nil {
		return
	}
	did(TrialTypes, compareTrial(t, got))
	snapshot, err := w.ReadSnapshot(ctx, "table:"+t.FullName())
	if err == nil && snapshot.Rows() != len(trialRows) {
		err = errcode.New(errcode.DataLoss, "the table was read with %d rows and as a snapshot with %d", got.Rows(),
			snapshot.Rows())
	}
	did(TrialSnapshot, err)
}

// compareTrial returns an error that names the types whose values differ, or nil.
func compareTrial(t *Table, got *scoring.Table) error {
	if got.Rows() != len(trialRows) || len(got.Columns) != len(t.Columns) {
		return errcode.New(errcode.DataLoss, "%d rows were written twice with the same keys: found %d rows", len(trialRows),
			got.Rows())
	}
	var wrong []string
	for i, c := range t.Columns {
		for row, want := range trialRows {
			if !sameValue(c.Type, want[i], got.Columns[i].Value(row)) {
				wrong = append(wrong, string(c.Type))
				break
			}
		}
	}
	if len(wrong) > 0 {
		return errcode.New(errcode.DataLoss, "values of type %s came back as others", strings.Join(wrong, ", "))
	}
	return nil
}

func sameValue(t driver.Type, want any, got scoring.Value) bool {
	if want == nil || got.IsNull() {
		return want == nil && got.IsNull()
	}
	switch v := want.(type) {
	case string:
		if t == driver.JSON { // warehouses format JSON differently
			return bytes.Equal(canonicalJSON(v), canonicalJSON(got.Text()))
		}
		return got.Text() == v
	case int64:
		if t == driver.Decimal {
			cost, err := scoring.ParseCost(got.String())
			return err == nil && cost == scoring.USD(v)
		}
		return got.String() == scoring.IntValue(v).String()
	case float64:
		return got.Type == scoring.Float64 && got.Float() == v
	case bool:
		return got.Type == scoring.Bool && got.Bool() == v
	case time.Time:
		return got.Type == scoring.TimestampTZ && got.Int() == v.Unix() && int(got.Nanos()) == v.Nanosecond()
	}
	return false
}

// canonicalJSON returns JSON with sorted keys and without white space; numbers keep their digits. It returns nil for
// invalid JSON.
func canonicalJSON(text string) []byte {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	out, _ := json.Marshal(v)
	return out
}
