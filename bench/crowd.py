"""Many clients that wait for one document to change. Prints when the last of them had its answer."""

import select
import socket
import sys
import time

from bench.measuring import many_files

REQUEST = (
    b"GET /metadata/scheduledevents?api-version=2020-07-01&wait=60 HTTP/1.1\r\n"
    b'Host: 127.0.0.1\r\nMetadata: true\r\nIf-None-Match: "2"\r\n\r\n'
)


def main(port: int, count: int) -> None:
    many_files()
    poll = select.epoll()
    clients: dict[int, socket.socket] = {}
    for _ in range(count):
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(REQUEST)
        client.setblocking(False)
        clients[client.fileno()] = client
        poll.register(client.fileno(), select.EPOLLIN | select.EPOLLONESHOT)
    waiting = count
    while waiting:
        for number, _ in poll.poll(maxevents=1024):
            if not clients[number].recv(4096).startswith(b"HTTP/1.1 200"):
                raise SystemExit("a waiter was not answered with the new document")
            waiting -= 1
    print(time.monotonic(), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
