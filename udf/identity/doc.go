// Package identity authenticates the callers of a listener and determines their roles.
//
// Each listener has one [Mode]: a token, a client certificate, an OpenID Connect token, a platform that authenticates
// in front of the server, or a proxy that does. [New] returns a [Guard] for a [Config]; [Guard.Identify] returns the
// [Caller] of a [Request] over HTTP or gRPC. A header that names a user is only used in its mode; [Guard.Strip]
// removes the others.
//
// Files of secrets are reloaded within a second of a change. While one cannot be read, callers get an Unavailable
// error.
//
// Signatures are verified by go-jose, which is maintained, small (it depends only on the standard library) and
// takes the list of algorithms from its caller. coreos/go-oidc was the alternative: it keeps a key until the
// provider shows a token with another one, so that a withdrawn key remains valid, it has no setting for clock skew,
// and it needs golang.org/x/oauth2.
package identity
