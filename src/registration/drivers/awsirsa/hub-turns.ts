/** Runs what is given under one key one after the other; different keys do not wait for each other. */
export function turns(): <R>(key: string, work: () => Promise<R>) => Promise<R> {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = last.get(key)
    const own = (before ?? Promise.resolve()).then(work, work)
    last.set(key, own)
    try {
      return await own
    } finally {
      if (last.get(key) === own) last.delete(key)
    }
  }
}
