import { systemClock } from '../../src/core/clock.ts'
import { systemRandom } from '../../src/core/random.ts'
import type { ClientOptions, KubeClient } from '../../src/kube/client/index.ts'
import { connect } from '../../src/kube/client/index.ts'
import type { Connection } from '../../src/kube/connection.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

export interface TestClientOptions extends ClientOptions {
  /** Told of each call when it begins, watches left out; what it returns is called when the call is over. */
  onCall?(): () => void
}

/** A client without a limit of its own, closed when the test is over. */
export function kubeClient(
  t: TestScope,
  connection: Connection,
  { onCall, ...options }: TestClientOptions = {},
): KubeClient {
  const client = connect(connection, { clock: systemClock, random: systemRandom, options: { qps: 0, ...options } })
  teardown(t, () => client.close())
  return onCall ? telling(client, onCall) : client
}

/** The same client, which tells of its calls: whatever returns a promise is one. */
function telling(client: KubeClient, onCall: () => () => void): KubeClient {
  const told = <T extends object>(of: T): T =>
    new Proxy(of, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          const result: unknown = value.apply(target, given)
          if (!(result instanceof Promise)) return result
          const onOver = onCall()
          result.then(onOver, onOver)
          return result
        }
      },
    })
  return { ...client, of: (resource, namespace) => told(client.of(resource, namespace)), request: told(client).request }
}
