package install

import (
	"slices"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/scoring"
)

// Warehouse is a kind of warehouse in which badger can be installed.
type Warehouse struct {
	Name  string
	Vias  []Via // the protocols; the first is the default
	Admin string
	// Optional is how optional arguments are declared.
	Optional optional
	// Unnamed reports that a function's arguments have no names there; its comment then names them.
	Unnamed bool
	// Schema matches the valid schema names, if not every name can be quoted.
	Schema *lazyregexp.Regexp
	// Arguments reports that it cannot call functions without arguments; those are omitted.
	Arguments bool
	// Connected reports that the connection determines the database, so that SQL does not name it.
	Connected bool
	// Global reports that functions do not belong to a schema.
	Global bool
	// Helpers are functions and procedures that the plan creates in addition to the catalog and the procedure evaluate.
	Helpers []string
	// Longest is the maximum number of bytes of a name; 0 if unlimited. Postgres truncates longer names.
	Longest int
}

// Via is a protocol by which a warehouse calls badger.
type Via struct {
	Name     string
	Doc      string // description, cost and requirements
	Required []string
	Wire     Wire
}

// optional describes how the optional arguments of a function are declared.
type optional int

const (
	byDefault  optional = iota // with a default
	byOverload                 // two functions with the same name: the required arguments, and all
	byName                     // NAME has the required arguments, NAME_all has all
)

// Wire has the limits of one call.
type Wire struct {
	Budget time.Duration // time limit; 0: calls have one row, or the embedded engine splits them
	In     int           // maximum bytes of arguments
	Out    int           // maximum bytes of results
	Max    int           // maximum rows of any class; 0: no limit
}

// Amazon's gateway ends a request after 29 s, and the server stops at 25 s. Body limits are those of the server and
// each warehouse.
var (
	gateway   = Wire{Budget: 25 * time.Second, In: 10 << 20, Out: 10_000_000}
	inAccount = Wire{Budget: 10 * time.Minute, In: 10 << 20, Out: 10_000_000}
	cloudRun  = Wire{Budget: 19 * time.Minute, In: 10 << 20, Out: 15_000_000, Max: 500}
	batchUDF  = Wire{Budget: 5 * time.Minute, In: 10 << 20, Out: 50 << 20}
	lambda    = Wire{Budget: 14 * time.Minute, In: 5 << 20, Out: 6_000_000}
	databend  = Wire{Budget: 150 * time.Second, In: 64 << 20 / databendCopies, Out: 64 << 20, Max: 200}
)

// databendCopies is how many times the bytes of its rows a message of Databend may have: a slice of a block keeps the
// texts of the whole block, unless the slice needs at most a quarter of them.
const databendCopies = 4

// Warehouses lists the supported warehouses.
var Warehouses = []Warehouse{
	{
		Name: "snowflake", Optional: byOverload, Longest: 255, Helpers: []string{"send_alerts"},
		Admin: "a role with CREATE ROLE, CREATE INTEGRATION and CREATE COMPUTE POOL, such as ACCOUNTADMIN",
		Vias: []Via{
			{"spcs", "badger serve runs in the account, in Snowpark Container Services. No gateway, no internet, calls may take minutes. Costs one small node of a compute pool.", []string{"database", "deploy.image", "deploy.snowflake.query_warehouse"}, inAccount},
			{"api-gateway", "badger serve runs outside, behind Amazon API Gateway. Calls end after 29 s. Costs a gateway and wherever the server runs.", []string{"database", "endpoint", "role_arn"}, gateway},
		},
	},
	{
		Name: "bigquery", Optional: byName, Schema: lazyregexp.New(`^[\pL\pM\pN_]+$`), Admin: "an owner of the project",
		Helpers: []string{"send_alerts"},
		Vias:    []Via{{"cloud-run", "badger serve runs on Cloud Run in the same project, with internal ingress; BigQuery signs in by a connection's service account. Costs one instance.", []string{"database", "location", "endpoint"}, cloudRun}},
	},
	{
		Name: "databricks", Optional: byDefault, Helpers: []string{"send_alerts"},
		Admin: "a metastore admin, or CREATE CONNECTION on the metastore and USE CATALOG, CREATE SCHEMA on the catalog",
		Vias: []Via{
			{"http", "SQL functions over http_request and a connection: one request a row, rate-limited. Enough for hundreds of rows. Needs a pro or serverless SQL warehouse.", []string{"database", "endpoint"}, Wire{}},
			{"python",
				"batch Python UDFs: many rows a request. Needs DBR 16.3 or a serverless SQL warehouse that may reach the endpoint.", []string{"database", "endpoint"}, batchUDF},
		},
	},
	{
		Name: "postgres", Optional: byDefault, Connected: true, Admin: "a superuser",
		Helpers: []string{"_call", "_pending", "_webhook", "_new_alerts", "send_alerts"},
		Longest: 63,
		Vias:    []Via{{"http", "SQL functions over one PL/Python function: one request a row on a connection that stays open. Needs the extension plpython3u, which managed services seldom have.", []string{"endpoint"}, Wire{}}},
	},
	{
		Name: "redshift", Optional: byOverload, Unnamed: true, Connected: true, Admin: "a superuser", Longest: 127,
		Vias: []Via{
			{"lambda",
				"external functions over an AWS Lambda function that passes batches on to badger serve. Costs the Lambda calls.",
				[]string{"endpoint", "role_arn"}, lambda}},
	},
	{
		Name: "duckdb", Optional: byDefault, Connected: true, Admin: "a user who may write the file",
		Vias: []Via{
			{"embedded", "macros over the functions that badger's own engine brings: for SQL that badger sql runs. Costs nothing; no server.", nil, Wire{}}},
	},
	{
		Name: "databend", Optional: byName, Unnamed: true, Connected: true, Global: true, Arguments: true,
		Admin: "a user with CREATE ROLE and GRANT",
		Vias:  []Via{{"flight", "external functions over Arrow Flight. The query nodes must list the endpoint in udf_server_allow_list.", []string{"endpoint"}, databend}},
	},
}

// Databend is the SQL dialect of Databend, which has no connector.
var Databend = driver.Dialect{
	Name: "databend",
	Types: map[driver.Type]string{
		driver.Text: "VARCHAR", driver.JSON: "VARIANT", driver.BigInt: "BIGINT", driver.Double: "DOUBLE",
		driver.Decimal: "DECIMAL(38, 12)", driver.Boolean: "BOOLEAN", driver.Timestamp: "TIMESTAMP",
	},
	Identifiers: driver.Identifiers{Quote: '`', Backslash: true},
}

// find returns a warehouse and a protocol by name; the warehouse's first protocol if via is "".
func find(warehouse, via string) (*Warehouse, *Via, error) {
	i := slices.IndexFunc(Warehouses, func(w Warehouse) bool { return w.Name == warehouse })
	if i < 0 {
		if client := FindClient(warehouse); client != nil {
			return nil, nil, client.PrintOnly()
		}
		var names []string
		for _, w := range Warehouses {
			names = append(names, w.Name)
		}
		for i := range clients {
			names = append(names, clients[i].Name)
		}
		return nil, nil, errcode.New(errcode.InvalidArgument, "unknown warehouse %.40q, expected one of %s%s", warehouse,
			strings.Join(names, ", "), scoring.Suggest(warehouse, names))
	}
	w := &Warehouses[i]
	if via == "" {
		return w, &w.Vias[0], nil
	}
	var names []string
	for k := range w.Vias {
		if w.Vias[k].Name == via {
			return w, &w.Vias[k], nil
		}
		names = append(names, w.Vias[k].Name)
	}
	return nil, nil, errcode.New(errcode.InvalidArgument, "%s cannot call badger via %.40q, expected %s", warehouse, via,
		strings.Join(names, " or "))
}

// cost is the assumed cost of a row of a class: its time, how many rows run concurrently, and the bytes of its
// arguments and its result. Nine of ten rows of the reference data cost less.
var cost = map[scoring.Cost]struct {
	time     time.Duration
	parallel int
	in, out  int
}{
	scoring.CostSmall:  {time: time.Millisecond, parallel: 1, in: 4 << 10, out: 4 << 10},
	scoring.CostLarge:  {time: 3 * time.Millisecond, parallel: 1, in: 20 << 10, out: 16 << 10},
	scoring.CostJudged: {time: 8 * time.Second, parallel: 16, in: 40 << 10, out: 16 << 10},
}

// RowCap returns the maximum number of rows of a class in one call: that in set, else as many as the time and the sizes
// allow, rounded down to 1, 2 or 5 times a power of ten. 0 means that calls have one row, or no limit.
func (w Wire) RowCap(class scoring.Cost, set Rows) int {
	if w.Budget == 0 {
		return 0
	}
	if class == "" {
		class = scoring.CostSmall
	}
	if n := map[scoring.Cost]int{scoring.CostSmall: set.Small, scoring.CostLarge: set.Large,
		scoring.CostJudged: set.Judged}[class]; n > 0 {
		return n
	}
	c := cost[class]
	if class == scoring.CostJudged && set.JudgeSeconds > 0 {
		c.time = time.Duration(set.JudgeSeconds * float64(time.Second))
	}
	n := min(int(w.Budget*time.Duration(c.parallel)/c.time), w.In/c.in, w.Out/c.out)
	if w.Max > 0 {
		n = min(n, w.Max)
	}
	return max(1, roundDown(n))
}

// roundDown returns the largest number of the form 1, 2 or 5 times a power of ten that is at most n; 0 if n < 1.
func roundDown(n int) int {
	best := 0
	for p := 1; p <= n; p *= 10 {
		for _, k := range []int{1, 2, 5} {
			if k*p <= n {
				best = k * p
			}
		}
	}
	return best
}
