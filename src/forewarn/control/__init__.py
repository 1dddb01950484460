"""The control plane's native face: a JSON API, a stream of changes, health and metrics.

The law of this package: translate a request into one call of the engine, and its outcome into an answer. No rule about
events lives here. Each noun has a file with its route table; the OpenAPI document is drawn from the same tables.
"""
