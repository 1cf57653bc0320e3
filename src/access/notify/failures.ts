import { catalogue } from '../../core/failure.ts'

/** None of them quotes a server: what it says may repeat what it was sent. */
export const failures = catalogue({
  NOTICE_MAIL_FAILED: [502, 'the mail server {host} does not take mail: {detail}'],
  NOTICE_MAIL_REFUSED: [422, 'the mail server {host} refuses the mail: {detail}'],
  NOTICE_UNDELIVERED: [502, '{count} of {all} mails by {provider} were not taken, to {some}: {detail}'],
  NOTICE_QUEUE_FULL: [503, '{most} mails wait for {provider} already'],
  NOTICE_TOO_LATE: [504, 'it took longer than {seconds} seconds'],
  NOTICE_AUDIT_WAITS: [503, 'an audit sink does not have yet what happened to {session}'],
  NOTICE_NOBODY: [422, '{why}'],
  NOTICE_TOKEN_UNREADABLE: [500, 'the token file of {target} cannot be read: {detail}'],
})
