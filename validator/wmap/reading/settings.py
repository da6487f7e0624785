"""What of a pod can be set, and which values fit."""

from __future__ import annotations

import difflib
import json
import re
from typing import TYPE_CHECKING, Any

from wmap.definition.model import Fragment
from wmap.errors import CallError
from wmap.reading.quantity import QuantityError, parse_quantity

if TYPE_CHECKING:
    from collections.abc import Iterable

SCALARS = {"schedulerName": Fragment.SCHEDULER_NAME, "priorityClassName": Fragment.PRIORITY_CLASS_NAME}
AFFINITIES = {"nodeAffinity": Fragment.NODE_AFFINITY, "podAffinity": Fragment.POD_AFFINITY}
MAPS = {"label": ("labels", Fragment.LABELS), "annotation": ("annotations", Fragment.ANNOTATIONS)}
RESOURCES = {"request": "requests", "limit": "limits"}
CONTAINER_NAME = re.compile(r"[a-z0-9-]+/")
"""How a key begins that names a container: groups of resources have a dot."""
KEYS = (*SCALARS, *AFFINITIES, "image", "label.NAME", "annotation.NAME", "request.RESOURCE", "limit.RESOURCE")
_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_DOMAIN = re.compile(r"(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
"""What Kubernetes admits (apimachinery, util/validation): the name of a key, or the value of a label; and the prefix of a key."""


def parse_settings(pairs: Iterable[str]) -> dict[str, Any]:
    """``KEY=VALUE`` texts to settings.

    Raises:
        CallError: no ``=``, an unknown key, a value that does not fit, or a key that stands twice.
    """
    settings: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise CallError(f"{pair!r} is not KEY=VALUE", hint="write --set schedulerName=kai-scheduler")
        if key in settings:
            raise CallError(f"{key} is set twice", hint="set it once")
        settings[key] = value
        if key in AFFINITIES:
            try:
                settings[key] = json.loads(value)
            except ValueError:
                raise CallError(
                    f"the value of {key} is not JSON", hint="give the affinity as one JSON object"
                ) from None
    for key, value in settings.items():
        check_setting(key, value)
    return settings


def check_setting(key: str, value: Any) -> None:
    """Refuse a key that cannot be set, and a value that does not fit.

    Raises:
        CallError: says what is wrong.
    """
    head, dot, name = key.partition(".")
    if (key in SCALARS or head == "image" or (head in MAPS and dot)) and (head == "image" or name or key in SCALARS):
        if not isinstance(value, str):
            raise CallError(f"the value of {key} is not a text")
        if dot and not name:
            raise CallError(f"{key} names nothing", hint=f"keys: {', '.join(KEYS)}")
        if head in MAPS:
            _check_map(head, name, value)
        return
    if key in AFFINITIES:
        if not isinstance(value, dict):
            raise CallError(f"the value of {key} is no object", hint="give the affinity as one JSON object")
        return
    if head in RESOURCES and name and not name.endswith("/"):
        try:
            parse_quantity(value)
        except QuantityError as error:
            raise CallError(f"{key}: {error}", hint="write 500m, 2, 16Gi") from None
        container = CONTAINER_NAME.match(name)
        resource = name[container.end() :] if container else name
        if not _qualified(resource):
            raise CallError(f"{resource!r} is no name of a resource", hint="write request.cpu, limit.nvidia.com/gpu")
        return
    near = difflib.get_close_matches(key, KEYS, 1, 0.5)
    raise CallError(
        f"{key} cannot be set", hint=(f"did you mean {near[0]}? " if near else "") + f"keys: {', '.join(KEYS)}"
    )


def _check_map(head: str, name: str, value: str) -> None:
    """Refuse the key of a label or annotation, or the value of a label, that an API server refuses."""
    if not _qualified(name.lower() if head == "annotation" else name):
        raise CallError(
            f"{name!r} is no key of {'an annotation' if head == 'annotation' else 'a label'}",
            hint="letters, digits, '-', '_' and '.', at most 63, with a DNS name and '/' before it where it has a prefix",
        )
    if head == "label" and value and not _NAME.fullmatch(value):
        raise CallError(
            f"{value!r} is no value of a label",
            hint="at most 63 letters, digits, '-', '_' and '.', that begin and end with a letter or digit",
        )


def _qualified(key: str) -> bool:
    prefix, slash, name = key.rpartition("/")
    return bool(_NAME.fullmatch(name)) and (not slash or bool(_DOMAIN.fullmatch(prefix)))
