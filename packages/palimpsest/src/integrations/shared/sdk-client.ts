/**
 * The clients of both vendors' SDKs: a copy with a managed window, and the session that it is for.
 */
import type { AgentSession } from "../../agent/agent-session.ts";
import { checkOptions } from "../../base/options/check-options.ts";
import { managedClients } from "../../models/shared/sdk-call.ts";
import { givenSession, isSession, makesSessions, notASession } from "./given-session.ts";
import { type ManagedApi, type ManagedClientOptions, managedFetch } from "./managed-fetch.ts";

/** `fetch` as an SDK's client calls it. */
type SdkFetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** A client of either vendor's SDK, as far as both use it. */
export interface SdkClient {
  withOptions(options: object): unknown;
}

/** A client like this one with other options; no model of a session may be made of it. @internal */
export function managedClient<Client extends SdkClient>(client: Client, options: object): Client {
  const managed = client.withOptions(options) as Client;
  managedClients.add(managed);
  return managed;
}

/** A `fetch` for the client that puts the window in. @internal */
export function wrappedFetch(
  client: object,
  options: ManagedClientOptions & { readonly apis: ReadonlyMap<string, ManagedApi> },
): SdkFetch {
  const { fetch: own = globalThis.fetch } = client as { readonly fetch?: SdkFetch };
  return async (target, init = {}) => {
    // The SDKs pass a text; another caller's request is not theirs.
    if (typeof target === "object" && "url" in target) return own(target, init);
    return managedFetch(
      { ...init, method: init.method, url: String(target), headers: new Headers(init.headers) },
      { ...options, send: ({ url, ...sent }) => own(url, sent as RequestInit) },
    );
  };
}

/** A session, or an option that finds it; not what makes sessions, which would make one for each request. */
export type SessionOrOptions = AgentSession | (ManagedClientOptions & { readonly create?: never });

const RIGHT = { of: "withPalimpsest", call: "client, $" };

/** The options in full. @throws `OptionError` where there is no session @internal */
export function optionsOf(given: SessionOrOptions): ManagedClientOptions {
  if (isSession(given) || makesSessions(given)) return { session: givenSession(given, RIGHT) };
  if ((given as { readonly session?: unknown } | undefined)?.session === undefined)
    throw notASession("There is no session whose window the client sends.", RIGHT);
  checkOptions("withPalimpsest", given, {
    session: {
      isFit: (value) => isSession(value) || typeof value === "function",
      says: "a session, or a function that finds one",
    },
  });
  return given;
}
