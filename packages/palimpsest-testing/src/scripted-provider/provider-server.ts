/**
 * The server of a scripted provider: takes requests, has them decided, and sends what was decided.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { asString, isObject, parseBounded } from "palimpsest/internal";
import { bindsReasoning, estimateText, findModel, tokenizerRatio } from "palimpsest/tokens";
import type { Violation } from "../wire-oracle/wire-oracle.ts";
import {
  answerRequest,
  type DecidedReply,
  failRequest,
  type ReadRequest,
  refuseByRule,
  summarizeAlone,
} from "./decide-reply.ts";
import type { ErrorCase, IncomingRequest } from "./dialect/dialect.ts";
import { PromptCache } from "./dialect/emulated-prompt-cache.ts";
import { PROVIDER_FACTS } from "./dialect/provider-facts.ts";
import { gone, readBody, sendReply } from "./http-exchange.ts";
import type { RecordedRequest, ScriptedProvider, ScriptedProviderOptions } from "./provider-options.ts";
import { fillIn, type OpenRecord, RequestBook, settleRecord } from "./request-record.ts";
import { findRoute, type Route } from "./routes.ts";
import type { Fault, ScriptedAnswer } from "./script/script.ts";
import { ScriptRunner, usualAnswer, usualSummary } from "./script-runner.ts";

/** Key of the seals where none is given. */
const USUAL_KEY = "scripted provider";

/** A {@link ScriptedProvider}, listening once `listen` has resolved. */
export class ProviderServer implements ScriptedProvider {
  windowTokens: number | undefined;
  readonly #options: ScriptedProviderOptions;
  readonly #server: Server;
  readonly #book = new RequestBook();
  readonly #cache = new PromptCache();
  readonly #script: ScriptRunner;

  constructor(options: ScriptedProviderOptions) {
    this.#options = options;
    this.windowTokens = options.windowTokens;
    this.#script = new ScriptRunner(options);
    this.#server = createServer((request, response) => {
      // A mistake of our own ends this one connection; nothing else is waiting for it.
      this.#handle(request, response).catch(() => response.destroy());
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ host: "127.0.0.1", port: 0 }, resolve);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo | null)?.port ?? 0}`;
  }

  get openAiUrl(): string {
    return `${this.url}/v1`;
  }

  get requests(): readonly RecordedRequest[] {
    return this.#book.requests;
  }

  get violations(): readonly (Violation & { readonly requestIndex: number })[] {
    return this.#book.violations;
  }

  get overflows(): readonly RecordedRequest[] {
    return this.#book.overflows;
  }

  forgetCache(): void {
    this.#cache.forget();
  }

  async close(): Promise<void> {
    if (this.#server.listening) {
      const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
      this.#server.closeAllConnections();
      await closed;
    }
    const error = this.#script.takeError();
    if (error !== undefined) throw error;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The client has gone; the record says so.
    response.on("error", () => undefined);
    const body = await readBody(request, this.#options.maxBodyBytes ?? PROVIDER_FACTS.maxBodyBytes);
    if (body.kind === "gone") return;
    const route = findRoute(request);
    const incoming = body.kind === "text" ? readIncoming(route, request, body.text) : undefined;
    const record = this.#book.open({
      api: route.dialect.api,
      purpose: route.purpose ?? "answer",
      incoming: incoming ?? {},
      retryCount: Number(request.headers["x-stainless-retry-count"]) || 0,
    });
    const refuse = (problem: ErrorCase): DecidedReply => {
      settleRecord(record, "refused");
      return { reply: route.dialect.writeError(problem, { model: record.model, isStreaming: false }) };
    };
    const { words } = route.dialect;
    const decided =
      route.purpose === undefined
        ? refuse({ kind: "invalid-request", status: 404, message: words.notFound(request.url ?? "") })
        : body.kind === "too-large"
          ? refuse({ kind: "body-too-large" })
          : route.purpose === "model"
            ? this.#describeModel(route, record)
            : incoming === undefined
              ? refuse({ kind: "invalid-request", message: words.notJson })
              : await this.#decide(route, incoming, record);
    await send(decided, record, response);
  }

  #describeModel({ dialect, model = "" }: Route, record: OpenRecord): DecidedReply {
    settleRecord(record, "answered");
    record.model = model;
    return { reply: dialect.writeModel({ model, ...this.#limitsOf(model) }) };
  }

  async #decide(route: Route, incoming: IncomingRequest, record: OpenRecord): Promise<DecidedReply> {
    const read = this.#read(route, incoming, record);
    if (incoming.purpose === "count") return refuseByRule(read) ?? countPrompt(read);
    const refused = refuseByRule(read) ?? summarizeAlone(read, this.#cache);
    return refused ?? this.#carryOut(read, await this.#script.next(record));
  }

  #read({ dialect }: Route, incoming: IncomingRequest, record: OpenRecord): ReadRequest {
    const { model } = incoming;
    const { countTokens, key, bindsThinking, acceptsForeignReasoning, clock } = this.#options;
    const ratio = tokenizerRatio(model);
    const count = (text: string): number => countTokens?.(text, model) ?? estimateText(text) * ratio;
    const rules = {
      key: key ?? USUAL_KEY,
      bindsThinking: bindsThinking ?? bindsReasoning(model),
      acceptsForeignReasoning: acceptsForeignReasoning ?? false,
      count,
    };
    const reading = dialect.read(incoming, rules);
    fillIn(record, reading, this.#limitsOf(model).windowTokens);
    return {
      dialect,
      incoming,
      reading,
      record,
      count,
      nowMs: clock?.nowMs() ?? Date.now(),
      readAgain: (body) => dialect.read({ ...incoming, body }, rules),
      key: rules.key,
      summarize: () => this.#options.summarize?.(record) ?? usualSummary(record),
    };
  }

  #carryOut(read: ReadRequest, step: ScriptedAnswer | Fault): DecidedReply {
    if (!("fault" in step)) return answerRequest(read, step, this.#cache);
    if (step.fault === "prompt-too-long" && step.windowTokens !== undefined)
      this.windowTokens = step.windowTokens;
    return failRequest(read, step, { cache: this.#cache, usual: usualAnswer(read.record) });
  }

  #limitsOf(model: string): { readonly windowTokens: number; readonly maxOutputTokens: number } {
    const known = findModel(model);
    return {
      windowTokens: this.windowTokens ?? known?.windowTokens ?? PROVIDER_FACTS.windowTokens,
      maxOutputTokens:
        this.#options.maxOutputTokens ?? known?.maxOutputTokens ?? PROVIDER_FACTS.maxOutputTokens,
    };
  }
}

function readIncoming(
  { purpose }: Route,
  { headers }: IncomingMessage,
  text: string,
): IncomingRequest | undefined {
  if (purpose !== "answer" && purpose !== "count" && purpose !== "compact") return undefined;
  const parsed = parseBounded(text); // Deeper nesting could not be walked.
  if (!parsed.ok || !isObject(parsed.value)) return undefined;
  const betas = String(headers["anthropic-beta"] ?? "");
  return {
    purpose,
    body: parsed.value,
    model: asString(parsed.value["model"]) ?? "",
    betas: betas.split(",").flatMap((beta) => beta.trim() || []),
    isStreaming: parsed.value["stream"] === true,
  };
}

function countPrompt({ dialect, record, reading }: ReadRequest): DecidedReply {
  settleRecord(record, "answered");
  return { reply: dialect.writeCount(record.promptTokens, reading.managed) };
}

async function send(decided: DecidedReply, record: OpenRecord, response: ServerResponse): Promise<void> {
  const { reply, breakPoint } = decided;
  if (reply === undefined) {
    await gone(response);
    record.isAborted = true;
    return;
  }
  record.status = reply.status;
  const isComplete = await sendReply(response, reply, breakPoint);
  record.isAborted = !isComplete && breakPoint?.kind !== "cut";
}
