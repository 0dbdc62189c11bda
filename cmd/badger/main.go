// Command badger evaluates the answers of text-to-SQL and data agents where the data live.
//
// It connects the packages, which do not import one another, to commands. Standard output carries only the result, as
// one JSON document with --json; progress and logs go to standard error.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/printable"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], process{
		getenv: os.Getenv, environ: os.Environ, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, now: time.Now,
		memoryLimit: debug.SetMemoryLimit,
	}))
}

// Exit codes.
const (
	exitDone  = 0 // success
	exitGate  = 1 // done, but a gate such as --fail-under failed, or answers could not be read
	exitUsage = 2 // the command line or a configuration is invalid
	exitFail  = 3 // the run itself failed
)

// process holds the environment of a command. Tests replace it.
type process struct {
	getenv  func(string) string
	environ func() []string // NAME=VALUE; nil: none
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	now     func() time.Time

	// memoryLimit sets the runtime's soft memory limit; nil if badger shares the process.
	memoryLimit func(int64) int64

	spcsToken string // token file of Snowpark Container Services; "": Snowflake's default path
}

// runRoom is the memory in bytes that a run may use in addition to its cases and results, so that the garbage collector
// does not run continuously.
const runRoom = 128 << 20

// boundMemory sets the runtime's soft memory limit to bytes, for the cases and results of a run, plus runRoom. It does
// nothing if GOMEMLIMIT is set in the environment.
func (p process) boundMemory(bytes int64) {
	if p.memoryLimit != nil && p.getenv("GOMEMLIMIT") == "" {
		p.memoryLimit(bytes + runRoom)
	}
}

// variables returns the environment variables as NAME=VALUE.
func (p process) variables() []string {
	if p.environ == nil {
		return nil
	}
	return p.environ()
}

// usage returns an error in the command line or the configuration (exit code 2).
func usage(format string, args ...any) error { return errcode.Usage(format, args...) }

// errGate means that a gate failed. The failure has been printed.
var errGate = errors.New("a gate was not reached")

// errLost means that a run completed but could not read some answers. That has been printed.
var errLost = errors.New("answers could not be read")

type commands struct {
	Demo      demoCommand      `cmd:"" help:"Run a demonstration on the embedded engine."`
	Score     scoreCommand     `cmd:"" help:"Compare two result files and show the differences."`
	Run       runCommand       `cmd:"" help:"Score cases from a file or a warehouse."`
	Calibrate calibrateCommand `cmd:"" help:"Measure how well metrics agree with human labels."`
	Trend     trendCommand     `cmd:"" help:"Show metrics over batches and test each change."`
	Compare   compareCommand   `cmd:"" help:"Test whether a version or batch is worse than another."`
	Accept    acceptCommand    `cmd:"" help:"Accept a batch as the baseline of later ones."`
	Failures  failuresCommand  `cmd:"" help:"Count the causes of failures and list their cases."`
	Explain   explainCommand   `cmd:"" help:"Explain the score of one case."`
	Audit     auditCommand     `cmd:"" help:"List questions with a suspect gold answer or wording."`
	Rank      rankCommand      `cmd:"" help:"Rank agents, versions or score files by metrics."`
	Report    reportCommand    `cmd:"" help:"Print or export the report of a run."`
	View      viewCommand      `cmd:"" help:"Show runs, cases and labels in a browser."`
	Serve     serveCommand     `cmd:"" help:"Serve the scoring functions to warehouses."`
	MCP       mcpCommand       `cmd:"" name:"mcp" help:"Serve tools over the golden set and runs to agents."`
	Call      callCommand      `cmd:"" help:"Call a function of badger serve, a line in and a line out."`
	Pipe      pipeCommand      `cmd:"" help:"Score rows from standard input, in Arrow's streaming format."`
	SQL       sqlCommand       `cmd:"" name:"sql" help:"Run SQL with the scoring functions on DuckDB."`
	Install   installCommand   `cmd:"" help:"Create the functions in a warehouse, or print their SQL."`
	Deploy    deployCommand    `cmd:"" help:"Write the files that run badger serve on a platform."`
	Judge     judgeCommand     `cmd:"" help:"Write, test and promote judge files, your own metrics."`
	Queue     queueCommand     `cmd:"" help:"Manage labeling queues, and read and write labels."`
	Policy    policyCommand    `cmd:"" help:"Show or build the table of relations that pass."`
	Import    importCommand    `cmd:"" help:"Convert golden sets and exports of other products."`
	Export    exportCommand    `cmd:"" help:"Write cases in the form of another product."`
	Prune     pruneCommand     `cmd:"" help:"Delete old answers, replies and scores, or those of a case."`
	Doctor    doctorCommand    `cmd:"" help:"Check access, permissions and types of a warehouse."`
	Functions functionsCommand `cmd:"" help:"List the scoring functions and metrics."`

	Version kong.VersionFlag `help:"Print the version, the commit and the connectors of this build."`
}

// run runs the program with the command line args and returns its exit code. If standard output could not be written, a
// command that otherwise succeeded returns exitFail.
func run(ctx context.Context, args []string, p process) (code int) {
	out := &output{Writer: p.stdout}
	p.stdout = out
	if code = command(ctx, args, p); out.lost != nil && (code == exitDone || code == exitGate) {
		complain(p.stderr, out.lost)
		return exitFail
	}
	return code
}

// complain prints an error, with control characters escaped because the message may quote names from outside.
func complain(w io.Writer, err error) { fmt.Fprintln(w, "badger:", printable.Lines(err.Error())) }

// grammarFor returns the struct that args are parsed into: if they begin with the name of a command, one with only that
// command, because parsing the tags of all commands takes longer than running most of them; otherwise *commands.
func grammarFor(args []string) any {
	if len(args) > 1 && args[0] == "help" {
		args = args[1:]
	}
	var fields []reflect.StructField
	chosen := false
	for f := range reflect.TypeFor[commands]().Fields() {
		_, isCommand := f.Tag.Lookup("cmd")
		named := len(args) > 0 && args[0] == cmp.Or(f.Tag.Get("name"), strings.ToLower(f.Name))
		if !isCommand || named {
			fields = append(fields, f)
		}
		chosen = chosen || isCommand && named
	}
	if !chosen {
		return &commands{}
	}
	return reflect.New(reflect.StructOf(fields)).Interface()
}

// command parses args, runs the command that they name and returns the exit code.
func command(ctx context.Context, args []string, p process) (code int) {
	chosen, err := parse(ctx, args, p)
	switch {
	case err != nil:
		complain(p.stderr, err)
		if errcode.IsUsage(err) {
			return exitUsage
		}
		return exitFail
	case chosen == nil: // --help and --version print and end
		return exitDone
	}
	trimLists(chosen)
	chosen.BindTo(ctx, (*context.Context)(nil))
	chosen.Bind(p)
	err = nameFlag(chosen, chosen.Run())
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errGate), errors.Is(err, errLost):
		return exitGate
	case errcode.IsUsage(err):
		complain(p.stderr, err)
		return exitUsage
	}
	complain(p.stderr, err)
	return exitFail
}

// longForms returns args with --help for -help, and with --version if the first is -v or -version.
func longForms(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		switch {
		case arg == "--":
			return args
		case arg == "-help", i == 0 && (arg == "-v" || arg == "-version"):
			args[i] = map[bool]string{true: "--help", false: "--version"}[arg == "-help"]
		}
	}
	return args
}

// parse returns the command that args choose, with all that can be checked before it runs: flags, arguments, values of
// enumerations, and files that it would overwrite. chosen is nil if args ask for the help or the version, which are
// printed.
func parse(ctx context.Context, args []string, p process) (chosen *kong.Context, err error) {
	printed := false
	parser, err := kong.New(grammarFor(args),
		kong.Name("badger"),
		kong.Description("Evaluate text-to-SQL and data agents where the data live."),
		kong.Writers(p.stdout, p.stderr),
		kong.Exit(func(int) { printed = true }),
		kong.Vars{"version": versionText()},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		return nil, err
	}
	if len(args) > 0 && args[0] == "help" { // badger help run
		args = append(slices.Clone(args[1:]), "--help")
	}
	args = longForms(args)
	chosen, err = parser.Parse(args)
	switch {
	case printed:
		return nil, nil
	case err != nil:
		return nil, errcode.AsUsage(explainFlags(explainArgument(err)))
	}
	for _, check := range []func() error{
		func() error { return checkRepeated(chosen) }, func() error { return checkEmpty(chosen, args) },
		func() error { return checkNumbers(chosen) }, func() error { return checkNeeds(chosen) },
		func() error { return checkOutputs(ctx, chosen, p) },
	} {
		if err := check(); err != nil {
			return nil, errcode.AsUsage(err)
		}
	}
	return chosen, nil
}
