"""Each how-to of the agent is played: its configuration and its scripts as they are on the page, in a fleet of our own."""
