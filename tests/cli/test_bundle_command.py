"""``wmap bundle`` on the command line."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric import ec
from tests.registries import PASSWORD, USER
from tests.repositories import Origin

if TYPE_CHECKING:
    from tests.registries import Running

ROOT = Path(__file__).parents[2]
_APART = {
    "WMAP_CATALOG",
    "WMAP_KEY_PASSWORD",
    "GITHUB_ACTIONS",
    "GITHUB_SERVER_URL",
    "GITHUB_REPOSITORY",
    "GITLAB_CI",
    "CIRCLECI",
}


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    names = ("LICENSE", "schemas/definition.schema.json", "catalog/lws/framework.yaml")
    names += ("catalog/lws/leaderworkerset-x-k8s-io-leaderworkerset-v1.yaml",)
    made = Origin(tmp_path / "origin")
    made.commit({name: (ROOT / name).read_bytes() for name in names}, "v0.4.0")
    return made


def _wmap(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in _APART}
    return subprocess.run(
        [sys.executable, "-m", "wmap", "bundle", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_build_verify_and_show_go_together(origin: Origin) -> None:
    """What is built at a tag has its version, verifies, and shows its index."""
    built = _wmap(origin.folder, "build")
    assert (built.returncode, built.stderr) == (0, "")
    assert built.stdout.startswith("wmap-catalog-0.4.0.tar\nwmap-catalog-0.4.0.tar.provenance.json\n")
    verified = _wmap(origin.folder, "verify", "wmap-catalog-0.4.0.tar")
    assert (verified.returncode, verified.stderr) == (0, "")
    shown = json.loads(_wmap(origin.folder, "show", "wmap-catalog-0.4.0.tar", "-o", "json").stdout)
    assert [d["kind"]["kind"] for d in shown["definitions"]] == ["LeaderWorkerSet"]


def test_what_is_no_bundle_ends_with_one(origin: Origin) -> None:
    """A file that is no bundle is a bad artefact: exit 1, one message, no traceback."""
    done = _wmap(origin.folder, "verify", "LICENSE")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("wmap: LICENSE: it is no bundle")


def test_wrong_calls_end_with_two(origin: Origin) -> None:
    """No such file, no such ref, no such version, and a folder that is not there are errors of the call."""
    for arguments in (
        ("verify", "none.tar"),
        ("build", "--at", "v9"),
        ("build", "--version", "x"),
        ("build", "--version", "1.0.0", "--next"),
        ("build", "--out", "none/b.tar"),
    ):
        done = _wmap(origin.folder, *arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert "Traceback" not in done.stderr


def _key_pair(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    how = (form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    (folder / "key.pem").write_bytes(key.private_bytes(*how))
    public = key.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)
    (folder / "key.pub").write_bytes(public)


def test_a_bundle_is_signed_and_verified_with_a_key_pair(origin: Origin) -> None:
    """Build, sign and verify with the public key: the signer and what it vouches for are named."""
    _key_pair(origin.folder)
    _wmap(origin.folder, "build", "--at", "v0.4.0", "--repository", "https://example.org/maps")
    signed = _wmap(origin.folder, "sign", "wmap-catalog-0.4.0.tar", "--key", "key.pem")
    assert (signed.returncode, signed.stdout, signed.stderr) == (0, "wmap-catalog-0.4.0.tar.sigstore.json\n", "")
    verified = _wmap(origin.folder, "verify", "wmap-catalog-0.4.0.tar", "--key", "key.pub")
    assert verified.returncode == 0, verified.stderr
    assert verified.stdout.startswith("wmap-catalog-0.4.0.tar is whole; signed by the key ")
    assert "repository  https://example.org/maps\n" in verified.stdout


def test_what_nobody_vouches_for_is_said_so(origin: Origin) -> None:
    """A signature that was not asked for is not called good, and an origin that nobody signed is marked."""
    _key_pair(origin.folder)
    _wmap(origin.folder, "build", "--at", "v0.4.0", "--repository", "https://example.org/maps")
    unsigned = _wmap(origin.folder, "verify", "wmap-catalog-0.4.0.tar").stdout
    assert "it is not signed" in unsigned
    assert "repository  https://example.org/maps (not vouched for)\n" in unsigned
    _wmap(origin.folder, "sign", "wmap-catalog-0.4.0.tar", "--key", "key.pem")
    assert "its signature is NOT checked" in _wmap(origin.folder, "verify", "wmap-catalog-0.4.0.tar").stdout


def test_a_bundle_that_somebody_else_signed_ends_with_one(origin: Origin) -> None:
    """Another key is a bad artefact, and so is a missing signature where one is asked for."""
    _key_pair(origin.folder)
    _wmap(origin.folder, "build", "--at", "v0.4.0")
    missing = _wmap(origin.folder, "verify", "wmap-catalog-0.4.0.tar", "--key", "key.pub")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "it is not signed" in missing.stderr
    _wmap(origin.folder, "sign", "wmap-catalog-0.4.0.tar", "--key", "key.pem")
    _key_pair(origin.folder)
    other = _wmap(origin.folder, "verify", "wmap-catalog-0.4.0.tar", "--key", "key.pub")
    assert (other.returncode, other.stdout) == (1, "")
    assert "did not sign it" in other.stderr


def test_signing_says_what_it_needs(origin: Origin) -> None:
    """No key, two ways at once, no such key and no provenance are errors of the call; nothing is written."""
    _key_pair(origin.folder)
    _wmap(origin.folder, "build", "--at", "v0.4.0")
    name = "wmap-catalog-0.4.0.tar"
    for arguments in (
        ("sign", name),
        ("sign", name, "--key", "key.pem", "--keyless"),
        ("sign", name, "--key", "none.pem"),
        ("sign", name, "--key", "key.pub"),
        ("verify", name, "--trust-root", "root.json"),
    ):
        done = _wmap(origin.folder, *arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert "Traceback" not in done.stderr
    (origin.folder / f"{name}.provenance.json").unlink()
    done = _wmap(origin.folder, "sign", name, "--key", "key.pem")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"there is no {name}.provenance.json" in done.stderr
    assert not (origin.folder / f"{name}.sigstore.json").exists()


def test_keyless_signing_outside_of_ci_ends_with_three(origin: Origin) -> None:
    """Where no CI gives an identity, the message says to sign with a key."""
    _wmap(origin.folder, "build", "--at", "v0.4.0")
    done = _wmap(origin.folder, "sign", "wmap-catalog-0.4.0.tar", "--keyless")
    assert (done.returncode, done.stdout) == (3, "")
    assert "there is no identity to sign with" in done.stderr


def test_manifests_are_rendered_of_a_bundle_and_of_a_tag(origin: Origin) -> None:
    """The bundle of a version and its tag give the same manifests, on standard output."""
    _wmap(origin.folder, "build")
    of_file = _wmap(origin.folder, "render", "wmap-catalog-0.4.0.tar", "--crd")
    of_tag = _wmap(origin.folder, "render", "--version", "0.4.0", "--crd")
    assert (of_file.returncode, of_file.stderr) == (0, "")
    assert of_file.stdout == of_tag.stdout
    assert of_file.stdout.count("\n---\n") == 2


def test_a_version_that_is_none_of_the_releases_is_not_rendered(origin: Origin) -> None:
    """Manifests say which bundle they are of: the checkout is not called a release that it is none of."""
    files = {n: (origin.folder / n).read_bytes() for n in origin.git("ls-files").split("\n")}
    lws = next(n for n in files if "leaderworkerset" in n)
    origin.commit({**files, lws: files[lws] + b"# more\n"})
    for arguments, said in (
        ((), "no tag gives this commit a version"),
        (("--version", "1.0.0"), "there is no release 1.0.0: no tag v1.0.0 is here"),
        (("--at", "HEAD", "--version", "0.4.0"), "0.4.0 is too low"),
        (("--at", "v0.4.0", "--version", "0.5.0"), "there is no release 0.5.0"),
    ):
        done = _wmap(origin.folder, "render", *arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert said in done.stderr
        assert "--next" not in done.stderr
    for version in ("0.4.1", "1.0.0-dev"):
        done = _wmap(origin.folder, "render", "--version", version)
        assert f"wmap.dev/bundle: {version}" in done.stdout, done.stderr


def test_a_bundle_in_a_registry_is_fetched_before_it_is_rendered(origin: Origin) -> None:
    """What takes a file says so of a name in a registry, and how to get the file."""
    for arguments in (("render",), ("sign", "--key", "k.pem"), ("push", "127.0.0.1:1/maps/x")):
        command, *more = arguments
        given = [command, "oci://127.0.0.1:1/maps/x:1.0.0", *more]
        done = _wmap(origin.folder, *given)
        assert (done.returncode, done.stdout) == (2, ""), given
        assert f"{command} takes the file of a bundle" in done.stderr
        assert "wmap bundle pull oci://127.0.0.1:1/maps/x:1.0.0" in done.stderr


def test_of_a_bare_repository_a_ref_is_bundled(origin: Origin, tmp_path: Path) -> None:
    """Nothing is checked out in a bare clone, so a build there asks for the ref, and not for a commit."""
    origin.git("clone", "--quiet", "--bare", str(origin.folder), str(tmp_path / "bare"))
    for arguments in (("build", "--version", "0.5.0"), ("build", "--next"), ("build", "--dirty"), ("render",)):
        done = _wmap(tmp_path / "bare", *arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert "is a bare repository" in done.stderr
        assert "--at HEAD" in done.stderr
    assert _wmap(tmp_path / "bare", "build", "--at", "v0.4.0", "--out", str(tmp_path / "b.tar")).returncode == 0


def test_a_folder_of_manifests_is_written_whole_and_over_nothing(origin: Origin) -> None:
    """A folder that holds something is left alone: what another version left there would be applied too."""
    for kind in ("dir", "kustomize", "helm"):
        done = _wmap(origin.folder, "render", "--at", "v0.4.0", "-o", kind, "--out", kind)
        assert (done.returncode, done.stdout) == (0, f"{kind}\n")
        again = _wmap(origin.folder, "render", "--at", "v0.4.0", "-o", kind, "--out", kind)
        assert (again.returncode, again.stdout) == (2, "")
    assert _wmap(origin.folder, "render", "--at", "v0.4.0", "-o", "dir").returncode == 2
    assert not [p.name for p in origin.folder.iterdir() if p.name.startswith(".dir")]


def test_a_bundle_that_nobody_vouches_for_is_not_rendered(origin: Origin) -> None:
    """Where a key is asked for, nothing is written of a bundle without its signature."""
    _key_pair(origin.folder)
    _wmap(origin.folder, "build")
    done = _wmap(origin.folder, "render", "wmap-catalog-0.4.0.tar", "--key", "key.pub")
    assert (done.returncode, done.stdout) == (1, "")


def test_a_folder_of_bundles_gets_an_index(origin: Origin) -> None:
    """The index names version, digest and what was yanked; a yank without a reason is an error of the call."""
    (origin.folder / "shelf").mkdir()
    _wmap(origin.folder, "build", "--out", "shelf/b.tar")
    done = _wmap(origin.folder, "index", "shelf", "--yank", "0.4.0=wrong pods")
    assert done.returncode == 0, done.stderr
    assert "yanked: wrong pods" in done.stdout
    assert json.loads((origin.folder / "shelf/index.json").read_text())["latest"] is None
    assert _wmap(origin.folder, "index", "shelf", "--yank", "0.4.0").returncode == 2


def test_the_changelog_is_written_with_the_bundle(origin: Origin) -> None:
    """The section of the version stands in the changelog; a second build with it is refused and writes nothing."""
    done = _wmap(origin.folder, "build", "--changelog", "CHANGES.md")
    assert done.returncode == 0, done.stderr
    assert "## 0.4.0 - 2026-03-05" in (origin.folder / "CHANGES.md").read_text()
    again = _wmap(origin.folder, "build", "--changelog", "CHANGES.md", "--out", "second.tar")
    assert (again.returncode, (origin.folder / "second.tar").exists()) == (2, False)


def test_a_bundle_goes_to_a_registry_and_comes_back(
    origin: Origin, registry: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Push, verify, show and pull by the commands; what is pulled is what was pushed."""
    folder = origin.folder
    auth = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    (folder / "config.json").write_text(json.dumps({"auths": {registry.host: {"auth": auth}}}))
    monkeypatch.setenv("DOCKER_CONFIG", str(folder))
    _key_pair(folder)
    _wmap(folder, "build", "--at", "v0.4.0", "--out", "b.tar")
    _wmap(folder, "sign", "b.tar", "--key", "key.pem")
    ref, trusted = f"oci://{registry.host}/maps/commands", ("--ca-file", registry.certificate)
    pushed = _wmap(folder, "push", "b.tar", ref, *trusted)
    assert (pushed.returncode, pushed.stderr) == (0, "")
    assert "tagged 0.4.0, latest\n" in pushed.stdout
    verified = _wmap(folder, "verify", f"{ref}:0.4.0", "--key", "key.pub", *trusted)
    assert verified.stdout.startswith(f"{ref}:0.4.0 is whole; signed by the key "), verified.stderr
    assert json.loads(_wmap(folder, "show", ref, "-o", "json", *trusted).stdout)["version"] == "0.4.0"
    pulled = _wmap(folder, "pull", ref, "--key", "key.pub", "--out", "c.tar", *trusted)
    assert (pulled.returncode, pulled.stderr) == (0, "")
    for end in ("", ".provenance.json", ".sigstore.json"):
        assert (folder / f"c.tar{end}").read_bytes() == (folder / f"b.tar{end}").read_bytes()


def test_a_pull_that_fails_writes_nothing(origin: Origin, registry: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """No login, an authority that does not know the registry, and no registry end with three, and leave no file."""
    monkeypatch.setenv("DOCKER_CONFIG", str(origin.folder))
    monkeypatch.setenv("HOME", str(origin.folder))
    before = sorted(p.name for p in origin.folder.iterdir())
    for arguments in (
        (f"{registry.host}/maps/x:1.0.0", "--ca-file", registry.certificate),
        (f"{registry.host}/maps/x:1.0.0",),
        ("127.0.0.1:1/maps/x:1.0.0",),
    ):
        done = _wmap(origin.folder, "pull", *arguments)
        assert (done.returncode, done.stdout) == (3, ""), arguments
        assert done.stderr.startswith("wmap: ")
        assert "Traceback" not in done.stderr
    assert sorted(p.name for p in origin.folder.iterdir()) == before


def _left(folder: Path) -> dict[str, int]:
    return {p.name: p.lstat().st_mode for p in folder.iterdir()}


def test_what_is_no_file_is_not_replaced(origin: Origin, tmp_path: Path) -> None:
    """A pipe, a folder and a link to a pipe stay what they are, as output and as changelog, and nothing is written beside them."""
    place = tmp_path / "out"
    (place / "folder").mkdir(parents=True)
    os.mkfifo(place / "pipe")
    (place / "link").symlink_to("pipe")
    before = _left(place)
    for name in ("pipe", "link", "folder"):
        for arguments in (("--out", f"{place}/{name}"), ("--out", f"{place}/b.tar", "--changelog", f"{place}/{name}")):
            done = _wmap(origin.folder, "build", *arguments)
            assert (done.returncode, done.stdout) == (2, ""), (name, arguments)
            assert "is there and no file" in done.stderr
    assert _left(place) == before


def test_where_one_output_cannot_be_written_none_is(origin: Origin, tmp_path: Path) -> None:
    """A changelog without a folder, a name too long for what stands beside it, and one name for two outputs leave nothing."""
    place = tmp_path / "out"
    place.mkdir()
    for code, arguments in (
        (2, ("--out", f"{place}/b.tar", "--changelog", f"{place}/none/x.md")),
        (3, ("--out", f"{place}/{'a' * 240}")),
        (2, ("--out", f"{place}/b.tar", "--changelog", f"{place}/b.tar.provenance.json")),
        (2, ("--out", f"{place}/b.tar", "--changelog", f"{place}/./b.tar")),
        (2, ("--out", "")),
    ):
        done = _wmap(origin.folder, "build", *arguments)
        assert (done.returncode, done.stdout) == (code, ""), arguments
        assert "Traceback" not in done.stderr
    assert _left(place) == {}


def test_a_link_is_followed_and_a_file_keeps_its_rights(origin: Origin, tmp_path: Path) -> None:
    """What is written through a link lands where the link points, and rights that somebody set stay."""
    (tmp_path / "real.md").write_text("# Changes\n")
    (tmp_path / "real.md").chmod(0o640)
    (tmp_path / "link.md").symlink_to("real.md")
    done = _wmap(origin.folder, "build", "--out", str(tmp_path / "b.tar"), "--changelog", str(tmp_path / "link.md"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "real.md").stat().st_mode & 0o777 == 0o640
    assert "## 0.4.0" in (tmp_path / "real.md").read_text()


def test_odd_arguments_are_errors_of_the_call(origin: Origin) -> None:
    """A malformed digest, no port, no key, and a version that is yanked and not."""
    _wmap(origin.folder, "build")
    for arguments in (
        ("verify", "wmap-catalog-0.4.0.tar", "--digest", "sha256:zz"),
        ("verify", "wmap-catalog-0.4.0.tar", "--key", ""),
        ("pull", "localhost:99999/a:1"),
        ("index", ".", "--yank", "0.4.0=x", "--unyank", "0.4.0"),
    ):
        done = _wmap(origin.folder, *arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments


@pytest.mark.parametrize(
    "ref",
    [
        "oci://user:secret@127.0.0.1:1/maps/x:1.0.0",
        "user:secret@127.0.0.1:1/maps/x:1.0.0",
        "oci://user:secret@/x",
        "oci://user:se/secret@127.0.0.1:1/UPPER",
        "https://user:secret@127.0.0.1:1/maps/x:1.0.0",
    ],
)
def test_a_password_in_a_name_is_never_shown(origin: Origin, ref: str) -> None:
    """Whatever command it is given to, and however malformed the name, the login in it goes to no output."""
    _wmap(origin.folder, "build", "--out", "b.tar")
    for arguments in (
        ("pull", ref),
        ("push", "b.tar", ref),
        ("verify", ref),
        ("show", ref),
        ("render", ref),
        ("sign", ref, "--key", "key.pem"),
        ("pull", "127.0.0.1:1/x:1", ref),
    ):
        done = _wmap(origin.folder, *arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert "secret" not in done.stderr, (arguments, done.stderr)
