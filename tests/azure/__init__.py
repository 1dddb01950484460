"""The real Azure CLI against a whole Forewarn: `make test-azure`."""
