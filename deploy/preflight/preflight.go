// Package preflight checks the environment of badger serve from the inside, and lists the hosts that badger contacts.
// Package deploy writes the files that create such an environment; [Examine] reports whether it works. Reports never
// show the path or the content of a secret. [Hosts] derives the hosts from a configuration, for users (badger doctor
// --deployment, docs/reference/residency.md) and for generated network rules.
package preflight

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/badger-eval/badger/connectors/doctor"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/hosting"
	"github.com/badger-eval/badger/internal/judging"
	"github.com/badger-eval/badger/internal/telemetry"
	"github.com/badger-eval/badger/judgebackend"
	"github.com/badger-eval/badger/sql/store"
	"github.com/badger-eval/badger/udf/identity"
)

// Config is the part of badger serve's configuration that concerns its environment.
type Config struct {
	Listen    hosting.Listen
	TLS       TLS
	Auth      hosting.Auth
	Judge     judging.Config
	Traces    telemetry.TracesConfig
	Warehouse string // results.warehouse; "": none
}

// TLS holds the paths of the server's certificate and key, and of the CA for client certificates.
type TLS struct{ Cert, Key, ClientCA string }

// Options configure the checks.
type Options struct {
	// Open opens the warehouse for checks. Existing opens it for writing to the cache of judge replies, and does not
	// create a missing database.
	Open     func(ctx context.Context, readOnly bool) (*store.Store, error)
	Existing func(ctx context.Context) (*store.Store, error)
	Judged   judging.Env // dependencies of the judge: environment, clock, and how to open warehouses
	ReadOnly bool        // write nothing
}

// deployment is an examination of an environment: its options and its report so far.
type deployment struct {
	getenv func(string) string
	now    func() time.Time
	config Config
	how    Options
	report doctor.Report
	files  map[string]string // files that the configuration names, by key
	asks   bool              // a judge is configured that takes calls, not only cached or recorded replies
}

func (d *deployment) ok(name, format string, args ...any) {
	d.report.Add(doctor.Check{Name: name, Status: doctor.OK, Detail: fmt.Sprintf(format, args...)})
}

func (d *deployment) skip(name, format string, args ...any) {
	d.report.Add(doctor.Check{Name: name, Status: doctor.Skipped, Detail: fmt.Sprintf(format, args...)})
}

func (d *deployment) warn(name, fix, format string, args ...any) {
	d.report.Add(doctor.Check{Name: name, Status: doctor.Warning, Detail: fmt.Sprintf(format, args...), Fix: fix})
}

func (d *deployment) fail(name string, err error, fix string) {
	d.report.Add(doctor.Failure(name, err, fix))
}

// Examine checks the environment of badger serve from the inside: authentication, secret files, the warehouse, the
// cache of judge replies, the judge (with a request for one word), clocks, egress and limits. Each problem is a check
// with status failed or warning.
func Examine(ctx context.Context, c Config, o Options) doctor.Report {
	name, _, _ := strings.Cut(c.Judge.Backend, ":")
	d := &deployment{getenv: o.Judged.Getenv, now: o.Judged.Now, config: c, how: o,
		asks: c.Judge.Asked() && !c.Judge.Offline && name != "replay"}
	d.report.OK = true
	d.identity()
	d.secretFiles()
	var warehouse doctor.Report
	if c.Warehouse == "" {
		d.skip("warehouse", "no warehouse configured (results.warehouse)")
	} else {
		warehouse = doctor.Examine(ctx, doctor.Options{ReadOnly: o.ReadOnly, Now: d.now, Open: o.Open})
		for i := range warehouse.Checks {
			warehouse.Checks[i].Name = "warehouse: " + warehouse.Checks[i].Name
		}
		d.report.Dialect = warehouse.Dialect
		d.report.Add(warehouse.Checks...)
	}
	d.ledger(ctx, o.ReadOnly, warehouse)
	d.judge(ctx, warehouse.OK)
	d.egress(ctx)
	d.temporary(o.ReadOnly)
	d.report.Add(machine(d.getenv)...)
	return d.report
}

// identity creates the authentication of both listeners as the server does. That fails if the platform of a platform
// mode is not detected, or if a secret file is missing.
func (d *deployment) identity() {
	byGRPC, byHTTP, err := d.config.Auth.Listeners(d.config.TLS.ClientCA)
	if err != nil {
		d.fail("identity", err, "put auth in the configuration right; badger serve --check shows all of it")
		return
	}
	for _, l := range []struct {
		name, addr string
		of         identity.Config
	}{{"gRPC", d.config.Listen.GRPC, byGRPC}, {"HTTP", d.config.Listen.HTTP, byHTTP}} {
		name := "identity: " + l.name
		guard, err := identity.New(l.of, identity.Env{Getenv: d.getenv, Now: d.now})
		switch {
		case errcode.Of(err) == errcode.FailedPrecondition:
			d.fail(name, err, "run this inside the container, or configure the mode of the platform that it runs on")
		case err != nil:
			d.fail(name, err, "put auth in the configuration right, or mount the file that it names")
		default:
			d.ok(name, "%s: %s", l.addr, guard)
		}
	}
}

// secretFiles checks the files that the configuration names, without showing their content.
func (d *deployment) secretFiles() {
	c := d.config
	d.files = map[string]string{
		"auth.token_file": c.Auth.TokenFile, "auth.client_ca": c.Auth.ClientCAFile, "tls.cert": c.TLS.Cert,
		"tls.key": c.TLS.Key, "tls.client_ca": c.TLS.ClientCA,
		"judge.key_file": c.Judge.KeyFile, "judge.ca_file": c.Judge.CAFile, "traces.headers_file": c.Traces.HeadersFile,
		"traces.ca_file": c.Traces.CAFile,
	}
	for key, of := range map[string]*identity.Config{"auth.grpc": c.Auth.GRPC, "auth.http": c.Auth.HTTP} {
		if of != nil {
			d.files[key+".token_file"], d.files[key+".client_ca"] = of.TokenFile, of.ClientCAFile
		}
	}
	for key, where := range map[string]string{"results.warehouse": c.Warehouse, "judge.warehouse": c.Judge.Warehouse} {
		_, query, _ := strings.Cut(where, "?")
		options, _ := url.ParseQuery(query)
		for option := range options {
			if strings.HasSuffix(option, "_file") || strings.HasPrefix(option, "ssl") && filepath.IsAbs(options.Get(option)) {
				d.files[key+" "+option] = options.Get(option)
			}
		}
	}
	if d.getenv("SNOWFLAKE_HOST") != "" {
		const token = "/snowflake/session/token"
		if _, err := os.Stat(token); err == nil {
			d.files["the container's token"] = token
		}
	}
	seen := 0
	for _, key := range slices.Sorted(maps.Keys(d.files)) {
		if path := d.files[key]; path != "" {
			d.file(key, path)
			seen++
		}
	}
	if seen == 0 {
		d.skip("files of secrets", "the configuration names none")
	}
}

// rewritten is the age above which a platform's token file gives a warning: Snowflake rewrites it every few minutes,
// and a token is valid for an hour.
const rewritten = time.Hour

func (d *deployment) file(key, path string) {
	name := "file: " + key
	info, err := os.Stat(path)
	var f *os.File
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err == nil {
		f, err = os.Open(path) //nolint:gosec // the configuration names it
	}
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err // without the path
		}
		d.fail(name, errcode.New(errcode.FailedPrecondition, "%q: %w", filepath.Base(path), err),
			fmt.Sprintf("mount it, readable for user %d", os.Getuid()))
		return
	}
	_ = f.Close()
	age := max(0, d.now().Sub(info.ModTime())).Round(time.Second)
	switch {
	case info.Size() == 0:
		d.fail(name, errcode.New(errcode.FailedPrecondition, "%q is empty", filepath.Base(path)), "put the secret into it")
	case key == "the container's token" && age > rewritten:
		d.warn(name, "the platform rewrites it while the service runs; restart the service if it does not",
			"%q was last written %s ago", filepath.Base(path), age)
	default:
		d.ok(name, "%q can be read; last written %s ago", filepath.Base(path), age)
	}
}

// ledger checks where judge replies are cached and, if that is the warehouse, writes a row there as badger serve does.
// It writes nothing if only (read-only) is set.
func (d *deployment) ledger(ctx context.Context, only bool, examined doctor.Report) {
	const name = "ledger"
	keeps := d.config.Judge.KeepsInWarehouse()
	switch where := d.config.Judge.Ledger; {
	case !d.config.Judge.Asked():
		d.skip(name, "no judge configured")
		return
	case !keeps && where == "none":
		d.warn(name, "leave judge.ledger out", "none: repeated judge calls cost money")
		return
	case !keeps || d.config.Warehouse == "":
		if where == "" || where == "warehouse" {
			d.warn(name, "name results.warehouse, so that answers outlast the process and replicas share them",
				"answers are kept in memory")
		} else {
			d.warn(name, "in a container, keep it in the warehouse: leave judge.ledger out", "file %q; replicas do not share it",
				filepath.Base(where))
		}
		return
	case only:
		d.skip(name, "not checked in read-only mode")
		return
	case !examined.OK:
		d.skip(name, "not tried")
		return
	}
	w, err := d.how.Existing(ctx)
	if err == nil {
		defer w.Close() //nolint:errcheck // nothing is left to be written
		if !slices.ContainsFunc(examined.Checks,
			func(c doctor.Check) bool { return c.Name == "warehouse: writing to them" && c.Status == doctor.OK }) {
			d.skip(name, "badger's tables do not exist yet; the first start creates them")
			return
		}
		err = w.TryCalls(ctx, "doctor-"+strings.ToLower(rand.Text()), d.now())
	}
	if err != nil {
		d.fail(name, err, "let the role select, insert, update and delete in the tables of schema badger")
		return
	}
	d.ok(name, "a row was written to badger.calls, answered, read and deleted")
}

// judge requests one word from the configured judge, and compares this machine's clock with that of the judge's host.
func (d *deployment) judge(ctx context.Context, warehouse bool) {
	const name = "judge"
	if !d.asks {
		d.skip(name, "no judge configured that can be called")
		return
	}
	const fix = "look at judge in the configuration: backend, base_url, key_file; and whether the network lets its host be reached"
	c := d.config.Judge
	c.Ledger, c.Audit = "none", ""
	c.CallerBudget.Tokens, c.CallerBudget.Money = 0, ""
	s := d.how.Judged
	s.Log = slog.New(slog.DiscardHandler)
	if d.config.Warehouse != "" && warehouse {
		w, err := d.how.Open(ctx, true)
		if err == nil {
			defer w.Close() //nolint:errcheck // only read
			s.Scores = w
		}
	}
	j, err := c.Open(ctx, s)
	if err != nil {
		d.fail(name, err, fix)
		return
	}
	defer j.Close() //nolint:errcheck // no ledger, no audit
	start := d.now()
	answer, err := j.First().Complete(ctx, judgebackend.Request{
		Purpose: "doctor", PromptVersion: "v1", MaxTokens: 64,
		Messages: []judgebackend.Message{{Role: judgebackend.User, Content: "Answer with one word: yes."}},
	})
	took := d.now().Sub(start).Round(time.Millisecond)
	switch {
	case err != nil && judgebackend.KindOf(err) == judgebackend.KindLength: // it thinks longer than that
		d.ok(name, "%s answers, in %s", j.Name(), took)
	case err != nil:
		d.fail(name, err, fix)
	case !strings.Contains(strings.ToLower(answer.Reply), "yes"):
		d.warn(name, "is this the model that was meant?", "%s answers, in %s, but not with the word that it was asked for",
			j.Name(), took)
	default:
		d.ok(name, "%s answers, in %s", j.Name(), took)
	}
	d.judgeClock(ctx)
}

// judgeClock compares this machine's clock with the Date header of a reply of the judge's host. The request contains no
// key and no prompt.
func (d *deployment) judgeClock(ctx context.Context) {
	const name = "clock: judge"
	c := d.config.Judge
	at, err := d.how.Judged.Providers.Address(c.Backend, c.BaseURL)
	if err != nil || at == nil {
		return // it is in the warehouse, whose clock was examined
	}
	var proxy *url.URL
	if c.Proxy != "" {
		if proxy, err = url.Parse(c.Proxy); err != nil {
			return // reported before
		}
	}
	transport := driver.Transport(proxy)
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		pool := x509.NewCertPool()
		if err != nil || !pool.AppendCertsFromPEM(pem) {
			return // reported before
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	client := http.Client{Transport: transport, Timeout: 10 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, at.String(), nil)
	if err != nil {
		return
	}
	before := d.now()
	response, err := client.Do(request)
	after := d.now()
	if err != nil {
		d.skip(name, "the judge's host does not answer")
		return
	}
	_ = response.Body.Close()
	theirs, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		d.skip(name, "the judge's host sends no Date header")
		return
	}
	off := apart(theirs, before, after)
	if off > doctor.ClockTolerance {
		d.warn(name, "set this machine's clock by NTP: keys and tokens are refused when it is wrong",
			"the judge's host differs by %s", off.Round(time.Second))
		return
	}
	d.ok(name, "differs by less than %s", max(off, after.Sub(before), time.Second).Round(time.Second)+time.Second)
}

// apart returns the distance of a time that is cut to seconds from the span between before and after; 0 if it is
// inside.
func apart(told, before, after time.Time) time.Duration {
	switch {
	case told.Add(time.Second).Before(before):
		return before.Sub(told.Add(time.Second))
	case told.After(after):
		return told.Sub(after)
	}
	return 0
}

// Unassigned addresses: reserved for documentation by RFC 5737 and RFC 3849.
var nobody = []string{"192.0.2.1:443", "198.51.100.1:80", "203.0.113.1:53", "[2001:db8::1]:443"}

// nobodysName is a host name that never exists, by RFC 6761.
const nobodysName = "badger-doctor.invalid"

// egressTime is the timeout for connections to unassigned addresses.
const egressTime = 3 * time.Second

// egress connects to addresses and looks up a name that do not exist, and warns if one answers. It does not try real
// hosts, because badger must not contact hosts that are not configured.
func (d *deployment) egress(ctx context.Context) {
	var set []string
	for _, v := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		if d.getenv(v) != "" {
			set = append(set, v)
		}
	}
	if len(set) > 0 {
		d.warn("egress: proxies", "name the proxy where it is needed: proxy=… in the warehouse's URL, judge.proxy",
			"set, and not used: %s", strings.Join(set, ", "))
	}
	ctx, cancel := context.WithTimeout(ctx, egressTime)
	defer cancel()
	outcomes := make([]string, len(nobody))
	var name string
	var wait sync.WaitGroup
	for i, address := range nobody {
		wait.Go(func() { outcomes[i] = knock(ctx, address) })
	}
	wait.Go(func() {
		var missing *net.DNSError
		switch _, err := net.DefaultResolver.LookupHost(ctx, nobodysName); {
		case err == nil:
			name = answered
		case errors.As(err, &missing) && missing.IsNotFound:
			name = "does not exist"
		default:
			name = "cannot be looked up"
		}
	})
	wait.Wait()
	counts := map[string]int{}
	for _, o := range outcomes {
		counts[o]++
	}
	said := fmt.Sprintf(
		"of %d addresses reserved for documentation %d refused immediately, %d did not answer, %d answered; the name %s %s",
		len(nobody), counts[refused], counts[silent], counts[answered], nobodysName, name)
	const fix = "something between answers for hosts that do not exist, such as a transparent proxy or a name server that knows every name: it sees what badger sends, and TLS is what protects it"
	if counts[answered] > 0 || name == answered {
		d.warn("egress", fix, "%s", said)
		return
	}
	if route, known := defaultRoute(); known && !route {
		d.ok("egress", "closed: this machine has no default route; %s", said)
		return
	}
	d.ok("egress", "%s. This shows that nothing here answers for unknown hosts; whether rules keep real ones away only the network's rules show", said)
}

// Results of knock.
const (
	answered = "answered"
	refused  = "refused"
	silent   = "silent"
)

func knock(ctx context.Context, address string) string {
	var dialer net.Dialer
	c, err := dialer.DialContext(ctx, "tcp", address)
	switch {
	case err == nil:
		_ = c.Close()
		return answered
	case ctx.Err() != nil:
		return silent
	}
	return refused
}

// temporary checks whether a file can be written to the temporary folder, which holds results that do not fit into
// memory. If only (read-only) is set, it checks only that the folder exists.
func (d *deployment) temporary(only bool) {
	const name = "temporary folder"
	dir := os.TempDir()
	const fix = "mount a writable folder there, or name another with TMPDIR"
	if only {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			err = errors.New("not a folder")
		}
		if err != nil {
			d.fail(name, errcode.New(errcode.FailedPrecondition, "%s: %w", dir, err), fix)
			return
		}
		d.skip(name, "%s exists; writing is not checked in read-only mode", dir)
		return
	}
	f, err := os.CreateTemp(dir, "badger-doctor-")
	if err == nil {
		_, err = f.Write(make([]byte, 4096))
		err = cmp.Or(err, f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		d.fail(name, errcode.New(errcode.FailedPrecondition, "%s: nothing can be written there: %w", dir, err), fix)
		return
	}
	if free, known := freeBytes(dir); known {
		const little = 512 << 20
		if free < little {
			d.warn(name, "results that do not fit the memory go there: give it more room", "%s has %s left", dir,
				mebibytes(free))
			return
		}
		d.ok(name, "%s can be written; %s left", dir, mebibytes(free))
		return
	}
	d.ok(name, "%s can be written", dir)
}

func mebibytes(n uint64) string { return fmt.Sprintf("%d MiB", n>>20) }
