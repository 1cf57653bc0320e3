import type { ClientBase } from 'pg'
import type { Clock } from '../../core/clock.ts'

const everyMs = 5_000
const answerMs = 5_000

/**
 * Asks a connection that lies idle for a sign of life: one that was cut without a word (a failover, a firewall) would
 * be noticed only when it is used again. Calls `onLoss` once. When disposed of, the connection is idle again or lost.
 */
export function heartbeat(
  client: Pick<ClientBase, 'query'>,
  clock: Pick<Clock, 'countdown'>,
  onLoss: (cause?: unknown) => void,
): AsyncDisposable {
  let timer: Disposable
  let over = false
  let asked: Promise<void> = Promise.resolve()
  const lose = (cause?: unknown) => {
    timer[Symbol.dispose]()
    over = true
    onLoss(cause)
  }
  const rest = () => {
    if (!over) timer = clock.countdown(everyMs, beat)
  }
  const beat = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    asked = promise
    timer = clock.countdown(answerMs, () => {
      lose()
      resolve()
    })
    client
      .query('SELECT 1')
      .then(
        () => timer[Symbol.dispose](),
        (error: unknown) => over || lose(error),
      )
      .finally(() => {
        resolve()
        rest()
      })
  }
  rest()
  return {
    async [Symbol.asyncDispose]() {
      await asked
      over = true
      timer[Symbol.dispose]()
    },
  }
}
