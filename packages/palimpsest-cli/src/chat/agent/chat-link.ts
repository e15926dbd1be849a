/**
 * The session of a chat with its model. It is opened again when another model or another session is chosen. The log is the
 * same, so a switched model sees the same conversation; the library makes it fit.
 */
import {
  type AgentSession,
  createPalimpsest,
  type openHome,
  type Palimpsest,
  type PalimpsestOptions,
  StoreError,
} from "palimpsest";
import type { PersistentMemory } from "palimpsest/memory";
import { isLost } from "../base/values.ts";
import type { OpenedModel } from "../models/open-model.ts";
import type { ChosenSession } from "./chat-options.ts";

type Home = ReturnType<typeof openHome>;

/** An open session, and the model that answers in it. */
export interface ChatLink {
  readonly palimpsest: Palimpsest;
  readonly session: AgentSession;
  readonly model: OpenedModel;
}

/** Options of `createPalimpsest` that all sessions of a chat share. */
export type SharedOptions = Omit<PalimpsestOptions, "model" | "home" | "memory"> & {
  readonly home: Home;
  readonly memory: PersistentMemory;
};

/** Opens a session with a model. @throws as `createPalimpsest` and `open` do */
export async function openLink(
  shared: SharedOptions,
  model: OpenedModel,
  chosen: ChosenSession,
  notice: (text: string) => void = () => undefined,
): Promise<ChatLink> {
  const id = await chooseSession(shared.home, chosen, notice);
  const palimpsest = createPalimpsest({ ...shared, model: model.client });
  try {
    const session = id === undefined ? await palimpsest.create() : await palimpsest.open(id);
    return { palimpsest, session, model };
  } catch (error) {
    await palimpsest.close();
    throw error;
  }
}

/** The same session with another model. A session without a message is not stored yet: it gets another id. */
export async function reopenLink(
  shared: SharedOptions,
  link: ChatLink,
  model: OpenedModel,
): Promise<ChatLink> {
  const { id } = link.session;
  const isStored = link.session.visible.length > 0 && shared.home.persistence.isOn;
  await link.palimpsest.close();
  return openLink(shared, model, isStored ? { from: "named", which: id } : { from: "new" });
}

/** The id of the session to open; `undefined` for a new one. A fork is made here. @throws `StoreError` */
async function chooseSession(
  home: Home,
  chosen: ChosenSession,
  notice: (text: string) => void,
): Promise<string | undefined> {
  if (chosen.from === "new") return undefined;
  const { isFork = false } = chosen;
  const id =
    chosen.from === "named"
      ? (await home.find(chosen.which)).info.sessionId
      : await latestId(home, { isFork, notice });
  if (!isFork) return id;
  const fork = await home.fork(id);
  await fork.close();
  return fork.id;
}

/** The latest session; unless it is copied, the latest that no other process has. */
async function latestId(
  home: Home,
  { isFork, notice }: { readonly isFork: boolean; readonly notice: (text: string) => void },
): Promise<string> {
  const inUse: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await home.list(after === undefined ? {} : { after });
    for (const info of page.sessions) {
      const { header, isInUse, sessionId } = info;
      if (isLost(info) || header?.purpose !== undefined) continue;
      if (!isInUse || isFork) {
        for (const id of inUse)
          notice(`Session ${id} is later, but another process has it: this is the one before.`);
        return sessionId;
      }
      inUse.push(sessionId.slice(0, 8));
    }
    after = page.next;
    if (after === undefined) throw nothingToContinue(home, inUse);
  }
}

function nothingToContinue({ workingCopy }: Home, inUse: readonly string[]): StoreError {
  if (inUse.length > 0)
    return new StoreError("SESSION_IN_USE", {
      message: `Another process has session ${inUse.join(", ")}, and there is no other session of ${workingCopy}.`,
      hint: "End that process, add --fork to go on in a copy, or leave out --continue to begin a session.",
    });
  return new StoreError("SESSION_NOT_FOUND", {
    message: `There is no session of ${workingCopy} to continue.`,
    hint: "Leave out --continue to begin one, or name one with --resume; palimpsest sessions list shows them.",
  });
}
