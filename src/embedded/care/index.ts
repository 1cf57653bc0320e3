/**
 * Looking after the data of a control plane: take a backup, bring it back, check it, make it smaller. `snapshot` is
 * what a plane is; `backup-file` puts one into a file and `place` into a folder; `check-folder` says what is wrong
 * with one, and `salvage/` reads what SQLite would not.
 */
export { failures as embeddedFailures } from '../failures.ts'
export type { BackupReport } from './backup.ts'
export { backup } from './backup.ts'
export type { CompactReport } from './compact.ts'
export { compact } from './compact.ts'
export type { Correction, CorrectionContext, Ended } from './corrections.ts'
export { bootstrapTokens, correctionOf, objectOf, serviceAccountTokens } from './corrections.ts'
export type { Finding } from './findings.ts'
export type { FsckReport } from './fsck.ts'
export { fsck } from './fsck.ts'
export type { CareDeps } from './ground.ts'
export type { RestoreReport } from './restore.ts'
export { restore } from './restore.ts'
