package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/deploy"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
	"github.com/badger-eval/badger/sql/install"
)

type deployCommand struct {
	valuesFlags
	Target  string `arg:"" optional:"" help:"Platform. Without it, badger deploy describes the choices."`
	To      string `placeholder:"DIR" help:"Directory to write to."`
	Print   bool   `help:"Print the output (the files)."`
	Example bool   `help:"Print an example of the values."`
	Check   bool   `help:"Only check (the files in --to). The exit code is 1 if they differ from the values or are left over."`
	Force   bool   `help:"Replace files that badger did not write, or that were changed since."`
}

// Run writes, prints or checks the deployment files of a platform. Without a platform it describes the choices.
func (c *deployCommand) Run(ctx context.Context, p process) error {
	if c.Target == "" {
		return deploy.Explain(p.stdout)
	}
	t, err := deploy.Find(c.Target)
	if err != nil {
		return errcode.AsUsage(err)
	}
	if c.Example {
		_, err := fmt.Fprint(p.stdout, t.Example())
		return err
	}
	if c.Print == (c.To != "") || c.Check && c.To == "" {
		return usage("expected --print, --to DIR, or --to DIR --check")
	}
	if c.Force && (c.To == "" || c.Check) {
		return usage("--force belongs to --to DIR, without --check")
	}
	v, err := c.values()
	if err != nil {
		return err
	}
	v.Warehouse = cmp.Or(v.Warehouse, t.Warehouse)
	if v.Warehouse == t.Warehouse {
		v.Via = cmp.Or(v.Via, t.Via)
	}
	v.Deploying, v.Needs = true, t.Missing(&v)
	plan, err := planOf(ctx, v)
	if err != nil {
		return err
	}
	files, err := deploy.Render(t, plan, version())
	if err != nil {
		return errcode.AsUsage(err)
	}
	if slices.Contains(t.Required, "deploy.image") {
		askForDigest(p, &plan.Values)
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
		return c.check(p, t, files)
	}
	for i := range files {
		for _, read := range append(c.Judges, c.Values) {
			if name := filepath.Join(c.To, files[i].Name); read != "" && sameFile(name, read) {
				return usage("--to: %q is read by this command, and would be replaced; name another folder", name)
			}
		}
	}
	changes, err := deploy.Write(c.To, t.Name, files, version(), c.Force)
	if err != nil {
		return err
	}
	for _, name := range changes.Removed {
		fmt.Fprintf(p.stderr, "removed, because the values no longer ask for it: %s\n", name)
	}
	for _, name := range changes.Kept {
		fmt.Fprintf(p.stderr, "the values no longer ask for it, but it was changed and stays: %s\n", name)
	}
	fmt.Fprintf(p.stderr, "%s written to %s\n", printable.Count(len(files), "file"), c.To)
	return nil
}

// askForDigest writes a note if the image is named by a tag.
func askForDigest(p process, v *install.Values) {
	if v.Deploy.Tagged() {
		fmt.Fprintf(p.stderr, "deploy.image: %s is a tag, under which another image can be pushed; name its digest: NAME@sha256:…, as docker push prints it\n",
			v.Deploy.Image)
	}
}

// check compares files with those in --to. It prints the differences and returns errGate if there are any. Files that
// badger did not write are ignored.
func (c *deployCommand) check(p process, t *deploy.Target, files []deploy.File) error {
	lines, err := deploy.Differences(c.To, t.Name, files)
	if err != nil {
		return err
	}
	if len(lines) > 0 {
		fmt.Fprintln(p.stdout, strings.Join(lines, "\n"))
		return errGate
	}
	fmt.Fprintf(p.stdout, "as they should be: %s\n", printable.Count(len(files), "file"))
	return nil
}
