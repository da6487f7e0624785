"""The command ``wmap``: loads a command's module when it is called, and turns every failure into one clear message."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from typing import NoReturn

import click

from wmap._version import __version__
from wmap.errors import WmapError

COMMANDS = {
    "validate": "Judge the definitions of the catalog, or of files.",
    "describe": "Show what is read from objects: tree, phase, pods, GPUs, gangs.",
    "get": "List objects with phase, pods and GPUs, one line each.",
    "change": "Change the pods of a component: labels, resources, image, ...",
    "suspend": "Suspend a workload.",
    "resume": "Resume a workload.",
    "eval": "Evaluate an expression on objects.",
    "rule": "Explain a rule of the validator.",
    "fuzz": "Find the object that breaks a definition.",
    "selftest": "Break definitions on purpose, and say which level notices.",
    "catalog": "List and show the definitions of the catalog.",
    "bundle": "Build, sign, verify, push, pull and render bundles: the catalog as one file.",
    "contract": "Build, show and compare contracts: what a release of a framework promises.",
    "drift": "Say what changed between upstream releases that definitions read.",
    "cluster": "Run definitions on a real API server: kind, envtest, or a cluster that is there.",
    "bench": "Measure, and say on which machine.",
    "completion": "Print the completion script of a shell.",
}


class _Lazy(click.Group):
    """A group whose commands are imported when they are called: ``--version`` and ``--help`` load nothing."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        if ctx.resilient_parsing or (ctx.info_name and cmd_name not in sys.argv and "--help" in sys.argv):
            return click.Command(cmd_name, short_help=COMMANDS[cmd_name])
        module = importlib.import_module(f"wmap.cli.{cmd_name}_command")
        command: click.Command = module.command
        command.short_help = COMMANDS[cmd_name]
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  # click's signature
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=_Lazy,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=False,
)
@click.version_option(__version__, prog_name="wmap", message="%(prog)s %(version)s")
@click.option(
    "--catalog",
    "folder",
    metavar="DIR",
    envvar="WMAP_CATALOG",
    help="Read the definitions of DIR, not those of the package.",
)
@click.pass_context
def cli(ctx: click.Context, folder: str | None) -> None:
    """Read AI workloads on Kubernetes by declarative definitions, and judge the definitions.

    Exit codes: 0 all is well; 1 the artefact is bad (findings, an unknown kind); 2 the call was wrong; 3 the environment
    failed; 130 interrupted.
    """
    ctx.obj = folder


def main() -> NoReturn:
    """Run the command line and exit with the documented code."""
    code = run()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = _closed()
    except (ValueError, OSError):
        code = code or 3
    sys.exit(code)


def run() -> int:
    """Run the command line; gives the exit code."""
    try:
        result = cli.main(prog_name="wmap", standalone_mode=False)
    except SystemExit:
        # how click ends when the reader of its output is gone
        return _closed()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _say("interrupted", None, 130)
    except click.UsageError as error:
        hint = (
            f"{error.ctx.command_path} --help says how to call it" if error.ctx else "wmap --help says how to call it"
        )
        from wmap.addresses import without_users  # noqa: PLC0415  # a failure only

        # it shows the arguments that it does not understand
        return _say(without_users(error.format_message(), bare=True), hint, 2)
    except click.ClickException as error:
        return _say(error.format_message(), None, 2)
    except WmapError as error:
        return _say(error.message, error.hint, error.exit_code)
    except BrokenPipeError:
        return _closed()
    except (MemoryError, RecursionError) as error:
        return _say(f"the input is too large for this machine ({type(error).__name__})", "split it", 3)
    except OSError as error:
        return _say(f"{error.filename or 'the system'}: {error.strerror}", None, 3)
    except Exception as error:  # noqa: BLE001  # a crash must still end with a report worth pasting
        return _crash(error)
    return result if isinstance(result, int) else 0


def _say(message: str, hint: str | None, code: int) -> int:
    from wmap.addresses import without_users  # noqa: PLC0415  # a failure only

    with contextlib.suppress(OSError):
        sys.stderr.write(f"wmap: {without_users(message)}\n" + (f"  hint: {hint}\n" if hint else ""))
    return code


def _closed() -> int:
    # what is still buffered has nowhere to go: give the interpreter a sink, or it complains while it ends
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    # whoever read has all that was wanted, as `head` does: there is nothing to say
    return 3


def _crash(error: Exception) -> int:
    import platform  # noqa: PLC0415  # a crash only
    import traceback  # noqa: PLC0415  # a crash only

    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(last.filename)}:{last.lineno} in {last.name}"  # noqa: PTH119  # no Path on a crash
    if os.environ.get("WMAP_DEBUG"):
        traceback.print_exception(error)
    return _say(
        f"this is a bug: {type(error).__name__}: {error}\n"
        f"  at {where}; wmap {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        f"  called as: wmap {' '.join(sys.argv[1:])}",
        "please report these lines; WMAP_DEBUG=1 prints where it came from",
        3,
    )
