"""Questions to the person who deploys. Answers can come from a terminal or from a pipe."""

import os
import sys
from collections.abc import Callable

from stratabase.core.model.constraints.email import is_email, is_mailable
from stratabase.terminal.command_error import MISUSED, CommandError

Ask = Callable[[str, str], str]
"""A function that asks a question with a default answer, and returns the answer."""
AnswerCheck = Callable[[str], str]
"""A function that returns what is wrong with an answer, or an empty text."""


class NoAnswer(CommandError):
    """Nobody answers: standard input has ended."""


def ask(question: str, default: str) -> str:
    """Return the answer to a question, or the default if the answer is empty or standard input has ended.

    Raises NoAnswer if there is neither, or if somebody ends the input of a terminal.
    """
    shown = f" [{default}]" if default else ""
    # The output of some commands is for other programs.
    print(f"{question}{shown}: ", end="", file=sys.stderr, flush=True)
    answer = _read_line()
    if not answer:
        print(file=sys.stderr)
        if not default or sys.stdin.isatty():
            raise NoAnswer(f"No answer to: {question}.")
    return answer.strip() or default


def ask_until_valid(ask_: Ask, question: str, default: str, check: AnswerCheck) -> str:
    """Return an answer that `check` accepts. A terminal asks again, and a pipe raises CommandError."""
    while True:
        answer = ask_(question, default)
        problem = check(answer)
        if not problem:
            return answer
        if not sys.stdin.isatty():
            raise CommandError(problem, MISUSED)
        print(problem, file=sys.stderr)


def _read_line() -> str:
    """Return a line of standard input, empty at its end. The lines after it stay for other processes."""
    if sys.stdin.isatty():
        return sys.stdin.readline()
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(sys.stdin.fileno(), 1)):
        line += byte
    return line.decode(errors="replace")


def check_address(address: str) -> str:
    """Return what is wrong with an email address, or an empty text."""
    if is_email(address) and is_mailable(address):
        return ""
    return f'"{address}" is not an email address. Use one such as name@example.com.'
