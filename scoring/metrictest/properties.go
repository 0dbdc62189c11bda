package metrictest

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/badger-eval/badger/scoring"
)

// Property is a property of the agent's result that does not affect a metric: its status, value and label remain the
// same if the property changes.
type Property string

// The properties. They are meant for questions that ask for no order.
const (
	RowOrder    Property = "row_order"    // the order of rows
	ColumnOrder Property = "column_order" // the order of columns
	ColumnNames Property = "column_names" // the names of columns
	Repeats     Property = "repeats"      // the number of times that a row occurs
)

// Properties holds the declared properties of metrics, by metric name.
type Properties map[string][]Property

// changes holds for each property a function that returns a table that differs from t only in that property.
var changes = map[Property]func(rng *rand.Rand, t *scoring.Table) *scoring.Table{
	RowOrder: func(rng *rand.Rand, t *scoring.Table) *scoring.Table {
		return pickRows(t, rng.Perm(t.Rows()))
	},
	ColumnOrder: func(rng *rand.Rand, t *scoring.Table) *scoring.Table {
		columns := make([]scoring.Column, len(t.Columns))
		for i, j := range rng.Perm(len(columns)) {
			columns[i] = t.Columns[j]
		}
		return tableOf(columns)
	},
	ColumnNames: func(_ *rand.Rand, t *scoring.Table) *scoring.Table {
		columns := slices.Clone(t.Columns)
		for i := range columns {
			columns[i].Name = "renamed " + strconv.Itoa(i)
		}
		return tableOf(columns)
	},
	Repeats: func(rng *rand.Rand, t *scoring.Table) *scoring.Table {
		rows := rng.Perm(t.Rows())
		for range rng.IntN(3) {
			if t.Rows() > 0 {
				rows = append(rows, rng.IntN(t.Rows()))
			}
		}
		slices.Sort(rows)
		return pickRows(t, rows)
	},
}

func propertyNames() []Property { return slices.Sorted(maps.Keys(changes)) }

// pickRows returns a table of the rows with these indexes.
func pickRows(t *scoring.Table, rows []int) *scoring.Table {
	columns := make([]scoring.Column, len(t.Columns))
	for j := range columns {
		c := &t.Columns[j]
		b := scoring.NewBuilder(c.Name, c.Type, len(rows))
		for _, i := range rows {
			b.Append(c.Value(i))
		}
		columns[j] = b.Column()
	}
	return tableOf(columns)
}

// tableOf returns a table with columns of equal length. It panics if their lengths differ.
func tableOf(columns []scoring.Column) *scoring.Table {
	t, err := scoring.NewTable(columns...)
	if err != nil {
		panic(err)
	}
	return t
}
