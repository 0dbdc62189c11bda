package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/scoring"
	"github.com/badger-eval/badger/scoring/custom"
	"github.com/badger-eval/badger/scoring/metric"
	"github.com/badger-eval/badger/udf"
)

// judgeCommand groups the commands for judges and judge files.
type judgeCommand struct {
	New     judgeNewCommand     `cmd:"" help:"Write a judge file and cases to try it on."`
	Test    judgeTestCommand    `cmd:"" help:"Run a judge file on cases and compare it with labels."`
	Promote judgePromoteCommand `cmd:"" help:"Store a judge file in a warehouse, for runs and SQL."`
	Retire  judgeRetireCommand  `cmd:"" help:"Deactivate a judge. A later version activates it again."`
	List    judgeListCommand    `cmd:"" help:"List the promoted judges of a warehouse."`
	Improve judgeImproveCommand `cmd:"" help:"Propose a better judge from disagreements with labels."`

	Sentinel judgeSentinelCommand `cmd:"" help:"Ask judges about sentinel cases to see whether they changed."`
	Bias     judgeBiasCommand     `cmd:"" help:"Measure whether judges prefer a position, length or style."`
	Drift    judgeDriftCommand    `cmd:"" help:"Show whether judges changed, by stored sentinel verdicts."`
}

type judgeNewCommand struct {
	Name string `arg:"" help:"Name of the judge and of its SQL function."`
	Kind string `default:"starlark" enum:"starlark,expression,prompt,sql" help:"Kind of judge: starlark, expression, prompt or sql (default ${default})."`
	Dir  string `default:"." placeholder:"DIR" help:"Directory to write to (default the current directory)."`
}

// Run writes a judge file and example cases. It overwrites nothing.
func (c *judgeNewCommand) Run(ctx context.Context, p process) error {
	files, err := custom.Template(custom.Kind(c.Kind), c.Name)
	if err != nil {
		return errcode.AsUsage(err)
	}
	if err := nameFree(ctx, c.Name); err != nil {
		return err
	}
	if err := os.MkdirAll(c.Dir, 0o750); err != nil {
		return usage("--dir: %w", err)
	}
	var names []string
	for _, f := range files { // all or none
		name := filepath.Join(c.Dir, f.Name)
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return usage("%s already exists", name)
		}
		names = append(names, name)
	}
	for i, f := range files {
		if err := os.WriteFile(names[i], []byte(f.Text), 0o600); err != nil {
			return err
		}
		fmt.Fprintln(p.stderr, "wrote", names[i])
		names[i] = printable.Shell(names[i])
	}
	try := "badger judge test " + names[0] + " --cases " + names[1]
	if len(files) > 2 {
		try += " --assessments " + names[2]
	}
	fmt.Fprintln(p.stderr, "try it: "+try)
	return nil
}

// nameFree returns an error if name is a standard metric or function, a set of metrics, or a function or reserved
// keyword of the embedded engine.
func nameFree(ctx context.Context, name string) error {
	if name == scoring.DefaultMetrics || name == scoring.AllMetrics {
		return usage("the name %s means several metrics", name)
	}
	engine, err := scoring.NewEngine(metric.All(), nil)
	if err != nil {
		return err
	}
	catalogue, err := udf.NewCatalogue(engine, nil)
	if err != nil {
		return err
	}
	for _, f := range []string{name, name + "_json"} {
		if _, err := catalogue.Function(f); err == nil {
			return usage("the name %s is taken by a standard metric or function", name)
		}
	}
	if judgeSQL == nil {
		return nil
	}
	t, err := judgeSQL.EvaluateSQL(ctx,
		"SELECT count(*) FROM (SELECT function_name AS n FROM duckdb_functions() UNION ALL "+
			"SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')) WHERE n = '"+
			name+"'", nil)
	if err != nil {
		return err
	}
	if t.Columns[0].Value(0).Int() > 0 {
		return usage("the name %s already has a meaning in SQL; rename the judge", name)
	}
	return nil
}

type judgeRetireCommand struct {
	Name string `arg:"" help:"Name of the judge."`
	From string `required:"" placeholder:"URL" help:"Warehouse with the promoted judges, such as duckdb:FILE."`
	By   string `placeholder:"WHO" help:"Name to record for this change (default the current user)."`
}

// Run deactivates a promoted judge until a later version is promoted.
func (c *judgeRetireCommand) Run(ctx context.Context, p process) error {
	w, err := openExisting(ctx, c.From)
	if err != nil {
		return err
	}
	defer w.Close()
	version, err := w.RetireJudge(ctx, c.Name, cmp.Or(c.By, who(p)), p.now())
	if errcode.Of(err) == errcode.NotFound {
		return errcode.AsUsage(err)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stderr, "%s is off; its next version is %d or higher\n", c.Name, version+1)
	return nil
}

// who returns the name of the current user, or "" if it cannot be determined.
func who(p process) string {
	if name := cmp.Or(p.getenv("USER"), p.getenv("LOGNAME"), p.getenv("USERNAME")); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

type judgeListCommand struct {
	From string `required:"" placeholder:"URL" help:"Warehouse with the promoted judges, such as duckdb:FILE."`
	JSON bool   `help:"Print one JSON document."`
}

// promotedJSON is a version of a promoted judge, as --json prints it.
type promotedJSON struct {
	Name       string     `json:"name"`
	Version    int        `json:"version"`
	Kind       string     `json:"kind"`
	Hash       string     `json:"hash"`
	PromotedAt *time.Time `json:"promoted_at,omitempty"`
	PromotedBy string     `json:"promoted_by"`
	Written    *bool      `json:"written,omitempty"` // false: that version was already promoted

	Tested json.RawMessage `json:"tested,omitempty"` // the test result, see tested
}

// Run lists the promoted versions of all judges.
func (c *judgeListCommand) Run(ctx context.Context, p process) error {
	w, err := openWarehouse(ctx, c.From, readOnly)
	if err != nil {
		return err
	}
	defer w.Close()
	judges, err := w.Judges(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		out := []promotedJSON{}
		for i := range judges {
			j := &judges[i]
			out = append(out,
				promotedJSON{j.Name, j.Version, j.Kind, j.Hash, &j.PromotedAt, j.PromotedBy, nil, json.RawMessage(j.Tested)})
		}
		return writeJSON(p, map[string]any{"judges": out})
	}
	if len(judges) == 0 {
		fmt.Fprintln(p.stderr, "no judges are promoted there")
		return nil
	}
	t := tabwriter.NewWriter(p.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "name\tversion\tkind\tpromoted\tby\thash\ttested")
	for _, j := range judges {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%.12s\t%s\n", j.Name, j.Version, j.Kind, j.PromotedAt.Format("2006-01-02 15:04"),
			printable.Cell(j.PromotedBy, 30), j.Hash, testedOf(j.Tested))
	}
	return t.Flush()
}

func writeJSON(p process, v any) error {
	e := json.NewEncoder(p.stdout)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// toJSON returns v as JSON, or "null" if it cannot be converted.
func toJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(text)
}
