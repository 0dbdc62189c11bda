// Package webheaders sets the headers that keep a browser from interpreting a response in an unintended way. Every
// HTTP server of the module sets them on every response, including those that net/http creates itself, such as a
// redirection to a clean path.
package webheaders

import "net/http"

// strict are the headers of a response unless its handler overrides them. The values are shared: their capacity is
// their length, so that adding to one copies it.
var strict = map[string][]string{
	"Content-Security-Policy": {"default-src 'none'; frame-ancestors 'none'"},
	"X-Content-Type-Options":  {"nosniff"},
	// with no-referrer, browsers send the forms of our own pages with the origin null
	"Referrer-Policy":              {"same-origin"},
	"Cross-Origin-Opener-Policy":   {"same-origin"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
	"Cache-Control":                {"no-store"},
}

// Strict sets the headers on every response of a server, and then lets next answer, which may replace
// them. It is the outermost handler of the server. OPTIONS * goes to next, too.
func Strict(server *http.Server) *http.Server {
	server.DisableGeneralOptionsHandler = true // net/http would answer it before any handler
	next := server.Handler
	server.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		Set(rw.Header())
		next.ServeHTTP(rw, r)
	})
	return server
}

// Set sets the headers.
func Set(h http.Header) {
	for name, value := range strict {
		h[name] = value
	}
}
