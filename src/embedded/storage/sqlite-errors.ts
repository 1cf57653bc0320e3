import { dirname } from 'node:path'
import { isFailure } from '../../core/failure.ts'
import { failures } from '../failures.ts'
import { detailOf } from './private-files.ts'
import { StorageFailure } from './store.ts'

const [busy, corrupt, full, notADatabase] = [5, 11, 13, 26]

/** The file is read without an error of SQLite's, and is not what was written. */
export class DamagedData extends Error {}

/** SQLite's primary result code, of which the extended ones are refinements. */
const resultOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

export const isBusy = (error: unknown): boolean => resultOf(error) === busy

export const isDamage = (error: unknown): boolean => {
  const result = resultOf(error)
  return error instanceof DamagedData || result === corrupt || result === notADatabase
}

export function openingFailure(path: string, error: unknown): Error {
  if (isFailure(error)) return error
  const about = { path, dir: dirname(path), detail: detailOf(error) }
  return isDamage(error) ? failures.EMBEDDED_DATA_DAMAGED(about, error) : failures.EMBEDDED_DATA_UNUSABLE(about, error)
}

export function writingFailure(error: unknown): StorageFailure {
  if (error instanceof StorageFailure) return error
  const isFull = resultOf(error) === full || codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT'
  return new StorageFailure(whyNotWritten(error, isFull), isFull, error)
}

const whyNotWritten = (error: unknown, isFull: boolean): string => {
  if (isFull) return 'the disk is full'
  // What was read at the start is in memory, whole, whatever became of the file.
  if (isDamage(error)) return 'the data file is damaged; `lanyard kube backup` saves what is in memory, all of it'
  return 'the disk did not take the write'
}
