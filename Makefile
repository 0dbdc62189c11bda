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

test: ## run all tests; of pages, answers and rounds that are many alike they look at a sample (BADGER_SEED=N draws another)
	go test ./...

thorough: ## run all tests as CI does: at all pages, answers and rounds
	BADGER_THOROUGH=1 go test -timeout 30m ./...

race: ## run the tests that share memory under the race detector
	go test -race ./scoring/... ./udf/... ./internal/batch/... ./judgebackend/... ./connectors/...

fuzz: ## run every fuzz target for a little while (FUZZTIME=30s); one that fails does not end the others
	@failed=; for pkg in $$(go list ./...); do \
	  for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "== $$pkg $$target"; go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $${FUZZTIME:-30s} -fuzzminimizetime 1s $$pkg || failed="$$failed $$target"; \
	  done; done; [ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

corpus: ## keep what the fuzz targets found, in testdata/fuzz of each package (inputs of up to 4 kB)
	@cache=$${FUZZCACHE:-$$(go env GOCACHE)/fuzz/$$(go list -m)}; cd "$$cache" && find . -type f -size -5k | while read -r f; do \
	  dir=$(CURDIR)/$$(dirname $$(dirname $$f))/testdata/fuzz/$$(basename $$(dirname $$f)); mkdir -p $$dir; cp -n $$f $$dir/; done

trust: ## 10,000 batches over two replicas that are killed by turns (STORE=postgres)
	BADGER_TRUST_BATCHES=10000 BADGER_TRUST_STORE=$(STORE) go test -count=1 -v -timeout 2h -run TestTrust ./internal/hosting

differential: ## a million random texts an engine: what ran is not called safe (about an hour)
	BADGER_FUZZ_TEXTS=1000000 go test -count=1 -v -timeout 6h -run TestNothingThatRanIsCalledSafe ./internal/execution

crawl: ## walk through ten times as many pages of the web report as the tests do
	BADGER_CRAWL=10 go test -count=1 -timeout 2h -run 'Link|Hostile|Masked|Marks' ./internal/site

spark: ## Apache Spark runs what is installed in Databricks; minutes (BADGER_SPARK_PYTHON, BADGER_SPARK_JARS; BADGER_SPARK_ALL=1: every function)
	go test -count=1 -v -timeout 1h -run 'TestSpark$$' ./sql/install

engines: build $(BIN)/engines/bin/python ## compare the values of every engine that runs here with those of badger run, byte by byte; minutes (ROWS=100000, BADGER_SPARK_PYTHON)
	BADGER_ENGINES=$(CURDIR)/$(BIN)/badger BADGER_ENGINES_PYTHON=$(CURDIR)/$(BIN)/engines/bin/python BADGER_ENGINES_ROWS=$(or $(ROWS),100000) \
	  go test -count=1 -v -timeout 2h -run 'TestEngines$$' ./sql/install

$(BIN)/engines/bin/python: .ci/engines.txt
	python3 -m venv $(BIN)/engines && $(BIN)/engines/bin/pip install -q --disable-pip-version-check --require-hashes -r .ci/engines.txt && touch $@

integrations: $(BIN)/dbt/bin/python $(BIN)/mlflow/bin/python ## dbt with its adapters, and a server of MLflow; ten minutes
	BADGER_THOROUGH=1 BADGER_DBT_PYTHON=$(CURDIR)/$(BIN)/dbt/bin/python BADGER_MLFLOW_PYTHON=$(CURDIR)/$(BIN)/mlflow/bin/python \
	  go test -count=1 -v -timeout 1h -run 'DBT|MLflow' ./cmd/badger

$(BIN)/dbt/bin/python $(BIN)/mlflow/bin/python: $(BIN)/%/bin/python: .ci/%.txt
	python3 -m venv $(BIN)/$* && $(BIN)/$*/bin/pip install -q --disable-pip-version-check --only-binary :all: -r .ci/$*.txt && touch $@

residency: ## whom badger contacts, with every connector, in a network of its own; a minute
	BADGER_RESIDENCY=1 go test -count=1 -v -run TestOnlyNamedHosts ./deploy/preflight

bench: ## run the benchmarks (BENCH=pattern)
	go test -run '^$$' -bench '$(or $(BENCH),.)' -benchmem ./...

wrong: ## what wrong answers cost beside right ones, of every shape, size and metric; an hour (BENCH=rows=10000/, BENCHTIME=3x)
	go test -run '^$$' -bench 'BenchmarkWrong/$(BENCH)' -benchtime $(or $(BENCHTIME),3x) -timeout 4h ./cmd/badger

serving: ## the figures of badger serve, beside Databend's UDF server kit
	go test -run '^$$' -bench BenchmarkServing -benchtime $(or $(BENCHTIME),3x) ./cmd/badger

binary: ## build the binary of a release into dist/ (ARCH, TAGS, VERSION)
	deploy/image/build

image: ## build the image as an OCI layout into dist/; needs root and Debian (ARCH, TAGS, VERSION)
	deploy/image/tools packages
	rm -rf dist/image-$(or $(ARCH),$$(go env GOARCH))
	deploy/image/build
	deploy/image/image

contracts: image ## run the image's root under the contracts of the platforms; needs root; two minutes
	BADGER_IMAGE=$(CURDIR)/dist/image-$$(go env GOARCH) go test -count=1 -v -timeout 30m ./deploy/image

wheel: binary ## build the Python wheel with the binary into dist/ (ARCH, TAGS, VERSION)
	deploy/package/wheel dist/badger-linux-$(or $(ARCH),$$(go env GOARCH))

deb: binary ## build the Debian package into dist/ (ARCH, TAGS, VERSION)
	deploy/package/deb dist/badger-linux-$(or $(ARCH),$$(go env GOARCH))

# Each in an environment of its own: they need different versions of the same packages.
FLOWS           := dagster prefect airflow great_expectations
PACKAGE_dagster := dagster==1.13.29
PACKAGE_prefect := prefect==3.9.1
PACKAGE_airflow := apache-airflow==3.3.2
PACKAGE_great_expectations := great_expectations==1.24.1 duckdb==2.0.1

recipes: build $(BIN)/recipes/bin/python $(FLOWS:%=$(BIN)/%/bin/python) ## run the recipes of the Python package, each in its tool; minutes
	export PATH=$(CURDIR)/$(BIN):$$PATH PYTHONPATH=$(CURDIR)/clients/python/src:$(CURDIR)/clients/python/recipes; check=$(CURDIR)/clients/python/recipes/check.py; \
	  $(BIN)/recipes/bin/python $$check mlflow inspect deepeval langfuse phoenix; failed=$$?; \
	  for flow in $(FLOWS); do $(BIN)/$$flow/bin/python $$check $$flow || failed=1; done; exit $$failed

$(BIN)/recipes/bin/python:
	python3 -m venv $(BIN)/recipes && $(BIN)/recipes/bin/pip install -q --disable-pip-version-check --only-binary :all: pyarrow pandas mlflow==3.17.2 inspect-ai==0.3.285 deepeval==4.3.1 langfuse==5.0.4 arize-phoenix-evals==3.9.4

$(FLOWS:%=$(BIN)/%/bin/python): $(BIN)/%/bin/python:
	python3 -m venv $(BIN)/$* && $(BIN)/$*/bin/pip install -q --disable-pip-version-check pyarrow $(PACKAGE_$*)

million: build $(BIN)/clients/bin/python ## time a million rows over pipe, Flight and JSON
	PATH=$(CURDIR)/$(BIN):$$PATH PYTHONPATH=clients/python/src $(BIN)/clients/bin/python clients/python/bench/million.py

$(BIN)/clients/bin/python: .ci/clients.txt
	python3 -m venv $(BIN)/clients && $(BIN)/clients/bin/pip install -q --disable-pip-version-check --only-binary :all: -r .ci/clients.txt && touch $@

reproduce: ## build binary and image twice, in two folders with two caches, and compare
	deploy/image/tools packages
	deploy/image/reproduce

licences: ## check the licences of what the binary holds
	deploy/image/tools sbom
	deploy/image/build dist/badger
	deploy/image/licences dist/badger dist/THIRD_PARTY_LICENCES.txt

release: ## build the files of a release into dist/release, and show that their signatures are verified (ARCHES); half an hour
	deploy/image/tools
	deploy/image/release
	deploy/image/signature-test dist/release

lint-release: ## check the Dockerfile, the workflows and the scripts
	deploy/image/tools lint
	deploy/image/lint

# The linter caches issues with the path of the checkout that it first read. A cache shared between checkouts reports issues in
# files that are gone, so each checkout has its own.
lint: $(BIN)/golangci-lint ## vet and lint
	go vet ./...
	GOLANGCI_LINT_CACHE=$${GOLANGCI_LINT_CACHE:-$(CURDIR)/$(BIN)/lint-cache} $(BIN)/golangci-lint run --allow-parallel-runners ./...

$(BIN)/golangci-lint:
	GOBIN=$(CURDIR)/$(BIN) GOFLAGS= go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

sizes: ## print lines, exported names and imports of each package
	@go run ./internal/house/page -sizes

words: ## lower the numbers of internal/house/words/words.tsv to what there still is
	BADGER_WORDS=1 go test -count=1 -run TestWords ./internal/house/words

generate: ## write the generated pages again
	go run ./cmd/badger functions --markdown > docs/reference/functions.md
	go run ./cmd/badger functions --metrics > docs/reference/metrics.md
	go run ./cmd/badger functions --python > clients/python/src/badger_eval/functions.py
	for f in macros:macros/functions.sql descriptions:macros/functions.yml figures:macros/figures.sql tables:models/badger.yml; do \
	  go run ./cmd/badger functions --dbt=$${f%%:*} > sql/dbt/$${f#*:} || exit 1; done
	go run ./cmd/badger functions --relations > docs/reference/relations.md
	go run ./cmd/badger functions --equality > docs/reference/equality.md
	go run ./cmd/badger functions --tables > docs/reference/tables.md
	go run ./internal/conformance/page > docs/reference/conformance.md
	go run ./cmd/badger functions --hosts > docs/reference/residency.md
	go run ./internal/house/page > docs/reference/packages.md
	go run ./internal/house/page -levels

# Tools that check what badger deploy writes, and definitions of the custom resources in it. They are built and not linked: their modules are none of badger's. Some modules
# have replace directives, which go install refuses, so they are built where the module cache keeps them.
HELM          := helm.sh/helm/v3@v3.22.0
HELM_UNITTEST := github.com/helm-unittest/helm-unittest@v1.1.2
TOFU          := github.com/opentofu/opentofu@v1.12.6
module_dir     = $$(cd / && go mod download -json $(1) | sed -n 's/^\t"Dir": "\(.*\)",$$/\1/p')

counterexamples: ## the figures of docs/eval/counterexample.md, from the reference data beside the project; a minute
	BADGER_COUNTEREXAMPLES=1 go test -count=1 -timeout 30m -v -run 'TestCounterexamplesOf|TestCounterexamplesAnd|TestAnswersThat' ./connectors/duckdb | grep -v '^=== RUN'

deployables: $(BIN)/helm $(BIN)/helm-unittest $(BIN)/crds $(BIN)/tofu ## what badger deploy writes, by tools that take minutes to build
	BADGER_HELM=$(CURDIR)/$(BIN)/helm BADGER_HELM_UNITTEST=$(CURDIR)/$(BIN)/helm-unittest BADGER_CRDS=$(CURDIR)/$(BIN)/crds BADGER_TOFU=$(CURDIR)/$(BIN)/tofu \
	  go test -count=1 ./deploy
	BADGER_HELM=$(CURDIR)/$(BIN)/helm go test -count=1 -tags no_duckdb -run TestChart ./cmd/badger

$(BIN)/helm:
	cd "$(call module_dir,$(HELM))" && GOFLAGS= go build -trimpath -ldflags "-s -w" -o $(CURDIR)/$@ ./cmd/helm

$(BIN)/helm-unittest:
	cd "$(call module_dir,$(HELM_UNITTEST))" && GOFLAGS= go build -trimpath -ldflags "-s -w" -o $(CURDIR)/$@ ./cmd/helm-unittest

$(BIN)/tofu:
	cd "$(call module_dir,$(TOFU))" && GOFLAGS= go build -trimpath -ldflags "-s -w" -o $(CURDIR)/$@ ./cmd/tofu

$(BIN)/crds:
	rm -rf $@.new && mkdir -p $@.new
	cp "$(call module_dir,sigs.k8s.io/gateway-api@v1.4.0)"/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml $@.new
	cp "$(call module_dir,github.com/cert-manager/cert-manager@v1.19.1)"/deploy/crds/cert-manager.io_certificates.yaml $@.new
	cp "$(call module_dir,github.com/prometheus-operator/prometheus-operator@v0.85.0)"/example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml $@.new
	cp "$(call module_dir,github.com/cilium/cilium@v1.18.3)"/pkg/k8s/apis/cilium.io/client/crds/v2/ciliumnetworkpolicies.yaml $@.new
	chmod -R u+w $@.new && mv $@.new $@

provider-names: ## read the names that Terraform modules may use from the providers' typings, which npm brings into bin/cdktf
	mkdir -p $(BIN)/cdktf
	cd $(BIN)/cdktf && for p in snowflake@15.9.1 google@16.12.1 databricks@15.16.1 aws@21.22.1; do \
	  name=$${p%@*}; mkdir -p $$name && npm pack --silent @cdktf/provider-$$p >/dev/null && \
	  tar xzf cdktf-provider-$$name-*.tgz -C $$name --strip-components=1 --wildcards 'package/lib/*.d.ts' && rm cdktf-provider-$$name-*.tgz || exit 1; done
	go run ./deploy/names $(BIN)/cdktf

# The labels lie outside the project. What the table was made from stands at its head.
policy: ## make the table of policies from the labelled cases under DATA, and try it on databases left out
	go run ./cmd/badger policy --all --out scoring/policy/table.tsv --page docs/reference/labels.md \
	  --answer $(DATA)/rosevec/cases.jsonl --answer $(DATA)/maple/cases.jsonl --answer $(DATA)/enterprise/spiderdev.jsonl \
	  --answer $(DATA)/enterprise/acme.jsonl --answer $(DATA)/enterprise/ghevents.jsonl \
	  --chosen $(DATA)/splash/cases.jsonl --chosen $(DATA)/traps/cases.jsonl --chosen $(DATA)/traps2/cases.jsonl \
	  --chosen $(DATA)/enterprise/bizanalyst.jsonl --chosen $(DATA)/enterprise/hard.jsonl --chosen $(DATA)/enterprise/mutants.jsonl \
	  --chosen scoring/metric/testdata/traps.jsonl --chosen laws \
	  --logic $(DATA)/flex200/cases.jsonl

# Python 3.11 and newer, on every platform.
pins: ## write .ci/*.txt again from .ci/*.in: versions of Python's packages with their hashes
	python3 -m venv $(BIN)/pins && $(BIN)/pins/bin/pip install -q --disable-pip-version-check uv==0.13.9
	for f in .ci/*.in; do { echo "# Made by make pins from $${f#.ci/}: what it needs in turn, with the hashes that pip asks for."; \
	  $(BIN)/pins/bin/uv pip compile -q --universal --generate-hashes --no-annotate --no-header --python-version 3.11 $$f; } > $${f%.in}.txt || exit 1; done

# Some proxies lack the archives of the Databricks driver's experimental backend, one module for each platform. Nothing here is built
# with them: -e goes on without them, and what tidy would note of them does not count.
verify: generate ## fail if generated files or modules are stale
	! go mod tidy -e -diff 2>/dev/null | grep '^[-+][^-+]' | grep -v databricks-sql-kernel-bindings
	git diff --exit-code -- docs clients sql/dbt ARCHITECTURE.md

.PHONY: integrations wheel deb recipes million engines pins policy thorough differential crawl residency help build demo test race fuzz corpus trust spark bench wrong serving deployables provider-names binary image contracts reproduce licences release lint-release lint generate verify
