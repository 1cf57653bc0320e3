/** What the helpers need of a test's context: to be told when it is over. */
export interface TestScope {
  after(teardown: () => void | Promise<void>): void
}

type Teardown = () => void | Promise<void>

const registered = new WeakMap<TestScope, Teardown[]>()

/**
 * Runs `action` when the test is over: what was set up last goes first, as what came later may need what was there
 * before. `t.after` alone runs them the other way round. All of them run; then the first failure, if any, is thrown.
 */
export function teardown(t: TestScope, action: Teardown): void {
  const known = registered.get(t)
  if (known) {
    known.push(action)
    return
  }
  const actions = [action]
  registered.set(t, actions)
  t.after(async () => {
    const failures: unknown[] = []
    for (let next = actions.pop(); next; next = actions.pop()) {
      try {
        await next()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  })
}
