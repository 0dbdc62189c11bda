package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/imports/golden"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/internal/printable"
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

// mayBeEmpty reports whether an empty value of a flag has a meaning, which its tag empty names, as in empty:"no name".
func mayBeEmpty(f *kong.Flag) bool { return f.Tag.Has("empty") }

// checkNeeds returns an error if a flag is set that has no effect without another one. Its tag needs names it, or
// several if any one is enough, as in needs:"cv" and needs:"execute execute-kept"; NAME=VALUE needs a certain value.
func checkNeeds(chosen *kong.Context) error {
	set := map[string]string{}
	for _, p := range chosen.Path {
		if p.Flag != nil {
			set[p.Flag.Name] = fmt.Sprint(p.Flag.Target.Interface())
		}
	}
	for _, p := range chosen.Path {
		f := p.Flag
		if f == nil || !f.Tag.Has("needs") || f.Target.IsZero() {
			continue
		}
		var flags []string
		met := false
		for need := range strings.FieldsSeq(f.Tag.Get("needs")) {
			name, value, one := strings.Cut(need, "=")
			found, is := set[name]
			met = met || is && (!one || value == found)
			flags = append(flags, strings.TrimSpace("--"+name+" "+value))
		}
		if !met {
			return usage("--%s has no effect without %s", f.Name, strings.Join(flags, " or "))
		}
	}
	return nil
}

// expectedValues describes the expected value of a flag, by its placeholder, if the placeholder alone is unclear, or by
// its name, if the placeholder means something else.
var expectedValues = map[string]string{
	"FILE": "the name of a file", "NEWFILE": "the name of a file", "DIR": "the name of a folder",
	"FILE|DIR": "the name of a file or a folder", "URL": "a URL such as duckdb:FILE",
	"FILE|URL": "a file or a URL such as duckdb:FILE",
	"M=V":      "METRIC=NUMBER", "F=V": "FIGURE=NUMBER", "M=N": "METRIC=N", "[M=]C": "a share such as 0.9, or METRIC=0.9",
	"A,B": "names such as A,B", "M": "the name of a metric", "TEXT": "some text",
	"--judge-url": "a URL such as http://127.0.0.1:8000/v1", "--tracking": "a URL such as http://127.0.0.1:5000",
}

// checkEmpty returns an error if the value of a flag or an argument is empty, as that of an unset variable of a shell
// is, unless that has a meaning. Otherwise, a gate or an export of an unset variable would be left out silently.
func checkEmpty(chosen *kong.Context, args []string) error {
	flags := map[string]*kong.Flag{}
	for _, part := range chosen.Path {
		if f := part.Flag; f != nil {
			for _, name := range append([]string{f.Name}, f.Aliases...) {
				flags["--"+name] = f
			}
		}
	}
	argument := ""
	for _, part := range chosen.Path {
		if part.Positional != nil {
			argument = part.Positional.Summary()
		}
	}
	for i, arg := range args {
		if arg == "--" {
			return nil
		}
		name, value, together := strings.Cut(arg, "=")
		f := flags[name]
		switch {
		case f == nil && together || strings.TrimSpace(arg) != "" && !strings.HasPrefix(arg, "-"):
			continue
		case f == nil: // a blank argument, or the blank value of the flag before it
			if strings.TrimSpace(arg) != "" || i > 0 && takesNext(flags, args[i-1]) {
				continue
			}
			if argument != "" {
				return usage("the argument %s is empty", argument)
			}
			continue
		case !together:
			if i+1 == len(args) || !takesNext(flags, arg) {
				continue
			}
			value = args[i+1]
		}
		if f.PlaceHolder == "A,B" {
			value = strings.Trim(value, ", ")
		}
		if strings.TrimSpace(value) != "" || mayBeEmpty(f) {
			continue
		}
		expected := cmp.Or(expectedValues["--"+f.Name], expectedValues[f.PlaceHolder], f.FormatPlaceHolder())
		if f.Enum != "" {
			expected = "one of " + strings.Join(slices.DeleteFunc(f.EnumSlice(), func(v string) bool { return v == "" }), ", ")
		}
		return usage("--%s: the value is empty; expected %s", f.Name, expected)
	}
	return nil
}

// takesNext reports whether arg is a flag whose value is the next argument.
func takesNext(flags map[string]*kong.Flag, arg string) bool {
	f := flags[arg]
	return f != nil && !f.IsBool() && !f.IsCounter()
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

// blankBefore returns the error about an argument that a blank cut off the value of the flag before it, as in
// --metrics a, b and --cases my cases.jsonl; nil if that is not likely.
func blankBefore(parsed *kong.Context, argument string) error {
	at := slices.Index(parsed.Args, argument)
	if at < 1 || parsed.Selected() == nil {
		return nil
	}
	name, value, together := strings.Cut(parsed.Args[at-1], "=")
	if !together || !strings.HasPrefix(name, "--") {
		if at < 2 {
			return nil
		}
		name, value = parsed.Args[at-2], parsed.Args[at-1]
	}
	var flag *kong.Flag
	for _, f := range slices.Concat(parsed.Selected().AllFlags(true)...) {
		if name == "--"+f.Name && !f.IsBool() && !f.IsCounter() {
			flag = f
		}
	}
	if flag == nil {
		return nil
	}
	whole := value + " " + argument
	_, missing := os.Stat(value)
	_, missingWhole := os.Stat(whole)
	switch {
	case flag.PlaceHolder == "A,B" && (strings.HasSuffix(value, ",") || strings.HasPrefix(argument, ",")):
		return usage("unexpected argument %s after %s %s; write lists without blanks: %s %s", argument, name, value, name,
			value+argument)
	case missingWhole == nil, strings.Contains(flag.PlaceHolder, "=") && strings.Contains(value, "="),
		strings.Contains(flag.PlaceHolder, "FILE") && missing != nil && filepath.Ext(value) == "":
		return usage("unexpected argument %s after %s %s; quote a value with blanks: %s %s", argument, name, value, name,
			printable.Shell(whole))
	}
	return nil
}

// checkNumbers returns an error if the value of a number flag is below what its tag least declares, or is not a
// finite number. A duration must be above 0.
func checkNumbers(chosen *kong.Context) error {
	for _, p := range chosen.Path {
		f := p.Flag
		if f == nil {
			continue
		}
		v := f.Target
		if v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		least := f.Tag.Get("least")
		switch x := v.Interface().(type) {
		case time.Duration:
			if x <= 0 {
				return usage("--%s: expected a duration above 0, such as 30s or 5m, found %s", f.Name, x)
			}
		case int, int64:
			bound, err := strconv.ParseInt(least, 10, 64)
			if err == nil && v.Int() < bound {
				return usage("--%s: expected a whole number of at least %s, found %d", f.Name, least, x)
			}
		case float64:
			if bound, err := strconv.ParseFloat(least, 64); err == nil && !(x >= bound) || math.IsInf(x, 0) {
				return usage("--%s: expected a number of at least %s, found %g", f.Name, least, x)
			}
		}
	}
	return nil
}

// flagError returns a usage error about the file that a flag names. A file that does not exist is named with its path.
func flagError(flag string, err error) error {
	if of := (*fs.PathError)(nil); errors.As(err, &of) && errors.Is(err, fs.ErrNotExist) {
		return errcode.NoFile(flag+": ", of.Path)
	}
	return usage("%s: %w", flag, err)
}

// urlError is an error about a URL of the command line.
type urlError struct {
	error
	url string
}

func (e urlError) Unwrap() error { return e.error }

// nameFlag returns err with the flag in front whose value is the URL that err is about, unless err names a flag.
func nameFlag(chosen *kong.Context, err error) error {
	about := urlError{}
	if !errors.As(err, &about) || strings.HasPrefix(err.Error(), "--") {
		return err
	}
	for _, p := range chosen.Path {
		if p.Flag != nil && p.Flag.Target.Kind() == reflect.String && p.Flag.Target.String() == about.url {
			named := errcode.New(errcode.Of(err), "--%s: %w", p.Flag.Name, err)
			if errcode.IsUsage(err) {
				return errcode.AsUsage(named)
			}
			return named
		}
	}
	return err
}

// explainCommandName returns the error about an argument, or a flag, in the place of a command, and about a missing
// command; nil if err is another error.
func explainCommandName(parsed *kong.Context, err error) error {
	node, called := parsed.Model.Node, "badger"
	if selected := parsed.Selected(); selected != nil {
		node, called = selected, "badger "+selected.Path()
	}
	var names []string
	for _, child := range node.Children {
		names = append(names, child.Name)
	}
	if len(names) == 0 {
		return nil
	}
	said := err.Error()
	if name, ok := strings.CutPrefix(said, "unknown flag "); ok {
		name, _, _ = strings.Cut(name, ",")
		for _, arg := range parsed.Args {
			if slices.Contains(names, arg) {
				return usage("unknown flag %s before the command; write the command first: %s %s %s …", name, called, arg, name)
			}
		}
		return usage("unknown flag %s; expected a command, one of %s", name, strings.Join(names, ", "))
	}
	if strings.HasPrefix(said, "expected one of ") {
		return usage("expected a command after %s: one of %s", called, strings.Join(names, ", "))
	}
	name, ok := strings.CutPrefix(said, "unexpected argument ")
	if !ok {
		return nil
	}
	name, _, _ = strings.Cut(name, ", did you mean")
	hint := scoring.Suggest(name, names)
	if meant := otherNames[name]; hint == "" && meant != "" && node == parsed.Model.Node {
		hint = "; write badger " + meant
	}
	switch {
	case hint != "" && node == parsed.Model.Node:
		return usage("unknown command %s%s", name, hint)
	case hint != "":
		return usage("unknown command %s %s%s the commands are %s", strings.TrimPrefix(called, "badger "), name, hint,
			strings.Join(names, ", "))
	}
	return usage("unknown command %s%s; the commands are %s", strings.TrimPrefix(called+" ", "badger "), name,
		strings.Join(names, ", "))
}

// otherNames maps what other programs call a command to the command of badger.
var otherNames = map[string]string{
	"evaluate": "run", "eval": "run", "test": "run", "check": "run", "start": "serve", "server": "serve", "ui": "view",
	"web": "view", "label": "view, where answers are labelled", "labels": "queue", "diff": "compare", "query": "sql",
	"baseline": "accept", "gate": "run --fail-under METRIC=V", "convert": "import", "load": "import", "init": "demo",
	"metrics": "functions", "list": "report", "show": "explain", "delete": "prune", "clean": "prune",
	"version": "--version",
}

var numberExpected = lazyregexp.New(`expected (?:a valid \d+ bit (u?int|float)|(duration)) but got "(.*?)"(?:: .*)?$`)

// negativeNumber matches the error about a negative number, which looks like a short flag.
var negativeNumber = lazyregexp.New(`^(--(\S+)): expected \w+ value but got "(-[0-9.]+)" \(short flag\)`)

var enumExpected = lazyregexp.New(`^(--\S+) must be one of (.*) but got "(.*)"$`)

// explainFlags rewrites errors about the values and names of flags, and adds the expected values.
func explainFlags(err error) error {
	said := err.Error()
	if m := numberExpected.FindStringSubmatch(said); m != nil {
		flag, _, _ := strings.Cut(said, ": ")
		expected := "a whole number"
		switch {
		case m[1] == "uint":
			expected = "a whole number of at least 0"
		case m[1] == "float":
			expected = "a number"
		case m[2] != "":
			expected = "a duration such as 30s or 5m"
		}
		return usage("%s: expected %s, found %s", flag, expected, m[3])
	}
	var parse *kong.ParseError
	if m := negativeNumber.FindStringSubmatch(said); m != nil && errors.As(err, &parse) && parse.Context != nil &&
		parse.Context.Selected() != nil {
		expected := "a number of at least 0"
		for _, f := range slices.Concat(parse.Context.Selected().AllFlags(true)...) {
			if least := f.Tag.Get("least"); f.Name == m[2] && least != "" {
				expected = "a whole number of at least " + least
			}
		}
		return usage("%s: expected %s, found %s", m[1], expected, m[3])
	}
	if m := enumExpected.FindStringSubmatch(said); m != nil {
		names := strings.Split(strings.Trim(strings.ReplaceAll(m[2], `"`, ""), ","), ",")
		return usage("%s: expected one of %s, found %s%s", m[1], strings.Join(names, ", "), m[3],
			scoring.Suggest(m[3], names))
	}
	name, unknown := strings.CutPrefix(said, "unknown flag --")
	if !unknown || !errors.As(err, &parse) || parse.Context == nil || parse.Context.Selected() == nil {
		return err
	}
	name, _, _ = strings.Cut(name, ",")
	var names []string
	for _, group := range parse.Context.Selected().AllFlags(true) {
		for _, f := range group {
			names = append(names, "--"+f.Name)
		}
	}
	slices.Sort(names)
	command := "badger " + parse.Context.Selected().Path()
	if near := scoring.Suggest("--"+name, names); near != "" {
		return usage("unknown flag --%s%s", name, near)
	}
	return usage("unknown flag --%s; %s --help lists those of this command", name, command)
}

// databaseFile reports whether a name is probably that of a file of DuckDB.
func databaseFile(name string) bool {
	return slices.Contains([]string{".duckdb", ".ddb", ".db"}, filepath.Ext(name))
}

// isGiven reports whether a command line sets one of the flags.
func isGiven(c *kong.Context, names ...string) bool {
	return slices.ContainsFunc(c.Path, func(p *kong.Path) bool {
		return p.Flag != nil && slices.Contains(names, p.Flag.Name)
	})
}

// explainArgument adds the flag that was probably meant to the error about an unexpected argument.
func explainArgument(err error) error {
	var parse *kong.ParseError
	if !errors.As(err, &parse) || parse.Context == nil {
		return err
	}
	if explained := explainCommandName(parse.Context, err); explained != nil {
		return explained
	}
	if parse.Context.Selected() == nil {
		return err
	}
	if short, ok := strings.CutPrefix(err.Error(), "unknown flag -"); ok && !strings.HasPrefix(short, "-") {
		for _, arg := range parse.Context.Args {
			if name, _, _ := strings.Cut(arg, "="); len(name) > 2 && name[0] == '-' && name[1] != '-' && name[1:2] == short[:1] {
				return usage("unknown flag %s; write -%[1]s", name)
			}
		}
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
	if blank := blankBefore(parse.Context, argument); blank != nil {
		return blank
	}
	if parse.Context.Selected().Name == "run" && !isGiven(parse.Context, "cases", "source") {
		if _, err := os.Stat(argument); err != nil && !strings.Contains(argument, ":") { //nolint:gosec // the same
			return usage("unexpected argument %s; write --cases FILE or --source URL", argument)
		}
	}
	var likely []string
	scheme, _, isURL := strings.Cut(argument, ":")
	_, missing := os.Stat(argument) //nolint:gosec // only whether it is there
	switch {
	case isURL && slices.Contains(warehouses.Schemes(), scheme):
		likely = []string{"db", "source", "to", "apply"}
	case flags["db"] && databaseFile(argument):
		return errcode.Usage("unexpected argument %s; write --db duckdb:%[1]s", argument)
	case strings.Contains(argument, "@") && flags["from"]:
		return usage("unexpected argument %s; write --from AGENT@VERSION --to AGENT@VERSION", argument)
	case flags["source"] && !flags["cases"] && databaseFile(argument):
		return usage("unexpected argument %s; write --source duckdb:%[1]s", argument)
	case parse.Context.Selected().Name == "export" && slices.Contains(golden.Written(), argument):
		return usage("unexpected argument %s; write --to %[1]s", argument)
	case missing == nil || strings.Contains(argument, "/") || len(filepath.Ext(argument)) > 2:
		likely = []string{"cases", "gold", "values", "config"}
	default:
		likely = []string{"case", "warehouse", "run", "run-id", "queue", "metrics", "agent"}
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
	return errcode.Usage("unexpected argument %s%s", argument, cmp.Or(scoring.Suggest(argument, names),
		"; badger "+parse.Context.Selected().Path()+" --help shows what is expected"))
}
