package deploy

import (
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/install"
)

// imageParts is the reference of an image in parts.
type imageParts struct{ Repository, Tag, Digest string }

// imageOf takes the reference of an image apart: REGISTRY/REPOSITORY, with :TAG, @sha256:DIGEST or both.
func imageOf(reference string) (imageParts, error) {
	var p imageParts
	name, digest, pinned := strings.Cut(reference, "@")
	p.Repository, p.Digest = name, digest
	// A colon before the last slash belongs to the registry's port.
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		p.Repository, p.Tag = name[:i], name[i+1:]
		if p.Tag == "" {
			p.Repository = ""
		}
	}
	if p.Repository == "" || pinned && !strings.HasPrefix(digest, "sha256:") || p.Tag == "" && !pinned {
		return p, errcode.New(errcode.InvalidArgument, "values: deploy.image is %.100q, want REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@sha256:DIGEST", reference)
	}
	return p, nil
}

// inCluster checks what the chart would refuse.
func inCluster(p *install.Plan) (any, error) {
	tls, ways := p.Values.Deploy.Kubernetes.TLS, 0
	for _, chosen := range []bool{tls.Secret != "", tls.Issuer != "", tls.Plaintext} {
		if chosen {
			ways++
		}
	}
	if ways != 1 {
		return nil, errcode.New(errcode.InvalidArgument, "values: %d of deploy.kubernetes.tls.secret, tls.issuer and tls.plaintext are set, want one: a Secret with a certificate, an issuer of cert-manager, or no TLS", ways)
	}
	return nil, nil
}
