package service_test

import (
	"testing"

	"github.com/badger-eval/badger/deploy/service"
)

// A network rule of Snowflake names a host in lower case, with a port.
func TestJudgeHost(t *testing.T) {
	for url, want := range map[string]string{
		"https://Models.example.com/v1":      "models.example.com:443",
		"https://models.example.com:8443/v1": "models.example.com:8443",
		"https://[2001:db8::1]/v1":           "[2001:db8::1]:443",
	} {
		if got := (&service.Judge{URL: url}).Host(); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
	for backend, want := range map[string][2]bool{"": {}, "none": {}, "cortex": {false, true}, "openai": {true, false}} {
		j := service.Judge{Backend: backend}
		if got := [2]bool{j.Outside(), j.Cortex()}; got != want {
			t.Errorf("the backend %q: outside and Cortex are %v, want %v", backend, got, want)
		}
	}
}
