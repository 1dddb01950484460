"""A report in the forms that others read: lines for people, JUnit for CI, a badge for a page, the catalogue as a "
"page."""

from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby

from forewarn.testing.doctor.catalogue import CATALOGUE
from forewarn.testing.doctor.checks import Check
from forewarn.testing.doctor.findings import Finding, Report, Verdict
from forewarn.testing.doctor.habits import Habits

LAST_MOMENTS = 12
GREEN, RED, GREY = "#2e7d32", "#c62828", "#616161"


def lines(report: Report) -> Iterator[str]:
    """For people. What went wrong is told with what was seen."""
    yield f"{known(report.habits)} It was reached by {report.by}."
    titles = {check.id: check for check in CATALOGUE}
    for part, findings in groupby(report.findings, lambda finding: titles[finding.id].part):
        yield ""
        yield f"{part.value}: the client …"
        for finding in findings:
            yield f"  {finding.verdict.value:<14}  {finding.id:<20}  … {finding.title}"
            yield from _reason(finding)
    yield ""
    yield summary(report)


def _reason(finding: Finding) -> Iterator[str]:
    for line in finding.reason.splitlines():
        yield f"      {line}"
    if finding.verdict is Verdict.FAILED:
        left_out = len(finding.evidence) - LAST_MOMENTS
        if left_out > 0:
            yield f"      … {left_out} more before"
        for moment in finding.evidence[-LAST_MOMENTS:]:
            yield f"      {moment.seconds:+8.2f} s  {moment.text}"


def known(habits: Habits) -> str:
    """What the client does when nothing is wrong, in a sentence."""
    does = []
    if habits.prepares:
        does.append(f"prepares for a {habits.type}")
    if habits.approves:
        does.append(f"approves a {habits.type}" if not does else "approves it")
    if habits.undoes:
        does.append("undoes that when it is over")
    if habits.trouble:
        does.append("does not live through its first event")
    asks = f"asks every {habits.interval:.2g} s" + (f" (api-version {habits.version})" if habits.version else "")
    words = [asks, *(does or ["only looks on"])]
    return f"The client {', '.join(words[:-1])} and {words[-1]}."


def summary(report: Report) -> str:
    counts = [f"{count} {verdict.value}" for verdict, count in report.counts.items() if count]
    return f"{len(report.findings)} checks in {report.seconds:.0f} s: {', '.join(counts)}."


def junit(report: Report) -> str:
    skipped = report.counts[Verdict.DOES_NOT_APPLY] + report.counts[Verdict.NOT_TRIED]
    head = (
        f'<testsuite name="forewarn doctor" tests="{len(report.findings)}" failures="{report.counts[Verdict.FAILED]}"'
        f' errors="0" skipped="{skipped}" time="{report.seconds:.3f}">'
    )
    cases = (
        f'<testcase classname="forewarn.doctor" name="{finding.id}" time="{finding.seconds:.3f}">{_outcome(finding)}'
        "</testcase>"
        for finding in report.findings
    )
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>", ""])


def _outcome(finding: Finding) -> str:
    reason = _xml(finding.reason)
    if finding.verdict is Verdict.PASSED:
        return ""
    if finding.verdict is not Verdict.FAILED:
        return f'<skipped message="{finding.verdict.value}: {reason}"/>'
    seen = "\n".join(f"{moment.seconds:+.2f} s  {_xml(moment.text)}" for moment in finding.evidence)
    return f'<failure message="{reason}">The client should be one that {_xml(finding.title)}.\n{seen}\n</failure>'


def _xml(text: str) -> str:
    """XML has no room for most control characters, not even escaped."""
    return escape("".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text))


def badge(report: Report) -> str:
    """An SVG of our own, so that nobody has to be asked for one."""
    counted = {verdict: report.counts[verdict] for verdict in (Verdict.PASSED, Verdict.FAILED)}
    tried = sum(counted.values())
    colour = GREY if not tried else RED if counted[Verdict.FAILED] else GREEN
    left, right = "forewarn doctor", f"{counted[Verdict.PASSED]} of {tried} passed"
    first, second = (12 + 6.2 * len(text) for text in (left, right))
    whole = first + second
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" width="{whole:.0f}" height="20" role="img" aria-label="{left}: {right}">
<title>{left}: {right}</title>
<rect width="{whole:.0f}" height="20" rx="3" fill="#444"/>
<rect x="{first:.0f}" width="{second:.0f}" height="20" rx="3" fill="{colour}"/>
<rect x="{first:.0f}" width="6" height="20" fill="{colour}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
<text x="{first / 2:.0f}" y="14">{left}</text>
<text x="{first + second / 2:.0f}" y="14">{right}</text>
</g>
</svg>
"""


PAGE_HEAD = """\
# What the doctor checks

`forewarn doctor` runs a client through these checks; [how to use it](../how-to/check-a-client.md). A client is
not judged by what it does not set out to do: an observer approves nothing, and need not. What a client does, the doctor
learns first, from an event that nothing is wrong with. What then makes no sense `does not apply`, with the reason.

This page is made from the checks themselves: `python -m forewarn.testing.doctor > docs/reference/doctor.md`.
"""


def page(checks: Iterable[Check] = CATALOGUE) -> str:
    """Of the documentation."""
    told = [PAGE_HEAD]
    for part, found in groupby(checks, lambda check: check.part):
        told.append(f"## {part.value}\n")
        for check in found:
            told.append(f"### `{check.id}`\n\nThe client {check.title}.\n")
            told.append(f"**Why.** {check.why}\n\n**How.** {check.how}\n")
    return "\n".join(told)
