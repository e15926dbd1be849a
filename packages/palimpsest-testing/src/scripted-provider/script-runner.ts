/**
 * Asks a script what happens to a call, and says something sensible where it has nothing to say.
 */
import { firstLine, shorten } from "palimpsest/internal";
import { PROVIDER_FACTS } from "./dialect/provider-facts.ts";
import type { ScriptedProviderOptions } from "./provider-options.ts";
import {
  type Fault,
  resolveStep,
  type ScriptedAnswer,
  type ScriptedRequest,
  type ScriptStep,
} from "./script/script.ts";

/** The script of one provider, and where it is in it. */
export class ScriptRunner {
  readonly #options: ScriptedProviderOptions;
  readonly #errors: unknown[] = [];
  #stepCount = 0;

  constructor(options: ScriptedProviderOptions) {
    this.#options = options;
  }

  /** The fate of a call. */
  async next(request: ScriptedRequest): Promise<ScriptedAnswer | Fault> {
    const step = await this.#guarded(async () => {
      const { faults, script } = this.#options;
      const planned = faults?.(request);
      if (planned !== undefined) return planned;
      return typeof script === "function" ? await script(request) : script?.[this.#stepCount++];
    });
    return step === undefined ? usualAnswer(request) : resolveStep(step);
  }

  /** The first error of the script since the last time that this was asked. */
  takeError(): unknown {
    return this.#errors.splice(0)[0];
  }

  /** A script that fails is a mistake of the test: the client gets it at once, and `close` throws it. */
  async #guarded(ask: () => Promise<ScriptStep | undefined>): Promise<ScriptStep | undefined> {
    try {
      return await ask();
    } catch (error) {
      this.#errors.push(error);
      return { fault: "bad-request", message: `The script failed: ${String(error)}` };
    }
  }
}

/** The answer without a script. */
export function usualAnswer({ lastUserText }: ScriptedRequest): ScriptedAnswer {
  const quoted = shorten(firstLine(lastUserText.trim()), PROVIDER_FACTS.quotedLength);
  return { parts: [{ type: "text", text: quoted === "" ? "Understood." : `Understood: ${quoted}` }] };
}

/** The summary without an option for it. */
export function usualSummary({ lastUserText }: ScriptedRequest): string {
  return `<summary>The user said last: ${shorten(lastUserText.trim(), PROVIDER_FACTS.quotedLength)}</summary>`;
}
