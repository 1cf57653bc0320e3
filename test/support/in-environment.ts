type Env = Readonly<Record<string, string>>

/** For processes that a helper starts: they get these variables besides those of the tests. One at a time. */
export async function inEnvironment<T>(env: Env, act: () => Promise<T>): Promise<T> {
  const saved = Object.keys(env).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, env)
  try {
    return await act()
  } finally {
    for (const [name, value] of saved)
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  }
}
