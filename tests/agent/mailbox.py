"""A mail server as small as one can be: enough of SMTP for a real client to hand a mail over, or to be refused."""

import queue
import socketserver
import ssl
import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import cast

from tests.agent.receivers import PATIENCE


@dataclass(frozen=True, kw_only=True, slots=True)
class Mail:
    sender: str
    recipients: tuple[str, ...]
    login: str
    encrypted: bool
    message: EmailMessage


@dataclass(kw_only=True)
class Mailbox:
    port: int = 0
    tls: ssl.SSLContext | None = None
    refusals: dict[str, str] = field(default_factory=dict)
    """By what the client says: {"RCPT TO:<a@b>": "550 no such user"}."""
    inbox: "queue.Queue[Mail]" = field(default_factory=queue.Queue)

    def next(self) -> Mail:
        return self.inbox.get(timeout=PATIENCE)


class Conversation(socketserver.StreamRequestHandler):
    @property
    def box(self) -> Mailbox:
        return cast("Server", self.server).box

    def handle(self) -> None:
        self.sender, self.recipients, self.login, self.encrypted = "", list[str](), "", False
        self.say("220 mailbox")
        while line := self.rfile.readline().decode().strip():
            refusal = next(
                (said for begin, said in self.box.refusals.items() if line.upper().startswith(begin.upper())), ""
            )
            if refusal:
                self.say(refusal)
            elif not self.answer(line):
                return

    def answer(self, line: str) -> bool:
        verb, _, rest = line.partition(" ")
        match verb.upper():
            case "EHLO":
                offers = ["STARTTLS"] if self.box.tls and not self.encrypted else ["AUTH PLAIN"]
                self.say("250-mailbox", *(f"250 {offer}" for offer in offers))
            case "STARTTLS":
                self.encrypt()
            case "AUTH":
                self.login = b64decode(rest.removeprefix("PLAIN ")).decode().replace("\0", ":").strip(":")
                self.say("235 welcome")
            case "MAIL":
                self.sender = rest
                self.say("250 yes")
            case "RCPT":
                self.recipients.append(rest.partition("<")[2].partition(">")[0])
                self.say("250 yes")
            case "DATA":
                self.take()
            case "QUIT":
                return False
            case _:
                self.say("250 yes")
        return True

    def take(self) -> None:
        self.say("354 go on")
        lines = list(iter(self.rfile.readline, b".\r\n"))
        message = message_from_bytes(b"".join(lines), policy=policy.default)
        sender = self.sender.partition("<")[2].partition(">")[0]
        self.box.inbox.put(
            Mail(
                sender=sender,
                recipients=tuple(self.recipients),
                login=self.login,
                encrypted=self.encrypted,
                message=message,
            )
        )
        self.say("250 taken")

    def encrypt(self) -> None:
        assert self.box.tls is not None
        self.say("220 go on")
        self.request = self.box.tls.wrap_socket(self.request, server_side=True)
        self.rfile, self.wfile = self.request.makefile("rb"), self.request.makefile("wb", buffering=0)
        self.encrypted = True

    def say(self, *lines: str) -> None:
        self.wfile.write("".join(f"{line}\r\n" for line in lines).encode())

    def finish(self) -> None:
        super().finish()
        self.request.close()


class Server(socketserver.ThreadingTCPServer):
    box: Mailbox
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is no news here."""


@contextmanager
def a_mailbox(tls: ssl.SSLContext | None = None) -> Iterator[Mailbox]:
    with Server(("127.0.0.1", 0), Conversation) as server:
        server.box = Mailbox(port=server.server_address[1], tls=tls)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server.box
        finally:
            server.shutdown()
            thread.join(PATIENCE)
