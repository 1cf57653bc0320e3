/** Tells on a stream how far the builds are: one line redrawn on a terminal, a plain line now and then elsewhere. */

export interface Progress {
  /** Says one thing for good. */
  say(line: string): void
  /** Says `doing` with the time it takes, again and again until disposed. */
  during(doing: string): Disposable
}

/** A quiet log must still show that the build lives; a terminal can show each second. */
const everyMs = { terminal: 1000, log: 15_000 }

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`

export function progressOn(stream: NodeJS.WriteStream): Progress {
  const clearLine = stream.isTTY ? '\r\x1b[K' : ''
  const say = (line: string) => stream.write(`${clearLine}${line}\n`)
  return {
    say,
    during(doing) {
      const startedAt = performance.now()
      const tell = () => {
        const line = `${doing}, ${seconds(performance.now() - startedAt)}`
        if (stream.isTTY) stream.write(`${clearLine}${line}`)
        else say(line)
      }
      tell()
      const timer = setInterval(tell, stream.isTTY ? everyMs.terminal : everyMs.log)
      return {
        [Symbol.dispose]() {
          clearInterval(timer)
          stream.write(clearLine)
        },
      }
    },
  }
}

export const describeBuild = (ms: number, bytes: number): string =>
  `built in ${seconds(ms)}, ${Math.round(bytes / 1e6)} MB`
