"""Run as a script, in a network namespace of its own: the wire between machines, and the address that they ask.

`python hub.py`, with a unix socket as its standard input: there it hands over what listens on 169.254.169.254:80. It
ends when the other end is closed, whatever became of that, and the namespace with it.
"""

import socket
import subprocess

# The address of the bridge is given: it would be that of one of its links, and change when that one goes.
WIRE = """\
link set lo up
link add br0 address 02:00:0a:fe:00:01 type bridge
address add 10.254.0.1/16 dev br0
address add 169.254.169.254/32 dev br0
link set br0 up
"""


def main() -> None:
    with socket.socket(fileno=0) as owner:
        subprocess.run(["ip", "-batch", "-"], input=WIRE, text=True, check=True)  # noqa: S607 (PATH)
        with socket.create_server(("169.254.169.254", 80), backlog=4096) as listening:
            socket.send_fds(owner, [b"listening"], [listening.fileno()])
        owner.recv(1)


if __name__ == "__main__":
    main()
