package install

import (
	"context"
	"slices"
	"strings"

	"github.com/badger-eval/badger/deploy/service"
	"github.com/badger-eval/badger/internal/errcode"
	"github.com/badger-eval/badger/sql/store"
)

// serviceMark is the prefix of the mark in a service's comment.
const serviceMark = "badger-service:"

// calling adds the steps that the protocol needs, such as the service. The service's mark is a hash of the steps that
// create and change it without the mark, so that any change of the specification or the number of instances is
// detected.
func (p *Plan) calling(declared []Declared) error {
	steps, err := p.render(p.Via.Name, &page{Plan: p, Functions: declared})
	if err != nil {
		return err
	}
	ofService := slices.DeleteFunc(slices.Clone(steps), func(s Step) bool { return s.Service == "" })
	if len(ofService) > 0 {
		p.service = serviceMark + fingerprint(ofService)
		if steps, err = p.render(p.Via.Name, &page{Plan: p, Functions: declared, Mark: p.service}); err != nil {
			return err
		}
	}
	p.Steps = append(p.Steps, steps...)
	return nil
}

// CloudRun returns the settings of badger serve on Cloud Run, which BigQuery calls.
func (p *Plan) CloudRun() *service.CloudRunService {
	v := &p.Values
	return &service.CloudRunService{
		Name: v.Service, Project: v.Database, Location: v.Location, Dataset: v.Schema, Tables: store.Schema,
		Connection: v.Connection,
		Owner:      v.Roles.Owner, Caller: v.Roles.Caller, Nightly: v.Schedule.Cron != "", Deploy: &v.Deploy,
		Dialect: p.dialect,
	}
}

// SPCS returns the settings of badger serve in Snowpark Container Services.
func (p *Plan) SPCS() *service.SPCSService {
	v := &p.Values
	return &service.SPCSService{
		Name: v.Service, Database: v.Database, Schema: v.Schema, Tables: store.Schema, Pool: v.Pool, Instances: v.Instances,
		Judges: v.Judges, Timeout: p.Via.Wire.Budget, Deploy: &v.Deploy, Dialect: p.dialect,
	}
}

// ServiceDoc returns the service's comment, which ends with its mark.
func (p *page) ServiceDoc() string {
	return "badger serve, which answers badger's functions. [" + p.Mark + "]"
}

// serviceState returns the State of the service; "" if the plan has no service.
func (p *Plan) serviceState(ctx context.Context, db Database) (State, error) {
	if p.service == "" {
		return "", nil
	}
	t, err := db.Query(ctx, p.services)
	if errcode.Of(err) == errcode.NotFound { // the schema does not exist
		return Missing, nil
	}
	if err != nil {
		return "", errcode.New(errcode.Of(err), "listing the services of %s: %w", p.SchemaName(), err)
	}
	name, comment := -1, -1
	for i := range t.Columns {
		switch strings.ToLower(t.Columns[i].Name) {
		case "name":
			name = i
		case "comment":
			comment = i
		}
	}
	if name < 0 || comment < 0 {
		return "", errcode.New(errcode.Internal, "%s shows no names and comments of services", p.Warehouse.Name)
	}
	for i := range t.Rows() {
		if t.Columns[name].Value(i).String() != p.dialect.Stored(p.Values.Service) {
			continue
		}
		said := t.Columns[comment].Value(i).String()
		switch {
		case strings.Contains(said, "["+p.service+"]"):
			return Same, nil
		case strings.Contains(said, "["+serviceMark):
			return Changed, nil
		}
		return Foreign, nil
	}
	return Missing, nil
}

// diffService adds the service to the comparison.
func (p *Plan) diffService(ctx context.Context, db Database, c *Comparison) error {
	state, err := p.serviceState(ctx, db)
	if err != nil || state == "" {
		return err
	}
	l := Line{State: string(state), What: "service", Name: p.In(p.Values.Service)}
	switch state {
	case Same:
		c.Same["service"]++
		return nil
	case Missing:
		l.Fix = "creates it"
	case Changed:
		l.Why, l.Fix = "its specification, image or number of instances is another", "upgrades it in place"
	case Foreign:
		l.Why, l.Fine =
			"badger did not create it and does not change it; upgrade it by the tool that created it, such as Terraform", true
	}
	c.Lines = append(c.Lines, l)
	return nil
}
