#!/bin/sh
# Equivalence classes of your own: list spans, propose classes, two experts, freeze, instances, models and people.
# Texts and answers are synthetic; replace them by yours. Usage: sh examples/classes-own.sh [FOLDER]
set -eu
out=${1:-results/classes-own}
mkdir -p "$out"
cd "$out"
rm -rf people study.jsonl sheets choices.jsonl* choices.instances.jsonl classes.json

# 1. Marked targets with a schema of your own (see spans-own.sh for the way there).
cat > claims.toml <<'TOML'
name = "claims"
[[categories]]
name = "effect"
start = "<effect>"
end = "</effect>"
TOML
python3 - <<'PYTHON'
import json, random

draw = random.Random(7)
ways = {"sleep": ["helps sleep", "helped sleep", "brings sleep"], "pain": ["eases pain", "eases the pain", "stops pain"],
        "cough": ["calms coughs", "calms a cough", "soothes coughs"]}
rows = []
for number in range(40):
    kind = draw.choice(sorted(ways))
    source = f"Leaflet {number}. The trial was about {kind}. Patients took the drug for a week."
    target = f"The drug <effect> {draw.choice(ways[kind])} </effect> ."
    rows.append({"id": f"t{number}", "source": source, "references": [target], "tags": {"schema": "claims.toml"}})
open("corpus.jsonl", "w").write("".join(json.dumps(row) + "\n" for row in rows))
PYTHON

# 2. The spans by frequency, with proposed classes, as a sheet and as a page to merge, split, name and exclude.
assay data markup spans corpus.jsonl --category effect -o proposed.csv --page proposed.html
python3 - <<'PYTHON'
import csv

rows = list(csv.DictReader(open("proposed.csv")))
for expert in (1, 2):
    for row in rows:
        row["class"] = next(name for name in ("sleep", "pain", "cough") if name in row["span"])
        if expert == 2 and row["span"].startswith("stops"):
            row["class"] = "-"  # the second expert finds it too strong
    with open(f"expert-{expert}.csv", "w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
PYTHON

# 3. Agreement, and a class file with a version.
assay data markup freeze expert-1.csv expert-2.csv --category effect --evaluation effect --disputed exclude -o classes.json
assay data markup lint classes.json --targets corpus.jsonl --schema claims.toml

# 4. Instances for models, and the same instances for people.
assay system choose corpus.jsonl --classes classes.json --schema claims.toml --plain --goal 60 --system ngram \
  --train corpus.jsonl -o choices.jsonl --confusion effect
assay data markup people choices.instances.jsonl -o people
assay study assign people/design.toml people/a.jsonl people/b.jsonl -e people/examples.jsonl -o study.jsonl \
  --people 1 --sheets sheets
python3 - <<'PYTHON'
import json, pathlib, random

path, draw, filled = pathlib.Path("sheets/person-1.jsonl"), random.Random(2), []
for line in path.read_text().splitlines():
    record = json.loads(line)
    kind = record["source"].split("about ")[1].split(".")[0]
    fits = [float(kind in text) for text in record["texts"]]
    record["answers"]["continuation"] = fits if draw.random() < 0.95 else fits[::-1]
    filled.append(json.dumps(record))
path.write_text("\n".join(filled) + "\n")
PYTHON
assay study collect study.jsonl --design people/design.toml sheets/person-1.jsonl
assay study export study.jsonl --design people/design.toml -o judgements.jsonl
assay data markup people choices.instances.jsonl --judgements judgements.jsonl -o people
assay compare people/choices.jsonl choices.jsonl -e choices.instances.jsonl -m eq_accuracy
