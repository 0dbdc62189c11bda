# badger: what a developer types. `make` lists it.

GOLANGCI_VERSION := v2.12.2
BIN              := bin

.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build the one binary into bin/
	go build -o $(BIN)/badger ./cmd/badger

demo: ## run the demonstration on the embedded engine
	go run ./cmd/badger demo

test: ## run all tests
	go test ./...

race: ## run the tests that share memory under the race detector
	go test -race ./scoring/... ./udf/... ./internal/batch/... ./judgebackend/... ./connectors/...

fuzz: ## run every fuzz target for a little while (FUZZTIME=30s)
	@set -e; for pkg in $$(go list ./...); do \
	  for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "== $$pkg $$target"; go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $${FUZZTIME:-30s} -fuzzminimizetime 1s $$pkg; \
	  done; done

corpus: ## keep what the fuzz targets found, in testdata/fuzz of each package (inputs of up to 4 kB)
	@cache=$${FUZZCACHE:-$$(go env GOCACHE)/fuzz/$$(go list -m)}; cd "$$cache" && find . -type f -size -5k | while read -r f; do \
	  dir=$(CURDIR)/$$(dirname $$(dirname $$f))/testdata/fuzz/$$(basename $$(dirname $$f)); mkdir -p $$dir; cp -n $$f $$dir/; done

trust: ## 10,000 batches over two replicas that are killed by turns (STORE=postgres)
	BADGER_TRUST_BATCHES=10000 BADGER_TRUST_STORE=$(STORE) go test -count=1 -v -timeout 2h -run TestTrust ./internal/callstore

spark: ## Apache Spark runs what is installed in Databricks; minutes (BADGER_SPARK_PYTHON, BADGER_SPARK_JARS; BADGER_SPARK_ALL=1: every function)
	go test -count=1 -v -timeout 1h -run 'TestSpark$$' ./sql/install

bench: ## run the benchmarks (BENCH=pattern)
	go test -run '^$$' -bench '$(or $(BENCH),.)' -benchmem ./...

serving: ## the figures of badger serve, beside Databend's UDF server kit
	go test -run '^$$' -bench BenchmarkServing -benchtime $(or $(BENCHTIME),3x) ./cmd/badger

lint: $(BIN)/golangci-lint ## vet and lint
	go vet ./...
	$(BIN)/golangci-lint run --allow-parallel-runners ./...

$(BIN)/golangci-lint:
	GOBIN=$(CURDIR)/$(BIN) GOFLAGS= go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

generate: ## write the generated pages again
	go run ./cmd/badger functions --markdown > docs/functions.md
	go run ./cmd/badger functions --metrics > docs/metrics.md
	go run ./cmd/badger functions --relations > docs/relations.md
	go run ./cmd/badger functions --equality > docs/equality.md
	go run ./cmd/badger functions --tables > docs/tables.md
	go run ./internal/conformance/page > docs/conformance.md
	go run ./internal/residency/page > docs/residency.md

verify: generate ## fail if generated files or modules are stale
	go mod tidy -diff
	git diff --exit-code -- docs

.PHONY: help build demo test race fuzz corpus trust spark bench serving lint generate verify
