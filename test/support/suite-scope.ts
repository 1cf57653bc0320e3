import { after } from 'node:test'
import type { TestScope } from './test-scope.ts'

/** Lasts as long as the `describe` it is made in: `before` may set up in it what all tests there share. */
export function suiteScope(): TestScope {
  const actions: (() => void | Promise<void>)[] = []
  after(async () => {
    for (const action of actions) await action()
  })
  return { after: (action) => void actions.push(action) }
}
