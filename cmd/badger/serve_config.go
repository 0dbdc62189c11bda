package main

import (
	"cmp"

	"github.com/badger-eval/badger/internal/config"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/hosting"
	"github.com/badger-eval/badger/udf"
)

// configuration returns the configuration of the file, overridden by the environment and then by the flags, with
// defaults for the other keys. The second result holds the source of each value.
func (c *serveCommand) configuration(p process) (configuration, *config.Layers, error) {
	var out configuration
	l := config.New(&out)
	if err := l.Read(c.Config, p.variables()); err != nil {
		return out, l, err
	}
	if err := l.Add("flag", func() (err error) {
		out.Listen.GRPC, out.Listen.HTTP, out.Listen.Metrics = cmp.Or(c.GRPC, out.Listen.GRPC),
			cmp.Or(c.HTTP, out.Listen.HTTP), cmp.Or(c.Metrics, out.Listen.Metrics)
		out.Judges = append(out.Judges, c.Judges...)
		out.Judge, err = c.judged(out.Judge)
		return err
	}); err != nil {
		return out, l, err
	}
	port, variable, err := hosting.PlatformPort(out.Listen, out.Auth, out.TLS.ClientCA, p.getenv)
	if err != nil {
		return out, l, err
	}
	if port != "" {
		if err := l.Add("$"+variable, func() error { out.Listen.HTTP = "0.0.0.0:" + port; return nil }); err != nil {
			return out, l, err
		}
	}
	return out, l, l.Add("", func() error { return out.defaults() })
}

// defaults sets the keys that are not configured. It returns a usage error if a value is invalid.
func (c *configuration) defaults() error {
	if err := c.check(); err != nil {
		return err
	}
	c.Listen.GRPC, c.Listen.HTTP = cmp.Or(c.Listen.GRPC, "127.0.0.1:7433"), cmp.Or(c.Listen.HTTP, "127.0.0.1:7434")
	if c.Workers == 0 {
		c.Workers = udf.DefaultWorkers
	}
	if c.Reload != 0 && c.Reload < hosting.LeastReload {
		return usage("reload is %v, expected at least %v, or 0 for never", c.Reload, hosting.LeastReload)
	}
	limits, err := c.Limits.Limits().WithDefaults()
	if err != nil {
		return errcode.AsUsage(err)
	}
	c.Limits.Fill(limits)
	c.Judge.FillDefaults()
	return nil
}
