package install

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// withCA lists the protocols whose functions check the server's certificate themselves. withoutCA are those whose
// platform does, by public authorities or its own configuration.
var (
	withCA    = []string{"databricks/python", "postgres/http", "redshift/lambda"}
	withoutCA = map[string]string{
		"databricks/http": "the platform checks certificates by public authorities; use via: python",
		"databend/flight": "add the authority to the system of the query nodes",
	}
)

const longestCA = 1 << 20 // bytes

// readCA returns the certificates in ca_file as PEM, without anything else in the file. It returns "" if the protocol's
// functions do not connect to the server themselves.
func (p *Plan) readCA() (string, error) {
	file, way := p.Values.CAFile, p.Warehouse.Name+"/"+p.Via.Name
	if file == "" {
		return "", nil
	}
	bad := func(format string, args ...any) (string, error) {
		return "", errcode.New(errcode.InvalidArgument, "values: ca_file: "+format, args...)
	}
	if why := withoutCA[way]; why != "" && p.Scheme() == "https" {
		return bad("%s via %s does not use it: %s", p.Warehouse.Name, p.Via.Name, why)
	}
	if !slices.Contains(withCA, way) {
		return "", nil
	}
	f, err := os.Open(file) //nolint:gosec // the values name it
	if err != nil {
		return bad("%s cannot be read; expected a file of certificates in PEM", filepath.Base(file))
	}
	defer f.Close() //nolint:errcheck // only read
	text, err := io.ReadAll(io.LimitReader(f, longestCA+1))
	if err != nil || len(text) > longestCA {
		return bad("%s cannot be read; expected a file of certificates of at most 1 MiB", filepath.Base(file))
	}
	var out bytes.Buffer
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			return bad("%s contains a block %.40q; expected certificates only", filepath.Base(file), block.Type)
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return bad("%s contains an invalid certificate", filepath.Base(file))
		}
		if err := pem.Encode(&out, &pem.Block{Type: block.Type, Bytes: block.Bytes}); err != nil {
			return "", err
		}
	}
	if out.Len() == 0 {
		return bad("%s contains no certificate; expected PEM", filepath.Base(file))
	}
	return out.String(), nil
}

// CA returns the certificates in PEM by which functions check the server's certificate; "" for those of the system.
func (p *Plan) CA() string { return p.ca }

// Lambda returns the source of the Lambda function for Redshift.
func (p *Plan) Lambda() (string, error) {
	b, err := templates.ReadFile("redshift/lambda.py")
	if err != nil {
		return "", err
	}
	ca, err := pythonText(p.ca)
	return strings.Replace(string(b), `CA = ""`, "CA = "+ca, 1), err
}
