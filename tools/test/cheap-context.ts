/**
 * `node:test` looks up which test a piece of code belongs to: for tests inside tests, hooks, and errors that nobody
 * caught. It follows every promise of the process for that by an async hook, which takes a tenth of the whole run. The
 * same is known for nothing from the async context. To be imported before `node:test` is, which takes
 * `AsyncResource`, `createHook` and `executionAsyncId` from their module when it is loaded. How it uses them is known for
 * the Node that we pin, and told by a test.
 */
import { createRequire } from 'node:module'

const hooks: typeof import('node:async_hooks') = createRequire(import.meta.url)('node:async_hooks')
const { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId } = hooks

const current = new AsyncLocalStorage<number>()
let learnOf: NonNullable<Parameters<typeof createHook>[0]['init']> = () => {}

/** Tests are such resources. */
class Resource extends AsyncResource {
  constructor(...args: ConstructorParameters<typeof AsyncResource>) {
    super(...args)
    learnOf(this.asyncId(), args[0], executionAsyncId(), this)
  }

  override runInAsyncScope<This, Result>(
    work: (this: This, ...args: unknown[]) => Result,
    self?: This,
    ...args: unknown[]
  ): Result {
    return super.runInAsyncScope(() => current.run(this.asyncId(), () => work.apply(self as This, args)))
  }
}

Object.assign(hooks, {
  AsyncResource: Resource,
  executionAsyncId: () => current.getStore() ?? executionAsyncId(),
  createHook: ({ init }: Parameters<typeof createHook>[0]) => {
    if (init) learnOf = init
    return { enable() {}, disable() {} }
  },
})
await import('node:test')
Object.assign(hooks, { AsyncResource, createHook, executionAsyncId })
