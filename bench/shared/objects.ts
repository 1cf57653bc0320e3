import { createHash } from 'node:crypto'
import type { ConfigMap, Secret } from 'kubernetes-types/core/v1.d.ts'

const kilobyte = 1_024

const words =
  'address agent allow cluster config default deny endpoint group issuer key label limit name policy pull role rotate secret server spec status token true user version'.split(
    ' ',
  )

/** Text as a configuration file has it: words, numbers and line ends, never twice the same. */
function prose(seed: number, length: number): string {
  const digest = bytesFrom(`prose ${seed}`, length / 4)
  const lines = Array.from(digest, (byte, at) => `${words[byte % words.length]}: ${(byte * 257 + at * seed) % 9_973}\n`)
  return lines.join('').slice(0, length)
}

/** Text as a certificate or a token has it: nothing repeats. */
const noise = (seed: number, length: number): string =>
  Buffer.from(bytesFrom(`noise ${seed}`, length))
    .toString('base64')
    .slice(0, length)

function bytesFrom(seed: string, length: number): Uint8Array {
  return createHash('shake256', { outputLength: Math.ceil(length) })
    .update(seed)
    .digest()
}

export const aConfigMap = (number: number): ConfigMap & { metadata: { name: string } } => ({
  metadata: { name: `config-${number}`, labels: { app: 'bench', shard: String(number % 10) } },
  data: { settings: prose(number, kilobyte / 2), 'ca.crt': noise(number, kilobyte / 2) },
})

export const aSecret = (number: number): Secret & { metadata: { name: string } } => ({
  metadata: { name: `secret-${number}`, labels: { app: 'bench' } },
  type: 'Opaque',
  data: { token: Buffer.from(noise(number, (kilobyte * 3) / 4)).toString('base64') },
})
