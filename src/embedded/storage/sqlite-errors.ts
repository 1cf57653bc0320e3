import { isFailure } from '../../core/failure.ts'
import { failures } from '../failures.ts'
import { detailOf } from './private-files.ts'
import { StorageFailure } from './store.ts'

const [busy, corrupt, full, notADatabase] = [5, 11, 13, 26]

/** SQLite's primary result code, of which the extended ones are refinements. */
const resultOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

export const isBusy = (error: unknown): boolean => resultOf(error) === busy

const isDamage = (error: unknown): boolean => {
  const result = resultOf(error)
  return result === corrupt || result === notADatabase
}

export function openingFailure(path: string, error: unknown): Error {
  if (isFailure(error)) return error
  const about = { path, detail: detailOf(error) }
  return isDamage(error) ? failures.EMBEDDED_DATA_DAMAGED(about, error) : failures.EMBEDDED_DATA_UNUSABLE(about, error)
}

export function writingFailure(error: unknown): StorageFailure {
  if (error instanceof StorageFailure) return error
  const isFull = resultOf(error) === full || codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT'
  return new StorageFailure(isFull ? 'the disk is full' : 'the disk did not take the write', isFull, error)
}
