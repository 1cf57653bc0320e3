/** What a check found to be wrong. */
export interface Finding {
  readonly id: FindingId
  /** A file, a row, a line. */
  readonly where: string
  readonly detail: string
  /** What to do about it. */
  readonly next: string
}

export const findingMeanings = {
  Unreadable: 'it cannot be read at all',
  NotOurs: 'it is not the database of a control plane',
  TooNew: 'it was written by a newer version',
  LogMissing: 'the write-ahead log is gone that held the latest changes',
  LogDamaged: 'the write-ahead log is damaged, and changes in it are lost to SQLite',
  PageDamaged: 'SQLite finds that a page of the file makes no sense',
  RowDamaged: 'a row is not what was written',
  NamespaceMissing: 'an object is in a namespace that does not exist',
  KeyMissing: 'a key is missing, and a start would make another one',
  KeyUnfit: 'a key and its certificate, or a certificate and its authority, do not belong together',
  OpenToOthers: 'others on this machine may read it',
  BackupDamaged: 'a line of the backup is not what was written, or missing',
} as const

export type FindingId = keyof typeof findingMeanings
