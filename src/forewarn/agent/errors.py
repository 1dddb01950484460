"""What can go wrong in the agent, sorted by who can do something about it.

AgentError
├── BadConfig     the configuration is wrong: a person must mend it
├── NotRunning    there is no agent to ask: start it
├── JournalError  the journal cannot be read or written: nothing may be done without it
└── StepTrouble   a step did not do its work
    ├── StepFailed  it says why
    ├── TimeIsUp    it did not end within its limit
    └── Stopped     it was called off: the event is over, or has started
        └── Suspended  the agent is stopping; whoever comes next goes on where it is left
"""


class AgentError(Exception):
    """Every error of this package; the message says what happened, why, and what to do."""


class BadConfig(AgentError):
    pass


class NotRunning(AgentError):
    pass


class JournalError(AgentError):
    pass


class StepTrouble(AgentError):
    pass


class StepFailed(StepTrouble):
    pass


class TimeIsUp(StepTrouble):
    pass


class Stopped(StepTrouble):
    pass


class Suspended(Stopped):
    pass
