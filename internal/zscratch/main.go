package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/connectors/duckdb"
)

func main() {
	c, err := duckdb.OpenFile(context.Background(), os.Args[1], driver.Options{})
	if err != nil {
		panic(err)
	}
	w := connectors.New(c, duckdb.Dialect)
	defer w.Close()
	if len(os.Args) > 2 && os.Args[2] == "install" {
		fmt.Println(w.Install(context.Background()))
	}
	in := bufio.NewReader(os.Stdin)
	var b strings.Builder
	in.WriteTo(&b)
	for _, q := range strings.Split(b.String(), ";\n") {
		if strings.TrimSpace(q) == "" {
			continue
		}
		for i := 0; i < 3; i++ {
			start := time.Now()
			t, err := w.Query(context.Background(), q)
			d := time.Since(start)
			if err != nil {
				fmt.Println(err, q)
				break
			}
			if i == 0 {
				fmt.Println(q)
				for r := 0; r < min(t.Rows(), 3); r++ {
					for _, c := range t.Columns {
						fmt.Print(c.Value(r).String(), " | ")
					}
					fmt.Println()
				}
			}
			fmt.Println("   ", t.Rows(), "rows", d)
			if d > 5*time.Second || strings.HasPrefix(strings.TrimSpace(q), "INSERT") || strings.HasPrefix(strings.TrimSpace(q), "CREATE") {
				break
			}
		}
	}
}
