"""Whoever shall know is told: by a real POST, and by a real mail when something failed, in the words of the page."""

import json
import re
from pathlib import Path

from forewarn.access.certificates import ServerTls
from forewarn.wiring.minting import wall
from tests.agent.e2e.fleet import Rig
from tests.agent.howto.pages import begins, blocks, here, is_over, restart, script
from tests.agent.mailbox import Mailbox, a_mailbox
from tests.agent.process import an_agent
from tests.agent.receivers import Receiver, receiving
from tests.waiting import until

PAGE = "tell-an-administrator"
TELL, ASK = blocks(PAGE, "toml")
CHAT, MAIL = (text.strip() for text in blocks(PAGE, "text"))


def steady(text: str) -> str:
    """How long it still takes, and until when, is another one each time."""
    return re.sub(r"in \d+ min( \d+ s)? \(not before \d\d:\d\d UTC\)", "<when>", text)


def heard(receiver: Receiver) -> str:
    return steady(str(json.loads(receiver.next().body)["text"]))


def config(folder: Path, chat: Receiver, box: Mailbox, worker: str) -> str:
    (folder / "slack-url").write_text(f"{chat.url}\n")
    (folder / "password").write_text("s3cret\n")
    instead = {
        "/etc/forewarn/slack-url": str(folder / "slack-url"),
        "/etc/forewarn/mail-password": str(folder / "password"),
        '"mail.example.org:587"': f'"localhost:{box.port}"\nca_file = "{folder}/tls/ca.pem"',
        "/usr/local/bin/worker-ctl": str(script(folder / "worker-ctl", f"#!/bin/sh\n{worker}\n")),
    }
    return here(TELL, instead)


def test_the_chat_hears_of_it_at_the_beginning_and_at_the_end(fleet: Rig, tmp_path: Path) -> None:
    with receiving() as chat, a_mailbox() as box:
        with an_agent(tmp_path, config(tmp_path, chat, box, "exit 0"), endpoint=fleet.endpoint("vm")) as agent:
            event = restart(fleet, agent, "vm")
            begins(fleet, event)
            until(lambda: agent.status()["events"][0]["started"], "the agent knows")
            fleet.advance("1m")
            is_over(agent, event)
            assert [heard(chat), heard(chat)] == steady(CHAT).splitlines()
        assert box.inbox.empty()


def test_a_step_that_fails_is_a_mail(fleet: Rig, tmp_path: Path) -> None:
    tls = ServerTls(tmp_path / "tls", [], wall())
    with receiving() as chat, a_mailbox(tls.context) as box:
        failing = config(tmp_path, chat, box, "echo job 4711 does not end; exit 1")
        with an_agent(tmp_path, failing, endpoint=fleet.endpoint("db-0")) as agent:
            restart(fleet, agent, "db-0")
            mail = box.next()
    assert mail.message["Subject"] == "[db-0] Reboot: a person should look"
    assert (mail.recipients, mail.login) == (("on-call@example.org",), "forewarn:s3cret")
    shown = here(steady(MAIL), {"vm:": "db-0:", "/usr/local/bin": str(tmp_path)})
    assert steady(mail.message.get_content().splitlines()[0]) == shown


def test_a_person_is_told_and_decides(fleet: Rig, tmp_path: Path) -> None:
    with receiving() as chat:
        (tmp_path / "slack-url").write_text(chat.url)
        asking = here(ASK, {"/etc/forewarn/slack-url": str(tmp_path / "slack-url")})
        with an_agent(tmp_path, asking, endpoint=fleet.endpoint("db-1")) as agent:
            event = restart(fleet, agent, "db-1")
            assert heard(chat).startswith("db-1: ready for Reboot <when>, requested by a user")
            assert fleet.phase(event) == "Scheduled"
            assert agent.cli("approve").returncode == 0
            begins(fleet, event)
