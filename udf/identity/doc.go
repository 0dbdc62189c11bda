// Package identity finds who calls a listener and what they may do.
//
// Each listener has one [Mode]: a token, a client certificate, an OpenID Connect token, a platform
// that authenticates in front of the server, or a proxy that does. [New] makes a [Guard] of a
// [Config]; [Guard.Identify] finds the [Caller] of a [Request], which may come by HTTP or gRPC. A
// header that names a user counts only in the mode it belongs to; [Guard.Strip] removes the others.
//
// Files of secrets are read again within a second of a change. While one cannot be read, it admits no caller, and
// the error is Unavailable.
//
// Signatures are verified by go-jose, which is maintained, small (it depends only on the standard library) and
// takes the list of algorithms from its caller. coreos/go-oidc was the alternative: it keeps a key until the
// provider shows a token with another one, so that a withdrawn key remains valid, it has no setting for clock skew,
// and it needs golang.org/x/oauth2.
package identity
