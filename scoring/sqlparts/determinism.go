package sqlparts

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// DependsOn is something other than the data on which a result depends.
type DependsOn string

// The kinds of dependences.
const (
	OnClock   DependsOn = "clock"   // the time at which the query runs
	OnChance  DependsOn = "chance"  // random numbers, samples and sequences
	OnModel   DependsOn = "model"   // the answer of a model
	OnSession DependsOn = "session" // who runs the query, and the settings of the connection
	OnHistory DependsOn = "history" // an earlier state of a table, which a warehouse keeps for a limited time
	OnOrder   DependsOn = "order"   // the order of rows, which no clause determines
	OnTies    DependsOn = "ties"    // the order of rows with equal sort keys
)

// Dependence is a part of a query that makes its result depend on something other than the data.
type Dependence struct {
	Span
	On   DependsOn
	What string // the part as written, shortened

	// Rows is true if only the order of the result's rows depends on it, and not which rows they are.
	Rows bool

	clock *clockFunction // the clock function that is called, if a constant can replace it
	call  *Call          // the call that reads the clock; nil for a name or a string
	arg   Expr           // the argument that means the current time, or before which it must be inserted
	why   string
}

// Sentence explains why the result depends on something other than the data, and how to change the query.
func (d *Dependence) Sentence() string {
	return d.What + " " + d.why
}

// The explanation of each kind. It follows the quoted part of the query in a message.
const (
	saysClock  = "reads the clock, so that the result changes with the time at which the query runs: write the date that the question means, or pin the clock with --clock"
	saysRows   = "leaves the order of the rows to chance; which rows they are does not depend on it"
	saysWho    = "depends on the session that runs the query: write the value that is meant"
	saysZone   = "depends on the time zone of the machine: name the zone"
	saysModel  = "is the answer of a model, which may be another with each run: keep what it answered in a table"
	saysOther  = "is another value with each run: say by the data which rows or values are meant"
	saysTaken  = "takes other rows with each run: say by the data which rows are meant"
	saysSeeded = "takes rows by where they lie, which the engine may change: say by the data which rows are meant"
	saysPast   = "reads an earlier state of the table, which the warehouse keeps for a limited time: copy the rows into a table of their own"
	saysPlace  = "says where a row lies, which the engine may change: use a key of the data"
	saysStep   = "advances or reads a sequence, which differs with each run: use a key of the data"
)

// Dependences lists the parts of a script that make its results depend on something other than the data, in the
// order of the SQL text. The keys of the schema, which may be nil, show where rows cannot tie.
//
// It knows a name only as the dialect defines it: dependences inside a view, a user-defined function or a session
// default are not seen. Approximate aggregates, and conversions that implicitly use the session's time zone, count
// as functions of the data.
func (s *Script) Dependences(schema *Schema) []Dependence {
	r := &dependenceReader{script: s, dialect: s.Dialect, schema: schema, besides: map[Node]bool{}, seen: map[Span]bool{},
		unique: map[*Query][][]string{}, orders: map[*Select][]*OrderItem{}, limited: map[*Query]bool{},
		columns: map[*Call]string{}, tables: map[*Call]bool{}}
	if schema == nil {
		r.schema = &Schema{Dialect: s.Dialect}
	}
	for _, st := range s.Statements {
		if st.Query == nil {
			continue
		}
		r.statement(st)
	}
	if s.besideTrees() {
		r.outside()
	}
	slices.SortStableFunc(r.found, func(a, b Dependence) int { return int(a.Start - b.Start) })
	return r.found
}

// dependenceReader collects the dependences of a script.
type dependenceReader struct {
	script  *Script
	dialect Dialect
	schema  *Schema
	selects []*Select
	used    map[string]bool // names of tables that the statement reads, in lower case
	scope   []*CTE

	besides map[Node]bool // nodes whose value, or whose choice or order of rows, has no effect
	seen    map[Span]bool
	unique  map[*Query][][]string // sets of columns that are unique among a query's rows
	orders  map[*Select][]*OrderItem
	tables  map[*Call]bool   // functions in FROM, which cannot be replaced by a constant
	columns map[*Call]string // for a call that is a whole column of a subquery or CTE: the column's name
	outer   *Query           // the statement's query
	uses    map[string]use
	all     use
	limited map[*Query]bool // queries in parentheses whose rows an outer LIMIT restricts
	found   []Dependence
}

const maxDependenceText = 60

// add records a dependence and returns it, or returns nil if one was recorded for the same span.
func (r *dependenceReader) add(on DependsOn, n Node, why string) *Dependence {
	from, to := n.Range()
	span := Span{int32(from), int32(to)} //nolint:gosec // within maxText
	if r.seen[span] {
		return nil
	}
	r.seen[span] = true
	what := strings.Join(strings.Fields(r.script.SQL[from:to]), " ")
	if utf8.RuneCountInString(what) > maxDependenceText {
		what = string([]rune(what)[:maxDependenceText-1]) + "…"
	}
	r.found = append(r.found, Dependence{Span: span, On: on, What: what, why: why})
	return &r.found[len(r.found)-1]
}

// statement collects the dependences of a statement's query. Common table expressions that are never read are skipped,
// because they have no effect on the result.
func (r *dependenceReader) statement(st *Statement) {
	r.used, r.scope, r.outer, r.uses = map[string]bool{}, st.Query.created, st.Query, nil
	Walk(st.Query, func(n Node) bool {
		switch n := n.(type) {
		case *Source:
			if len(n.Table) == 1 {
				r.used[strings.ToLower(n.Table[0].Text)] = true
			}
		case *CTE:
			r.scope = append(r.scope, n)
		}
		return true
	})
	last := map[*Select]bool{}
	lastSelects(st.Query.Body, last)
	Walk(st.Query, func(n Node) bool {
		if s, ok := n.(*Select); ok && !last[s] {
			for _, it := range s.Items {
				if c, ok := it.Expr.(*Call); ok && it.Alias.Text != "" {
					r.columns[c] = it.Alias.Text
				}
			}
		}
		return true
	})
	r.walk(st.Query)
}

func (r *dependenceReader) walk(n Node) {
	Walk(n, func(n Node) bool {
		switch n := n.(type) {
		case *CTE:
			return n.Write != nil || r.used[strings.ToLower(n.Name.Text)]
		case *Query:
			r.query(n)
		case *Select:
			r.selects = append(r.selects, n)
			r.sel(n)
			r.bare(n)
			r.counted(n)
			r.children(n)
			r.selects = r.selects[:len(r.selects)-1]
			return false
		case *Exists:
			if n.Query != nil {
				r.besides[n.Query] = true // EXISTS depends only on whether there is a row
			}
		case *Source:
			r.source(n)
		case *Cast:
			r.cast(n)
		case *Column:
			r.column(n)
		case *Param:
			if r.ofSession(n.Text) {
				r.add(OnSession, n, saysWho)
			}
		case *Binary:
			r.compared(n.L, n.R)
			r.compared(n.R, n.L)
		case *Between:
			r.compared(n.X, n.Low)
			r.compared(n.X, n.High)
		case *In:
			for _, e := range n.List {
				r.compared(n.X, e)
			}
		case *Call:
			r.call(n)
		}
		return true
	})
}

// children walks the child nodes of the select s.
func (r *dependenceReader) children(s *Select) {
	first := true
	Walk(s, func(n Node) bool {
		if first {
			first = false
			return true
		}
		r.walk(n)
		return false
	})
}

// within returns the innermost select that contains the current node; nil outside any.
func (r *dependenceReader) within() *Select {
	if len(r.selects) == 0 {
		return nil
	}
	return r.selects[len(r.selects)-1]
}

// besideTrees reports whether a part of the script may not be in a syntax tree.
func (s *Script) besideTrees() bool {
	if len(s.Notes) > 0 || strings.Contains(strings.ToLower(s.SQL), "next") { // NEXT VALUE FOR
		return true
	}
	return slices.ContainsFunc(s.Statements, func(st *Statement) bool { return st.Query == nil })
}

// outside collects dependences in text that is not in a syntax tree: the values of variables, and raw text.
func (r *dependenceReader) outside() {
	trees, carried, found := make(stretches, 0, len(r.script.Statements)), make(stretches, 0, len(r.script.Notes)),
		make(stretches, 0, len(r.found))
	for _, st := range r.script.Statements {
		if st.Query != nil {
			trees = append(trees, st.Query.Span)
		}
	}
	for _, n := range r.script.Notes {
		carried = append(carried, n.Span)
	}
	for _, d := range r.found {
		found = append(found, d.Span)
	}
	trees, carried, found = trees.merged(), carried.merged(), found.merged()
	all := r.script.Mentions(0, len(r.script.SQL))
	word := func(i int) string {
		if i < len(all) && len(all[i].Name) == 1 && !all[i].Name[0].Quoted {
			return strings.ToLower(all[i].Name[0].Text)
		}
		return ""
	}
	for i, m := range all {
		if word(i) == "next" && word(i+1) == "value" && word(i+2) == "for" {
			r.add(OnChance, Span{m.Start, all[i+2].End}, saysStep)
			continue
		}
		if trees.has(m.Start) && !carried.has(m.Start) || m.Name[0].Quoted || found.has(m.Start) {
			continue
		}
		if f := clockOf(r.dialect, m.Name); f != nil && (m.Called && !f.argues() || f.keyword && !m.Called) {
			r.add(OnClock, m.Span, saysClock)
		} else if on, why := r.nameDepends(m.Name, 0); m.Called && on != "" {
			r.add(on, m.Span, why)
		}
	}
}

// stretches are spans of SQL text. After merging they are sorted and disjoint.
type stretches []Span

func (s stretches) merged() stretches {
	slices.SortFunc(s, func(a, b Span) int { return int(a.Start - b.Start) })
	out := s[:0]
	for _, x := range s {
		if n := len(out); n > 0 && x.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, x.End)
			continue
		}
		out = append(out, x)
	}
	return out
}

// has reports whether the offset is in one of the stretches, which must be merged.
func (s stretches) has(at int32) bool {
	i, _ := slices.BinarySearchFunc(s, at, func(x Span, at int32) int { return int(x.End - at) })
	for ; i < len(s) && s[i].Start <= at; i++ {
		if at < s[i].End {
			return true
		}
	}
	return false
}

// source collects the dependences of a source: a sample, or time travel.
func (r *dependenceReader) source(s *Source) {
	if s.Call != nil {
		r.tables[s.Call] = true
	}
	switch {
	case s.Sample == nil || sampleSays(s.Sample, "100") && !sampleSays(s.Sample, "row", "rows"): // all rows
	case sampleSays(s.Sample, "repeatable", "seed"):
		r.add(OnOrder, s.Sample, saysSeeded)
	default:
		r.add(OnChance, s.Sample, saysTaken)
	}
	if s.Version == nil {
		return
	}
	switch r.dialect {
	case Snowflake, BigQuery, Databricks, DuckDB, Generic:
		d := r.add(OnHistory, s.Version, saysPast)
		if raw, ok := s.Version.(*Raw); ok && d != nil {
			for _, m := range r.script.Mentions(int(raw.Start), int(raw.End)) {
				if f := clockOf(r.dialect, m.Name); f != nil && (m.Called || f.keyword) ||
					!m.Name[0].Quoted && strings.EqualFold(m.Name[0].Text, "offset") {
					d.On, d.why = OnClock, saysClock
				}
			}
		}
	default: // temporal tables keep old rows without a time limit
	}
}

// sampleSays reports whether the text of a sample clause contains one of the words.
func sampleSays(e Expr, words ...string) bool {
	raw, ok := e.(*Raw)
	return ok &&
		slices.ContainsFunc(Lexemes(raw.Text, Generic), func(x Lexeme) bool { return slices.Contains(words, x.Value) })
}

// column collects the dependences of names that are functions called without parentheses, or system columns and values
// of the session.
func (r *dependenceReader) column(c *Column) {
	last := c.Name.Last()
	if last.Quoted {
		return
	}
	name := strings.ToLower(last.Text)
	switch {
	case len(c.Name) > 1 && (name == "nextval" || name == "currval") && (r.dialect == Snowflake || r.dialect == Generic):
		r.add(OnChance, c, saysStep)
	case len(c.Name) > 1:
	case name == "user" && (r.dialect == Postgres || r.dialect == Redshift || r.dialect == TSQL) ||
		name == "system_user" && r.dialect == TSQL:
		r.add(OnSession, c, saysWho)
	case name == "ctid" && r.dialect == Postgres:
		r.add(OnOrder, c, saysPlace)
	default:
		// In unknown SQL a name such as utc_date is more likely a column.
		if f := clockOf(r.dialect, c.Name); f != nil && f.keyword && (r.dialect != Generic || name == "sysdate") {
			if d := r.add(OnClock, c, saysClock); d != nil {
				d.clock = f
			}
		}
	}
}

// cast records a string for the current time such as 'now' that is cast to a date or time.
func (r *dependenceReader) cast(c *Cast) {
	l, ok := c.X.(*Literal)
	if !ok || l.Kind != String || !readsNow(r.dialect, c.Type) {
		return
	}
	if f := wordClock(l.Text, c.Type); f != nil {
		if d := r.add(OnClock, c, saysClock); d != nil {
			d.clock, d.arg = f, l
		}
	}
}

// ofSession reports whether a parameter is a setting or variable of the session, not one that the client binds.
func (r *dependenceReader) ofSession(param string) bool {
	rest, dollar := strings.CutPrefix(param, "$")
	switch {
	case strings.HasPrefix(param, "@@"):
		return true
	case r.dialect == MySQL:
		return strings.HasPrefix(param, "@")
	case r.dialect == Snowflake && dollar && rest != "":
		return rest[0] < '0' || rest[0] > '9'
	}
	return false
}

// compared records a string for the current time, such as 'now' in PostgreSQL, that is compared with a column of a date
// or time type.
func (r *dependenceReader) compared(with, e Expr) {
	l, ok := e.(*Literal)
	c, isColumn := with.(*Column)
	s := r.within()
	if !ok || !isColumn || l.Kind != String || s == nil || r.dialect != Postgres && r.dialect != Redshift {
		return
	}
	for _, src := range s.From {
		t := r.tableOf(src)
		if t == nil || len(c.Name) > 1 && !strings.EqualFold(sourceName(src), c.Name[len(c.Name)-2].Text) {
			continue
		}
		if def, sure := t.Column(r.dialect, c.Name.Last()); def != nil && sure && readsNow(r.dialect, def.Type) {
			if f := wordClock(l.Text, def.Type); f != nil {
				if d := r.add(OnClock, l, saysClock); d != nil {
					d.clock, d.arg = f, l
				}
			}
		}
	}
}

// counted records that the rows which a limit keeps are irrelevant if s only counts the rows of a derived table.
func (r *dependenceReader) counted(s *Select) {
	if len(s.From) != 1 || s.From[0].Query == nil || s.Where != nil || s.Group != nil || s.Having != nil {
		return
	}
	for _, it := range s.Items {
		c, ok := it.Expr.(*Call)
		if !ok || len(c.Name) != 1 || !strings.EqualFold(c.Name[0].Text, "count") || c.Over != nil || c.Filter != nil ||
			c.Distinct || len(c.Args) != 1 {
			return
		}
		if _, star := c.Args[0].(*Star); !star && !constant(c.Args[0]) {
			return
		}
	}
	r.besides[s.From[0].Query] = true
}

// call collects the dependences of a function call.
func (r *dependenceReader) call(c *Call) {
	name := strings.ToLower(c.Name.Last().Text)
	if orderFree[name] && c.Over == nil {
		r.free(c.Args)
	}
	if r.dialect == SQLite && sqliteTime[name] {
		for _, a := range c.Args {
			if isText(a, "localtime") || isText(a, "utc") {
				r.add(OnSession, a, saysZone)
			}
		}
	}
	if f := clockOf(r.dialect, c.Name); f != nil {
		if reads, arg := f.reads(r.dialect, c); reads {
			if d := r.add(OnClock, c, saysClock); d != nil && !r.tables[c] {
				d.clock, d.call, d.arg = f, c, arg
			}
			return
		}
	}
	if c.bare() && (r.dialect == SQLite || r.dialect == BigQuery) { // a keyword of other dialects: a column here
		return
	}
	if on, why := r.nameDepends(c.Name, len(c.Args)); on != "" {
		if r.dialect == TSQL && name == "rand" && len(c.Args) == 1 && constant(c.Args[0]) {
			return // the seed determines the number
		}
		if d := r.add(on, c, why); d != nil && r.besides[c] {
			d.Rows, d.why = true, saysRows
		}
		return
	}
	if len(c.Name) == 1 {
		r.aggregate(c, name)
		r.windowed(c, name)
	}
}

// builtins are the schemas by which a built-in function may be qualified.
var builtins = []string{"pg_catalog", "sys", "safe", "main", "builtin"}

// nameDepends returns the kind and explanation of the dependence of a function's value, judged by its name and its
// number of arguments; "" if there is none.
func (r *dependenceReader) nameDepends(n Name, args int) (DependsOn, string) {
	name := strings.ToLower(n.Last().Text)
	if len(n) > 1 {
		schema := strings.ToLower(n[len(n)-2].Text)
		if modelSchemas[schema] && generates(schema, name, r.dialect) {
			return OnModel, saysModel
		}
		if !slices.Contains(builtins, schema) {
			return "", "" // a user-defined function
		}
	}
	switch {
	case name == "uuid" || name == "uuid_string": // with arguments, a function of these
		if args > 0 {
			return "", ""
		}
		return OnChance, saysOther
	case name == "uniform" || name == "randstr": // Snowflake's take the generator as an argument
		if r.dialect == Databricks {
			return OnChance, saysOther
		}
	case randomNames[name]:
		return OnChance, saysOther
	case sequenceNames[name]:
		return OnChance, saysStep
	case name == "table_changes" && (r.dialect == Databricks || r.dialect == Generic),
		(name == "appends" || name == "changes") && r.dialect == BigQuery:
		return OnHistory, saysPast
	case placeNames[name]:
		return OnOrder, saysPlace
	case sessionNames[name]:
		return OnSession, saysWho
	case (name == "user" || name == "schema" || name == "database") && r.dialect == MySQL,
		(name == "user_name" || name == "db_name" || name == "suser_id" || name == "user_id") && args == 0 &&
			r.dialect == TSQL:
		return OnSession, saysWho
	case generates("", name, r.dialect):
		return OnModel, saysModel
	}
	return "", ""
}

func nameSet(names string) map[string]bool {
	m := map[string]bool{}
	for n := range strings.FieldsSeq(names) {
		m[n] = true
	}
	return m
}

var (
	randomNames = nameSet(`random rand randn randcanonical rand_bytes random_bytes random_normal randomblob gen_random_bytes crypt_gen_random
		gen_random_uuid generate_uuid newid newsequentialid uuid_short uuid_generate_v1 uuid_generate_v1mc uuid_generate_v4 uuidv1 uuidv4 uuidv7
		sys_guid generateuuidv4 array_shuffle array_sample shuffle reservoir_quantile bernoulli`)

	sequenceNames = nameSet(
		`nextval currval lastval setval last_insert_id last_insert_rowid scope_identity identity_val_local`)

	placeNames = nameSet(`monotonically_increasing_id spark_partition_id input_file_name`)

	sessionNames = nameSet(`current_user session_user system_user current_role current_role_type current_secondary_roles current_schema current_schemas
		current_catalog current_database current_metastore current_warehouse current_account current_account_name current_organization_name current_region
		current_session current_statement current_transaction current_client current_version current_ip_address current_timezone current_setting
		current_available_roles current_connection_id current_query current_query_id current_transaction_id current_path invoker_role invoker_share is_role_in_session
		is_database_role_in_session is_member is_account_group_member version sqlite_version pg_backend_pid connection_id inet_client_addr inet_client_port
		inet_server_addr txid_current pg_current_xact_id pg_last_query_id last_query_id last_user_query_id result_scan suser_name suser_sname original_login
		host_name app_name session_context context_info sessiontimezone getvariable changes total_changes found_rows row_count`)

	// orderFree are functions of an array, or of rows, on which the order of its elements has no effect.
	orderFree = nameSet(`array_sort sort_array list_sort array_reverse_sort list_reverse_sort array_size array_length array_count cardinality size len length list_count
		array_max array_min list_max list_min list_sum list_avg array_sum array_avg array_contains list_contains list_has array_has json_array_length jsonb_array_length`)

	modelSchemas = nameSet(`ai ml cortex`)
)

// modelFunctions are BigQuery's functions that apply a model, which is trained and replaced independently of the data.
var modelFunctions = nameSet(`predict explain_predict forecast explain_forecast evaluate detect_anomalies recommend global_explain confusion_matrix roc_curve weights advanced_weights
	centroids trial_info training_info feature_info arima_coefficients arima_evaluate holiday_info principal_components principal_component_info reconstruction_loss`)

// generates reports whether a function returns the output of a model other than an embedding. schema is "" for an
// unqualified name.
func generates(schema, name string, d Dialect) bool {
	switch schema {
	case "ai":
		return (d == BigQuery || d == Generic) && !strings.Contains(name, "embed") && name != "similarity" && name != "search"
	case "ml":
		return (d == BigQuery || d == Generic) &&
			(modelFunctions[name] || strings.HasPrefix(name, "generate_") && !strings.Contains(name, "embedding") ||
				name == "understand_text" || name == "translate" || name == "annotate_image" || name == "transcribe" ||
				name == "process_document")
	case "cortex":
		return (d == Snowflake || d == Generic) && !strings.Contains(name, "embed") && name != "count_tokens"
	}
	switch d {
	case Snowflake, Databricks, Generic:
		return strings.HasPrefix(name, "ai_") && !strings.Contains(name, "embed") && name != "ai_similarity" &&
			name != "ai_count_tokens" && name != "ai_forecast"
	}
	return false
}

// free records that the order in which rows are collected in the arguments has no effect.
func (r *dependenceReader) free(args []Expr) {
	for _, a := range args {
		r.besides[a] = true
	}
}

// bare reports whether a call is written without parentheses, such as CURRENT_DATE.
func (c *Call) bare() bool {
	return len(c.Name) == 1 && len(c.Args) == 0 && int(c.End-c.Start) == len(c.Name[0].Text)
}

// constant reports whether an expression is the same for all rows: it consists of literals, operators, casts and lists.
func constant(e Expr) bool {
	is := true
	Walk(e, func(n Node) bool {
		switch n := n.(type) {
		case *Literal, *Unary, *Cast, *List, *Item, *Interval:
		case *Binary:
			is = is && n.Quantifier == ""
		case *Subquery: // (SELECT NULL)
			s := firstSelect(n.Query)
			if s == nil || len(s.From) > 0 || len(s.Items) != 1 || !constant(s.Items[0].Expr) {
				is = false
			}
			return false
		default:
			is = false
		}
		return is
	})
	return is
}

// isText reports whether an argument of an SQLite function is the string text. SQLite also reads a double-quoted
// name as a string if no column has that name.
func isText(e Expr, text string) bool {
	switch e := e.(type) {
	case *Literal:
		return e.Kind == String && strings.EqualFold(strings.TrimSpace(e.Text), text)
	case *Column:
		return len(e.Name) == 1 && e.Name[0].Quoted && strings.EqualFold(e.Name[0].Text, text)
	}
	return false
}

// Unreached reports whether the dependence is the LIMIT of the script's final query and a result with that number of
// rows is smaller than the limit. Then the result is complete, and does not depend on the limit.
func (s *Script) Unreached(d Dependence, rows int) bool {
	q := s.Final()
	if q == nil || q.Limit == nil || q.Limit.Span != d.Span || q.Limit.Offset != nil {
		return false
	}
	n, ok := q.RowLimit()
	return ok && int64(rows) < n
}

// Position returns the position of a part in the script: its line and, in characters, its column, both from 1.
func (s *Script) Position(n Node) (line, column int) {
	from, _ := n.Range()
	before := s.SQL[:min(from, len(s.SQL))]
	return 1 + strings.Count(before, "\n"), 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}

// Place returns the line of a node in the script for messages, such as "line 3".
func (s *Script) Place(n Node) string {
	line, _ := s.Position(n)
	return fmt.Sprintf("line %d", line)
}
