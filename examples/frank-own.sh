#!/bin/sh
# FRANK's protocol on summaries of your own: lessons, study, votes, agreement, and metrics against the annotators.
# Texts, systems and answers are synthetic; replace them by yours. Usage: sh examples/frank-own.sh [FOLDER]
set -eu
out=${1:-results/frank-own}
mkdir -p "$out"
python3 - "$out" <<'PYTHON'
import json, pathlib, random, sys

out, draw = pathlib.Path(sys.argv[1]), random.Random(1)
towns, days, people = ["Wexley", "Norby", "Elmwick", "Tarn"], ["Monday", "Friday", "Sunday"], ["Ruiz", "Reed", "Okoro"]
facts = ["The port of {town} closed on {day}.", "A storm damaged the crane of {town}.", "Mayor {name} asked for help.",
         "Repairs will take {weeks} weeks.", "Fishermen met {name} on {day}."]
articles, outputs = [], {name: [] for name in ("copy", "careful", "hasty", "wild")}
risk = {"copy": 0.02, "careful": 0.1, "hasty": 0.3, "wild": 0.6}
for number in range(24):
    true = {"town": draw.choice(towns), "day": draw.choice(days), "name": draw.choice(people), "weeks": draw.randint(2, 9)}
    other = {"town": "Sarn", "day": "Tuesday", "name": "Blake", "weeks": 20}
    source = " ".join(fact.format(**true) for fact in facts)
    reference = " ".join(fact.format(**true) for fact in draw.sample(facts, 2))
    articles.append({"id": f"n{number}", "source": source, "references": [reference]})
    for name, rows in outputs.items():
        chosen = draw.sample(facts, draw.randint(1, 3))
        said = [{key: other[key] if draw.random() < risk[name] else value for key, value in true.items()} for _ in chosen]
        text = " ".join(fact.format(**values) for fact, values in zip(chosen, said))
        rows.append({"id": f"n{number}", "output": text})
(out / "articles.jsonl").write_text("".join(json.dumps(row) + "\n" for row in articles))
for name, rows in outputs.items():
    (out / f"{name}.jsonl").write_text("".join(json.dumps(row | {"system": name}) + "\n" for row in rows))
PYTHON
cd "$out"
rm -rf study.jsonl sheets design.toml

# 1. A design for four systems, with the typology's own lessons. Traps are left out here; `assay metric traps make`.
assay study new --preset frank --name my-frank -o design.toml
sed -i.bak -e 's/^systems = 5.*/systems = 4/' -e 's/^items = 250/items = 24/' -e 's/^traps_per_task = 5/traps_per_task = 0/' \
  -e '/^trap_block/d' -e '/^bonus/d' design.toml
assay study export design.toml --as lessons -o lessons.jsonl
assay study assign design.toml copy.jsonl careful.jsonl hasty.jsonl wild.jsonl -e articles.jsonl -o study.jsonl \
  --people 3 --sheets sheets

# 2. Annotators fill in their sheets (or use `assay study serve design.toml`); here, three synthetic ones.
python3 - <<'PYTHON'
import json, pathlib, random

def sentence_error(sentence, source):
    if sentence in source:
        return "NoE"
    return "CircE" if "Tuesday" in sentence or "20 weeks" in sentence else "EntE"

for number, path in enumerate(sorted(pathlib.Path("sheets").glob("*.jsonl"))):
    draw, filled = random.Random(number), []
    for line in path.read_text().splitlines():
        record = json.loads(line)
        votes = []
        for sentences in record["sentences"]:
            seen = [sentence_error(sentence, record["source"]) for sentence in sentences]
            votes.append([draw.choice(["NoE", "EntE", "OutE"]) if draw.random() < 0.15 else each for each in seen])
        record["answers"] = {"factual": votes}
        filled.append(json.dumps(record))
    path.write_text("\n".join(filled) + "\n")
PYTHON
assay study collect study.jsonl --design design.toml sheets/*.jsonl

# 3. Agreement: factual or not (the paper's first figure), and which of eight labels.
assay study export study.jsonl --design design.toml --as votes -o votes.jsonl
assay analyze agreement votes.jsonl
assay study analyze study.jsonl --design design.toml

# 4. FRANK's columns, joined with metrics of your own by hash and model_name.
assay study export study.jsonl --design design.toml --as frank -o human.json
cat copy.jsonl careful.jsonl hasty.jsonl wild.jsonl > summaries.jsonl
assay score summaries.jsonl -e articles.jsonl -m rouge1,rougeL --per-example rouge.jsonl > rouge.txt
assay score summaries.jsonl -e articles.jsonl -m novelty --per-example novelty.jsonl > novelty.txt
assay metric correlate --human human.json --scores rouge.jsonl --scores novelty.jsonl --control model_name

# My metric in FRANK's table is one line, with the released files in DIR:
#   assay metric correlate --human DIR/human_annotations.json --scores DIR/baseline_factuality_metrics_outputs.json \
#     --scores mine.jsonl --control model_name --classical
