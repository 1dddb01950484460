"""The control plane as Azure's own clients know it: ARM's paths and bodies, and the login they need first.

The law of this package: translate between ARM's shapes and the engine's commands. No rule about events lives here.
"""
