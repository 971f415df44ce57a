"""A fit whose second process is killed: ``torchrun ... -m tests.distributed.dying FOLDER WHAT``.

With a third argument, the fit is resumed from its checkpoint instead.
"""

import os
import pickle
import signal
import sys
from pathlib import Path

from ipcae.distributed import spread
from tests.distributed.fits import CLASSES, X, classifier, result

if __name__ == "__main__":
    folder, what, resume = Path(sys.argv[1]), sys.argv[2], len(sys.argv) > 3
    with spread(what) as processes:

        def die(report):
            if not resume and processes.rank == 1 and report.epoch == 25:
                os.kill(os.getpid(), signal.SIGKILL)

        selector = classifier(n_runs=2, max_epochs=40, callbacks=die)
        selector.set_params(checkpoint=folder / "checkpoint", resume=resume).fit(X, CLASSES)
        if processes.first:
            (folder / "result").write_bytes(pickle.dumps(result(selector)))
