package service

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// Fixed parts of the service, independent of the values.
const (
	apiPort    = 8080
	publicPort = 8081
	grpcPort   = 7433 // on the loopback interface, which both containers of an instance share

	judgeSecretPath = "/secrets/judge"
	judgesPath      = "/judges"
	serviceUser     = 65532 // user ID in the image

	defaultPoolSuspend = 600
	shortestSuspend    = 300 // minimum of Snowflake for a service
)

var judgeFile = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// SPCSService is badger serve in Snowpark Container Services, with the names that its specification contains.
type SPCSService struct {
	Name, Database, Schema string
	Tables                 string        // the schema of badger's tables
	Pool, Instances        string        // the compute pool, and its instance family
	Judges                 []string      // paths of judge files
	Timeout                time.Duration // time limit of a call
	Deploy                 *Deployment
	Dialect                driver.Dialect // Snowflake's SQL dialect
}

// Complete sets missing values of the section to their defaults and returns an error for an invalid value.
func (s *SPCSService) Complete() error {
	d, values := s.Deploy, &s.Deploy.Snowflake
	bad := func(format string, args ...any) error {
		return errcode.New(errcode.InvalidArgument, "values: "+format, args...)
	}
	// Snowflake's manual allows no quoted names for these and for what they are in.
	for _, f := range []struct{ key, value string }{
		{"database", s.Database}, {"schema", s.Schema}, {"pool", s.Pool}, {"service", s.Name},
		{"deploy.judge.secret", d.Judge.Secret}, {"deploy.snowflake.app.package", values.App.Package},
		{"deploy.snowflake.app.name", values.App.Name},
	} {
		if f.value != "" && s.Dialect.Identifier(f.value) != f.value {
			return bad("%s is %.60q; Snowflake takes no quoted name there: expected letters of one case, digits and _, and no reserved word", f.key, f.value)
		}
	}
	if len(s.Name) > 63 {
		return bad("service has %d letters, expected at most 63: it becomes a name in the network", len(s.Name))
	}
	if strings.EqualFold(values.App.Name, values.App.Package) {
		return bad("deploy.snowflake.app: the package and the application are both called %.60q, and an account has one object of a name", values.App.Name)
	}
	var err error
	if d.Image, err = s.imagePath("deploy.image", d.Image); err != nil {
		return err
	}
	if values.Previous != "" {
		if values.Previous, err = s.imagePath("deploy.snowflake.previous", values.Previous); err != nil {
			return err
		}
		if values.Previous == d.Image {
			return bad("deploy.snowflake.previous is deploy.image, expected the image of the version before")
		}
	}
	if values.Nodes == (Replicas{}) {
		values.Nodes = d.Replicas
	}
	if values.Nodes.Max == 0 {
		values.Nodes.Max = values.Nodes.Min
	}
	if values.Nodes.Min < 1 || values.Nodes.Max < values.Nodes.Min {
		return bad("deploy.snowflake.nodes: min is %d and max is %d, expected min at least 1 and at most max",
			values.Nodes.Min, values.Nodes.Max)
	}
	if values.PoolSuspend == 0 {
		values.PoolSuspend = defaultPoolSuspend
	}
	if values.PoolSuspend < 1 || values.PoolSuspend > 7*24*3600 {
		return bad("deploy.snowflake.pool_suspend is %d, expected 1 to 604800 seconds, or 0 for %d", values.PoolSuspend,
			defaultPoolSuspend)
	}
	if values.Suspend != 0 && (values.Suspend < shortestSuspend || values.Suspend > 7*24*3600) {
		return bad("deploy.snowflake.suspend is %d, expected %d to 604800 seconds, or 0 for never", values.Suspend,
			shortestSuspend)
	}
	if values.Ready == 0 {
		values.Ready = 1
	}
	if values.Ready < 1 || values.Ready > d.Replicas.Min {
		return bad("deploy.snowflake.ready is %d, expected 1 to deploy.replicas.min, which is %d", values.Ready,
			d.Replicas.Min)
	}
	if err := d.Judge.completeSPCS(); err != nil {
		return err
	}
	if r := &d.Report; r.On() {
		if !values.Public {
			return bad("deploy.report: people reach the report by the public endpoint, and deploy.snowflake.public is false")
		}
		for _, people := range []*[]string{&r.Readers, &r.Annotators, &r.Admins} {
			stored := make([]string, len(*people))
			for i, name := range *people {
				stored[i] = s.Dialect.Stored(name)
			}
			*people = stored
		}
	}
	if w := d.Warehouse; w != "" {
		if u, err := url.Parse(w); err != nil || u.Scheme != "snowflake" || u.User != nil {
			return bad("deploy.warehouse: expected a URL such as snowflake:///%s/%s?auth=container, without a user", s.Database,
				s.Schema)
		}
	}
	seen := map[string]bool{}
	for _, file := range s.Judges {
		name := filepath.Base(file)
		if !judgeFile.MatchString(name) || seen[name] {
			return bad("judges: %.60q, expected files of different names of letters, digits, _, . and -", name)
		}
		seen[name] = true
	}
	family, err := FindFamily(s.Instances)
	if err != nil {
		return bad("instances: %w", err)
	}
	spec, err := s.specification(d.Image, false)
	if err != nil {
		return err
	}
	if err := spec.Check(family); err != nil {
		return bad("deploy: %w", err)
	}
	return nil
}

// imagePath returns the path of an image: image itself or, if it is NAME:TAG only, that image in badger's own
// repository. Errors name key.
func (s *SPCSService) imagePath(key, image string) (string, error) {
	if image != "" && !strings.Contains(image, "/") {
		image = "/" + strings.ToLower(s.Database+"/"+s.Schema+"/"+imageRepository) + "/" + image
	}
	if image == "" {
		return "", errcode.New(errcode.InvalidArgument, "values: snowflake via spcs needs %s, such as %s: badger:1.0.0", key,
			key)
	}
	if err := checkImage(image); err != nil {
		return "", errcode.New(errcode.InvalidArgument, "values: %s: %w; NAME:TAG alone means badger's own repository", key,
			err)
	}
	return image, nil
}

const imageRepository = "images"

// Outside reports whether the judge is a model outside the Snowflake account.
func (j *Judge) Outside() bool {
	return j.Asked() && !j.Cortex()
}

// Cortex reports whether the judge is a model of Snowflake Cortex.
func (j *Judge) Cortex() bool { return j.Backend == "cortex" }

// Host returns HOST:PORT of the judge's URL, as a network rule contains it; the default port is 443.
func (j *Judge) Host() string {
	u, err := url.Parse(j.URL)
	if err != nil {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = "443"
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// JudgeFiles returns the base names of the judge files, which the service reads from the stage judges.
func (s *SPCSService) JudgeFiles() (names []string) {
	for _, file := range s.Judges {
		names = append(names, filepath.Base(file))
	}
	return names
}

// EgressName returns the name of the service's external access integration. It contains the database, schema and
// service, because integrations belong to the whole account.
func (s *SPCSService) EgressName() string {
	return strings.ToLower(s.Database + "_" + s.Schema + "_" + s.Name + "_judge")
}

// Specification returns the service specification as YAML.
func (s *SPCSService) Specification() (string, error) {
	return s.specificationText(s.Deploy.Image, false)
}

// PreviousSpecification returns the service specification as YAML, with the image to return to.
func (s *SPCSService) PreviousSpecification() (string, error) {
	return s.specificationText(s.Deploy.Snowflake.Previous, false)
}

// AppSpecification returns the specification as YAML for a Native App. There the consumer binds the secret, and
// Snowflake's environment names the database.
func (s *SPCSService) AppSpecification() (string, error) {
	return s.specificationText(s.Deploy.Image, true)
}

func (s *SPCSService) specificationText(image string, app bool) (string, error) {
	spec, err := s.specification(image, app)
	if err != nil {
		return "", err
	}
	text, err := spec.Marshal()
	return string(text), err
}

// specification returns the service specification, for a Native App if app is set. It configures badger serve by
// variables alone, so that no separate file can differ from it.
func (s *SPCSService) specification(image string, app bool) (*Specification, error) {
	d := s.Deploy
	spec := &Specification{}
	if app && d.Report.On() && s.Schema != s.Tables {
		return nil, errcode.New(errcode.InvalidArgument,
			"values: deploy.report: a Native App has tables to show in the schema %s alone, and schema is %.60q", s.Tables,
			s.Schema)
	}
	api := s.container("badger", image, apiPort, grpcPort, app)
	api.Env["BADGER_REPORT_OFF"] = "true" // there is no sign-in, and names are not believed
	spec.Spec.Containers = []Container{api}
	spec.Spec.Endpoints = []Endpoint{{Name: "api", Port: apiPort, Protocol: "HTTP"}}
	spec.ServiceRoles = []ServiceRole{{Name: "caller", Endpoints: []string{"api"}}}
	if d.Snowflake.Public {
		// A holder of the role caller may send any header to the endpoint api. Calls through the ingress have their
		// own server, so that user names set by the ingress can be trusted there.
		public := s.container("public", image, publicPort, grpcPort+2, app)
		maps.Copy(public.Env, d.Report.Environment())
		spec.Spec.Containers = append(spec.Spec.Containers, public)
		spec.Spec.Endpoints = append(spec.Spec.Endpoints,
			Endpoint{Name: "ui", Port: publicPort, Protocol: "HTTP", Public: true})
		spec.ServiceRoles = append(spec.ServiceRoles, ServiceRole{Name: "viewer", Endpoints: []string{"ui"}})
	}
	spec.Spec.Volumes = []Volume{{Name: "tmp", Source: "local"}}
	if len(s.Judges) > 0 {
		if app {
			return nil, errcode.New(errcode.InvalidArgument,
				"values: judges: a Native App has no stage that judge files could be on; promote them in the consumer's account")
		}
		id := serviceUser
		spec.Spec.Volumes = append(spec.Spec.Volumes,
			Volume{Name: "judges", Source: "@" + s.in("judges"), UID: &id, GID: &id})
	}
	spec.Spec.LogExporters = &LogExporters{}
	spec.Spec.LogExporters.EventTableConfig.LogLevel = d.Snowflake.LogLevel
	return spec, nil
}

// container returns a container that runs badger serve on the given ports.
func (s *SPCSService) container(name, image string, port, grpc int, app bool) Container {
	d := s.Deploy
	warehouse := d.Warehouse
	switch {
	case app:
		warehouse = "snowflake:///?auth=container"
	case warehouse == "":
		warehouse = "snowflake:///" + url.PathEscape(s.Database) + "/" + url.PathEscape(s.Schema) + "?auth=container"
	}
	judge := d.Judge.Backend
	if judge != "none" {
		judge += ":" + d.Judge.Model
	}
	c := Container{
		Name: name, Image: image, Args: []string{"serve"},
		Env: map[string]string{
			"BADGER_LISTEN_HTTP":        "0.0.0.0:" + strconv.Itoa(port),
			"BADGER_LISTEN_GRPC":        "127.0.0.1:" + strconv.Itoa(grpc),
			"BADGER_AUTH_GRPC_MODE":     "local",
			"BADGER_AUTH_HTTP_MODE":     "platform",
			"BADGER_AUTH_HTTP_PLATFORM": "spcs",
			"BADGER_TIMEOUTS":           "{snowflake: " + fmt.Sprint(s.Timeout) + "}",
			"BADGER_LIMITS_STOP_GRACE":  "25s", // Snowflake gives 30
			"BADGER_RESULTS_WAREHOUSE":  warehouse,
			"BADGER_JUDGE_BACKEND":      judge,
			"GOMEMLIMIT":                memoryLimit(d.Memory),
		},
		ReadinessProbe: &Probe{Port: port, Path: "/readyz"},
		VolumeMounts:   []VolumeMount{{Name: "tmp", MountPath: "/tmp"}},
		Resources: &Resources{
			Requests: &Amounts{CPU: leastCores(d.CPU), Memory: Quantity(d.Memory)},
			Limits:   &Amounts{CPU: Quantity(d.CPU), Memory: Quantity(d.Memory)},
		},
	}
	maps.Copy(c.Env, d.Results.Environment())
	maps.Copy(c.Env, d.Judge.Environment())
	if d.Judge.Outside() {
		secret := SecretName{ObjectName: s.in(d.Judge.Secret)}
		if app {
			secret = SecretName{ObjectReference: "judge_key"}
		}
		c.Secrets = []Secret{{SnowflakeSecret: secret, DirectoryPath: judgeSecretPath}}
		c.Env["BADGER_JUDGE_BASE_URL"] = d.Judge.URL
		c.Env["BADGER_JUDGE_KEY_FILE"] = judgeSecretPath + "/secret_string" // as Snowflake calls the file of a GENERIC_STRING
	}
	if len(s.Judges) > 0 {
		c.VolumeMounts = append(c.VolumeMounts, VolumeMount{Name: "judges", MountPath: judgesPath})
		var files []string
		for _, name := range s.JudgeFiles() {
			files = append(files, judgesPath+"/"+name)
		}
		c.Env["BADGER_JUDGES"] = strings.Join(files, ",")
	}
	return c
}

// in returns the full name of an object in badger's schema.
func (s *SPCSService) in(name string) string {
	return s.Dialect.Identifier(s.Database, s.Schema) + "." + s.Dialect.Identifier(name)
}
