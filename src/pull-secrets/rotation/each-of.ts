/** Works on all of them, at most `width` at a time. The first failure is thrown once those at work have ended. */
export async function eachOf<T>(
  items: Iterable<T>,
  width: number,
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]()
  const errors: unknown[] = []
  const worker = async () => {
    while (!signal.aborted && errors.length === 0) {
      const next = left.next()
      if (next.done) return
      try {
        await work(next.value)
      } catch (error) {
        errors.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  if (errors.length > 0) throw errors[0]
}
