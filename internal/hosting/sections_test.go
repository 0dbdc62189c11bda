package hosting

import (
	"testing"

	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/udf/identity"
)

// A platform's port counts where the HTTP listener is that platform's and nothing else says where.
func TestPlatformPort(t *testing.T) {
	cloudRun := Auth{HTTP: &identity.Config{Mode: identity.Platform, Platform: "cloud-run"}}
	apps := Auth{HTTP: &identity.Config{Mode: identity.Platform, Platform: "databricks-apps"}}
	for _, tc := range []struct {
		why            string
		listen         Listen
		auth           Auth
		env            map[string]string
		port, variable string
		wrong          bool
	}{
		{"Cloud Run", Listen{}, cloudRun, map[string]string{"PORT": "8080", "DATABRICKS_APP_PORT": "1"}, "8080", "PORT", false},
		{"an app", Listen{}, apps, map[string]string{"PORT": "8080", "DATABRICKS_APP_PORT": "8000"}, "8000", "DATABRICKS_APP_PORT", false},
		{"an address is configured", Listen{HTTP: "0.0.0.0:81"}, cloudRun, map[string]string{"PORT": "8080"}, "", "", false},
		{"no platform", Listen{}, Auth{}, map[string]string{"PORT": "8080"}, "", "", false},
		{"the platform says nothing", Listen{}, cloudRun, nil, "", "", false},
		{"no number", Listen{}, cloudRun, map[string]string{"PORT": "eighty"}, "", "", true},
		{"no port", Listen{}, cloudRun, map[string]string{"PORT": "0"}, "", "", true},
		{"beyond the last port", Listen{}, cloudRun, map[string]string{"PORT": "65536"}, "", "", true},
	} {
		port, variable, err := PlatformPort(tc.listen, tc.auth, "", func(name string) string { return tc.env[name] })
		if errcode.IsUsage(err) != tc.wrong || port != tc.port || variable != tc.variable {
			t.Errorf("%s: %q of %q (%v), want %q of %q", tc.why, port, variable, err, tc.port, tc.variable)
		}
	}
}

func TestReloadable(t *testing.T) {
	for key, want := range map[string]bool{
		"auth.token_file": true, "auth.grpc.mode": true, "judges": true, "limits.caller.calls": true, "limits.callers": true,
		"limits.calls": false, "listen.http": false, "judge.backend": false, "authority": false, "results.warehouse": false,
	} {
		if got := Reloadable(key); got != want {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
	}
}
