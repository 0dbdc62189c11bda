package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/sql/install"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf"
)

type installCommand struct {
	valuesFlags
	Print    bool   `help:"Print the output (SQL, in execution order)."`
	Example  bool   `help:"Print an example of the values."`
	Apply    string `placeholder:"URL" help:"Run the SQL in this warehouse."`
	As       string `needs:"apply drop diff" enum:"all,admin,owner" default:"all" help:"With --apply or --drop, run only the steps of the administrator or of the owner (default ${default})."`
	Diff     string `placeholder:"URL" help:"Show the changes that --apply would make. Exit with 1 if there are any."`
	Drop     bool   `help:"Print the SQL that uninstalls badger, or run it against a URL. Tables are kept."`
	WithData bool   `help:"With --drop, also drop the tables with all scores and labels."`
	URL      string `arg:"" optional:"" help:"With --drop, the warehouse to run it in."`
}

// Run prints, applies, compares or removes an installation. Without --warehouse it describes the choices.
func (c *installCommand) Run(ctx context.Context, p process) error {
	v, err := c.values()
	if err != nil {
		return err
	}
	switch {
	case v.Warehouse != "":
	case c.URL != "" && !c.Drop:
		return usage("unexpected argument %.60s; write --warehouse %[1]s", c.URL)
	case c.Print || c.Example || c.Apply != "" || c.Diff != "" || c.Drop:
		return usage("expected --warehouse NAME; badger install without flags describes the choices")
	default:
		return install.Explain(p.stdout)
	}
	if c.Example {
		text, err := install.Example(v.Warehouse, v.Via)
		if err != nil {
			return errcode.AsUsage(err)
		}
		_, err = fmt.Fprint(p.stdout, text)
		return err
	}
	chosen := 0
	for _, on := range []bool{c.Print, c.Apply != "", c.Diff != "", c.Drop} {
		if on {
			chosen++
		}
	}
	client := install.FindClient(v.Warehouse)
	switch {
	case client != nil && (chosen != 1 || !c.Print):
		return errcode.AsUsage(client.PrintOnly())
	case chosen != 1:
		return usage("expected one of --print, --apply URL, --diff URL and --drop")
	case !c.Drop && (c.URL != "" || c.WithData):
		return usage("a URL by itself and --with-data belong to --drop")
	case client != nil:
		return c.client(ctx, p, client, v)
	}
	plan, err := planOf(ctx, v)
	if err != nil {
		return err
	}
	if plan.Via.Name == "spcs" && !c.Drop {
		askForDigest(p, &plan.Values)
	}
	switch {
	case c.Print:
		fmt.Fprintf(p.stdout, "-- Made by badger %s.\n", version())
		return plan.Print(p.stdout)
	case c.Drop && c.URL == "":
		return plan.PrintDrop(p.stdout, c.WithData)
	case c.Drop:
		return c.drop(ctx, p, plan)
	case c.Diff != "":
		return c.diff(ctx, p, plan)
	}
	return c.apply(ctx, p, plan)
}

// valuesFlags are the flags for the values of an installation and its deployment.
type valuesFlags struct {
	Warehouse string            `placeholder:"NAME" help:"Warehouse. Without it, badger install describes the choices."`
	Via       string            `placeholder:"WAY" help:"How the warehouse calls badger."`
	Values    string            `placeholder:"FILE" help:"Values of badger install in YAML (names, endpoint, row limits)."`
	Set       map[string]string `placeholder:"KEY=VALUE" mapsep:"none" help:"Value of a key, which overrides the file. A list is YAML, such as judges='[a.yaml]'."`
	Judges    []string          `placeholder:"FILE" help:"Judge files to load, in addition to promoted or configured judges."`
}

func (c *valuesFlags) values() (v install.Values, err error) {
	if c.Values != "" {
		if v, err = install.ReadValuesFile(c.Values); err != nil {
			return v, flagError("--values", err)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.Set)) { // a section comes before its keys
		if err := v.Set(key, c.Set[key]); err != nil {
			return v, usage("--set: %w", err)
		}
	}
	if c.Warehouse != "" {
		v.Warehouse = c.Warehouse
	}
	if c.Via != "" {
		v.Via = c.Via
	}
	v.Judges = append(v.Judges, c.Judges...)
	return v, nil
}

// client prints the file of an engine that badger does not connect to.
func (c *installCommand) client(ctx context.Context, p process, client *install.Client, v install.Values) error {
	functions, err := functionsWith(ctx, v.Judges)
	if err != nil {
		return err
	}
	if err := client.Print(p.stdout, "Made by badger "+version()+": "+client.File, v, functions); err != nil {
		return errcode.AsUsage(err)
	}
	return nil
}

// functionsWith returns the catalog of functions, including those of judge files.
func functionsWith(ctx context.Context, judges []string) ([]udf.Function, error) {
	metrics, err := withJudges(ctx, judges)
	if err != nil {
		return nil, err
	}
	engine, err := scoring.NewEngine(metrics, nil)
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	catalogue, err := udf.NewCatalogue(engine, &udf.CatalogueOptions{Version: version()})
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	return catalogue.Functions(), nil
}

// planOf returns the plan that installs all functions, including those of the judges in v.
func planOf(ctx context.Context, v install.Values) (*install.Plan, error) {
	functions, err := functionsWith(ctx, v.Judges)
	if err != nil {
		return nil, err
	}
	d, known := dialectOf(v.Warehouse)
	if !known {
		d = driver.Dialect{Name: v.Warehouse}
		for _, w := range install.Warehouses {
			if w.Name == v.Warehouse {
				return nil, withoutConnector(leftOut[v.Warehouse])
			}
		}
	}
	plan, err := install.New(v, d, functions)
	if err != nil {
		return nil, errcode.AsUsage(err)
	}
	return plan, nil
}

func (c *installCommand) open(ctx context.Context, p process, plan *install.Plan,
	url string) (db *store.Store, end func(), err error) {
	if plan.Warehouse.Name == "duckdb" {
		if !strings.HasPrefix(url, "duckdb:") {
			return nil, nil, usage("expected a URL such as duckdb:FILE")
		}
		if err := checkURL(url, driver.Options{Lasting: true}); err != nil {
			return nil, nil, err
		}
		return openForMacros(ctx, p, strings.TrimPrefix(url, "duckdb:"), plan.Values.Judges)
	}
	if plan.Warehouse.Name == install.Databend.Name {
		return nil, nil, errcode.New(errcode.Unimplemented,
			"badger does not connect to Databend itself: give the printed statements to its client")
	}
	w, err := openWarehouse(ctx, url, readWrite)
	if err != nil {
		return nil, nil, err
	}
	if w.Dialect() != plan.Warehouse.Name {
		_ = w.Close()
		return nil, nil, usage("the URL is that of a %s warehouse, the plan is for %s", w.Dialect(), plan.Warehouse.Name)
	}
	return w, func() { _ = w.Close() }, nil
}

func (c *installCommand) diff(ctx context.Context, p process, plan *install.Plan) error {
	db, end, err := c.open(ctx, p, plan, c.Diff)
	if err != nil {
		return err
	}
	defer end()
	diff, err := plan.Diff(ctx, db)
	if err != nil {
		return err
	}
	diff.Print(p.stdout)
	if diff.Differs() {
		return errGate
	}
	return nil
}

func (c *installCommand) drop(ctx context.Context, p process, plan *install.Plan) error {
	db, end, err := c.open(ctx, p, plan, c.URL)
	if err != nil {
		return err
	}
	defer end()
	done, err := plan.Remove(ctx, db, c.WithData, c.by()...)
	if err != nil {
		return err
	}
	done.Print(p.stdout)
	if plan.HasTables() && !c.WithData {
		fmt.Fprintln(p.stdout, "the tables stay, with scores and labels; --with-data removes them too")
	}
	return nil
}

// by returns the roles whose steps to run; nil means all.
func (c *installCommand) by() []string {
	if c.As == "all" {
		return nil
	}
	return []string{c.As}
}

func (c *installCommand) apply(ctx context.Context, p process, plan *install.Plan) error {
	db, end, err := c.open(ctx, p, plan, c.Apply)
	if err != nil {
		return err
	}
	defer end()
	done, err := plan.Apply(ctx, db, c.by()...)
	if err != nil {
		return err
	}
	done.Print(p.stdout)
	return nil
}
