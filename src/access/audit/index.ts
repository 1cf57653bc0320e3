/**
 * Every decision and transition, told to the sinks that AuditConfigs name, in one hash chain a writer. `filter` decides
 * who gets what, an `outlet` holds what waits for one place and binds it into a chain, a `driver` tells that place.
 */

export type { AuditHead } from './heads.ts'
export { readAuditHeads } from './heads.ts'
export type { AuditDeps, RunningAudit } from './pipeline.ts'
export { createAudit } from './pipeline.ts'
export type { AuditFault, AuditVerdict } from './verify.ts'
export { verifyAudit } from './verify.ts'
