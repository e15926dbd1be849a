/**
 * Secrets of every family, broken over two lines between other lines: without the breaks, the words around them would be
 * parts of one longer word.
 */
import { describe, expect, it } from "vitest";
import { redactBroken } from "#base/redaction/broken-secrets.ts";
import { PLANTED_SECRETS, type PlantedSecret } from "../../../../../test/helpers/planted-secrets.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";

const PIECE = 8;
const BEFORE = bySize({
  usual: ["", "release_2\n"],
  long: ["", "word\n", "use it now\n", "release_2\n", "a-\n", "word\r\n"],
});
const BEHIND = bySize({
  usual: ["", "\nrelease_2 is out"],
  long: [
    ...["", "\nnext words", "\nNext", "\nrelease_2 is out", "\n42 files", "\nsrc/index.ts:12", "\nfoo=bar"],
    "\n- item",
  ],
});

function holdsPiece(output: string, { body }: PlantedSecret): boolean {
  for (let at = 0; at + PIECE <= body.length; at++)
    if (output.includes(body.slice(at, at + PIECE))) return true;
  return false;
}

/** The secret on one line, and broken in its middle, near both ends, and where its name ends. */
function brokenForms({ text, body }: PlantedSecret): readonly string[] {
  const start = text.indexOf(body);
  const places = [start, start + 3, start + Math.floor(body.length / 2), start + body.length - PIECE - 1];
  return [text, ...places.filter((at) => at > 0).map((at) => `${text.slice(0, at)}\n${text.slice(at)}`)];
}

describe("a secret between other lines", () => {
  it("is taken out wherever it is broken, whatever words the lines before and behind it have", () => {
    const left: string[] = [];
    for (const secret of PLANTED_SECRETS) {
      if (secret.text.includes("\n")) continue;
      for (const form of brokenForms(secret))
        for (const before of BEFORE)
          for (const behind of BEHIND)
            if (holdsPiece(redactBroken(`${before}${form}${behind}`).text, secret))
              left.push(`${secret.family}: ${before}${form}${behind}`);
    }
    expect(left).toEqual([]);
  });

  it.each([
    {
      text: "word\nPRIVATE-TOKEN: hwS7dvN0a\nV7d3Awzl7d99 x",
      shown: "word\nPRIVATE-TOKEN: [redacted: authorization] x",
    },
    { text: "Set-Cookie: session=\n2Rb7dBSQkF7dL4 x", shown: "Set-Cookie: session=\n[redacted: cookie] x" },
    {
      text: "the password of the staging\nserver is \nTo7dzuyCr9x.",
      shown: "the password of the staging\nserver is \n[redacted: password].",
    },
    {
      text: "the password\nof a user is long\nutf8mb4 is better",
      shown: "the password\nof a user is long\nutf8mb4 is better",
    },
  ])("leaves the rest as it is: $text", ({ text, shown }) => {
    expect(redactBroken(text).text).toBe(shown);
  });
});
