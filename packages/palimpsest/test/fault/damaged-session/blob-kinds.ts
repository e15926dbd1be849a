/** Damage of what lies beside the log: pictures, large results, system prompts. */
import { createHash } from "node:crypto";
import { unpackBlob } from "#stores/files/blobs/packed-blob.ts";
import type { Expected, Kind } from "./kind.ts";
import { frame, linesOf, logOf, parseFields } from "./kind.ts";
import type { Stored } from "./sound-session.ts";

type Blobs = Map<string, Buffer | "folder">;

function blobsKind(
  name: string,
  what: string,
  damage: (blobs: Blobs) => void,
  expected: Expected = {},
): Kind {
  const damageIt = (stored: Stored): Stored => {
    const blobs: Blobs = new Map(stored.blobs);
    damage(blobs);
    return { ...stored, blobs };
  };
  return { name, level: "blobs", what, ...expected, damage: damageIt };
}

/** The blob whose text holds the word. */
function hashOf(blobs: ReadonlyMap<string, Buffer | "folder">, word: string): string {
  return [...blobs].find(([, bytes]) => bytes !== "folder" && unpackBlob(bytes).includes(word))![0];
}

function half(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length >> 1);
}

const IMAGE = '"type":"image"';
const LARGE = "markdump";
const PROMPT = "You mend what is broken";
const ON_DEMAND = { quiet: "it is read only on demand, and then reported" };

/** Another text under the name of a block: what a block refers to is changed to it, so that the name is right. */
function refersTo(word: string, text: string): (stored: Stored) => Stored {
  return ({ log, blobs }) => {
    const hash = createHash("sha256").update(text).digest("hex");
    const old = hashOf(blobs, word);
    return {
      log: logOf(
        linesOf(log).map((line) => (line.includes(old) ? reframed(line.replaceAll(old, hash)) : line)),
      ),
      blobs: new Map([...blobs, [hash, Buffer.from(text)]]),
    };
  };
}

function refersKind(
  name: string,
  what: string,
  [word, text]: readonly [string, string],
  expected: Expected = {},
): Kind {
  return { name, level: "blobs", what, ...expected, damage: refersTo(word, text) };
}

export const BLOB_KINDS: readonly Kind[] = [
  blobsKind("picture-missing", "the file of a picture is gone", (blobs) =>
    blobs.delete(hashOf(blobs, IMAGE)),
  ),
  blobsKind("picture-empty", "the file of a picture is empty", (blobs) =>
    blobs.set(hashOf(blobs, IMAGE), Buffer.alloc(0)),
  ),
  blobsKind("picture-truncated", "the file of a picture is half", (blobs) => {
    const hash = hashOf(blobs, IMAGE);
    blobs.set(hash, half(blobs.get(hash) as Buffer));
  }),
  blobsKind("picture-flipped", "a byte in the file of a picture is another", (blobs) => {
    const hash = hashOf(blobs, IMAGE);
    const bytes = Buffer.from(blobs.get(hash) as Buffer);
    bytes[bytes.length >> 1]! ^= 1;
    blobs.set(hash, bytes);
  }),
  blobsKind("picture-zeroed", "the file of a picture is all zeros", (blobs) =>
    blobs.set(hashOf(blobs, IMAGE), Buffer.alloc(9_000)),
  ),
  blobsKind("picture-is-a-folder", "a folder stands in the place of a picture", (blobs) =>
    blobs.set(hashOf(blobs, IMAGE), "folder"),
  ),
  blobsKind("picture-is-another", "the file of a picture holds a large result", (blobs) =>
    blobs.set(hashOf(blobs, IMAGE), blobs.get(hashOf(blobs, LARGE))!),
  ),
  refersKind("picture-refers-to-an-object", "a picture refers to a text that is no block", [
    IMAGE,
    '{"a":1}',
  ]),
  refersKind("picture-refers-to-an-unknown-block", "a picture refers to a block that nobody knows", [
    IMAGE,
    '{"type":"hologram"}',
  ]),
  refersKind("picture-refers-to-a-call", "a picture refers to a tool call", [
    IMAGE,
    '{"type":"tool_use","id":"c96","name":"Read","input":{}}',
  ]),
  refersKind("picture-refers-to-null", "a picture refers to `null`", [IMAGE, "null"]),
  refersKind("picture-refers-to-an-empty-text", "a picture refers to an empty text", [
    IMAGE,
    '{"type":"text","text":" "}',
  ]),
  refersKind("picture-refers-to-half-a-character", "a picture refers to a text with half a character", [
    IMAGE,
    '{"type":"text","text":"a\\ud83d"}',
  ]),
  refersKind("picture-refers-to-a-drawing", "a picture refers to an SVG", [
    IMAGE,
    '{"type":"image","source":{"type":"base64","media_type":"image/svg+xml","data":"PHN2Zy8+"}}',
  ]),
  refersKind("picture-refers-to-brackets", "a picture refers to 100,000 brackets", [
    IMAGE,
    "[".repeat(100_000),
  ]),
  blobsKind(
    "large-result-missing",
    "the file of a large result is gone",
    (blobs) => blobs.delete(hashOf(blobs, LARGE)),
    ON_DEMAND,
  ),
  blobsKind(
    "large-result-truncated",
    "the file of a large result is half",
    (blobs) => {
      const hash = hashOf(blobs, LARGE);
      blobs.set(hash, half(blobs.get(hash) as Buffer));
    },
    ON_DEMAND,
  ),
  blobsKind(
    "prompt-missing",
    "the file of the system prompt is gone",
    (blobs) => blobs.delete(hashOf(blobs, PROMPT)),
    ON_DEMAND,
  ),
  blobsKind(
    "prompt-damaged",
    "the file of the system prompt holds something else",
    (blobs) => blobs.set(hashOf(blobs, PROMPT), Buffer.from("x")),
    ON_DEMAND,
  ),
  blobsKind("all-blobs-missing", "the folder of blobs is gone", (blobs) => blobs.clear()),
  blobsKind("all-blobs-empty", "every file in the folder of blobs is empty", (blobs) => {
    for (const hash of blobs.keys()) blobs.set(hash, Buffer.alloc(0));
  }),
  blobsKind(
    "litter-among-blobs",
    "files of a crash and of others lie among the blobs",
    (blobs) => {
      blobs.set(`${"a".repeat(64)}.x.tmp`, Buffer.from("half"));
      blobs.set("notes.txt", Buffer.from("hello"));
    },
    { quiet: "they are never read" },
  ),
];

function reframed(line: string): string {
  return frame(parseFields(line));
}
