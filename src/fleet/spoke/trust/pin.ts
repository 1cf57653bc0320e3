import type { Secret as SecretObject } from 'kubernetes-types/core/v1.d.ts'
import { ClusterConfig } from '../../../apis/breakglass/cluster-config.ts'
import { KubeFailure } from '../../../kube/failures.ts'
import { secrets } from '../../../kube/kinds.ts'
import type { Kube } from '../../../kube/kube.ts'
import type { Stored } from '../../../kube/objects.ts'
import { apiVersionOf } from '../../../kube/objects.ts'
import { fingerprintOf } from '../../../pki/index.ts'
import { managedBy } from '../../manifests/manifest.ts'
import { textOf } from '../../secret-texts.ts'
import type { OidcWay } from '../contract.ts'
import { failures } from '../failures.ts'
import { pinSecret, secretKeys, spokeAnnotations, spokeLabels } from '../names.ts'

/** Where the CA of a cluster is kept. */
export interface PinPlace {
  readonly namespace: string
  readonly name: string
  readonly key: string
  /** Of the ClusterConfig, for messages. */
  readonly field: string
  /** Nobody named it: it lies beside the ClusterConfig and goes with it. */
  readonly owner: Stored<ClusterConfig> | undefined
}

export function placeOf(config: Stored<ClusterConfig>, { trust }: Pick<OidcWay, 'trust'>): PinPlace {
  const { namespace = '', name } = config.metadata
  const [byDefault] = secretKeys.ca
  if (!trust.secret) return { namespace, name: pinSecret(name), key: byDefault, field: 'metadata.name', owner: config }
  const { keys, field } = trust.secret
  return {
    ...{ namespace: trust.secret.namespace, name: trust.secret.name },
    key: keys[0] ?? byDefault,
    field,
    owner: undefined,
  }
}

export interface Kept {
  /** PEM; one certificate or several. */
  readonly pem: string
  /** Of the first. */
  readonly fingerprint: string
  readonly by: 'person' | 'first-use'
}

export interface PinRecord {
  readonly kept: Kept | undefined
  /** As it was read: what is written later must replace exactly this. */
  readonly secret: Stored<SecretObject> | undefined
}

/** Throws SPOKE_CA_SECRET_MISSING where a Secret was named, SPOKE_INVALID for one that holds no certificate. */
export async function readPin(kube: Kube, place: PinPlace, signal?: AbortSignal): Promise<PinRecord> {
  const { namespace, name, field, owner } = place
  const secret = await kube
    .of(secrets, namespace)
    .find(name, { ...(signal && { signal }) })
    .catch((error: unknown) => {
      if (signal?.aborted) throw signal.reason
      throw failures.SPOKE_SECRET_UNREADABLE({ namespace, name, field, detail: detailOf(error) }, error)
    })
  if (!secret && !owner) throw failures.SPOKE_CA_SECRET_MISSING({ namespace, name, field })
  if (!secret || isOfAnother(secret, owner)) return { kept: undefined, secret }
  return { kept: keptIn(secret, place), secret }
}

/** Of a ClusterConfig of the same name that is gone, and whose Secret goes next. */
const isOfAnother = ({ metadata }: Stored<SecretObject>, owner: PinPlace['owner']): boolean =>
  owner !== undefined &&
  (metadata.ownerReferences ?? []).some(({ kind }) => kind === ClusterConfig.resource.kind) &&
  !(metadata.ownerReferences ?? []).some(({ uid }) => uid === owner.metadata.uid)

function keptIn(secret: Stored<SecretObject>, { namespace, name, key, field }: PinPlace): Kept | undefined {
  const pem = textOf(secret.data ?? {}, key)
  if (pem === undefined || pem.trim() === '') return undefined
  try {
    const fingerprint = fingerprintOf(pem)
    return { pem, fingerprint, by: firstUses(secret).includes(fingerprint) ? 'first-use' : 'person' }
  } catch (error) {
    const problem = `key ${key} of Secret ${namespace}/${name} holds no certificate in PEM`
    throw failures.SPOKE_INVALID({ field, problem }, error)
  }
}

/** A Secret may keep the CAs of several clusters, and some of them may come from a person. */
const firstUses = ({ metadata }: Stored<SecretObject>): string[] =>
  (metadata.annotations?.[spokeAnnotations.firstUses] ?? '').split(',').filter(Boolean)

/** Throws a Conflict or AlreadyExists where somebody else was faster: then what they wrote counts. */
export async function writePin(
  kube: Kube,
  place: PinPlace,
  { secret, kept }: PinRecord,
  pem: string,
  now: Date,
  signal?: AbortSignal,
): Promise<void> {
  const { namespace, name, key, owner } = place
  const others = secret ? firstUses(secret).filter((fingerprint) => fingerprint !== kept?.fingerprint) : []
  const metadata = {
    ...(secret?.metadata ?? { name, namespace }),
    labels: { ...managedBy, ...secret?.metadata.labels, [spokeLabels.firstUse]: 'true' },
    annotations: {
      ...secret?.metadata.annotations,
      [spokeAnnotations.trustedSince]: now.toISOString(),
      [spokeAnnotations.firstUses]: [...new Set([...others, fingerprintOf(pem)])].join(','),
    },
    ...(owner && (!secret || isOfAnother(secret, owner)) && { ownerReferences: ownersOf(secret, owner) }),
  }
  const data = { ...secret?.data, [key]: Buffer.from(pem).toString('base64') }
  const collection = kube.of(secrets, namespace)
  const options = signal ? { signal } : {}
  if (secret) await collection.update({ ...secret, metadata, data }, options)
  else await collection.create({ metadata, type: 'Opaque', data }, options)
}

/** Whoever else owns it stays. What a person made gets no owner: it would go with the ClusterConfig. */
const ownersOf = (secret: Stored<SecretObject> | undefined, owner: Stored<ClusterConfig>) => [
  ...(secret?.metadata.ownerReferences ?? []).filter(
    ({ kind, name }) => kind !== ClusterConfig.resource.kind || name !== owner.metadata.name,
  ),
  referenceTo(owner),
]

const referenceTo = ({ metadata: { name, uid } }: Stored<ClusterConfig>) => ({
  apiVersion: apiVersionOf(ClusterConfig.resource),
  kind: ClusterConfig.resource.kind,
  name,
  uid,
})

export const detailOf = (error: unknown): string =>
  error instanceof KubeFailure
    ? `the hub answers ${error.code} ${error.reason}`
    : error instanceof Error
      ? error.message
      : String(error)
