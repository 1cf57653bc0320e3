import { createHash } from 'node:crypto'
import type { Keep, Kept, Pending } from '../../../core/pass.ts'
import { certificatePass } from '../../../fleet/csr/issuance.ts'
import { formatPending, readPending } from '../../../fleet/pass-record.ts'
import { textOf, writeSecret } from '../../../fleet/secret-texts.ts'
import { isForbidden, isNotFound } from '../../../kube/failures.ts'
import { namespaces, secrets } from '../../../kube/kinds.ts'
import type { Kube } from '../../../kube/kube.ts'
import { readCertificate } from '../../../pki/index.ts'
import type { RegistrationItem } from '../../registrations.ts'
import type { AddonKeepOptions, AddonMaterial } from './secret-keep.ts'
import { addonSecretKeep, orderDigest, passFacts, wantedKubeconfig } from './secret-keep.ts'

export interface WaitingKeepOptions extends AddonKeepOptions {
  /** Where the agent keeps its own identity: a Secret that it may write in any case. */
  management: Kube
  own: { readonly namespace: string; readonly name: string }
}

/** What waits for the namespace of an add-on: a request, and later the certificate that it came to. */
interface Waiting {
  readonly pending: Pending
  readonly certPem?: string
  readonly receivedAt?: Date
}

/** A key of the agent's own Secret. A digest: the two names together may be longer than a key can be. */
const keyFor = ({ namespace, name }: RegistrationItem['secret']): string =>
  `addon-request-${createHash('sha256').update(`${namespace}/${name}`).digest('hex').slice(0, 32)}`

/**
 * The Secret of an item, and the agent's own Secret in its place while the namespace of the add-on does not exist: the
 * certificate is asked for all the same, and once, for what it came to waits there too. The hub forgets a request an hour
 * after it was answered. Until the certificate is where the add-on looks for it, to save it fails.
 */
export function waitingKeep(options: WaitingKeepOptions): Keep<AddonMaterial> {
  const { spoke, management, own, item, hub } = options
  const keep = addonSecretKeep(options)
  const key = keyFor(item.secret)
  const order = orderDigest(item, hub)

  /** Where a role in the namespace gave the agent its rights, that role went with it. */
  async function isWithoutNamespace(error: unknown): Promise<boolean> {
    if (isNotFound(error)) return true
    if (!isForbidden(error)) return false
    const found = spoke.of(namespaces).find(item.secret.namespace)
    return await found.then(
      (namespace) => namespace === undefined,
      () => false,
    )
  }

  const write = (waiting: Waiting | null) =>
    writeSecret(management, own.namespace, own.name, { [key]: waiting && formatWaiting(order, waiting) })

  async function written(): Promise<string | undefined> {
    const { data = {} } = (await management.of(secrets, own.namespace).find(own.name)) ?? {}
    return textOf(data, key)
  }

  async function moved({ pending, certPem, receivedAt }: Waiting): Promise<Kept<AddonMaterial> | undefined> {
    if (certPem === undefined || receivedAt === undefined || !pending.material) return undefined
    const material = { certPem, keyPem: pending.material, kubeconfig: wantedKubeconfig(item, hub) }
    const kept = { pass: certificatePass(passFacts(item, hub), readCertificate(certPem), receivedAt), material }
    await keep.save(kept)
    await write(null)
    return kept
  }

  return {
    async load() {
      const loaded = await keep.load().catch(async (error: unknown) => {
        if (await isWithoutNamespace(error)) return {}
        throw error
      })
      if ('kept' in loaded || 'pending' in loaded) return loaded
      const waiting = readWaiting(order, await written())
      if (!waiting) return {}
      const kept = await moved(waiting)
      return kept ? { kept } : { pending: waiting.pending }
    },
    async savePending(pending) {
      try {
        await keep.savePending(pending)
      } catch (error) {
        if (!(await isWithoutNamespace(error))) throw error
        await write({ pending })
      }
    },
    async save(kept) {
      try {
        await keep.save(kept)
      } catch (error) {
        const waiting = (await isWithoutNamespace(error)) && readWaiting(order, await written())
        const { certPem } = kept.material
        if (waiting) await write({ ...waiting, certPem, receivedAt: kept.pass.issuedAt })
        throw error
      }
      if ((await written()) !== undefined) await write(null)
    },
  }
}

/** An item that is gone leaves nothing behind. */
export async function forgetWaiting(
  management: Kube,
  own: WaitingKeepOptions['own'],
  secret: RegistrationItem['secret'],
): Promise<void> {
  const { data = {} } = (await management.of(secrets, own.namespace).find(own.name)) ?? {}
  const key = keyFor(secret)
  if (key in data) await writeSecret(management, own.namespace, own.name, { [key]: null })
}

const formatWaiting = (order: string, { pending, ...rest }: Waiting): string =>
  JSON.stringify({ order, pending: formatPending(pending), ...rest })

/** Undefined for one of another order, and for one that is damaged or has run out: a new request replaces it. */
function readWaiting(order: string, text: string | undefined): Waiting | undefined {
  try {
    const { pending: of, certPem, receivedAt, ...rest } = JSON.parse(text ?? '{}')
    const pending = readPending(of)
    if (rest.order !== order || !pending) return undefined
    if (certPem === undefined) return { pending }
    return { pending, certPem: String(certPem), receivedAt: new Date(receivedAt) }
  } catch {
    return undefined
  }
}
