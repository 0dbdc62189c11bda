package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/badger-eval/badger/deploy"
	"github.com/badger-eval/badger/internal/report"
)

type deployCommand struct {
	valuesFlags
	Target string `arg:"" optional:"" help:"The platform; without it the choices are explained."`
	To     string `placeholder:"DIR" help:"The folder to write the files to."`
	Print  bool   `help:"Print the files."`
	Check  bool   `help:"Compare the files in the folder of --to with what would be written. The exit code is 1 where they differ."`
}

// Run writes the files of a platform.
func (c *deployCommand) Run(ctx context.Context, p process) error {
	if c.Target == "" {
		return deploy.Explain(p.stdout)
	}
	t, err := deploy.Find(c.Target)
	if err != nil {
		return usageError{err}
	}
	if c.Print == (c.To != "") || c.Check && c.To == "" {
		return usage("expected --print, --to DIR, or --to DIR --check")
	}
	v, err := c.values()
	if err != nil {
		return err
	}
	v.Warehouse = cmp.Or(v.Warehouse, t.Warehouse)
	if v.Warehouse == t.Warehouse {
		v.Via = cmp.Or(v.Via, t.Via)
	}
	v.Deploying = true
	plan, err := planOf(ctx, v)
	if err != nil {
		return err
	}
	files, err := deploy.Render(t, plan, version())
	if err != nil {
		return usageError{err}
	}
	if c.Print {
		for i, f := range files {
			if i > 0 {
				fmt.Fprintln(p.stdout)
			}
			fmt.Fprintf(p.stdout, "==> %s <==\n%s", f.Name, f.Content)
		}
		return nil
	}
	if c.Check {
		return c.check(p, files)
	}
	for _, f := range files {
		name := filepath.Join(c.To, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec // people read what is written
			return err
		}
		mode := os.FileMode(0o644)
		if strings.HasSuffix(f.Name, ".sh") {
			mode = 0o755
		}
		if err := os.WriteFile(name, f.Content, mode); err != nil { //nolint:gosec // as above; no secrets are in it
			return err
		}
	}
	fmt.Fprintf(p.stderr, "%s written to %s\n", report.Counted(len(files), "file"), c.To)
	return nil
}

// check compares what is in the folder with what would be written. Other files there are fine.
func (c *deployCommand) check(p process, files []deploy.File) error {
	differs := false
	for _, f := range files {
		is, err := os.ReadFile(filepath.Join(c.To, filepath.FromSlash(f.Name)))
		switch {
		case errors.Is(err, os.ErrNotExist):
			fmt.Fprintf(p.stdout, "missing    %s\n", f.Name)
		case err != nil:
			return err
		case string(is) != string(f.Content):
			fmt.Fprintf(p.stdout, "different  %s%s\n", f.Name, firstDifference(string(is), string(f.Content)))
		default:
			continue
		}
		differs = true
	}
	if differs {
		return errGate
	}
	fmt.Fprintf(p.stdout, "as they should be: %s\n", report.Counted(len(files), "file"))
	return nil
}

// firstDifference tells where two texts begin to differ.
func firstDifference(is, want string) string {
	a, b := strings.Split(is, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf(", line %d", i+1)
		}
	}
	return fmt.Sprintf(", line %d", min(len(a), len(b))+1)
}
