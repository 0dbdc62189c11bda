package demo_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/badger-eval/badger/internal/demo"
)

// The warehouse must hold the irregularities that real ones have and the questions rely on.
func TestWarehouseIsConsistent(t *testing.T) {
	db := built(t)
	const none, some = "none", "some"
	for _, tc := range []struct{ why, rows, want string }{
		{"orders name customers that exist", "retail.orders WHERE customer_id NOT IN (SELECT customer_id FROM retail.customers)", none},
		{"orders name stores that exist", "retail.orders WHERE store_id NOT IN (SELECT store_id FROM retail.stores)", none},
		{"only store orders have a store, only the others a shipping fee", "retail.orders WHERE (channel = 'store') <> (store_id IS NOT NULL) OR (channel = 'store') = (shipping_fee IS NOT NULL)", none},
		{"orders lie in 2023 and 2024", "retail.orders WHERE YEAR(ordered_at) NOT IN (2023, 2024)", none},
		{"no store sells after it has closed", "retail.orders o JOIN retail.stores s USING (store_id) WHERE CAST(ordered_at AS DATE) > closed_on", none},
		{"customers join before they order", "retail.orders o JOIN retail.customers c USING (customer_id) WHERE CAST(ordered_at AS DATE) < signup_date", none},
		{"every order has lines", "retail.orders WHERE order_id NOT IN (SELECT order_id FROM retail.order_items)", none},
		{"lines name products that exist", "retail.order_items WHERE product_id NOT IN (SELECT product_id FROM retail.products)", none},
		{"promotions apply on their days", "retail.orders o JOIN retail.promotions p USING (promotion_id) WHERE CAST(ordered_at AS DATE) NOT BETWEEN starts_on AND ends_on", none},
		{"a line comes back at most once", "(SELECT order_id, line_no FROM retail.returns GROUP BY ALL HAVING COUNT(*) > 1)", none},
		{"no more comes back than was sold", "retail.returns r JOIN retail.order_items i USING (order_id, line_no) WHERE r.quantity > i.quantity OR refund_amount > net_amount", none},
		{"returns follow their order", "retail.returns r JOIN retail.orders o USING (order_id) WHERE returned_on < CAST(ordered_at AS DATE)", none},
		{"products cost less than they sell for", "retail.products WHERE unit_cost <= 0 OR unit_cost >= list_price", none},
		{"guests order too", "retail.orders WHERE customer_id IS NULL", some},
		{"some customers never order", "retail.customers WHERE customer_id NOT IN (SELECT customer_id FROM retail.orders WHERE customer_id IS NOT NULL)", some},
		{"some products never sell", "retail.products WHERE product_id NOT IN (SELECT product_id FROM retail.order_items)", some},
		{"some reasons are not known", "retail.returns WHERE reason IS NULL", some},
		{"some counts are missing and some are 0", "(SELECT 1 FROM retail.inventory HAVING COUNT(*) > COUNT(on_hand) AND MIN(on_hand) = 0)", some},

		{"accounts name customers and branches that exist", "bank.accounts WHERE customer_id NOT IN (SELECT customer_id FROM bank.customers) OR branch_id NOT IN (SELECT branch_id FROM bank.branches)", none},
		{"transactions name accounts that exist", "bank.transactions WHERE account_id NOT IN (SELECT account_id FROM bank.accounts)", none},
		{"transactions lie in 2023 and 2024, after the account was opened", "bank.transactions t JOIN bank.accounts a USING (account_id) WHERE YEAR(booked_at) NOT IN (2023, 2024) OR CAST(booked_at AS DATE) < opened_on", none},
		{"transaction ids need more than 53 bits", "bank.transactions WHERE transaction_id <= 9007199254740992", none},
		{"closed accounts are empty", "bank.accounts WHERE (status = 'closed') <> (closed_on IS NOT NULL) OR status = 'closed' AND balance <> 0", none},
		{"savings accounts are not overdrawn", "bank.accounts WHERE account_type <> 'current' AND balance < 0", none},
		{"cards are issued after the account was opened and before they expire", "bank.cards k JOIN bank.accounts a USING (account_id) WHERE issued_on < opened_on OR issued_on >= expires_on", none},
		{"cards are used after they were issued", "bank.cards WHERE CAST(last_used_at AT TIME ZONE 'UTC' AS DATE) NOT BETWEEN issued_on AND expires_on", none},
		{"only credit cards have a limit", "bank.cards WHERE (card_type = 'credit') <> (credit_limit IS NOT NULL)", none},
		{"paid instalments have a date, unpaid ones no money", "bank.loan_payments WHERE (paid_on IS NULL) <> (amount_paid = 0)", none},
		{"payments lie in 2023 and 2024", "bank.loan_payments WHERE YEAR(due_on) NOT IN (2023, 2024) OR YEAR(paid_on) NOT IN (2023, 2024)", none},
		{"rates are published on business days only", "bank.fx_rates WHERE ISODOW(rate_date) > 5 OR eur_rate <= 0", none},
		{"every currency but the euro has a rate at the end", "bank.accounts WHERE currency <> 'EUR' AND currency NOT IN (SELECT currency FROM bank.fx_rates WHERE rate_date = DATE '2024-12-31')", none},
		{"some customers have no account", "bank.customers WHERE customer_id NOT IN (SELECT customer_id FROM bank.accounts)", some},
		{"some accounts see no transaction", "bank.accounts WHERE status = 'active' AND account_id NOT IN (SELECT account_id FROM bank.transactions)", some},
		{"some cards were never used", "bank.cards WHERE last_used_at IS NULL", some},
		{"several customers share a name", "(SELECT full_name FROM bank.customers WHERE full_name = 'Nina Wagner' GROUP BY full_name HAVING COUNT(*) > 1)", some},
	} {
		if got := scalar[int](t, db, "SELECT COUNT(*) FROM "+tc.rows); (got > 0) != (tc.want == some) {
			t.Errorf("%s: %d rows, want %s", tc.why, got, tc.want)
		}
	}
	if n := scalar[int](t, db, "SELECT COUNT(*) FROM duckdb_functions() WHERE function_name IN ('rnd', 'pick', 'cents')"); n > 0 {
		t.Errorf("%d macros of the generator are left", n)
	}
}

// The generator must not lean on anything that another version of DuckDB may answer differently.
func TestRandomNumbersAreLowbias32(t *testing.T) {
	lowbias32 := func(x uint32) uint32 {
		x = (x ^ x>>16) * 0x7feb352d
		x = (x ^ x>>15) * 0x846ca68b
		return x ^ x>>16
	}
	db := open(t, "")
	db.SetMaxOpenConns(1) // the macros belong to one connection
	b, err := os.ReadFile(filepath.Join("data", "random.sql"))
	if err != nil {
		t.Fatal(err)
	}
	exec(t, db, string(b))
	for _, i := range []uint32{0, 1, 2, 20000, 1 << 20, 1<<31 - 1} {
		for _, salt := range []uint32{0, 101, 402} {
			want := lowbias32(i*2654435761 + salt*40503977)
			var got uint32
			if err := db.QueryRow("SELECT rnd(?::BIGINT, ?::BIGINT)", i, salt).Scan(&got); err != nil || got != want {
				t.Errorf("rnd(%d, %d) = %d, %v, want %d", i, salt, got, err, want)
			}
		}
	}
}

func BenchmarkDemo(b *testing.B) {
	ctx := context.Background()
	for name, file := range map[string]bool{"memory": false, "file": true} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				path := ""
				if file {
					path = filepath.Join(b.TempDir(), "demo.duckdb")
				}
				db, err := sql.Open("duckdb", path)
				if err != nil {
					b.Fatal(err)
				}
				if err := demo.Build(ctx, db, nil); err != nil {
					b.Fatal(err)
				}
				exec(b, db, tables)
				if err := demo.Populate(ctx, db, "badger"); err != nil {
					b.Fatal(err)
				}
				if err := db.Close(); err != nil {
					b.Fatal(err)
				}
				if info, err := os.Stat(path); err == nil {
					b.ReportMetric(float64(info.Size())/1e6, "MB")
				}
			}
		})
	}
}
