package install

import (
	"fmt"
	"io"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
)

// Print writes the differences, each with what Apply would do about it.
func (c *Comparison) Print(w io.Writer) {
	missing := false
	for _, l := range c.Lines {
		fmt.Fprintf(w, "%-10s  %-8s  %s\n", l.State, l.What, l.Name)
		if l.Why != "" {
			fmt.Fprintf(w, "            %s\n", l.Why)
		}
		switch {
		case l.Fine:
		case l.Fix == "":
			fmt.Fprintln(w, "            --apply cannot put this right")
		case l.State == string(Missing):
			missing = true
		default:
			fmt.Fprintf(w, "            --apply %s\n", l.Fix)
		}
	}
	if missing {
		fmt.Fprintln(w, "--apply creates, adds and grants what is missing")
	}
	for _, what := range []string{"function", "service", "table", "view", "key", "role", "grant", "job"} {
		if n := c.Same[what]; n > 0 {
			fmt.Fprintf(w, "as they should be: %s\n", printable.Count(n, what))
		}
	}
	if len(c.NotCompared) > 0 {
		fmt.Fprintf(w, "not compared, because %s does not show them here: %s\n", c.warehouse,
			strings.Join(c.NotCompared, ", "))
	}
}

// Print writes what was done, and the steps that are to be done by hand.
func (d *Done) Print(w io.Writer) {
	fmt.Fprintf(w, "%s run, %s there already\n", were(d.Run, "statement"), were(d.Same, "function"))
	leftOut(w, d.LeftOut, "step")
	if n := len(d.Refused); n > 0 {
		fmt.Fprintf(w, "%s refused that %s not needed, the first: %s\n", were(n, "step"), printable.Verb(n, "is", "are"),
			d.Refused[0])
	}
	for _, s := range d.Hand {
		fmt.Fprintf(w, "\nto be done by hand: %s\n    %s\n", s.Why, strings.ReplaceAll(s.SQL, "\n", "\n    "))
	}
}

// Print writes what was dropped, and what was kept and why.
func (d *Dropped) Print(w io.Writer) {
	fmt.Fprintf(w, "%s run\n", were(d.Run, "statement"))
	if d.Gone > 0 {
		fmt.Fprintf(w, "%d %s for objects that were gone already\n", d.Gone, printable.Verb(d.Gone, "was", "were"))
	}
	leftOut(w, d.LeftOut, "statement")
	for _, sql := range d.Left {
		fmt.Fprintf(w, "left, because something else needs the object, or it is of another kind: %s\n", sql)
	}
	for _, sql := range d.Kept {
		fmt.Fprintf(w, "not run, because badger did not create the object, or cannot tell: %s\n", sql)
	}
}

func leftOut(w io.Writer, n int, what string) {
	if n > 0 {
		fmt.Fprintf(w, "%s %s left to another role: run this again with --as and that role's URL\n", printable.Count(n, what),
			printable.Verb(n, "is", "are"))
	}
}

// were returns n with a noun and a verb: "1 step was" or "2 steps were".
func were(n int, what string) string {
	return printable.Count(n, what) + " " + printable.Verb(n, "was", "were")
}
