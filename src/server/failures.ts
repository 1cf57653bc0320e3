import { catalogue } from '../core/failure.ts'

export const failures = catalogue({
  SERVER_CANNOT_LISTEN: [
    500,
    'cannot listen on {host}:{port} ({detail}); give another address with the flag that says {host}:{port} (--listen, --health-listen or --metrics-listen), or end what uses this one',
  ],
  SERVER_NO_SUCH_PATH: [404, 'nothing is served at this path; check the address'],
  SERVER_WRONG_METHOD: [405, 'this path takes {allowed} only'],
  SERVER_WRONG_CONTENT_TYPE: [415, 'the body must be JSON, sent as application/json and not compressed'],
  SERVER_BODY_TOO_LARGE: [413, 'the body is larger than {limitBytes} bytes; send less at a time'],
  SERVER_BODY_LATE: [408, 'the body did not arrive within {seconds} s; send it again'],
  SERVER_BODY_SLOW: [408, 'the body comes slower than {bytes} bytes a second; send it again'],
  SERVER_BUSY: [503, 'more comes in at present than this side holds; try again'],
  SERVER_UNKNOWN_CALLER: [
    401,
    'this path is for an API server that shows its client certificate; docs/admission.md tells how it is given one',
  ],
  SERVER_BODY_CUT: [400, 'the body ended before its end; send it again'],
  SERVER_BAD_JSON: [400, 'the body is not valid JSON; correct it and send it again'],
  SERVER_TOO_DEEP: [400, 'the body nests lists and objects more than {levels} levels deep; send it flatter'],
  SERVER_NOT_A_REVIEW: [400, '{field} must be {expected}: this path takes an AdmissionReview of admission.k8s.io/v1'],
  SERVER_INTERNAL: [500, 'the request failed on this side; try again, and look into the log if it fails again'],
  ADMISSION_LATE: [504, '{webhook} did not decide within {limitMs} ms; check that the hub reaches its API server'],
  REST_NO_TOKEN: [401, 'this needs a token; send one as Authorization: Bearer'],
  REST_WRONG_TOKEN: [401, 'the token is not taken here; get one of a configured issuer, for this audience'],
  REST_TOKEN_EXPIRED: [401, 'the token has expired; get a new one'],
  REST_NOT_ALLOWED: [403, 'this needs the permission {permission}; ask who grants roles here'],
  REST_IDENTITY_AWAY: [
    503,
    'whoever knows about tokens does not answer at present; try again in {retryAfterSeconds} s',
  ],
  REST_BAD_PATH: [400, '{field} in the path is not right: {rule}'],
  REST_INPUT: [400, 'what was sent is not right: {summary}'],
  REST_TOO_MANY: [429, 'too many calls ({limit}); try again in {retryAfterSeconds} s'],
  REST_NOT_HTTP: [400, 'the request is not valid HTTP; correct what sends it'],
  REST_HEADERS_TOO_LARGE: [431, 'the headers are too large; send fewer or shorter ones'],
  REST_LATE: [504, 'this was not done within {seconds} s; ask again for its state'],
})
