# proxaudit: `make test` needs Go and nothing else; `make demo` shows the product without a cluster.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
BIN := bin

# Tools are built from their modules into a cache outside the tree, by version.
CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)
GOLANGCI_VERSION := v2.15.0
GOLANGCI := $(CACHE)/proxaudit-tools/golangci-lint-$(GOLANGCI_VERSION)/golangci-lint

# Coverage that inventory, audit and adopt must have, in percent of statements.
COVERAGE_FLOOR := 85

.PHONY: build test race lint check demo bench fuzz cover generate bench-binaries browser-tools browser e2e peers clean

build: ## the binary, and the simulators that the demo starts
	@mkdir -p $(BIN)
	go build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/proxaudit .
	go build -trimpath -o $(BIN)/pvesim ./internal/pvesim/cmd
	go build -trimpath -o $(BIN)/kubesim ./internal/kubesim/cmd

test: ## everything that needs no server and no network
	go test ./...

race:
	go test -race -timeout 30m ./...

lint: $(GOLANGCI)
	go vet ./...
	$(GOLANGCI) run ./...
	cd test && go vet ./... && $(GOLANGCI) run --config ../.golangci.yml ./...

$(GOLANGCI):
	@mkdir -p $(dir $@)
	GOBIN=$(dir $@) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

check: lint test cover ## before each commit

cover: ## statement coverage of inventory, audit and adopt, with a floor
	@./.ci/coverage $(COVERAGE_FLOOR) ./inventory/... ./audit/... ./adopt/...

demo: build ## orphans of examples/homelab, over the network, against the simulators
	@./examples/homelab/demo.sh $(BIN)

bench: ## the figures of docs/performance.md
	go test -run '^$$' -bench . -benchmem -benchtime 10x -timeout 30m ./audit/... ./inventory/... ./adopt/... ./internal/cli/... ./render/...

FUZZTIME ?= 20s
fuzz: ## each fuzz test for FUZZTIME
	@./.ci/fuzz $(FUZZTIME)

generate: ## documents that are made from the code
	go test ./audit/rules -run Docs -update
	go test ./schema -run TestSchemas -update

bench-binaries: ## real API servers and controllers, from their modules, into the cache (about half an hour once)
	./test/bench/build.sh

browser-tools: ## what the browser tests measure with: axe-core and the Nu HTML checker
	./test/browser/tools.sh

browser: browser-tools ## the HTML report in chromium: needs Debian's chromium, default-jre-headless and npm
	cd test && go test -timeout 20m ./browser

e2e: bench-binaries browser-tools build ## end to end, against real API servers and controllers, and in a browser
	cd test && go test -p 1 -timeout 40m ./...

peers: ## pvesim against a client that is not ours: needs Debian's python3-proxmoxer
	go test -tags peer -run Peer ./internal/pvesim/...

clean:
	rm -rf $(BIN) coverage.out
