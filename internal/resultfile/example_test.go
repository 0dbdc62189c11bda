package resultfile_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/badger-eval/badger/internal/resultfile"
)

func ExampleRead() {
	dir, err := os.MkdirTemp("", "badger")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "gold.csv")
	if err := os.WriteFile(path, []byte("region,orders\nnorth,5310\nsouth,\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	table, err := resultfile.Read(context.Background(), path, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	orders := &table.Columns[1]
	fmt.Println(table.Rows(), orders.Name, orders.Type, orders.Value(0), orders.IsNull(1))
	// Output:
	// 2 orders INT64 5310 true
}
