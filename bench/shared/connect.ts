import { homedir } from 'node:os'
import { systemClock } from '../../src/core/clock.ts'
import { systemRandom } from '../../src/core/random.ts'
import type { ClientOptions, KubeClient } from '../../src/kube/client/index.ts'
import { connect } from '../../src/kube/client/index.ts'
import { loadConnection } from '../../src/kube/kubeconfig/index.ts'

/** The client as a program of ours makes it, without a pace of its own: what is measured is how much can be done. */
export async function connectTo(path: string, options: ClientOptions = {}): Promise<KubeClient> {
  const { connection } = await loadConnection({ path, home: homedir(), env: process.env, clock: systemClock })
  return connect(connection, { clock: systemClock, random: systemRandom, options: { qps: 0, ...options } })
}
