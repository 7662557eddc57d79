# Every target that a developer or CI needs; `make` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help dependencies toolchain build run test test-prometheus cost check fmt docs examples manual reference package release check-release system-test truth measure-truth measure-sample web-test page-picture isolation soak truth-vm fuzz fuzz-corpus bench bench-fleet bench-hooks bench-http bench-probes bench-report bench-schedule bench-service bench-sink bench-stream bench-transfer

ARGS ?=
FUZZ_SECONDS ?= 30
SIDE_BY_SIDE := --experimental-maximum-parallelization-width 8
# CONFIGURATION=release builds as the package does, and tests that, as `.ci/run`: see scripts/build-release.
CONFIGURATION ?= debug
BUILD := $(if $(filter release,$(CONFIGURATION)),scripts/build-release,swift build)
# SKIP_BUILD=1 takes what is built already. SwiftPM needs several seconds to find that nothing has changed, and `.ci/run` has
# built everything in the check. The programs of a release are then those that were built with the tests, which a package that
# is built meanwhile does not replace.
PROGRAMS := .build/$(CONFIGURATION)
ifdef SKIP_BUILD
BUILD := true
PROGRAMS := .build/$(if $(filter release,$(CONFIGURATION)),tested,debug)
endif
# The tests are run as they are: SwiftPM lets nothing else be built, nor another tier be tested, while it runs tests.
TEST := .build/$(if $(filter release,$(CONFIGURATION)),tested,debug)/reachagentPackageTests.xctest --testing-library swift-testing
SOURCES := Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources examples/libraries Fuzz
# Whatever the package is made of: it is built again when one of them has changed.
PACKAGED := Package.swift README.md CHANGELOG.md LICENSE $(shell find Sources debian docs examples packaging scripts -type f -not -path 'debian/reachagent/*' -not -path 'debian/reachagent-sink/*')

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

toolchain:
	@command -v swift >/dev/null || { echo "No Swift toolchain was found: install Swift 6.2 or later from https://www.swift.org/install/linux/ and put it on your PATH." >&2; exit 69; }

dependencies: toolchain ## Install the Debian packages that building needs
	@scripts/install-dependencies build

build: dependencies ## Build the agent to debug; CONFIGURATION=release builds it as the package ships it
	@$(BUILD) --product reachagent >&2

run: build ## Run the agent in the foreground; ARGS="--format human" passes options
	@exec $(PROGRAMS)/reachagent run $(ARGS)

test: dependencies ## Run the unit and integration tests
	@scripts/install-dependencies test
	@scripts/make-python-environment
	$(BUILD) --build-tests
	@# Unit tests compute, and integration tests wait: both tiers run at once, whatever becomes of the other, and the second
	@# shows its output when the first is over. Without a bound all tests of a run begin at once, and their time limits would
	@# measure how long they queue.
	@failed=0; \
	$(TEST) $(SIDE_BY_SIDE) --filter IntegrationTests --skip CostTests >.build/integration-tests.log 2>&1 & \
	trap 'kill $$!' EXIT; \
	$(TEST) $(SIDE_BY_SIDE) --skip SystemTests --skip IntegrationTests --skip CostTests || { echo "error: the unit tests ended with status $$?" >&2; failed=1; }; \
	echo "Integration tests, since the start of the unit tests:"; \
	tail --follow --lines +1 --pid $$! --sleep-interval 0.2 .build/integration-tests.log; \
	wait $$! || { echo "error: the integration tests ended with status $$?" >&2; failed=1; }; \
	trap - EXIT; \
	exit $$failed

test-prometheus: dependencies ## Have a real Prometheus scrape a real agent, and ask every query of the dashboard
	@scripts/install-dependencies prometheus
	$(BUILD) --build-tests
	$(TEST) --filter 'MetricsPageTests|DashboardTests|IntegrationPrometheusTests'

cost: dependencies ## Prove that hostile input and greedy clients cost others no more time than they may
	@scripts/install-dependencies test
	$(BUILD) --build-tests
	@# These tests compare times: anything beside them disturbs them.
	$(TEST) --no-parallel --filter CostTests

check: dependencies ## Check the format, the service files, and that everything builds without a warning
	@scripts/install-dependencies check
	@scripts/check-version >/dev/null
	packaging/check-units
	swift format lint --strict --parallel --recursive $(SOURCES)
	REACHAGENT_STRICT=1 $(BUILD) --build-tests --explicit-target-dependency-import-check error

fmt: toolchain ## Format the sources
	swift format format --in-place --recursive $(SOURCES)

manual: dependencies ## Make the manual and the completions in .build/manual; CONFIGURATION=release as for the package
	@for program in reachagent reachagent-sink reachagent-fleet reachagent-manual; do $(BUILD) --product $$program >&2; done
	@rm -rf .build/manual
	$(PROGRAMS)/reachagent-manual --agent $(PROGRAMS)/reachagent --sink-program $(PROGRAMS)/reachagent-sink --sink-program $(PROGRAMS)/reachagent-fleet --output .build/manual

reference: dependencies ## Update the tables of docs/configuration.md and docs/metrics.md from the declarations
	swift build --product reachagent-manual >&2
	.build/debug/reachagent-manual reference

package: .build/package/checked ## Build the Debian package into .build/package, and check it

.build/package/checked: $(PACKAGED) | dependencies
	@scripts/install-dependencies package
	debian/rules clean >&2
	debian/rules binary >&2
	debian/rules clean >&2
	packaging/check-package
	@touch $@

release: package ## Make a signed APT repository in .build/repository; RELEASE_KEY names the key, RELEASE_URL the address
	@scripts/install-dependencies release
	packaging/release

check-release: package ## Prove that a release installs with apt in a clean Debian
	@scripts/install-dependencies release
	packaging/check-release

system-test: package ## Run the system tests: VMs with real Wi-Fi and WWAN stacks, and with a real systemd and the package
	@scripts/install-dependencies system || echo "Some packages for the VM lab could not be installed; what needs them is skipped." >&2
	@# One by one: two virtual machines at once leave nothing of two cores for what is to be answered in time.
	REACHAGENT_SYSTEM_TESTS=1 $(TEST) --no-parallel --filter SystemTests

examples: dependencies ## Build the packages of examples/ as a stranger would
	@# In the agent's own directory: what both need is compiled once, and the tests find the programs beside the agent.
ifeq ($(CONFIGURATION),release)
	export REACHAGENT_STRICT=1; eval "swift build $$(scripts/build-release --flags) --package-path examples/libraries"
	cp $(patsubst examples/libraries/Sources/%,.build/release/%,$(wildcard examples/libraries/Sources/*)) .build/tested/
else
	REACHAGENT_STRICT=1 swift build --package-path examples/libraries --scratch-path .build
endif

truth: build ## Judge the published state by real packets in random scenarios; ARGS="--seed N" plays one again
	@scripts/install-dependencies test
	Tests/Truth/truth --agent $(PROGRAMS)/reachagent $(ARGS)

truth-vm: build ## Judge it on real Wi-Fi, PPP and WireGuard in the VM lab's guest; ARGS="--count 20" sets how many scenarios
	@scripts/install-dependencies system
	@scripts/install-dependencies truth-vm
	Tests/Truth/truth-vm $(ARGS)

measure-truth: dependencies ## Judge `measure` on shaped links beside iperf3 and ping; ARGS="bloated --log FILE" chooses
	@scripts/install-dependencies measure-truth
	@scripts/build-release >&2
	@swift build --product link-forwarder >&2
	Tests/Transfers/measure-truth --agent .build/release/reachagent $(ARGS)

measure-sample: build ## Judge it on a few links, as CI does
	@scripts/install-dependencies measure-truth
	@$(BUILD) --product link-forwarder >&2
	Tests/Transfers/measure-truth --sample --agent $(PROGRAMS)/reachagent --forwarder $(PROGRAMS)/link-forwarder $(ARGS)

web-test: build ## Drive a real browser at the page of a real agent in namespaces; ARGS="cable portal" chooses
	@scripts/install-dependencies test
	@scripts/install-dependencies web || echo "The browser could not be installed; without one the test is skipped." >&2
	Tests/Web/web-test --agent $(PROGRAMS)/reachagent $(ARGS)

page-picture: build ## Make the README's picture of the page, docs/page.webp
	@scripts/install-dependencies test
	@scripts/install-dependencies web
	Tests/Web/web-test --picture docs/page.webp

# One of each kind that has stopped the agent for others before.
ISOLATION_SERVERS ?= json_many_marks,certificate_name_of_marks,header_marks,chunk_extension,h2_unknown,dns_labels_compressed,drip_handshake,reset_in_body
ISOLATION_CLIENTS ?= line_marks,unfinished_lines,check_every_second,subscribe_unread

isolation: build ## Judge hostile servers and clients beside healthy ones: a sample, without what is a matter of time
	@scripts/install-dependencies test
	@# Both run, whatever becomes of the first. A victim and a hostile client are two users, whom only root and users with
	@# subordinate ones can be.
	@failed=0; \
	tolerant="--agent $(PROGRAMS)/reachagent --tolerant --seconds 5 --jobs 4"; \
	Tests/Isolation/isolation $(ISOLATION_SERVERS) $$tolerant || failed=1; \
	if [ "$$(id -u)" = 0 ] || grep -qs "^$$(id -un):" /etc/subuid; then \
		Tests/Isolation/isolation $(ISOLATION_CLIENTS) $$tolerant --clients || failed=1; \
	else echo "The clients are left out: this user has no subordinate users." >&2; fi; \
	exit $$failed

soak: dependencies ## Prove what takes hours: isolation, 10,000 kills, 10 million inputs; PARTS="crash" and SOAK_… shorten it
	@scripts/install-dependencies test
	@scripts/build-release >&2
	Tests/Soak/soak $(PARTS)

fuzz: dependencies ## Fuzz the parsers with libFuzzer; FUZZ_SECONDS=30 sets how long each
	Fuzz/run $(FUZZ_SECONDS)

fuzz-corpus: dependencies ## Replay the fuzzers' corpora and mutate them, with what `make check` has built
	CONFIGURATION=$(CONFIGURATION) Fuzz/run --without-libfuzzer $(FUZZ_SECONDS)

fuzz-slow: dependencies ## Look for inputs that take a parser longer than a second; FUZZ_SECONDS=30 sets how long each
	Fuzz/run --slow $(FUZZ_SECONDS)

docs: dependencies ## Build the libraries' guides and references with DocC into .build/docs
	@$(BUILD) $(if $(filter release,$(CONFIGURATION)),--build-tests) >&2
	CONFIGURATION=$(CONFIGURATION) scripts/build-documentation

bench: dependencies ## Measure latency and cost beside ip monitor; ARGS passes options
	@scripts/build-release >&2
	cd Benchmarks && swift build -c release --product netlink-bench && .build/release/netlink-bench --agent ../.build/release/reachagent $(ARGS)

bench-hooks: dependencies ## Measure how soon a hook runs, beside a shell loop and ifplugd; ARGS passes options
	@scripts/install-dependencies bench || echo "Some packages for the benchmark could not be installed; a peer that is not there is left out." >&2
	@touch Benchmarks/Package.swift
	@scripts/build-release >&2
	cd Benchmarks && swift build -c release --product hook-bench && .build/release/hook-bench --agent ../.build/release/reachagent $(ARGS)

bench-http: dependencies ## Measure scrapes beside exporters, 1,000 streams of /events, and an idle port; ARGS passes options
	@scripts/install-dependencies bench || echo "Some packages for the benchmark could not be installed; a peer that is not there is reported as missing." >&2
	@touch Benchmarks/Package.swift
	@scripts/build-release >&2
	cd Benchmarks && swift build -c release --product stream-load && swift build -c release --product http-bench
	cd Benchmarks && .build/release/http-bench --agent ../.build/release/reachagent $(ARGS)

bench-probes: dependencies ## Measure HTTPS probes beside curl, Go and blackbox_exporter; ARGS passes options
	@scripts/install-dependencies bench || echo "Some packages for the benchmark could not be installed; a peer that is not there is reported as missing." >&2
	@# SwiftPM looks for files that came or went in a package beside this one only when the manifest has changed.
	@touch Benchmarks/Package.swift
	cd Benchmarks && swift build -c release && .build/release/probe-bench $(ARGS)

bench-fleet: dependencies ## Measure `reachagent fleet` over the events of 10,000 devices; ARGS passes options
	@scripts/install-dependencies test
	@scripts/build-release --product reachagent-fleet >&2
	scripts/bench-fleet $(ARGS)

bench-report: dependencies ## Measure `reachagent report` over a year's journal; ARGS passes options
	@scripts/build-release >&2
	scripts/bench-report --agent .build/release/reachagent $(ARGS)

bench-schedule: dependencies ## Measure 10,000 probes on one core, 1,000 HTTPS probes, and idle; ARGS passes options
	@scripts/install-dependencies bench || echo "Some packages for the benchmark could not be installed; without nginx there are no HTTPS probes." >&2
	@touch Benchmarks/Package.swift
	cd Benchmarks && swift build -c release --product schedule-bench && .build/release/schedule-bench $(ARGS)

bench-service: dependencies ## Measure the service's start, memory and wake-ups; ARGS passes options
	@scripts/install-dependencies bench || echo "Some packages for the benchmark could not be installed; a peer that is not there is left out." >&2
	@touch Benchmarks/Package.swift
	@scripts/build-release >&2
	cd Benchmarks && swift build -c release --product service-bench && .build/release/service-bench --agent ../.build/release/reachagent $(ARGS)

bench-sink: dependencies ## Measure 1,000 devices on one nats-server, a reconnect storm, and a sink at rest; ARGS passes options
	@scripts/install-dependencies bench || echo "Some packages for the benchmark could not be installed." >&2
	@touch Benchmarks/Package.swift
	@scripts/build-release >&2
	@scripts/build-release --product reachagent-sink >&2
	cd Benchmarks && swift build -c release --product sink-bench
	cd Benchmarks && .build/release/sink-bench --programs ../.build/release $(ARGS)

bench-stream: dependencies ## Measure the journal and the sockets beside floors and Redis; ARGS passes options
	@scripts/install-dependencies bench || echo "Some packages for the benchmark could not be installed; a peer that is not there is reported as missing." >&2
	@touch Benchmarks/Package.swift
	@scripts/build-release >&2
	cd Benchmarks && swift build -c release --product stream-load && swift build -c release --product stream-bench
	cd Benchmarks && .build/release/stream-bench --agent ../.build/release/reachagent $(ARGS)

bench-transfer: dependencies ## Measure bounded transfers beside curl, and other probes meanwhile; ARGS passes options
	@scripts/install-dependencies bench
	@touch Benchmarks/Package.swift
	cd Benchmarks && swift build -c release --product transfer-bench && .build/release/transfer-bench $(ARGS)
