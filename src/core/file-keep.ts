import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Keep, Kept, Pass, Pending } from './pass.ts'
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
      return JSON.parse(await readFile(path, 'utf8'), reviveDates)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
      throw error
    }
  }
  return {
    async load() {
      const { kept, pending } = await read()
      return {
        ...(kept && { kept: { pass: kept.pass, material: codec.decode(kept.material) } }),
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

const openPending = ({ material, ...rest }: NonNullable<Stored['pending']>): Pending => ({
  ...rest,
  ...(material && { material: Secret.of(material) }),
})

const dateFields = new Set(['issuedAt', 'expiresAt', 'renewAt', 'createdAt', 'retryAt'])
const reviveDates = (key: string, value: unknown) =>
  dateFields.has(key) && typeof value === 'string' ? new Date(value) : value

/** Writes beside the target, flushes file and folder, renames. Readers see the old content or the new, mode 0600. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const beside = `${path}.${randomUUID()}.new`
  try {
    const file = await open(beside, 'w', 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await chmod(beside, 0o600)
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
  const parent = await open(folder, 'r')
  await parent.sync().finally(() => parent.close())
}
