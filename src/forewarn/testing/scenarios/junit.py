"""Reports as JUnit XML, which every CI understands: a suite for each scenario, a case for each expectation."""

import re
from collections.abc import Iterable
from xml.etree import ElementTree as ET

from forewarn.testing.scenarios.report import Report, Verdict
from forewarn.wire.durations import format_duration

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(reports: Iterable[Report]) -> str:
    root = ET.Element("testsuites", name="forewarn run")
    for report in reports:
        root.append(_suite(report))
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(report: Report) -> ET.Element:
    open_ones = [verdict for verdict in report.verdicts if verdict.held is None]
    suite = ET.Element(
        "testsuite",
        name=_clean(report.scenario.name),
        tests=str(len(report.verdicts) + bool(report.trouble)),
        failures=str(len(report.failures)),
        errors=str(int(bool(report.trouble))),
        skipped=str(len(open_ones)),
        time=f"{report.seconds:.3f}",
    )
    for verdict in report.verdicts:
        suite.append(_case(report, verdict))
    if report.trouble:
        case = ET.SubElement(suite, "testcase", classname=_clean(report.scenario.name), name="it can be played")
        ET.SubElement(case, "error", message=_clean(report.trouble)).text = _clean(_story(report))
    if report.said:
        words = "\n".join(f"{machine}'s client:\n{said}" for machine, said in report.said.items())
        ET.SubElement(suite, "system-out").text = _clean(words)
    return suite


def _case(report: Report, verdict: Verdict) -> ET.Element:
    case = ET.Element(
        "testcase", classname=_clean(report.scenario.name), name=_clean(verdict.expectation.title), time="0"
    )
    if verdict.held is None:
        ET.SubElement(case, "skipped", message="it came to an end before this could be said")
    elif not verdict.held:
        message = f"at +{format_duration(verdict.at)} there was {verdict.seen}"
        ET.SubElement(case, "failure", message=_clean(message)).text = _clean(f"{verdict}\n\n{_story(report)}")
    return case


def _story(report: Report) -> str:
    return "\n".join(str(happening) for happening in report.happenings)


def _clean(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
