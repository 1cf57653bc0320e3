import { isDeepStrictEqual } from 'node:util'
import type { AdmissionRequest, PatchOperation, Verdict } from '../../fleet/admission.ts'
import { allowed, badRequest } from '../../fleet/admission.ts'
import { defaultSet, labels } from '../../fleet/names.ts'
import type { KubeObject } from '../../kube/objects.ts'
import { nameMistake } from './cluster-fields.ts'
import { recordAnnotations } from './recorded-annotations.ts'
import { stampTaints } from './taints.ts'

export const defaultLeaseSeconds = 60

/** As a client sent it: mutating webhooks come before the schema, so anything may be of any type below `spec`. */
type Sent = KubeObject & { spec?: unknown }

/**
 * What the hub puts into a ManagedCluster, and what it refuses because of that. The name is looked at here as well: past
 * the mutating webhooks an API server has words of its own about a bad one.
 */
export function defaultCluster({ object, oldObject, userInfo }: AdmissionRequest<Sent>, now: Date): Verdict {
  if (!object) return { allowed: true }
  const { name = '' } = object.metadata ?? {}
  // Without a name one is generated, which is looked at by the validating webhook.
  const mistake = oldObject || name === '' ? undefined : nameMistake(name)
  if (mistake) return badRequest(mistake)

  const spec = specOf(object)
  const stamped = Array.isArray(spec['taints'])
    ? stampTaints(spec['taints'], oldObject ? listOf(specOf(oldObject)['taints']) : undefined, now)
    : undefined
  // Nothing is said to a write that comes too late: the API server answers it with a Conflict, which clients understand.
  if (stamped && 'mistake' in stamped) return isOutdated(object, oldObject) ? allowed : badRequest(stamped.mistake)

  const change = { name, requester: userInfo, old: oldObject ? seen(oldObject) : undefined, sent: seen(object) }
  return {
    allowed: true,
    patch: [
      ...patchMap('/metadata/labels', object.metadata?.labels, withSet(object.metadata?.labels)),
      ...patchMap('/metadata/annotations', object.metadata?.annotations, recordAnnotations(change, now)),
      ...patchSpec(object.spec, stamped?.taints),
    ],
  }
}

export const withSet = (given: Readonly<Record<string, string>> = {}) => ({
  ...given,
  [labels.clusterSet]: given[labels.clusterSet] || defaultSet,
})

/** Whole maps: one operation whatever changes, and no key to escape. */
function patchMap(
  path: string,
  given: Readonly<Record<string, string>> = {},
  wanted: Readonly<Record<string, string>>,
): PatchOperation[] {
  return isDeepStrictEqual({ ...given }, { ...wanted }) ? [] : [{ op: 'add', path, value: wanted }]
}

/** A spec that is no object is left for the schema to refuse. */
function patchSpec(given: unknown, taints: readonly unknown[] | undefined): PatchOperation[] {
  if (given === undefined || given === null)
    return [{ op: 'add', path: '/spec', value: { leaseDurationSeconds: defaultLeaseSeconds } }]
  if (typeof given !== 'object') return []
  const { leaseDurationSeconds = 0, taints: sent } = given as Record<string, unknown>
  const patch: PatchOperation[] = []
  if (leaseDurationSeconds === 0 || leaseDurationSeconds === null)
    patch.push({ op: 'add', path: '/spec/leaseDurationSeconds', value: defaultLeaseSeconds })
  if (taints && !isDeepStrictEqual(taints, sent)) patch.push({ op: 'add', path: '/spec/taints', value: taints })
  return patch
}

/** Made from another version than the one that it would replace. */
const isOutdated = ({ metadata: { resourceVersion = '' } = {} }: Sent, old: Sent | null | undefined): boolean =>
  resourceVersion !== '' && old?.metadata?.resourceVersion !== resourceVersion

const specOf = ({ spec }: Sent): Record<string, unknown> => (typeof spec === 'object' && spec ? { ...spec } : {})

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const seen = (cluster: Sent) => ({
  annotations: cluster.metadata?.annotations ?? {},
  accepted: specOf(cluster)['hubAcceptsClient'] === true,
})
