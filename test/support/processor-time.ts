/** What this takes of the processor, in milliseconds: a busy machine makes it wait, and adds nothing. */
export function processorMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
