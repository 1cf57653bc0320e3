import { ClusterConfig } from '../../src/apis/breakglass/cluster-config.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { systemRandom } from '../../src/core/random.ts'
import { Secret } from '../../src/core/secret.ts'
import { spokeLabels } from '../../src/fleet/spoke/names.ts'
import type { Informer } from '../../src/kube/informer.ts'
import { informer } from '../../src/kube/informer.ts'
import { roleBindings, roles, secrets, serviceAccounts } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { KubeObject, Resource } from '../../src/kube/objects.ts'
import { keyOf } from '../../src/kube/objects.ts'
import { tokenIn } from '../../src/reach/handover/kubeconfig.ts'
import { runInTest } from '../support/fleet-scene.ts'
import type { TestScope } from '../support/test-scope.ts'

/** What a test writes in place of a kubeconfig. */
export const damage = 'damaged'

/** What there is for handing over a way in, wherever it is, by watches: what was put right since counts too. */
export interface HandoverLedger {
  /** What must never be, in words. */
  readonly contradictions: readonly string[]
  /** All tokens that were ever handed over. */
  readonly tokens: ReadonlySet<string>
  /** What is there now, kind and name of each. */
  present(): string[]
  /** From now on until it is opened nothing may come into being. */
  close(): void
  open(): void
}

export async function keepHandoverLedger(t: TestScope, kube: Kube): Promise<HandoverLedger> {
  const contradictions: string[] = []
  const tokens = new Set<string>()
  let isClosed = true

  const watched: { kind: string; of: Informer<KubeObject> }[] = []
  function watch<T extends KubeObject>(resource: Resource<T>): Informer<T> {
    const { kind } = resource
    const of = informer(kube.of(resource), {
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      labelSelector: `${spokeLabels.handover}=true`,
    })
    of.on(({ type, object }) => {
      if (type === 'deleted') return
      const all = of.list()
      if (all.length > 1) contradictions.push(`there are ${all.length} of ${kind}: ${all.map(keyOf).join(', ')}`)
      if (isClosed) contradictions.push(`${kind} ${keyOf(object)} is there again, and nobody wants it`)
    })
    watched.push({ kind, of: of as unknown as Informer<KubeObject> })
    return of
  }

  for (const resource of [serviceAccounts, roles, roleBindings, ClusterConfig.resource] as Resource<KubeObject>[])
    watch(resource)
  watch(secrets).on(({ type, object: { data } }) => {
    const text = Buffer.from(data?.['value'] ?? '', 'base64').toString()
    if (type === 'deleted' || text === '' || text === damage) return
    const token = tokenIn(Secret.of(text))
    if (token) tokens.add(token.reveal())
    else contradictions.push('what was handed over holds no token')
  })

  runInTest(
    t,
    watched.map(({ of }) => of.run),
  )
  await Promise.all(watched.map(({ of }) => of.synced()))
  return {
    contradictions,
    tokens,
    present: () => watched.flatMap(({ kind, of }) => of.list().map((object) => `${kind} ${keyOf(object)}`)),
    close() {
      isClosed = true
    },
    open() {
      isClosed = false
    },
  }
}
