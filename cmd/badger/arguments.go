package main

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/scoring"
)

// checkRepeated returns an error if a flag with a single value is set twice, because only the last one would be used.
func checkRepeated(chosen *kong.Context) error {
	set := map[*kong.Flag]bool{}
	for _, p := range chosen.Path {
		if f := p.Flag; f != nil && !f.IsCumulative() && !f.IsBool() && !f.IsCounter() {
			if set[f] {
				return usage("--%s is specified more than once; it takes one value%s", f.Name, joinHint(f.Name))
			}
			set[f] = true
		}
	}
	return nil
}

// trimLists removes blanks and empty entries from lists of names, as in --metrics "hybrid_ex, verdict".
func trimLists(chosen *kong.Context) {
	for _, p := range chosen.Path {
		if p.Flag == nil || p.Flag.PlaceHolder != "A,B" {
			continue
		}
		if names, ok := p.Flag.Target.Interface().([]string); ok {
			for i := range names {
				names[i] = strings.TrimSpace(names[i])
			}
			p.Flag.Target.Set(reflect.ValueOf(slices.DeleteFunc(names, func(name string) bool { return name == "" })))
		}
	}
}

func joinHint(flag string) string {
	if flag == "cases" || flag == "golden" {
		return ". Join the files first, such as by cat A.jsonl B.jsonl > ALL.jsonl"
	}
	return ""
}

// explainArgument adds the flag that was probably meant to the error about an unexpected argument.
func explainArgument(err error) error {
	var parse *kong.ParseError
	if !errors.As(err, &parse) || parse.Context == nil || parse.Context.Selected() == nil {
		return err
	}
	argument, ok := strings.CutPrefix(err.Error(), "unexpected argument ")
	if !ok {
		return err
	}
	flags := map[string]bool{}
	for _, group := range parse.Context.Selected().AllFlags(true) {
		for _, f := range group {
			flags[f.Name] = true
		}
	}
	var likely []string
	scheme, _, isURL := strings.Cut(argument, ":")
	_, missing := os.Stat(argument) //nolint:gosec // only whether it is there
	switch {
	case isURL && slices.Contains(warehouses.Schemes(), scheme):
		likely = []string{"db", "source", "to", "apply"}
	case flags["db"] && slices.Contains([]string{".duckdb", ".ddb", ".db"}, filepath.Ext(argument)):
		return errcode.Usage("unexpected argument %s; write --db duckdb:%[1]s", argument)
	case missing == nil || strings.ContainsAny(argument, "/."):
		likely = []string{"cases", "gold", "db", "values", "config"}
	default:
		likely = []string{"case", "warehouse", "run", "run-id", "metrics", "agent"}
	}
	for _, name := range likely {
		if !flags[name] {
			continue
		}
		if name == "gold" && flags["pred"] {
			return errcode.Usage("unexpected argument %s; write --gold FILE --pred FILE", argument)
		}
		return errcode.Usage("unexpected argument %s; write --%s %[1]s", argument, name)
	}
	var names []string
	for name := range flags {
		names = append(names, name)
	}
	slices.Sort(names)
	return errcode.Usage("unexpected argument %s%s", argument, scoring.Suggest(argument, names))
}
