/**
 * Members without which a provider refuses a request, whatever the conversation in it.
 *
 * Tests and replays also judge conversations before they are part of a request. So a body of nothing but
 * conversation fields is judged as that; any other field makes it a request, which has to be complete.
 */
import { fieldOf, type Report, type UnknownRecord } from "./violation.ts";

/** Kinds of bodies: a whole request, one that has its tokens counted, or only the conversation of one. */
export type BodyKind = "request" | "count" | "conversation";

/** The kind of a body whose caller names none. @internal */
export function kindOf(body: UnknownRecord, conversation: ReadonlySet<string>): BodyKind {
  return Object.keys(body).every((field) => conversation.has(field)) ? "conversation" : "request";
}

type MemberRule = "field-missing" | "field-type";

/** One required member. @internal */
export interface RequiredMember {
  readonly name: string;
  readonly isFit: (value: unknown) => boolean;
  readonly missing: string;
  readonly wrong: string;
}

/** Reports members that are missing or of the wrong kind. @internal */
export function judgeRequiredMembers(
  body: UnknownRecord,
  members: readonly RequiredMember[],
  report: Report<MemberRule>,
): void {
  for (const { name, isFit, missing, wrong } of members) {
    const value = fieldOf(body, name);
    if (value === undefined || value === null) report("field-missing", name, missing);
    else if (!isFit(value)) report("field-type", name, wrong);
  }
}

/** @internal */
export const isFilled = (value: unknown): boolean => typeof value === "string" && value !== "";
/** @internal */
export const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
