/**
 * A session of the library as an agent lives through it, call by call, with a provider that reports
 * its usage; the calls after the history was long enough are timed one by one.
 */
import { conversation } from "./conversation.mjs";

/**
 * Histories are longer or shorter than asked by up to this share, and timed calls are of the last
 * part: so they fall on every phase between two compactions, not always on the same.
 */
const SPREAD_SHARE = 0.15;
const TIMED_SHARE = 0.1;
const REPORTED_CHARACTERS_PER_TOKEN = 3.1;

const SYSTEM =
  "You are a coding agent. Read before you write, test what you change, say what you did.\n".repeat(160);
const TOOLS = ["Read", "Bash", "Grep", "Edit"].map((name) => ({
  name,
  description: `${name}: ${"works on the files of the project and reports what it found. ".repeat(20)}`,
  input_schema: {
    type: "object",
    properties: { file_path: { type: "string" }, command: { type: "string" } },
  },
}));
const MODEL = "claude-opus-4-5";

/**
 * Times calls in sessions with about `size` messages of history, until there are `callCount` of them.
 * @returns what was lived through, and one record per call:
 *   `{ recordMs, appendMs, prepareMs, messages, rewrites, layers }`
 */
export async function timeCalls({ palimpsest, size, callCount }) {
  const calls = [];
  const lived = { sessions: 0, rewrites: 0, messages: 0 };
  while (calls.length < callCount) {
    const agent = await Agent.start(palimpsest, 1 + lived.sessions);
    const from = size * (1 + SPREAD_SHARE * spread(lived.sessions));
    while (agent.messageCount < from) lived.rewrites += (await agent.step()).rewrites;
    lived.sessions++;
    lived.messages += agent.messageCount;
    while (agent.messageCount < from + size * TIMED_SHARE && calls.length < callCount)
      calls.push(await agent.step());
    await agent.session.close();
  }
  return { calls, lived };
}

/** Numbers between -1 and 1, evenly spread however many are taken (multiples of the golden ratio). */
function spread(index) {
  return 2 * ((index * 0.618_034) % 1) - 1;
}

class Agent {
  static async start(palimpsest, seed) {
    const { createSession, InMemorySessionStore, nodeHasher, randomIds, systemClock } = palimpsest;
    const agent = new Agent();
    agent.messageCount = 0;
    agent.steps = conversation(seed);
    agent.sizes = new WeakMap();
    agent.session = await createSession({
      store: new InMemorySessionStore(),
      clock: systemClock,
      ids: randomIds,
      hasher: nodeHasher,
      window: { windowTokens: 200_000 },
    });
    return agent;
  }

  /** One call as the host sees it: record the last answer, append what came in, prepare the next request. */
  async step() {
    const { value } = this.steps.next();
    const { answer, arrived } = value;
    const usage = answer === undefined ? undefined : this.#report(answer);

    const recordFrom = performance.now();
    if (answer !== undefined) await this.session.record({ messages: [answer], usage });
    const appendFrom = performance.now();
    await this.session.append(arrived);
    const prepareFrom = performance.now();
    const prepared = await this.session.prepare({ model: MODEL, system: SYSTEM, tools: TOOLS });
    const end = performance.now();

    this.sent = prepared;
    const messages = arrived.length + (answer === undefined ? 0 : 1);
    this.messageCount += messages;
    return {
      recordMs: appendFrom - recordFrom,
      appendMs: prepareFrom - appendFrom,
      prepareMs: end - prepareFrom,
      messages,
      rewrites: prepared.edits.length,
      layers: prepared.edits.map(({ edit }) => edit.kind),
    };
  }

  /** The bill of the provider: a separate tokenizer over the sent text. Not timed. */
  #report(answer) {
    let characters = SYSTEM.length + JSON.stringify(TOOLS).length;
    for (const { content } of this.sent.messages)
      for (const block of content) characters += this.#size(block);
    const output = answer.content.reduce((sum, block) => sum + this.#size(block), 0);
    return {
      inputTokens: Math.round(characters / REPORTED_CHARACTERS_PER_TOKEN),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: Math.round(output / REPORTED_CHARACTERS_PER_TOKEN),
    };
  }

  #size(block) {
    let size = this.sizes.get(block);
    if (size === undefined) {
      size = block.type === "text" ? block.text.length : JSON.stringify(block).length;
      this.sizes.set(block, size);
    }
    return size;
  }
}
