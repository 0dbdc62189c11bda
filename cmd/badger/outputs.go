package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/badger-eval/badger/internal/imports/golden"
)

// A fileUse is how a command uses the file, folder or database that a flag or an argument names.
type fileUse int

const (
	isRead   fileUse = iota // also a database that is read and written in place
	replaced                // a file that the command writes
	appended                // a file that lines are added to
	filled                  // a folder that files are written into
	created                 // a file that does not exist, which the command checks
)

// isFile reports whether the command writes one file, not several in a folder.
func (u fileUse) isFile() bool { return u == replaced || u == appended || u == created }

// fileUses lists the flags that name what a command writes, by the flag and its placeholder. A command before it, or a
// group of commands, limits an entry to it. All other flags whose placeholder has a FILE, DIR or URL are read.
var fileUses = map[string]fileUse{
	"run --scores FILE": replaced, "queue export --to FILE": replaced,
	"--out FILE": replaced, "--out NEWFILE": created, "--page FILE": replaced,
	"--junit FILE": replaced, "--sarif FILE": replaced, "--csv FILE": replaced, "--jsonl FILE": replaced,
	"--markdown FILE": replaced, "--html FILE": replaced,
	"--html FILE|DIR": filled, "--svg DIR": filled, "--snapshots DIR": filled,
	"deploy --to DIR": filled, "demo --dir DIR": filled, "judge new --dir DIR": filled,
	"--audit FILE": appended, "--ledger FILE": appended,
}

// useOf returns what the command at path does with the values of a flag or an argument. ok is false if they name no
// files. An argument is one if its name is file; it is read.
func useOf(command string, v *kong.Value) (use fileUse, ok bool) {
	if v.Flag == nil {
		return isRead, v.Name == "file"
	}
	name := "--" + v.Name + " " + v.Flag.PlaceHolder
	words := strings.Fields(command)
	for n := len(words); n >= 0; n-- {
		if use, ok := fileUses[strings.Join(append(words[:n:n], name), " ")]; ok {
			return use, true
		}
	}
	return isRead, slices.ContainsFunc([]string{"FILE", "DIR", "URL"}, func(kind string) bool {
		return strings.Contains(v.Flag.PlaceHolder, kind)
	})
}

// usesFiles is a command that uses files which its flags do not name.
type usesFiles interface{ files() []string }

// namedOutput is a file or a folder that a flag names, to be written.
type namedOutput struct {
	flag, path string
	use        fileUse
}

// checkOutputs returns a usage error if a command would write to a file that it also reads, to a file of a database, or
// to one file twice, before anything is written. Relative names, links and the URLs of databases do not matter.
func checkOutputs(chosen *kong.Context, p process) error {
	command := chosen.Selected()
	if command == nil {
		return nil
	}
	var outputs []namedOutput
	var inputs []string
	seen := map[*kong.Value]bool{}
	add := func(v *kong.Value) {
		if seen[v] {
			return
		}
		seen[v] = true
		use, ok := useOf(command.Path(), v)
		for _, text := range textsOf(v.Target) {
			_, replies, isReplay := strings.Cut(text, "replay:") // of --judge and similar flags
			switch {
			case isReplay:
				inputs = append(inputs, replies)
			case !ok:
			case use == isRead || isWarehouse(text):
				inputs = append(inputs, filesOf(text)...)
				if v.Flag != nil && v.Name == "config" {
					inputs = append(inputs, configuredFiles(text, p)...)
				}
			case text != "-" && text != "none":
				outputs = append(outputs, namedOutput{"--" + v.Name, text, use})
			}
		}
	}
	for _, part := range chosen.Path {
		switch {
		case part.Flag != nil:
			add(part.Flag.Value)
		case part.Positional != nil:
			add(part.Positional)
		}
	}
	if len(outputs) == 0 {
		return nil
	}
	if uses, ok := command.Target.Addr().Interface().(usesFiles); ok {
		for _, name := range uses.files() {
			inputs = append(inputs, filesOf(name)...)
		}
	}
	for i, o := range outputs {
		if err := o.check(inputs, outputs[:i]); err != nil {
			return err
		}
	}
	return nil
}

// textsOf returns the strings in the value of a flag.
func textsOf(v reflect.Value) (texts []string) {
	switch {
	case v.Kind() == reflect.String:
		texts = append(texts, v.String())
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.String:
		for i := range v.Len() {
			texts = append(texts, v.Index(i).String())
		}
	}
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

// configuredFiles returns the files that a configuration names. An error is reported by the command.
func configuredFiles(path string, p process) (files []string) {
	c, err := readConfig(path, p)
	if err != nil {
		return nil
	}
	files = append(files, c.Judges...)
	files = append(files, c.Metrics.VerdictTable, c.Judge.KeyFile, c.Judge.Ledger, c.Judge.Audit)
	for _, at := range []string{c.Execute.URL, c.Results.Warehouse} {
		files = append(files, filesOf(at)...)
	}
	return files
}

// filesOf returns the files that a file name or the URL of an embedded database means, and none for other warehouses.
// {database} in a URL matches each name.
func filesOf(name string) []string {
	scheme, path, _ := strings.Cut(name, ":")
	switch {
	case scheme == "duckdb" || scheme == "sqlite":
		path, _, _ = strings.Cut(path, "?")
	case isWarehouse(name) || strings.Contains(name, "://"):
		return nil
	default:
		return []string{name}
	}
	files := []string{path}
	if strings.Contains(path, "{database}") {
		files, _ = filepath.Glob(strings.ReplaceAll(path, "{database}", "*")) //nolint:errcheck // an invalid pattern names nothing
	}
	for _, f := range slices.Clone(files) {
		files = append(files, f+".wal", f+"-wal", f+"-journal")
	}
	return files
}

// check returns a usage error if o is one of the inputs, a result or query in one of their folders, one of the outputs
// before it, or a database.
func (o namedOutput) check(inputs []string, before []namedOutput) error {
	info, err := os.Stat(o.path)
	isFile := err == nil && info.Mode().IsRegular()
	switch {
	case err == nil && !info.IsDir() && !isFile:
		return nil // a device or a pipe
	case o.use == replaced && (err == nil && info.IsDir() || strings.HasSuffix(o.path, string(filepath.Separator))):
		return usage("%s: %q is a folder, expected the name of a file", o.flag, o.path)
	case o.use == replaced && err != nil:
		folder := filepath.Dir(o.path)
		if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
			return usage("%s: the folder %q does not exist", o.flag, folder)
		}
	}
	done := "be replaced"
	if o.use == appended {
		done = "get other lines"
	}
	if o.use == created {
		inputs = nil
	}
	for _, input := range inputs {
		in, err := os.Stat(input)
		inFolder := err == nil && in.IsDir() && isFile && golden.IsAnswerFile(o.path) && isIn(in, o.path)
		if (err != nil || !in.IsDir()) && sameFile(input, o.path) || inFolder {
			return usage("%s: %q is read by this command, and would %s; name another file", o.flag, o.path, done)
		}
	}
	for _, other := range before {
		if other.use.isFile() && o.use.isFile() && sameFile(other.path, o.path) {
			return usage("%s and %s both write to %.80q", other.flag, o.flag, o.path)
		}
	}
	if kind := databaseIn(o.path); kind != "" && isFile {
		return usage("%s: %q is a database of %s, and would %s; name another file", o.flag, o.path, kind, done)
	}
	return nil
}

// sameFile reports whether two names mean one file, which need not exist.
func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	if errX == nil && errY == nil {
		return os.SameFile(x, y)
	}
	return errX != nil && errY != nil && placeOf(a) == placeOf(b)
}

// placeOf returns the absolute name of a file that may not exist, with links followed.
func placeOf(path string) string {
	for range 40 { // as many links as Linux follows
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	folder := filepath.Dir(path)
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	if full, err := filepath.Abs(folder); err == nil {
		folder = full
	}
	return filepath.Join(folder, filepath.Base(path))
}

// databaseIn returns the engine of the database in a file, by its first bytes; "" if it has none.
func databaseIn(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close() //nolint:errcheck // only read
	start := make([]byte, 16)
	n, _ := io.ReadFull(f, start) //nolint:errcheck // a short file has no database
	switch start = start[:n]; {
	case bytes.HasPrefix(start, []byte("SQLite format 3\x00")):
		return "SQLite"
	case n > 12 && string(start[8:12]) == "DUCK":
		return "DuckDB"
	}
	return ""
}

// isIn reports whether a file is in a folder or in a folder in it.
func isIn(dir os.FileInfo, path string) bool {
	at, err := filepath.Abs(path)
	if real, failed := filepath.EvalSymlinks(path); failed == nil {
		at, err = filepath.Abs(real)
	}
	for err == nil {
		up := filepath.Dir(at)
		if up == at {
			return false
		}
		at = up
		if info, failed := os.Stat(at); failed == nil && os.SameFile(dir, info) {
			return true
		}
	}
	return false
}
