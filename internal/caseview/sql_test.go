package caseview

import (
	"strings"
	"testing"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

func TestLayoutShow(t *testing.T) {
	for _, sql := range []string{
		`select a, count(*) as n from t where x = 1 and y between 2 and 3 group by a order by n desc limit 5`,
		`WITH recent AS (SELECT * FROM orders WHERE placed >= DATE '2024-01-01' AND status IN ('open', 'late')), top AS (SELECT customer_id, SUM(total) AS spent FROM recent GROUP BY customer_id) SELECT c.name, t.spent, CASE WHEN t.spent > 1000 AND c.vip THEN 'gold' ELSE 'none' END AS tier FROM customers c LEFT OUTER JOIN top t ON t.customer_id = c.id WHERE t.spent > (SELECT AVG(spent) FROM top) AND c.country IS NOT DISTINCT FROM 'DE' -- only Germany
 ORDER BY t.spent DESC`,
	} {
		t.Log("\n" + joined(Layout(sql, sqlparts.Generic)))
	}
	q := CompareQueries("select A, b from t where s = 'x'", `SELECT a , sum(b) FROM "t" where s='X';`, sqlparts.Generic)
	var b strings.Builder
	for _, p := range append(q.Gold, q.Agent...) {
		if p.In != "" {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	t.Log(b.String())
}
