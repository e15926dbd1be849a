/** Text that is piped into a command. */
import { InputError } from "palimpsest";
import { formatBytes } from "../../terminal/figures.ts";
import type { CliContext } from "../../terminal/terminal.ts";

/** Largest text, in bytes. Our choice: a text that can still be one message of a log. */
const LIMIT_BYTES = 200_000_000;
/** A pipe that says nothing for this long is not meant for the command, which has a prompt already. Source: Claude Code. */
const SILENT_MS = 3_000;

/** The source of the text. */
interface InputStream extends AsyncIterable<Buffer | string> {
  readonly isTTY?: boolean | undefined;
  destroy?(): unknown;
}

/**
 * All of the standard input; `undefined` if it is a terminal. A pipe that stays silent is not waited for where the text is
 * optional: programs that start others often leave one open.
 * @throws `InputError` where it is too large
 */
export async function readPiped(
  {
    stdin = process.stdin,
    signal,
    err,
  }: Pick<CliContext, "signal" | "err"> & { readonly stdin?: InputStream | undefined },
  need: "needed" | "optional",
): Promise<string | undefined> {
  if (stdin.isTTY === true) return undefined;
  const pieces: Buffer[] = [];
  let bytes = 0;
  let isSilent = false;
  const giveUp = (): void => {
    if (bytes > 0) return;
    isSilent = true;
    stdin.destroy?.();
  };
  const timer = need === "optional" ? setTimeout(giveUp, SILENT_MS) : undefined;
  const onStop = (): void => void stdin.destroy?.();
  signal.addEventListener("abort", onStop, { once: true });
  try {
    for await (const piece of stdin) {
      const buffer = typeof piece === "string" ? Buffer.from(piece) : piece;
      bytes += buffer.length;
      if (bytes > LIMIT_BYTES)
        throw new InputError("INPUT_TOO_LARGE", {
          message: `More than ${formatBytes(LIMIT_BYTES)} were piped in.`,
          hint: "Write it to a file of the workspace, and name the file in the prompt.",
        });
      pieces.push(buffer);
    }
  } catch (error) {
    if (!isSilent && !signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onStop);
  }
  if (isSilent) err.write("Standard input is silent, and is not waited for. Use </dev/null to say so.\n");
  return Buffer.concat(pieces).toString("utf8");
}
