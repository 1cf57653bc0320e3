import { crc32 } from 'node:zlib'

/** A row as it is stored, but for its checksum. */
export interface RowContent {
  revision: number
  storage: string
  namespace: string
  name: string
  deleted: number
  writtenAt: number
  text: string
}

/**
 * Over all of a row. SQLite notices a page that makes no sense to it, but not one byte that became another within a
 * text: without this, a flipped bit in a Secret would be served as if somebody had written it.
 */
export const rowChecksum = ({ revision, storage, namespace, name, deleted, writtenAt, text }: RowContent): number =>
  crc32(`${revision}/${deleted}/${writtenAt}/${storage}/${namespace}/${name}/${text}`)

/** Over where the history begins: watchers that resume rely on it. */
export const historyChecksum = (oldestRevision: number): number => crc32(`history/${oldestRevision}`)
