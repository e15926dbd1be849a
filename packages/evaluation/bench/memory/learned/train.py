"""
Trains the learned comparison of the local model's vectors, and writes its weights into the library.

    python3 train.py TEXTS.json VECTORS.f32 OUT.generated.ts    (Debian's python3-torch; some minutes on one core)

A message's and a memory's vector x, without the mean, each get a map of their own, x + xUV with U and V of rank 32; both
are made of length one. The similarity is the mean of the cosine before and after. A message must be closer to its memory
than to the others of its batch, and than to a threshold; a message that needs no memory must be below the threshold.
"""
import base64
import json
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

NUMBERS = 512
RANK = 32
STEPS = 400
BATCH = 256
RATE = 3e-4
# How often each kind of pair is drawn.
SHARES = {"implied in banking": 0.3, "causes": 0.5}
# A map that departs from doing nothing costs so much.
ANCHOR = 0.02
UNRELATED_WEIGHT = 2.0

texts = json.loads(Path(sys.argv[1]).read_text())
pairs, unrelated = texts["pairs"], texts["unrelated"]
vectors = torch.tensor(np.fromfile(sys.argv[2], dtype=np.float32).reshape(-1, NUMBERS))
flat = [text for rows in pairs.values() for row in rows for text in row]
flat += [text for rows in unrelated.values() for text in rows]
everyday = len(vectors) - len(dict.fromkeys(flat))
places = {text: everyday + place for place, text in enumerate(dict.fromkeys(flat))}


def embedded(lines):
    return F.normalize(vectors[[places[line] for line in lines]], dim=1)


def numbered(lines):
    known = {}
    return torch.tensor([known.setdefault(line, len(known)) for line in lines])


torch.manual_seed(0)
torch.set_num_threads(1)
draw = np.random.default_rng(0)
kinds = list(pairs)
shares = np.array([SHARES.get(kind, 1.0) for kind in kinds])
shares /= shares.sum()
data = []
for kind in kinds:
    messages, memories = zip(*pairs[kind])
    data.append((embedded(messages), embedded(memories), numbered(messages)))
others = [embedded(lines) for lines in unrelated.values()]
mean = torch.stack([torch.cat([messages, memories]).mean(0) for messages, memories, _ in data]).mean(0)

same = torch.eye(NUMBERS)
of_message, of_memory = torch.nn.Parameter(same.clone()), torch.nn.Parameter(same.clone())
sharpness = torch.nn.Parameter(torch.tensor(float(np.log(20))))
threshold = torch.nn.Parameter(torch.tensor(0.2))
optimizer = torch.optim.Adam([{"params": [of_message, of_memory]}, {"params": [sharpness, threshold], "lr": 1e-2}], lr=RATE)


def mapped(rows, weights):
    return F.normalize((rows - mean) @ weights, dim=1)


def batch():
    """Half of the batches are of one kind, where the others are harder to tell from the right one."""
    if draw.random() < 0.5:
        messages, memories, numbers = data[draw.choice(len(kinds), p=shares)]
        chosen = draw.permutation(len(messages))[:BATCH]
        return messages[chosen], memories[chosen], numbers[chosen]
    parts = []
    for kind, (messages, memories, numbers) in enumerate(data):
        chosen = draw.permutation(len(messages))[: max(1, round(BATCH * shares[kind]))]
        parts.append((messages[chosen], memories[chosen], numbers[chosen] + 100_000 * kind))
    return tuple(torch.cat(part) for part in zip(*parts))


for step in range(STEPS):
    optimizer.param_groups[0]["lr"] = RATE * (1 - step / STEPS) + 1e-5
    messages, memories, numbers = batch()
    count = len(messages)
    keys = mapped(memories, of_memory)
    scale = sharpness.exp()
    scores = mapped(messages, of_message) @ keys.T
    twice = (numbers[:, None] == numbers[None]) & ~torch.eye(count, dtype=torch.bool)
    scores = scores.masked_fill(twice, -100.0)
    target = torch.arange(count)
    loss = F.cross_entropy(torch.cat([scores, threshold.expand(count, 1)], 1) * scale, target)
    loss = loss + 0.5 * F.cross_entropy(scores.T * scale, target)
    noise = torch.cat([rows[draw.integers(0, len(rows), BATCH // len(others))] for rows in others])
    noisy = torch.cat([mapped(noise, of_message) @ keys.T, threshold.expand(len(noise), 1)], 1)
    loss = loss + UNRELATED_WEIGHT * F.cross_entropy(noisy * scale, torch.full((len(noise),), count))
    loss = loss + ANCHOR * (((of_message - same) ** 2).sum() + ((of_memory - same) ** 2).sum())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def packed(values):
    """The largest absolute value, and one byte for each number."""
    most = float(np.abs(values).max())
    return np.float32(most).tobytes() + np.round(values / most * 127).astype(np.int8).tobytes()


bytes_ = packed(mean.numpy())
for weights in (of_message, of_memory):
    left, sizes, right = np.linalg.svd((weights - same).detach().numpy().astype(np.float64))
    root = np.sqrt(sizes[:RANK])
    # Rows of U^T and of V, so that both are read in the same way.
    bytes_ += packed((left[:, :RANK] * root).T) + packed(right[:RANK] * root[:, None])
Path(sys.argv[3]).write_text(
    "// Written by packages/evaluation/bench/memory/learned/train.py, which names the sets and their licences. Do not edit.\n\n"
    "/** The mean, then U and V for messages, then for memories: of each the largest value, and its numbers as bytes. */\n"
    f'export const LEARNED_COMPARISON =\n  "{base64.b64encode(bytes_).decode()}";\n'
)
print(f"{len(bytes_)} bytes")
