// Command page writes docs/residency.md.
package main

import (
	_ "embed"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/residency/known"
)

//go:embed page.md
var text string

func main() {
	if err := write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}

// write writes the page: its text, with the table of configurations in place of its mark.
func write(w io.Writer) error {
	table, err := table()
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, strings.Replace(text, "<!-- configurations -->\n", table, 1))
	return err
}

func table() (string, error) {
	var b strings.Builder
	b.WriteString("| Configuration | by | contacts | why | when | instead |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, c := range known.Configurations {
		hosts, err := known.Hosts(c.Config)
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.Title, err)
		}
		if len(hosts) == 0 {
			besides := " else"
			if len(c.Warehouses) > 0 {
				besides = ""
			}
			fmt.Fprintf(&b, "| %s | %s | nobody%s | | | |\n", c.Title, c.Key, besides)
		}
		title, key := c.Title, c.Key
		for _, h := range hosts {
			where := "port " + strconv.Itoa(h.Port) + "; " + h.Learn
			if h.Host != "" {
				where = "`" + net.JoinHostPort(h.Host, strconv.Itoa(h.Port)) + "`"
			}
			if h.Via != "" {
				where += " through `" + h.Via + "`"
			}
			off := h.Off
			if strings.ContainsAny(off, "=:") {
				off = "`" + off + "`"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", title, key, where, h.Why, h.When, off)
			title, key = "", ""
		}
	}
	return b.String(), nil
}
