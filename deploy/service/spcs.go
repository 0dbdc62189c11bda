package service

import (
	"bytes"

	"gopkg.in/yaml.v3"

	"github.com/badger-eval/badger/internal/errcode"
)

// Specification is a service specification of Snowpark Container Services, with the names of Snowflake's reference.
// Snowflake validates it only when it creates a service, so [Specification.Check] checks the rules that a JSON Schema
// cannot express.
type Specification struct {
	Spec         Spec          `yaml:"spec"`
	ServiceRoles []ServiceRole `yaml:"serviceRoles,omitempty"`
	Capabilities *Capabilities `yaml:"capabilities,omitempty"`
}

// Spec is the content of a specification.
type Spec struct {
	Containers   []Container   `yaml:"containers"`
	Endpoints    []Endpoint    `yaml:"endpoints,omitempty"`
	Volumes      []Volume      `yaml:"volumes,omitempty"`
	LogExporters *LogExporters `yaml:"logExporters,omitempty"`
}

// Container runs one program. All containers of an instance share a network interface.
type Container struct {
	Name           string            `yaml:"name"`
	Image          string            `yaml:"image"` // /DATABASE/SCHEMA/REPOSITORY/NAME:TAG, without a host
	Command        []string          `yaml:"command,omitempty"`
	Args           []string          `yaml:"args,omitempty"`
	Env            map[string]string `yaml:"env,omitempty"`
	ReadinessProbe *Probe            `yaml:"readinessProbe,omitempty"`
	VolumeMounts   []VolumeMount     `yaml:"volumeMounts,omitempty"`
	Secrets        []Secret          `yaml:"secrets,omitempty"`
	Resources      *Resources        `yaml:"resources,omitempty"`
}

// Probe is the HTTP request by which Snowflake checks whether a container is ready. A reply of 200 means ready.
type Probe struct {
	Port int    `yaml:"port"`
	Path string `yaml:"path"`
}

// VolumeMount sets the directory at which a volume is mounted in a container.
type VolumeMount struct {
	Name      string `yaml:"name"`
	MountPath string `yaml:"mountPath"`
}

// Secret provides a secret to a container: as files in a directory, which Snowflake rewrites when the secret
// changes, or as a variable, which keeps its value from the start.
type Secret struct {
	SnowflakeSecret SecretName `yaml:"snowflakeSecret"`
	DirectoryPath   string     `yaml:"directoryPath,omitempty"`
	EnvVarName      string     `yaml:"envVarName,omitempty"`
	SecretKeyRef    string     `yaml:"secretKeyRef,omitempty"` // username, password or secret_string
}

// SecretName names a secret or, in a Native App, the reference that the consumer binds to a secret.
type SecretName struct {
	ObjectName      string `yaml:"objectName,omitempty"`
	ObjectReference string `yaml:"objectReference,omitempty"`
}

// Resources are the requests and limits of a container.
type Resources struct {
	Requests *Amounts `yaml:"requests,omitempty"`
	Limits   *Amounts `yaml:"limits,omitempty"`
}

// Amounts are the requested or maximum resources of a container.
type Amounts struct {
	CPU    Quantity `yaml:"cpu,omitempty"`    // cores: 1, 0.5 or 500m
	Memory Quantity `yaml:"memory,omitempty"` // bytes: 2Gi, 512Mi, 2G or 512M
	GPU    Quantity `yaml:"nvidia.com/gpu,omitempty"`
}

// Endpoint is a port that functions, other services or users can connect to.
type Endpoint struct {
	Name         string         `yaml:"name"`
	Port         int            `yaml:"port,omitempty"`
	PortRange    string         `yaml:"portRange,omitempty"` // FIRST-LAST
	Public       bool           `yaml:"public"`
	Protocol     string         `yaml:"protocol,omitempty"` // HTTP or TCP
	CORSSettings map[string]any `yaml:"corsSettings,omitempty"`
}

// Volume is a directory that containers mount.
type Volume struct {
	Name        string         `yaml:"name"`
	Source      string         `yaml:"source"` // local, memory, block or @STAGE
	Size        Quantity       `yaml:"size,omitempty"`
	BlockConfig map[string]any `yaml:"blockConfig,omitempty"`
	UID         *int           `yaml:"uid,omitempty"`
	GID         *int           `yaml:"gid,omitempty"`
}

// LogExporters select the container output that goes to the event table.
type LogExporters struct {
	EventTableConfig struct {
		LogLevel string `yaml:"logLevel"` // INFO, ERROR or NONE
	} `yaml:"eventTableConfig"`
}

// ServiceRole is a role that grants the use of endpoints.
type ServiceRole struct {
	Name      string   `yaml:"name"`
	Endpoints []string `yaml:"endpoints"`
}

// Capabilities are additional permissions of a service.
type Capabilities struct {
	SecurityContext struct {
		ExecuteAsCaller bool `yaml:"executeAsCaller"`
	} `yaml:"securityContext"`
}

// Quantity is an amount of a resource as a string. In YAML it has no quotes, as in Snowflake's examples.
type Quantity string

// MarshalYAML returns q as a scalar without quotes.
func (q Quantity) MarshalYAML() (any, error) {
	return &yaml.Node{Kind: yaml.ScalarNode, Value: string(q)}, nil
}

// IsZero reports whether q is empty; YAML then omits it.
func (q Quantity) IsZero() bool { return q == "" }

// Marshal returns the specification as YAML.
func (s *Specification) Marshal() ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(s); err != nil {
		return nil, err
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// ParseSpecification parses a specification in YAML. An unknown key is an error.
func ParseSpecification(text []byte) (*Specification, error) {
	var s Specification
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&s); err != nil {
		return nil, errcode.New(errcode.InvalidArgument, "service specification: %w", err)
	}
	return &s, nil
}
