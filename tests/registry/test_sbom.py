"""The bill of materials of a release: valid CycloneDX, whole, and the same each time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

ROOT = Path(__file__).parents[2]


def test_the_bill_of_materials_names_what_is_installed_with_wmap(tmp_path: Path) -> None:
    """What wmap needs, and what that needs, is there with its version; what only the tests need is not."""
    texts = []
    for name in ("a.json", "b.json"):
        done = subprocess.run(
            [sys.executable, "tools/sbom.py", str(tmp_path / name)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        texts.append((tmp_path / name).read_text())
    assert texts[0] == texts[1]
    document = json.loads(texts[0])
    names = {c["name"] for c in document["components"]}
    assert {"click", "lark", "jsonschema", "rpds-py", "oras", "requests"} <= names
    assert "pytest" not in names
    needs = {d["ref"].partition("@")[0]: d.get("dependsOn", []) for d in document["dependencies"]}
    assert any(x.startswith("pkg:pypi/rpds-py@") for x in needs["pkg:pypi/jsonschema"])
    assert document["metadata"]["component"]["name"] == "wmap"
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(texts[0]) is None
