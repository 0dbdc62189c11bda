package execution

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/counterexample"
	"github.com/badger-eval/badger/scoring/sqlparts"
)

// describe adds the definitions of the tables that a case's queries read, if e.Schema is set and the case has no
// schema, and statistics of columns if requested. If the definition of one table is missing, the schema remains
// empty. Facts that the warehouse does not return are left out. The error is that of ctx or of the store.
func (e *Executor) describe(ctx context.Context, c *scoring.Case, database string) error {
	if e.Schema && c.Schema != "" && strings.TrimSpace(c.Pred.SQL) != "" {
		e.mu.Lock()
		e.tally.Stated++
		e.mu.Unlock()
	}
	if !e.Schema || c.Schema != "" || strings.TrimSpace(c.Pred.SQL) == "" {
		return nil
	}
	d := driver.Dialect{}
	if !e.KeptOnly || e.Open != nil {
		w, err := e.Warehouse(ctx, database)
		if err != nil {
			return ctx.Err()
		}
		d = w.SQL()
	}
	if d.Definition == nil {
		return nil
	}
	dialect := sqlparts.DialectOf(c.Dialect)
	if c.Dialect == "" {
		dialect = sqlparts.DialectOf(d.Name)
	}
	var names [][]string
	for _, q := range append([]scoring.Query{c.Pred}, c.Golds...) {
		sql, _ := c.WrittenSQL(&q)
		names = append(names, tablesOf(sql, dialect, d.Identifiers.Upper)...)
	}
	slices.SortFunc(names, slices.Compare[[]string])
	names = slices.CompactFunc(names, slices.Equal[[]string])
	var ddl []string
	for _, name := range names {
		t, err := e.own(ctx, database, d.Definition(name...))
		if err != nil {
			return err
		}
		text := ""
		if t != nil && t.Rows() == 1 {
			text = t.Columns[min(1, len(t.Columns)-1)].Value(0).String()
		}
		if !strings.HasPrefix(strings.ToUpper(strings.TrimSpace(text)), "CREATE ") {
			return nil
		}
		ddl = append(ddl, strings.TrimRight(strings.TrimSpace(text), ";"))
	}
	if len(ddl) == 0 {
		return nil
	}
	c.Schema, c.SchemaFrom = strings.Join(ddl, ";\n"), counterexample.FromWarehouse
	if !e.Statistics {
		return nil
	}
	tables := map[string]string{}
	for _, name := range names {
		tables[strings.ToLower(name[len(name)-1])] = d.Identifier(name...)
	}
	facts := &sqlparts.Facts{}
	for i := range c.Golds {
		gold, _ := c.WrittenSQL(&c.Golds[i])
		pred, _ := c.WrittenSQL(&c.Pred)
		err := counting{e, database, d}.columns(ctx, tables, facts,
			&counterexample.Problem{Gold: gold, Pred: pred, Dialect: dialect.String(), Schema: c.Schema})
		if err != nil {
			return err
		}
	}
	c.Facts = facts
	return nil
}

// tablesOf returns the names of the tables that a query reads, as lists of parts. upper means that the warehouse
// converts unquoted names to upper case.
func tablesOf(sql string, dialect sqlparts.Dialect, upper bool) (names [][]string) {
	bound := sqlparts.Bind(nil, sqlparts.Parse(sql, dialect))[0]
	for _, st := range bound.Statements {
		sqlparts.Walk(st, func(n sqlparts.Node) bool {
			src, ok := n.(*sqlparts.Source)
			if !ok || len(src.Table) == 0 || src.FromString {
				return true
			}
			if k := bound.Reads(src).Kind; k != sqlparts.ReadsTable && k != sqlparts.ReadsText { // a query of WITH, or an array
				return true
			}
			var name []string
			for _, id := range src.Table {
				part := id.Text
				if upper && !id.Quoted {
					part = strings.ToUpper(part)
				}
				name = append(name, part)
			}
			names = append(names, name)
			return true
		})
	}
	return names
}

// counting reads statistics of columns and pairs of columns in a database.
type counting struct {
	*Executor
	database string
	dialect  driver.Dialect
}

// columns adds statistics of the columns that the queries of p read to facts. It runs a statement per table, two per
// string column, one per pair of joined columns, and one per pair with a possible functional dependency. Statements
// that fail add nothing.
func (e counting) columns(ctx context.Context, tables map[string]string, facts *sqlparts.Facts,
	p *counterexample.Problem) error {
	database, d := e.database, e.dialect
	columns, joined := counterexample.Reads(p)
	byTable := map[string][]*counterexample.Column{}
	var order []string
	for _, c := range columns {
		if slices.ContainsFunc(facts.Columns,
			func(f sqlparts.ColumnFacts) bool { return f.Table == c.Of() && f.Column == c.Name }) {
			continue
		}
		if byTable[c.Of()] == nil {
			order = append(order, c.Of())
		}
		byTable[c.Of()] = append(byTable[c.Of()], c)
	}
	for _, table := range order {
		from := tables[strings.ToLower(table)]
		selects := []string{"COUNT(*)"}
		for _, c := range byTable[table] {
			name := d.Identifier(c.Name)
			selects = append(selects, "COUNT("+name+")", "COUNT(DISTINCT "+name+")")
			if ordered(c) {
				selects = append(selects, "MIN("+name+")", "MAX("+name+")")
			} else {
				selects = append(selects, "NULL", "NULL")
			}
		}
		for i := range selects {
			selects[i] += " AS s" + strconv.Itoa(i)
		}
		t, err := e.own(ctx, database, "SELECT "+strings.Join(selects, ", ")+" FROM "+from)
		if err != nil {
			return err
		}
		if t == nil || t.Rows() != 1 || len(t.Columns) != len(selects) {
			continue
		}
		number := func(i int) int64 {
			n, _ := strconv.ParseInt(t.Columns[i].Value(0).String(), 10, 64)
			return n
		}
		for i, c := range byTable[table] {
			f := sqlparts.ColumnFacts{Table: table, Column: c.Name, Rows: number(0), Nulls: number(0) - number(4*i+1),
				Distinct: number(4*i + 2)}
			if low, high := &t.Columns[4*i+3], &t.Columns[4*i+4]; !low.IsNull(0) && !high.IsNull(0) {
				f.Low, f.High = low.Value(0).String(), high.Value(0).String()
			}
			if c.Kind == counterexample.Text && f.Distinct > 0 && f.Distinct <= counterexample.FewValues {
				if f.Values, err = e.values(ctx, database,
					"SELECT DISTINCT "+d.Identifier(c.Name)+" AS v FROM "+from+" WHERE "+d.Identifier(c.Name)+
						" IS NOT NULL ORDER BY 1"); err != nil {
					return err
				}
			}
			if c.Kind == counterexample.Text && f.Distinct > 0 {
				name := d.Identifier(c.Name)
				counts, err := e.numbers(ctx, database,
					"SELECT COUNT(CASE WHEN "+name+" = '' THEN 1 END) AS e, COUNT(CASE WHEN "+name+" LIKE ' %' OR "+name+
						" LIKE '% ' THEN 1 END) AS b FROM "+from, 2)
				if err != nil {
					return err
				}
				if counts != nil {
					f.Empty, f.Blank = int64(counts[0]), int64(counts[1])
				}
			}
			facts.Columns = append(facts.Columns, f)
		}
		if err := e.dependencies(ctx, table, from, facts); err != nil {
			return err
		}
	}
	for _, pair := range joined {
		a, b := pair[0], pair[1]
		in := sqlparts.Inclusion{Table: a.Of(), Column: a.Name, ToTable: b.Of(), ToColumn: b.Name}
		t, err := e.own(ctx, database, fmt.Sprintf("SELECT COUNT(*) AS n, COUNT(b.k) AS m FROM (SELECT %[1]s AS k FROM %[2]s WHERE %[1]s IS NOT NULL) a LEFT JOIN (SELECT DISTINCT %[3]s AS k FROM %[4]s) b ON a.k = b.k",
			d.Identifier(a.Name), tables[strings.ToLower(a.Of())], d.Identifier(b.Name), tables[strings.ToLower(b.Of())]))
		if err != nil {
			return err
		}
		if t == nil || t.Rows() != 1 || len(t.Columns) != 2 {
			continue
		}
		rows, errRows := strconv.ParseInt(t.Columns[0].Value(0).String(), 10, 64)
		found, errFound := strconv.ParseInt(t.Columns[1].Value(0).String(), 10, 64)
		if errRows == nil && errFound == nil {
			in.Rows, in.Missing = rows, rows-found
			facts.Inclusions = append(facts.Inclusions, in)
		}
	}
	return nil
}

// maxDependencies is the maximum number of pairs of a table's columns that are examined for a functional dependency.
const maxDependencies = 12

// dependencies adds the functional dependencies between columns of a table to facts. It examines pairs whose first
// column has repeated values and whose second has several; the support is computed from the number of pairs of rows
// with equal values in the second.
func (e counting) dependencies(ctx context.Context, table, from string, facts *sqlparts.Facts) error {
	database, d := e.database, e.dialect
	tried := 0
	for _, a := range facts.Columns {
		for _, b := range facts.Columns {
			repeats := a.Rows - a.Nulls - a.Distinct
			known := slices.ContainsFunc(facts.Dependencies, func(k sqlparts.Dependency) bool {
				return k.Table == table && k.Column == a.Column && k.Fixes == b.Column
			})
			if a.Table != table || b.Table != table || a.Column == b.Column || repeats < counterexample.EnoughRows ||
				b.Distinct < 2 || known {
				continue
			}
			if tried++; tried > maxDependencies {
				return nil
			}
			x, y := d.Identifier(a.Column), d.Identifier(b.Column)
			n, err := e.numbers(ctx, database, fmt.Sprintf("SELECT (SELECT COUNT(*) FROM (SELECT %[1]s AS k FROM %[3]s WHERE %[1]s IS NOT NULL GROUP BY %[1]s HAVING COUNT(DISTINCT %[2]s) > 1 OR COUNT(%[2]s) > 0 AND COUNT(%[2]s) < COUNT(*)) broken) AS m, "+
				"(SELECT SUM(1.0 * n * n) FROM (SELECT COUNT(*) AS n FROM %[3]s WHERE %[1]s IS NOT NULL GROUP BY %[2]s) times) AS s", x, y, from), 2)
			if err != nil {
				return err
			}
			if rows := float64(a.Rows - a.Nulls); n != nil && n[0] == 0 {
				facts.Dependencies = append(facts.Dependencies,
					sqlparts.Dependency{Table: table, Column: a.Column, Fixes: b.Column,
						Support: float64(repeats) * (1 - n[1]/rows/rows)})
			}
		}
	}
	return nil
}

// numbers returns the numbers in the single row that sql returns; nil if it fails or returns something else.
func (e *Executor) numbers(ctx context.Context, database, sql string, columns int) ([]float64, error) {
	t, err := e.own(ctx, database, sql)
	if err != nil || t == nil || t.Rows() != 1 || len(t.Columns) != columns {
		return nil, err
	}
	out := make([]float64, columns)
	for i := range out {
		if out[i], err = strconv.ParseFloat(t.Columns[i].Value(0).String(), 64); err != nil {
			return nil, nil //nolint:nilerr // what is no number tells nothing
		}
	}
	return out, nil
}

// ordered reports whether the minimum and maximum of a column are read: for numbers, dates and timestamps.
func ordered(c *counterexample.Column) bool {
	switch c.Kind {
	case counterexample.Int, counterexample.Real, counterexample.Date, counterexample.Timestamp:
		return true
	}
	return false
}

// values returns the values of the single column that sql returns; nil if it fails or returns more columns.
func (e *Executor) values(ctx context.Context, database, sql string) (out []string, err error) {
	t, err := e.own(ctx, database, sql)
	if err != nil || t == nil || len(t.Columns) != 1 {
		return nil, err
	}
	for i := range t.Rows() {
		out = append(out, t.Columns[0].Value(i).String())
	}
	return out, nil
}

// own runs one of badger's own statements, or takes its stored result. The table is nil if it has no result.
func (e *Executor) own(ctx context.Context, database, sql string) (*scoring.Table, error) {
	out, err := e.outcome(ctx, database, sql, true)
	if err != nil || out.Outcome != ran {
		return nil, err
	}
	return out.table, nil
}
