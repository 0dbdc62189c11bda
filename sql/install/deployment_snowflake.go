package install

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/sql/store"

	"github.com/badger-eval/badger/deploy/service"
	"github.com/badger-eval/badger/internal/errcode"
)

// What the service is made of, whatever the values.
const (
	apiPort    = 8080
	publicPort = 8081
	grpcPort   = 7433 // on the loopback interface; both containers of an instance share it

	judgeSecretPath = "/secrets/judge"
	judgesPath      = "/judges"
	serviceUser     = 65532 // of the image

	defaultPoolSuspend = 600
	shortestSuspend    = 300 // that Snowflake takes for a service
)

var judgeFile = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// completeSPCS fills in and checks what a service in the account needs.
func (v *Values) completeSPCS(p *Plan) error {
	s := &v.Deploy.Snowflake
	bad := func(format string, args ...any) error {
		return errcode.New(errcode.InvalidArgument, "values: "+format, args...)
	}
	for _, f := range v.fields() {
		switch f.key { // Snowflake's manual allows no quoted names for these and for what they are in
		case "database", "schema", "service", "pool", "deploy.judge.secret", "deploy.snowflake.app.package", "deploy.snowflake.app.name":
			if *f.value != "" && p.dialect.Identifier(*f.value) != *f.value {
				return bad("%s is %.60q; Snowflake takes no quoted name there: expected letters of one case, digits and _, and no reserved word", f.key, *f.value)
			}
		}
	}
	if len(v.Service) > 63 {
		return bad("service has %d letters, expected at most 63: it becomes a name in the network", len(v.Service))
	}
	if strings.EqualFold(v.Deploy.Snowflake.App.Name, v.Deploy.Snowflake.App.Package) {
		return bad("deploy.snowflake.app: the package and the application are both called %.60q, and an account has one object of a name", s.App.Name)
	}
	var err error
	if v.Deploy.Image, err = p.imagePath("deploy.image", v.Deploy.Image); err != nil {
		return err
	}
	if s.Previous != "" {
		if s.Previous, err = p.imagePath("deploy.snowflake.previous", s.Previous); err != nil {
			return err
		}
		if s.Previous == v.Deploy.Image {
			return bad("deploy.snowflake.previous is deploy.image, expected the image of the version before")
		}
	}
	if s.Nodes == (service.Replicas{}) {
		s.Nodes = v.Deploy.Replicas
	}
	if s.Nodes.Max == 0 {
		s.Nodes.Max = s.Nodes.Min
	}
	if s.Nodes.Min < 1 || s.Nodes.Max < s.Nodes.Min {
		return bad("deploy.snowflake.nodes: min is %d and max is %d, expected min at least 1 and at most max", s.Nodes.Min, s.Nodes.Max)
	}
	if s.PoolSuspend == 0 {
		s.PoolSuspend = defaultPoolSuspend
	}
	if s.PoolSuspend < 1 || s.PoolSuspend > 7*24*3600 {
		return bad("deploy.snowflake.pool_suspend is %d, expected 1 to 604800 seconds, or 0 for %d", s.PoolSuspend, defaultPoolSuspend)
	}
	if s.Suspend != 0 && (s.Suspend < shortestSuspend || s.Suspend > 7*24*3600) {
		return bad("deploy.snowflake.suspend is %d, expected %d to 604800 seconds, or 0 for never", s.Suspend, shortestSuspend)
	}
	if s.Ready == 0 {
		s.Ready = 1
	}
	if s.Ready < 1 || s.Ready > v.Deploy.Replicas.Min {
		return bad("deploy.snowflake.ready is %d, expected 1 to deploy.replicas.min, which is %d", s.Ready, v.Deploy.Replicas.Min)
	}
	if err := v.Deploy.Judge.CompleteSPCS(); err != nil {
		return err
	}
	if r := &v.Deploy.Report; r.On() {
		if !s.Public {
			return bad("deploy.report: people reach the report by the public endpoint, and deploy.snowflake.public is false")
		}
		for _, people := range []*[]string{&r.Readers, &r.Annotators, &r.Admins} {
			stored := make([]string, len(*people))
			for i, name := range *people {
				stored[i] = p.folded(name)
			}
			*people = stored
		}
	}
	if w := v.Deploy.Warehouse; w != "" {
		if u, err := url.Parse(w); err != nil || u.Scheme != "snowflake" || u.User != nil {
			return bad("deploy.warehouse is no URL such as snowflake:///%s/%s?auth=container, without a user", v.Database, v.Schema)
		}
	}
	seen := map[string]bool{}
	for _, file := range v.Judges {
		name := filepath.Base(file)
		if !judgeFile.MatchString(name) || seen[name] {
			return bad("judges: %.60q, expected files of different names of letters, digits, _, . and -", name)
		}
		seen[name] = true
	}
	family, err := service.FindFamily(v.Instances)
	if err != nil {
		return bad("instances: %w", err)
	}
	spec, err := p.specification(v.Deploy.Image, false)
	if err != nil {
		return err
	}
	if err := spec.Check(family); err != nil {
		return bad("deploy: %w", err)
	}
	return nil
}

// imagePath is the path of an image: as it is, or in badger's own repository.
func (p *Plan) imagePath(key, image string) (string, error) {
	if image != "" && !strings.Contains(image, "/") {
		image = "/" + strings.ToLower(p.Values.Database+"/"+p.Values.Schema+"/"+imageRepository) + "/" + image
	}
	if image == "" {
		return "", errcode.New(errcode.InvalidArgument, "values: snowflake via spcs needs %s, such as %s: badger:1.0.0", key, key)
	}
	if err := service.CheckImage(image); err != nil {
		return "", errcode.New(errcode.InvalidArgument, "values: %s: %w; NAME:TAG alone means badger's own repository", key, err)
	}
	return image, nil
}

const imageRepository = "images"

// Outside reports whether the service asks a judge outside the account.
func (p *Plan) Outside() bool {
	b := p.Values.Deploy.Judge.Backend
	return b != "" && b != "cortex" && b != "none"
}

// Cortex reports whether the service asks Snowflake's own models.
func (p *Plan) Cortex() bool { return p.Values.Deploy.Judge.Backend == "cortex" }

// JudgeHost is the host and the port of the judge, as a network rule names them.
func (p *Plan) JudgeHost() string {
	u, err := url.Parse(p.Values.Deploy.Judge.URL)
	if err != nil {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = "443"
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// JudgeFiles are the names of the judge files, which the service reads from the stage judges.
func (p *Plan) JudgeFiles() (names []string) {
	for _, file := range p.Values.Judges {
		names = append(names, filepath.Base(file))
	}
	return names
}

// EgressName is the external access integration of the service. Integrations belong to the account,
// so that it has the names of the database, the schema and the service.
func (p *Plan) EgressName() string {
	return strings.ToLower(p.Values.Database + "_" + p.Values.Schema + "_" + p.Values.Service + "_judge")
}

// Specification is the service specification, in YAML.
func (p *Plan) Specification() (string, error) {
	return p.specificationText(p.Values.Deploy.Image, false)
}

// PreviousSpecification is the same with the image to go back to.
func (p *Plan) PreviousSpecification() (string, error) {
	return p.specificationText(p.Values.Deploy.Snowflake.Previous, false)
}

// AppSpecification is the specification inside a Native App, where the secret is a reference that
// the consumer binds, and Snowflake tells the service which database it is in.
func (p *Plan) AppSpecification() (string, error) {
	return p.specificationText(p.Values.Deploy.Image, true)
}

func (p *Plan) specificationText(image string, app bool) (string, error) {
	s, err := p.specification(image, app)
	if err != nil {
		return "", err
	}
	text, err := s.Marshal()
	return string(text), err
}

// specification returns the service specification. The whole configuration of badger serve is in variables, so that
// there is no file that could differ from the specification.
func (p *Plan) specification(image string, app bool) (*service.Specification, error) {
	v := &p.Values
	s := &service.Specification{}
	if app && v.Deploy.Report.On() && !p.HasTables() {
		return nil, errcode.New(errcode.InvalidArgument, "values: deploy.report: a Native App has tables to show in the schema %s alone, and schema is %.60q", store.Schema, v.Schema)
	}
	api := p.container("badger", image, apiPort, grpcPort, app)
	api.Env["BADGER_REPORT_OFF"] = "true" // there is no sign-in, and names are not believed
	s.Spec.Containers = []service.Container{api}
	s.Spec.Endpoints = []service.Endpoint{{Name: "api", Port: apiPort, Protocol: "HTTP"}}
	s.ServiceRoles = []service.ServiceRole{{Name: "caller", Endpoints: []string{"api"}}}
	if v.Deploy.Snowflake.Public {
		// A holder of the role caller may send any header to the endpoint api. Calls through the ingress have their
		// own server, so that user names set by the ingress can be trusted there.
		public := p.container("public", image, publicPort, grpcPort+2, app)
		maps.Copy(public.Env, v.Deploy.Report.Environment())
		s.Spec.Containers = append(s.Spec.Containers, public)
		s.Spec.Endpoints = append(s.Spec.Endpoints, service.Endpoint{Name: "ui", Port: publicPort, Protocol: "HTTP", Public: true})
		s.ServiceRoles = append(s.ServiceRoles, service.ServiceRole{Name: "viewer", Endpoints: []string{"ui"}})
	}
	s.Spec.Volumes = []service.Volume{{Name: "tmp", Source: "local"}}
	if len(v.Judges) > 0 {
		if app {
			return nil, errcode.New(errcode.InvalidArgument, "values: judges: a Native App has no stage that judge files could be on; promote them in the consumer's account")
		}
		id := serviceUser
		s.Spec.Volumes = append(s.Spec.Volumes, service.Volume{Name: "judges", Source: "@" + p.in("judges"), UID: &id, GID: &id})
	}
	s.Spec.LogExporters = &service.LogExporters{}
	s.Spec.LogExporters.EventTableConfig.LogLevel = v.Deploy.Snowflake.LogLevel
	return s, nil
}

// container is one badger serve.
func (p *Plan) container(name, image string, port, grpc int, app bool) service.Container {
	v := &p.Values
	d := &v.Deploy
	warehouse := d.Warehouse
	switch {
	case app:
		warehouse = "snowflake:///?auth=container"
	case warehouse == "":
		warehouse = "snowflake:///" + url.PathEscape(v.Database) + "/" + url.PathEscape(v.Schema) + "?auth=container"
	}
	judge := d.Judge.Backend
	if judge != "none" {
		judge += ":" + d.Judge.Model
	}
	c := service.Container{
		Name: name, Image: image, Args: []string{"serve"},
		Env: map[string]string{
			"BADGER_LISTEN_HTTP":        "0.0.0.0:" + strconv.Itoa(port),
			"BADGER_LISTEN_GRPC":        "127.0.0.1:" + strconv.Itoa(grpc),
			"BADGER_AUTH_GRPC_MODE":     "local",
			"BADGER_AUTH_HTTP_MODE":     "platform",
			"BADGER_AUTH_HTTP_PLATFORM": "spcs",
			"BADGER_TIMEOUTS":           "{snowflake: " + fmt.Sprint(inAccount.Budget) + "}",
			"BADGER_LIMITS_STOP_GRACE":  "25s", // Snowflake gives 30
			"BADGER_RESULTS_WAREHOUSE":  warehouse,
			"BADGER_JUDGE_BACKEND":      judge,
			"GOMEMLIMIT":                service.MemoryLimit(d.Memory),
		},
		ReadinessProbe: &service.Probe{Port: port, Path: "/readyz"},
		VolumeMounts:   []service.VolumeMount{{Name: "tmp", MountPath: "/tmp"}},
		Resources: &service.Resources{
			Requests: &service.Amounts{CPU: service.LeastCores(d.CPU), Memory: service.Quantity(d.Memory)},
			Limits:   &service.Amounts{CPU: service.Quantity(d.CPU), Memory: service.Quantity(d.Memory)},
		},
	}
	maps.Copy(c.Env, d.Results.Environment())
	if p.Outside() {
		secret := service.SecretName{ObjectName: p.in(d.Judge.Secret)}
		if app {
			secret = service.SecretName{ObjectReference: "judge_key"}
		}
		c.Secrets = []service.Secret{{SnowflakeSecret: secret, DirectoryPath: judgeSecretPath}}
		c.Env["BADGER_JUDGE_BASE_URL"] = d.Judge.URL
		c.Env["BADGER_JUDGE_KEY_FILE"] = judgeSecretPath + "/secret_string" // as Snowflake calls the file of a GENERIC_STRING
	}
	if len(v.Judges) > 0 {
		c.VolumeMounts = append(c.VolumeMounts, service.VolumeMount{Name: "judges", MountPath: judgesPath})
		var files []string
		for _, name := range p.JudgeFiles() {
			files = append(files, judgesPath+"/"+name)
		}
		c.Env["BADGER_JUDGES"] = strings.Join(files, ",")
	}
	return c
}
