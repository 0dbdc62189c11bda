package identity

import (
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
)

// strength orders the modes: no authentication; authentication in front of the server; authentication by the
// server.
var strength = map[Mode]int{Local: 0, Platform: 1, Proxy: 1, Token: 2, MTLS: 2, OIDC: 2}

// Replaces reports whether a guard may replace another one while the server runs, which never admits more callers
// because of a missing key: an empty, truncated or half-written file lacks some. FailedPrecondition names the
// restriction that would be lost. Listed callers and roles may change in any way.
func (g *Guard) Replaces(was *Guard) error {
	lost := func(what string) error {
		return errcode.New(errcode.FailedPrecondition,
			"%s: a running server is not protected less than before; restart it for that", what)
	}
	switch {
	case strength[g.mode] < strength[was.mode]:
		return lost("mode " + string(was.mode) + " would become " + string(g.mode))
	case was.ca != nil && g.ca == nil:
		return lost("client_ca would no longer be asked for")
	}
	if g.mode == was.mode {
		for _, r := range g.mode.restrictions() {
			if len(r.of(was.config)) > 0 && len(r.of(g.config)) == 0 {
				return lost(r.key + " would no longer restrict who may call")
			}
		}
	}
	if g.config.DefaultRoles == nil && was.config.DefaultRoles != nil && !includes(was.otherwise, g.otherwise) {
		return lost("default_roles would be missing, which gives more")
	}
	for name, roles := range was.roles {
		if _, ok := g.roles[name]; !ok && !includes(roles, g.otherwise) {
			return lost("roles." + name + " would be missing, and default_roles give more")
		}
	}
	return nil
}

// restriction is a list of a mode that admits all callers if it is empty.
type restriction struct {
	key string
	of  func(Config) []string
}

func (m Mode) restrictions() []restriction {
	switch m {
	case MTLS:
		return []restriction{{"subjects", func(c Config) []string { return c.Subjects }}}
	case Platform:
		return []restriction{{"emails", func(c Config) []string { return c.Emails }},
			{"audience", func(c Config) []string { return c.Audience }}}
	}
	return nil
}

// includes reports whether roles give all that others do.
func includes(roles, others []Role) bool {
	have := Caller{Roles: roles}
	return !slices.ContainsFunc(others, func(r Role) bool { return !have.May(r) })
}
