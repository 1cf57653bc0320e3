import { readFile } from 'node:fs/promises'
import { failures } from './failures.ts'
import type { Keep, Kept, Pass, Pending } from './pass.ts'
import { replaceFile } from './replace-file.ts'
import { Secret } from './secret.ts'

/** How material becomes JSON and back. The one place where it leaves its box on the way to the file. */
export interface MaterialCodec<M> {
  encode(material: M): unknown
  decode(stored: unknown): M
}

export const secretCodec: MaterialCodec<Secret> = {
  encode: (secret) => secret.reveal(),
  decode: (stored) => Secret.of(String(stored)),
}

interface Stored {
  kept?: { pass: Pass; material: unknown }
  pending?: Omit<Pending, 'material'> & { material?: string }
}

/** Keeps one pass in a JSON file (0600), replaced whole: a crash leaves the old file or the new one, never a mix. */
export function fileKeep<M>(path: string, codec: MaterialCodec<M>): Keep<M> {
  const read = async (): Promise<Stored> => {
    try {
      return JSON.parse(await readFile(path, 'utf8'))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
      // What the parser throws quotes what it read, which may be a secret.
      throw failures.KEEP_UNREADABLE({ path }, error instanceof SyntaxError ? undefined : error)
    }
  }
  return {
    async load() {
      const { kept, pending } = await read()
      return {
        ...(kept && { kept: { pass: withDates(kept.pass), material: codec.decode(kept.material) } }),
        ...(pending && { pending: openPending(pending) }),
      }
    },
    async savePending(pending) {
      const { kept } = await read()
      await replaceFile(path, JSON.stringify({ ...(kept && { kept }), pending: closePending(pending) }))
    },
    async save({ pass, material }: Kept<M>) {
      await replaceFile(path, JSON.stringify({ kept: { pass, material: codec.encode(material) } }))
    },
  }
}

const closePending = ({ material, ...rest }: Pending) => ({ ...rest, ...(material && { material: material.reveal() }) })

const openPending = ({ material, refused, ...rest }: NonNullable<Stored['pending']>): Pending => ({
  ...withDates(rest),
  ...(refused && { refused: withDates(refused) }),
  ...(material && { material: Secret.of(material) }),
})

/** Our own fields only: what material looks like is its codec's business. */
const dateFields = new Set(['issuedAt', 'expiresAt', 'renewAt', 'createdAt', 'retryAt', 'at'])

const withDates = <T extends object>(stored: T): T =>
  Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [name, dateFields.has(name) ? new Date(value) : value]),
  ) as T
