"""Compiling the Go parts; those in Rust are left to `crates`.

The modules under ``tools`` pin them: ``kubernetes`` and one for each further version of it (every
staging module replaced by its release), ``clients`` (Helm and CoreDNS, which want a newer client-go
and share it), ``helm-4``, ``minio``, ``versitygw``, ``volumes``, ``policies``, ``registry``,
``kwok`` and ``vale``. Three things save time and disk: no debug information is generated at all,
large packages off the hot paths are compiled without inlining, and CoreDNS is linked
with only the plugins that the cluster uses.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from . import cache, crates, packages, policies
from .architecture import folder, machine, native
from .command import capture, run_logged
from .console import ClusterError, Console
from .layout import Layout
from .versions import C_COMPILER, GO, OTHER_KUBERNETES, USUAL_KUBERNETES


@dataclass(frozen=True)
class Part:
    """Some binaries that are compiled together from Go packages.

    Without a ``module`` the package is one file in the checkout that needs none. A ``crate`` is a
    folder of the checkout that cargo compiles instead, linked statically with ``static``. With
    ``cgo`` some packages are in C, and a C compiler is installed if there is none. A ``rare`` part
    is compiled when a test asks for it, and not before.
    """

    name: str
    binaries: tuple[str, ...]
    packages: tuple[str, ...] = ()
    module: str | None = None
    tags: tuple[str, ...] = ()
    crate: str | None = None
    static: bool = False
    cgo: bool = False
    rare: bool = False


_KUBERNETES_COMMANDS: Final = (
    "kube-apiserver",
    "kube-controller-manager",
    "kube-proxy",
    "kube-scheduler",
    "kubectl",
    "kubelet",
)


def _kubernetes(name: str, *, rare: bool) -> Part:
    packages = tuple(f"k8s.io/kubernetes/cmd/{command}" for command in _KUBERNETES_COMMANDS)
    return Part(name, _KUBERNETES_COMMANDS, packages, module=name, rare=rare)


PARTS: Final = {
    part.name: part
    for part in (
        Part("pause", ("pause",), ("images/pause/pause.go",)),
        _kubernetes("kubernetes", rare=False),
        *(_kubernetes(f"kubernetes-{version}", rare=True) for version in OTHER_KUBERNETES),
        # Shares Kubernetes' packages, but its imports spell one module's path with another case,
        # which Go refuses within one command.
        Part(
            "storage",
            ("local-path-provisioner",),
            ("github.com/rancher/local-path-provisioner",),
            module="kubernetes",
        ),
        # In Rust, so first of those beside Kubernetes: Go's own packages are compiled by then.
        Part("confidential-proxy", ("confidential-proxy",), crate="images/confidential-proxy"),
        Part("turnstile", ("turnstile",), crate="images/turnstile", static=True),
        Part(
            "clients",
            ("coredns", "helm"),
            ("./coredns", "helm.sh/helm/v3/cmd/helm"),
            module="clients",
        ),
        # The next Helm, beside the one above, which the cluster has.
        Part("helm-4", ("helm",), ("helm.sh/helm/v4/cmd/helm",), module="helm-4", rare=True),
        # gocryptfs, and the pass-through with the same version of the FUSE library.
        Part(
            "volumes",
            ("gocryptfs", "passthrough"),
            ("github.com/rfjakob/gocryptfs/v2", "./passthrough"),
            module="volumes",
        ),
        # Not MinIO's own command: ours puts a filter before it.
        Part("minio", ("minio",), ("./minio",), module="minio"),
        # The second object store of the tests.
        Part(
            "versitygw",
            ("versitygw",),
            ("github.com/versity/versitygw/cmd/versitygw",),
            module="versitygw",
        ),
        # Debian's Prometheus has no discovery through the Kubernetes API; the other twenty kinds
        # of discovery would double the time.
        Part(
            "prometheus",
            ("prometheus",),
            ("github.com/prometheus/prometheus/cmd/prometheus",),
            module="clients",
            tags=("remove_all_sd", "enable_kubernetes_sd"),
        ),
        # A registry for images, with basic authentication and files alone.
        Part("registry", ("registry",), ("./registry",), module="registry", rare=True),
        # Judges connections by NetworkPolicies, where the cluster is to have them in force.
        Part(policies.NAME, (policies.NAME,), ("./policyd",), module="policies", rare=True),
        # Judges the chart's dashboard by Grafana's schema.
        Part("grafana", ("dashcheck",), ("./dashcheck",), module="grafana", rare=True),
        # Plays nodes and kubelets where no container need run.
        Part("kwok", ("kwok",), ("sigs.k8s.io/kwok/cmd/kwok",), module="kwok", rare=True),
        # The linter of the prose. Its parsers of programming languages are in C.
        Part("vale", ("vale",), ("github.com/vale-cli/vale/v3/cmd/vale",), module="vale", cgo=True),
    )
}

OF_KUBERNETES: Final = frozenset(
    name
    for name, part in PARTS.items()
    if name == "pause" or (part.module or "").startswith("kubernetes")
)
"""Parts compiled one after the other: they share Kubernetes' packages, pause Go's runtime alone."""

_VARIABLE: Final = "ENCBENCH_KUBERNETES"

# Kubernetes compiles in an eighth less time without inlining. These are generated clients, logic
# that waits for events, and features of MinIO and Prometheus that encbench does not use. Whatever
# serves each request keeps it: apimachinery, the API server's own library, serialization, gRPC.
_NOT_INLINED: Final = (
    "github.com/elastic/go-elasticsearch/...",
    "github.com/envoyproxy/...",
    "github.com/minio/mc/...",
    "github.com/pb33f/...",
    "helm.sh/helm/...",
    "k8s.io/api/...",
    "k8s.io/apiextensions-apiserver/...",
    "k8s.io/client-go/...",
    "k8s.io/kube-aggregator/...",
    "k8s.io/kubectl/...",
    "k8s.io/kubernetes/...",
)
_FLAGS: Final = (
    "-trimpath",
    "-buildvcs=false",
    "-mod=readonly",
    "-gcflags=all=-dwarf=false",
    *(f"-gcflags={packages}=-dwarf=false -l" for packages in _NOT_INLINED),
)
_BUILD_TIMEOUT: Final = 3600
_MEMORY: Final = {"GOGC": "off", "GOMEMLIMIT": "1GiB"}
"""The compiler lives for seconds, so it collects no garbage before it has taken as much memory as
it does anyway for the largest packages. That saves a twentieth of its CPU time."""


def kubernetes() -> str:
    """The part with the Kubernetes of ``ENCBENCH_KUBERNETES``, or with the usual one."""
    version = os.environ.get(_VARIABLE) or USUAL_KUBERNETES
    if version == USUAL_KUBERNETES:
        return "kubernetes"
    if version not in OTHER_KUBERNETES:
        known = ", ".join(sorted((USUAL_KUBERNETES, *OTHER_KUBERNETES)))
        raise ClusterError(f"{_VARIABLE} is '{version}': write one of {known}")
    return f"kubernetes-{version}"


def core_parts() -> tuple[str, ...]:
    """The parts without which no node becomes Ready, and those that the environment asks for."""
    asked = (policies.NAME,) if policies.wanted() else ()
    return ("pause", kubernetes(), "storage", "clients", *asked)


def compiled(name: str) -> Path:
    """The directory with a part's binaries, for tests.

    Only compiling locks the cache, so a test whose part is there does not wait for another run.
    """
    layout, console = Layout.from_environment(), Console()
    found = place(layout, name)
    if found.exists():
        return found
    with cache.exclusive(layout, console):
        return ensure(layout, console, name)


def place(layout: Layout, name: str) -> Path:
    """Where a part's binaries for this machine are once they are compiled."""
    return cache.place(layout, "bin", name, _key(layout, PARTS[name], native()))


def ensure(layout: Layout, console: Console, name: str, architecture: str = native()) -> Path:
    """The directory with a part's binaries, compiled now unless the cache has it.

    Go compiles for any architecture; a crate and C only for this machine's.
    """
    part = PARTS[name]
    if part.crate is not None:
        crate = layout.repo / part.crate
        return crates.ensure(layout, console, name, part.binaries, crate, static=part.static)

    def compile_into(made: Path) -> None:
        made.mkdir()
        if part.cgo:
            packages.ensure(layout, console, C_COMPILER)
        with console.step(f"compile {name}", f"{', '.join(part.binaries)} for {architecture}"):
            run_logged(
                [
                    *("go", "build", *_flags(part), "-ldflags", _linker_flags(layout, part)),
                    *("-o", f"{made}/", *part.packages),
                ],
                layout.build_logs / f"go-{name}.log",
                timeout=_BUILD_TIMEOUT,
                cwd=_folder(layout, part),
                env={
                    "CGO_ENABLED": str(int(part.cgo)),
                    "GOARCH": architecture,
                    "GOFLAGS": "",
                    "GOWORK": "off",
                    **_MEMORY,
                },
            )

    kind, key = folder("bin", architecture), _key(layout, part, architecture)
    return cache.entry(layout, kind, name, key, compile_into)


def _key(layout: Layout, part: Part, architecture: str) -> str:
    """What names the part's binaries in the cache."""
    if part.crate is not None:
        return crates.key(layout.repo / part.crate, static=part.static)
    where = _folder(layout, part)
    sources = cache.files_key(where, _sources(part, where))
    flags = (*_flags(part), _linker_flags(layout, part))
    compiler = f"{go_version(where)} {machine(architecture)} {os.environ.get('GOAMD64', '')}"
    return cache.content_key(sources, *flags, compiler, *part.packages)


def _folder(layout: Layout, part: Part) -> Path:
    return layout.tools / part.module if part.module else layout.repo


def _flags(part: Part) -> list[str]:
    """``-mod`` is refused where there is no module."""
    flags = [flag for flag in _FLAGS if part.module or not flag.startswith("-mod=")]
    return [*flags, f"-tags={','.join(part.tags)}"] if part.tags else flags


def _sources(part: Part, where: Path) -> list[Path]:
    """The files of ours that decide what is compiled."""
    if part.module is None:
        return [where / package for package in part.packages]
    return [where / "go.mod", where / "go.sum", *where.rglob("*.go")]


def _linker_flags(layout: Layout, part: Part) -> str:
    """Omit the symbol table and stamp the versions that the programs report."""
    flags = ["-s", "-w"]
    for variable, value in _stamps(layout, part).items():
        flags += ["-X", f"{variable}={value}"]
    return " ".join(flags)


def _stamps(layout: Layout, part: Part) -> dict[str, str]:
    """The variables that hold a program's version, and what it is."""
    if part.binaries == _KUBERNETES_COMMANDS:
        version, major, minor = _version(layout, part.name)
        return {
            f"k8s.io/{package}.{variable}": value
            for package in ("component-base/version", "client-go/pkg/version")
            for variable, value in (
                ("gitVersion", version),
                ("gitMajor", major),
                ("gitMinor", minor),
                ("gitTreeState", "clean"),
            )
        }
    if part.name == "clients":
        helm = required_version(layout.tools / "clients" / "go.mod", "helm.sh/helm/v3")
        _, major, minor = _version(layout, "kubernetes")
        return {
            "helm.sh/helm/v3/internal/version.version": helm,
            # The Kubernetes version that `helm template` and `helm lint` assume.
            "helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor": major,
            "helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor": minor,
            "helm.sh/helm/v3/pkg/lint/rules.k8sVersionMajor": major,
            "helm.sh/helm/v3/pkg/lint/rules.k8sVersionMinor": minor,
        }
    if part.name == "helm-4":
        helm = required_version(layout.tools / "helm-4" / "go.mod", "helm.sh/helm/v4")
        return {"helm.sh/helm/v4/internal/version.version": helm}
    return {}


def _version(layout: Layout, module: str) -> tuple[str, str, str]:
    """The Kubernetes that a module pins: its version, and the first two numbers of it."""
    version = required_version(layout.tools / module / "go.mod", "k8s.io/kubernetes")
    major, minor = version.lstrip("v").split(".")[:2]
    return version, major, minor


def required_version(go_mod: Path, module: str) -> str:
    """The version at which a ``go.mod`` requires a module, such as ``v1.34.4``."""
    found = re.search(
        rf"^(?:require)?\s*{re.escape(module)} (v\S+)", go_mod.read_text(), re.MULTILINE
    )
    if found is None:
        raise ClusterError(f"{go_mod} does not require {module}")
    return found[1]


def go_version(where: Path) -> str:
    """The compiler that Go would use in this module (it may fetch the one that go.mod asks for)."""
    try:
        return capture(["go", "-C", str(where), "env", "GOVERSION"], timeout=300).strip()
    except ClusterError as error:
        raise ClusterError(
            f"Go {GO} or later is needed; install it from go.dev/dl ({error})"
        ) from None
