import { catalogue } from '../../core/failure.ts'

export const failures = catalogue({
  AUDIT_POLICY_UNREADABLE: [500, 'cannot read the audit policy {file}: {detail}'],
  AUDIT_POLICY_INVALID: [400, 'the audit policy {file} cannot be used: {detail}'],
  AUDIT_LOG_UNUSABLE: [500, 'the audit log {path} cannot be written ({detail}); give another one'],
})
