package service

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
)

// Family is an instance family of Snowflake, with the CPU and memory of one node.
type Family struct {
	Name   string
	CPU    int // virtual cores
	Memory int // GiB
}

// families are the instance families without GPUs, as in the manual of CREATE COMPUTE POOL. Not every region has all of
// them.
var families = []Family{
	{"CPU_X64_XS", 1, 6}, {"CPU_X64_S", 3, 13}, {"CPU_X64_M", 6, 28}, {"CPU_X64_SL", 14, 54}, {"CPU_X64_L", 28, 116},
	{"HIGHMEM_X64_S", 6, 58}, {"HIGHMEM_X64_M", 28, 240}, {"HIGHMEM_X64_SL", 92, 654}, {"HIGHMEM_X64_L", 124, 984},
}

// FindFamily returns the instance family called name. An unknown name is an error that lists the families.
func FindFamily(name string) (Family, error) {
	var names []string
	for _, f := range families {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Family{}, errcode.New(errcode.InvalidArgument, "unknown instance family %.40q, expected one of %s", name,
		strings.Join(names, ", "))
}

// Snowflake's limits for a service.
const (
	maxContainers, maxEndpoints, maxVolumes, maxSecrets = 20, 100, 20, 50
	maxName                                             = 63
)

var (
	namePattern  = lazyregexp.New(`^[a-z]([a-z0-9-]*[a-z0-9])?$`)
	imagePattern = lazyregexp.New(`^(/[a-z_][a-z0-9_$]*){3}/[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}|@sha256:[0-9a-f]{64})$`)
	cpuPattern   = lazyregexp.New(`^([0-9]+(\.[0-9]+)?)(m?)$`)
	sizePattern  = lazyregexp.New(`^([0-9]+(\.[0-9]+)?)(Ki|Mi|Gi|Ti|K|M|G|T)?$`)
	rangePattern = lazyregexp.New(`^([0-9]{1,5})-([0-9]{1,5})$`)
)

// checkImage returns an error unless image is a path /DATABASE/SCHEMA/REPOSITORY/NAME, with a tag or a digest and
// without a host.
func checkImage(image string) error {
	if !imagePattern.MatchString(image) {
		return errcode.New(errcode.InvalidArgument,
			"invalid image path %.200q; expected /DATABASE/SCHEMA/REPOSITORY/NAME:TAG or @sha256:DIGEST in lower case, without a host",
			image)
	}
	return nil
}

// Check returns an error if the specification breaks a rule of Snowflake or needs more than a node of the instance
// family has. The error has a line for each problem.
func (s *Specification) Check(family Family) error {
	c := checker{s: s, ports: map[int]string{}}
	c.endpoints()
	c.volumes()
	c.containers(family)
	c.roles()
	if s.Spec.LogExporters != nil &&
		!slices.Contains([]string{"INFO", "ERROR", "NONE"}, s.Spec.LogExporters.EventTableConfig.LogLevel) {
		c.wrong("spec.logExporters.eventTableConfig.logLevel", "%q, expected INFO, ERROR or NONE",
			s.Spec.LogExporters.EventTableConfig.LogLevel)
	}
	if c.errs == nil {
		return nil
	}
	return errcode.New(errcode.InvalidArgument, "service specification: %w", errors.Join(c.errs...))
}

type checker struct {
	s     *Specification
	ports map[int]string // names of endpoints, by port
	errs  []error
}

func (c *checker) wrong(where, format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("%s: "+format, append([]any{where}, args...)...))
}

// name checks that a name is valid and not in seen, and adds it to seen.
func (c *checker) name(where, name string, seen map[string]bool) {
	switch {
	case len(name) > maxName || !namePattern.MatchString(name):
		c.wrong(where, "%.80q, expected at most %d lower-case letters, digits and dashes, beginning with a letter and ending with a letter or digit", name, maxName)
	case seen[name]:
		c.wrong(where, "duplicate name %q", name)
	}
	seen[name] = true
}

func (c *checker) most(where string, n, most int) {
	if n > most {
		c.wrong(where, "%d, expected at most %d", n, most)
	}
}

func (c *checker) endpoints() {
	c.most("spec.endpoints", len(c.s.Spec.Endpoints), maxEndpoints)
	seen := map[string]bool{}
	for i := range c.s.Spec.Endpoints {
		e := &c.s.Spec.Endpoints[i]
		at := fmt.Sprintf("spec.endpoints[%d]", i)
		c.name(at+".name", e.Name, seen)
		if e.Protocol != "" && e.Protocol != "HTTP" && e.Protocol != "TCP" {
			c.wrong(at+".protocol", "%q, expected HTTP or TCP", e.Protocol)
		}
		if e.CORSSettings != nil && !e.Public {
			c.wrong(at+".corsSettings", "only a public endpoint has them")
		}
		first, last := e.Port, e.Port
		switch m := rangePattern.FindStringSubmatch(e.PortRange); {
		case (e.Port == 0) == (e.PortRange == ""):
			c.wrong(at, "expected one of port and portRange")
			continue
		case e.PortRange != "" && m == nil:
			c.wrong(at+".portRange", "%q, expected FIRST-LAST", e.PortRange)
			continue
		case m != nil:
			first, _ = strconv.Atoi(m[1])
			last, _ = strconv.Atoi(m[2])
		}
		if first < 1 || last > 65535 || first > last {
			c.wrong(at, "the ports %d to %d, expected 1 to 65535", first, last)
			continue
		}
		for p := first; p <= last; p++ {
			if other, taken := c.ports[p]; taken {
				c.wrong(at, "the endpoint %s has port %d already", other, p)
			}
			c.ports[p] = e.Name
		}
	}
}

func (c *checker) volumes() {
	c.most("spec.volumes", len(c.s.Spec.Volumes), maxVolumes)
	mounted := map[string]bool{}
	for i := range c.s.Spec.Containers {
		for _, m := range c.s.Spec.Containers[i].VolumeMounts {
			mounted[m.Name] = true
		}
	}
	seen := map[string]bool{}
	for i := range c.s.Spec.Volumes {
		v := &c.s.Spec.Volumes[i]
		at := fmt.Sprintf("spec.volumes[%d]", i)
		c.name(at+".name", v.Name, seen)
		stage := strings.HasPrefix(v.Source, "@") && len(v.Source) > 1
		sized := v.Source == "memory" || v.Source == "block"
		if !stage && !sized && v.Source != "local" {
			c.wrong(at+".source", "%.80q, expected local, memory, block or @STAGE", v.Source)
		}
		if sized != (v.Size != "") {
			c.wrong(at+".size", "a volume from memory or block has a size, and no other")
		} else if _, err := v.Size.bytes(); sized && err != nil {
			c.wrong(at+".size", "%w", err)
		}
		if (v.UID != nil || v.GID != nil) && !stage {
			c.wrong(at+".uid", "only a volume from a stage has uid and gid")
		}
		if v.BlockConfig != nil && v.Source != "block" {
			c.wrong(at+".blockConfig", "only a volume from block has it")
		}
		if !mounted[v.Name] {
			c.wrong(at+".name", "no container mounts %q", v.Name)
		}
	}
}

func (c *checker) containers(family Family) {
	n := len(c.s.Spec.Containers)
	c.most("spec.containers", n, maxContainers)
	if n == 0 {
		c.wrong("spec.containers", "expected at least one")
	}
	seen, secrets := map[string]bool{}, 0
	var cpu, memory big.Rat // what all ask for
	for i := range c.s.Spec.Containers {
		k := &c.s.Spec.Containers[i]
		at := fmt.Sprintf("spec.containers[%d]", i)
		c.name(at+".name", k.Name, seen)
		if err := checkImage(k.Image); err != nil {
			c.wrong(at+".image", "%w", err)
		}
		if p := k.ReadinessProbe; p != nil {
			if c.ports[p.Port] == "" {
				c.wrong(at+".readinessProbe.port", "%d is the port of no endpoint", p.Port)
			}
			if !strings.HasPrefix(p.Path, "/") {
				c.wrong(at+".readinessProbe.path", "%.80q, expected a path that begins with /", p.Path)
			}
		}
		c.mounts(at, k)
		for j := range k.Secrets {
			c.secret(fmt.Sprintf("%s.secrets[%d]", at, j), &k.Secrets[j])
		}
		secrets += len(k.Secrets)
		c.resources(at+".resources", k.Resources, family, &cpu, &memory)
	}
	c.most("secrets of all containers", secrets, maxSecrets)
	if cpu.Cmp(new(big.Rat).SetInt64(int64(family.CPU))) > 0 {
		c.wrong("spec.containers", "all ask for %s cores together, and a node of %s has %d", cpu.FloatString(2), family.Name,
			family.CPU)
	}
	if memory.Cmp(gib(family.Memory)) > 0 {
		c.wrong("spec.containers", "all ask for %s bytes of memory together, and a node of %s has %d GiB",
			memory.FloatString(0), family.Name, family.Memory)
	}
}

func (c *checker) mounts(at string, k *Container) {
	taken := map[string]bool{}
	path := func(where, p string) {
		if !strings.HasPrefix(p, "/") || p == "/" {
			c.wrong(where, "%.80q, expected a directory that begins with /", p)
		} else if taken[p] {
			c.wrong(where, "something else is mounted at %q", p)
		}
		taken[p] = true
	}
	for j, m := range k.VolumeMounts {
		where := fmt.Sprintf("%s.volumeMounts[%d]", at, j)
		if !slices.ContainsFunc(c.s.Spec.Volumes, func(v Volume) bool { return v.Name == m.Name }) {
			c.wrong(where+".name", "there is no volume %q", m.Name)
		}
		path(where+".mountPath", m.MountPath)
	}
	for j := range k.Secrets {
		if p := k.Secrets[j].DirectoryPath; p != "" {
			path(fmt.Sprintf("%s.secrets[%d].directoryPath", at, j), p)
		}
	}
}

// secret checks a secret. It must be a file, because a secret in a variable keeps the value that it had when the
// container started.
func (c *checker) secret(at string, s *Secret) {
	if (s.SnowflakeSecret.ObjectName == "") == (s.SnowflakeSecret.ObjectReference == "") {
		c.wrong(at+".snowflakeSecret", "expected one of objectName and objectReference")
	}
	if s.EnvVarName != "" || s.SecretKeyRef != "" {
		c.wrong(at, "expected directoryPath only: a secret in a variable is not reloaded when it changes")
	} else if s.DirectoryPath == "" {
		c.wrong(at+".directoryPath", "is missing")
	}
}

func (c *checker) resources(at string, r *Resources, family Family, cpu, memory *big.Rat) {
	if r == nil || r.Requests == nil || r.Limits == nil {
		c.wrong(at, "expected requests and limits: without limits, a container can use the resources of another one")
		return
	}
	for _, q := range []struct {
		name            string
		requests, limit Quantity
		read            func(Quantity) (*big.Rat, error)
		node            *big.Rat
		sum             *big.Rat
	}{
		{"cpu", r.Requests.CPU, r.Limits.CPU, Quantity.cores, new(big.Rat).SetInt64(int64(family.CPU)), cpu},
		{"memory", r.Requests.Memory, r.Limits.Memory, Quantity.bytes, gib(family.Memory), memory},
	} {
		asked, err := q.read(q.requests)
		if err != nil {
			c.wrong(at+".requests."+q.name, "%w", err)
			continue
		}
		most, err := q.read(q.limit)
		if err != nil {
			c.wrong(at+".limits."+q.name, "%w", err)
			continue
		}
		if asked.Cmp(most) > 0 {
			c.wrong(at+".requests."+q.name, "%s is more than the limit %s", q.requests, q.limit)
		}
		if most.Cmp(q.node) > 0 {
			c.wrong(at+".limits."+q.name, "%s is more than a node of %s has: %d cores, %d GiB", q.limit, family.Name, family.CPU,
				family.Memory)
		}
		q.sum.Add(q.sum, asked)
	}
	if r.Requests.GPU != "" || r.Limits.GPU != "" {
		c.wrong(at, "nvidia.com/gpu: instances of the family %s have no GPU", family.Name)
	}
}

func (c *checker) roles() {
	seen := map[string]bool{}
	for i, r := range c.s.ServiceRoles {
		at := fmt.Sprintf("serviceRoles[%d]", i)
		c.name(at+".name", r.Name, seen)
		if len(r.Endpoints) == 0 {
			c.wrong(at+".endpoints", "expected at least one")
		}
		for j, e := range r.Endpoints {
			if !slices.ContainsFunc(c.s.Spec.Endpoints, func(x Endpoint) bool { return x.Name == e }) {
				c.wrong(fmt.Sprintf("%s.endpoints[%d]", at, j), "there is no endpoint %q", e)
			}
		}
	}
}

func gib(n int) *big.Rat { return new(big.Rat).SetInt64(int64(n) << 30) }

// cores returns an amount of CPU, such as 0.5 or 500m, as a number of cores.
func (q Quantity) cores() (*big.Rat, error) {
	m := cpuPattern.FindStringSubmatch(string(q))
	if m == nil || m[2] != "" && m[3] != "" {
		return nil, fmt.Errorf("%.40q, expected cores such as 1, 0.5 or 500m", string(q))
	}
	n, _ := new(big.Rat).SetString(m[1])
	if m[3] != "" {
		n.Quo(n, big.NewRat(1000, 1))
	}
	return n, positive(q, n)
}

// bytes returns a size, such as 2Gi, as a number of bytes.
func (q Quantity) bytes() (*big.Rat, error) {
	m := sizePattern.FindStringSubmatch(string(q))
	if m == nil {
		return nil, fmt.Errorf("%.40q, expected a size such as 2Gi", string(q))
	}
	n, _ := new(big.Rat).SetString(m[1])
	unit := map[string]int64{"": 1, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "K": 1e3, "M": 1e6,
		"G": 1e9, "T": 1e12}[m[3]]
	n.Mul(n, new(big.Rat).SetInt64(unit))
	return n, positive(q, n)
}

func positive(q Quantity, n *big.Rat) error {
	if n.Sign() <= 0 {
		return fmt.Errorf("%.40q, expected a positive quantity", string(q))
	}
	return nil
}
