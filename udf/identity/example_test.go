package identity_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/badger-eval/badger/udf/identity"
)

// A guard says who calls; here, whoever has a token that the configuration names.
func ExampleGuard() {
	guard, err := identity.New(identity.Config{Mode: identity.Token, Tokens: map[string]string{"nightly": "a-long-random-secret-of-the-task"}}, identity.Env{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, token := range []string{"a-long-random-secret-of-the-task", "another"} {
		caller, err := guard.Identify(context.Background(), &identity.Request{Header: func(name string) []string {
			if strings.EqualFold(name, "Authorization") {
				return []string{"Bearer " + token}
			}
			return nil
		}})
		fmt.Printf("%q %t\n", caller.Name, err != nil)
	}
	// Output:
	// "nightly" false
	// "" true
}
