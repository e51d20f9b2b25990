"""A scripted SMTP server on the loopback interface that records the commands it receives."""

import re
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

DEADLINE = 20


@dataclass
class Server:
    """A running server.

    `offers` are the extensions in its EHLO, `answers` its replies to commands that are not the usual ones;
    None: it says nothing. `certificate` is for STARTTLS, or with `encrypted` for everything.
    """

    offers: tuple[str, ...] = ()
    answers: Mapping[str, str | None] = field(default_factory=dict)
    certificate: Path | None = None
    encrypted: bool = False
    commands: list[tuple[bool, str]] = field(default_factory=list)
    """The commands that came, each with whether it came encrypted."""
    mails: list[bytes] = field(default_factory=list)
    port: int = 0
    ended: Event = field(default_factory=Event)

    def commands_of(self, verb: str) -> list[str]:
        """Return the commands of a verb, its words in capitals: their case is the client's choice."""
        commands = [command for _, command in self.commands if command.split()[0].upper() == verb]
        return [re.sub("^[^:]*:", lambda words: words[0].upper(), command) for command in commands]

    def context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        assert self.certificate is not None
        context.load_cert_chain(self.certificate)
        return context


class Conversation:
    """One client connection."""

    def __init__(self, server: Server, connection: socket.socket) -> None:
        self._server = server
        self._connection = connection
        self._lines = connection.makefile("rb")

    def close(self) -> None:
        self._lines.close()
        self._connection.close()

    def hold(self) -> None:
        if self._server.encrypted:
            self._encrypt()
        self._say("CONNECT", "220 here")
        while line := self._lines.readline():
            command = line.decode().rstrip("\r\n")
            self._server.commands.append((isinstance(self._connection, ssl.SSLSocket), command))
            verb = command.split()[0].upper()
            if not self._DO.get(verb, Conversation._refuse)(self, verb):
                return

    def _say(self, verb: str, usual: str) -> bool:
        """Answer, and return whether that was the usual answer."""
        answer = self._server.answers.get(verb, usual)
        if answer is None:
            self._server.ended.wait(DEADLINE)
            return False
        self._connection.sendall(f"{answer}\r\n".encode())
        return answer == usual

    def _greet(self, verb: str) -> bool:
        offers = self._server.offers
        lines = ["250-here", *(f"250-{offer}" for offer in offers), "250 HELP"]
        self._say(verb, "\r\n".join(lines))
        return True

    def _start_tls(self, verb: str) -> bool:
        if self._say(verb, "220 go on"):
            self._lines.close()
            self._encrypt()
        return True

    def _encrypt(self) -> None:
        self._connection = self._server.context().wrap_socket(self._connection, server_side=True)
        self._lines = self._connection.makefile("rb")

    def _accept(self, verb: str) -> bool:
        return self._say(verb, "250 fine") or True

    def _admit(self, verb: str) -> bool:
        return self._say(verb, "235 come in") or True

    def _take(self, verb: str) -> bool:
        if self._say(verb, "354 go on"):
            lines = iter(self._lines.readline, b".\r\n")
            self._server.mails.append(b"".join(line.removeprefix(b".") for line in lines))
            self._say("MAIL TAKEN", "250 taken")
        return True

    def _leave(self, verb: str) -> bool:
        self._say(verb, "221 bye")
        return False

    def _refuse(self, verb: str) -> bool:
        return self._say(verb, "502 what?") or True

    _DO: Mapping[str, Callable[["Conversation", str], bool]] = {
        "EHLO": _greet,
        "STARTTLS": _start_tls,
        "AUTH": _admit,
        "MAIL": _accept,
        "RCPT": _accept,
        "RSET": _accept,
        "DATA": _take,
        "QUIT": _leave,
    }


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    """Run a server for a while."""
    listener = socket.create_server(("127.0.0.1", 0))
    server.port = listener.getsockname()[1]
    thread = Thread(target=_serve, args=(server, listener))
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        # It waits for a client: this one says nothing, and ends that.
        socket.create_connection(("127.0.0.1", server.port), DEADLINE).close()
        thread.join(DEADLINE)
        listener.close()
        assert not thread.is_alive()


def _serve(server: Server, listener: socket.socket) -> None:
    while True:
        connection, _ = listener.accept()
        if server.ended.is_set():
            connection.close()
            return
        connection.settimeout(DEADLINE)
        conversation = Conversation(server, connection)
        try:
            conversation.hold()
        except OSError:
            pass  # a client that does not like the certificate hangs up
        finally:
            conversation.close()
