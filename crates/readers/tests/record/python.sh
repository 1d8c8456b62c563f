#!/bin/sh
# Records the output of Python's tools: sh python.sh <output directory> [<virtual environment>]
# Makes its own faulty projects. Each run goes to <output directory>/<tool>/<case>.stdout.txt and .stderr.txt.
set -u
output=$(mkdir -p "$1" && cd "$1" && pwd)
environment=$(mkdir -p "${2:-$output/.environment}" && cd "${2:-$output/.environment}" && pwd)
if [ ! -x "$environment/bin/pytest" ]; then
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet pytest==8.4.2 pytest-xdist==3.8.0 mypy==2.4.1 ruff==0.17.6 flake8 pylint \
        black isort bandit pyright yamllint codespell pyflakes pydocstyle ty pyrefly sqlfluff cfn-lint sphinx
fi
PATH=$environment/bin:$PATH
COLUMNS=100
export PATH COLUMNS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# record <tool> <case> <command…>: streams that stay empty leave no file.
record() {
    tool=$1 case=$2
    shift 2
    mkdir -p "$output/$tool"
    "$@" >"$output/$tool/$case.stdout.txt" 2>"$output/$tool/$case.stderr.txt"
    for stream in stdout stderr; do
        [ -s "$output/$tool/$case.$stream.txt" ] || rm -f "$output/$tool/$case.$stream.txt"
    done
}

version() {
    echo "$2" >"$output/$1/version.txt"
}

mkdir "$work/tests" && cd "$work/tests" || exit 1
cat >conftest.py <<'PYTHON'
import pytest

@pytest.fixture
def database():
    raise ConnectionError("no database")
PYTHON
cat >calc.py <<'PYTHON'
def div(a, b):
    return a / b

def chain():
    try:
        div(1, 0)
    except ZeroDivisionError as error:
        raise ValueError("bad - thing") from error
PYTHON
cat >test_calc.py <<'PYTHON'
import unittest
import pytest
from calc import chain, div

def test_ok():
    pass

def test_prints_a_closing_line():
    print("=== 5 passed in 0.01s ===")
    print("FAILED test_fake.py::nope - x")
    assert 1 == 2, "one\ntwo"

def test_chain():
    chain()

def test_zero():
    div(1, 0)

@pytest.mark.parametrize("x", ["a - b", "d::e"])
def test_parameters(x):
    assert x == "d::e"

def test_database(database):
    pass

@pytest.mark.skip
def test_skipped():
    pass

@pytest.mark.xfail
def test_expected():
    assert 0

@pytest.mark.xfail
def test_unexpected():
    pass

class TestGroup:
    def test_deep(self):
        assert [1, 2] == [1, 3]
PYTHON
cat >test_import.py <<'PYTHON'
import nothing_like_this
PYTHON
pytest="pytest -p no:cacheprovider"
record pytest default $pytest test_calc.py
record pytest verbose $pytest -v test_calc.py
record pytest quiet-short $pytest -q --tb=short test_calc.py
record pytest line $pytest --tb=line test_calc.py
record pytest native $pytest --tb=native test_calc.py
record pytest all-reasons-coloured $pytest -rA --color=yes test_calc.py
record pytest xdist $pytest -n 2 -v test_calc.py
record pytest collection $pytest
record pytest clean $pytest -k test_ok test_calc.py
record pytest deselected $pytest -k nothing test_calc.py
version pytest "$(pytest --version)"

mkdir "$work/unit" && cd "$work/unit" || exit 1
cat >test_unit.py <<'PYTHON'
import unittest

class Orders(unittest.TestCase):
    def test_ok(self):
        "Says what it does."

    def test_equal(self):
        self.assertEqual(1, 2, "totals")

    def test_error(self):
        {}["missing"]

    def test_sub(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertNotEqual(i, 1)

    @unittest.skip("not now")
    def test_skipped(self):
        pass

    @unittest.expectedFailure
    def test_expected(self):
        self.fail()

class Broken(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise OSError("disk full")

    def test_never(self):
        pass
PYTHON
cp ../tests/test_import.py .
record unittest default python -m unittest
record unittest verbose python -m unittest -v
record unittest clean python -m unittest -k test_ok test_unit
version unittest "$(python --version)"

mkdir "$work/lint" && cd "$work/lint" || exit 1
cat >app.py <<'PYTHON'
import os, sys
import requests_missing_pkg

def add(a: int, b: int) -> int:
    return a + b

x=1
if x == None:
    print(f"none", eval("x"))
result: str = add("1", 2)
print(undefined_name)
PYTHON
echo 'def f(:' >broken.py
echo 'x: int = 1' >clean.py
record mypy default mypy app.py
record mypy pretty mypy --pretty app.py
record mypy columns mypy --show-column-numbers --show-error-end app.py
record mypy json mypy --output json app.py
record mypy clean mypy clean.py
version mypy "$(mypy --version)"
record pyright default pyright app.py broken.py
record pyright json pyright --outputjson app.py
record pyright clean pyright clean.py
version pyright "$(pyright --version)"
ruff="ruff check --isolated --no-cache"
record ruff full $ruff .
record ruff concise $ruff --output-format concise .
record ruff grouped $ruff --output-format grouped .
record ruff json $ruff --output-format json app.py
record ruff json-lines $ruff --output-format json-lines app.py
record ruff format-check ruff format --isolated --no-cache --check .
version ruff "$(ruff --version)"
record flake8 default flake8 .
record flake8 show-source flake8 --show-source --count .
version flake8 "$(flake8 --version)"
pylint="pylint --disable=duplicate-code --persistent=n"
record pylint text $pylint app.py broken.py
record pylint parseable $pylint -f parseable app.py
record pylint msvs $pylint -f msvs app.py
record pylint json $pylint -f json app.py
record pylint json2 $pylint -f json2 app.py
version pylint "$(pylint --version | sed -n 1p)"
record ty full ty check app.py broken.py
record ty concise ty check --output-format concise app.py broken.py
version ty "$(ty --version)"
record pyrefly full pyrefly check app.py broken.py
record pyrefly minimal pyrefly check --output-format min-text app.py broken.py
record pyrefly json pyrefly check --output-format json app.py
version pyrefly "$(pyrefly --version)"
record black check black --check .
record black clean black --check clean.py
version black "$(black --version | sed -n 1p)"
record isort check isort --check app.py
version isort "$(isort --version | grep VERSION)"
record bandit screen bandit app.py
record bandit json bandit -q -f json app.py
record bandit clean bandit clean.py
version bandit "$(bandit --version | sed -n 1p)"
record pydocstyle default pydocstyle app.py
version pydocstyle "pydocstyle $(pydocstyle --version)"
record pyflakes default pyflakes .
version pyflakes "pyflakes $(pyflakes --version)"
record python syntax python broken.py
record python traceback python -c 'import json; json.loads(1)'
version python "$(python --version)"

mkdir "$work/other" && cd "$work/other" || exit 1
printf 'a: [1,2]\nb:  yes\n' >y.yaml
printf 'SELECT a,b  from t where x=1\n' >q.sql
printf 'Resources:\n  B:\n    Type: AWS::S3::Bucketx\n' >t.yaml
echo 'teh recieve' >words.txt
mkdir docs && echo 'project = "x"' >docs/conf.py
printf 'T\n=====\n\n.. foo::\n\n:ref:`nope`\n\nbad *x\n' >docs/index.rst
record yamllint standard yamllint y.yaml
record yamllint parsable yamllint -f parsable y.yaml
version yamllint "$(yamllint --version)"
record sqlfluff human sqlfluff lint --dialect ansi q.sql
record sqlfluff json sqlfluff lint --dialect ansi --format json q.sql
version sqlfluff "$(sqlfluff --version)"
record cfn-lint text cfn-lint t.yaml
record cfn-lint json cfn-lint --format json t.yaml
version cfn-lint "$(cfn-lint --version)"
record codespell default codespell words.txt
version codespell "codespell $(codespell --version)"
record sphinx warnings sphinx-build -E -b html docs _build
version sphinx "$(sphinx-build --version)"

# Paths of this machine say nothing.
home=$(python -c 'import sys; print(sys.base_prefix)')
find "$output" -path "$environment" -prune -o -name '*.txt' -exec \
    sed -i "s#$work#/project#g; s#$environment#/environment#g; s#$home#/usr/local#g" {} +
