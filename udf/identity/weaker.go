package identity

import (
	"slices"

	"github.com/badger-eval/badger/internal/errcode"
)

// strength ranks the modes: 0 is no authentication, 1 is authentication in front of the server, 2 is authentication
// by the server.
var strength = map[Mode]int{Local: 0, Platform: 1, Proxy: 1, Token: 2, MTLS: 2, OIDC: 2}

// Replaces returns an error if g must not replace the guard was of a running server, because a restriction of was
// would be lost, such as by a truncated file. The error is FailedPrecondition and names the restriction. The lists of
// callers, and the roles of listed callers, may change.
func (g *Guard) Replaces(was *Guard) error {
	lost := func(what string) error {
		return errcode.New(errcode.FailedPrecondition,
			"%s: a reload cannot weaken the protection of a running server; restart it", what)
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

// restriction is a setting that restricts callers, and that admits all callers if it is empty.
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

// includes reports whether a caller with roles has all of the other roles.
func includes(roles, others []Role) bool {
	have := Caller{Roles: roles}
	return !slices.ContainsFunc(others, func(r Role) bool { return !have.May(r) })
}
