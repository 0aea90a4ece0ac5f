#!/bin/sh
# Span annotation to model, with a schema of your own: study, two annotators, adjudication, targets, split, training,
# evaluation. Documents and answers are synthetic; replace them by yours. Usage: sh examples/spans-own.sh [FOLDER]
set -eu
out=${1:-results/spans-own}
epochs=${EPOCHS:-15}
mkdir -p "$out"
cd "$out"
rm -rf study.jsonl sheets model splits outputs.jsonl*

# 1. A schema: a claim has a dose and an effect, and every effect a comment.
cat > claims.toml <<'TOML'
name = "claims"
whole = "claim"

[[categories]]
name = "claim"
about = "a statement about a medicine"
mandatory = true

[[categories]]
name = "dose"
about = "the amount"
mandatory = true

[[categories]]
name = "effect"
about = "what it does"
mandatory = true
comment = "required"
TOML
cat > design.toml <<'TOML'
name = "claims"
title = "Claims about medicines"
language = "en"
instructions = "Mark each claim, and in it the dose and the effect. Comment on every effect."

[[questions]]
criterion = "claims"
kind = "spans"
text = "Which parts does each claim have, and where are they?"
schema = "claims.toml"
several = true
comments = true

[sample]
systems = 1
method = "all"

[people]
per_item = 2
TOML
python3 - <<'PYTHON'
import json, random

draw = random.Random(5)
drugs, effects = "Alvan Brixo Calmin Dorel".split(), {"helps sleep": "sleep", "eases pain": "pain", "calms coughs": "cough"}
rows = []
for number in range(300):
    claims = [f"{draw.randint(1, 9)} mg of {draw.choice(drugs)} {draw.choice(sorted(effects))}." for _ in range(1)]
    rows.append({"id": f"leaflet-{number}", "source": " ".join(claims)})
open("documents.jsonl", "w").write("".join(json.dumps(row) + "\n" for row in rows))
PYTHON

# 2. Two annotators mark spans (on the page of `assay study serve`, or in sheets); mandatory labels are enforced.
assay study assign design.toml -e documents.jsonl -o study.jsonl --people 2 --sheets sheets
python3 - <<'PYTHON'
import json, pathlib, random, re

words = {"helps sleep": "sleep", "eases pain": "pain", "calms coughs": "cough"}
for number, path in enumerate(sorted(pathlib.Path("sheets").glob("*.jsonl"))):
    draw, filled = random.Random(number), []
    for line in path.read_text().splitlines():
        record, spans = json.loads(line), []
        for claim in re.finditer(r"(\d+ mg) of \w+ (helps sleep|eases pain|calms coughs)\.", record["texts"][0]):
            spans.append({"start": claim.start(), "end": claim.end(), "label": "claim"})
            short = draw.random() < 0.1  # sometimes the unit is forgotten
            spans.append({"start": claim.start(1), "end": claim.end(1) - 3 * short, "label": "dose"})
            effect = {"start": claim.start(2), "end": claim.end(2), "label": "effect", "comment": words[claim[2]]}
            spans.append(effect)
        record["answers"]["claims"] = [spans]
        filled.append(json.dumps(record))
    path.write_text("\n".join(filled) + "\n")
PYTHON
assay study collect study.jsonl --design design.toml sheets/*.jsonl
assay study export study.jsonl --design design.toml --as spans -o annotations.jsonl
# Annotations of brat, Label Studio, doccano or INCEpTION instead:
#   assay data markup import export.json --from label-studio --schema claims.toml -o annotations.jsonl

# 3. Adjudication: an expert decides where the annotators differ; here, the longer dose is right.
assay data markup adjudicate annotations.jsonl --disagreements open.jsonl -o gold.jsonl || true
python3 - <<'PYTHON'
import json

rows = [json.loads(line) for line in open("open.jsonl")]
for row in rows:
    row["keep"] = row["text"].endswith("mg")
open("decided.jsonl", "w").write("".join(json.dumps(row) + "\n" for row in rows))
PYTHON
assay data markup adjudicate annotations.jsonl --decisions decided.jsonl --statements --schema claims.toml -o gold.jsonl

# 4. Marked targets, parts by document, a small model, and its scores.
assay data markup targets gold.jsonl --schema claims.toml --strict -o corpus.jsonl
assay data markup split corpus.jsonl --shares 8:1:1 -o splits
assay system train seq2seq:tiny:markers=true:schema=claims.toml:epochs=$epochs:batch=8:vocabulary=300:source_limit=32:target_limit=64:max_new=40 \
  --train splits/train.jsonl --valid splits/valid.jsonl --as source -o model > training.txt
assay system generate splits/test.jsonl --system hf:model:max_new=40 --as source -o outputs.jsonl
assay score outputs.jsonl -e splits/test.jsonl -m markers:schema=claims.toml
assay score outputs.jsonl -e splits/test.jsonl -m rouge1 --text without-markers --schema claims.toml --verbose
