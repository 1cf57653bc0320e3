/**
 * A named place between two effects. Production passes by; the kill tests end the process there, so that every place
 * where a crash could leave something half done is hit and not only hoped for.
 */
export type Checkpoint = (name: CheckpointName) => void

export const passBy: Checkpoint = () => {}

/** Named `<flow>.<what has just happened>`. */
export const checkpointNames = [
  'join.pending-saved',
  'join.csr-created',
  'join.certificate-received',
  'join.identity-saved',
  'join.reported',
  'renewal.pending-saved',
  'renewal.csr-created',
  'renewal.certificate-received',
  'renewal.identity-saved',
  'approval.decided',
  'approval.done',
  'acceptance.finalizers-added',
  'acceptance.namespace-created',
  'acceptance.rbac-applied',
  'acceptance.reported',
  'denial.rights-shrunk',
  'denial.registration-removed',
  'denial.reported',
  'deletion.addons-gone',
  'deletion.works-gone',
  'deletion.rbac-removed',
  'deletion.finalizer-dropped',
  'addon-csr.pending-saved',
  'addon-csr.csr-created',
  'addon-csr.certificate-received',
  'addon-csr.identity-saved',
  'addon.declared',
  'addon.secret-recorded',
  'addon.secret-removed',
  'addon-token.account-made',
  'addon-token.role-made',
  'addon-token.binding-made',
  'addon-token.announced',
  'addon-token.part-removed',
  'addon-csr.approved',
  'addon-token.requested',
  'addon-token.stored',
  'addon-token.reported',
  'pull.intent-planned',
  'pull.account-made',
  'pull.credential-stored',
  'pull.revoking-marked',
  'pull.account-removed',
  'pull.row-removed',
  'pull.suspension-recorded',
  'pull.suspension-ended',
  'pull.resumption-recorded',
  'pull.deletion-recorded',
  'pull.cluster-removed',
  'pull.assigned',
  'pull.rotation-begun',
  'pull.flipped',
  'pull.rotation-ended',
  'pull.event-published',
  'pull.delivered',
  'pull.tokens-reencrypted',
] as const

export type CheckpointName = (typeof checkpointNames)[number]
