"""Microsoft.Compute on the wire: what its clients send, what that means, and what they are shown.

A body travels one way: `gates` (may this api-version say that?), `bodies` (cleaned, and merged into what is kept),
`notices` (the two profiles and the policy, settled), `completing` (what Compute fills in), `reading` (what it means for
machines). The views go the other way: what is kept, and the facts about machines, as JSON.
"""
