/**
 * A gunzip stream that outputs everything before damage.
 *
 * Node's stream drops the output of the last piece of input when the input ends too early; so every
 * piece is flushed before the end is announced.
 */
import { createGunzip, type Gunzip } from "node:zlib";
import { errorMessage } from "../../base/errors.ts";

/** @internal */
export class GunzipStream {
  readonly #gunzip: Gunzip;
  #decodedBytes = 0;
  #failure: { readonly error: unknown; readonly isOurs: boolean } | undefined;
  readonly #waiting = new Set<() => void>();

  /** `onData` is called as output appears; what it throws stops the decompression and comes out of `write`. */
  constructor(onData: (bytes: Buffer) => void) {
    this.#gunzip = createGunzip();
    this.#gunzip.on("data", (bytes: Buffer) => {
      if (this.#failure !== undefined) return;
      this.#decodedBytes += bytes.length;
      try {
        onData(bytes);
      } catch (error) {
        this.#fail(error, true);
        this.#gunzip.destroy();
      }
    });
    this.#gunzip.on("error", (error) => this.#fail(error, false));
    this.#gunzip.on("end", () => this.#wake());
    this.#gunzip.on("close", () => this.#wake());
  }

  /** Resolves once the piece is decompressed; `false` where there is no use in going on. */
  async write(bytes: Buffer): Promise<boolean> {
    await this.#until((done) => this.#gunzip.write(bytes, () => done()));
    return this.#failure === undefined && !this.#gunzip.readableEnded;
  }

  /** Ends the input. Returns the damage, if there was any. */
  async end(): Promise<{ readonly reason: string; readonly decodedBytes: number } | undefined> {
    if (this.#failure === undefined && !this.#gunzip.readableEnded) {
      await this.#until(() => this.#gunzip.end());
    }
    this.#throwOwnFailure();
    return this.#failure === undefined
      ? undefined
      : { reason: errorMessage(this.#failure.error), decodedBytes: this.#decodedBytes };
  }

  close(): void {
    this.#gunzip.destroy();
  }

  #fail(error: unknown, isOurs: boolean): void {
    this.#failure ??= { error, isOurs };
    this.#wake();
  }

  #wake(): void {
    for (const resume of this.#waiting) resume();
    this.#waiting.clear();
  }

  /** Waits for `start` to call back, or for the stream to end or fail. */
  async #until(start: (done: () => void) => void): Promise<void> {
    if (this.#failure !== undefined) return this.#throwOwnFailure();
    await new Promise<void>((resolve) => {
      this.#waiting.add(resolve);
      start(() => {
        this.#waiting.delete(resolve);
        resolve();
      });
    });
    this.#throwOwnFailure();
  }

  #throwOwnFailure(): void {
    if (this.#failure?.isOurs === true) throw this.#failure.error;
  }
}
