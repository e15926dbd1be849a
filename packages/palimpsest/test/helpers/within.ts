/** Waiting for work that might hang, in real time that nothing takes unless it does. */
const HANG_MS = 280_000;

/** Waits for the work. @throws if it takes too long */
export async function within<Value>(work: Promise<Value>, what: string): Promise<Value> {
  let cancel = (): void => {};
  const late = new Promise<never>((_, fail) => {
    const timer = setTimeout(() => fail(new RangeError(`${what} hangs.`)), HANG_MS);
    cancel = () => clearTimeout(timer);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}
