import type { RowContent } from './checksum.ts'
import { rowChecksum } from './checksum.ts'

/** A row of any format: before format 2 there was no checksum. */
export type FoundRow = RowContent & { checksum?: number | undefined }

/** What is wrong with a row, in words; undefined where it is what was written. */
export function whyDamaged(row: FoundRow): string | undefined {
  if (row.checksum !== undefined && row.checksum !== rowChecksum(row)) return 'its checksum does not fit'
  return whyNoObject(row)
}

function whyNoObject({ text, namespace, name, revision }: RowContent): string | undefined {
  const object = parsedObject(text)
  if (!object) return 'it is not a JSON object'
  const metadata = object['metadata']
  if (!isObject(metadata)) return 'it has no metadata'
  if (metadata['name'] !== name) return 'it is stored under another name than its own'
  if ((metadata['namespace'] ?? '') !== namespace) return 'it is stored under another namespace than its own'
  if (metadata['resourceVersion'] !== String(revision)) return 'its resourceVersion is not its revision'
  if (typeof object['kind'] !== 'string' || typeof object['apiVersion'] !== 'string') return 'it does not say its kind'
  return undefined
}

function parsedObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** How a row is called in messages. */
export const rowName = ({ storage, namespace, name }: Pick<RowContent, 'storage' | 'namespace' | 'name'>): string =>
  `${storage} ${namespace ? `${namespace}/` : ''}${name}`
