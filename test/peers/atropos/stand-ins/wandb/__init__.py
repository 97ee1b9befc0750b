"""Stand-in for wandb: accepts what `BaseEnv` and the example trainer report, and forgets it.

Only the names those two use exist here, so that a peer which starts to need more fails loudly.
"""


class Table:
    def __init__(self, columns=None, data=None):
        self.columns = list(columns or [])
        self.data = [list(row) for row in (data or [])]

    def add_data(self, *row):
        self.data.append(list(row))


class Run:
    def __init__(self, name, project, group):
        self.name, self.project, self.group = name, project, group


run = None


def init(name=None, project=None, group=None, config=None, **_ignored):
    global run
    run = Run(name, project, group)
    return run


def log(metrics, step=None, **_ignored):
    if run is None:
        raise RuntimeError("wandb.log was called before wandb.init")


def finish(**_ignored):
    global run
    run = None
