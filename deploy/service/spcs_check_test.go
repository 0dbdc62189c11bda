package service_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/badger-eval/badger/deploy/service"
	"github.com/badger-eval/badger/internal/errcode"
)

// sound is a specification that has one of everything.
func sound() *service.Specification {
	id := 65532
	s := &service.Specification{}
	s.Spec.Containers = []service.Container{
		{
			Name: "badger", Image: "/lake/badger/images/badger:1.0.0", Env: map[string]string{"A": "1"},
			ReadinessProbe: &service.Probe{Port: 8080, Path: "/readyz"},
			VolumeMounts:   []service.VolumeMount{{"tmp", "/tmp"}, {"stage", "/judges"}, {"ram", "/ram"}},
			Secrets:        []service.Secret{{SnowflakeSecret: service.SecretName{ObjectName: "lake.badger.key"}, DirectoryPath: "/secrets/judge"}},
			Resources:      &service.Resources{Requests: &service.Amounts{CPU: "250m", Memory: "1Gi"}, Limits: &service.Amounts{CPU: "1", Memory: "2Gi"}},
		},
		{
			Name: "public", Image: "/lake/badger/images/team/badger-2:v1.0.0",
			Resources: &service.Resources{Requests: &service.Amounts{CPU: "0.75", Memory: "5Gi"}, Limits: &service.Amounts{CPU: "1", Memory: "6Gi"}},
		},
	}
	s.Spec.Endpoints = []service.Endpoint{{Name: "api", Port: 8080, Protocol: "HTTP"}, {Name: "ui", Port: 8081, Public: true, CORSSettings: map[string]any{}}, {Name: "many", PortRange: "9000-9010", Protocol: "TCP"}}
	s.Spec.Volumes = []service.Volume{{Name: "tmp", Source: "local"}, {Name: "stage", Source: "@lake.badger.judges", UID: &id, GID: &id}, {Name: "ram", Source: "memory", Size: "64Mi"}}
	s.Spec.LogExporters = &service.LogExporters{}
	s.Spec.LogExporters.EventTableConfig.LogLevel = "INFO"
	s.ServiceRoles = []service.ServiceRole{{"caller", []string{"api"}}, {"viewer", []string{"ui", "many"}}}
	return s
}

func small(t *testing.T) service.Family {
	t.Helper()
	f, err := service.FindFamily("CPU_X64_XS")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Each rule refuses what breaks it, names the field, and says nothing of the rest.
func TestEachRuleCanFail(t *testing.T) {
	if err := sound().Check(small(t)); err != nil {
		t.Fatal(err)
	}
	one := 1
	cases := map[string]struct {
		change func(s *service.Specification)
		want   string
	}{
		"no container": {func(s *service.Specification) {
			s.Spec.Containers, s.Spec.Volumes = nil, nil
		}, "spec.containers: expected at least one"},
		"too many containers": {func(s *service.Specification) {
			for i := range 19 {
				c := s.Spec.Containers[1]
				c.Name = fmt.Sprintf("c%d", i)
				c.Resources = &service.Resources{Requests: &service.Amounts{CPU: "1m", Memory: "1Ki"}, Limits: &service.Amounts{CPU: "1m", Memory: "1Ki"}}
				s.Spec.Containers = append(s.Spec.Containers, c)
			}
			s.Spec.Containers[1].Resources = s.Spec.Containers[2].Resources
		}, "spec.containers: 21, expected at most 20"},
		"too many endpoints": {func(s *service.Specification) {
			for i := range 98 {
				s.Spec.Endpoints = append(s.Spec.Endpoints, service.Endpoint{Name: fmt.Sprintf("e%d", i), Port: 100 + i})
			}
		}, "spec.endpoints: 101, expected"},
		"too many volumes": {func(s *service.Specification) {
			for i := range 18 {
				n := fmt.Sprintf("v%d", i)
				s.Spec.Volumes = append(s.Spec.Volumes, service.Volume{Name: n, Source: "local"})
				s.Spec.Containers[0].VolumeMounts = append(s.Spec.Containers[0].VolumeMounts, service.VolumeMount{Name: n, MountPath: "/" + n})
			}
		}, "spec.volumes: 21, expected"},
		"too many secrets": {func(s *service.Specification) {
			for i := range 50 {
				s.Spec.Containers[1].Secrets = append(s.Spec.Containers[1].Secrets, service.Secret{SnowflakeSecret: service.SecretName{ObjectReference: "k"}, DirectoryPath: fmt.Sprintf("/s/%d", i)})
			}
		}, "secrets of all containers: 51, expected"},
		"capital in a name":        {func(s *service.Specification) { s.Spec.Containers[0].Name = "Badger" }, "spec.containers[0].name"},
		"name begins with a digit": {func(s *service.Specification) { s.Spec.Containers[0].Name = "1badger" }, "spec.containers[0].name"},
		"name ends with a dash":    {func(s *service.Specification) { s.Spec.Containers[0].Name = "badger-" }, "spec.containers[0].name"},
		"name has an underscore": {func(s *service.Specification) {
			s.Spec.Endpoints[1].Name = "u_i"
			s.ServiceRoles[1].Endpoints[0] = "u_i"
		}, "spec.endpoints[1].name"},
		"name of 64 letters":       {func(s *service.Specification) { s.ServiceRoles[0].Name = strings.Repeat("a", 64) }, "serviceRoles[0].name"},
		"empty name":               {func(s *service.Specification) { s.ServiceRoles[0].Name = "" }, "serviceRoles[0].name"},
		"two containers of a name": {func(s *service.Specification) { s.Spec.Containers[1].Name = "badger" }, `spec.containers[1].name: duplicate name "badger"`},
		"image with a host": {func(s *service.Specification) {
			s.Spec.Containers[0].Image = "org-acct.registry.snowflakecomputing.com/lake/badger/images/badger:1"
		}, "spec.containers[0].image"},
		"image without a tag":      {func(s *service.Specification) { s.Spec.Containers[0].Image = "/lake/badger/images/badger" }, "spec.containers[0].image"},
		"image without repository": {func(s *service.Specification) { s.Spec.Containers[0].Image = "/lake/badger/badger:1" }, "spec.containers[0].image"},
		"image with capitals":      {func(s *service.Specification) { s.Spec.Containers[0].Image = "/Lake/badger/images/badger:1" }, "spec.containers[0].image"},
		"image with a short digest": {func(s *service.Specification) {
			s.Spec.Containers[0].Image = "/lake/badger/images/badger@sha256:" + strings.Repeat("0a", 31)
		}, "spec.containers[0].image"},
		"probe of no endpoint": {func(s *service.Specification) { s.Spec.Containers[0].ReadinessProbe.Port = 8082 }, "spec.containers[0].readinessProbe.port: 8082 is the port of no endpoint"},
		"probe without a path": {func(s *service.Specification) { s.Spec.Containers[0].ReadinessProbe.Path = "readyz" }, "spec.containers[0].readinessProbe.path"},
		"mount of no volume": {func(s *service.Specification) {
			s.Spec.Containers[1].VolumeMounts = []service.VolumeMount{{"cache", "/c"}}
		}, `spec.containers[1].volumeMounts[0].name: there is no volume "cache"`},
		"relative mount":        {func(s *service.Specification) { s.Spec.Containers[0].VolumeMounts[0].MountPath = "tmp" }, "spec.containers[0].volumeMounts[0].mountPath"},
		"mount over the root":   {func(s *service.Specification) { s.Spec.Containers[0].VolumeMounts[0].MountPath = "/" }, "spec.containers[0].volumeMounts[0].mountPath"},
		"two mounts at a place": {func(s *service.Specification) { s.Spec.Containers[0].Secrets[0].DirectoryPath = "/tmp" }, `spec.containers[0].secrets[0].directoryPath: something else is mounted at "/tmp"`},
		"volume nobody mounts": {func(s *service.Specification) {
			s.Spec.Volumes = append(s.Spec.Volumes, service.Volume{Name: "v", Source: "local"})
		}, `no container mounts "v"`},
		"unknown source":            {func(s *service.Specification) { s.Spec.Volumes[0].Source = "disk" }, "spec.volumes[0].source"},
		"stage without a name":      {func(s *service.Specification) { s.Spec.Volumes[0].Source = "@" }, "spec.volumes[0].source"},
		"memory without a size":     {func(s *service.Specification) { s.Spec.Volumes[2].Size = "" }, "spec.volumes[2].size"},
		"local with a size":         {func(s *service.Specification) { s.Spec.Volumes[0].Size = "1Gi" }, "spec.volumes[0].size"},
		"size of no number":         {func(s *service.Specification) { s.Spec.Volumes[2].Size = "big" }, "spec.volumes[2].size"},
		"local with a user":         {func(s *service.Specification) { s.Spec.Volumes[0].UID = &one }, "spec.volumes[0].uid"},
		"local with a group":        {func(s *service.Specification) { s.Spec.Volumes[0].GID = &one }, "spec.volumes[0].uid"},
		"local as a block":          {func(s *service.Specification) { s.Spec.Volumes[0].BlockConfig = map[string]any{"iops": 3000} }, "spec.volumes[0].blockConfig"},
		"secret without a name":     {func(s *service.Specification) { s.Spec.Containers[0].Secrets[0].SnowflakeSecret = service.SecretName{} }, "secrets[0].snowflakeSecret"},
		"secret with two names":     {func(s *service.Specification) { s.Spec.Containers[0].Secrets[0].SnowflakeSecret.ObjectReference = "k" }, "secrets[0].snowflakeSecret"},
		"secret in a variable":      {func(s *service.Specification) { s.Spec.Containers[0].Secrets[0].EnvVarName = "KEY" }, "spec.containers[0].secrets[0]: expected directoryPath only"},
		"secret nowhere":            {func(s *service.Specification) { s.Spec.Containers[0].Secrets[0].DirectoryPath = "" }, "secrets[0].directoryPath: is missing"},
		"no port":                   {func(s *service.Specification) { s.Spec.Endpoints[1].Port = 0 }, "spec.endpoints[1]: expected one of port and portRange"},
		"port and range":            {func(s *service.Specification) { s.Spec.Endpoints[1].PortRange = "1-2" }, "spec.endpoints[1]: expected one of port and portRange"},
		"port beyond all":           {func(s *service.Specification) { s.Spec.Endpoints[1].Port = 65536 }, "expected 1 to 65535"},
		"range of no numbers":       {func(s *service.Specification) { s.Spec.Endpoints[2].PortRange = "a-b" }, "spec.endpoints[2].portRange"},
		"range backwards":           {func(s *service.Specification) { s.Spec.Endpoints[2].PortRange = "9010-9000" }, "spec.endpoints[2]: the ports 9010 to 9000"},
		"two endpoints of a port":   {func(s *service.Specification) { s.Spec.Endpoints[1].Port = 9005 }, "spec.endpoints[2]: the endpoint ui has port 9005 already"},
		"unknown protocol":          {func(s *service.Specification) { s.Spec.Endpoints[0].Protocol = "UDP" }, "spec.endpoints[0].protocol"},
		"private with CORS":         {func(s *service.Specification) { s.Spec.Endpoints[0].CORSSettings = map[string]any{} }, "spec.endpoints[0].corsSettings"},
		"unknown log level":         {func(s *service.Specification) { s.Spec.LogExporters.EventTableConfig.LogLevel = "DEBUG" }, "logLevel"},
		"role of no endpoint":       {func(s *service.Specification) { s.ServiceRoles[0].Endpoints[0] = "udf" }, `serviceRoles[0].endpoints[0]: there is no endpoint "udf"`},
		"role without endpoints":    {func(s *service.Specification) { s.ServiceRoles[0].Endpoints = nil }, "serviceRoles[0].endpoints: expected at least one"},
		"no resources":              {func(s *service.Specification) { s.Spec.Containers[1].Resources = nil }, "spec.containers[1].resources"},
		"no limits":                 {func(s *service.Specification) { s.Spec.Containers[1].Resources.Limits = nil }, "spec.containers[1].resources"},
		"cores of no number":        {func(s *service.Specification) { s.Spec.Containers[1].Resources.Requests.CPU = "much" }, "spec.containers[1].resources.requests.cpu"},
		"half a thousandth":         {func(s *service.Specification) { s.Spec.Containers[1].Resources.Limits.CPU = "0.5m" }, "spec.containers[1].resources.limits.cpu"},
		"no memory":                 {func(s *service.Specification) { s.Spec.Containers[1].Resources.Requests.Memory = "0Gi" }, "expected a positive quantity"},
		"more than the limit":       {func(s *service.Specification) { s.Spec.Containers[0].Resources.Limits.CPU = "100m" }, "spec.containers[0].resources.requests.cpu: 250m is more than the limit 100m"},
		"cores beyond the node":     {func(s *service.Specification) { s.Spec.Containers[0].Resources.Limits.CPU = "1001m" }, "more than a node of CPU_X64_XS has"},
		"memory beyond the node":    {func(s *service.Specification) { s.Spec.Containers[0].Resources.Limits.Memory = "6.1Gi" }, "more than a node of CPU_X64_XS has"},
		"cores beyond it together":  {func(s *service.Specification) { s.Spec.Containers[0].Resources.Requests.CPU = "251m" }, "all ask for 1.00 cores together"},
		"memory beyond it together": {func(s *service.Specification) { s.Spec.Containers[0].Resources.Requests.Memory = "1025Mi" }, "bytes of memory together"},
		"a GPU":                     {func(s *service.Specification) { s.Spec.Containers[0].Resources.Limits.GPU = "1" }, "nvidia.com/gpu"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := sound()
			c.change(s)
			err := s.Check(small(t))
			if errcode.Of(err) != errcode.InvalidArgument {
				t.Fatalf("the error is %v", err)
			}
			if lines := strings.Split(err.Error(), "\n"); len(lines) != 1 || !strings.Contains(lines[0], c.want) {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
}

// What is written is read back, quantities are no texts, and an unknown key is an error.
func TestMarshal(t *testing.T) {
	text, err := sound().Marshal()
	if err != nil {
		t.Fatal(err)
	}
	got, err := service.ParseSpecification(text)
	if err != nil {
		t.Fatal(err)
	}
	if want := sound(); !reflect.DeepEqual(got.Spec.Containers, want.Spec.Containers) || !reflect.DeepEqual(got.ServiceRoles, want.ServiceRoles) || !reflect.DeepEqual(got.Spec.Volumes, want.Spec.Volumes) {
		t.Errorf("read back is\n%+v\nwant\n%+v", got, want)
	}
	if !strings.Contains(string(text), "cpu: 1\n") || !strings.Contains(string(text), `A: "1"`) {
		t.Errorf("%s", text)
	}
	if _, err := service.ParseSpecification([]byte("spec:\n  containers: []\n  replicas: 2\n")); errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), "replicas") {
		t.Errorf("an unknown key: %v", err)
	}
}

func TestUnknownFamily(t *testing.T) {
	if _, err := service.FindFamily("cpu_x64_xs"); errcode.Of(err) != errcode.InvalidArgument || !strings.Contains(err.Error(), "CPU_X64_S,") {
		t.Errorf("%v", err)
	}
}
