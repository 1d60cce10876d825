"""Asks the Azure command line's own parser about commands, which come as a JSON list of argument lists on stdin.

Prints a JSON list of what is wrong with each, null if nothing is. Nothing is run: parsing is where it stops.
"""
import contextlib
import io
import json
import logging
import sys

from azure.cli.core import get_default_cli
from knack.events import EVENT_INVOKER_POST_PARSE_ARGS

PARSED = 70


def stop(_cli, **_kwargs):
    raise SystemExit(PARSED)


def fault_of(arguments):
    cli = get_default_cli()
    cli.register_event(EVENT_INVOKER_POST_PARSE_ARGS, stop)
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            code = cli.invoke(arguments, out_file=said)
    except SystemExit as end:
        code = end.code
    # A command that is only named is asked for its help, which ends with 0.
    if code in (PARSED, 0):
        return None
    return said.getvalue().strip() or f"status {code}"


logging.disable(logging.CRITICAL)
print(json.dumps([fault_of(arguments) for arguments in json.load(sys.stdin)]))
