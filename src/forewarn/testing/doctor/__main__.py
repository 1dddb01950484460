"""Prints the page of the documentation that tells of every check."""

from forewarn.testing.doctor.telling import page

if __name__ == "__main__":
    print(page(), end="")
