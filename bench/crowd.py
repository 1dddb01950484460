"""Many clients that wait for one document to change. Prints when the last of them had its answer."""

import selectors
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
    selector = selectors.DefaultSelector()
    for _ in range(count):
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(REQUEST)
        client.setblocking(False)
        selector.register(client, selectors.EVENT_READ)
    waiting = count
    while waiting:
        for key, _ in selector.select():
            answered = key.fileobj
            assert isinstance(answered, socket.socket)
            if not answered.recv(65536).startswith(b"HTTP/1.1 200"):
                raise SystemExit("a waiter was not answered with the new document")
            selector.unregister(answered)
            waiting -= 1
    print(time.monotonic(), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
