package main

import (
	"context"
	"iter"
	"time"

	"github.com/badger-eval/badger/connectors"
	"github.com/badger-eval/badger/connectors/driver"
	"github.com/badger-eval/badger/internal/batch"
	"github.com/badger-eval/badger/scoring"
)

// warehouses are the schemes this build can open. Connectors add themselves in connector_*.go files, each of which a build tag leaves out.
var warehouses connectors.Mux

const (
	readOnly  = true
	readWrite = false
)

func openWarehouse(ctx context.Context, url string, only bool) (*connectors.Warehouse, error) {
	return warehouses.Open(ctx, url, driver.Options{ReadOnly: only})
}

// openExisting opens a warehouse to read and write, which is not made where it is not there: a mistyped name must not become a new database.
func openExisting(ctx context.Context, url string) (*connectors.Warehouse, error) {
	return warehouses.Open(ctx, url, driver.Options{MustExist: true})
}

// warehouseSource is the answers in a warehouse's tables.
type warehouseSource struct {
	w      *connectors.Warehouse
	filter connectors.Filter
}

// Cases yields the answers; their place is the row's key.
func (s warehouseSource) Cases(ctx context.Context) iter.Seq2[batch.Item, error] {
	return func(yield func(batch.Item, error) bool) {
		for a, err := range s.w.Cases(ctx, s.filter) {
			if err != nil {
				yield(batch.Item{}, err)
				return
			}
			place := "agent_runs " + a.Agent + " " + a.Version + " " + a.Batch + " " + a.CaseID
			item := batch.Item{
				Answer: batch.Answer{CaseID: a.CaseID, Agent: a.Agent, AgentVersion: a.Version}, Place: place,
				Load: func(context.Context) (*scoring.Case, error) { return nil, a.Err },
			}
			if a.Case != nil {
				item = batch.ItemOf(a.Case, place)
			}
			if !yield(item, nil) {
				return
			}
		}
	}
}

// Count is the number of answers.
func (s warehouseSource) Count(ctx context.Context) (int64, error) { return s.w.Count(ctx, s.filter) }

// warehouseLedger keeps scores in a warehouse's tables.
type warehouseLedger struct {
	w          *connectors.Warehouse
	configHash string
	now        func() time.Time
}

// Done yields what a run holds.
func (l warehouseLedger) Done(ctx context.Context, run string) iter.Seq2[batch.Done, error] {
	return func(yield func(batch.Done, error) bool) {
		for k, err := range l.w.ScoreKeys(ctx, run) {
			d := batch.Done{Status: k.Status, Key: batch.Key{
				Answer: batch.Answer{CaseID: k.CaseID, Agent: k.Agent, AgentVersion: k.AgentVersion}, Metric: k.Metric, MetricVersion: k.MetricVersion,
			}}
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// Append merges scores on their key.
func (l warehouseLedger) Append(ctx context.Context, run string, rows []batch.Row) error {
	out := make([]connectors.ScoreRow, len(rows))
	for i, r := range rows {
		out[i] = connectors.ScoreRow(r)
	}
	return l.w.WriteScores(ctx, run, l.configHash, l.now(), out)
}
