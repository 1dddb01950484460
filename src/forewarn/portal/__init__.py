"""The portal: for people. They see the fleet, watch notice run down, and act.

Its law: it decides no rule. A page is rendered from a view, a view is made from domain values by a pure function, and
what a person does goes to the same engine, or the same resources, as everybody else's requests.
"""
