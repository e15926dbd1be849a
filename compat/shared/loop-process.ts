/**
 * A process that runs an adapter's loop: opens the module that its first argument names, and does what the test sends.
 */
import type { Loop, LoopSettings, OpenLoop } from "./loop.ts";

/** A message of the test. Each is answered by a {@link LoopReply}. */
export type LoopRequest =
  | { readonly do: "open"; readonly settings: LoopSettings }
  | { readonly do: "say"; readonly text: string }
  | { readonly do: "take-back" }
  /** Compacts, and takes the compaction back. */
  | { readonly do: "undo" }
  | { readonly do: "close" };

export type LoopReply = { readonly text: string } | { readonly error: string };

const [modulePath = ""] = process.argv.slice(2);
let loop: Loop | undefined;

async function handle(request: LoopRequest): Promise<string> {
  if (request.do === "open") {
    const { openLoop } = (await import(modulePath)) as { readonly openLoop: OpenLoop };
    loop = await openLoop(request.settings);
    return "";
  }
  if (loop === undefined) throw new Error("The loop is not open.");
  switch (request.do) {
    case "say":
      return loop.say(request.text);
    case "take-back":
      await loop.takeBack();
      return "";
    case "undo": {
      const { edits } = await loop.session.compact();
      for (const { seq } of edits.toReversed()) await loop.session.session.undo(seq);
      return String(edits.length);
    }
    case "close":
      await loop.close();
      return "";
  }
}

process.on("message", (request: LoopRequest) => {
  handle(request).then(
    (text) => process.send?.({ text } satisfies LoopReply),
    (error: unknown) =>
      process.send?.({
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      } satisfies LoopReply),
  );
});
process.on("disconnect", () => process.exit());
