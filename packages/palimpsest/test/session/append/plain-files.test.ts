/**
 * Blocks that are shown in part have a plain copy, which the agent opens with its own tool for files: in real runs, on a
 * real disk.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentTool } from "#agent/options/turn/turn-options.ts";
import { createPalimpsest, type PalimpsestOptions } from "#host/create-palimpsest.ts";
import { folderStore } from "#host/folder-store.ts";
import { openHome } from "#host/home/open-home.ts";
import { inspectSession } from "#stores/files/doctor/session-doctor.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeFileSystem } from "#stores/platform/node-file-system.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { sessionPaths } from "#stores/shared/session-paths.ts";
import { type FakeReply, fakeModel } from "#test/agent/fake-model.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "palimpsest-plain-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const LINES = Array.from(
  { length: 3_000 },
  (_, index) => `line ${index + 1} of the log of the build, all is well`,
);
const TEXT = LINES.slice(0, 1_200).join("\n");
const NAMED = /all of it is in the file (\S+), this from line (\d+) …\]/;

/** A tool that reads files as agents have it: a path, and lines from one on. */
const readTool: AgentTool = {
  name: "Read",
  description: "Reads a file.",
  inputSchema: { type: "object" },
  run: (input) => {
    const { path, line = 1 } = input as { readonly path: string; readonly line?: number };
    const all = path === "build.log" ? TEXT : readFileSync(path, "utf8");
    return all
      .split("\n")
      .slice(line - 1, path === "build.log" ? undefined : line)
      .join("\n");
  },
};

const read = (
  id: string,
  name: string,
  input: { readonly path: string; readonly line?: number },
): FakeReply => [{ type: "tool_use", id, name, input }];

/** The newest result in a request. */
const resultIn = (messages: readonly { readonly content: readonly object[] }[]): string => {
  const blocks = messages.flatMap(({ content }) => content);
  return String(
    (blocks.findLast((block) => "tool_use_id" in block) as { readonly content?: unknown })?.content,
  );
};

interface RunOptions extends Partial<PalimpsestOptions> {
  readonly toolName?: string;
}

/** A session whose agent reads a long file, is shown a part of it, and opens the copy where the part ends. */
async function run({ toolName = "Read", ...options }: RunOptions = {}) {
  const tools = [{ ...readTool, name: toolName }];
  let shown = "";
  let opened = "";
  const model = fakeModel(({ messages }, index) => {
    if (index === 0) return read("c1", toolName, { path: "build.log" });
    const result = resultIn(messages);
    if (index > 1) {
      opened = result;
      return "Done.";
    }
    shown = result;
    const [, path, line] = NAMED.exec(shown) ?? [];
    return path === undefined ? "Done." : read("c2", toolName, { path, line: Number(line) });
  });
  const places =
    "home" in options || "store" in options || "folder" in options ? {} : { folder: join(root, "sessions") };
  const palimpsest = createPalimpsest({
    ...{ model, notes: "off", background: "off", ...places, ...options },
    window: { windowTokens: 64_000, ...options.window },
  });
  const session = await palimpsest.session("a");
  await session.turn("Why did the build fail?", { tools });
  await palimpsest.close();
  const path = NAMED.exec(shown)?.[1];
  return { shown, opened, path, requests: model.requests };
}

describe("a result that is shown in part", () => {
  it("is opened by the agent's own tool where the part ends", async () => {
    const { shown, opened, path, requests } = await run();

    expect(shown).toContain('history_read({ pointer: "m6.0", offset: ');
    expect(path).toBe(join(root, "sessions", "a", "plain", "m6.0.txt"));
    expect(readFileSync(path!, "utf8")).toBe(TEXT);
    const last = LINES.findLastIndex((line) => shown.split("[…")[0]!.includes(`${line}\n`));
    expect(opened).toBe(LINES[last + 1]);
    expect(statSync(path!).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path!)).mode & 0o777).toBe(0o700);
    expect(resultIn(requests[1]!.messages)).toBe(shown);
    expect(JSON.stringify(requests[2]!.messages)).toContain(JSON.stringify(shown));
  });

  it("is shown the same after the copy is gone, and to a session that is opened elsewhere", async () => {
    const { shown, path } = await run();
    rmSync(path!);
    const moved = join(root, "moved");
    renameSync(join(root, "sessions"), moved);

    const model = fakeModel(() => "Done.");
    const palimpsest = createPalimpsest({
      model,
      notes: "off",
      folder: moved,
      window: { windowTokens: 64_000 },
    });
    const session = await palimpsest.open("a");
    await session.turn("Go on.", { tools: [readTool] });
    expect(JSON.stringify(model.requests[0]!.messages)).toContain(JSON.stringify(shown));
    expect((await session.history.read("m6.0", { limit: 20_000 })).totalCharacters).toBe(TEXT.length);
    await palimpsest.close();
  });

  it.each([
    ["a model without a tool for files", { toolName: "fetch_report" }],
    ["a host that wants none", { window: { plainFiles: false } }],
    ["a store that is not on the disk", { store: new InMemorySessionStore() }],
    ["a folder that cannot be made", { window: { plainFiles: "/dev/null/copies" } }],
  ])("names no file for %s", async (_, options: RunOptions) => {
    const { shown } = await run(options);
    expect(shown).toMatch(
      / left out here; read them with history_read\(\{ pointer: "m6.0", offset: \d+ \}\) …\]/,
    );
    expect(existsSync(join(root, "sessions", "a", "plain"))).toBe(false);
  });

  it("lies where the host says, apart from other sessions of the same id, and stays there", async () => {
    const folder = join(root, "workspace", "outputs");
    const { path, opened } = await run({ toolName: "open_document", window: { plainFiles: folder } });
    const other = await run({ folder: join(root, "others"), window: { plainFiles: folder } });

    expect(opened).toMatch(/^line \d+ of the log/);
    expect(readdirSync(folder)).toEqual([
      expect.stringMatching(/^a-[0-9a-f]{8}$/),
      expect.stringMatching(/^a-[0-9a-f]{8}$/),
    ]);
    expect(dirname(other.path!)).not.toBe(dirname(path!));
    await folderStore(join(root, "sessions")).trash("a", { at: 1, reason: "test" });
    expect(existsSync(path!)).toBe(true);
  });

  it("goes to the trash with its session, comes back with it, and is deleted with it", async () => {
    const { path } = await run();
    const store = folderStore(join(root, "sessions"));
    await store.trash("a", { at: 1, reason: "test" });
    expect(existsSync(path!)).toBe(false);
    await store.restore("a");
    expect(readFileSync(path!, "utf8")).toBe(TEXT);
    await store.trash("a", { at: 2, reason: "test" });
    await store.purge("a");
    expect(readdirSync(join(root, "sessions", ".trash"))).not.toContain("a");
  });

  it("follows no link that stands in the way", async () => {
    const outside = join(root, "outside");
    mkdirSync(outside);
    mkdirSync(join(root, "sessions", "a"), { recursive: true });
    symlinkSync(outside, join(root, "sessions", "a", "plain"));
    const { shown } = await run();
    expect(shown).not.toContain("in the file");
    expect(readdirSync(outside)).toEqual([]);
  });

  it("replaces what a crash left under its name", async () => {
    const plain = join(root, "sessions", "a", "plain");
    mkdirSync(plain, { recursive: true });
    writeFileSync(join(plain, "m6.0.txt"), "another text");
    writeFileSync(join(plain, "m6.0.txt.1.tmp"), "half a");
    const { path } = await run();
    expect(readFileSync(path!, "utf8")).toBe(TEXT);
    expect(readdirSync(plain)).toEqual(["m6.0.txt"]);
  });

  it("is found sound by the doctor of its home", async () => {
    const home = openHome({ home: join(root, "home"), workingCopy: root, env: {}, persistence: true });
    const { path } = await run({ home });
    expect(path!.startsWith(join(root, "home", "projects"))).toBe(true);
    const doctor = { sessionId: "a", paths: sessionPaths(home.project.folder, "a"), fs: nodeFileSystem };
    expect((await inspectSession({ ...doctor, hasher: nodeHasher })).findings).toEqual([]);
    await home.close();
  });
});

it("is a result of before, once usage makes it small", async () => {
  const text = (index: number): string => LINES.slice(index * 100, index * 100 + 100).join("\n");
  const results = Array.from({ length: 24 }, (_, index) => text(index));
  const tool: AgentTool = { ...readTool, run: (input) => text((input as { readonly index: number }).index) };
  const model = fakeModel((_, index) =>
    index < 24 ? [{ type: "tool_use", id: `c${index}`, name: "Read", input: { index } }] : "Done.",
  );
  const palimpsest = createPalimpsest({
    ...{ model, notes: "off", background: "off", folder: join(root, "sessions") },
    window: { windowTokens: 64_000, policy: "faithful", disabledLayers: ["arrival", "microcompact"] },
  });
  const session = await palimpsest.session("a");
  await session.turn("Read all of it.", { tools: [tool] });
  await palimpsest.close();
  const last = JSON.stringify(model.requests.at(-1)!.messages);
  const paths = [...last.matchAll(/all of it is in the file (\S+?\.txt)/g)].map(([, path]) => path!);
  expect(paths.length).toBeGreaterThan(3);
  for (const path of paths) expect(results).toContain(readFileSync(path, "utf8"));
});
