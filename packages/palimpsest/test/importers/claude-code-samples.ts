/** Entries of a recorded session of Claude Code, as its files have them. */

export const base = { sessionId: "s", isSidechain: false };
export const user = (uuid: string, parentUuid: string | null, content: unknown) => ({
  ...base,
  type: "user",
  uuid,
  parentUuid,
  message: { role: "user", content },
});
export const answer = (uuid: string, parentUuid: string, content: unknown) => ({
  ...base,
  type: "assistant",
  uuid,
  parentUuid,
  message: { id: `m-${uuid}`, role: "assistant", content },
});
export const jsonl = (...records: readonly unknown[]): string =>
  records.map((record) => (typeof record === "string" ? record : JSON.stringify(record))).join("\n");
