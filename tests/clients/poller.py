"""A client as people wrote them with Python 2's urllib2, today urllib.request: it reads once and approves nothing.

Usage: poller.py URL equal|within. Tells the events of this host: of which it is one name, or within the first name.
"""

import json
import socket
import sys
import urllib.request


def main(url: str, match: str) -> None:
    host = socket.gethostname()
    request = urllib.request.Request(url)
    request.add_header("Metadata", "true")
    document = json.loads(urllib.request.urlopen(request).read())
    for event in document["Events"]:
        names = event["Resources"]
        if host in (names if match == "equal" else names[0]):
            print(event["EventType"], event["EventStatus"], event["NotBefore"].replace(" ", "_"))


if __name__ == "__main__":
    main(*sys.argv[1:])
