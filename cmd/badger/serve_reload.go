package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/badger-eval/badger/internal/config"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/hosting"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf"
)

// watch reloads the configuration on each signal and, if reload is configured, at that interval, until ctx ends. If the
// new configuration is invalid, it logs the error and the server keeps the old one.
func (s *functionServer) watch(ctx context.Context, signals <-chan os.Signal) {
	var tick <-chan time.Time
	if s.config.Reload > 0 {
		t := time.NewTicker(s.config.Reload)
		defer t.Stop()
		tick = t.C
	}
	for {
		signalled := true
		select {
		case <-ctx.Done():
			return
		case <-signals:
		case <-tick:
			signalled = false
		}
		err := s.reload(ctx, signalled)
		if ctx.Err() != nil {
			return
		}
		s.metrics.Reloaded(err)
		if err != nil {
			s.log.Error("the new configuration is refused; the one before stays in force", slog.String("error", err.Error()))
		}
	}
}

// reload applies the current configuration and promoted judges. An invalid configuration changes nothing. Keys that
// need a restart are logged if say is set or another key has changed.
func (s *functionServer) reload(ctx context.Context, say bool) error {
	s.taking.Lock()
	defer s.taking.Unlock()
	was := config.New(&s.config)
	file, err := s.wholeFile()
	if err != nil {
		return err
	}
	config, next, err := s.command.configuration(s.process)
	if err != nil {
		return err
	}
	for _, key := range next.Lost(s.layers) {
		if hosting.Limiting(key) {
			return errcode.New(errcode.FailedPrecondition,
				"%s would be removed, and it limits callers; restart the server to remove it", key)
		}
	}
	var later []string // keys that take effect at the next start
	for _, key := range next.Changed(was) {
		if hosting.Reloadable(key) {
			say = true
		} else {
			later = append(later, key)
		}
	}
	if len(later) > 0 && !bytes.Equal(file, s.file) { // else it was checked when it was taken over
		if err := s.checkStart(ctx); err != nil {
			return errcode.New(errcode.Of(err), "the server could not start again with it: %w", err)
		}
	}
	for _, key := range later {
		if say {
			s.log.Warn("this key takes effect at the next start", slog.String("key", key))
		}
	}
	engine, options, err := s.functions(ctx, config)
	if err != nil {
		return err
	}
	if _, err := udf.NewCatalogue(engine, options); err != nil { // nothing changes if it is wrong
		return err
	}
	serverOptions, err := s.options(config)
	if err != nil {
		return err
	}
	if err := s.server.Renew(serverOptions); err != nil {
		return err
	}
	before := hosting.Names(s.catalogue)
	if err := s.catalogue.Renew(engine, options); err != nil {
		return err
	}
	keep := s.config
	keep.Auth, keep.TLS, keep.Metrics, keep.Judges = config.Auth, config.TLS, config.Metrics, config.Judges
	keep.Timeouts, keep.LateRows = config.Timeouts, config.LateRows
	keep.Limits.Caller, keep.Limits.Callers = config.Limits.Caller, config.Limits.Callers
	s.config, s.layers, s.file = keep, next, file
	s.tell(before, say)
	return nil
}

// checkStart returns the error with which a server would fail to start on the current configuration. It does the same
// as serve --check, and connects to nothing.
func (s *functionServer) checkStart(ctx context.Context) error {
	check := *s.command
	check.Check = true
	p := s.process
	p.stdout, p.stderr = io.Discard, io.Discard
	return check.Run(ctx, p)
}

// wholeFile returns the content of the current configuration file. It returns an error if the file seems to be only
// partly written, compared with the last one.
func (s *functionServer) wholeFile() ([]byte, error) {
	if s.command.Config == "" {
		return nil, nil
	}
	text, err := os.ReadFile(s.command.Config)
	if err != nil {
		return nil, errcode.New(errcode.NotFound, "--config: %w", err)
	}
	return text, hosting.CheckFile(text, s.file)
}

// promote adds the promoted judges of w, which has just been connected. After an error the functions are unchanged.
func (s *functionServer) promote(ctx context.Context, w *store.Store) error {
	s.taking.Lock()
	defer s.taking.Unlock()
	s.promoted = w
	if s.catalogue == nil { // it will be made with them
		return nil
	}
	engine, options, err := s.functions(ctx, s.config)
	if err == nil {
		before := hosting.Names(s.catalogue)
		if err = s.catalogue.Renew(engine, options); err == nil {
			s.tell(before, false)
			return nil
		}
	}
	s.promoted = nil
	return err
}

// tell logs the added and removed functions, compared with the names before. Without changes it logs only if say is
// set.
func (s *functionServer) tell(before []string, say bool) {
	after := hosting.Names(s.catalogue)
	added := slices.DeleteFunc(slices.Clone(after), func(n string) bool { return slices.Contains(before, n) })
	gone := slices.DeleteFunc(slices.Clone(before), func(n string) bool { return slices.Contains(after, n) })
	if say || len(added)+len(gone) > 0 {
		s.log.Info("the configuration was taken over", slog.Int("functions", len(after)), slog.Any("added", added),
			slog.Any("removed", gone))
	}
}
