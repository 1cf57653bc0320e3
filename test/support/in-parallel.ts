/** Several at a time: each is a question of its own. */
export async function inParallel<T>(cases: readonly T[], ask: (one: T) => Promise<unknown>, atOnce = 8): Promise<void> {
  const left = [...cases]
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) await ask(next)
    }),
  )
}
