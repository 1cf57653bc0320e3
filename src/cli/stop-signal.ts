/** How Ctrl-C and a service manager's stop reach everything that runs. */
export interface Stop {
  readonly signal: AbortSignal
  /** 128 and the signal's number once one came; undefined until then. A stop that was asked for and went well is still 0 for `up`. */
  readonly exitCode: number | undefined
}

const codes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** A terminal signals the whole group and the launcher passes its own on: within this, two are one. */
const sameSignalMs = 500

/** The first signal asks for a clean stop, a later one ends the process at once. */
export function stopOnSignals(): Stop {
  const controller = new AbortController()
  let exitCode: number | undefined
  let firstAt = 0
  for (const [name, code] of Object.entries(codes)) {
    process.on(name, () => {
      if (exitCode === undefined) {
        exitCode = code
        firstAt = performance.now()
        controller.abort()
      } else if (performance.now() - firstAt > sameSignalMs) process.exit(code)
    })
  }
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode
    },
  }
}
