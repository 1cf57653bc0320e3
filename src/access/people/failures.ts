import { catalogue } from '../../core/failure.ts'

export const failures = catalogue({
  ACCESS_BAD_WISH: [422, 'the body is no request for access: {detail}'],
  ACCESS_BAD_BODY: [400, 'the body is not right: {detail}'],
  ACCESS_BODY_NOT_TAKEN: [400, 'this takes no body; send none'],
  ACCESS_BAD_QUERY: [400, '{field} is not right: {detail}'],
  ACCESS_SESSION_EXISTS: [409, '{what}: session {name} is there already'],
  ACCESS_NOT_YOURS: [403, 'there is no session {name} that is yours to see'],
  ACCESS_TOO_MANY_STREAMS: [
    429,
    '{most} streams are open already that are {whose}; end one, or try again in {retryAfterSeconds} seconds',
  ],
  ACCESS_NOT_YOURS_TO_ASK: [403, 'you may ask about yourself, and about others on clusters where you approve'],
})
