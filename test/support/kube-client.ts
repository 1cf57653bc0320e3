import { systemClock } from '../../src/core/clock.ts'
import { systemRandom } from '../../src/core/random.ts'
import type { ClientOptions, KubeClient } from '../../src/kube/client/index.ts'
import { connect } from '../../src/kube/client/index.ts'
import type { Connection } from '../../src/kube/connection.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

/** A client without a limit of its own, closed when the test is over. */
export function kubeClient(t: TestScope, connection: Connection, options: ClientOptions = {}): KubeClient {
  const client = connect(connection, { clock: systemClock, random: systemRandom, options: { qps: 0, ...options } })
  teardown(t, () => client.close())
  return client
}
