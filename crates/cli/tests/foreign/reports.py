"""Reads a JUnit report as another program does, and prints what it found as JSON. Exits with 77 without junitparser."""

import json
import sys

try:
    import junitparser
except ImportError:
    sys.exit(77)

suites = junitparser.JUnitXml.fromfile(sys.argv[1])
cases = {case.name: [type(result).__name__ for result in case.result] for suite in suites for case in suite}
sums = {"tests": suites.tests, "failures": suites.failures, "errors": suites.errors, "skipped": suites.skipped}
print(json.dumps({**sums, "cases": cases}))
