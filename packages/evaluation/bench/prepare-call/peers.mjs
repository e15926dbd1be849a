/**
 * The work of other libraries before a call, on the same conversation: the list of all messages goes in, as
 * their users keep it, and the list to send comes out. Runs in a worker, because it may have to be stopped:
 * some of it takes minutes and cannot be interrupted.
 */
import { parentPort, Worker, workerData } from "node:worker_threads";
import { conversation } from "./conversation.mjs";

const MAX_TOKENS = 160_000;
const CHARACTERS_PER_TOKEN = 4;

export const PEERS = ["langchain-trim", "ai-sdk-prune"];

/** Times one peer at one size. `{ version, times }`, with `isStopped` where it was still at work after `capMs`. */
export function timePeer({ peer, size, capMs, repetitions }) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { peer, size, repetitions, capMs } });
    const result = { version: undefined, times: [], isStopped: false };
    let timer;
    worker.on("message", (message) => {
      if (message.version !== undefined) {
        result.version = message.version;
        timer = setTimeout(() => {
          result.isStopped = true;
          worker.terminate();
        }, capMs);
      } else result.times.push(message.ms);
    });
    worker.on("error", reject);
    worker.on("exit", () => {
      clearTimeout(timer);
      resolve(result);
    });
  });
}

if (workerData?.peer !== undefined) await work(workerData);

async function work({ peer, size, repetitions, capMs }) {
  const { version, prepare } = await (peer === "langchain-trim" ? langchain(size) : aiSdk(size));
  parentPort.postMessage({ version });
  const until = performance.now() + capMs / 2;
  for (let index = 0; index < repetitions && performance.now() < until; index++) {
    const from = performance.now();
    await prepare();
    parentPort.postMessage({ ms: performance.now() - from });
  }
}

async function langchain(size) {
  const { AIMessage, HumanMessage, ToolMessage, trimMessages } = await import("@langchain/core/messages");
  const convert = ({ role, content }, index) => {
    const text = content
      .filter((block) => block.type === "text")
      .map((block) => block.text)
      .join("\n");
    const result = content.find((block) => block.type === "tool_result");
    const id = `m${index}`;
    if (role === "assistant") {
      const calls = content.filter((block) => block.type === "tool_use");
      return new AIMessage({
        id,
        content: text,
        tool_calls: calls.map((call) => ({
          id: call.id,
          name: call.name,
          args: call.input,
          type: "tool_call",
        })),
      });
    }
    if (result === undefined) return new HumanMessage({ id, content: text });
    return new ToolMessage({ id, content: result.content, tool_call_id: result.tool_use_id });
  };
  const messages = firstMessages(size).map(convert);
  // The cheapest counter that anyone uses: characters by four.
  const tokenCounter = (list) => {
    let characters = 0;
    for (const message of list) {
      characters += message.content.length;
      if (message.tool_calls?.length > 0) characters += JSON.stringify(message.tool_calls).length;
    }
    return Math.ceil(characters / CHARACTERS_PER_TOKEN);
  };
  const options = {
    maxTokens: MAX_TOKENS,
    strategy: "last",
    startOn: "human",
    includeSystem: true,
    tokenCounter,
  };
  return { version: await versionOf("@langchain/core"), prepare: () => trimMessages(messages, options) };
}

async function aiSdk(size) {
  const { pruneMessages } = await import("ai");
  const names = new Map();
  const convert = ({ role, content }) => {
    if (role === "assistant") return { role, content: content.map(toPart) };
    const results = content.filter((block) => block.type === "tool_result");
    if (results.length === 0) return { role, content: content.map(toPart) };
    return { role: "tool", content: results.map(toPart) };
  };
  const toPart = (block) => {
    if (block.type === "text") return { type: "text", text: block.text };
    const toolCallId = block.type === "tool_use" ? block.id : block.tool_use_id;
    if (block.type === "tool_use") names.set(block.id, block.name);
    const toolName = names.get(toolCallId);
    if (block.type === "tool_use") return { type: "tool-call", toolCallId, toolName, input: block.input };
    return { type: "tool-result", toolCallId, toolName, output: { type: "text", value: block.content } };
  };
  const messages = firstMessages(size).map(convert);
  const options = { reasoning: "all", toolCalls: "before-last-3-messages", emptyMessages: "remove" };
  return { version: await versionOf("ai"), prepare: async () => pruneMessages({ messages, ...options }) };
}

function firstMessages(size) {
  const messages = [];
  for (const { answer, arrived } of conversation(1)) {
    if (answer !== undefined) messages.push(answer);
    messages.push(...arrived);
    if (messages.length >= size) return messages.slice(0, size);
  }
  return messages;
}

async function versionOf(name) {
  const { readFile } = await import("node:fs/promises");
  const url = new URL(`./node_modules/${name}/package.json`, import.meta.url);
  return `${name} ${JSON.parse(await readFile(url, "utf8")).version}`;
}
