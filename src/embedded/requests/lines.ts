import type { Watch } from '../watch/watch.ts'
import type { WatchAnswer } from './answer.ts'

/** Where the lines of a watch go. */
export interface LineSink {
  /** False: it can take no more for now; `resume` of the watch is called when it can. */
  take(line: Buffer): boolean
  end(): void
}

/** Opens a watch whose frames go out as lines, in order, though some of them may have to be converted first. */
export function openLines(answer: WatchAnswer, out: LineSink): Watch {
  let isConverting = false
  let isOver = false
  const watch = answer.open({
    take(frame) {
      const line = answer.writeFrame(frame)
      if (Buffer.isBuffer(line)) return out.take(line)
      isConverting = true
      line.then(onConverted, (error) => watch.fail(error))
      return false
    },
    end() {
      isOver = true
      out.end()
    },
  })

  function onConverted(line: Buffer): void {
    if (isOver) return
    isConverting = false
    if (out.take(line)) watch.resume()
  }

  return {
    resume() {
      if (!isConverting) watch.resume()
    },
    fail: (error) => watch.fail(error),
    [Symbol.dispose]: () => watch[Symbol.dispose](),
  }
}
