package arrowtable_test

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/badger-eval/badger/internal/arrowtable"
	"github.com/badger-eval/badger/scoring"
)

// A table goes to Arrow and back.
func ExampleRecord() {
	b := scoring.NewBuilder("orders", scoring.Int64, 1)
	b.AppendInt(5310)
	table, err := scoring.NewTable(b.Column())
	if err != nil {
		fmt.Println(err)
		return
	}
	record, err := arrowtable.Record(memory.DefaultAllocator, table)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer record.Release()
	back, err := arrowtable.FromRecord(record)
	fmt.Println(record.Schema().Field(0).Type, back.Columns[0].Value(0), err)
	// Output:
	// int64 5310 <nil>
}
