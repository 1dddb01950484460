"""Each how-to of the agent is played: its configuration and scripts as they are on the page, in a fleet of our own."""
