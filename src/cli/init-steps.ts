import type { Clock } from '../core/clock.ts'
import { after, sleep } from '../core/clock.ts'
import type { Random } from '../core/random.ts'
import type { Manifest } from '../fleet/manifests/manifest.ts'
import { managedBy } from '../fleet/manifests/manifest.ts'
import { connect } from '../kube/client/index.ts'
import type { Connection } from '../kube/connection.ts'
import { isAlreadyExists } from '../kube/failures.ts'
import { configMaps, customResourceDefinitions, deployments, secrets } from '../kube/kinds.ts'
import type { Kube } from '../kube/kube.ts'
import { createAuthority } from '../pki/index.ts'
import { clusterInfo, clusterInfoManifest, clusterInfoReaders } from '../registration/manifests/cluster-info.ts'
import { hubService } from '../registration/manifests/hub.ts'
import { hubCaSecret } from '../registration/manifests/hub-rbac.ts'
import { applyManifests } from './apply-manifests.ts'
import { failures } from './failures.ts'
import { authorityIn } from './hub-certificate.ts'

export interface InitDeps {
  kube: Kube
  clock: Clock
  random: Random
  signal: AbortSignal
  timeoutMs: number
}

const tenYearsMs = 10 * 365 * 24 * 3_600_000
const everyMs = 250

/** The certificate of the hub's CA, which is made when there is none. A running hub goes on with the one it has. */
export async function ensureAuthority(namespace: string, { kube, clock, signal }: InitDeps): Promise<string> {
  const place = kube.of(secrets, namespace)
  const found = await place.find(hubCaSecret, { signal })
  const kept = authorityIn(found?.data)
  if (kept) return kept.certPem
  if (found) throw failures.CA_SECRET_DAMAGED({ secret: hubCaSecret, namespace })
  const made = await createAuthority({ commonName: 'lanyard-hub', clock, lifetimeMs: tenYearsMs })
  try {
    await place.create(
      {
        metadata: { name: hubCaSecret, labels: { ...managedBy } },
        stringData: { 'ca.crt': made.certPem, 'ca.key': made.keyPem.reveal() },
      },
      { signal },
    )
    return made.certPem
  } catch (error) {
    // Another init was faster.
    if (isAlreadyExists(error)) return ensureAuthority(namespace, { kube, clock, signal } as InitDeps)
    throw error
  }
}

/** Returns when the API server serves all of them. */
export async function untilServed(crds: readonly Manifest[], deps: InitDeps): Promise<void> {
  const { kube, clock, signal, timeoutMs } = deps
  const deadline = after(clock.now(), timeoutMs)
  let missing = crds.map(({ object }) => object.metadata.name)
  while (missing.length > 0) {
    const { items } = await kube.of(customResourceDefinitions).list({ signal })
    const served = items.filter(({ status }) =>
      status?.conditions?.some((condition) => condition.type === 'Established' && condition.status === 'True'),
    )
    missing = missing.filter((name) => !served.some(({ metadata }) => metadata.name === name))
    if (missing.length === 0) return
    if (clock.now() >= deadline)
      throw failures.CRD_NOT_SERVED({ kinds: missing.join(', '), seconds: timeoutMs / 1_000 })
    await sleep(clock, everyMs, signal)
  }
}

/** Whether the hub's own CA had to be published first. Nothing is changed where people read it already. */
export async function publishAuthority(connection: Connection, server: string, deps: InitDeps): Promise<boolean> {
  const { kube, signal } = deps
  const { ca } = connection.tls
  if (ca === undefined) return false
  const isThere = (await kube.of(configMaps, clusterInfo.namespace).find(clusterInfo.name, { signal })) !== undefined
  if (isThere && (await isReadByAnybody(connection, deps))) return false
  await applyManifests(kube, [...(isThere ? [] : [clusterInfoManifest(server, ca)]), ...clusterInfoReaders()], signal)
  return true
}

async function isReadByAnybody({ credentials: _, ...anonymous }: Connection, deps: InitDeps): Promise<boolean> {
  await using client = connect(anonymous, deps)
  try {
    await client.of(configMaps, clusterInfo.namespace).get(clusterInfo.name, { signal: deps.signal })
    return true
  } catch {
    deps.signal.throwIfAborted()
    return false
  }
}

/** Returns when one replica of the hub is ready. */
export async function untilAvailable(namespace: string, { kube, clock, signal, timeoutMs }: InitDeps): Promise<void> {
  const deadline = after(clock.now(), timeoutMs)
  for (;;) {
    const { status } = await kube.of(deployments, namespace).get(hubService, { signal })
    if ((status?.availableReplicas ?? 0) > 0) return
    if (clock.now() >= deadline)
      throw failures.HUB_NOT_READY({ deployment: hubService, namespace, seconds: timeoutMs / 1_000 })
    await sleep(clock, everyMs, signal)
  }
}
