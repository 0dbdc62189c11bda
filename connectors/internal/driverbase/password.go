package driverbase

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/badger-eval/badger/internal/errcode"
)

// Password is the location of a password or a token, from options of a URL. It is read again for each session, since
// passwords are rotated, and tokens are valid for minutes.
type Password struct {
	Connector          string // begins errors
	Name               string // prefix of the options: token; "" is password
	file, env, command string
}

func (p *Password) name() string { return cmp.Or(p.Name, "password") }

// Options adds the options of a password's location to those of a URL: password_file, password_env and
// password_command.
func (p *Password) Options(to Options) {
	to[p.name()+"_file"], to[p.name()+"_env"], to[p.name()+"_command"] = Text(&p.file), Text(&p.env), Text(&p.command)
}

// Check returns an error (InvalidArgument) if more than one location is named.
func (p *Password) Check() error {
	named := 0
	for _, where := range []string{p.file, p.env, p.command} {
		if where != "" {
			named++
		}
	}
	if named > 1 {
		return errcode.New(errcode.InvalidArgument,
			"%s: more than one of %[2]s_file, %[2]s_env and %[2]s_command is named; expected one", p.Connector, p.name())
	}
	return nil
}

// Where describes the location; "" if the URL has none.
func (p *Password) Where() string {
	switch {
	case p.command != "":
		return "the output of " + p.name() + "_command"
	case p.file != "":
		return p.name() + "_file"
	case p.env != "":
		return "the variable " + p.env + ", which changes only with a restart"
	}
	return ""
}

// Read returns the password; ok is false if no location is named. An error has the code Unauthenticated.
func (p *Password) Read(ctx context.Context) (text string, ok bool, err error) {
	switch {
	case p.command != "":
		text, err = p.run(ctx)
	case p.file != "" || p.env != "":
		text, err = ReadSecret(p.Connector, p.name(), p.file, p.env, os.Getenv)
	default:
		return "", false, nil
	}
	return text, true, err
}

// commandTime is the time limit of a password command.
const commandTime = 30 * time.Second

// run runs a program with arguments, without a shell, and returns the single line that it prints. Its standard error
// may contain secrets and is not shown.
func (p *Password) run(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	words := strings.Fields(p.command)
	if len(words) == 0 {
		return "", errcode.New(errcode.Unauthenticated, "%s: %s_command: expected a program", p.Connector, p.name())
	}
	out, err := exec.CommandContext(ctx, words[0], words[1:]...).Output() //nolint:gosec // the configuration names it
	var ended *exec.ExitError
	refused := func(what string) error {
		return errcode.Because(err, errcode.Unauthenticated,
			"%s: the program %s of %s_command %s; expected one that prints the %[3]s on one line", p.Connector,
			FileName(words[0]), p.name(), what)
	}
	switch text := strings.TrimSpace(string(out)); {
	case ctx.Err() != nil:
		return "", refused("took longer than " + commandTime.String())
	case errors.As(err, &ended):
		return "", refused("failed: " + ended.String())
	case err != nil:
		return "", refused("could not be run")
	case text == "" || strings.ContainsAny(text, "\r\n"):
		return "", refused("printed none")
	default:
		return text, nil
	}
}
