package server

import (
	"crypto/tls"
	"log/slog"
	"maps"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf/identity"
)

// Renew takes over who may call, the files of certificates, the limits of callers and the timeouts
// of o, for calls that come from now on. Nothing else of o counts. What [Catalogue.Renew] does is
// the other half of a new configuration. After an error everything is as before: InvalidArgument
// for options that are wrong, FailedPrecondition for those that would need another listener, would
// let others in than is safe, or would protect less than before.
func (s *Server) Renew(o *Options) error {
	limits := s.limits
	limits.Caller, limits.Callers = o.Limits.Caller, o.Limits.Callers
	limits, err := limits.withDefaults()
	if err != nil {
		return err
	}
	if err := checkTimeouts(o.Timeouts); err != nil {
		return err
	}
	around := o.Env
	around.Changed = s.secretsChanged
	var ports [2]port
	lives := [...]*livePort{&s.grpcPort, &s.httpPort}
	for i, who := range [...]identity.Config{o.GRPC, o.HTTP} {
		was := lives[i].Load()
		p, err := newPort(was.name, who, o.TLS, around)
		if err != nil {
			return err
		}
		if (p.tls == nil) != (was.tls == nil) {
			return errcode.New(errcode.FailedPrecondition, "%s: TLS cannot be switched on or off without a restart", p.name)
		}
		if err := p.guard.Replaces(was.guard); err != nil {
			return errcode.New(errcode.Of(err), "%s: %w", p.name, err)
		}
		if p.addr = was.addr; p.addr != nil {
			if err := p.allowAddr(p.addr, s.plaintext); err != nil {
				return err
			}
		}
		ports[i] = p
	}
	for i, live := range lives {
		if was := live.Load(); was.String() != ports[i].String() {
			s.log.Info("callers changed", slog.String("listener", was.name), slog.String("callers", ports[i].String()))
		}
		live.Store(&ports[i])
	}
	s.admission.renew(limits)
	timeouts := maps.Clone(o.Timeouts)
	s.timeouts.Store(&timeouts)
	return nil
}

// renew replaces the limits of callers. Calls in flight count against those they began under.
func (a *admission) renew(l Limits) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.limits.Caller, a.limits.Callers = l.Caller, l.Callers
	for name, q := range a.callers {
		if q.limits != l.of(name) {
			delete(a.callers, name)
		}
	}
}

// tlsConfig is the listener's for as long as the server runs: each connection asks the port that
// counts then.
func (l *livePort) tlsConfig() *tls.Config {
	p := l.Load()
	if p.tls == nil {
		return nil
	}
	c := p.tls.Clone()
	c.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		now := l.Load().tls
		if now.GetConfigForClient != nil {
			return now.GetConfigForClient(hello)
		}
		return now, nil
	}
	c.GetCertificate = func(hello *tls.ClientHelloInfo) (*tls.Certificate,
		error) {
		return l.Load().tls.GetCertificate(hello)
	}
	return c
}
