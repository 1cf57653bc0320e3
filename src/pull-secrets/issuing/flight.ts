/** Those who ask for the same while it is under way wait for it and share how it ends. */
export function flight<T>() {
  const inTheAir = new Map<string, Promise<T>>()
  return (key: string, work: () => Promise<T>): { outcome: Promise<T>; isLeader: boolean } => {
    const under = inTheAir.get(key)
    if (under) return { outcome: under, isLeader: false }
    const outcome = work().finally(() => inTheAir.delete(key))
    inTheAir.set(key, outcome)
    return { outcome, isLeader: true }
  }
}
