/** Everything long-lived: resolves when the signal aborts, rejects when it cannot go on. */
export type Run = (signal: AbortSignal) => Promise<void>

/**
 * Runs siblings until the signal aborts, one of them fails or one of them returns. Whatever the cause, all of them
 * are told to stop and waited for; then the first failure, if any, is thrown.
 */
export async function runTogether(signal: AbortSignal, runs: readonly Run[]): Promise<void> {
  const stop = new AbortController()
  const all = AbortSignal.any([signal, stop.signal])
  const failures: unknown[] = []
  await Promise.all(
    runs.map(async (run) => {
      try {
        await run(all)
      } catch (error) {
        if (!isAbort(error, all)) failures.push(error)
      } finally {
        stop.abort()
      }
    }),
  )
  if (failures.length > 0) throw failures[0]
}

/** Whether `error` only says that `signal` asked to stop. Node's own calls wrap its reason in an AbortError. */
export const isAbort = (error: unknown, signal: AbortSignal): boolean =>
  signal.aborted &&
  (error === signal.reason || (error instanceof Error && error.name === 'AbortError' && error.cause === signal.reason))

/** Resolves when the signal aborts: the body of a `Run` that only has to be torn down. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
