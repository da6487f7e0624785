# Two commands do everything, set-up included: `make validate` (the catalog) and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: validate test test-cluster envtest kind check selftest format contracts pages bench bench-history sbom lock clean

validate: $(STAMP) ## judge every definition of the catalog
	$(BIN)/wmap validate

test: $(STAMP) ## run the tests, with branch coverage
	PYTHON=$(BIN)/python tools/test

test-cluster: $(STAMP) envtest kind ## run the tests that need an API server (etcd and kube-apiserver, on loopback; kind, in Docker)
	$(BIN)/python -m pytest -n 0 tests/cluster

envtest: ## build etcd and kube-apiserver with Go, once; not needed where KUBEBUILDER_ASSETS names them
	@[ -n "$$KUBEBUILDER_ASSETS" ] || tools/envtest/build || echo "not run: the tests that need an API server" >&2

kind: ## make ready what the tests on kind need: kind, Docker, a node image
	@tools/kind/prepare

check: $(STAMP) ## format, lint, types, rooms, and the checks on the tests themselves
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/meta_checks.py

selftest: $(STAMP) ## break the catalog's definitions on purpose, and see that the validator notices
	$(BIN)/wmap selftest --sites $(or $(SITES),1) --jobs 2

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

contracts: $(STAMP) ## make the store of contracts anew from the reference material (WMAP_UPSTREAM, else ../shared/upstream)
	$(BIN)/python tools/contracts

pages: $(STAMP) ## make docs/catalog anew: a page for each definition
	$(BIN)/python tools/pages

bench: $(STAMP) ## measure, and write bench.json
	$(BIN)/wmap bench --json bench.json

bench-history: $(STAMP) ## measure log, blame, diff and bundles on a repository of 5,000 commits
	$(BIN)/python tools/bench_history.py

sbom: $(STAMP) ## the bill of materials of a release, as CycloneDX JSON
	$(BIN)/python tools/sbom.py

lock: $(STAMP) ## resolve the dependencies anew: versions and hashes, no index address
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-annotate --no-header pyproject.toml --group dev -o requirements/dev.txt

$(STAMP): requirements/dev.txt pyproject.toml tools/setup
	PYTHON="$(PYTHON)" tools/setup $(VENV)
	touch $(STAMP)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .coverage.* bench.json
