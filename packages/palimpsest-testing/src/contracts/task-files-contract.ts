/**
 * The contract of the files of a session's background tasks, as cases that any test runner can run:
 *
 * ```ts
 * describe("my task files", () => {
 *   for (const { name, run } of taskFilesContract) it(name, () => run(myHarness()));
 * });
 * ```
 *
 * A case throws {@link ContractBrokenError} if the files break the promise.
 */
import type { TaskFiles } from "palimpsest/internal";
import { holds, same } from "./session-store-contract-kit.ts";

/** New, empty files for one case. */
export interface TaskFilesHarness {
  readonly files: TaskFiles;
  /** The same files, as another process would open them. */
  reopen(): TaskFiles;
  /** Cuts bytes off the end, as a crash in the middle of a write does; absent if that cannot happen. */
  readonly tear?: (file: "journal" | "inbox", bytes: number) => void;
}

/** One promise: its name as a test would show it, and what throws if it is not kept. */
interface TaskFilesCase {
  readonly name: string;
  readonly run: (harness: TaskFilesHarness) => Promise<void>;
}

/** Every promise, one case each. */
export const taskFilesContract: readonly TaskFilesCase[] = [
  { name: "are empty at first", run: areEmpty },
  { name: "give back the records of the journal in order", run: keepRecords },
  { name: "give back an output to the byte, whole and in parts", run: keepOutputs },
  { name: "add to an output that is opened again", run: addToOutputs },
  { name: "serve many readers of one growing output", run: serveReaders },
  { name: "give each request of the inbox once to a reader that remembers its position", run: keepInbox },
  { name: "count outputs only", run: countOutputs },
  { name: "refuse ids that are not a task's", run: refuseIds },
  { name: "refuse records of several lines", run: refuseLines },
  { name: "keep every whole record beside a torn one", run: surviveTears },
];

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const record = (number: number): string => JSON.stringify({ number, text: "é😀\u2028" });

async function areEmpty({ files }: TaskFilesHarness): Promise<void> {
  same(files.hasJournal(), false, "there is no journal");
  same(files.readJournal(), { lines: [], damagedLines: 0 }, "the journal has no records");
  same(files.readInbox(0), { lines: [], next: 0 }, "the inbox has no requests");
  same(
    [files.readOutput("t1", 0, 10).length, files.outputBytes("t1"), files.totalBytes()],
    [0, 0, 0],
    "no output",
  );
  await files.syncJournal();
  same(files.hasJournal(), false, "looking makes nothing");
}

async function keepRecords({ files, reopen }: TaskFilesHarness): Promise<void> {
  const records = Array.from({ length: 100 }, (_, number) => record(number));
  for (const line of records) files.appendJournal(line);
  await files.syncJournal();
  same(files.readJournal(), { lines: records, damagedLines: 0 }, "all records are there");
  same(reopen().readJournal(), { lines: records, damagedLines: 0 }, "another process finds them");
  holds(reopen().hasJournal(), "there is a journal");
}

async function keepOutputs({ files, reopen }: TaskFilesHarness): Promise<void> {
  const all = Uint8Array.from({ length: 5_000 }, (_, index) => index % 256);
  const output = files.openOutput("t1");
  output.write(all.subarray(0, 3_000));
  output.write(new Uint8Array(0));
  output.write(all.subarray(3_000));
  output.close();
  same([...reopen().readOutput("t1", 0, 9_999)], [...all], "the whole output");
  same([...files.readOutput("t1", 2_990, 20)], [...all.subarray(2_990, 3_010)], "a part of it");
  same([...files.readOutput("t1", 4_990, 100)], [...all.subarray(4_990)], "its end");
  same(
    [files.readOutput("t1", 5_000, 10).length, files.readOutput("t1", 9_000, 10).length],
    [0, 0],
    "nothing after it",
  );
}

async function addToOutputs({ files, reopen }: TaskFilesHarness): Promise<void> {
  for (const [place, text] of [
    [files, "one "],
    [reopen(), "two "],
    [files, "three"],
  ] as const) {
    const output = place.openOutput("t2");
    output.write(bytesOf(text));
    output.close();
  }
  same(textOf(files.readOutput("t2", 0, 100)), "one two three", "nothing is overwritten");
}

async function serveReaders({ files, reopen }: TaskFilesHarness): Promise<void> {
  const readers = Array.from({ length: 50 }, (_, number) => ({
    files: number % 2 === 0 ? files : reopen(),
    text: "",
  }));
  const output = files.openOutput("t1");
  let written = "";
  for (let step = 0; step < 200; step++) {
    output.write(bytesOf(`line ${step}\n`));
    written += `line ${step}\n`;
    for (const [number, reader] of readers.entries())
      if (step % (number + 1) === 0)
        reader.text += textOf(reader.files.readOutput("t1", reader.text.length, 1 + number * 7));
  }
  output.close();
  for (const reader of readers) {
    for (let part = " "; part !== ""; reader.text += part)
      part = textOf(reader.files.readOutput("t1", reader.text.length, 1_000));
    same(reader.text, written, "every reader gets every byte once");
  }
}

async function keepInbox({ files, reopen }: TaskFilesHarness): Promise<void> {
  const other = reopen();
  const found: string[] = [];
  let position = 0;
  for (let number = 0; number < 50; number++) {
    (number % 2 === 0 ? files : other).appendInbox(record(number));
    if (number % 3 !== 0) continue;
    const { lines, next } = files.readInbox(position);
    found.push(...lines);
    position = next;
  }
  found.push(...other.readInbox(position).lines);
  same(
    found,
    Array.from({ length: 50 }, (_, number) => record(number)),
    "every request, once and in order",
  );
}

async function countOutputs({ files, reopen }: TaskFilesHarness): Promise<void> {
  files.appendJournal(record(1));
  files.appendInbox(record(2));
  for (const id of ["t1", "t2"]) {
    const output = files.openOutput(id);
    output.write(new Uint8Array(1_000));
    output.close();
  }
  same([files.outputBytes("t1"), reopen().totalBytes()], [1_000, 2_000], "the sizes of outputs");
}

async function refuseIds({ files }: TaskFilesHarness): Promise<void> {
  for (const id of ["", "..", "../t1", "t1/..", "/t1", "journal", "t1\0", "T1"]) {
    throws(() => files.openOutput(id), `an output of ${JSON.stringify(id)}`);
    throws(() => files.readOutput(id, 0, 1), `reading ${JSON.stringify(id)}`);
    throws(() => files.outputBytes(id), `the size of ${JSON.stringify(id)}`);
  }
  throws(() => files.readOutput("t1", -1, 1), "reading before the start");
}

async function refuseLines({ files }: TaskFilesHarness): Promise<void> {
  throws(() => files.appendJournal('{"a":\n1}'), "a record of two lines");
  throws(() => files.appendInbox('{"a":\n1}'), "a request of two lines");
  same(files.readJournal().lines, [], "nothing was added");
}

async function surviveTears({ files, reopen, tear }: TaskFilesHarness): Promise<void> {
  if (tear === undefined) return;
  for (let number = 0; number < 3; number++) {
    files.appendJournal(record(number));
    files.appendInbox(record(number));
  }
  tear("journal", 4);
  tear("inbox", 4);
  same(
    reopen().readJournal(),
    { lines: [record(0), record(1)], damagedLines: 1 },
    "the torn record is counted",
  );
  const { lines, next } = files.readInbox(0);
  same(lines, [record(0), record(1)], "a request that is not whole yet is left for later");
  reopen().appendJournal(record(3));
  files.appendJournal(record(4));
  files.appendInbox(record(3));
  const kept = [record(0), record(1), record(3), record(4)];
  same(files.readJournal(), { lines: kept, damagedLines: 1 }, "later records are whole");
  same(files.readInbox(next).lines, [record(3)], "later requests are whole");
}

function throws(use: () => unknown, what: string): void {
  let hasThrown = false;
  try {
    use();
  } catch {
    hasThrown = true;
  }
  holds(hasThrown, `${what} is refused`);
}
