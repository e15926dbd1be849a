import { describe, expect, it } from "vitest";
import { nodeSessions } from "#host/node-sessions.ts";

describe("nodeSessions", () => {
  it.each([
    { folder: "" },
    { folder: undefined as never },
  ])("refuses $folder, which is no folder", (options) => {
    expect(() => nodeSessions(options)).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  });
});
