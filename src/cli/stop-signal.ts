/** How Ctrl-C and a service manager's stop reach everything that runs. */
export interface Stop {
  readonly signal: AbortSignal
  /** 130 or 143 once a signal came; undefined until then. A stop that was asked for and went well is still 0 for `up`. */
  readonly exitCode: number | undefined
}

const codes = { SIGINT: 130, SIGTERM: 143 } as const

/** The first signal asks for a clean stop, a second one ends the process at once. */
export function stopOnSignals(): Stop {
  const controller = new AbortController()
  let exitCode: number | undefined
  for (const [name, code] of Object.entries(codes)) {
    process.on(name, () => {
      if (exitCode !== undefined) process.exit(code)
      exitCode = code
      controller.abort()
    })
  }
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode
    },
  }
}
