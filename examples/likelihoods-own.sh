#!/bin/sh
# Likelihoods of any language model on your own data: forced choices, rankings, perplexity, and few-shot prompting.
# The notes are synthetic; replace them by yours. Usage: sh examples/likelihoods-own.sh [FOLDER]
# Variables: GGUF=FILE is a model in a .gguf file of yours; SERVER=URL with NAME=MODEL and DIALECT=openai, vllm, llamacpp
# or tgi is a model on a server. Without them the walk trains a small causal model in half a minute of CPU time.
set -eu
out=${1:-results/likelihoods-own}
mkdir -p "$out"
cd "$out"

# 1. Your data: reports of faults with the advice that follows; two continuations each, and candidates to rank.
python3 - <<'PYTHON'
import json, os, random

draw = random.Random(11)
advice = {"oil": ["low oil pressure", "a dry bearing", "a grinding noise"], "paint": ["rust on the frame", "bare metal"],
          "power": ["a weak battery", "a loose cable"], "cleaning": ["a clogged filter", "sand in the gears"]}
machines, places = "crane pump lift drill press saw".split(), "north south east west".split()
pairs = [(name, need, sign) for name in machines for need in advice for sign in advice[need]]
draw.shuffle(pairs)


def note(number, name, need, sign):
    source = f"The {name} in hall {draw.choice(places)} {number} has {sign}."
    return {"id": f"n{number}", "source": source, "references": [f"The {name} needs {need}."]}


def save(path, rows):
    open(path, "w").write("".join(json.dumps(row) + "\n" for row in rows))


# A machine has a fault either in training or in the test, so that advice must be learned, not remembered.
train = [note(number, *draw.choice(pairs[:40])) for number in range(400)]
valid = [note(number, *draw.choice(pairs[:40])) for number in range(400, 440)]
tested = [(number, *draw.choice(pairs[40:])) for number in range(440, 440 + int(os.environ.get("SIZE", 60)))]
choices, rankings, test = [], [], []
for number, name, need, sign in tested:
    item, wrong = note(number, name, need, sign), draw.choice([one for one in advice if one != need])
    other = draw.choice([one for one in machines if one != name])
    test.append(item)
    choices += [
        {**item, "id": f"n{number}-advice", "tags": {"evaluation": "advice"},
         "input": {"kind": "choice", "prefix": f"The {name} needs", "positive": f"{need}.", "negative": f"{wrong}."}},
        {**item, "id": f"n{number}-machine", "tags": {"evaluation": "machine"},
         "input": {"kind": "choice", "prefix": "The", "positive": f"{name}", "negative": f"{other}"}},
    ]
    candidates = [f"The {name} needs {one}." for one in sorted(advice)]
    rankings.append({**item, "input": {"candidates": candidates, "labels": [int(one == need) for one in sorted(advice)]}})
for path, rows in (("train", train), ("valid", valid), ("test", test), ("choices", choices), ("rankings", rankings)):
    save(f"{path}.jsonl", rows)
save("gold.jsonl", [{"id": row["id"], "output": row["references"][0]} for row in test])
mixed = [(row["id"], row["references"][0].rstrip(".").split()) for row in test]
save("mixed.jsonl", [{"id": id, "output": " ".join(draw.sample(words, len(words))) + "."} for id, words in mixed])
PYTHON

# 2. The model: yours on a server, yours in a file, or one that is trained here.
if [ -n "${SERVER:-}" ]; then
  export OPENAI_BASE_URL="$SERVER"
  model="completions:$NAME:dialect=${DIALECT:-openai}" scorer="completions:$NAME@${DIALECT:-openai}"
  prompted="chat:$NAME:max_tokens=12"
elif [ -n "${GGUF:-}" ]; then
  model="hf:$GGUF:chat=false" scorer="$GGUF" prompted="hf:$GGUF:max_new=12"
else
  assay system train causal:tiny:epochs=${EPOCHS:-12}:lr=0.003:vocabulary=300 --train train.jsonl --valid valid.jsonl \
    --as source -o model > train.txt
  model="hf:model" scorer="model" prompted="hf:model:max_new=12"
fi

# 3. Forced choices and rankings, next to word bigrams of the training texts, which do not read the input.
for system in model ngram; do
  spec=$system
  if [ $system = model ]; then spec=$model; fi
  assay system choose choices.jsonl --system "$spec" --as source --train train.jsonl --name $system --force \
    -o choices-$system.jsonl
  assay system rank rankings.jsonl --system "$spec" --as source --train train.jsonl --name $system --force \
    -o rankings-$system.jsonl
done
assay compare choices-model.jsonl choices-ngram.jsonl -e choices.jsonl -m eq_accuracy

# 4. Metrics under the same model: the advice as written, and its words in random order.
for texts in gold mixed; do
  assay score $texts.jsonl -e test.jsonl -m "perplexity:model=$scorer,bartscore:model=$scorer"
done

# 5. Demonstrations in the prompt: none, and three chosen in each way. PROMPTED=hf:smollm2:max_new=12 names another model.
head -n ${FEW:-20} test.jsonl > few.jsonl
assay system generate few.jsonl --system "${PROMPTED:-$prompted}" --as source --name none --force -o none.jsonl
for by in fixed random nearest; do
  assay system generate few.jsonl --system "${PROMPTED:-$prompted}" --as source --shots 3 --shots-from train.jsonl \
    --shots-by $by --name $by --force -o $by.jsonl
  grep '"shots"' $by.jsonl.info.json
done
assay compare none.jsonl fixed.jsonl random.jsonl nearest.jsonl -e few.jsonl -m rouge1
