package install

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"text/template"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/deploy/service"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf"
)

//go:embed all:snowflake all:bigquery all:databricks all:postgres all:redshift all:duckdb all:databend
var templates embed.FS

// Who must run a step.
const (
	Admin = "admin" // a role that may create roles, schemas and integrations
	Owner = "owner" // the role that owns badger's objects
	Hand  = "hand"  // a person, in a shell or a console
)

// Step is one statement of an installation, or something to do by hand.
type Step struct {
	By       string // Admin, Owner or Hand
	Why      string
	SQL      string // one statement without its semicolon; of a step by hand, what to type
	Drop     string // the statement that undoes it; "" if nothing needs to
	DropRole bool   // Drop is for a role, which may have been there before badger
	DropData string // the same, where scores, labels and whatever else is kept goes with it
	Table    bool   // creates a table, an index or a view
	Optional bool   // what it does is welcome but not needed: a table of the users' own may refuse it
	MayExist bool   // the statement may fail because the object exists, which counts as success
	Function *Declared
	Service  State // Missing or Changed: of the service, which has this step only in that state
}

// Declared is a function as a step creates it.
type Declared struct {
	Name   string // in SQL
	Params []udf.Param
	Result udf.Type
	Of     *udf.Function // of the catalogue
	Mark   string        // by which an installation is compared
}

// Plan is an installation: steps in the order in which they run.
type Plan struct {
	Values    Values
	Warehouse *Warehouse
	Via       *Via
	Steps     []Step
	Inventory string // a query: name, comment of every function in the schema
	Rights    string // a query: role, grant, key or job, which, and whether it exists; "" if there is none
	Job       string // a query: the nightly job, where it exists; "" if the warehouse does not show it
	Others    string // a query: those of the roles that badger did not create; "" if the warehouse does not show it

	dialect   driver.Dialect
	functions []udf.Function // of the catalogue
	procedure string         // mark of the procedure that evaluates; "" if there is none
	service   string         // mark of the service that runs badger serve; "" if badger does not create one
	services  string         // a query: the services of the schema; "" if there is none
}

// New plans an installation of functions.
func New(v Values, d driver.Dialect, functions []udf.Function) (*Plan, error) {
	w, via, err := find(v.Warehouse, v.Via)
	if err != nil {
		return nil, err
	}
	v.Via = via.Name
	if err := v.complete(via.Required); err != nil {
		return nil, err
	}
	if w.Schema != nil && !w.Schema.MatchString(v.Schema) {
		return nil, errcode.New(errcode.InvalidArgument,
			"values: schema is %.60q; a dataset's name has letters, digits and _ only", v.Schema)
	}
	if d.Name != w.Name {
		return nil, errcode.New(errcode.Internal, "%s was given the dialect of %s", w.Name, d.Name)
	}
	for _, f := range v.fields() {
		if (f.key == "schema" || strings.HasPrefix(f.key, "roles.")) && w.Longest > 0 && len(*f.value) > w.Longest {
			return nil, errcode.New(errcode.InvalidArgument, "values: %s has %d bytes; %s takes names of at most %d", f.key,
				len(*f.value), w.Name, w.Longest)
		}
	}
	p := &Plan{Values: v, Warehouse: w, Via: via, dialect: d, functions: functions}
	if via.Name == "spcs" {
		if err := p.SPCS().Complete(); err != nil {
			return nil, err
		}
	}
	declared, err := p.declare(functions)
	if err != nil {
		return nil, err
	}
	template := func(name string) error {
		steps, err := p.render(name, &page{Plan: p, Functions: declared})
		p.Steps = append(p.Steps, steps...)
		return err
	}
	if err := errors.Join(template("roles"), p.calling(declared)); err != nil {
		return nil, err
	}
	for i := range declared {
		if err := p.function(&declared[i]); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(template("grants"), p.tables(), p.schedule(functions)); err != nil {
		return nil, err
	}
	for name, query := range map[string]*string{"inventory": &p.Inventory, "rights": &p.Rights, "others": &p.Others,
		"job": &p.Job, "service": &p.services} {
		text, err := p.text(name, &page{Plan: p, Functions: declared})
		if err != nil {
			return nil, err
		}
		*query = strings.TrimSpace(text)
	}
	return p, nil
}

// declare lists the functions as the warehouse is to have them.
func (p *Plan) declare(functions []udf.Function) ([]Declared, error) {
	var out []Declared
	for i := range functions {
		f := &functions[i]
		if p.Warehouse.Arguments && len(f.Params) == 0 {
			continue
		}
		all := Declared{Name: f.Name, Params: f.Params, Result: f.Result, Of: f}
		if p.Warehouse.Optional == byDefault || f.Required() == len(f.Params) || p.Warehouse.Arguments && f.Required() == 0 {
			out = append(out, all)
			continue
		}
		short := all
		short.Params = f.Params[:f.Required()]
		if p.Warehouse.Optional == byName {
			all.Name += "_all"
		}
		out = append(out, short, all)
	}
	type key struct {
		name  string
		arity int
	}
	seen := map[key]string{}
	for _, f := range out {
		if w := p.Warehouse; w.Longest > 0 && len(f.Name) > w.Longest {
			return nil, errcode.New(errcode.InvalidArgument,
				"the function %s has a name of %d bytes; %s takes at most %d: give its judge a shorter name", f.Name, len(f.Name),
				w.Name, w.Longest)
		}
		k := key{f.Name, 0}
		if p.Warehouse.Optional == byOverload {
			k.arity = len(f.Params)
		}
		if other, dup := seen[k]; dup {
			return nil, errcode.New(errcode.AlreadyExists,
				"the functions %s and %s would both be called %s; rename the judge of one of them", other, f.Of.Name, f.Name)
		}
		seen[k] = f.Of.Name
	}
	return out, nil
}

// function adds the steps of one function. Its mark is the hash of the step with a placeholder for the mark.
func (p *Plan) function(f *Declared) error {
	draft, err := p.render(p.Via.Name+".function", &page{Plan: p, Function: f})
	if err != nil {
		return err
	}
	f.Mark = "badger:" + fingerprint(draft)
	steps, err := p.render(p.Via.Name+".function", &page{Plan: p, Function: f})
	if err != nil {
		return err
	}
	for i := range steps {
		steps[i].Function = f
	}
	p.Steps = append(p.Steps, steps...)
	return nil
}

// fingerprint is a hash of what steps run.
func fingerprint(steps []Step) string {
	h := sha256.New()
	for _, s := range steps {
		h.Write([]byte(s.SQL + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// page is the data of a template.
type page struct {
	*Plan
	Functions []Declared
	Function  *Declared // in a function's template
	Mark      string    // of the procedure or the service, in its template
}

// text fills in a template.
func (p *Plan) text(name string, data *page) (string, error) {
	file := p.Warehouse.Name + "/" + name + ".sql"
	src, err := templates.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	t, err := template.New(file).Funcs(template.FuncMap{
		"id": p.dialect.Identifier, "lit": p.dialect.Literal, "in": p.in, "oneline": oneLine,
		"inc": func(i int) int { return i + 1 }, "py": pythonText, "readable": readable, "underlying": p.underlying,
		"relations": p.relations, "views": p.views, "inputs": p.inputs, "ours": p.ours, "created": p.created, "keyed": keyed,
		"kind": func(name string) string {
			if store.TableNamed(name) == nil {
				return "VIEW"
			}
			return "TABLE"
		},
		"folded": p.dialect.Stored, "pgargs": p.postgresArguments,
		"file": func(name string) (string, error) {
			b, err := templates.ReadFile(p.Warehouse.Name + "/" + name)
			return string(b), err
		},
		"sh": service.ShellWord, "name": func(email string) string { name, _, _ := strings.Cut(email, "@"); return name },
		"functionOwner": func() string { return service.FunctionOwnerPermissions },
		"key":           store.Reader{Dialect: p.dialect}.Key, "names": textList, "table": store.TableNamed,
		"quartz": p.Values.Schedule.quartz, "eventbridge": p.Values.Schedule.eventbridge,
		"bigquery": p.Values.Schedule.bigquery,
		"argtype":  p.dialect.ArgumentType,
		"type":     p.dialect.ResultType,
	}).Option("missingkey=error").Parse(string(src))
	if err != nil {
		return "", errcode.New(errcode.Internal, "template %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return "", errcode.New(errcode.Internal, "template %w", err)
	}
	return out.String(), nil
}

func (p *Plan) render(name string, data *page) ([]Step, error) {
	text, err := p.text(name, data)
	if err != nil {
		return nil, err
	}
	steps, err := splitSteps(text)
	if err != nil {
		return nil, errcode.New(errcode.Internal, "template %s/%s: %w", p.Warehouse.Name, name, err)
	}
	return steps, nil
}

// splitSteps parses an executed template. No value and no comment contains a line break, so none can start a step.
func splitSteps(text string) (steps []Step, err error) {
	s := bufio.NewScanner(strings.NewReader(text))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		line := s.Text()
		header, ok := strings.CutPrefix(line, "--- ")
		if !ok {
			if strings.TrimSpace(line) == "" && (len(steps) == 0 || steps[len(steps)-1].SQL == "") {
				continue
			}
			if len(steps) == 0 {
				return nil, fmt.Errorf("%.60q precedes the first step", line)
			}
			steps[len(steps)-1].SQL += line + "\n"
			continue
		}
		who, what, _ := strings.Cut(header, ": ")
		by, mayExist := strings.CutSuffix(who, ", may exist")
		by, ifMissing := strings.CutSuffix(by, ", if missing")
		by, ifChanged := strings.CutSuffix(by, ", if changed")
		by, optional := strings.CutSuffix(by, ", optional")
		switch by {
		case "drop data":
			if len(steps) == 0 {
				return nil, errors.New("a drop before the first step")
			}
			steps[len(steps)-1].DropData = what
		case "drop", "drop role":
			if len(steps) == 0 {
				return nil, errors.New("a drop before the first step")
			}
			steps[len(steps)-1].Drop, steps[len(steps)-1].DropRole = what, by == "drop role"
		case Admin, Owner, Hand:
			s := Step{By: by, Why: what, MayExist: mayExist, Optional: optional}
			if ifMissing {
				s.Service = Missing
			} else if ifChanged {
				s.Service = Changed
			}
			steps = append(steps, s)
		default:
			return nil, fmt.Errorf("unknown step %.40q", header)
		}
	}
	for i := range steps {
		if steps[i].SQL = strings.TrimSpace(steps[i].SQL); steps[i].SQL == "" {
			return nil, fmt.Errorf("the step %q has no statement", steps[i].Why)
		}
	}
	return steps, s.Err()
}

// in is a name in badger's schema.
func (p *Plan) in(name string) string {
	if p.Warehouse.Global {
		return p.dialect.Identifier(name)
	}
	return p.SchemaName() + "." + p.dialect.Identifier(name)
}

// SchemaName is badger's schema, with its database where SQL names it.
func (p *Plan) SchemaName() string {
	if p.Warehouse.Connected {
		return p.dialect.Identifier(p.Values.Schema)
	}
	if p.Values.Database == "" { // in an app, whose database the consumer names
		return p.dialect.Identifier(p.Values.Schema)
	}
	return p.dialect.Identifier(p.Values.Database, p.Values.Schema)
}

// In is a name in badger's schema, as SQL writes it.
func (p *Plan) In(name string) string { return p.in(name) }

// Identifier is a name as SQL writes it.
func (p *Plan) Identifier(name string) string { return p.dialect.Identifier(name) }

// Literal returns a string literal of SQL.
func (p *Plan) Literal(text string) string { return p.dialect.Literal(text) }

// Roles are the names of the four roles with what each is for.
func (p *Plan) Roles() []Role {
	r := p.Values.Roles
	return []Role{
		{r.Owner, "owns badger's objects"}, {r.Caller, "may call the functions"},
		{r.Reader, "reads scores and views"}, {r.Annotator, "writes labels, and nothing else"},
	}
}

// Role is a role and what it is for.
type Role struct{ Name, Doc string }

// Rows returns the maximum number of rows in a call of the function.
func (p *page) Rows() int { return p.Via.Wire.RowCap(p.Function.Of.Cost, p.Values.Rows) }

// Comment returns the comment of a function in the warehouse: its description, its arguments if they have no names
// there, and the mark.
func (p *page) Comment() string {
	doc := oneLine(p.Function.Of.Doc)
	if p.Warehouse.Unnamed {
		doc = p.signature() + ": " + doc
	}
	return doc + " [" + p.Function.Mark + "]"
}

func (p *page) signature() string {
	names := make([]string, len(p.Function.Params))
	for i, a := range p.Function.Params {
		names[i] = a.Name
	}
	return p.Function.Name + "(" + strings.Join(names, ", ") + ")"
}

// Types are the types of the arguments, as DROP and GRANT name them.
func (p *page) Types() string {
	types := make([]string, len(p.Function.Params))
	for i, a := range p.Function.Params {
		types[i] = p.dialect.ArgumentType(a.Type)
	}
	return strings.Join(types, ", ")
}

// Why is the function's signature and doc, for the comment above its statement.
func (p *page) Why() string { return p.signature() + ": " + oneLine(p.Function.Of.Doc) }

// JSON reports whether the result is JSON, which is never NULL.
func (p *page) JSON() bool { return p.Function.Result == udf.JSON }

// Host and Port are where the endpoint is, with its scheme; Base is its path.
func (p *Plan) Host() string {
	scheme, rest, _ := strings.Cut(p.Values.Endpoint, "://")
	host, _, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:i]
	}
	return scheme + "://" + host
}

// Port is the endpoint's port.
func (p *Plan) Port() string {
	scheme, rest, _ := strings.Cut(p.Values.Endpoint, "://")
	host, _, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		return host[i+1:]
	}
	if scheme == "http" {
		return "80"
	}
	return "443"
}

// Base is the endpoint's path.
func (p *Plan) Base() string {
	_, rest, _ := strings.Cut(p.Values.Endpoint, "://")
	_, path, found := strings.Cut(rest, "/")
	if !found {
		return ""
	}
	return "/" + path
}

// oneLine joins the lines of a string.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// pythonText returns a string literal of Python. A JSON string is one.
func pythonText(s string) (string, error) {
	b, err := json.Marshal(s)
	return string(b), err
}

// postgresArguments returns the output of pg_get_function_arguments for a function, without quotes.
func (p *Plan) postgresArguments(f Declared) string {
	args := make([]string, len(f.Params))
	for i, a := range f.Params {
		args[i] = a.Name + " " + p.dialect.ArgumentType(a.Type)
		if a.Optional {
			args[i] += " DEFAULT NULL::" + p.dialect.ArgumentType(a.Type)
		}
	}
	return strings.Join(args, ", ")
}

// Named is an object of badger's schema in another catalog than that of the values.
func (p *Plan) Named(database, name string) string {
	return p.dialect.Identifier(database, p.Values.Schema, name)
}

// Stored is a name as the warehouse keeps it, for what quotes every name.
func (p *Plan) Stored(name string) string { return p.dialect.Stored(name) }
