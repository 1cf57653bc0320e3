import type { Clock } from '../../src/core/clock.ts'
import { Secret } from '../../src/core/secret.ts'
import { isAlreadyExists } from '../../src/kube/failures.ts'
import { secrets } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { Authority } from '../../src/pki/index.ts'
import { createAuthority } from '../../src/pki/index.ts'

const name = 'addon-signer-ca'
const lifetimeMs = 10 * 365 * 86_400_000

/** The authority in the Secret, made by whoever comes first: all replicas sign with the same. */
export async function authorityIn(options: { kube: Kube; namespace: string; clock: Clock }): Promise<Authority> {
  const collection = options.kube.of(secrets, options.namespace)
  const found = await collection.find(name)
  if (found) return authorityOf(found.data)
  const made = await createAuthority({ commonName: 'addon-signer', clock: options.clock, lifetimeMs, pathLength: 0 })
  const data = { 'tls.crt': encode(made.certPem), 'tls.key': encode(made.keyPem.reveal()) }
  try {
    await collection.create({ metadata: { name }, type: 'kubernetes.io/tls', data })
    return made
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return authorityOf((await collection.get(name)).data)
  }
}

const encode = (text: string): string => Buffer.from(text).toString('base64')
const decode = (value = ''): string => Buffer.from(value, 'base64').toString()

const authorityOf = (data: Record<string, string> = {}): Authority => ({
  certPem: decode(data['tls.crt']),
  keyPem: Secret.of(decode(data['tls.key'])),
})
