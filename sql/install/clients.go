package install

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/udf"
)

// Client is an engine whose functions are in one file, which people load into it. badger does not connect to it.
type Client struct {
	Name    string
	Doc     string // description and requirements
	File    string
	Comment string // text around a line of comment
	Dialect driver.Dialect
	Wire    Wire

	folder string // of the file's template, which has the name of the file
}

// python is the type names that Arrow's Python library has.
var python = map[driver.Type]string{
	driver.Text: "pa.string()", driver.JSON: "pa.string()", driver.BigInt: "pa.int64()", driver.Double: "pa.float64()",
	driver.Boolean: "pa.bool_()",
}

// clients lists the supported engines.
var clients = []Client{
	{
		Name: "clickhouse", File: "badger_function.xml", folder: "clickhouse", Comment: "<!-- %s -->\n",
		Doc: "executable functions: ClickHouse starts badger call, a line in and a line out, which calls badger serve. The file goes to the folder of user_defined_executable_functions_config, and the program badger to that of user_scripts_path.",
		Dialect: driver.Dialect{Name: "clickhouse", Types: map[driver.Type]string{
			driver.Text: "Nullable(String)", driver.JSON: "Nullable(String)", driver.BigInt: "Nullable(Int64)",
			driver.Double: "Nullable(Float64)", driver.Boolean: "Nullable(Bool)",
		}},
		Wire: Wire{Budget: 10 * time.Minute, In: 10 << 20, Out: 10 << 20, Max: 5000},
	},
	{
		Name: "duckdb-client", File: "badger_functions.py", folder: "arrow", Comment: "# %s\n",
		Doc:     "Arrow functions for DuckDB's Python client, over Arrow Flight. Needs the packages duckdb and pyarrow.",
		Dialect: driver.Dialect{Name: "duckdb-client", Types: python}, Wire: databend,
	},
	{
		Name: "datafusion", File: "badger_functions.py", folder: "arrow", Comment: "# %s\n",
		Doc:     "Arrow functions for Apache DataFusion's Python client, over Arrow Flight. Needs the packages datafusion and pyarrow.",
		Dialect: driver.Dialect{Name: "datafusion", Types: python}, Wire: databend,
	},
	{
		Name: "singlestore", File: "badger_functions.sql", folder: "singlestore", Comment: "-- %s\n",
		Doc: "external functions in JSON, which have the form of Snowflake's. Not tested on SingleStore.",
		Dialect: driver.Dialect{Name: "singlestore", Identifiers: driver.Identifiers{Quote: '`', Backslash: true},
			Types: map[driver.Type]string{
				driver.Text: "LONGTEXT NULL", driver.JSON: "JSON NULL", driver.BigInt: "BIGINT NULL", driver.Double: "DOUBLE NULL",
				driver.Boolean: "BOOL NULL",
			}},
		Wire: gateway,
	},
}

// FindClient returns the client with a name, or nil.
func FindClient(name string) *Client {
	for i := range clients {
		if clients[i].Name == name {
			return &clients[i]
		}
	}
	return nil
}

// Print writes the client's file for functions, with values v. line is its first line, a comment.
func (c *Client) Print(w io.Writer, line string, v Values, functions []udf.Function) error {
	v.Warehouse, v.Via = c.Name, "file"
	if err := v.complete([]string{"endpoint"}); err != nil {
		return err
	}
	if c.Name == "clickhouse" && strings.ContainsAny(v.TokenFile, " \t\"'") { // the command is split at blanks
		return errcode.New(errcode.InvalidArgument,
			"values: token_file is %.80q; clickhouse needs a path without blanks and quotes", v.TokenFile)
	}
	p := &Plan{
		Values: v, dialect: c.Dialect, functions: functions, Via: &Via{Name: "file", Wire: c.Wire},
		Warehouse: &Warehouse{Name: c.Name, Optional: byName, Global: true, Connected: true, Arguments: true},
	}
	declared, err := p.declare(functions)
	if err != nil {
		return err
	}
	text, err := p.execute(c.folder+"/"+c.File, &page{Plan: p, Functions: declared})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, strings.Replace(c.Comment, "%s", line, 1)+text)
	return err
}

// explain describes the client, as badger install does without a warehouse.
func (c *Client) explain() string {
	return "\n  --warehouse " + c.Name + " --print\n      " +
		strings.Join(printable.Wrap(c.Doc, 74), "\n      ") + "\n      Values it needs: endpoint.\n"
}

// PrintOnly returns the error for a command that does not apply to the client's engine.
func (c *Client) PrintOnly() error {
	return errcode.New(errcode.Unimplemented,
		"badger does not connect to %s: badger install --warehouse %s --print writes the file %s; load it yourself", c.Name,
		c.Name, c.File)
}

// FlightAddress returns the endpoint as an address of Arrow Flight's clients.
func (p *page) FlightAddress() string {
	return strings.Replace(strings.Replace(p.Values.Endpoint, "https://", "grpc+tls://", 1), "http://", "grpc://", 1)
}

// xmlText returns text with XML's escapes.
func xmlText(s string) (string, error) {
	var b bytes.Buffer
	err := xml.EscapeText(&b, []byte(s))
	return b.String(), err
}
