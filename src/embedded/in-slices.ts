/** After everything that waits to be served. */
export const othersFirst = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** How long others wait at a time, in milliseconds. */
const slice = 10

/** Work that may take long, a step at a time, with others served in between. */
export async function inSlices(steps: Iterable<unknown>): Promise<void> {
  let begin = performance.now()
  for (const _ of steps) {
    if (performance.now() - begin < slice) continue
    await othersFirst()
    begin = performance.now()
  }
}
