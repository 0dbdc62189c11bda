package identity

import (
	"net/http"
	"net/textproto"
	"strings"
)

// identityHeaders are the headers, in lower case, by which some platform or proxy names or authenticates a user. A
// name that ends in - is a prefix.
var identityHeaders = []string{
	"sf-context-",                                                 // Snowflake
	"x-forwarded-user", "x-forwarded-email", "x-forwarded-groups", // Databricks, oauth2-proxy
	"x-forwarded-preferred-username", "x-forwarded-access-token",
	"x-auth-request-",                           // oauth2-proxy
	"x-goog-authenticated-user-", "x-goog-iap-", // Google
	"x-serverless-authorization",                           // Cloud Run
	"x-endpoint-api-userinfo", "x-apigateway-api-userinfo", // Google's API Gateway
	"x-ms-client-principal", "x-ms-client-principal-", "x-ms-token-", // Azure
	"x-amzn-oidc-", // Amazon's load balancer
	"remote-user", "x-remote-user", "x-remote-group", "x-webauth-user", "x-real-user",
	"tailscale-user-", "cf-access-",
}

// secretHeaders contain credentials and are removed after authentication. In lower case.
var secretHeaders = []string{"authorization", "x-badger-token", "proxy-authorization"}

func isIdentityHeader(lower string) bool {
	for _, n := range identityHeaders {
		if lower == n || n[len(n)-1] == '-' && strings.HasPrefix(lower, n) {
			return true
		}
	}
	return false
}

// Strip deletes from h the identity headers that the mode does not use, and the headers with the caller's secret.
// Handlers get the caller from [From]. Names may be in any case; h may be HTTP headers or gRPC metadata.
func (g *Guard) Strip(h map[string][]string) {
	for name := range h {
		lower := strings.ToLower(name)
		if g.own(lower) {
			continue
		}
		for _, s := range secretHeaders {
			if lower == s {
				delete(h, name)
			}
		}
		if isIdentityHeader(lower) {
			delete(h, name)
		}
	}
}

// canonical returns a header's name in canonical form, or "" if it has a character other than letters, digits and
// dashes.
func canonical(name string) string {
	for _, r := range name {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-') {
			return ""
		}
	}
	return http.CanonicalHeaderKey(textproto.TrimString(name))
}
