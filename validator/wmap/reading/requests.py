"""What one pod asks for, by the rules of the Kubernetes scheduler.

Containers are summed, init containers maximised, restartable init containers (sidecars) run beside both; pod-level
resources take the place of the sum, overhead comes on top, and a limit without a request is the request.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from wmap.reading.model import Claim, PodShape, made
from wmap.reading.quantity import QuantityError, parse_quantity, parse_text, to_count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Warn = Callable[[str], None]

GPU_RESOURCES = ("nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe", "habana.ai/gaudi")
"""The resources whose sum is ``gpus``."""

_ACCELERATORS = frozenset(
    (
        *GPU_RESOURCES,
        "nvidia.com/gpu.shared",
        "google.com/tpu",
        "aws.amazon.com/neuron",
        "aws.amazon.com/neuroncore",
        "aws.amazon.com/neurondevice",
        "cambricon.com/mlu",
        "qualcomm.com/qaic",
        "tenstorrent.com/n150",
    )
)
_ACCELERATOR_PREFIXES = ("nvidia.com/mig-", "huawei.com/Ascend", "cloud-tpus.google.com/", "amd.com/cpx", "amd.com/spx")
_POD_LEVEL = ("cpu", "memory")
_SELDOM = frozenset(("initContainers", "resources", "overhead", "resourceClaims"))
"""The fields of a pod spec that most pods do not have."""


@lru_cache(maxsize=4096)
def is_accelerator(name: str) -> bool:
    """Whether a resource is an accelerator: GPUs, TPUs, Neuron, MIG slices, shared GPUs and the like."""
    return name in _ACCELERATORS or name.startswith(_ACCELERATOR_PREFIXES)


def gpus_of(requests: Mapping[str, int]) -> int:
    """The GPUs of a pod's requests, or of those of many pods."""
    total = 0
    for name in GPU_RESOURCES:
        quantity = requests.get(name)
        if quantity is not None:
            total += to_count(quantity)
    return total


def pod_shape(spec: Any, warn: Warn) -> PodShape:
    """What a pod of this PodSpec asks for. Never raises: what cannot be read is ignored, and said to ``warn``."""
    if type(spec) is not dict:
        if spec is not None:
            warn("the pod spec is no object: ignored")
        return PodShape({}, {}, (), (), None, None)
    containers = _objects(spec.get("containers"), "containers", warn)
    requests, limits, images = _containers(containers, warn)
    claims: tuple[Claim, ...] = ()
    if not _SELDOM.isdisjoint(spec):
        inits = _objects(spec.get("initContainers"), "initContainers", warn)
        if inits:
            _with_inits(inits, requests, limits, images, warn)
        if spec.get("resources") is not None:
            _pod_level(spec["resources"], requests, limits, warn)
        if spec.get("overhead") is not None:
            for name, quantity in _quantities(spec["overhead"], warn).items():
                requests[name] = requests.get(name, 0) + quantity
                if name in limits:
                    limits[name] += quantity
        if spec.get("resourceClaims"):
            claims = _claims(spec["resourceClaims"], (*containers, *inits), warn)
    scheduler, priority = spec.get("schedulerName"), spec.get("priorityClassName")
    return made(
        PodShape,
        (
            requests,
            limits,
            claims,
            tuple(images),
            scheduler if scheduler is None else _text(scheduler),
            priority if priority is None else _text(priority),
        ),
    )


def fragment_shape(fragments: Mapping[str, Any], warn: Warn) -> PodShape:
    """What a pod asks for where the definition names pieces of it: by the name of the path in the format."""
    containers = fragments.get("containersPath")
    if containers is None and fragments.get("containerPath") is not None:
        containers = [fragments["containerPath"]]
    spec: dict[str, Any] = {
        "containers": containers,
        "schedulerName": fragments.get("schedulerNamePath"),
        "priorityClassName": fragments.get("priorityClassNamePath"),
        "resourceClaims": fragments.get("resourceClaimsPath"),
    }
    resources, image = fragments.get("resourcesPath"), fragments.get("imagePath")
    if resources is not None or image is not None:
        # the pieces describe the main container, which comes first
        extra = {k: v for k, v in (("resources", resources), ("image", image)) if v is not None}
        rest = containers if isinstance(containers, list) else []
        main = rest[0] if rest and isinstance(rest[0], dict) else {}
        spec["containers"] = [{**main, **extra}, *rest[1:]]
    return pod_shape(spec, warn)


def _containers(containers: Iterable[Any], warn: Warn) -> tuple[dict[str, int], dict[str, int], dict[str, None]]:
    requests: dict[str, int] = {}
    limits: dict[str, int] = {}
    images: dict[str, None] = {}
    first = True
    for container in containers:
        image = container.get("image")
        if type(image) is str:
            images[image] = None
        resources = container.get("resources")
        if resources is None:
            continue
        asked, bound = _resources(resources, warn)
        if first:
            # most pods have one container
            requests, limits, first = asked, bound, False
            continue
        for name, quantity in asked.items():
            requests[name] = requests.get(name, 0) + quantity
        for name, quantity in bound.items():
            limits[name] = limits.get(name, 0) + quantity
    return requests, limits, images


def _resources(resources: Any, warn: Warn) -> tuple[dict[str, int], dict[str, int]]:
    """Requests and limits of one container; a limit without a request is the request."""
    if type(resources) is not dict:
        warn("the resources of a container are no object: ignored")
        return {}, {}
    bound = resources.get("limits")
    requests = _quantities(resources.get("requests"), warn)
    if not bound:
        return requests, {}
    limits = _quantities(bound, warn)
    return {**limits, **requests}, limits


def _quantities(amounts: Any, warn: Warn) -> dict[str, int]:
    if not amounts:
        return {}
    if type(amounts) is not dict:
        warn("resource amounts are no object: ignored")
        return {}
    result = {}
    for name, value in amounts.items():
        if value is None:
            continue
        try:
            result[name] = parse_text(value) if type(value) is str else parse_quantity(value)
        except QuantityError as error:
            warn(f"{name}: {error}: ignored")
    return result


def _with_inits(
    inits: Iterable[Any], requests: dict[str, int], limits: dict[str, int], images: dict[str, None], warn: Warn
) -> None:
    """Raise the sums to what the init containers need; sidecars run on beside the containers."""
    beside: tuple[dict[str, int], dict[str, int]] = ({}, {})
    peak: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for container in inits:
        image = container.get("image")
        if type(image) is str:
            images[image] = None
        restartable = container.get("restartPolicy") == "Always"
        for mine, running, most in zip(_resources(container.get("resources") or {}, warn), beside, peak, strict=True):
            for name, quantity in mine.items():
                together = running.get(name, 0) + quantity
                if restartable:
                    running[name] = together
                most[name] = max(most.get(name, 0), together)
    for total, running, most in zip((requests, limits), beside, peak, strict=True):
        for name, quantity in running.items():
            total[name] = total.get(name, 0) + quantity
        total.update({name: quantity for name, quantity in most.items() if quantity > total.get(name, -1)})


def _pod_level(resources: Any, requests: dict[str, int], limits: dict[str, int], warn: Warn) -> None:
    """Pod-level resources: cpu, memory and hugepages stand for the whole pod. A limit alone is the request where no
    container asks for the resource; of hugepages, which cannot be overcommitted, always.
    """
    if type(resources) is not dict:
        warn("the pod-level resources are no object: ignored")
        return
    bound, asked = _quantities(resources.get("limits"), warn), _quantities(resources.get("requests"), warn)
    for name, quantity in bound.items():
        if name in _POD_LEVEL or name.startswith("hugepages-"):
            limits[name] = quantity
            if name.startswith("hugepages-"):
                requests[name] = quantity  # the API server takes the pod's limit, whatever the containers ask for
            else:
                requests.setdefault(name, quantity)
    requests.update({n: q for n, q in asked.items() if n in _POD_LEVEL or n.startswith("hugepages-")})


def _claims(claims: Any, containers: Iterable[Any], warn: Warn) -> tuple[Claim, ...]:
    """The resource claims of a pod, and how many containers use each."""
    used: dict[str, int] = {}
    for container in containers:
        resources = container.get("resources")
        uses = resources.get("claims") if isinstance(resources, dict) else None
        for use in _objects(uses, "claims", warn):
            if isinstance(use.get("name"), str):
                used[use["name"]] = used.get(use["name"], 0) + 1
    return tuple(
        Claim(
            name=claim["name"],
            source=_text(claim.get("resourceClaimName")) or _text(claim.get("resourceClaimTemplateName")),
            count=used.get(claim["name"], 0),
        )
        for claim in _objects(claims, "resourceClaims", warn)
        if isinstance(claim.get("name"), str)
    )


def _objects(values: Any, what: str, warn: Warn) -> tuple[Any, ...] | list[Any]:
    """A list of objects; anything else in it is ignored."""
    if values is None:
        return ()
    if type(values) is not list:
        warn(f"{what} is no list: ignored")
        return ()
    for value in values:
        if type(value) is not dict:
            break
    else:
        return values
    warn(f"{what} holds something that is no object: ignored")
    return [v for v in values if type(v) is dict]


def _text(value: Any) -> str | None:
    return value if type(value) is str and value else None
