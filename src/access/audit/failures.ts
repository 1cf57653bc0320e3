import { catalogue } from '../../core/failure.ts'

export const failures = catalogue({
  AUDIT_SECRET_ELSEWHERE: [
    422,
    'Secret {namespace}/{name} is not read: Secrets of audit sinks are in the namespace of the hub, {own}',
  ],
  AUDIT_SECRET_INCOMPLETE: [422, 'Secret {namespace}/{name} holds neither token nor username and password'],
  AUDIT_WRITER_UNANCHORED: [
    503,
    'events wait, as the hub has not noted within {seconds} seconds who is about to write them',
  ],
  AUDIT_FILE_UNWRITABLE: [500, 'the audit log {path} cannot be written: {detail}'],
})
