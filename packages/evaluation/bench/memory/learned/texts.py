"""
Collects what the learned comparison is trained on: messages with the memory that they need, and messages that need none.

    python3 texts.py DIR OUT.json

DIR has one folder for each public repository: circa (github.com/NakuraMino/IndirectAnswers, a copy of Google's Circa in
parts), personas (google-research-datasets/Synthetic-Persona-Chat), implied (amazon-science/
aws-intent-detect-neg-implicature-dataset), clinc (clinc/oos-eval), banking (PolyAI-LDN/task-specific-datasets),
causes (Waste-Wood/e-CARE), self-instruct (yizhongw/self-instruct), csqa2 (allenai/csqa2) and strategyqa (eladsegal/strategyqa).

Licences: CC BY 4.0 (Circa, personas, implied, banking, csqa2), CC BY 3.0 (clinc), Apache-2.0 (self-instruct), MIT (causes, strategyqa).
"""
import collections
import csv
import gzip
import json
import random
import re
import sys
from pathlib import Path

sets, out = Path(sys.argv[1]), sys.argv[2]
draw = random.Random(7)

# Two of Circa's ten situations are left for testing.
CIRCA_SITUATIONS = [0, 2, 3, 5, 6, 7, 8, 9]
CIRCA_FOLDER = "circa/data/CIRCA/unmatched"
IMPLIED_FOLDER = "implied/IntentSemanticEncoder/build_toolkit/results"
IMPLIED_FILE = "implicature/utterances_gpt-4-0613_in_context_implicature.json"


def read_json(path):
    raw = (sets / path).read_bytes()
    return json.loads(gzip.decompress(raw) if path.endswith(".gz") else raw)


def read_lines(path):
    raw = (sets / path).read_bytes()
    text = (gzip.decompress(raw) if path.endswith(".gz") else raw).decode()
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def read_rows(path, delimiter=","):
    with (sets / path).open(newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def some(items, count):
    items = list(dict.fromkeys(items))
    draw.shuffle(items)
    return items[:count]


def circa():
    """Questions, and answers that say neither yes nor no."""
    rows = [
        (row["question-X"].strip(), row["answer-Y"].strip())
        for number in CIRCA_SITUATIONS
        for row in read_rows(f"{CIRCA_FOLDER}/scenario{number}/circa-data-test.tsv", "\t")
    ]
    counts = collections.Counter(answer.lower() for _, answer in rows)
    answers = collections.defaultdict(list)
    for question, answer in rows:
        if len(answer.split()) >= 5 and counts[answer.lower()] == 1:
            answers[question].append(answer)
    return [(question, one) for question, all in answers.items() for one in sorted(all, key=len)[-2:]]


COMMON = set(
    "i a an the my me is am are was were be been have has had do does did to of in on at for and or with it that this you "
    "your so very really just like love lot from not don't i'm i've but as by we they he she his her their its can would".split()
)


def telling(text):
    return {w[:5] for w in re.findall(r"[a-z']+", text.lower()) if w not in COMMON and len(w) > 2}


def personas():
    """A question, and the line of the answering person's description that the answer repeats."""
    pairs = {}
    for part in ("valid", "test"):
        for row in read_rows(f"personas/data/Synthetic-Persona-Chat_{part}.csv"):
            lines = {"1": row["user 1 personas"].split("\n"), "2": row["user 2 personas"].split("\n")}
            matches = [re.match(r"\s*[Uu]ser ?([12]):\s*(.*)", line) for line in row["Best Generated Conversation"].split("\n")]
            turns = [(match[1], match[2]) for match in matches if match]
            for (asking, asked), (answering, answer) in zip(turns, turns[1:]):
                questions = [part for part in re.split(r"(?<=[.?!])\s+", asked) if part.endswith("?")]
                if asking == answering or not questions or len(questions[-1].split()) < 4:
                    continue
                shares = [
                    (len(telling(line) & telling(answer)) / len(telling(line)), line.strip())
                    for line in lines[answering]
                    if telling(line)
                ]
                share, line = max(shares, default=(0, ""))
                if share >= 0.45:
                    pairs[questions[-1], line] = True
    pairs = some(pairs, len(pairs))
    kept, counts = [], collections.Counter()
    for question, line in pairs:
        key = re.sub(r"^(so|hi|hello|oh|well|and|that.s [a-z]+)[,.!]* ", "", question.lower())
        counts[key] += 1
        if counts[key] <= 25:
            kept.append((question, line))
    return kept


CHANGES = [
    (r"\bare you\b", "am I"),
    (r"\bAre you\b", "Am I"),
    (r"\bwere you\b", "was I"),
    (r"\bWere you\b", "Was I"),
    (r"\byou're\b", "I'm"),
    (r"\byourself\b", "myself"),
    (r"\byours\b", "mine"),
    (r"\byour\b", "my"),
    (r"\bYour\b", "My"),
    (r"\b(about|for|with|to|of|than|from|bother|help|make|makes|suit|remind|at) you\b(?! (like|want|have|do|get|go|eat))", r"\1 me"),
    (r"\b[Yy]ou\b", "I"),
]


def about_me(pairs, count):
    """The same questions, as the person would ask an assistant: “Do I like spicy food?”"""
    changed = []
    for question, line in pairs:
        if not re.search(r"\byou", question, re.I):
            continue
        for pattern, into in CHANGES:
            question = re.sub(pattern, into, question)
        changed.append((question, line))
    return some(changed, count)


def implied(name, utterances, count):
    """A wish, and a remark that implies it."""
    pairs = [
        (draw.choice(utterances[row["label"].replace(" ", "_")]), said)
        for row in read_json(f"{IMPLIED_FOLDER}/{name}/{IMPLIED_FILE}")
        if utterances.get(row["label"].replace(" ", "_"))
        for said in (row["prediction"] or {}).values()
        if isinstance(said, str)
    ]
    return some(pairs, count)


def causes():
    """What happened, and its cause or effect."""
    rows = read_lines("causes/dataset/Causal_Reasoning/train.jsonl")
    return [(row["premise"], row["hypothesis1" if row["label"] == 0 else "hypothesis2"]) for row in rows]


wishes = collections.defaultdict(list)
for text, intent in read_json("clinc/data/data_full.json")["train"]:
    wishes[intent].append(text)
banking = collections.defaultdict(list)
for row in read_rows("banking/banking_data/train.csv"):
    banking[row["category"]].append(row["text"])
intents = sorted(wishes)

pairs = {"circa": circa(), "personas": personas()}
pairs["circa, about me"] = about_me(pairs["circa"], 2000)
pairs["personas, about me"] = about_me(pairs["personas"], 1500)
pairs["implied wishes"] = implied("CLINC150", wishes, 3500)
pairs["implied in banking"] = implied("BANKING77", banking, 1000)
pairs["causes"] = some(causes(), 2000)
unrelated = {
    # A third of the intents are left for testing.
    "wishes": some([text for place, intent in enumerate(intents) if place % 3 for text in wishes[intent]], 1500),
    "banking": some([text for texts in banking.values() for text in texts], 300),
    "instructions": [row["instruction"] for row in read_lines("self-instruct/data/seed_tasks.jsonl")]
    + [row["instruction"] for row in read_lines("self-instruct/human_eval/user_oriented_instructions.jsonl")],
    "statements": some([row["question"] for row in read_lines("csqa2/dataset/CSQA2_dev.json.gz")], 500),
    "questions": some([row["question"] for row in read_json("strategyqa/data/strategyqa/train.json")], 800),
}
for name, items in (pairs | unrelated).items():
    print(name, len(items))
Path(out).write_text(json.dumps({"pairs": pairs, "unrelated": unrelated}))
