package counterexample

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/scoring/sqlparts"
)

// ErrEngine is wrapped by an error caused by a bug of the engine, not by the data.
var ErrEngine = errors.New("the engine has a defect")

// ErrMemory is wrapped by an error of an engine that ran out of memory. The databases tried until then are not
// evidence about the queries.
var ErrMemory = errors.New("the engine has no memory left")

// Engine opens in-memory databases to run queries on. It is DuckDB, and must not be able to read files or access a
// network.
type Engine interface {
	// Open returns a database with these tables, given as CREATE TABLE statements.
	Open(ctx context.Context, tables []string) (Session, error)
}

// Session is one small database. It must not be used concurrently.
type Session interface {
	// Load replaces the content of the database by the rows of INSERT statements.
	Load(ctx context.Context, inserts []string) error
	// Query runs a query on the loaded rows, and may keep it prepared. A result of more than [MaxRows] rows is an error.
	Query(ctx context.Context, sql string) ([][]Value, error)
	Close()
}

// MaxRows is the maximum number of rows that a query may return on a small database.
const MaxRows = 10_000

// Problem is a pair of queries to compare, with the options of the search.
type Problem struct {
	Gold    string `json:"gold"`
	Pred    string `json:"pred"`
	Dialect string `json:"dialect"`
	Schema  string `json:"schema,omitempty"` // DDL; if empty, tables are inferred from the queries

	SchemaFrom string `json:"schema_from,omitempty"` // [FromWarehouse] if the schema was read from the warehouse

	// Seen describes the results of the gold query and the agent's on the real database; nil if unknown. Facts are
	// statistics of the real tables. Both show which databases are realistic.
	Seen  [2]*Seen        `json:"seen"`
	Facts *sqlparts.Facts `json:"facts,omitempty"`

	Texts *sqlparts.Texts `json:"-"` // cache of parsed queries and schemas, in this process; may be nil

	// Tries is the maximum number of databases that are tried, realistic ones first. Time is a limit in milliseconds to
	// guard against slow queries. A search that it ends has no outcome, so that a pair never has two outcomes.
	Tries int    `json:"tries"`
	Time  int64  `json:"time_ms"`
	Seed  uint64 `json:"seed,omitempty"`
	// Bound is the maximum number of rows in each table when all databases are tried, see [Bound]: 0 for [DefaultBound],
	// negative to skip this. It is reduced if there would be too many databases.
	Bound int `json:"bound,omitempty"`
}

// The sources of a schema.
const (
	fromCase      = "case"      // the case states it
	FromWarehouse = "warehouse" // it was read from the warehouse that the queries run on
	fromQueries   = "queries"   // nothing states it: it was inferred from both queries
)

// The limits of a search if the problem sets none.
const (
	DefaultTries = 150
	DefaultTime  = 5 * time.Second
)

// Outcome is the outcome of the search.
type Outcome struct {
	// Why is the reason if no search was made or it has no outcome, such as a construct that cannot be translated to the
	// engine. Then the other fields are empty, except for TimedOut.
	Why      string `json:"why,omitempty"`
	TimedOut bool   `json:"timed_out,omitempty"` // the time limit ended the search

	Found    bool `json:"found"`
	Tries    int  `json:"tries"`              // number of databases on which both queries ran
	Rows     int  `json:"rows,omitempty"`     // maximum number of rows in a table of them
	Open     int  `json:"open,omitempty"`     // number of those on which a query does not determine its result
	Large    int  `json:"large,omitempty"`    // number of databases skipped because joins are too large
	Inferred bool `json:"inferred,omitempty"` // the schema was inferred from the queries
	// SchemaFrom is the source of the schema: [fromCase], [FromWarehouse] or [fromQueries].
	SchemaFrom string `json:"schema_from,omitempty"`

	Bound *Bound `json:"bound,omitempty"` // set if all databases of a size were tried

	Shows       string       `json:"shows,omitempty"` // the kind of the counterexample, such as [showsNull]
	Sentence    string       `json:"sentence,omitempty"`
	Tables      []SmallTable `json:"tables,omitempty"`
	Gold        *Result      `json:"gold,omitempty"`
	Pred        *Result      `json:"pred,omitempty"`
	Constraints []string     `json:"constraints,omitempty"` // constraints of the schema that the database satisfies

	// Realistic reports whether the database also has the properties that the available data suggest, which Keeps lists.
	// If only an unrealistic database was found, Breaks lists the properties that it lacks.
	Realistic bool     `json:"realistic"`
	Keeps     []string `json:"keeps,omitempty"`
	Breaks    []string `json:"breaks,omitempty"`
}

// SmallTable is a table of the counterexample.
type SmallTable struct {
	Name    string    `json:"name"`
	Columns []string  `json:"columns"`
	Types   []string  `json:"types,omitempty"` // declared types
	Rows    [][]Value `json:"rows"`
}

// Find searches for a small database on which the two queries return different results. It returns an error only if
// ctx ends or the engine fails.
func Find(ctx context.Context, engine Engine, p *Problem) (*Outcome, error) {
	limit := DefaultTime
	if p.Time > 0 {
		limit = time.Duration(p.Time) * time.Millisecond
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if p.Texts == nil { // parse each text only once
		own := *p
		own.Texts = new(sqlparts.Texts)
		p = &own
	}
	var first *Outcome
	for _, last := range []bool{false, true} {
		s, out := prepareWithin(within, p, last)
		if s == nil && within.Err() == nil {
			return out, nil
		}
		var err error
		if s != nil {
			err = s.run(within, engine)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case within.Err() != nil:
			return &Outcome{TimedOut: true, Why: "the search took longer than " + limit.String()}, nil
		case err != nil:
			return nil, err
		case !s.schema.unsure || s.out.Why != "":
			return s.out, nil
		case last && first.Found != s.out.Found:
			return &Outcome{
				Why: "the queries differ or not by the table that a column without one is of, which no schema says"}, nil
		case last:
			return first, nil
		}
		first = s.out
	}
	return first, nil
}

// search is the state of one search.
type search struct {
	ctx     context.Context //nolint:containedctx // of the one search
	problem *Problem
	dialect sqlparts.Dialect
	schema  *Schema
	tables  []*Table
	gold    translation
	pred    translation
	scripts [2]*sqlparts.Bound
	trees   [2]*sqlparts.Query // the queries, without declarations before them
	values  *values
	session Session
	asked   map[*Column]bool // columns that a query tests for NULL
	real    *realism
	spared  bool // the last database was skipped because both queries return nothing on it, which is not realistic
	reached bool // one of the queries returned a row on some database
	out     *Outcome

	declared [2]declarations
}

func prepare(p *Problem, last bool) (*search, *Outcome) {
	return prepareWithin(context.Background(), p, last)
}

// prepareWithin parses and translates both queries. last selects how an inferred schema assigns uncertain columns,
// see [infer]. If the queries cannot be translated, the search is nil and the outcome has the reason.
func prepareWithin(ctx context.Context, p *Problem, last bool) (*search, *Outcome) {
	s := &search{ctx: ctx, problem: p, dialect: sqlparts.DialectOf(p.Dialect), out: &Outcome{}}
	no := func(format string, args ...any) (*search, *Outcome) {
		return nil, &Outcome{Why: fmt.Sprintf(format, args...)}
	}
	if !sqlparts.NamesDialect(p.Dialect) {
		return no("dialect: %.40q is not known, expected one of %s", p.Dialect, strings.Join(sqlparts.DialectNames(), ", "))
	}
	s.scripts[0], s.scripts[1] = p.Texts.Bind(p.Schema, p.Gold, p.Pred, s.dialect)
	for i, b := range s.scripts {
		whose := [...]string{"the gold SQL", "the SQL of the agent"}[i]
		var why string
		if s.trees[i], s.declared[i], why = plainQuery(b.Script); s.trees[i] == nil {
			return no("%s %s", whose, why)
		}
	}
	if s.schema = schemaOf(s.scripts[0].Schema, s.dialect); len(s.schema.Tables) == 0 {
		s.schema = infer(s, last)
		for _, t := range s.schema.Tables {
			for _, c := range t.Columns {
				if c.Kind == Real && exact(s.dialect) && !c.float {
					c.limit = limitOf("numeric", s.dialect)
				}
			}
		}
	}
	if s.schema.variants() {
		s.learnFields(last)
	}
	s.out.Inferred, s.out.SchemaFrom = s.schema.Inferred, cmp.Or(p.SchemaFrom, fromCase)
	if s.out.Inferred {
		s.out.SchemaFrom = fromQueries
	}
	s.values = newValues()
	for _, t := range s.schema.Tables {
		t.oneNull = s.dialect == sqlparts.TSQL
	}
	s.asked = map[*Column]bool{}
	c := &transpiler{ctx: ctx, dialect: s.dialect, schema: s.schema, values: s.values, asked: s.asked, lastOfAll: last}
	if s.dialect == sqlparts.Generic {
		s.retype()
	}
	for i, to := range []*translation{&s.gold, &s.pred} {
		var what string
		c.declarations = s.declared[i]
		if *to, what = c.translate(s.scripts[i], s.trees[i]); what != "" {
			return no("not tested; the search does not support a part of %s: %s", [...]string{"the gold SQL", "the SQL of the agent"}[i], what)
		}
	}
	if !sameStars(s.gold.columns, s.pred.columns) {
		return no("SELECT * of a table whose columns are not known")
	}
	if what := s.choose(c); what != "" {
		return no("%s", what)
	}
	return s, nil
}

// sameStars reports whether both results include the unnamed columns of the same tables (by a star), or neither
// includes any.
func sameStars(gold, pred []output) bool {
	var tables [2][]*Table
	for i, columns := range [][]output{gold, pred} {
		for _, o := range columns {
			tables[i] = append(tables[i], o.rest...)
		}
	}
	if len(tables[0]) == 0 && len(tables[1]) == 0 {
		return true
	}
	return slices.Equal(tables[0], tables[1]) && len(gold) == len(pred)
}

// fraction reports whether an expression contains a literal number with a fraction. The engine's doubles compute
// differently with it than decimals.
func fraction(n sqlparts.Node) (found bool) {
	sqlparts.Walk(n, func(n sqlparts.Node) bool {
		if l, ok := n.(*sqlparts.Literal); ok && (l.Kind == sqlparts.Number || l.Kind == sqlparts.String) {
			if f, err := strconv.ParseFloat(l.Text, 64); err == nil && f != math.Trunc(f) {
				found = true
			}
		}
		return !found
	})
	return found
}

// retype changes columns to strings if a query compares them with a string that is not a number, whatever their
// declared type, since some benchmarks declare every column INT. It is used only for the generic dialect.
func (s *search) retype() {
	c := &transpiler{ctx: s.ctx, dialect: s.dialect, schema: s.schema, values: newValues(), retype: true}
	for range inferPasses { // a kind inferred from one comparison determines operands of others
		for i, q := range s.trees {
			c.declarations = s.declared[i]
			_, _ = c.translate(s.scripts[i], q) // refusals are reported by the later translation
		}
	}
	for _, t := range s.schema.Tables {
		t.read = false
		for _, col := range t.Columns {
			col.used = false
		}
	}
}

// choose determines the tables and columns of the small database and the values of each column. It returns a
// description of a part of the schema that prevents this, or "".
func (s *search) choose(c *transpiler) (what string) {
	if s.schema.bad != "" {
		return "the schema has " + s.schema.bad
	}
	for _, t := range s.schema.Tables {
		if t.read && t.bad != "" {
			return "the table " + t.Name + " has " + t.bad
		}
	}
	for changed := true; changed; {
		changed = false
		mark := func(columns []*Column) {
			for _, col := range columns {
				if !col.used && col.bad == "" {
					col.used, changed = true, true
				}
			}
		}
		for _, t := range s.schema.Tables {
			if !t.read {
				continue
			}
			if len(t.usedColumns()) == 0 {
				if s.schema.Inferred && len(t.Columns) == 0 { // only the number of its rows matters
					t.own(othersName)
				}
				if len(t.Unique) > 0 {
					mark(t.Unique[0])
				}
				if at := slices.IndexFunc(t.Columns, func(col *Column) bool { return col.bad == "" }); at >= 0 &&
					len(t.usedColumns()) == 0 {
					mark(t.Columns[at : at+1])
				}
			}
			for _, f := range t.Foreign {
				if f.To.read && allUsed(f.Columns) {
					mark(f.Target)
				}
			}
			for _, check := range t.Checks {
				columns, ok := understood(check, t)
				if !slices.ContainsFunc(columns, func(col *Column) bool { return col.used }) {
					continue
				}
				if !ok {
					return "a check of the table " + t.Name
				}
				mark(columns)
			}
		}
	}
	for _, t := range s.schema.Tables {
		if !t.read {
			continue
		}
		if len(t.usedColumns()) == 0 {
			return "the table " + t.Name + ", of which no column is known"
		}
		for _, f := range t.Foreign {
			if f.To.read && allUsed(f.Columns) && allUsed(f.Target) {
				for i := range f.Columns {
					s.values.join(f.Columns[i], f.Target[i])
				}
			}
		}
		for _, check := range t.Checks {
			if columns, ok := understood(check, t); ok && allUsed(columns) {
				t.checked = append(t.checked, check)
				s.values.allow(columns, check)
			}
		}
		s.tables = append(s.tables, t)
	}
	s.tables = parentsFirst(s.tables, nil)
	return s.values.pools(s.schema, c)
}

// run tries databases until the queries differ on one, and shrinks that one.
func (s *search) run(ctx context.Context, engine Engine) error {
	var creates []string
	for _, t := range s.tables {
		creates = append(creates, s.create(t))
	}
	var err error
	if s.session, err = engine.Open(ctx, creates); err != nil {
		return err
	}
	defer s.session.Close()
	s.real = s.realism()
	g := &generator{tables: s.tables, sizes: s.values.sizes, groups: s.values.grouped, either: s.schema.either,
		seed: s.seed(), real: s.real}
	tries := DefaultTries
	if s.problem.Tries > 0 {
		tries = s.problem.Tries
	}
	var failed error
	work := 0.0
	realistic := (tries + realisticShare - 1) / realisticShare
	tried := map[string]bool{} // databases that were tried, by their text
	for try := range tries {
		d := g.make(try, true)
		if try >= realistic {
			d = g.make(try-realistic, false)
		}
		text := strings.Join(s.inserts(d), ";")
		if tried[text] || d.real != nil && !d.whole() {
			continue
		}
		takes := s.work(d, 0) + s.work(d, 1)
		if takes > maxWork {
			s.out.Large++
			tried[text] = true
			continue
		}
		if work += takes; work > maxTotalWork {
			s.out.Large += tries - try
			break
		}
		differ, err := s.differ(ctx, d)
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, ErrEngine) {
			s.out = &Outcome{Why: "the engine has a defect that a query meets as it was carried over"}
			return nil
		}
		if errors.Is(err, ErrMemory) {
			return err
		}
		if err != nil {
			failed = err
			if try > 20 && s.out.Tries == 0 {
				break
			}
			continue
		}
		s.out.Tries++
		for i := range d.Tables {
			s.out.Rows = max(s.out.Rows, len(d.Tables[i].Rows))
		}
		if differ {
			if _, breaks := s.real.judge(d, s.out.Gold.Rows, s.out.Pred.Rows); len(breaks) == 0 {
				d.real = s.real
			}
			if err := s.shrink(ctx, d); err != nil {
				return err
			}
			if ctx.Err() == nil {
				s.tell(d)
			}
			return nil
		}
		tried[text] = !s.spared
	}
	if s.out.Tries > 0 && ctx.Err() == nil {
		limit := s.problem.Bound
		if limit == 0 {
			limit = DefaultBound
		}
		refutes, err := s.bound(ctx, limit)
		switch {
		case errors.Is(err, ErrMemory):
			return err
		case refutes != nil:
			s.out.Tries++
			if err := s.shrink(ctx, refutes); err != nil {
				return err
			}
			if ctx.Err() == nil {
				s.tell(refutes)
			}
			return nil
		}
	}
	switch {
	case s.out.Large > s.out.Tries:
		s.out = &Outcome{Why: fmt.Sprintf("the queries may join more than %d rows on most of the small databases", maxWork)}
	case s.out.Tries > 0 && s.values.far > 0:
		s.out = &Outcome{Why: fmt.Sprintf("a query asks for %d rows, which no small database has", s.values.far)}
	case s.out.Tries > 0 && !s.reached && !s.nothing():
		s.out = &Outcome{Why: fmt.Sprintf("neither query returns a row on any of %d small databases", s.out.Tries)}
	case s.out.Tries > 0:
	case failed != nil:
		s.out = &Outcome{Why: "the engine fails on a query as it was carried over: " + failed.Error()}
	}
	return nil
}

// nothing reports whether both queries certainly return no row, or read no table, so that the result is the same on
// every database.
func (s *search) nothing() bool {
	return len(s.tables) == 0 || empty(s.trees[0]) && empty(s.trees[1])
}

// seed returns a seed that depends only on the problem: the queries, the schema, the dialect and Problem.Seed.
func (s *search) seed() uint64 {
	h := fnv.New64a()
	for _, text := range []string{s.problem.Gold, s.problem.Pred, s.problem.Schema, s.dialect.String()} {
		_, _ = h.Write([]byte(text))
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64() + s.problem.Seed
}

// create returns a CREATE TABLE statement with the used columns of a table.
func (s *search) create(t *Table) string {
	var columns []string
	for i, c := range t.Columns {
		if c.used {
			columns = append(columns, "c"+strconv.Itoa(i)+" "+c.Kind.Type())
		}
	}
	return "CREATE TABLE " + s.tableName(t) + " (" + strings.Join(columns, ", ") + ")"
}

func (s *search) tableName(t *Table) string {
	return "t" + strconv.Itoa(slices.Index(s.schema.Tables, t))
}

// inserts returns the INSERT statements that load a database.
func (s *search) inserts(d *Database) []string {
	var out []string
	for i := range d.Tables {
		t := &d.Tables[i]
		if len(t.Rows) == 0 {
			continue
		}
		var b strings.Builder
		b.WriteString("INSERT INTO " + s.tableName(t.Table) + " VALUES ")
		for j, row := range t.Rows {
			if j > 0 {
				b.WriteString(", ")
			}
			b.WriteByte('(')
			for k, v := range row {
				if k > 0 {
					b.WriteString(", ")
				}
				b.WriteString(v.SQL())
			}
			b.WriteByte(')')
		}
		out = append(out, b.String())
	}
	return out
}

// differ reports whether the queries certainly return different results on a database, and stores the results in
// s.out. If a query does not determine its result there, it returns false.
func (s *search) differ(ctx context.Context, d *Database) (bool, error) {
	s.spared = false
	if d.real != nil && !d.whole() || folding(s.dialect) && d.collides() {
		return false, nil
	}
	if err := s.session.Load(ctx, s.inserts(d)); err != nil {
		return false, err
	}
	gold, err := s.session.Query(ctx, s.gold.sql[0])
	if err != nil {
		return false, err
	}
	pred, err := s.session.Query(ctx, s.pred.sql[0])
	if err != nil {
		return false, err
	}
	if d.real != nil && d.real.finds && nothing(gold) && nothing(pred) {
		s.spared = true
		return false, nil
	}
	ordered := s.gold.ordered && s.pred.ordered
	s.reached = s.reached || len(gold) > 0 || len(pred) > 0
	if len(s.gold.columns) <= len(s.pred.columns) {
		if sameUpToColumns(gold, pred, false) && (!ordered || sameUpToColumns(gold, pred, true)) {
			return false, nil
		}
		// The order is a difference only if the rows are otherwise the same.
		ordered = ordered && sameUpToColumns(gold, pred, false)
	} else {
		if len(gold) == 0 && len(pred) == 0 {
			return false, nil
		}
		ordered = false
	}
	for _, side := range []struct {
		*translation
		rows [][]Value
	}{{&s.gold, gold}, {&s.pred, pred}} {
		var other [][]Value
		if side.open || side.ordered {
			if other, err = s.session.Query(ctx, side.sql[1]); err != nil {
				return false, err
			}
		}
		if (side.open || ordered) && !sameBag(side.rows, other, ordered) {
			s.out.Open++
			return false, nil
		}
		// Sort rows whose order the query does not determine, so that the output is reproducible.
		if !side.ordered || !sameBag(side.rows, other, true) {
			slices.SortFunc(side.rows, compareRows)
		}
	}
	s.out.Gold = &Result{Columns: names(s.gold.columns), Rows: gold}
	s.out.Pred = &Result{Columns: names(s.pred.columns), Rows: pred}
	return true, nil
}

// compareRows compares two rows by their values, for sorting.
func compareRows(a, b []Value) int { return slices.CompareFunc(a, b, compareValues) }

func compareValues(a, b Value) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Int, b.Int), cmp.Compare(a.Real, b.Real),
		cmp.Compare(a.Text, b.Text))
}

func names(columns []output) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = c.name
		if c.name == "" {
			out[i] = "column " + strconv.Itoa(i+1)
		}
	}
	return out
}

// shrink removes rows from d while the queries still differ, and replaces unusual values by plain ones. short is an
// error if memory was short.
func (s *search) shrink(ctx context.Context, d *Database) (short error) {
	still := func(smaller *Database) bool {
		open := s.out.Open
		gold, pred := s.out.Gold, s.out.Pred
		differ, err := s.differ(ctx, smaller)
		s.out.Open = open
		if errors.Is(err, ErrMemory) {
			short = err
		}
		if err != nil || !differ {
			s.out.Gold, s.out.Pred = gold, pred
			return false
		}
		return true
	}
	for changed := true; changed && ctx.Err() == nil && short == nil; {
		changed = false
		for i := len(d.Tables) - 1; i >= 0; i-- {
			for j := len(d.Tables[i].Rows) - 1; j >= 0; j-- {
				if j >= len(d.Tables[i].Rows) {
					continue // deleted with a row that it refers to
				}
				smaller := d.clone()
				smaller.Tables[i].Rows = slices.Delete(slices.Clone(smaller.Tables[i].Rows), j, j+1)
				smaller.prune()
				if still(smaller) {
					*d, changed = *smaller, true
				}
			}
		}
	}
	for i := range d.Tables {
		for j := range d.Tables[i].Rows {
			for k, c := range d.Tables[i].Columns {
				for _, plain := range plainer(d.Tables[i].Rows[j][k], c) {
					if ctx.Err() != nil || short != nil {
						return short
					}
					other := d.clone()
					row := slices.Clone(other.Tables[i].Rows[j])
					row[k] = plain
					other.Tables[i].Rows[j] = row
					count := other.Count()
					if other.prune(); other.Count() == count && still(other) {
						*d = *other
						break
					}
				}
			}
		}
	}
	_ = still(d) // the results are those of the last database
	return short
}

// plainer returns values that are easier to read to replace NULL, a blank or an empty string; nil for any other
// value.
func plainer(v Value, c *Column) []Value {
	if plainValue(v) {
		return nil
	}
	var out []Value
	for _, p := range c.domain.pool {
		if p = fit(p, c); plainValue(p) && len(out) < 3 {
			out = append(out, p)
		}
	}
	return out
}

func plainValue(v Value) bool {
	return v.Kind != Null && (v.Kind != Text || v.Text != "" && v.Text == strings.TrimSpace(v.Text))
}

// tell stores the counterexample and its description in s.out.
func (s *search) tell(d *Database) {
	s.out.Found = true
	for i := range d.Tables {
		t := &d.Tables[i]
		small := SmallTable{Name: t.Table.Name, Rows: t.Rows}
		if small.Rows == nil {
			small.Rows = [][]Value{}
		}
		for _, c := range t.Columns {
			small.Columns, small.Types = append(small.Columns, c.Name), append(small.Types, c.Declared)
		}
		s.out.Tables = append(s.out.Tables, small)
	}
	s.out.Constraints = s.constraints()
	for _, c := range d.unique {
		s.out.Constraints = append(s.out.Constraints, fmt.Sprintf("%s (%s) is unique", c.table.Name, c.Name))
	}
	s.out.Keeps, s.out.Breaks = s.real.judge(d, s.out.Gold.Rows, s.out.Pred.Rows)
	s.out.Realistic = len(s.out.Breaks) == 0
	switch s.dialect {
	case sqlparts.SQLite, sqlparts.MySQL, sqlparts.TSQL, sqlparts.Generic:
		s.numberBooleans()
	}
	s.out.Sentence = s.sentence(d)
}

// numberBooleans replaces TRUE and FALSE in the outcome by 1 and 0, for dialects without Booleans.
func (s *search) numberBooleans() {
	number := func(rows [][]Value) {
		for _, row := range rows {
			for i := range row {
				if row[i].Kind == Bool {
					row[i].Kind = Int
				}
			}
		}
	}
	for i := range s.out.Tables {
		number(s.out.Tables[i].Rows)
	}
	number(s.out.Gold.Rows)
	number(s.out.Pred.Rows)
}

// constraints returns descriptions of the constraints that the database satisfies.
func (s *search) constraints() []string {
	var out []string
	list := func(columns []*Column) string {
		parts := make([]string, len(columns))
		for i, c := range columns {
			parts[i] = c.Name
		}
		return strings.Join(parts, ", ")
	}
	for _, t := range s.tables {
		for _, key := range t.Unique {
			if allUsed(key) {
				out = append(out, fmt.Sprintf("%s (%s) is unique", t.Name, list(key)))
			}
		}
		for _, c := range t.Columns {
			if c.used && c.NotNull && !c.key() {
				out = append(out, t.Name+"."+c.Name+" is never NULL")
			}
		}
		for _, f := range t.Foreign {
			if f.To.read && allUsed(f.Columns) && allUsed(f.Target) {
				out = append(out, fmt.Sprintf("%s (%s) refers to %s (%s)", t.Name, list(f.Columns), f.To.Name, list(f.Target)))
			}
		}
		for _, check := range t.checked {
			out = append(out, t.Name+": "+sqlparts.Format(check))
		}
	}
	return out
}
