/** Copies as Secrets of one namespace, which a pod can name in `imagePullSecrets` as they are. */

import type { Secret } from 'kubernetes-types/core/v1.d.ts'
import { isAbort } from '../../core/lifecycle.ts'
import { ownDomain } from '../../core/own-domain.ts'
import {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
  isUnauthorized,
  KubeFailure,
} from '../../kube/failures.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Collection, Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'
import { failures } from '../failures.ts'
import { sha256 } from './http-store.ts'
import { copyName, hyperfleetLabels, nameRules, ownerMark } from './names.ts'
import type { Copy, Sink } from './sink.ts'
import { dockerConfig } from './sink.ts'

export interface KubernetesSinkOptions {
  name: string
  kube: Kube
  namespace: string
  instanceId: string
}

const fieldManager = 'lanyard-pull-secrets'
const dataKey = '.dockerconfigjson'
/** Ours, whatever its other labels say: nobody else's Secret of that name is ever changed or removed. */
const ownerLabel = `${ownDomain}/pull-secret-owner`
const clusterAnnotation = `${ownDomain}/cluster-id`

export function kubernetesSink({ name, kube, namespace, instanceId }: KubernetesSinkOptions): Sink {
  const collection = kube.of(secrets, namespace)
  const nameOf = (clusterId: string) => copyName(clusterId, nameRules.kubernetes)
  const isOurs = ({ metadata }: Stored<Secret>, clusterId: string) =>
    metadata.labels?.[ownerLabel] === ownerMark(instanceId, clusterId)
  const foreign = (clusterId: string) =>
    failures.SINK_FOREIGN({ sink: name, what: `Secret ${namespace}/${nameOf(clusterId)}` })

  const wanted = ({ clusterId, document }: Copy): Wanted => ({
    apiVersion: 'v1',
    kind: 'Secret',
    type: dockerConfig,
    metadata: {
      name: nameOf(clusterId),
      namespace,
      labels: {
        ...hyperfleetLabels(clusterId, nameRules.label),
        [ownerLabel]: ownerMark(instanceId, clusterId),
      },
      annotations: { [clusterAnnotation]: clusterId },
    },
    data: { [dataKey]: Buffer.from(document.json.reveal()).toString('base64') },
  })

  const versionOf = ({ metadata }: Stored<Secret>) => `${namespace}/${metadata.name}@${metadata.resourceVersion}`

  return {
    name,
    put: (copy, signal) =>
      inWords(name, signal, async () => {
        const existing = await collection.find(nameOf(copy.clusterId), { signal })
        if (existing && !isOurs(existing, copy.clusterId)) throw foreign(copy.clusterId)
        if (existing && isIntact(existing, copy.clusterId, copy.document.hash)) return versionOf(existing)
        return versionOf(
          existing
            ? await adjusted(collection, wanted(copy), existing, signal)
            : await created(collection, wanted(copy), signal, () => foreign(copy.clusterId)),
        )
      }),
    remove: (clusterId, signal) =>
      inWords(name, signal, async () => {
        const existing = await collection.metadata.find(nameOf(clusterId), { signal })
        if (!existing || !isOurs(existing, clusterId)) return
        await collection.delete(nameOf(clusterId), { signal, preconditions: { uid: existing.metadata.uid } })
      }),
    holds: (clusterId, hash, signal) =>
      inWords(name, signal, async () => {
        const existing = await collection.find(nameOf(clusterId), { signal })
        // What somebody else has put in its place is reported by the next put, and not changed.
        return existing !== undefined && isOurs(existing, clusterId) && isIntact(existing, clusterId, hash)
      }),
  }
}

/** Of ours: whether it is as we put it. */
function isIntact({ type, data, metadata }: Stored<Secret>, clusterId: string, hash: string): boolean {
  const labels = Object.entries(hyperfleetLabels(clusterId, nameRules.label))
  return (
    type === dockerConfig &&
    metadata.deletionTimestamp === undefined &&
    sha256(Buffer.from(data?.[dataKey] ?? '', 'base64')) === hash &&
    labels.every(([label, value]) => metadata.labels?.[label] === value)
  )
}

type Wanted = Secret & { metadata: { name: string } }

/** By create, and not by apply: apply would take over what appears in between. */
async function created(
  collection: Collection<Secret>,
  wanted: Wanted,
  signal: AbortSignal,
  foreign: () => Error,
): Promise<Stored<Secret>> {
  try {
    return await collection.create(wanted, { signal, fieldManager })
  } catch (error) {
    if (isAlreadyExists(error)) throw foreign()
    throw error
  }
}

async function adjusted(
  collection: Collection<Secret>,
  wanted: Wanted,
  existing: Stored<Secret>,
  signal: AbortSignal,
): Promise<Stored<Secret>> {
  const { uid, resourceVersion } = existing.metadata
  try {
    // Of this very object, as it was looked at: one that took its place meanwhile is a conflict.
    const seen = { ...wanted, metadata: { ...wanted.metadata, uid, resourceVersion } }
    return await collection.apply(seen, { signal, fieldManager, force: true })
  } catch (error) {
    // Its type cannot be changed, nor anything once it is marked immutable.
    if (!isInvalid(error)) throw error
    await collection.delete(wanted.metadata.name, { signal, preconditions: { uid } })
    return await collection.create(wanted, { signal, fieldManager })
  }
}

async function inWords<T>(sink: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isAbort(error, signal) || (error instanceof Error && error.name === 'Failure' && isOwn(error))) throw error
    if (isForbidden(error) || isUnauthorized(error) || isInvalid(error) || isNotFound(error))
      throw failures.SINK_REFUSED({ sink, detail: `status ${error.code}` }, error)
    const detail = isConflict(error)
      ? 'somebody else writes it too'
      : error instanceof KubeFailure
        ? `status ${error.code}`
        : 'no answer'
    throw failures.SINK_UNAVAILABLE({ sink, detail }, error)
  }
}

const isOwn = (error: Error): boolean => 'code' in error && String(error.code).startsWith('SINK_')
