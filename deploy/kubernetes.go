package deploy

import (
	"embed"
	"slices"
	"strings"

	"github.com/badger-eval/badger/deploy/service"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/internal/lazyregexp"
	"github.com/badger-eval/badger/sql/install"
)

//go:embed all:kubernetes
var kubernetesFiles embed.FS

var _ = register(Target{
	Name:     "kubernetes",
	Doc:      "badger serve in a cluster, by a Helm chart and values for it; any warehouse that reaches the cluster can call it. One pod, unless deploy.replicas says more.",
	Required: []string{"deploy.image"}, Needs: clusterNeeds, Prepare: inCluster,
	files: kubernetesFiles, place: 30,
})

// imageParts is the reference of an image in parts.
type imageParts struct{ Repository, Tag, Digest string }

// The grammar of references is that of github.com/distribution/reference.
var (
	repositories = lazyregexp.New(`^([a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]+)?/)?[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$`)
	tags         = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)
	digests      = lazyregexp.New(`^sha256:[0-9a-f]{64}$`)
)

// imageOf splits the reference of an image into its parts: REGISTRY/REPOSITORY, with :TAG, @sha256:DIGEST or both.
func imageOf(reference string) (imageParts, error) {
	var p imageParts
	name, digest, pinned := strings.Cut(reference, "@")
	p.Repository, p.Digest = name, digest
	// A colon before the last slash belongs to the registry's port.
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		p.Repository, p.Tag = name[:i], name[i+1:]
		if p.Tag == "" {
			p.Repository = "" // a colon without a tag
		}
	}
	if !repositories.MatchString(p.Repository) || p.Tag != "" && !tags.MatchString(p.Tag) ||
		pinned && !digests.MatchString(digest) || p.Tag == "" && !pinned {
		return p, errcode.New(errcode.InvalidArgument, "values: deploy.image is %.100q, expected REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@sha256:DIGEST, in lower case but for the tag, without a scheme, and with 64 digits of the digest", reference)
	}
	return p, nil
}

// clusterNeeds returns the keys that other values make necessary: a certificate with TLS, and a warehouse
// for what is read from one or shared by several servers.
func clusterNeeds(v *install.Values) (keys []string) {
	d := &v.Deploy
	if t := d.Kubernetes.TLS; t.Secret == "" && t.Issuer == "" && !t.Plaintext {
		keys = append(keys, "deploy.kubernetes.tls.secret")
	}
	if d.Results.Any() || d.Report.On() || slices.Contains(inWarehouse, d.Judge.Backend) || d.CheckShared() != nil {
		keys = append(keys, "deploy.warehouse")
	}
	return keys
}

// inWarehouse are the backends of judges that call the warehouse's own models.
var inWarehouse = []string{"cortex", "aiquery", "bigqueryai"}

const longestToken = 64 // bytes of a token's name

// inCluster checks the values for what the chart would reject or what would fail in the cluster, and returns the
// templates' data.
func inCluster(p *install.Plan) (any, error) {
	d := &p.Values.Deploy
	tls, ways := d.Kubernetes.TLS, 0
	for _, chosen := range []bool{tls.Secret != "", tls.Issuer != "", tls.Plaintext} {
		if chosen {
			ways++
		}
	}
	if p.Via.Name == "spcs" {
		return nil, errcode.New(errcode.InvalidArgument,
			"values: via is spcs, whose service runs in the account: expected via: api-gateway, or the target snowflake")
	}
	if ways != 1 {
		return nil, errcode.New(errcode.InvalidArgument, "values: %d of deploy.kubernetes.tls.secret, tls.issuer and tls.plaintext are set, expected one: a Secret with a certificate, an issuer of cert-manager, or no TLS", ways)
	}
	if err := d.CheckShared(); err != nil {
		return nil, err
	}
	for _, who := range d.Report.People() {
		if len(who) > longestToken || strings.ContainsAny(who, ":%") {
			return nil, errcode.New(errcode.InvalidArgument,
				"values: deploy.report: invalid token name %.80q; expected 1 to %d letters, digits and punctuation", who,
				longestToken)
		}
	}
	hosts, err := d.NamedHosts()
	if err != nil {
		return nil, err
	}
	return &cluster{hosts, d.Contacts() && len(hosts) == 0 && len(d.Kubernetes.Egress) == 0}, nil
}

// cluster is the data of the Kubernetes templates in addition to the plan.
type cluster struct {
	Hosts []service.HostPort // hosts that may be connected to
	Shut  bool               // badger needs outbound connections, and the NetworkPolicy allows none
}
