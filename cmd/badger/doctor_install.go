package main

import (
	"context"

	"github.com/badger-eval/badger/connectors/doctor"
	"github.com/badger-eval/badger/sql/install"
)

// installation checks what badger install created in the warehouse at url. values is the file of the installation's
// values.
func installation(ctx context.Context, p process, values, url string) ([]doctor.Check, error) {
	c := installCommand{valuesFlags: valuesFlags{Values: values}}
	v, err := c.values()
	if err != nil {
		return nil, err
	}
	plan, err := planOf(ctx, v)
	if err != nil {
		return nil, err
	}
	return plan.Examine(ctx, func() (install.Database, func(), error) { return c.open(ctx, p, plan, url) }), nil
}
