package install

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/doctor"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/printable"
)

// Examine checks an installation for badger doctor: whether the server that the functions call responds, and whether
// functions, roles and grants are as planned. If open fails, that is a failed check. Otherwise end, which open
// returned, is called last.
func (p *Plan) Examine(ctx context.Context, open func() (db Database, end func(), err error)) []doctor.Check {
	checks := []doctor.Check{p.endpoint(ctx)}
	failed := func(err error) []doctor.Check {
		return append(checks, doctor.Failure("functions", err,
			"let the role see the functions, views, roles and grants of schema "+p.SchemaName()))
	}
	db, end, err := open()
	if err != nil {
		return failed(err)
	}
	defer end()
	diff, err := p.Diff(ctx, db)
	if err != nil {
		return failed(err)
	}
	return append(checks, diff.check("functions", "function", "service"),
		diff.check("roles, grants", "role", "grant", "key", "job"))
}

// check returns the check for the parts of the comparison that are of some kinds: OK if none differs.
func (c *Comparison) check(name string, kinds ...string) doctor.Check {
	var same, wrong, others []string
	for _, what := range kinds {
		if n, ok := c.Same[what]; ok {
			same = append(same, printable.Count(n, what))
		}
		for _, l := range c.Lines {
			if l.What == what && !l.Fine {
				wrong = append(wrong, l.State+" "+l.Name)
				if l.Fix == "" {
					others = append(others, l.Name+": "+l.Why)
				}
			}
		}
	}
	check := doctor.Check{Name: name, Status: doctor.OK, Detail: strings.Join(same, ", ") + ", as this version has them"}
	switch {
	case len(wrong) > 0:
		n := min(3, len(wrong))
		check.Status, check.Detail = doctor.Failed, strings.Join(wrong[:n], "; ")
		if n < len(wrong) {
			check.Detail += fmt.Sprintf("; and %d more", len(wrong)-n)
		}
		check.Fix = "badger install --diff shows all of them, --apply puts them right"
		if len(others) > 0 {
			check.Fix += ", but for " + strings.Join(others, "; ")
		}
	case len(same) == 0:
		check.Status, check.Detail = doctor.Skipped, c.warehouse+" has none, or does not show them"
	}
	return check
}

// endpoint checks that the server that the functions call responds to /healthz.
func (p *Plan) endpoint(ctx context.Context) doctor.Check {
	check := doctor.Check{Name: "endpoint", Status: doctor.Skipped,
		Detail: "the functions call none that could be asked from here"}
	url := p.Values.Endpoint
	if url == "" || p.Via.Name == "flight" { // flight uses gRPC
		return check
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/healthz", nil)
	if err != nil {
		check.Status, check.Detail, check.Fix = doctor.Failed, "the endpoint is not a URL", "correct endpoint in the values"
		return check
	}
	transport := driver.Transport(nil)
	defer transport.CloseIdleConnections()
	if p.ca != "" {
		authorities := x509.NewCertPool()
		authorities.AppendCertsFromPEM([]byte(p.ca))
		transport.TLSClientConfig = &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12}
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		check.Status, check.Detail = doctor.Warning, "no response from "+url+" to this machine"
		check.Fix = "is badger serve running there? Where only the warehouse reaches it, call badger_echo from SQL instead"
		return check
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		check.Status, check.Detail = doctor.Warning, fmt.Sprintf("%s answers with HTTP status %d", url, response.StatusCode)
		check.Fix = "a gateway may not pass /healthz on: then call badger_echo from SQL; otherwise look at what listens there"
		return check
	}
	check.Status, check.Detail = doctor.OK, url+" answers"
	return check
}
