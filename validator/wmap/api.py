"""The public face: a catalog that reads objects, explains, changes and validates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from wmap.catalog import Definitions
from wmap.errors import CallError, InputError, UnknownKindError
from wmap.reading.model import Warned
from wmap.reading.plan import Plan, compile_plan
from wmap.reading.read import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from wmap.check.run import Result
    from wmap.contract.framework import Life
    from wmap.definition import Definition
    from wmap.findings import Level
    from wmap.reading.explain import Explained
    from wmap.reading.model import Reading
    from wmap.registry.bundle.trust import Trust


class Catalog:
    """The definitions of one catalog, ready to read objects.

    >>> catalog = Catalog.load()
    >>> reading = catalog.read(obj, pods=pods)
    >>> reading.totals.gpus
    12
    """

    def __init__(self, definitions: Definitions, origin: str = "catalog") -> None:
        self.definitions = definitions
        self.origin = origin
        self._plans: dict[tuple[Any, Any], Plan] = {}
        self._lives: dict[str, Life | None] = {}

    @classmethod
    def load(
        cls,
        folder: str | Path | None = None,
        *,
        git: str | Path | None = None,
        ref: str | None = None,
        bundle: str | Path | None = None,
        trust: Trust | None = None,
    ) -> Catalog:
        """Load the catalog of the package, that of a folder, or that of a git repository at a ref.

        ``git`` is a repository of this machine (bare, or a checkout, whose ``catalog/`` is read) or the folder of a catalog in a
        checkout; ``ref`` a tag, branch or commit, by default ``HEAD``. It is read from the object database: nothing is checked
        out. Definitions of a folder are read when they are first needed. ``bundle`` is a file of ``wmap bundle build``: all of it is
        verified before any of it is used, with what stands beside it; ``trust`` says whose signature it must have.

        Raises:
            BundleError: the bundle is not whole, or not signed as asked.
            CallError: there is no catalog in the folder; no repository, no such ref, or no catalog in it; or both are named.
            EnvironmentFailure: git is not there, or the repository cannot be read.
        """
        if bundle is not None:
            if folder is not None or git is not None or ref is not None:
                raise CallError(
                    "a catalog is loaded from a bundle or from another place, not from both", hint="name one"
                )
            from wmap.registry.bundle.content import load_bundle  # noqa: PLC0415  # readings do not need it
            from wmap.registry.bundle.trust import Trust, judge, read_beside  # noqa: PLC0415  # the same

            found = load_bundle(bundle)
            judge(found, read_beside(str(bundle)), trust or Trust())
            return cls(found.definitions(), origin=f"bundle:{found.version}")
        if trust is not None:
            raise CallError("a signature is that of a bundle", hint="name one: bundle=...")
        if git is not None:
            if folder is not None:
                raise CallError("a catalog is loaded from a folder or from git, not from both", hint="name one")
            from wmap.registry import catalog_at  # noqa: PLC0415  # readings do not need it

            at = "HEAD" if ref is None else ref
            return cls(catalog_at(git, at), origin=f"git:{at}")
        if ref is not None:
            raise CallError(f"the ref {ref} is of no repository", hint="name the repository: git=...")
        if folder is None:
            return cls(Definitions())
        return cls(Definitions(Path(folder)), origin="file")

    def definition_for(self, obj: Mapping[str, Any]) -> Definition:
        """The definition that reads the object.

        Raises:
            InputError: it is no object with apiVersion and kind.
            UnknownKindError: none does.
        """
        return self._plan(obj).definition

    def read(self, obj: Mapping[str, Any], pods: Sequence[Mapping[str, Any]] | None = None) -> Reading:
        """Read one object (JSON values), with its pods where they are known.

        Raises:
            InputError: it is no object with apiVersion and kind, or its definition is broken.
            UnknownKindError: no definition reads the kind.
        """
        return read(self._plan(obj), obj, pods, self.origin)

    def read_many(
        self,
        objs: Iterable[Mapping[str, Any]],
        *,
        unknown: Callable[[Mapping[str, Any], UnknownKindError], object] | None = None,
    ) -> Iterator[Reading]:
        """Read objects one by one, as they come; nothing is kept.

        Args:
            objs: the objects.
            unknown: is given each object of a kind that no definition reads, with the error, and the next one is read. Without it the
                first such object raises, and ends the readings.

        Raises:
            InputError: one is no object with apiVersion and kind, or its definition is broken.
            UnknownKindError: no definition reads the kind of one, and there is no ``unknown``.
        """
        origin = self.origin
        for obj in objs:
            try:
                plan = self._plan(obj)
            except UnknownKindError as error:
                if unknown is None:
                    raise
                unknown(obj, error)
                continue
            yield read(plan, obj, None, origin)

    def life(self, name: str) -> Life | None:
        """What became of the definition of this name (deprecated, replaced, yanked), as the ``framework.yaml`` beside it says.

        Raises:
            CallError: there is none.
        """
        definition = self.definitions.named(name)
        data = self.definitions.framework(definition)
        if data is None or b"definitions" not in data:  # most say nothing, and are not read
            return None
        from wmap.contract.framework import check_framework  # noqa: PLC0415  # seldom

        framework = check_framework(data).framework
        return framework.life_of(name) if framework is not None else None

    def warned(self, reading: Reading) -> Reading:
        """The reading, with warnings where its definition is deprecated (``deprecated-definition``) or yanked (``yanked-definition``)."""
        if reading.definition not in self._lives:
            self._lives[reading.definition] = self.life(reading.definition)
        life = self._lives[reading.definition]
        found = [] if life is None else [("yanked", life.yanked), ("deprecated", life.deprecated)]
        by = f"; it is replaced by {life.replaced_by}" if life is not None and life.replaced_by else ""
        if by and life is not None and not (life.yanked or life.deprecated):
            found = [("deprecated", "there is a newer one")]
        warnings = tuple(
            Warned(f"{word}-definition", f"the definition {reading.definition} is {word}: {why}{by}")
            for word, why in found
            if why
        )
        return reading._replace(warnings=(*warnings, *reading.warnings)) if warnings else reading

    def explain(self, obj: Mapping[str, Any]) -> tuple[Explained, ...]:
        """Which expression, at which line of the definition, reads what from which place of the object."""
        from wmap.reading.explain import explain  # noqa: PLC0415  # asked for seldom

        return explain(self.definition_for(obj), obj)

    def change(
        self,
        obj: Mapping[str, Any],
        *,
        component: str | Sequence[str],
        instance: str | None = None,
        settings: Mapping[str, Any],
    ) -> Any:
        """The object with settings of the pods of a component, or of several, changed; see ``wmap.reading.change``.

        Raises:
            ChangeError: the definition cannot express it; nothing is changed.
        """
        from wmap.reading.change import change  # noqa: PLC0415  # asked for seldom

        return change(self.definition_for(obj), obj, component=component, instance=instance, settings=settings)

    def suspend(self, obj: Mapping[str, Any]) -> Any:
        """The object, suspended.

        Raises:
            ChangeError: the definition cannot suspend or resume it.
        """
        from wmap.reading.change import suspend  # noqa: PLC0415  # asked for seldom

        return suspend(self.definition_for(obj), obj)

    def resume(self, obj: Mapping[str, Any]) -> Any:
        """The object, resumed.

        Raises:
            ChangeError: the definition cannot suspend or resume it.
        """
        from wmap.reading.change import resume  # noqa: PLC0415  # asked for seldom

        return resume(self.definition_for(obj), obj)

    def validate(self, level: Level | None = None) -> Result:
        """Judge every definition of the catalog, up to a level.

        Of a git ref, no fixtures are read: level fixture is listed as not run.
        """
        from wmap.check.run import validate, validate_catalog  # noqa: PLC0415  # readings do not need it
        from wmap.findings import Level as Levels  # noqa: PLC0415  # the same

        if self.definitions.contents is not None:
            return validate(self.definitions.sources(), level=level or Levels.FIXTURE)
        return validate_catalog(self.definitions.folder, level=level)

    def _plan(self, obj: Mapping[str, Any]) -> Plan:
        try:
            key = (obj["apiVersion"], obj["kind"])
            plan = self._plans.get(key)
        except (KeyError, TypeError, IndexError):
            raise _no_object(obj) from None
        if plan is None:
            if not (isinstance(key[0], str) and key[0] and isinstance(key[1], str) and key[1]):
                raise _no_object(obj)
            plan = self._plans[key] = compile_plan(self.definitions.find(*key))
        return plan


def _no_object(obj: Any) -> InputError:
    hint = "an object is a map with apiVersion and kind"
    if not isinstance(obj, dict):
        return InputError(f"{obj!r:.40} is no object", hint=hint)
    missing = next(f for f in ("kind", "apiVersion") if not (isinstance(obj.get(f), str) and obj[f]))
    return InputError(f"the object has no {missing}", hint=hint)
