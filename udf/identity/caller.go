package identity

import (
	"context"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Role is a permission of a caller.
type Role string

// The roles. Admin includes all others; Label and Submit include Read.
const (
	Call   Role = "call"   // call scoring functions and list them
	Read   Role = "read"   // view results
	Label  Role = "label"  // write labels
	Submit Role = "submit" // submit runs
	Admin  Role = "admin"  // administer the server; includes all other roles
)

// Roles lists all roles.
var Roles = []Role{Call, Read, Label, Submit, Admin}

// Caller is the sender of a request.
type Caller struct {
	Name  string // from the token, certificate or platform, in visible ASCII; empty in mode local
	Roles []Role // must not be modified
}

// May reports whether the caller has a role, or one that includes it.
func (c Caller) May(r Role) bool {
	for _, have := range c.Roles {
		if have == r || have == Admin || (have == Label || have == Submit) && r == Read {
			return true
		}
	}
	return false
}

// Demand returns nil if the caller has the role, or else a PermissionDenied error that names the role.
func (c Caller) Demand(r Role) error {
	if c.May(r) {
		return nil
	}
	return errcode.New(errcode.PermissionDenied, "the caller lacks the role %s", r)
}

type callerKey struct{}

// With returns ctx with the caller c of a request.
func With(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// From returns the caller of the request that ctx belongs to; ok is false if ctx does not belong to a request.
func From(ctx context.Context) (c Caller, ok bool) {
	c, ok = ctx.Value(callerKey{}).(Caller)
	return c, ok
}

// parseRoles converts names to roles. Its error names key, the setting that has the unknown role.
func parseRoles(key string, names []string) ([]Role, error) {
	roles := []Role{}
	for _, n := range names {
		if !slices.Contains(Roles, Role(n)) {
			return nil, errcode.New(errcode.InvalidArgument, "%s: unknown role %.40q; expected call, read, label, submit or admin", key, n)
		}
		roles = append(roles, Role(n))
	}
	return roles, nil
}

// maxName is the maximum length of a caller's name in bytes, after [Clean].
const maxName = 160

// Clean returns a name from outside in a form for logs and tables: visible ASCII without quotes. It escapes other
// bytes as a percent sign and two hexadecimal digits, so that different names remain different.
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
