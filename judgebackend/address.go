package judgebackend

import (
	"net/url"
	"strings"

	"github.com/badger-eval/badger/internal/errcode"
)

// Address is where the backend that spec names is asked, or nil where it is not reached by HTTP of
// its own: judges in a warehouse, recordings and none.
func Address(spec string, o *OpenOptions) (*url.URL, error) {
	name, _, _ := strings.Cut(spec, ":")
	own, known := map[string]string{"openai": openAIBase, "anthropic": anthropicBase}[name]
	switch {
	case !known:
		return nil, nil //nolint:nilnil // there is none
	case o.BaseURL != "":
		own = o.BaseURL
	}
	u, err := url.Parse(own)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errcode.New(errcode.InvalidArgument, "judge base URL: want http(s)://host[:port]/path")
	}
	return u, nil
}
