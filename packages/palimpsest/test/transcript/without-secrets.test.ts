/** Blocks lose their secrets, whatever names them, and a block that holds none is looked through once for all. */
import { describe, expect, it } from "vitest";
import { KnownSecrets } from "#base/redaction/known-secrets.ts";
import type { ContentBlock } from "#transcript/blocks.ts";
import { withoutKnownSecrets, withoutSecrets } from "#transcript/without-secrets.ts";

/** Made up here, and put together so that no scanner takes this file for a leak. */
const KEY = `${"gh"}p_abCD3fGhIJ4kLmNoPQ5rStUvWX6yZ0129abc`;
const UUID = `${"0d3f9a7c"}-1b2e-4c5d-8e6f-a1b2c3d4e5f6`;

/** A text block that counts how often its words are read. */
function counted(text: string): { readonly block: ContentBlock; readonly reads: () => number } {
  let reads = 0;
  const block: ContentBlock = {
    type: "text",
    get text() {
      reads++;
      return text;
    },
  };
  return { block, reads: () => reads };
}

describe("withoutSecrets", () => {
  it("reads a block without secrets once, whoever asks and however often", () => {
    const { block, reads } = counted("the lamp is lit");
    expect(withoutSecrets(block)).toBe(block);
    const once = reads();
    expect(withoutSecrets(block)).toBe(block);
    expect(withoutKnownSecrets(block, new KnownSecrets())).toBe(block);
    expect(reads()).toBe(once);
  });

  it("takes pieces of what other blocks said out of a block that holds no secret of its own", () => {
    const secrets = new KnownSecrets();
    const piece: ContentBlock = { type: "text", text: `it ends in ${KEY.slice(12)} there` };
    expect(withoutKnownSecrets(piece, secrets)).toBe(piece);
    expect(withoutKnownSecrets({ type: "text", text: `use ${KEY}` }, secrets)).toEqual({
      type: "text",
      text: "use [redacted: github]",
    });
    expect(withoutKnownSecrets(piece, secrets)).toEqual({
      type: "text",
      text: "it ends in [redacted: github] there",
    });
  });

  it.each([
    ["password", "hunter2-and-more"],
    ["DB_PWD", "hunter2-and-more"],
    ["kennwort", "hunter2-and-more"],
    ["wachtwoord", "hunter2-and-more"],
    ["heroku", UUID],
    ["Cookie", "session=hunter2-and-more"],
    ["authorization", "Bearer hunter2-and-more-of-it"],
    ["client_secret", "hunter2-and-more"],
  ])("takes out what the name %s says it is, in the arguments of a call", (name, value) => {
    const block: ContentBlock = { type: "tool_use", id: "c1", name: "Login", input: { [name]: value } };
    const shown = JSON.stringify(withoutSecrets(block));
    expect(shown).toContain("[redacted: ");
    expect(shown).not.toContain(value.slice(-12));
  });

  it("looks through a long line of JSON in a result, and leaves a picture's data as it is", () => {
    const line = JSON.stringify({ rows: Array.from({ length: 20_000 }, (_, at) => at), key: KEY });
    const picture = `data:image/png;base64,${"iVBORw0KGgo".repeat(6_000)}`;
    const block: ContentBlock = {
      type: "tool_result",
      tool_use_id: "c1",
      content: [
        { type: "text", text: line },
        { type: "text", text: picture },
      ],
    };
    expect(withoutSecrets(block)).toEqual({
      ...block,
      content: [
        { type: "text", text: line.replace(KEY, "[redacted: github]") },
        { type: "text", text: picture },
      ],
    });
  });
});
