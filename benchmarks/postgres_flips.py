"""Single bits flipped in the table files of a stopped PostgreSQL: one that changes a row is seen.

python -m benchmarks.postgres_flips           # 120 flips with PostgreSQL's checksums of pages, 120 without
python -m benchmarks.postgres_flips 40 7      # N flips, from a random seed

The cluster is started on the damaged files; then the server's database is opened, verified and read whole. A flip is
`said` by PostgreSQL or by the seals of the rows, leaves everything `as before` (free space of a page), or is `unseen`.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from assay.errors import AssayError
from benchmarks.flips import make_server, server_verified
from benchmarks.postgres import cluster_folder, fresh_database, running

ROWS = 150
DATABASE = "flips"
FILES = """
SELECT pg_relation_filepath(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 't') AND (n.nspname = 'public' OR c.oid IN
  (SELECT reltoastrelid FROM pg_class t JOIN pg_namespace m ON m.oid = t.relnamespace WHERE m.nspname = 'public'))
"""


def table_files(url: str) -> list[str]:
    """Files of all tables of the server, below the data folder."""
    import psycopg

    with psycopg.connect(url) as connection:
        return sorted(str(name) for (name,) in connection.execute(FILES).fetchall())


def flipped(flips: int, seed: int, *options: str) -> Iterator[str]:
    """For each flip what came of it."""
    rng = random.Random(seed)
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else "/tmp"
    with cluster_folder(*options, dir=memory) as folder, tempfile.TemporaryDirectory() as home:
        with running(folder, "fast") as url:
            url = fresh_database(url, DATABASE)
            make_server(Path(home), url, ROWS)
            whole = server_verified(Path(home), url)
            names = table_files(url)
        data, sound = folder / "data", folder / "sound"
        subprocess.run(["cp", "-a", data, sound], check=True)
        files = [(name, (data / name).stat().st_size) for name in names if (data / name).stat().st_size]
        for _ in range(flips):
            subprocess.run(["rm", "-rf", data], check=True)
            subprocess.run(["cp", "-a", sound, data], check=True)
            ((name, size),) = rng.choices(files, [size for _, size in files])
            at = rng.randrange(size)
            with (data / name).open("r+b") as stream:
                stream.seek(at)
                (byte,) = stream.read(1)
                stream.seek(at)
                stream.write(bytes([byte ^ 1 << rng.randrange(8)]))
            yield _seen(folder, Path(home), whole.found)


def _seen(folder: Path, home: Path, whole: object) -> str:
    try:
        with running(folder) as url:
            found = server_verified(home, url.replace("/postgres?", f"/{DATABASE}?")).found
    except AssayError:
        return "said"
    return "as before" if found == whole else "unseen"


def main() -> int:
    flips, seed = (int(one) for one in (sys.argv[1:] + ["120", "0"][len(sys.argv) - 1 :])[:2])
    unseen = 0
    for name, options in (("with checksums", ("--data-checksums",)), ("without checksums", ())):
        counts = Counter(flipped(flips, seed, *options))
        unseen += counts["unseen"]
        print(f"{name:<18} " + ", ".join(f"{count} {what}" for what, count in sorted(counts.items())), flush=True)
    return 1 if unseen else 0


if __name__ == "__main__":
    sys.exit(main())
