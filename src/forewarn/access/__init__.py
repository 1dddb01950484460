"""Who is who: the certificates, the tokens and the roles behind every call of the control plane.

The law of this package: nothing is told about a caller that a signature does not prove, no secret leaves it except to
its owner, and what it must remember is on the disk before anybody relies on it. Which right a call needs is the
business of whoever serves the call.
"""
