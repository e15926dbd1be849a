/**
 * Goldens: hashes of every request and every log line of a run, compared with a committed snapshot.
 *
 * A run is one session, driven the same way every time. Each request and each line extends a chain of hashes. The
 * snapshot keeps the end of each chain and the first two digits of its links, so a mismatch names the run and the
 * first call that differs. The repository holds no content of a session.
 *
 * - `PALIMPSEST_WRITE=1` records the runs of this call again and keeps all others.
 * - `PALIMPSEST_GOLDEN_DUMP=folder` also writes the decoded requests and lines of each run below `folder`. Dump once on
 *   each of two commits and compare with `diff -r`.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The snapshot of one run. */
export interface GoldenRecord {
  readonly requests: number;
  readonly lines: number;
  readonly files: number;
  /** The last links of the chains. */
  readonly requestsHash: string;
  readonly linesHash: string;
  readonly filesHash: string;
  /** The first two digits of each link: one for each request, and one for each {@link LINES_PER_MARK} lines. */
  readonly requestMarks: string;
  readonly lineMarks: string;
}

const LINES_PER_MARK = 4;
const WRITES = process.env["PALIMPSEST_WRITE"] === "1";
const DUMP = process.env["PALIMPSEST_GOLDEN_DUMP"];

/** A chain of hashes: each link depends on all earlier ones. */
class Chain {
  readonly texts: string[] = [];
  links = 0;
  marks = "";
  #last = "";
  readonly #step: number;

  constructor(step: number) {
    this.#step = step;
  }

  add(digest: string, text: () => string): void {
    this.#last = sha256(`${this.#last}${digest}`);
    if (this.links++ % this.#step === 0) this.marks += this.#last.slice(0, 2);
    if (DUMP !== undefined) this.texts.push(text());
  }

  get hash(): string {
    return this.#last.slice(0, 32);
  }
}

/** Collects the requests, lines and files of one run. */
export class GoldenRun {
  readonly #requests = new Chain(1);
  readonly #lines = new Chain(LINES_PER_MARK);
  readonly #files = new Chain(1);

  /** Adds a request with its fields in their order. Hashes a message object once, however many requests share it. */
  request(body: object): void {
    const digest = Object.entries(body).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(digestOf) : value,
    ]);
    this.#requests.add(sha256(JSON.stringify(digest)), () => JSON.stringify(body));
  }

  /** Adds a decoded log line; the order of its fields does not count. */
  line(entry: unknown): void {
    const text = JSON.stringify(sortedFields(entry));
    this.#lines.add(sha256(text), () => text);
  }

  /** Adds a file, or the result of a call. */
  file(name: string, content: string): void {
    this.#files.add(sha256(`${name}\n${content}`), () => JSON.stringify({ name, content }));
  }

  record(name: string): GoldenRecord {
    if (DUMP !== undefined) {
      const folder = join(DUMP, name.replaceAll(/[^\w.-]+/g, "_"));
      mkdirSync(folder, { recursive: true });
      const all = { requests: this.#requests, lines: this.#lines, files: this.#files };
      for (const [kind, { texts }] of Object.entries(all))
        writeFileSync(join(folder, `${kind}.jsonl`), texts.map((text) => `${text}\n`).join(""));
    }
    return {
      requests: this.#requests.links,
      lines: this.#lines.links,
      files: this.#files.links,
      requestsHash: this.#requests.hash,
      linesHash: this.#lines.hash,
      filesHash: this.#files.hash,
      requestMarks: this.#requests.marks,
      lineMarks: this.#lines.marks,
    };
  }
}

/** The snapshot file of a test file. */
export class Goldens {
  readonly #path: string;
  readonly #known: Record<string, GoldenRecord>;

  constructor(url: URL) {
    this.#path = fileURLToPath(url);
    this.#known = existsSync(this.#path)
      ? (JSON.parse(readFileSync(this.#path, "utf8")) as Record<string, GoldenRecord>)
      : {};
  }

  /** Describes how a run differs from its golden; `undefined` if it does not. With `PALIMPSEST_WRITE=1`, records it. */
  findDifference(name: string, record: GoldenRecord): string | undefined {
    if (WRITES) {
      this.#known[name] = record;
      this.#save();
      return undefined;
    }
    const known = this.#known[name];
    if (known === undefined) return `${name}: there is no golden.`;
    const found = [
      differenceOf("request", [known.requests, record.requests], {
        hashes: [known.requestsHash, record.requestsHash],
        marks: [known.requestMarks, record.requestMarks],
        step: 1,
      }),
      differenceOf("line", [known.lines, record.lines], {
        hashes: [known.linesHash, record.linesHash],
        marks: [known.lineMarks, record.lineMarks],
        step: LINES_PER_MARK,
      }),
      differenceOf("file", [known.files, record.files], {
        hashes: [known.filesHash, record.filesHash],
        marks: ["", ""],
        step: 1,
      }),
    ].filter((difference) => difference !== undefined);
    return found.length === 0 ? undefined : `${name}: ${found.join("; ")}`;
  }

  #save(): void {
    const runs = Object.entries(this.#known).sort(([one], [other]) => (one < other ? -1 : 1));
    const rows = runs.map(([name, record]) => `${JSON.stringify(name)}: ${JSON.stringify(record)}`);
    writeFileSync(this.#path, `{\n${rows.join(",\n")}\n}\n`);
  }
}

type Pair<Value> = readonly [known: Value, found: Value];

function differenceOf(
  kind: string,
  counts: Pair<number>,
  { hashes, marks, step }: { hashes: Pair<string>; marks: Pair<string>; step: number },
): string | undefined {
  if (hashes[0] === hashes[1]) return undefined;
  const text = `${counts[0]} ${kind}s were recorded, ${counts[1]} came`;
  for (let at = 0; at < marks[0].length; at += 2)
    if (marks[0].slice(at, at + 2) !== marks[1].slice(at, at + 2))
      return `${text}, the first difference is in or just before ${kind} ${(at / 2) * step + 1}`;
  return `${text}, and they differ after the last mark`;
}

const digests = new WeakMap<object, string>();

function digestOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  let digest = digests.get(value);
  if (digest === undefined) {
    digest = sha256(JSON.stringify(value));
    digests.set(value, digest);
  }
  return digest;
}

function sortedFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedFields);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  fields.sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, inner]) => [name, sortedFields(inner)]));
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
