"""The page of a drift run lets nothing but its own scripts run."""

from __future__ import annotations

import base64
import hashlib
import re

from tests.drift.synthetic import HOSTILE


def policy(page: str) -> str:
    return re.search('Content-Security-Policy" content="([^"]*)"', page).group(1)  # type: ignore[union-attr]


def scripts(page: str) -> list[str]:
    return re.findall(r"<script>(.*?)</script>", page, re.DOTALL)


def test_the_policy_allows_the_scripts_of_the_page_and_no_other(page: str) -> None:
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts(page)]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    assert len(digests) == 2
    assert f"script-src {allowed};" in policy(page)
    assert policy(page).startswith("default-src 'none';")


def test_hostile_text_appears_only_escaped(page: str) -> None:
    assert HOSTILE.split(">")[0] + ">" not in page.replace("</script>\n", "")
    assert "<img" not in page
    assert "\u2028" not in page
    assert page.count("<script") == page.count("</script>") == 3
