import { hostname } from 'node:os'
import type { Clock } from '../core/clock.ts'
import type { Run } from '../core/lifecycle.ts'
import { aborted } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import type { Random } from '../core/random.ts'
import { leading } from '../kube/election.ts'
import { configMaps, leases, namespaces } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
import { failures } from './failures.ts'
import type { Step } from './step.ts'

export interface HubDeps {
  client: Kube
  server: string
  namespace: string
  clock: Clock
  random: Random
  log: Log
}

const patienceMs = 10_000

/** A list, a watch and a lease on a given hub. Leaves nothing behind. */
export async function* checkHub(deps: HubDeps & { signal: AbortSignal }): AsyncGenerator<Step> {
  yield { doing: `asking ${deps.server}` }
  const { gitVersion } = await deps.client.request<{ gitVersion: string }>({ path: '/version', signal: deps.signal })
  yield { did: 'the hub answers', detail: `${deps.server}, ${gitVersion}` }

  yield { doing: 'listing namespaces' }
  const { items } = await deps.client.of(namespaces).metadata.list({ signal: deps.signal })
  yield { did: 'a list works', detail: `${items.length} namespaces` }

  yield { doing: 'watching a ConfigMap come and go' }
  yield { did: 'a watch works', detail: await watchOne(deps) }

  yield { doing: 'holding a lease' }
  yield { did: 'a lease works', detail: await holdOnce(deps) }
}

async function watchOne(deps: HubDeps & { signal: AbortSignal }): Promise<string> {
  const { clock } = deps
  const name = `lanyard-check-${deps.random.suffix(8)}`
  const collection = deps.client.of(configMaps, deps.namespace)
  const late = new AbortController()
  using _timer = clock.timer(new Date(clock.now().getTime() + patienceMs), () =>
    late.abort(failures.CHECK_HUB_SILENT({ what: `the ConfigMap ${name}`, seconds: patienceMs / 1_000 })),
  )
  const { metadata } = await collection.list({ fieldSelector: `metadata.name=${name}`, signal: deps.signal })
  const events = collection.watch({
    resourceVersion: metadata.resourceVersion,
    fieldSelector: `metadata.name=${name}`,
    signal: AbortSignal.any([deps.signal, late.signal]),
  })
  await collection.create({ metadata: { name, namespace: deps.namespace }, data: { made: 'by lanyard up --check' } })
  try {
    for await (const { type } of events) {
      if (type === 'ADDED') await collection.delete(name)
      if (type === 'DELETED') return `saw ${name} come and go in ${deps.namespace}`
    }
    throw failures.CHECK_HUB_SILENT({ what: `the ConfigMap ${name}`, seconds: patienceMs / 1_000 })
  } finally {
    await collection.delete(name)
  }
}

/** Takes a lease of its own name, and releases it. */
async function holdOnce(deps: HubDeps & { signal: AbortSignal }): Promise<string> {
  const name = `lanyard-check-${deps.random.suffix(8)}`
  const stop = new AbortController()
  const startedAt = deps.clock.now().getTime()
  let heldAfterMs = 0
  const hold: Run = async () => {
    heldAfterMs = deps.clock.now().getTime() - startedAt
    stop.abort()
  }
  const candidate = { namespace: deps.namespace, name, identity: `check-${deps.random.suffix(5)}` }
  try {
    await leading(deps.client, candidate, deps)(hold)(AbortSignal.any([deps.signal, stop.signal]))
  } finally {
    await deps.client.of(leases, deps.namespace).delete(name)
  }
  return `${name} in ${deps.namespace}, held after ${heldAfterMs} ms and released`
}

/** Leads on the hub while it can, and says so: where later jobs hang their reconcilers. */
export const holdHub =
  ({ show, ...deps }: HubDeps & { show(step: Step): void }): Run =>
  async (signal) => {
    const { gitVersion } = await deps.client.request<{ gitVersion: string }>({ path: '/version', signal })
    show({ did: 'the hub answers', detail: `${deps.server}, ${gitVersion}` })
    const lead: Run = async (leadership) => {
      show({ did: 'this process leads', detail: `lease lanyard in namespace ${deps.namespace}` })
      await aborted(leadership)
    }
    const identity = `${hostname()}-${process.pid}-${deps.random.suffix(5)}`
    await leading(deps.client, { namespace: deps.namespace, name: 'lanyard', identity }, deps)(lead)(signal)
  }
