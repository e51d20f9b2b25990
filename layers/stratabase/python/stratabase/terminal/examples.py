"""The examples at the end of the help of a command."""

import argparse
import shutil
import textwrap


def add_examples(parser: argparse.ArgumentParser, *commands: str) -> None:
    """Show command lines at the end of the help of a parser, each on a line of its own."""
    width = shutil.get_terminal_size().columns - 2
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    # This formatter keeps the lines of the description too, which is one long line.
    parser.description = textwrap.fill(parser.description or "", width)
    title = "examples:" if len(commands) > 1 else "example:"
    parser.epilog = "\n".join((title, *(f"  {command}" for command in commands)))
