/** This process stood still when a deadline is noticed so much later than it was over. */
const stillMs = 1_000

/**
 * For the answer of another program. A deadline that is noticed late says nothing about that program: its answer may lie
 * there unread.
 */
export function stopwatch(deadlineMs: number, elapsed: () => number = () => performance.now()) {
  const startedAt = elapsed()
  return {
    get isLate(): boolean {
      return elapsed() - startedAt > deadlineMs + stillMs
    },
  }
}
