import type { Clock } from '../core/clock.ts'

export interface Deadline extends Disposable {
  readonly signal: AbortSignal
}

/**
 * A signal that aborts with `parent`, or with what `reason` makes once `ms` have passed. To be disposed as soon as the
 * work is over: that leaves neither a timer nor a listener on a parent which may live as long as the process.
 * AbortSignal.timeout and AbortSignal.any know no fake clock and cannot be taken back.
 */
export function deadline(
  clock: Pick<Clock, 'countdown'>,
  ms: number,
  reason: () => unknown,
  parent?: AbortSignal,
): Deadline {
  const controller = new AbortController()
  const timer = clock.countdown(ms, () => controller.abort(reason()))
  const onParent = () => controller.abort(parent?.reason)
  if (parent?.aborted) onParent()
  else parent?.addEventListener('abort', onParent, { once: true })
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      timer[Symbol.dispose]()
      parent?.removeEventListener('abort', onParent)
    },
  }
}
