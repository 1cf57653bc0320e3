import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import type { TestScope } from '../../../../test/support/test-scope.ts'
import { teardown } from '../../../../test/support/test-scope.ts'
import type { Random } from '../../../core/random.ts'
import { systemRandom } from '../../../core/random.ts'
import { builtInKinds, reviews } from '../../kinds/built-in.ts'
import type { Kind } from '../../kinds/kind.ts'
import type { Served } from '../../kinds/registry.ts'
import { Registry } from '../../kinds/registry.ts'
import type { ApiObject } from '../../objects.ts'
import { resourceName } from '../../objects.ts'
import { ApiFailure } from '../../status.ts'
import { fresh } from '../../storage/reading.ts'
import type { Store, Write } from '../../storage/store.ts'
import { openIn } from '../../storage/testing/stores.ts'
import type { Call, WriteDeps } from '../call.ts'
import { readWriteParameters } from '../parameters.ts'

export function builtInRegistry(...more: Kind[]): Registry {
  const registry = new Registry()
  const answers = Object.fromEntries(
    reviews.map(([group, plural]) => [resourceName(group, plural), async (object: ApiObject) => object]),
  )
  const kinds = builtInKinds({ answers, token: async (submitted) => submitted, crdRules: {} })
  for (const kind of [...kinds, ...more]) registry.set(kind)
  return registry
}

const admitsAll: WriteDeps['admission'] = { mutate: async ({ object }) => object, validate: async () => {} }

/** A store that does something else first, as another client that is faster would. */
export const racing = (store: Store, first: (write: Write) => Promise<unknown>): Store =>
  new Proxy(store, {
    get(target, name) {
      if (name === 'write') return async (write: Write) => first(write).then(() => target.write(write))
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

/** Writes to a store of its own, past server and gate. */
export function writeScene(
  t: TestScope,
  { admission = admitsAll, random = systemRandom }: { admission?: WriteDeps['admission']; random?: Random } = {},
) {
  const clock = new FakeClock()
  const store = openIn(tempDir(t), { sync: async () => {}, clock })
  teardown(t, () => store.close())
  const registry = builtInRegistry()
  const warnings: string[] = []
  const deps: WriteDeps = {
    ...{ store, registry, admission, clock, random },
    authorizer: { authorize: async () => ({ verdict: 'allow', reason: '' }) },
  }
  const servedAs = (apiVersion: string, kind: string): Served => {
    const found = registry.findKind(apiVersion, kind)
    if (!found) throw new Error(`${kind} is not served`)
    return found
  }
  return {
    ...{ deps, store, registry, clock, warnings, servedAs },
    call(apiVersion: string, kind: string, name: string, more: Partial<Call> = {}): Call {
      const served = more.served ?? servedAs(apiVersion, kind)
      return {
        ...{ served, subresource: '', namespace: served.kind.namespaced ? 'home' : '', name },
        ...{ user: { name: 'jane', groups: [] }, userAgent: 'test/1', warn: (text) => void warnings.push(text) },
        ...more,
      }
    },
    /** What is stored. */
    found(storage: string, name: string, namespace = 'home'): ApiObject | undefined {
      const entry = store.get(storage, namespace, name)
      return entry && fresh(entry)
    },
  }
}

export function parametersOf(query: string, kind = 'UpdateOptions') {
  const parameters = readWriteParameters(new URLSearchParams(query), kind)
  return { parameters, options: parameters.options }
}

/** `409 Conflict: …`; the test fails when there is no failure. */
export const refusal = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => {
      throw new Error('it was not refused')
    },
    (error: unknown) => {
      if (!(error instanceof ApiFailure)) throw error
      return `${error.code} ${error.reason}: ${error.message}`
    },
  )
