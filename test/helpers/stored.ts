/** Homes with sessions in them, and running the command line on them. */
import { join } from "node:path";
import { openHome } from "#palimpsest/host/home/open-home.ts";
import { runCli } from "#palimpsest-cli/program/program.ts";
import { FakeClock } from "#palimpsest-testing/fakes/fake-time.ts";
import { type CliDouble, cliDouble } from "./cli-double.ts";
import { testFolder } from "./recordings.ts";

export const SECRET = ["sk-", "ant-api03-", "a1B2".repeat(12)].join("");
/** As long as the secret, which would be taken out of every line: that takes longer than all the rest. */
const ENTRY = "is as the clerk wrote it in the office of the harbour at noon";
/** Titles and texts that would repaint the screen, retitle the window or reverse what is read. */
export const HOSTILE = "evil \u001b]0;owned\u0007\u001b[2J\u202egnp.exe\u2066\u009b31m\u200b end";

export interface StoredHome {
  readonly home: string;
  /** The folder that was worked on. */
  readonly folder: string;
  readonly run: (
    args: readonly string[],
    more?: { readonly columns?: number; readonly context?: CliDouble },
  ) => Promise<Ran>;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export function storedHome(): StoredHome {
  const home = join(testFolder(), "home");
  const folder = testFolder();
  return {
    home,
    folder,
    run: async (args, { columns = 100, context } = {}) => {
      const double = context ?? cliDouble({ folder, columns, env: { PALIMPSEST_HOME: home } });
      const code = await runCli(args, double, "1.2.3");
      return { code, ...double.written };
    },
  };
}

export interface SessionShape {
  readonly title?: string;
  readonly rounds?: number;
  /** Lines of each result; a secret is in the first. */
  readonly resultLines?: number;
  readonly text?: string;
  /** When its entries were appended. */
  readonly at?: number;
  /** Folder that was worked on, another than the home's. */
  readonly workingCopy?: string;
}

/** A session that was worked with and closed; resolves with its id. */
export async function storeSession(
  { home, folder }: StoredHome,
  {
    title,
    rounds = 2,
    resultLines = 4,
    text = "What does the ledger say?",
    at,
    workingCopy,
  }: SessionShape = {},
): Promise<string> {
  const clock = at === undefined ? {} : { clock: new FakeClock(at) };
  const opened = openHome({ home, workingCopy: workingCopy ?? folder, env: {}, persistence: true, ...clock });
  const session = await opened.create();
  if (title !== undefined) await session.setMetadata("title", title);
  for (let round = 1; round <= rounds; round++) {
    await session.append({ role: "user", content: [{ type: "text", text: `${text} (${round})` }] });
    await session.prepare({ model: "claude-sonnet-4-5", system: "Be exact." });
    const id = `t${round}`;
    await session.record({
      messages: [
        {
          role: "assistant",
          content: [{ type: "tool_use", id, name: "Read", input: { path: `l${round}` } }],
        },
      ],
      usage: { inputTokens: 1_000, cacheReadTokens: 500, cacheWriteTokens: 0, outputTokens: 100 },
    });
    const content = `entry of ledger ${round} ${SECRET}\n${`entry of ledger ${round} ${ENTRY}\n`.repeat(resultLines - 1)}`;
    await session.append({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] });
  }
  await session.close();
  await opened.close();
  return session.id;
}

/** Parses the output of `--json`. */
export function json<Result = Record<string, unknown>>({ out }: Ran): Result {
  return JSON.parse(out) as Result;
}
