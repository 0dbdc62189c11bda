// Package webheaders sets the headers that keep a browser from interpreting a response in an unintended way. Every
// HTTP server of the module sets them on every response, including those that net/http creates itself, such as a
// redirection to a clean path.
package webheaders

import "net/http"

// strict holds the headers of a response unless its handler overrides them. The values are shared; their capacity
// equals their length, so that appending to one copies it.
var strict = map[string][]string{
	"Content-Security-Policy": {"default-src 'none'; frame-ancestors 'none'"},
	"X-Content-Type-Options":  {"nosniff"},
	// with no-referrer, browsers send the forms of our own pages with the origin null
	"Referrer-Policy":              {"same-origin"},
	"Cross-Origin-Opener-Policy":   {"same-origin"},
	"Cross-Origin-Resource-Policy": {"same-origin"},
	"Cache-Control":                {"no-store"},
}

// Strict makes the server set the headers on every response before it calls its handler, which may replace them. It
// returns server. OPTIONS * also goes to the handler. Strict must wrap all other handlers.
func Strict(server *http.Server) *http.Server {
	server.DisableGeneralOptionsHandler = true // net/http would answer it before any handler
	next := server.Handler
	server.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		Set(rw.Header())
		next.ServeHTTP(rw, r)
	})
	return server
}

// Set sets the headers of strict in h.
func Set(h http.Header) {
	for name, value := range strict {
		h[name] = value
	}
}
