"""What every face that speaks HTTP by Starlette needs alike.

Its law: it knows requests and answers, and nothing of what they are about.
"""
