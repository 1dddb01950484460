"""Event Grid's part: asks webhooks whether they want to hear of events, and tells those that do.

The law of this package: it carries. What is told is decided in `domain`, how it is written in `wire`; and no webhook
can make Forewarn call itself or a cloud's metadata service.
"""
