/**
 * An endless conversation of a coding agent, the same for a seed: a user asks, the assistant calls tools,
 * tools return results. Messages have 40 to 2,000 tokens, on average about 270, and hold the contents of real
 * ones: paths, numbers, code, errors.
 */

const CHARACTERS_PER_TOKEN = 3.4;
const WORDS =
  "the a of to and in that is was for on with as by at this not when where which error warning test passed failed expected received window message context cache prefix result summary request session store value option default number string return function async await import export const type interface readonly class extends private config parser module handler branch commit review release".split(
    " ",
  );
const NOUNS =
  "session parser cache window index ledger budget router client server worker queue schema token".split(" ");
const TOOLS = ["Read", "Bash", "Grep", "Edit"];

/** Steps without end. In each the model answered (`answer`) and what it waits for came in (`arrived`): at most 3 messages. */
export function* conversation(seed) {
  const random = mulberry(seed);
  const between = (low, high) => Math.round(low + random() * (high - low));
  let callCount = 0;
  let responseCount = 0;
  const say = (content) => ({ role: "assistant", responseId: `msg_${seed}_${++responseCount}`, content });
  const ask = () => ({ role: "user", content: [text(prose(random, between(40, 300)))] });

  yield { answer: undefined, arrived: [ask()] };
  for (;;) {
    for (let step = between(3, 14); step > 0; step--) {
      const callIds = Array.from({ length: random() < 0.1 ? 2 : 1 }, () => `toolu_${seed}_${++callCount}`);
      const calls = callIds.map((id) => toolCall(random, id));
      yield {
        answer: say([text(prose(random, between(40, 120))), ...calls]),
        arrived: calls.map((call) => ({ role: "user", content: [toolResult(random, call)] })),
      };
    }
    yield { answer: say([text(prose(random, between(60, 400)))]), arrived: [ask()] };
  }
}

function text(value) {
  return { type: "text", text: value };
}

function toolCall(random, id) {
  const name = pick(random, TOOLS);
  const path = filePath(random);
  const inputs = {
    Read: { file_path: path, offset: Math.floor(random() * 400), limit: 200 },
    Bash: { command: `npx vitest run ${path} --reporter=dot`, description: prose(random, 8) },
    Grep: { pattern: `${pick(random, NOUNS)}${Math.floor(random() * 100)}`, path: "src" },
    Edit: { file_path: path, old_string: code(random, 60), new_string: code(random, 80) },
  };
  return { type: "tool_use", id, name, input: inputs[name] };
}

function toolResult(random, call) {
  const tokens = Math.min(2_000, Math.max(40, 260 * Math.exp(normal(random))));
  const hasFailed = random() < 0.06;
  const content = hasFailed
    ? `Error: ${pick(random, NOUNS)} not found in ${filePath(random)}\n${code(random, tokens)}`
    : code(random, tokens);
  return { type: "tool_result", tool_use_id: call.id, content, ...(hasFailed ? { is_error: true } : {}) };
}

function prose(random, tokens) {
  let out = "";
  while (out.length < tokens * CHARACTERS_PER_TOKEN) {
    out += random() < 0.03 ? filePath(random) : pick(random, WORDS);
    out += random() < 0.08 ? ".\n" : " ";
  }
  return out;
}

function code(random, tokens) {
  let out = "";
  for (let line = Math.floor(random() * 900); out.length < tokens * CHARACTERS_PER_TOKEN; line++) {
    const name = `${pick(random, NOUNS)}${Math.floor(random() * 3_000)}`;
    out += `${String(line).padStart(6)}\tconst ${name} = ${pick(random, WORDS)}(${pick(random, NOUNS)}, { ${pick(random, WORDS)}: ${Math.floor(random() * 5_000)} });`;
    out += random() < 0.1 ? ` // ${filePath(random)}:${line}\n` : "\n";
  }
  return out;
}

function filePath(random) {
  return `src/${pick(random, NOUNS)}/${pick(random, NOUNS)}-${Math.floor(random() * 60)}.ts`;
}

function pick(random, items) {
  return items[Math.floor(random() * items.length)];
}

function normal(random) {
  return Math.sqrt(-2 * Math.log(Math.max(1e-9, random()))) * Math.cos(2 * Math.PI * random());
}

/** Mulberry32: small, fast, good enough for text. */
function mulberry(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
