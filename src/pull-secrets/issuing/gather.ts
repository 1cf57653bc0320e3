interface Waiting<In, Out> {
  input: In
  resolve(output: Out): void
  reject(error: unknown): void
}

export interface GatherLimits {
  /** Batches under way. */
  atOnce: number
  /** Of one batch. */
  most: number
}

/**
 * Lets those who come while others are being worked for share the next round: one statement for all of them, instead of
 * one each. Nobody gets what was read before they came. Who comes alone does not wait.
 *
 * @param work gives an output for each input, in their order; when it fails, its batch does and no other
 */
export function gather<In, Out>(
  { atOnce, most }: GatherLimits,
  work: (batch: readonly In[]) => Promise<readonly Out[]>,
): (input: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = []
  let working = 0

  async function run(): Promise<void> {
    working += 1
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most)
      waiting = waiting.slice(most)
      try {
        const outputs = await work(batch.map(({ input }) => input))
        for (const [at, { resolve }] of batch.entries()) resolve(outputs[at] as Out)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    working -= 1
  }

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject })
      if (working < atOnce) void run()
    })
}
