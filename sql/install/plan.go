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
//go:embed all:arrow all:clickhouse all:singlestore
var templates embed.FS

// The roles that run steps.
const (
	Admin = "admin" // may create roles, schemas and integrations
	Owner = "owner" // owns badger's objects
	Hand  = "hand"  // a person, in a shell or a console
)

// Step is one statement of an installation, or instructions for a step by hand.
type Step struct {
	By       string // Admin, Owner or Hand
	Why      string
	SQL      string // one statement without a semicolon, or the instructions
	Drop     string // the statement that undoes it; "" if none is needed
	DropRole bool   // Drop drops a role, which may have existed before badger
	DropData string // the statement that undoes it and deletes scores, labels or other data; "" if none
	Table    bool   // creates a table or a view, or stores their version
	Optional bool   // failure is ignored, such as if a user's own table does not allow it
	MayExist bool   // failure because the object exists counts as success
	Function *Declared
	Service  State // if not "", the step is run only if the service is in this state: Missing or Changed
}

// Declared is a function as the warehouse declares it. One function of the catalog may be declared twice.
type Declared struct {
	Name   string // in SQL
	Params []udf.Param
	Result udf.Type
	Of     *udf.Function // the function in the catalog
	Mark   string        // the mark in the comment, by which an installed function is compared
}

// Plan is an installation: its steps in the order in which they run.
type Plan struct {
	Values    Values
	Warehouse *Warehouse
	Via       *Via
	Steps     []Step
	Inventory string // a query: name and comment of each function in the schema
	Rights    string // a query: kind (role, grant or key), name, and whether it exists; "" if there is none
	Job       string // a query: one row if the nightly job exists; "" if unsupported
	Others    string // a query: those of the plan's roles that badger did not create; "" if unsupported

	dialect   driver.Dialect
	ca        string         // see CA
	functions []udf.Function // the catalog
	procedure string         // mark of the evaluation procedure; "" if there is none
	service   string         // mark of the service that runs badger serve; "" if badger does not create one
	services  string         // a query: the services of the schema; "" if there is none
	parsed    map[string]*template.Template
}

// New returns the plan of an installation of functions with the values v, in a warehouse of dialect d.
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
	if p.ca, err = p.readCA(); err != nil {
		return nil, err
	}
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

// declare returns the declarations of the functions: one or two for each, depending on how the warehouse declares
// optional arguments.
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

// function adds the steps of one function. Its mark is a hash of these steps without the mark.
func (p *Plan) function(f *Declared) error {
	f.Mark = unmarked
	steps, err := p.render(p.Via.Name+".function", &page{Plan: p, Function: f})
	if err != nil {
		return err
	}
	f.Mark = setMark(steps, "badger:")
	for i := range steps {
		steps[i].Function = f
	}
	p.Steps = append(p.Steps, steps...)
	return nil
}

// unmarked is in place of a mark in steps whose mark is not known yet: a hash of the steps without it.
const unmarked = "badger-mark-of-these-steps"

// setMark writes the mark of steps into them, and returns it: the prefix and a fingerprint of the steps.
func setMark(steps []Step, prefix string) string {
	mark := prefix + fingerprint(steps)
	for i := range steps {
		steps[i].SQL = strings.ReplaceAll(steps[i].SQL, unmarked, mark)
	}
	return mark
}

// fingerprint returns a hash of the steps' SQL without a mark.
func fingerprint(steps []Step) string {
	h := sha256.New()
	for _, s := range steps {
		h.Write([]byte(strings.ReplaceAll(s.SQL, unmarked, "") + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// page is the data for executing a template.
type page struct {
	*Plan
	Functions []Declared
	Function  *Declared // set in a function's template
	Mark      string    // mark of the procedure or the service, in its template
}

// text executes a template of the warehouse; "" if there is none of this name.
func (p *Plan) text(name string, data *page) (string, error) {
	text, err := p.execute(p.Warehouse.Name+"/"+name+".sql", data)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return text, err
}

// execute returns the output of the template in a file.
func (p *Plan) execute(file string, data *page) (string, error) {
	t, err := p.template(file)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return "", errcode.New(errcode.Internal, "template %w", err)
	}
	return out.String(), nil
}

// template returns a template, which is parsed once for a plan, although each function needs it.
func (p *Plan) template(file string) (*template.Template, error) {
	if t := p.parsed[file]; t != nil {
		return t, nil
	}
	src, err := templates.ReadFile(file)
	if err != nil {
		return nil, err
	}
	t, err := template.New(file).Funcs(template.FuncMap{
		"id": p.dialect.Identifier, "lit": p.dialect.Literal, "in": p.In, "oneline": oneLine,
		"inc": func(i int) int { return i + 1 }, "py": pythonText, "readable": readable, "underlying": p.underlying,
		"views": p.views, "inputs": p.inputs, "ours": p.ours, "created": p.created, "keyed": keyed,
		"kind": func(name string) string {
			if store.TableNamed(name) == nil {
				return "VIEW"
			}
			return "TABLE"
		},
		"folded": p.dialect.Stored, "pgargs": p.postgresArguments,
		"xml": xmlText, "nodash": func(s string) string { return strings.ReplaceAll(s, "--", "- -") },
		"sh": service.ShellWord, "name": func(email string) string { name, _, _ := strings.Cut(email, "@"); return name },
		"functionOwner": func() string { return service.FunctionOwnerPermissions },
		"key":           store.Reader{Dialect: p.dialect}.Key,
		"daytext":       store.Reader{Dialect: p.dialect}.DayText,
		"names":         textList, "table": store.TableNamed,
		"quartz": p.Values.Schedule.Quartz, "eventbridge": p.Values.Schedule.eventbridge,
		"bigquery": p.Values.Schedule.bigquery,
		"argtype":  p.dialect.ArgumentType,
		"type":     p.dialect.ResultType,
	}).Option("missingkey=error").Parse(string(src))
	if err != nil {
		return nil, errcode.New(errcode.Internal, "template %w", err)
	}
	if p.parsed == nil {
		p.parsed = map[string]*template.Template{}
	}
	p.parsed[file] = t
	return t, nil
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

// splitSteps parses the output of a template. No value or comment contains a line break, so none can start a step.
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

// In returns the full SQL name of an object in badger's schema.
func (p *Plan) In(name string) string {
	if p.Warehouse.Global {
		return p.dialect.Identifier(name)
	}
	return p.SchemaName() + "." + p.dialect.Identifier(name)
}

// SchemaName returns the SQL name of badger's schema, with its database if SQL needs it.
func (p *Plan) SchemaName() string {
	if p.Warehouse.Connected {
		return p.dialect.Identifier(p.Values.Schema)
	}
	if p.Values.Database == "" { // in an app, whose database the consumer names
		return p.dialect.Identifier(p.Values.Schema)
	}
	return p.dialect.Identifier(p.Values.Database, p.Values.Schema)
}

// Identifier returns a name as a SQL identifier.
func (p *Plan) Identifier(name string) string { return p.dialect.Identifier(name) }

// Literal returns text as a SQL string literal.
func (p *Plan) Literal(text string) string { return p.dialect.Literal(text) }

// Roles returns the four roles, each with its purpose.
func (p *Plan) Roles() []Role {
	r := p.Values.Roles
	return []Role{
		{r.Owner, "owns badger's objects"}, {r.Caller, "may call the functions"},
		{r.Reader, "reads scores and views"}, {r.Annotator, "writes labels, and nothing else"},
	}
}

// Role is the name and the purpose of a role.
type Role struct{ Name, Doc string }

// RowsOf returns the maximum number of rows in a call of a function; 0 if the protocol has none.
func (p *page) RowsOf(f *Declared) int { return p.Via.Wire.RowCap(f.Of.Cost, p.Values.Rows) }

// Comment returns the comment of a function in the warehouse: its doc, its signature if arguments have no names there,
// and its mark.
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

// Types returns the SQL types of the arguments, as in DROP and GRANT.
func (p *page) Types() string {
	types := make([]string, len(p.Function.Params))
	for i, a := range p.Function.Params {
		types[i] = p.dialect.ArgumentType(a.Type)
	}
	return strings.Join(types, ", ")
}

// Why returns the function's signature and doc, for the comment above its statement.
func (p *page) Why() string { return p.signature() + ": " + oneLine(p.Function.Of.Doc) }

// JSON reports whether the result is JSON, which is never NULL.
func (p *page) JSON() bool { return p.Function.Result == udf.JSON }

// Scores reports whether the result is an array with a score for each of the metrics in the second argument.
func (p *page) Scores() bool {
	return p.Function.Of.Name == "score_row" || p.Function.Of.Name == "score_case"
}

// Host returns the scheme and the host of the endpoint.
func (p *Plan) Host() string {
	scheme, rest, _ := strings.Cut(p.Values.Endpoint, "://")
	host, _, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:i]
	}
	return scheme + "://" + host
}

// Scheme returns the endpoint's scheme, http or https.
func (p *Plan) Scheme() string {
	scheme, _, _ := strings.Cut(p.Values.Endpoint, "://")
	return scheme
}

// Port returns the endpoint's port, by default that of its scheme.
func (p *Plan) Port() string {
	_, rest, _ := strings.Cut(p.Values.Endpoint, "://")
	host, _, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		return host[i+1:]
	}
	if p.Scheme() == "http" {
		return "80"
	}
	return "443"
}

// Base returns the endpoint's path; "" if it has none.
func (p *Plan) Base() string {
	_, rest, _ := strings.Cut(p.Values.Endpoint, "://")
	_, path, found := strings.Cut(rest, "/")
	if !found {
		return ""
	}
	return "/" + path
}

// oneLine returns s with all whitespace, also line breaks, replaced by single blanks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// pythonText returns a Python string literal, which has JSON's syntax.
func pythonText(s string) (string, error) {
	b, err := json.Marshal(s)
	return string(b), err
}

// postgresArguments returns what pg_get_function_arguments would for a function, without quotes.
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

// Named returns the full SQL name of an object in badger's schema of another database.
func (p *Plan) Named(database, name string) string {
	return p.dialect.Identifier(database, p.Values.Schema, name)
}

// Stored returns a name as the warehouse's catalog stores it, for tools that quote every name.
func (p *Plan) Stored(name string) string { return p.dialect.Stored(name) }
