package identity

import (
	"context"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Role is something that a caller may do.
type Role string

// The roles. Admin includes all others, and Label includes Read.
const (
	Call  Role = "call"  // call functions and list them
	Read  Role = "read"  // look at results
	Label Role = "label" // write labels
	Admin Role = "admin" // change what the server does
)

// Roles lists all roles.
var Roles = []Role{Call, Read, Label, Admin}

// Caller is who sent a request.
type Caller struct {
	Name  string // of the token, certificate or user, in visible ASCII; empty for a user of this machine
	Roles []Role // not to be changed
}

// May reports whether the caller has a role, or one that includes it.
func (c Caller) May(r Role) bool {
	for _, have := range c.Roles {
		if have == r || have == Admin || have == Label && r == Read {
			return true
		}
	}
	return false
}

// Demand is the error of a caller that lacks a role, PermissionDenied, or nil.
func (c Caller) Demand(r Role) error {
	if c.May(r) {
		return nil
	}
	return errcode.New(errcode.PermissionDenied, "the caller lacks the role %s", r)
}

type callerKey struct{}

// With is ctx of a request that c sent.
func With(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// From is who sent the request that ctx belongs to; ok is false if ctx belongs to none.
func From(ctx context.Context) (c Caller, ok bool) {
	c, ok = ctx.Value(callerKey{}).(Caller)
	return c, ok
}

// parseRoles checks the names of roles.
func parseRoles(key string, names []string) ([]Role, error) {
	roles := []Role{}
	for _, n := range names {
		if !slices.Contains(Roles, Role(n)) {
			return nil, errcode.New(errcode.InvalidArgument, "%s: unknown role %.40q; expected call, read, label or admin",
				key, n)
		}
		roles = append(roles, Role(n))
	}
	return roles, nil
}

// maxName is how long a name may be, after [Clean].
const maxName = 160

// Clean returns a name from outside in the form of logs and tables: visible ASCII without quotes. Other bytes are
// written as percent signs and hexadecimal digits, so that two names never become equal.
func Clean(s string) string {
	plain := func(b byte) bool { return b > ' ' && b <= '~' && b != '"' && b != '\\' && b != '%' }
	for i := range len(s) {
		if plain(s[i]) {
			continue
		}
		var b strings.Builder
		for i := range len(s) {
			if plain(s[i]) {
				b.WriteByte(s[i])
				continue
			}
			const hex = "0123456789ABCDEF"
			b.Write([]byte{'%', hex[s[i]>>4], hex[s[i]&15]})
		}
		return b.String()
	}
	return s
}
