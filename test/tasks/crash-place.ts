/** The surroundings of a host that is killed: a worker and an MCP server of other machines, and its own memories. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createPalimpsest, InMemorySessionStore } from "palimpsest";
import { formatMemoryFile } from "#palimpsest/memory/files/memory-file.ts";
import type { TaskKindName } from "#palimpsest/tasks/task-record.ts";
import { serveWorker } from "#palimpsest-cli/worker/worker-server.ts";
import { WORKER_AGENT, WorkerTasks } from "#palimpsest-cli/worker/worker-tasks.ts";
import { httpServer } from "../../packages/palimpsest/test/agent/tasks/mcp/mcp-servers.ts";
import { inNode } from "../../vitest.shared.ts";
import { testFolder } from "../helpers/recordings.ts";
import { type CrashPlace, lookingAgent, TOKEN } from "./all-kinds.ts";
import type { CrashState } from "./crash-cases.ts";

/** Nothing answers there. */
const DEAD_URL = "http://127.0.0.1:9";

const opened: (() => Promise<unknown>)[] = [];

/** Ends all that the places of a test have started. */
export async function closeAll(): Promise<void> {
  for (const close of opened.splice(0).reverse()) await close();
}

/** A place, with what other machines do. Its agent looks until `lookOn` is called. */
export interface OtherMachines {
  readonly place: CrashPlace;
  /** The same without the other machines, which cannot be reached. */
  readonly cutOff: CrashPlace;
  readonly lookOn: () => void;
}

export async function newPlace(): Promise<OtherMachines> {
  const folder = testFolder();
  const mark = randomUUID();
  const web = await httpServer("modern");
  opened.push(web.down);
  const worker = await startWorker();
  // Two that say the same, for a dream to merge, and one to ask a model about.
  mkdirSync(join(folder, "memory"));
  const days = "We deploy on Tuesdays.";
  for (const [index, body] of [days, days, "We deploy with two approvals."].entries()) {
    const fact = { name: `deploy-${index}`, body, source: "user", isConfirmed: true } as const;
    const text = formatMemoryFile({ ...fact, createdAtMs: Date.now() - 1_000 * (index + 1) });
    writeFileSync(join(folder, "memory", `deploy-${index}.md`), text);
  }
  const place = { folder, mark, workerUrl: worker.url, webUrl: web.url };
  return { place, cutOff: { ...place, workerUrl: DEAD_URL, webUrl: DEAD_URL }, lookOn: worker.lookOn };
}

/** The worker of `palimpsest worker`. */
async function startWorker(): Promise<{ readonly url: string; readonly lookOn: () => void }> {
  let lookOn: () => void = () => undefined;
  const looking = new Promise<void>((resolve) => {
    lookOn = resolve;
  });
  const agent = lookingAgent(
    () => looking,
    () => undefined,
  );
  const agents = { [WORKER_AGENT]: { description: "looks", ...agent } };
  const store = new InMemorySessionStore();
  const palimpsest = createPalimpsest({ model: agent.model, store, notes: "off", tasks: { agents } });
  const session = await palimpsest.session();
  await session.begin();
  const address = { host: "127.0.0.1", port: 0, token: TOKEN };
  const server = await serveWorker(new WorkerTasks(session.tasks), address);
  opened.push(async () => {
    await server.close();
    await palimpsest.close();
  });
  return { url: server.url, lookOn };
}

/** What a host is asked to do. */
interface HostTask {
  readonly place: CrashPlace;
  readonly state: CrashState;
  readonly kind?: TaskKindName;
}

/** Runs the host until it stands still, and kills it there. */
export async function killHost(name: string, asked: HostTask): Promise<void> {
  const host = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, [...inNode.execArgv, host, JSON.stringify(asked)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, CRASH_MARK: asked.place.mark },
  });
  opened.push(async () => void child.kill("SIGKILL"));
  const ended = new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? signal));
  });
  child.stdout.once("data", () => child.kill("SIGKILL"));
  const how = await ended;
  if (how !== "SIGKILL") throw new RangeError(`The host did not get there: it ended with ${how}.`);
}

/** Processes with the mark in their arguments or their environment. */
export function leftovers(mark: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false;
    try {
      const read = (file: string): string => readFileSync(`/proc/${name}/${file}`, "latin1");
      return read("stat").split(") ")[1]?.[0] !== "Z" && (read("cmdline") + read("environ")).includes(mark);
    } catch {
      // It ended meanwhile, or belongs to another user.
      return false;
    }
  });
}

/** Waits for something that others do. */
export async function until(isTrue: () => boolean): Promise<void> {
  for (let waited = 0; !isTrue(); waited += 10) {
    if (waited > 250_000) throw new RangeError(`It did not happen: ${isTrue}`);
    await delay(10);
  }
}
