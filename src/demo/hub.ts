import { hostname } from 'node:os'
import type { Clock } from '../core/clock.ts'
import type { Run } from '../core/lifecycle.ts'
import { aborted } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import { ownDomain } from '../core/own-domain.ts'
import type { Random } from '../core/random.ts'
import type { Step } from '../core/step.ts'
import { leading } from '../kube/election.ts'
import { isAlreadyExists, isConflict } from '../kube/failures.ts'
import { configMaps, leases, namespaces } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
import { failures } from './failures.ts'

export interface HubDeps {
  client: Kube
  server: string
  namespace: string
  clock: Clock
  random: Random
  log: Log
}

const patienceMs = 10_000
/** Longer than the lease of a check that was killed. */
const leaseWaitMs = 30_000

/** What a check makes on the hub. Fixed, so that the next check finds what a killed one left. */
const name = 'lanyard-check'
/** Tells what a check made from what somebody else gave the same name. */
const mark = { [`${ownDomain}/check`]: 'true' }

/** A list, a lease, and a watch under it, on a given hub. Leaves nothing behind. */
export async function* checkHub(deps: HubDeps & { signal: AbortSignal }): AsyncGenerator<Step> {
  yield { doing: `asking ${deps.server}` }
  const { gitVersion } = await deps.client.request<{ gitVersion: string }>({ path: '/version', signal: deps.signal })
  yield { did: 'the hub answers', detail: `${deps.server}, ${gitVersion}` }

  yield { doing: 'listing namespaces' }
  const { items } = await deps.client.of(namespaces).metadata.list({ signal: deps.signal })
  yield { did: 'a list works', detail: `${items.length} namespaces` }
  if (!items.some(({ metadata }) => metadata.name === deps.namespace))
    throw failures.CHECK_NO_NAMESPACE({ namespace: deps.namespace, server: deps.server })

  yield { doing: 'taking a lease, and watching a ConfigMap come and go under it' }
  await underLease(deps, (signal) => watchOne({ ...deps, signal }))
  yield { did: 'a watch works', detail: `saw ConfigMap ${name} come and go in ${deps.namespace}` }
  yield { did: 'a lease works', detail: `${name} in ${deps.namespace}, held and released` }
}

/** Runs `once` as the one leader, so that two checks at a time do not trip over each other. */
async function underLease(deps: HubDeps & { signal: AbortSignal }, once: Run): Promise<void> {
  const here = leasesOf(deps)
  // A hub that refuses is asked once, without effect, so that it can say why: an election would go on asking.
  await here.create({ metadata: { name } }, { dryRun: true, signal: deps.signal }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error
  })
  const over = new AbortController()
  const busy = () => failures.CHECK_HUB_BUSY({ lease: name, namespace: deps.namespace, seconds: leaseWaitMs / 1_000 })
  using waiting = deps.clock.countdown(leaseWaitMs, () => over.abort(busy()))
  let held = false
  const run: Run = async (leadership) => {
    held = true
    waiting[Symbol.dispose]()
    await once(leadership)
    over.abort()
  }
  try {
    const signal = AbortSignal.any([deps.signal, over.signal])
    await leading(deps.client, { ...deps, name, identity: hostname() }, run)(signal)
  } finally {
    if (held) await removeReleased(here)
  }
  deps.signal.throwIfAborted()
  if (!held) throw over.signal.reason
}

const leasesOf = ({ client, namespace }: HubDeps) => client.of(leases, namespace)

/** Another check may have taken the lease since it was released: then it is theirs, and stays. */
async function removeReleased(here: ReturnType<typeof leasesOf>): Promise<void> {
  const left = await here.find(name)
  if (!left || left.spec?.holderIdentity) return
  const { uid, resourceVersion } = left.metadata
  await here.delete(name, { preconditions: { uid, resourceVersion } }).catch((error: unknown) => {
    if (!isConflict(error)) throw error
  })
}

async function watchOne({ client, namespace, clock, signal }: HubDeps & { signal: AbortSignal }): Promise<void> {
  const silent = failures.CHECK_HUB_SILENT({ what: `the ConfigMap ${name}`, seconds: patienceMs / 1_000 })
  const late = new AbortController()
  using _timer = clock.countdown(patienceMs, () => late.abort(silent))
  const collection = client.of(configMaps, namespace)
  const left = await collection.find(name, { signal })
  if (left && left.metadata.labels?.[`${ownDomain}/check`] !== 'true')
    throw failures.CHECK_NAME_TAKEN({ kind: 'ConfigMap', name, namespace })
  if (left) await collection.delete(name, { preconditions: { uid: left.metadata.uid } })
  const { metadata } = await collection.create({ metadata: { name, labels: mark } })
  /** Ours and no other: whoever takes the name once it is free keeps what they made. */
  const remove = () =>
    collection.delete(name, { preconditions: { uid: metadata.uid } }).catch((error: unknown) => {
      if (!isConflict(error)) throw error
    })
  try {
    const events = collection.watch({
      resourceVersion: metadata.resourceVersion,
      fieldSelector: `metadata.name=${name}`,
      signal: AbortSignal.any([signal, late.signal]),
    })
    await collection.patch(name, { type: 'merge', body: { data: { seen: 'yes' } } })
    for await (const { type } of events) {
      if (type === 'MODIFIED') await remove()
      if (type === 'DELETED') return
    }
    throw silent
  } finally {
    await remove()
  }
}

/** Leads on the hub while it can, and says so: where later jobs hang their reconcilers. */
export const holdHub =
  ({ show, ...deps }: HubDeps & { show(step: Step): void }): Run =>
  async (signal) => {
    const { gitVersion } = await deps.client.request<{ gitVersion: string }>({ path: '/version', signal })
    show({ did: 'the hub answers', detail: `${deps.server}, ${gitVersion}` })
    const where = `lease lanyard in namespace ${deps.namespace}`
    const { spec } = (await deps.client.of(leases, deps.namespace).find('lanyard', { signal })) ?? {}
    if (spec?.holderIdentity)
      show({ did: 'another process leads, this one waits', detail: `${where}, ${spec.holderIdentity}` })
    const lead: Run = async (leadership) => {
      show({ did: 'this process leads', detail: where })
      await aborted(leadership)
      if (!signal.aborted) show({ did: 'this process no longer leads', detail: where })
    }
    await leading(deps.client, { ...deps, name: 'lanyard', identity: hostname() }, lead)(signal)
  }
