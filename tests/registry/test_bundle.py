"""Bundles: built from real repositories, verified whole, and refused where a byte is not as it was built."""

from __future__ import annotations

import io
import json
import tarfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.repositories import Origin

from wmap import Catalog
from wmap.errors import CallError, EnvironmentFailure
from wmap.registry.bundle import BundleError, build, read_bundle
from wmap.registry.bundle.archive import pack, unpack
from wmap.registry.bundle.content import assemble, load_bundle
from wmap.registry.bundle.index import Index
from wmap.registry.bundle.version import Version
from wmap.registry.differences import Semantic

ROOT = Path(__file__).parents[2]
JOBSET = "catalog/jobset/jobset-x-k8s-io-jobset-v1alpha2.yaml"
NAMES = st.from_regex(r"[a-z][a-z0-9]{0,8}(/[a-z][a-z0-9.]{0,8}){0,3}", fullmatch=True)


def _files() -> dict[str, str | bytes]:
    names = ("LICENSE", "schemas/definition.schema.json", "catalog/jobset/framework.yaml", JOBSET)
    return {name: (ROOT / name).read_bytes() for name in names}


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    made = Origin(tmp_path / "origin")
    made.commit(_files(), "v1.0.0")
    return made


@cache
def _built() -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        made = Origin(Path(folder) / "origin")
        made.commit(_files(), "v1.0.0")
        return build(made.folder).data


def _tar(*infos: tarfile.TarInfo) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for info in infos:
            archive.addfile(info)
    return out.getvalue()


@given(st.dictionaries(NAMES, st.binary(max_size=1500), max_size=6))
def test_what_is_packed_is_unpacked(files: dict[str, bytes]) -> None:
    """An archive gives back its files, and tar reads it as well."""
    data = pack(files)
    assert unpack(data) == files
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        assert archive.getnames() == sorted(files)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_flipped_byte_is_refused(data: st.DataObject) -> None:
    """A bundle of which one byte is another is never read."""
    good = _built()
    at = data.draw(st.integers(0, len(good) - 1))
    bad = bytearray(good)
    bad[at] ^= data.draw(st.integers(1, 255))
    with pytest.raises((BundleError, EnvironmentFailure)):
        read_bundle(bytes(bad))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_bundle_that_is_cut_off_is_refused(data: st.DataObject) -> None:
    """The beginning of a bundle is no bundle."""
    good = _built()
    with pytest.raises(BundleError):
        read_bundle(good[: data.draw(st.integers(0, len(good) - 1))])


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (tarfile.SYMTYPE, "a symbolic link"),
        (tarfile.LNKTYPE, "a hard link"),
        (tarfile.CHRTYPE, "a character device"),
        (tarfile.FIFOTYPE, "a pipe"),
        (tarfile.DIRTYPE, "a folder"),
    ],
)
def test_only_regular_files_are_taken(kind: bytes, said: str) -> None:
    """Links, devices, pipes and folders are refused by what they are."""
    info = tarfile.TarInfo("x")
    info.type = kind
    info.linkname = "/etc/passwd"
    with pytest.raises(BundleError, match=said):
        unpack(_tar(info))


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/x", "a//x", ".hidden", "a/./x", "a\\x"])
def test_no_name_leads_outside(name: str) -> None:
    """A name that is not plainly below the bundle is refused."""
    with pytest.raises(BundleError, match="is no name of a file"):
        unpack(_tar(tarfile.TarInfo(name)))


def test_a_name_stands_once() -> None:
    """Two files of one name are refused: readers would differ in which one they take."""
    with pytest.raises(BundleError, match="holds a twice"):
        unpack(_tar(tarfile.TarInfo("a"), tarfile.TarInfo("a")))


def test_a_huge_size_is_refused_before_it_is_read() -> None:
    """A header that promises gigabytes is refused by its number."""
    info = tarfile.TarInfo("a")
    info.size = 7 * 1024**3
    header = info.tobuf(tarfile.USTAR_FORMAT)
    with pytest.raises(BundleError, match="bytes; a bundle holds at most"):
        unpack(header + b"\0" * 1024)


def test_an_added_file_is_refused() -> None:
    """A file that the index does not name is refused, also where the checksums were made anew."""
    bundle = read_bundle(_built())
    with pytest.raises(BundleError, match="is no file of a bundle"):
        read_bundle(assemble(bundle.index, {**bundle.files, "catalog/jobset/more.yaml": b"x"}))


def test_a_swapped_definition_is_refused() -> None:
    """A definition that is not the one of the index's digest is refused, also where the checksums were made anew."""
    bundle = read_bundle(_built())
    with pytest.raises(BundleError, match=r"whose digest stands in index\.json"):
        read_bundle(assemble(bundle.index, {**bundle.files, JOBSET: bundle.files[JOBSET] + b"# more\n"}))


def test_a_newer_form_asks_for_a_newer_reader() -> None:
    """An index of a later form is not called bad: the reader is too old."""
    document = json.loads(read_bundle(_built()).index.dump())
    with pytest.raises(EnvironmentFailure, match="of form 2"):
        Index.load(json.dumps({**document, "schemaVersion": 2}).encode())
    with pytest.raises(EnvironmentFailure, match=r"asks for wmap 99\.0\.0"):
        Index.load(json.dumps({**document, "minimumReader": "99.0.0"}).encode())


def test_the_same_tree_gives_the_same_bytes(origin: Origin, tmp_path: Path) -> None:
    """Another clone, another commit of the same tree, and a bare clone give the same archive."""
    first = build(origin.folder, version="1.0.0").data
    origin.git("clone", "--quiet", "--bare", str(origin.folder), str(tmp_path / "bare"))
    other = Origin(tmp_path / "other")
    other.commit({**_files(), "README.md": "another commit"})
    assert build(tmp_path / "bare", at="v1.0.0").data == first
    assert build(other.folder, version="1.0.0").data == first


def test_a_bundle_reads_as_the_catalog_it_is_of(origin: Origin, tmp_path: Path) -> None:
    """A catalog loaded from a bundle gives the readings of the catalog that it was built of, and says its version."""
    place = tmp_path / "b.tar"
    place.write_bytes(build(origin.folder).data)
    pod = {"containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": 4}}}]}
    job = {"name": "w", "replicas": 2, "template": {"spec": {"parallelism": 1, "template": {"spec": pod}}}}
    obj = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "x"},
        "spec": {"replicatedJobs": [job]},
    }
    reading = Catalog.load(bundle=place).read(obj)
    assert reading.totals == Catalog.load().read(obj).totals
    assert (reading.totals.pods, reading.totals.gpus) == (2, 8)
    assert reading.origin == "bundle:1.0.0"


def test_next_follows_the_meaning_of_the_changes(origin: Origin) -> None:
    """A comment is a patch; a removed definition is major; a version below that is refused."""
    files = _files()
    text = files[JOBSET]
    assert isinstance(text, bytes)
    origin.commit({**files, JOBSET: text + b"# a comment\n"})
    assert build(origin.folder, following=True).index.version == "1.0.1"
    moved = text.replace(b"jobset-x-k8s-io-jobset-v1alpha2", b"another-name")
    origin.commit({**{k: v for k, v in files.items() if k != JOBSET}, "catalog/jobset/another-name.yaml": moved})
    built = build(origin.folder, following=True)
    assert built.index.since is not None
    assert (built.index.version, built.index.since.level) == ("2.0.0", Semantic.MAJOR)
    with pytest.raises(CallError, match=r"1\.1\.0 is too low") as caught:
        build(origin.folder, version="1.1.0")
    assert caught.value.hint == "2.0.0 is the lowest"


def test_nothing_new_is_no_release(origin: Origin) -> None:
    """Where no file of the catalog changed there is no next version."""
    origin.commit({**_files(), "README.md": "more"})
    with pytest.raises(CallError, match=r"nothing of the catalog changed since 1\.0\.0"):
        build(origin.folder, following=True)


def test_a_dirty_tree_is_refused_or_marked(origin: Origin) -> None:
    """What is not committed goes into a bundle only when that is asked for, and the version says so."""
    file = origin.folder / JOBSET
    file.write_bytes(file.read_bytes() + b"# more\n")
    with pytest.raises(CallError, match="is not as it is at HEAD"):
        build(origin.folder, version="1.0.1")
    assert build(origin.folder, version="1.0.1", dirty=True).index.version == "1.0.1+dirty"


def test_a_digest_is_held_to(tmp_path: Path) -> None:
    """A whole bundle with another digest than the one that was asked for is refused."""
    place = tmp_path / "b.tar"
    place.write_bytes(_built())
    assert load_bundle(place, read_bundle(_built()).digest).version == "1.0.0"
    with pytest.raises(BundleError, match="has the digest"):
        load_bundle(place, "sha256:" + "0" * 64)


@pytest.mark.parametrize("text", ["1", "1.2", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3+", "x", "1.2.3\n", "9" * 200])
def test_what_is_no_version_is_refused(text: str) -> None:
    """Only Semantic Versioning is taken."""
    with pytest.raises(CallError, match="is no version"):
        Version.of(text)


def test_versions_are_in_the_order_of_semantic_versioning() -> None:
    """Pre-releases stand before their release, numbers before words."""
    texts = [
        "1.0.0-1",
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-alpha.beta",
        "1.0.0-beta.2",
        "1.0.0-beta.11",
        "1.0.0",
        "1.0.1",
        "1.10.0",
    ]
    assert [str(v) for v in sorted(map(Version.of, reversed(texts)), key=lambda v: v.key)] == texts
