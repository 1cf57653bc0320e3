type Calls = Record<string | symbol, (...args: unknown[]) => Promise<unknown>>

/**
 * A port, each call of which waits for `ready`, fails with it, and goes to what it gives. The names of the calls are not
 * known before that, so any name is one, but `then`: a port is no promise.
 */
export const onceReady = <P extends object>(ready: () => Promise<P>): P =>
  new Proxy({} as P, {
    get: (_, name) =>
      name === 'then' ? undefined : async (...args: unknown[]) => ((await ready()) as Calls)[name]?.(...args),
  })
