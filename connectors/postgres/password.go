package postgres

import (
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/badger-eval/badger/connectors/internal/driverbase"
	"github.com/badger-eval/badger/internal/errcode"
)

// password is the location of a password, in addition to those of libpq. It is read again for each session, since
// passwords are rotated, and tokens that replace one are valid for minutes.
type password struct{ file, env, command string }

// passwordOf returns the location in a URL's settings and removes it from them, so that only libpq's settings remain.
func passwordOf(settings url.Values) (password, error) {
	var p password
	named := 0
	for name, to := range map[string]*string{"password_file": &p.file, "password_env": &p.env,
		"password_command": &p.command} {
		switch values := settings[name]; {
		case len(values) == 0:
			continue
		case len(values) > 1 || strings.TrimSpace(values[0]) == "":
			return p, invalid("postgres: %s: expected one value", name)
		default:
			*to = values[0]
		}
		settings.Del(name)
		named++
	}
	if named > 1 {
		return p, invalid(
			"postgres: more than one of password_file, password_env and password_command is named; expected one")
	}
	return p, nil
}

// read returns the password; ok is false if no location is set, so that libpq's apply.
func (p password) read(ctx context.Context) (text string, ok bool, err error) {
	switch {
	case p.command != "":
		text, err = run(ctx, p.command)
	case p.file != "" || p.env != "":
		text, err = driverbase.ReadSecret("postgres", "password", p.file, p.env, os.Getenv)
	default:
		return "", false, nil
	}
	return text, true, err
}

// commandTime is the time limit of a password command.
const commandTime = 30 * time.Second

// run runs a program with arguments, without a shell, and returns the single line that it prints. Its standard error
// may contain secrets and is not shown.
func run(ctx context.Context, command string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	words := strings.Fields(command)
	out, err := exec.CommandContext(ctx, words[0], words[1:]...).Output() //nolint:gosec // the configuration names it
	var ended *exec.ExitError
	refused := func(what string) error {
		return errcode.Because(err, errcode.Unauthenticated,
			"postgres: the program %s of password_command %s; expected one that prints the password on one line",
			driverbase.FileName(words[0]), what)
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

// signIn sets the credentials and the other settings for a new session from the URL, the environment and the files that
// these name, as they are now.
func (c *Conn) signIn(ctx context.Context, config *pgx.ConnConfig) error {
	now, err := parseURL(c.url)
	if err != nil {
		return err
	}
	text, ok, err := now.password.read(ctx)
	if err != nil {
		return err
	}
	parameters := config.RuntimeParams
	*config = *now.config.ConnConfig
	config.RuntimeParams = parameters
	if ok {
		config.Password = text
	}
	return nil
}
