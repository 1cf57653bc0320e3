import type { Refusal } from './refusal.ts'

/** Of STS. */
export const stsRefusals = {
  ASSUME_NOT_ALLOWED: {
    code: 'AccessDenied',
    status: 403,
    says: 'User: {caller} is not authorized to perform: sts:AssumeRole on resource: {role}',
    when: 'the role is not there, its trust policy does not let the caller in, or the policies of a caller from another account do not allow it',
  },
  TAG_SESSION_NOT_ALLOWED: {
    code: 'AccessDenied',
    status: 403,
    says: 'User: {caller} is not authorized to perform: sts:TagSession on resource: {role}',
    when: 'tags are given to a session whose role does not let the caller set them',
  },
  DURATION_OVER_ROLES: {
    code: 'ValidationError',
    status: 400,
    says: 'The requested DurationSeconds exceeds the MaxSessionDuration set for this role.',
    when: 'a session is to last longer than its role allows',
  },
  DURATION_OVER_CHAIN: {
    code: 'ValidationError',
    status: 400,
    says: 'The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining',
    when: 'a session of a role asks for more than an hour of another role',
  },
  WEB_NOT_ALLOWED: {
    code: 'AccessDenied',
    status: 403,
    says: 'Not authorized to perform sts:AssumeRoleWithWebIdentity',
    when: 'the role is not there, or its trust policy does not let the subject of the token in',
  },
  WEB_TOKEN_UNREADABLE: {
    code: 'InvalidIdentityToken',
    status: 400,
    says: 'The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)',
    when: 'a web identity token is no JWT with issuer, subject, audience and expiry',
  },
  WEB_PROVIDER_UNKNOWN: {
    code: 'InvalidIdentityToken',
    status: 400,
    says: 'No OpenIDConnect provider found in your account for {issuer}',
    when: 'the account of the role has no provider for the issuer of the token',
  },
  WEB_AUDIENCE_WRONG: {
    code: 'InvalidIdentityToken',
    status: 400,
    says: 'Incorrect token audience',
    when: 'the provider does not list the audience of the token',
  },
  WEB_TOKEN_FORGED: {
    code: 'InvalidIdentityToken',
    status: 400,
    says: "Couldn't retrieve verification key from your identity provider,  please reference AssumeRoleWithWebIdentity documentation for requirements",
    when: 'the token is not signed with a key of its issuer',
  },
  WEB_TOKEN_EXPIRED: {
    code: 'ExpiredTokenException',
    status: 400,
    says: 'Token expired: current date/time {now} must be before the expiration date/time {expiry}',
    when: 'the token is over',
  },
  WEB_KEYS_UNREACHABLE: {
    code: 'IDPCommunicationError',
    status: 400,
    says: 'Error in communication with Identity Provider for {issuer}',
    when: 'the issuer publishes no keys',
  },
} as const satisfies Record<string, Refusal>
