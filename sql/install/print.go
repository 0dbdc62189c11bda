package install

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/printable"
)

// Print writes all steps in order as a SQL script, with explanations as comments.
func (p *Plan) Print(w io.Writer) error {
	var b strings.Builder
	again := "Each may be run again."
	if slices.ContainsFunc(p.Steps, func(s Step) bool { return s.MayExist }) {
		again = "Each may be run again; steps marked 'Fails if it exists.' then fail, which can be ignored."
	}
	fmt.Fprintf(&b, "-- badger in %s via %s: %d steps, in this order. %s\n", p.Warehouse.Name, p.Via.Name, len(p.Steps),
		again)
	for i := range p.Steps {
		s := &p.Steps[i]
		fmt.Fprintf(&b, "\n-- %d. Run by %s.\n-- %s\n", i+1, p.Who(s), s.Why)
		if s.MayExist {
			b.WriteString("-- Fails if it exists.\n")
		}
		switch {
		case s.By == Hand:
			for line := range strings.SplitSeq(s.SQL, "\n") {
				b.WriteString(strings.TrimRight("--     "+line, " ") + "\n")
			}
		default:
			b.WriteString(s.SQL + ";\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// PrintDrop writes the statements of [Plan.Drops] as a SQL script.
func (p *Plan) PrintDrop(w io.Writer, withData bool) error {
	var b strings.Builder
	kept := fmt.Sprintf("The tables and the schema %s stay, because scores and labels may be in them.", p.SchemaName())
	if withData {
		kept = "Scores, labels and all other data of badger go too."
	}
	fmt.Fprintf(&b, "-- Drop badger from %s via %s. %s\n", p.Warehouse.Name, p.Via.Name, kept)
	for _, d := range p.Drops(withData) {
		fmt.Fprintf(&b, "\n-- Run by %s.\n", p.Who(d.Step))
		if d.Role {
			b.WriteString("-- Omit this if the role existed before badger, or has another use.\n")
		}
		b.WriteString(d.SQL + ";\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Explain writes the supported warehouses and protocols, and how to use them.
func Explain(w io.Writer) error {
	var b strings.Builder
	b.WriteString("badger install writes the SQL that makes badger's functions callable in a\nwarehouse. Choose one, and how it calls badger:\n")
	for i := range Warehouses {
		h := &Warehouses[i]
		for k := range h.Vias {
			v := &h.Vias[k]
			fmt.Fprintf(&b, "\n  --warehouse %s --via %s\n      %s\n", h.Name, v.Name,
				strings.Join(printable.Wrap(v.Doc, 74), "\n      "))
			if len(v.Required) > 0 {
				fmt.Fprintf(&b, "      Values it needs: %s.\n", strings.Join(v.Required, ", "))
			}
			if v.Wire.Budget > 0 {
				fmt.Fprintf(&b, "      Rows a call: %d small, %d large, %d judged.\n", v.Wire.RowCap("small", Rows{}),
					v.Wire.RowCap("large", Rows{}), v.Wire.RowCap("judged", Rows{}))
			}
		}
	}
	b.WriteString("\nOther engines, whose functions are in one file:\n")
	for i := range clients {
		b.WriteString(clients[i].explain())
	}
	b.WriteString(`
Values are in a YAML file (--values FILE) or set one by one
(--set endpoint=https://badger.example.com). Then
  --example      a file of values to start from
  --print        everything, in the order in which it has to run
  --diff URL     what an installation lacks
  --apply URL    run it; run again, it changes nothing
  --drop         print what undoes it; --drop URL runs that. Tables stay,
                 unless --with-data is given

With schedule.cron, answers without scores are scored on a schedule.
schedule.since is the look-back: days, by default 30, or the first day.
schedule.alert names where alerts are sent; by default they are only stored
in badger.alerts. badger.backlog lists the answers that are left.
`)
	_, err := io.WriteString(w, b.String())
	return err
}
