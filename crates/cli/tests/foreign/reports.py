"""Reads a report as another program does, and prints what it found as JSON.

    reports.py junit FILE                 junitparser
    reports.py junit-schema FILE SCHEMA   lxml, against the schema of Jenkins; prints what does not hold to it
    reports.py sarif FILE                 sarif-tools
    reports.py markdown FILE              markdown-it

Exits with 77 where the package that is asked for is missing.
"""

import json
import sys


def junit(path):
    import junitparser

    suites = junitparser.JUnitXml.fromfile(path)
    cases = {case.name: [type(result).__name__ for result in case.result] for suite in suites for case in suite}
    sums = {"tests": suites.tests, "failures": suites.failures, "errors": suites.errors, "skipped": suites.skipped}
    return {**sums, "cases": cases}


def junit_schema(path, schema):
    from lxml import etree

    report = etree.parse(path)
    # What readers know by now, and the schema does not yet.
    for element, attribute in [
        ("testsuites", "skipped"), ("skipped", "message"), ("testcase", "file"), ("testcase", "line"),
    ]:
        for found in report.getroot().iter(element):
            found.attrib.pop(attribute, None)
    schema = etree.XMLSchema(etree.parse(schema))
    schema.validate(report)
    return [f"{error.line}: {error.message}" for error in schema.error_log]


def sarif(path):
    from sarif import loader

    file = loader.load_sarif_file(path)
    return {"tools": file.get_distinct_tool_names(), "records": file.get_records()}


def markdown(path):
    from markdown_it import MarkdownIt

    with open(path, encoding="utf-8") as file:
        tokens = MarkdownIt("commonmark").enable("table").parse(file.read())
    inline = [part for token in tokens for part in token.children or []]
    return {
        "headings": [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"],
        "rows": sum(token.type == "tr_open" for token in tokens),
        "html": [token.content for token in tokens + inline if token.type in ("html_block", "html_inline")],
        "links": [part.attrs["href"] for part in inline if part.type == "link_open"],
    }


READERS = {"junit": junit, "junit-schema": junit_schema, "sarif": sarif, "markdown": markdown}

try:
    print(json.dumps(READERS[sys.argv[1]](*sys.argv[2:])))
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(77)
