package main

import (
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/badger-eval/badger/internal/sample"
)

// accepts parses a command line and returns the error of its flags and arguments, without running the command.
func accepts(t *testing.T, args ...string) error {
	t.Helper()
	parser, err := kong.New(grammarFor(args), kong.Vars{"version": "v"}, kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := parser.Parse(args)
	if err != nil {
		return err
	}
	return errors.Join(checkEmpty(chosen, args), checkOutputs(t.Context(), chosen, process{getenv: func(string) string { return "" }}))
}

// leaves returns the commands that run something, with their flags.
func leaves(t *testing.T) map[*kong.Node][]*kong.Flag {
	t.Helper()
	all := map[*kong.Node][]*kong.Flag{}
	_ = kong.Visit(grammar(t), func(node kong.Visitable, next kong.Next) error {
		if n, ok := node.(*kong.Node); ok && n.Type == kong.CommandNode && n.Leaf() {
			all[n] = slices.DeleteFunc(slices.Concat(n.AllFlags(false)...), func(f *kong.Flag) bool { return f.Name == "help" || f.Name == "version" })
		}
		return next(nil)
	})
	return all
}

// given returns the command line of a command with what it requires, as names of files in dir, and with more flags.
func given(n *kong.Node, flags []*kong.Flag, dir string, more ...string) []string {
	args := strings.Fields(n.Path())
	for _, p := range n.Positional {
		if p.Required {
			args = append(args, filepath.Join(dir, "argument"))
		}
	}
	has := func(f *kong.Flag) bool {
		return slices.ContainsFunc(more, func(arg string) bool { return arg == "--"+f.Name || strings.HasPrefix(arg, "--"+f.Name+"=") })
	}
	for _, f := range flags {
		rival := slices.ContainsFunc(flags, func(o *kong.Flag) bool {
			return has(o) && slices.ContainsFunc(o.Xor, func(group string) bool { return slices.Contains(f.Xor, group) })
		})
		if f.Required && !has(f) && !rival {
			more = append(more, "--"+f.Name, map[bool]string{true: "duckdb:" + filepath.Join(dir, "required.duckdb"), false: filepath.Join(dir, "required")}[f.PlaceHolder == "URL"])
		}
	}
	return append(args, more...)
}

// readFlags are the flags that name files which are read, or databases and folders that are read and written in place.
// A new flag belongs here, or in fileUses.
var readFlags = strings.Fields(`--answer --apply --ca --ca-file --assessments --case-file --cases --chosen --config --db --diff
	--documents --eval --execute --from --gold --gold-file --gold-results --gold-sql --golden --guideline
	--judge-key-file --judge-url --key-file --judges --logic --pred --predictions --questions --results --scores --sentinels
	--run --source --to --token-file --traces --tracking --values`)

// Every flag that names a file says whether it is read or written, and a flag whose help says that it is written is not
// one that is read.
func TestFileUses(t *testing.T) {
	writes := regexp.MustCompile(`^Write|^Append|to write|^Directory for|Cache`)
	used := map[string]bool{}
	for n, flags := range leaves(t) {
		for _, f := range flags {
			use, ok := useOf(n.Path(), f.Value)
			where := n.Path() + " --" + f.Name + " " + f.PlaceHolder
			switch {
			case !ok:
			case use == isRead && !slices.Contains(readFlags, "--"+f.Name):
				t.Errorf("%s: is it read or written? Add it to readFlags or fileUses", where)
			case use == isRead && f.PlaceHolder != "URL" && writes.MatchString(f.Help), use != isRead && !writes.MatchString(f.Help):
				t.Errorf("%s: use %d, and the help says: %s", where, use, f.Help)
			}
			for key := range fileUses {
				if strings.HasSuffix(where, key) && use == fileUses[key] {
					used[key] = true
				}
			}
		}
	}
	for key := range fileUses {
		if !used[key] {
			t.Errorf("%s: no command has such a flag", key)
		}
	}
}

// No command writes to a file that it reads, under any name of that file.
func TestOutputsAreNoInputs(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	in := filepath.Join(dir, "in.x")
	err := errors.Join(os.WriteFile(in, []byte("text"), 0o600), os.Symlink("in.x", "soft.x"), os.Link(in, "hard.x"), os.Mkdir("sub", 0o700), os.WriteFile("required.duckdb", []byte("text"), 0o600), os.WriteFile("argument", []byte("text"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{in, "in.x", "sub/../in.x", "soft.x", "hard.x", "./in.x"}
	pairs := 0
	for n, flags := range leaves(t) {
		for _, out := range flags {
			use, _ := useOf(n.Path(), out.Value)
			if use != replaced && use != appended {
				continue
			}
			refused := func(path string, more ...string) {
				t.Helper()
				args := given(n, flags, dir, append(more, "--"+out.Name, path)...)
				if err := accepts(t, args...); err == nil || !strings.Contains(err.Error(), "--"+out.Name+": \""+path+"\" is read by this command, and would ") {
					t.Errorf("%s: %v", strings.Join(args, " "), err)
				}
				pairs++
			}
			if args := given(n, flags, dir, "--"+out.Name, "other.x"); accepts(t, args...) != nil {
				t.Errorf("%s: %v", strings.Join(args, " "), accepts(t, args...))
			}
			for i, f := range flags {
				use, ok := useOf(n.Path(), f.Value)
				if !ok || use != isRead || slices.ContainsFunc(f.Xor, func(x string) bool { return slices.Contains(out.Xor, x) }) || f.Name == "judge-url" {
					continue
				}
				value := names[(i+1)%len(names)]
				if strings.Contains(f.PlaceHolder, "URL") {
					value = []string{"duckdb:" + value + "?mode=ro", "sqlite:" + value}[i%2]
				}
				refused(names[pairs%len(names)], "--"+f.Name, value)
			}
			if slices.ContainsFunc(n.Positional, func(p *kong.Positional) bool { return p.Name == "file" }) {
				refused("sub/../argument")
			}
		}
	}
	if pairs < 100 {
		t.Errorf("%d pairs of flags, expected more", pairs)
	}
}

func TestOutputs(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	kept := strings.Repeat("0a", 32) + ".json"
	for name, text := range map[string]string{
		"c.jsonl": "{}", "old.csv": "old", "db.db": "SQLite format 3\x00....", "duck.db": "01234567DUCK\x40\x00\x00\x00", "duck.txt": "01234567DUC", "judge.yaml": "x",
		"refs.jsonl": `{"case_id":"1","gold":{"result":"file:res/gold.csv"},"agent":{"result":"file:res/./pred.csv"}}`, "res/gold.csv": "n\n1\n", "res/pred.csv": "n\n1\n", "res/other.csv": "n",
		"snapshots/executions.jsonl": "", "snapshots/" + kept: "{}", "snapshots/other.json": "{}", "kept/executions.jsonl": "", "kept/" + kept: "{}",
		"res/last.csv": "eval_run_id,agent_name,agent_version,batch_id,case_id,question\r\n", "res/last.md": "## badger\n", "keep.txt": "x",
		"hh/badger-report.txt": "index.html\n", "hh/index.html": "<!DOCTYPE html>", "hh/page.html": "x", "charts/bars.txt": "x", "in.jsonl": "{}", "store/other.json": "",
		"dbs/links/c.jsonl": `{"case_id":"1","gold":{"result":"file:../g.csv"}}`, "dbs/g.csv": "n\n1\n", "g.csv": "n\n1\n", "res/cases.json": `{"case_id":"1"}`,
		"lite.db": "SQLite format 3\x00....", "lite.db-shm": "x", "duck.db.wal": "x",
		"texts/k.md": "x", "key.p8": "x", "files.yaml": "results: {files: [res]}\n", "snaps.yaml": "execute: {snapshots: kept}\n", "audit.yaml": "judge: {audit: res/gold.csv}\n", "log.yaml": "judge: {audit: a.log}\n", "sentinels.yaml": "sentinels: {cases: refs.jsonl}\n",
		"cfg.yaml": "judges: [judge.yaml]\nexecute: {url: 'sqlite:dbs/{database}/{database}.sqlite'}\n", "dbs/shop/shop.sqlite": "x", "dbs/shop/notes.txt": "x",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("new.duckdb", "dangling"), os.Symlink(dir, "here"), os.Link("res/gold.csv", "hard"), os.Symlink("res/gold.csv", "soft"), os.Link("snapshots/"+kept, "hard.json"), os.Symlink("shop/notes.txt", "dbs/linked.csv"),
		os.Symlink("dbs/links", "lnk"), os.Mkdir("empty", 0o700), os.Link("in.jsonl", "hh/cases.html"), os.Symlink("../judge.yaml", "hh/site.css"), os.Symlink("../res/gold.csv", "hh/trend.html"), os.Symlink("../db.db", "charts/kappa.svg"), os.Symlink("../in.jsonl", "store/executions.jsonl")); err != nil {
		t.Fatal(err)
	}
	const run = "run --cases c.jsonl "
	const refers = "run --cases refs.jsonl --no-to "
	for command, says := range map[string]string{
		run + "--csv old.csv --jsonl new.jsonl":                             "",
		run + "--csv - --jsonl new.jsonl":                                   "",
		run + "--csv x --jsonl ./x":                                         `--csv and --jsonl both write to "./x"`,
		run + "--csv old.csv --scores here/old.csv":                         `both write to`,
		run + "--csv x --jsonl X":                                           "",
		run + "--csv /dev/zero --jsonl /dev/zero":                           "",
		run + "--csv scores.duckdb":                                         `"scores.duckdb" is read by this command`,
		run + "--no-to --csv scores.duckdb":                                 "",
		run + "--to duckdb:new.duckdb --csv scores.duckdb":                  "",
		run + "--to duckdb:new.duckdb --markdown dangling":                  `"dangling" is read by this command`,
		run + "--to duckdb:new.duckdb --markdown here/new.duckdb.wal":       `is read by this command`,
		run + "--to postgres://h/new --markdown postgres":                   "",
		run + "--no-to --judge replay:c2.jsonl --csv c2.jsonl":              `is read by this command`,
		run + "--no-to --config cfg.yaml --csv judge.yaml":                  `is read by this command`,
		run + "--no-to --config cfg.yaml --csv dbs/shop/shop.sqlite":        `is read by this command`,
		run + "--no-to --config cfg.yaml --csv dbs/shop/notes.txt":          "",
		run + "--no-to --audit c.jsonl":                                     `"c.jsonl" is read by this command, and would get other lines`,
		run + "--to duckdb:a.duckdb --ledger duckdb:a.duckdb":               "",
		run + "--ledger none --audit none":                                  "",
		run + "--no-to --scores db.db":                                      `--scores: "db.db" is a database of SQLite, and would be replaced`,
		run + "--no-to --scores duck.db":                                    `"duck.db" is a database of DuckDB`,
		run + "--no-to --scores duck.txt":                                   "",
		run + "--no-to --junit nodir/j.xml":                                 `--junit: the folder "nodir" does not exist`,
		run + "--no-to --junit j.xml/":                                      `"j.xml/" is a folder, expected the name of a file`,
		run + "--no-to --junit dbs":                                         `"dbs" is a folder, expected the name of a file`,
		run + "--html dbs":                                                  "",
		"import csv c.jsonl --predictions dbs --out dbs/shop/1.sql":         "",
		"queue export --db duckdb:x.duckdb --to x.duckdb":                   `--to: "x.duckdb" is read by this command`,
		"policy --answer a.jsonl --answer b.jsonl --out b.jsonl":            `"b.jsonl" is read by this command`,
		"report --db duckdb:a.duckdb --html a.duckdb":                       `"a.duckdb" is read by this command`,
		"report --db duckdb:a.duckdb --sarif s.json --case-file s.json":     `"s.json" is read by this command`,
		"judge improve j.yaml --source duckdb:a.duckdb --out x --audit ./x": "both write to",

		// results that cases refer to
		refers + "--csv res/gold.csv":                                             `--csv: "res/gold.csv" is a result that cases of "refs.jsonl" refer to, and would be replaced`,
		refers + "--scores here/res/../res/pred.csv":                              `a result that cases of "refs.jsonl" refer to`,
		refers + "--jsonl hard":                                                   `a result that cases of "refs.jsonl" refer to`,
		refers + "--markdown soft":                                                `a result that cases of "refs.jsonl" refer to`,
		refers + "--audit res/gold.csv":                                           `would get other lines`,
		refers + "--csv res/other.csv":                                            "",
		refers + "--csv gold.csv":                                                 "",
		"run --cases here/refs.jsonl --no-to --csv res/gold.csv":                  `refer to`,
		"run --source duckdb:x.duckdb --sentinels refs.jsonl --csv res/gold.csv":  `refer to`,
		"export --cases refs.jsonl --to csv --out res/gold.csv":                   `--out: "res/gold.csv" is a result`,
		"import traces t.jsonl --golden refs.jsonl --out res/pred.csv":            `--out: "res/pred.csv" is a result`,
		"calibrate --cases refs.jsonl --html soft":                                `refer to`,
		"policy --answer refs.jsonl --out res/pred.csv":                           `refer to`,
		"report --db duckdb:a.duckdb --sarif res/pred.csv --case-file refs.jsonl": `refer to`,
		"report --db duckdb:a.duckdb --csv res/gold.csv":                          "",
		run + "--no-to --config sentinels.yaml --csv refs.jsonl":                  `"refs.jsonl" is read by this command`,
		run + "--no-to --config sentinels.yaml --csv res/gold.csv":                `refer to`,
		"run --source duckdb:x.duckdb --config files.yaml --csv res/other.csv":    `is read by this command`,
		"run --source duckdb:x.duckdb --config files.yaml --csv res/new.csv":      "",
		run + "--no-to --config files.yaml --csv res/other.csv":                   "", // relative to the case file
		"import spider2 c.jsonl --documents texts --out texts/k.md":               `is read by this command`,
		"import csv c.jsonl --gold-results dbs --out dbs/shop/notes.txt":          `is read by this command`, // by a link
		"import csv c.jsonl --gold-results res --out hard":                        `is read by this command`,

		"run --source duckdb:x.duckdb --config files.yaml --csv res/last.csv":     "", // that of the night before
		"run --source duckdb:x.duckdb --config files.yaml --markdown res/last.md": "",

		// files in folders that are written into
		"report --db duckdb:a.duckdb --html hh":                          "",
		"report --db duckdb:hh/page.html --html hh":                      `--html: "hh/page.html" is read by this command, and would be replaced`,
		"run --no-to --cases in.jsonl --html hh":                         `--html: "hh/cases.html" is read by this command`,
		run + "--judges judge.yaml --html here/hh":                       `--html: "here/hh/site.css" is read by this command`,
		run + "--config cfg.yaml --html hh":                              `--html: "hh/site.css" is read by this command`,
		refers + "--html hh":                                             `--html: "hh/trend.html" is a result that cases of "refs.jsonl" refer to`,
		run + "--html hh --csv hh/index.html":                            `--csv and --html both write to "hh/index.html"`,
		run + "--html hh --csv here/hh/new.html":                         `--csv and --html both write to`,
		run + "--html hh --csv hh/scores.csv":                            "",
		run + "--html empty --csv empty/scores.csv":                      `--csv: "empty/scores.csv" is in the folder of --html, which must be empty or hold a report`,
		run + "--html x.html --csv x.html":                               "both write to",
		run + "--html keep.html --csv keep.htm":                          "",
		run + "--html empty --snapshots here/empty":                      `both write to the folder "empty"`,
		"calibrate --cases c.jsonl --svg charts":                         `"charts/kappa.svg" is a database of SQLite`,
		"calibrate --cases c.jsonl --svg charts --html charts/tiers.svg": "both write to",
		"calibrate --cases charts/bars.txt --svg empty":                  "",
		"run --cases in.jsonl --snapshots store":                         `--snapshots: "store/executions.jsonl" is read by this command, and would get other lines`,
		run + "--snapshots store":                                        "",
		run + "--snapshots kept":                                         "",

		// folders that are links
		"run --cases lnk/c.jsonl --no-to --csv dbs/g.csv":                 `--csv: "dbs/g.csv" is a result`,
		"run --cases lnk/c.jsonl --no-to --csv lnk/../g.csv":              `is a result`,
		"run --cases lnk/c.jsonl --no-to --csv g.csv":                     "",
		"export --cases lnk/../links/c.jsonl --to csv --out lnk/../g.csv": `is a result`,
		run + "--csv lnk/../x.csv --jsonl dbs/x.csv":                      "both write to",
		run + "--csv lnk/../x.csv --jsonl x.csv":                          "",

		// an earlier case file in a folder of results
		"import csv c.jsonl --gold-results res --out res/cases.json": "",
		"import csv c.jsonl --gold-results res --out res/other.csv":  `is read by this command`,

		// files of databases, and pipes
		run + "--csv lite.db-shm":                                   `--csv: "lite.db-shm" belongs to the database of SQLite next to it`,
		run + "--csv duck.db.wal":                                   `belongs to the database of DuckDB`,
		run + "--csv duck.txt.wal":                                  "",
		run + "--to duckdb:here/c.jsonl":                            `--to: "c.jsonl" is a case file of this command, expected a database`,
		"run --cases /dev/null --no-to --csv old.csv":               `--csv: "old.csv" is perhaps a result that cases from the pipe "/dev/null" refer to`,
		"run --cases /dev/null --no-to --csv res/last.csv":          "",
		"run --cases /dev/null --no-to --csv new.csv":               "",
		"import traces c.jsonl --golden /dev/null --out in.jsonl":   "perhaps a result",
		"import traces c.jsonl --golden /dev/null --out refs.jsonl": "",

		// results of queries
		run + "--no-to --csv snapshots/executions.jsonl":                  `is read by this command`,
		run + "--no-to --scores snapshots/" + kept:                        `is read by this command`,
		run + "--no-to --scores hard.json":                                `is read by this command`,
		run + "--no-to --scores snapshots/other.json":                     "",
		run + "--no-to --scores kept/" + kept:                             `is a kept result of --execute`,
		run + "--no-to --snapshots kept --scores kept/" + kept:            `is read by this command`,
		run + "--no-to --config snaps.yaml --jsonl kept/executions.jsonl": `is read by this command`,
		"report --db duckdb:a.duckdb --csv here/kept/executions.jsonl":    `is a kept result of --execute`,

		// files that a configuration or a URL names
		refers + "--config audit.yaml":                                     `judge.audit: "res/gold.csv" is a result`,
		refers + "--config audit.yaml --audit new.log":                     "",
		refers + "--config log.yaml --csv a.log":                           `--csv and judge.audit both write to "a.log"`,
		refers + "--config log.yaml --audit a.log":                         "",
		"report --db snowflake://a/d?private_key_file=key.p8 --csv key.p8": `is read by this command`,
		"report --db postgres://h/d?sslmode=disable --csv disable":         "",
	} {
		err := accepts(t, strings.Fields(command)...)
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v, want %q", command, err, says)
		}
	}
}

// Each text of the configuration names a file, or it is known that it names none: a new key belongs here, or in keyUses.
func TestKeyUses(t *testing.T) {
	none := map[string]bool{}
	for _, key := range strings.Fields(`allow_hosts audience azure_api_version base_url body budget.money caller_budget.money clock
		connection default_roles dir emails embed_in endpoint execute.functions fail_under gates.min_coverage grpc header http issuer
		key_env late_rows listen.metrics masked mcp.ledger metrics.options metrics.primary mode name panels.rule peers platform prefix
		prices.in prices.out proxy reasoning_effort results.tables retention roles rule sentinels.metrics since
		subjects tables tag tie`) {
		none[key] = true
	}
	seen := map[string]bool{}
	var walk func(v reflect.Type, key string)
	walk = func(v reflect.Type, key string) {
		switch v.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(v.Elem(), key)
		case reflect.Struct:
			for i := range v.NumField() {
				if name, ok := keyOf(v.Field(i), key); ok {
					walk(v.Field(i).Type, name)
				}
			}
		case reflect.String, reflect.Interface:
			parts := strings.Split(key, ".")
			last := parts[len(parts)-1]
			two := strings.Join(parts[max(0, len(parts)-2):], ".")
			seen[last], seen[two], seen[key] = true, true, true
			if isNone := none[last] || none[two]; (useOfKey(key) == keyNone) != isNone {
				t.Errorf("%s: use %d, and named as no file: %t", key, useOfKey(key), isNone)
			}
		}
	}
	walk(reflect.TypeFor[configuration](), "")
	for key := range none {
		if !seen[key] {
			t.Errorf("the configuration lacks the key %s", key)
		}
	}
	for key := range keyUses {
		if !seen[key] {
			t.Errorf("the configuration lacks the key %s", key)
		}
	}
}

// The files of all keys are found, also in entries of lists and maps.
func TestFilesIn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	text := `tls: {cert: f1, key: f2, client_ca: f3}
auth: {token_file: f4, http: {token_file: f5, keys: f6}}
results: {files: [f7, f8], warehouse: 'duckdb:f9'}
metrics: {verdict_table: f10, primary: not}
execute: {url: 'sqlite:f11', snapshots: f12}
judge:
  backend: replay:f13
  key_file: f14
  headers: {A: 'file:f15', B: 'env:not', C: not}
  metrics: {rose: {ca_file: f16, backend: 'openai:not'}}
  by_tag: [{tag: not, key_file: f17}]
  panels: {trio: {rule: majority, members: [{backend: 'replay:f18'}, {key_file: f19}], arbiter: {backend: 'replay:f20'}}}
  ledger: f21
  audit: f22
sentinels: {cases: f23, metrics: [not]}
judges: [f24]
traces: {headers_file: f25, ca_file: f26, endpoint: not}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := readConfig(path, process{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range filesIn(&c) {
		got = append(got, f.text)
	}
	slices.Sort(got)
	if got = slices.Compact(got); len(got) != 26 || slices.ContainsFunc(got, func(f string) bool { return strings.Contains(f, "not") }) {
		t.Errorf("%d files: %q", len(got), got)
	}
}

// Each flag that names a case file is one whose results are looked at.
func TestCaseFlags(t *testing.T) {
	used := map[string]bool{}
	for n, flags := range leaves(t) {
		for _, f := range flags {
			use, ok := useOf(n.Path(), f.Value)
			used[f.Name] = true
			if names := strings.HasPrefix(f.Help, "Case file") || strings.HasPrefix(f.Help, "Cases l"); ok && use == isRead && names != slices.Contains(caseFlags, f.Name) {
				t.Errorf("%s --%s: %s", n.Path(), f.Name, f.Help)
			}
		}
	}
	for _, name := range caseFlags {
		if !used[name] {
			t.Errorf("no command has the flag --%s", name)
		}
	}
}

// A flag with the tag needs is an error by itself, and none with a flag that the tag names. Help that says "With --x" or
// "of --x" is of a flag with the tag, or of one whose command checks it.
func TestNeeds(t *testing.T) {
	dir := t.TempDir()
	parsed := func(args ...string) error {
		_, err := parse(t.Context(), args, process{getenv: func(string) string { return "" }, stdout: io.Discard, stderr: io.Discard})
		return err
	}
	checked := strings.Fields("--golden-set --with-data --run")
	tagged := map[string]bool{}
	for n, flags := range leaves(t) {
		for _, f := range flags {
			needs := f.Tag.Get("needs")
			if needs == "" {
				if m := regexp.MustCompile(`^With --|folds of --`).FindString(f.Help); m != "" && !slices.Contains(checked, "--"+f.Name) {
					t.Errorf("%s --%s: no tag needs: %s", n.Path(), f.Name, f.Help)
				}
				continue
			}
			tagged[n.Path()+" --"+f.Name] = true
			value := "--" + f.Name
			switch {
			case f.Enum != "":
				value += "=" + f.EnumSlice()[len(f.EnumSlice())-1]
			case !f.IsBool():
				value += "=7"
			}
			want := "--" + f.Name + " has no effect without --"
			if err := parsed(given(n, flags, dir, value)...); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s %s: %v, want %s", n.Path(), value, err, want)
			}
			for need := range strings.FieldsSeq(needs) {
				name, _, _ := strings.Cut(need, "=")
				i := slices.IndexFunc(flags, func(o *kong.Flag) bool { return o.Name == name })
				if i < 0 {
					t.Errorf("%s --%s: the command lacks --%s", n.Path(), f.Name, name)
					continue
				}
				other := "--" + need
				if !strings.Contains(need, "=") && !flags[i].IsBool() {
					other += "=duckdb:" + filepath.Join(dir, "other")
				}
				if err := parsed(given(n, flags, dir, value, other)...); err != nil && strings.Contains(err.Error(), "has no effect") {
					t.Errorf("%s %s %s: %v", n.Path(), value, other, err)
				}
			}
		}
	}
	for _, name := range []string{"run --retry-failed", "calibrate --folds", "report --cases", "queue new --seed"} {
		if !tagged[name] {
			t.Errorf("%s has no tag needs", name)
		}
	}
	if err := parsed("queue", "new", "--db", "duckdb:x", "--order", "unsure", "--seed", "7"); err == nil || err.Error() != "--seed has no effect without --order random or --order strata" {
		t.Errorf("%v", err)
	}
}

// An empty value of a flag is an error, but for those flags where it has a meaning.
func TestEmptyValues(t *testing.T) {
	dir := t.TempDir()
	empty := map[string]bool{}
	for n, flags := range leaves(t) {
		for _, f := range flags {
			if f.IsBool() || f.IsCounter() {
				continue
			}
			ways := [][]string{{"--" + f.Name, ""}, {"--" + f.Name + "="}, {"--" + f.Name, " "}}
			for i, values := range ways {
				if !sample.Thorough() && i != sample.One(n.Path()+f.Name, len(ways)) {
					continue
				}
				err := accepts(t, given(n, flags, dir, values...)...)
				switch {
				case err == nil:
					empty["--"+f.Name+" "+f.PlaceHolder] = true
				case f.Target.Kind().String() == "string" || f.IsSlice():
					if said := err.Error(); !strings.Contains(said, "the value is empty; ") && !strings.Contains(said, "must be one of") {
						t.Errorf("%s %q: %v", n.Path(), values, err)
					}
				}
			}
		}
	}
	want := []string{"--agent NAME", "--agent-version VERSION", "--batch BATCH", "--batch ID", "--from AGENT@VERSION", "--from-batch ID", "--to AGENT@VERSION", "--to-batch ID"}
	if got := slices.Sorted(maps.Keys(empty)); !slices.Equal(got, want) {
		t.Errorf("flags that may be empty: %q, want %q", got, want)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"run", "--cases", "c", "--fail-under", "ex_bird=1", "--fail-under", ""}, "--fail-under: the value is empty; expected METRIC=NUMBER"},
		{[]string{"run", "--cases", "c", "--fail-under="}, "--fail-under: the value is empty; expected METRIC=NUMBER"},
		{[]string{"run", "--cases", "c", "--max-broken", ""}, "--max-broken: the value is empty; expected METRIC=N"},
		{[]string{"run", "--cases", "c", "--metrics", " , "}, "--metrics: the value is empty; expected names such as A,B"},
		{[]string{"run", "--cases", "c", "--metrics", "a,"}, ""},
		{[]string{"accept", "a@1", "--db", "duckdb:x", "--note", ""}, "--note: the value is empty; expected some text"},
		{[]string{"run", "--cases", "c", "--agent", "", "--quiet"}, ""},
		{[]string{"import", "bird", "x", "--execute", "", "--check"}, "--run: the value is empty; expected a URL such as duckdb:FILE"},
		{[]string{"import", "bird", "x", "--pair", "", "--check"}, "--pair: the value is empty; expected one of question_id, index"},
		{[]string{"import", "bird", "", "--check"}, "the argument <file> ... is empty"},
		{[]string{"import", "bird", "--check", ""}, "the argument <file> ... is empty"},
		{[]string{"accept", "", "--db", "duckdb:x"}, "the argument [<of>] is empty"},
		{[]string{"sql", "--", ""}, ""},
	} {
		if err := accepts(t, c.args...); c.says == "" && err != nil || c.says != "" && (err == nil || err.Error() != c.says) {
			t.Errorf("%q: %v, want %q", c.args, err, c.says)
		}
	}
}
