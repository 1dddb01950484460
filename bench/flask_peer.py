"""The peer most people would write: the same answer from Flask's own server, with the header check and nothing else."""

import argparse
import logging

from flask import Flask, Response, request

from bench.http import _answer


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--like", type=int, required=True)
    arguments = parser.parse_args()
    body = _answer(arguments.like)
    app = Flask(__name__)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)

    @app.get("/metadata/scheduledevents")
    def document() -> Response:
        if request.headers.get("Metadata") != "true" or "api-version" not in request.args:
            return Response(status=400)
        return Response(body, content_type="application/json; charset=utf-8")

    app.run(port=arguments.port, threaded=True)


if __name__ == "__main__":
    main()
