import { randomBytes } from 'node:crypto'
import { parse } from 'yaml'
import { Secret } from '../../core/secret.ts'
import { failures } from '../failures.ts'

/** Key bytes (32 each) by id; never in the database. */
export interface KeyRing {
  /** By which new tokens are sealed. */
  active: string
  keys: ReadonlyMap<string, Secret<Uint8Array>>
}

const keyLength = 32
const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/
const keyForm = /^[A-Za-z0-9+/]{43}=$/

/** A key of random bytes, under an id that no key had before: one that was lost must not be taken for another. */
export const newKey = (): [id: string, key: Secret<Uint8Array>] => [
  `key-${randomBytes(4).toString('hex')}`,
  Secret.of(randomBytes(keyLength)),
]

/** Of the file `{active: id, keys: {id: base64 of 32 bytes}}`, YAML or JSON. No failure repeats what is in it. */
export function parseKeyRing(text: Secret, file: string): KeyRing {
  const wrong = (detail: string) => failures.PULL_KEY_RING_WRONG({ file, detail })
  const { active, keys } = contentOf(text, wrong)
  const ring = new Map<string, Secret<Uint8Array>>()
  for (const [id, key] of Object.entries(keys)) {
    if (!idForm.test(id)) throw wrong('an id of a key has characters besides letters, digits, ".", "_" and "-"')
    if (typeof key !== 'string' || !keyForm.test(key)) throw wrong(`key ${id} is not 32 bytes in base64`)
    ring.set(id, Secret.of(Buffer.from(key, 'base64')))
  }
  if (!ring.has(active)) throw wrong('its active key is not among its keys')
  return { active, keys: ring }
}

function contentOf(text: Secret, wrong: (detail: string) => Error): { active: string; keys: Record<string, unknown> } {
  let content: unknown
  try {
    content = parse(text.reveal())
  } catch {
    // The parser's error shows the line.
    throw wrong('it is neither YAML nor JSON')
  }
  const { active, keys } = (content ?? {}) as Record<string, unknown>
  if (typeof active !== 'string') throw wrong('it has no `active`')
  if (typeof keys !== 'object' || keys === null || Array.isArray(keys)) throw wrong('it has no map `keys`')
  return { active, keys: keys as Record<string, unknown> }
}

export const formatKeyRing = ({ active, keys }: KeyRing): Secret => {
  const plain = [...keys].map(([id, key]) => [id, Buffer.from(key.reveal()).toString('base64')])
  return Secret.of(`${JSON.stringify({ active, keys: Object.fromEntries(plain) }, undefined, 2)}\n`)
}
