package site

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/badger-eval/badger/internal/chart"
	"github.com/badger-eval/badger/internal/errcode"
)

//go:embed assets
var assetFiles embed.FS

// assetsPath is the path of assets. A name contains the hash of its content, so that browsers may cache it
// indefinitely.
const assetsPath = "/assets/{name}"

// asset is a static file, such as a style sheet, that pages load.
type asset struct {
	name    string // with its hash, such as site.0f63a9c2d41e77b8.css
	kind    string // Content-Type
	data    []byte
	zipped  []byte
	address string
}

var assetKinds = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml"}

// assets maps both the plain names and the names with hashes to the assets.
var assets = sync.OnceValue(func() map[string]*asset {
	all := map[string]*asset{}
	files, err := fs.ReadDir(assetFiles, "assets")
	if err != nil {
		panic(err) // they are part of the binary
	}
	for _, f := range files {
		data, err := assetFiles.ReadFile("assets/" + f.Name())
		if err != nil {
			panic(err)
		}
		if f.Name() == "site.css" {
			data = append(append(data, shares()...), chart.CSS...)
		}
		sum := sha256.Sum256(data)
		ext := path.Ext(f.Name())
		a := &asset{name: strings.TrimSuffix(f.Name(), ext) + "." + hex.EncodeToString(sum[:8]) + ext, kind: assetKinds[ext],
			data: data}
		a.address = strings.Replace(assetsPath, "{name}", a.name, 1)
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
		_, _ = z.Write(data)
		_ = z.Close()
		a.zipped = b.Bytes()
		all[f.Name()], all[a.name] = a, a
	}
	return all
})

// shares returns CSS classes f1 to f100, which set flex-grow to 1 to 100: the content security policy of pages forbids
// style attributes.
func shares() []byte {
	var b bytes.Buffer
	for i := 1; i <= 100; i++ {
		fmt.Fprintf(&b, ".f%d{flex-grow:%d}\n", i, i)
	}
	return b.Bytes()
}

// assetAddress returns the address of the asset with a plain name, or "" if the name is unknown.
func assetAddress(name string) string {
	if a := assets()[name]; a != nil {
		return a.address
	}
	return ""
}

// asset serves the asset that the path names by its name with the hash, compressed if the client accepts gzip.
func (s *Site) asset(rw http.ResponseWriter, r *http.Request) {
	a := assets()[r.PathValue("name")]
	if a == nil || a.name != r.PathValue("name") {
		s.fail(rw, r, errcode.New(errcode.NotFound, "there is no such file"))
		return
	}
	h := rw.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	data := a.data
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		data = a.zipped
	}
	_, _ = rw.Write(data)
}
