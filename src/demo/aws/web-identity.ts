import type { JWTPayload } from 'jose'
import { createLocalJWKSet, decodeJwt, errors, jwtVerify } from 'jose'
import { context } from './conditions.ts'
import { issuerHost } from './iam-providers.ts'
import { checked } from './limits.ts'
import { trustVerdict } from './policy-evaluation.ts'
import type { Params, Xml } from './query-protocol.ts'
import { refuse } from './refusals.ts'
import { shownSession, startSession } from './sessions.ts'
import type { Account, Provider, World } from './state.ts'
import { durationIn, findRole } from './sts.ts'

const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512']

interface Claims {
  issuer: string
  subject: string
  audience: string
}

/** The only call that is not signed: the token of the pod is its proof. */
export async function assumeRoleWithWebIdentity(world: World, params: Params): Promise<Xml> {
  const arn = checked('roleArn', params.get('RoleArn'))
  const name = checked('roleSessionName', params.get('RoleSessionName'))
  const token = checked('webIdentityToken', params.get('WebIdentityToken'))
  const seconds = durationIn(params)
  const claims = claimsOf(token)
  const account = world.accounts.get(arn.split(':')[4] ?? '')
  const provider = providerFor(account, claims)
  await verify(world, token, claims.issuer)
  const role = findRole(world, arn)
  if (!role || !isTrusted(role.trust, provider, claims)) return refuse('WEB_NOT_ALLOWED')
  if (seconds > role.maxSessionSeconds) refuse('DURATION_OVER_ROLES')
  return {
    ...shownSession(role, name, startSession(world, role, { name, seconds })),
    SubjectFromWebIdentityToken: claims.subject,
    Audience: claims.audience,
    Provider: provider.arn,
  }
}

function isTrusted(trust: Parameters<typeof trustVerdict>[0], { arn, host }: Provider, claims: Claims): boolean {
  const known = context([
    [`${host}:sub`, [claims.subject]],
    [`${host}:aud`, [claims.audience]],
    ['aws:FederatedProvider', [arn]],
  ])
  return (
    trustVerdict(trust, { kind: 'Federated', means: [arn], action: 'sts:AssumeRoleWithWebIdentity', known }) ===
    'allowed'
  )
}

function claimsOf(token: string): Claims {
  const { iss, sub, aud, exp } = decodedClaims(token)
  const [audience] = [aud].flat()
  if (iss === undefined || sub === undefined || audience === undefined || exp === undefined)
    return refuse('WEB_TOKEN_UNREADABLE')
  return { issuer: iss, subject: sub, audience }
}

function decodedClaims(token: string): JWTPayload {
  try {
    return decodeJwt(token)
  } catch {
    return refuse('WEB_TOKEN_UNREADABLE')
  }
}

function providerFor(account: Account | undefined, { issuer, audience }: Claims): Provider {
  const provider = account?.providers.get(issuerHost(issuer))
  if (!provider) return refuse('WEB_PROVIDER_UNKNOWN', { issuer })
  return provider.audiences.includes(audience) ? provider : refuse('WEB_AUDIENCE_WRONG')
}

async function verify({ issuers, clock }: World, token: string, issuer: string): Promise<void> {
  const keys = issuers.get(issuerHost(issuer))
  if (!keys) return refuse('WEB_KEYS_UNREACHABLE', { issuer })
  try {
    await jwtVerify(token, createLocalJWKSet(keys), { algorithms, currentDate: clock.now() })
  } catch (error) {
    if (!(error instanceof errors.JWTExpired)) return refuse('WEB_TOKEN_FORGED')
    const expiry = new Date((error.payload.exp ?? 0) * 1000).toISOString()
    refuse('WEB_TOKEN_EXPIRED', { now: clock.now().toISOString(), expiry })
  }
}
