"""METEOR beside its original on the released MUCSUM predictions, in cpu seconds of each program as a whole.

PAIRS=1000 python -m benchmarks meteor     # the first so many pairs

The original reads its tables anew each time; we convert the paraphrases once, which is measured apart.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

from assay.metrics.lexical.meteor import Meteor
from assay.metrics.lexical.meteor_data import MeteorData
from assay.metrics.lexical.meteor_paraphrases import paraphrases
from assay.records import Example, Items
from assay.stats.resample import all_items
from benchmarks.released import MissingDataError
from benchmarks.timing import Result, against, timed
from benchmarks.workloads import workload_a


def original(jar: Path, outputs: list[str], references: list[str]) -> tuple[dict[str, float], float]:
    """The score of the set by the jar, and the cpu seconds of its process."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("outputs", "references")]
        for path, texts in zip(files, (outputs, references), strict=True):
            path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        call = ["java", "-Xmx2G", "-Dfile.encoding=UTF-8", "-jar", str(jar), *map(str, files), "-l", "en", "-norm"]
        done = subprocess.run(call, capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"meteor": float(done.stdout.split()[-1])}, seconds


def run() -> list[Result]:
    try:
        import pycocoevalcap
    except ImportError:
        raise MissingDataError("needs pycocoevalcap, which brings METEOR's jar") from None
    if shutil.which("java") is None:
        raise MissingDataError("needs java")
    jar = Path(next(iter(pycocoevalcap.__path__))) / "meteor" / "meteor-1.5.jar"
    rows = workload_a()[: int(os.environ.get("PAIRS", "1000"))]
    outputs = [" ".join(row.output.split()) for row in rows]
    references = [" ".join(row.references[0].split()) for row in rows]
    examples = tuple(Example(id=str(i), references=(text,)) for i, text in enumerate(references))
    metric = Meteor(data=str(jar))

    def ours() -> dict[str, float]:
        found = metric.statistics(Items(tuple(outputs), examples))
        return {"meteor": float(metric.fold(found, all_items(len(rows)))["meteor"][0])}

    table = MeteorData(str(jar)).table("en")
    with tempfile.TemporaryDirectory() as cache:
        os.environ["ASSAY_CACHE"] = cache
        converting = timed(lambda: paraphrases(table))[1] if table else 0.0
        paraphrases.cache_clear()
        row = against("meteor", len(rows), timed(ours), "METEOR 1.5", original(jar, outputs, references), 10.0)
        paraphrases.cache_clear()
    row["note"] = f"after the table of paraphrases was converted once, in {converting:.1f} s"
    return [row]
