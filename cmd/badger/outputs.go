package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	neturl "net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/badger-eval/badger/internal/cases"
	"github.com/badger-eval/badger/internal/execution"
	"github.com/badger-eval/badger/internal/export"
	"github.com/badger-eval/badger/internal/imports/golden"
	"github.com/badger-eval/badger/internal/site"
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

// fillsWith reports which names the files have that are written into a folder. It lacks the flags of folders in which
// the command replaces only its own files.
var fillsWith = map[string]func(name string) bool{
	"--html":      site.IsReportFile,
	"--svg":       func(name string) bool { return strings.HasSuffix(name, ".svg") },
	"--snapshots": execution.IsIndex, // other files are named by their content
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

// checkOutputs returns a usage error if a command would write to a file that it reads, to a result that one of its case
// files refers to, to a file of a database, or to one file twice, before anything is written. The same holds for each
// file that it would write into a folder. Relative names, links and database URLs are resolved.
func checkOutputs(ctx context.Context, chosen *kong.Context, p process) error {
	command := chosen.Selected()
	if command == nil {
		return nil
	}
	var outputs, databases []namedOutput
	var in inputs
	set := map[string]string{} // the last value of each flag
	seen := map[*kong.Value]bool{}
	add := func(v *kong.Value) {
		if seen[v] {
			return
		}
		seen[v] = true
		use, ok := useOf(command.Path(), v)
		for _, text := range textsOf(v.Target) {
			if v.Flag != nil {
				set[v.Name] = text
			}
			_, replies, isReplay := strings.Cut(text, "replay:") // of --judge and similar flags
			switch {
			case isReplay:
				in.add(replies)
			case !ok:
			case use == isRead || isWarehouse(text):
				in.add(filesOf(text)...)
				if isWarehouse(text) {
					databases = append(databases, namedOutput{"--" + v.Name, text, use})
				}
				if v.Flag != nil && slices.Contains(caseFlags, v.Name) && !isWarehouse(text) {
					in.cases = append(in.cases, text)
				}
				if v.Name == "documents" {
					in.folders = append(in.folders, inputFolder{dir: text, reads: anyFile})
				}
			case use == filled && v.Name == "html" && !site.IsFolder(text):
				outputs = append(outputs, namedOutput{"--" + v.Name, text, replaced})
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
	for _, d := range databases {
		for _, file := range in.cases {
			if slices.ContainsFunc(filesOf(d.path), func(f string) bool { return sameFile(f, file) }) {
				return usage("%s: %q is a case file of this command, expected a database", d.flag, file)
			}
		}
	}
	has := func(flag string) bool {
		return slices.ContainsFunc(slices.Concat(command.AllFlags(false)...),
			func(f *kong.Flag) bool { return f.Name == flag })
	}
	var configured []namedOutput
	if has("config") {
		configured = in.configure(set, p)
	}
	if len(outputs)+len(configured) == 0 {
		return nil
	}
	if dir := cmp.Or(set["snapshots"], in.store, "snapshots"); has("snapshots") && dir != "none" {
		in.folders = append(in.folders, inputFolder{dir: dir, reads: execution.Keeps})
	}
	if uses, ok := command.Target.Addr().Interface().(usesFiles); ok {
		for _, name := range uses.files() {
			in.add(filesOf(name)...)
		}
	}
	for i, o := range outputs {
		if err := o.check(ctx, &in, outputs[:i]); err != nil {
			return err
		}
		if err := o.checkFolder(ctx, &in, slices.Concat(outputs, configured)); err != nil {
			return err
		}
	}
	in.folders = nil // a log of a configuration may be in one
	for _, o := range configured {
		if err := o.check(ctx, &in, outputs); err != nil {
			return err
		}
	}
	return nil
}

// caseFlags are the flags that name case files.
var caseFlags = strings.Fields("cases golden sentinels case-file answer logic chosen")

// inputs are the files and folders that a command reads.
type inputs struct {
	files   []string
	folders []inputFolder
	cases   []string // case files, which are files, too
	store   string   // directory of results of a configuration

	referred map[string]string // results that case files refer to, with the case file; nil: not read
}

// inputFolder is a folder with files that a command reads.
type inputFolder struct {
	dir   string
	reads func(name string) bool
	but   func(path string) bool // whether a file in it is an earlier output, which is not read; nil: none is
	large bool                   // it is not searched for files that the output is a link to
}

// anyFile reports that each file of a folder is read.
func anyFile(string) bool { return true }

// add adds files, or folders of results, queries or predictions.
func (in *inputs) add(names ...string) {
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			in.folders = append(in.folders, inputFolder{dir: name, reads: golden.IsAnswerFile, but: golden.IsCaseFile})
			continue
		}
		in.files = append(in.files, name)
	}
}

// configure adds the files that the configuration names, and returns those that are written. set are the values of
// flags, which override keys of the configuration. An error in the configuration is reported by the command.
func (in *inputs) configure(set map[string]string, p process) (written []namedOutput) {
	c, err := readConfig(set["config"], p)
	if err != nil {
		return nil
	}
	for _, f := range filesIn(&c) {
		switch f.use {
		case keyWarehouse:
			in.add(filesOf(f.text)...)
		case keyCases:
			in.add(f.text)
			in.cases = append(in.cases, f.text)
		case keyStore:
			in.store = f.text
		case keyRoot: // of references in a warehouse; those of a case file are relative to it
			if set["source"] != "" || set["html"] != "" {
				in.folders = append(in.folders, inputFolder{dir: f.text, reads: anyFile, but: export.Wrote, large: true})
			}
		case keyWritten:
			_, last, _ := strings.Cut(f.key, ".")
			if set[last] == "" && f.text != "none" && f.text != "warehouse" && !isWarehouse(f.text) {
				written = append(written, namedOutput{f.key, f.text, appended})
			}
		default:
			in.add(f.text)
		}
	}
	return written
}

// results returns the results that case files refer to, with the case file. A case file that cannot be read again, or
// not at all, has none; the command reports an error.
func (in *inputs) results(ctx context.Context) map[string]string {
	if in.referred != nil {
		return in.referred
	}
	in.referred = map[string]string{}
	for _, path := range in.cases {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue // nothing, or a pipe
		}
		files, _ := cases.ResultFiles(ctx, path) //nolint:errcheck // the command reports it
		for _, f := range files {
			in.referred[f] = path
		}
	}
	return in.referred
}

// pipe returns a case file that is a pipe; "" if there is none. What it refers to is not known before it is read.
func (in *inputs) pipe() string {
	for _, path := range in.cases {
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return path
		}
	}
	return ""
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

// filesOf returns the files that a file name or the URL of an embedded database means, and none for other warehouses.
// {database} in a URL matches each name.
func filesOf(name string) []string {
	scheme, path, _ := strings.Cut(name, ":")
	switch {
	case scheme == "duckdb" || scheme == "sqlite":
		path, _, _ = strings.Cut(path, "?")
	case isWarehouse(name) || strings.Contains(name, "://"):
		return keyFilesOf(name)
	default:
		return []string{name}
	}
	files := []string{path}
	if strings.Contains(path, "{database}") {
		files, _ = filepath.Glob(strings.ReplaceAll(path, "{database}", "*")) //nolint:errcheck // an invalid pattern names nothing
	}
	for _, f := range slices.Clone(files) {
		for _, suffix := range siblings {
			files = append(files, f+suffix)
		}
	}
	return files
}

// siblings are the ends of the names of files that an embedded engine writes next to a database.
var siblings = []string{".wal", "-wal", "-shm", "-journal"}

// keyFilesOf returns the existing files that query parameters of a URL name, such as a key or a certificate.
func keyFilesOf(url string) (files []string) {
	_, query, _ := strings.Cut(url, "?")
	for option := range strings.SplitSeq(query, "&") {
		_, value, _ := strings.Cut(option, "=")
		if plain, err := neturl.QueryUnescape(value); err == nil {
			value = plain
		}
		if info, err := os.Stat(value); value != "" && err == nil && info.Mode().IsRegular() {
			files = append(files, value)
		}
	}
	return files
}

// checkFolder returns a usage error if a file that may be written into or removed from the folder o is an input or one
// of the outputs all, or if another folder is filled with it.
func (o namedOutput) checkFolder(ctx context.Context, in *inputs, all []namedOutput) error {
	fills := fillsWith[o.flag]
	if o.use != filled || fills == nil {
		return nil
	}
	for _, other := range all {
		switch {
		case other == o:
		case other.use == filled && sameFile(other.path, o.path):
			return usage("%s and %s both write to the folder %.80q", other.flag, o.flag, o.path)
		case !other.use.isFile() || !sameFile(filepath.Dir(placeOf(other.path)), o.path):
		case fills(filepath.Base(placeOf(other.path))):
			return usage("%s and %s both write to %.80q", other.flag, o.flag, other.path)
		case o.flag == "--html" && !site.HoldsReport(o.path):
			return usage("%s: %q is in the folder of --html, which must be empty or hold a report; name another folder",
				other.flag, other.path)
		}
	}
	entries, _ := os.ReadDir(o.path) //nolint:errcheck // the command reports it, or creates the folder
	use := replaced
	if o.flag == "--snapshots" {
		use = appended
	}
	for _, e := range entries {
		if !fills(e.Name()) || e.IsDir() {
			continue
		}
		if err := (namedOutput{o.flag, filepath.Join(o.path, e.Name()), use}).check(ctx, in, nil); err != nil {
			return err
		}
	}
	return nil
}

// check returns a usage error if o is one of the inputs, in one of their folders, one of the outputs before it, or a
// database.
func (o namedOutput) check(ctx context.Context, in *inputs, before []namedOutput) error {
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
	if what := o.reads(ctx, in, info, isFile); what != "" {
		return usage("%s: %q is %s, and would %s; name another file", o.flag, o.path, what, done)
	}
	for _, other := range before {
		if other.use.isFile() && o.use.isFile() && other != o && sameFile(other.path, o.path) {
			return usage("%s and %s both write to %.80q", other.flag, o.flag, o.path)
		}
	}
	if kind := databaseIn(o.path); kind != "" && isFile {
		return usage("%s: %q is a database of %s, and would %s; name another file", o.flag, o.path, kind, done)
	}
	for _, suffix := range siblings {
		database, ok := strings.CutSuffix(placeOf(o.path), suffix)
		if kind := databaseIn(database); ok && kind != "" {
			return usage("%s: %q belongs to the database of %s next to it, and would %s; name another file", o.flag, o.path, kind, done)
		}
	}
	return nil
}

// reads describes how the command reads the file of an output; "" if it does not read it. info is the result of os.Stat
// if the file exists, and isFile reports whether it is a regular file.
func (o namedOutput) reads(ctx context.Context, in *inputs, info os.FileInfo, isFile bool) string {
	const read = "read by this command"
	if o.use == created {
		return ""
	}
	for _, name := range in.files {
		if sameFile(name, o.path) {
			return read
		}
	}
	if !isFile { // nothing is lost
		return ""
	}
	if o.flag == "--snapshots" { // the command reads it, too
		return ""
	}
	for _, f := range in.folders {
		if f.has(info, o.path) {
			return read
		}
	}
	if execution.Keeps(filepath.Base(placeOf(o.path))) && execution.InStore(placeOf(o.path)) {
		return "a kept result of --execute"
	}
	if pipe := in.pipe(); pipe != "" && o.use == replaced && !export.Wrote(o.path) && !golden.IsCaseFile(o.path) {
		return "perhaps a result that cases from the pipe " + strconv.Quote(pipe) + " refer to"
	}
	for name, of := range in.results(ctx) {
		if other, err := os.Stat(name); err == nil && os.SameFile(other, info) {
			return "a result that cases of " + strconv.Quote(filepath.Base(of)) + " refer to"
		}
	}
	return ""
}

// has reports whether the file at path, which exists, is one that is read from the folder, also by a link.
func (f inputFolder) has(info os.FileInfo, path string) bool {
	dir, err := os.Stat(f.dir)
	switch {
	case err != nil || !dir.IsDir():
		return false
	case f.reads(filepath.Base(placeOf(path))) && isIn(dir, path):
		return f.but == nil || !f.but(path)
	case f.large:
		return false
	}
	found := false
	//nolint:errcheck // what cannot be read is not read
	_ = filepath.WalkDir(f.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !f.reads(filepath.Base(name)) {
			return nil //nolint:nilerr // the next
		}
		if other, err := os.Stat(name); err == nil && os.SameFile(other, info) {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
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
	if name := filepath.Base(path); !strings.HasSuffix(path, name) || name == ".." || name == "." {
		path = filepath.Clean(path)
	}
	for range 40 { // as many links as Linux follows
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			folder, _ := filepath.Split(path)
			to = folder + to
		}
		path = to
	}
	folder, name := filepath.Split(path) // .. after a link leads elsewhere
	folder = cmp.Or(folder, ".")
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	if full, err := filepath.Abs(folder); err == nil {
		folder = full
	}
	return filepath.Join(folder, name)
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
