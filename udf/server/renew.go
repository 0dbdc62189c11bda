package server

import (
	"crypto/tls"
	"log/slog"
	"maps"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf/identity"
)

// Renew replaces, for later calls, the authentication, the TLS files, the limits of callers, the timeouts and
// NullRows by those of o. Other fields of o are ignored; [Catalogue.Renew] replaces the functions. After an error
// nothing is changed. It is InvalidArgument for invalid options, and FailedPrecondition for options that need a
// restart or reduce the protection.
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
	s.lateRows.Store(o.NullRows)
	return nil
}

// renew replaces the limits of callers. Calls in flight count against the old limits.
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

// tlsConfig returns a TLS configuration that uses the current port for each new connection, or nil without TLS.
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
