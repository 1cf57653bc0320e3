import type { Failure } from '../../../../core/failure.ts'
import { Secret } from '../../../../core/secret.ts'
import type { Env } from '../../../../kube/kubeconfig/index.ts'
import { failures } from './failures.ts'
import type { AwsCredentials } from './sigv4.ts'
import type { StsDeps } from './sts.ts'
import { askSts } from './sts.ts'

export interface CredentialDeps extends StsDeps {
  env: Env
  readFile(path: string): Promise<string>
  /** Asked last: it has to load the SDK. */
  defaultChain(region: string): Promise<AwsCredentials>
}

/** Credentials, and whose they are in words for people. */
export interface Found {
  readonly credentials: AwsCredentials
  readonly caller: string
}

/** What the audit log of AWS calls the session. */
const sessionName = 'lanyard'

/**
 * What this process is for AWS: by keys in its environment, by the web identity of its pod, or by what else the SDK
 * finds. The first two without the SDK, for they are what pods have.
 */
export async function ownCredentials(deps: CredentialDeps, signal: AbortSignal): Promise<Found> {
  return keysOf(deps.env) ?? (await webIdentity(deps, signal)) ?? (await defaultChain(deps))
}

/** As a role, asked for by what `own` is. */
export async function asRole(role: string, own: Found, deps: CredentialDeps, signal: AbortSignal): Promise<Found> {
  const params = { RoleArn: role, RoleSessionName: sessionName }
  const answer = await askSts({ action: 'AssumeRole', params, credentials: own.credentials }, deps, signal)
  if (answer.is === 'granted') return { credentials: answer.credentials, caller: role }
  const { caller } = own
  const { code, detail } = answer
  const endpoint = deps.endpoint.origin
  if (code === 'AccessDenied') throw failures.AWS_ROLE_REFUSED({ caller, role, detail })
  if (code === 'ExpiredToken' || code === 'ExpiredTokenException') throw failures.AWS_CREDENTIALS_EXPIRED({ caller })
  if (unknownKeys.has(code)) throw failures.AWS_CREDENTIALS_REJECTED({ caller, detail, endpoint })
  throw failures.AWS_STS_REFUSED({ endpoint, action: 'AssumeRole', detail })
}

const unknownKeys = new Set(['InvalidClientTokenId', 'UnrecognizedClientException', 'SignatureDoesNotMatch'])

function keysOf(env: Env): Found | undefined {
  const [idName, secretName] = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']
  const both = pairIn(env, idName, secretName, failures.AWS_KEYS_INCOMPLETE)
  if (!both) return undefined
  const [accessKeyId, secret] = both
  const sessionToken = env['AWS_SESSION_TOKEN']
  return {
    caller: `the key ${accessKeyId} of ${idName}`,
    credentials: {
      accessKeyId,
      secretAccessKey: Secret.of(secret),
      ...(sessionToken && { sessionToken: Secret.of(sessionToken) }),
    },
  }
}

async function webIdentity(deps: CredentialDeps, signal: AbortSignal): Promise<Found | undefined> {
  const [fileName, roleName] = ['AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_ROLE_ARN']
  // A role alone is for profiles, which are the SDK's.
  if (!deps.env[fileName]) return undefined
  const [path, role] = pairIn(deps.env, fileName, roleName, failures.AWS_WEB_IDENTITY_INCOMPLETE) ?? ['', '']
  const token = await tokenIn(path, deps)
  const params = {
    RoleArn: role,
    RoleSessionName: deps.env['AWS_ROLE_SESSION_NAME'] || sessionName,
    WebIdentityToken: token,
  }
  const answer = await askSts({ action: 'AssumeRoleWithWebIdentity', params }, deps, signal)
  if (answer.is === 'granted') return { credentials: answer.credentials, caller: role }
  const { code, detail } = answer
  if (code === 'AccessDenied') throw failures.AWS_WEB_ROLE_REFUSED({ path, role, detail })
  if (code === 'ExpiredTokenException') throw failures.AWS_WEB_IDENTITY_EXPIRED({ path })
  if (code === 'InvalidIdentityToken' || code === 'IDPRejectedClaim')
    throw failures.AWS_WEB_IDENTITY_REJECTED({ path, role, detail })
  throw failures.AWS_STS_REFUSED({ endpoint: deps.endpoint.origin, action: 'AssumeRoleWithWebIdentity', detail })
}

/** Read anew each time: the kubelet replaces it. */
async function tokenIn(path: string, { readFile }: CredentialDeps): Promise<Secret> {
  const unreadable = (problem: string) => failures.AWS_WEB_IDENTITY_UNREADABLE({ path, problem })
  const text = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(error.code ?? 'it cannot be opened')
  })
  if (text.trim() === '') throw unreadable('it is empty')
  return Secret.of(text.trim())
}

async function defaultChain({ defaultChain, region, env }: CredentialDeps): Promise<Found> {
  const profile = env['AWS_PROFILE']
  try {
    const caller = profile ? `the AWS profile ${profile}` : 'what the AWS SDK found on this machine'
    return { caller, credentials: await defaultChain(region) }
  } catch (error) {
    const detail = error instanceof Error ? error.name : 'the AWS SDK failed'
    throw failures.AWS_CREDENTIALS_MISSING({ detail: profile ? `${detail}, profile ${profile}` : detail })
  }
}

/** Both values, or undefined where there is neither. */
function pairIn(
  env: Env,
  a: string,
  b: string,
  incomplete: (params: { present: string; missing: string }) => Failure,
): [string, string] | undefined {
  const [first, second] = [env[a], env[b]]
  if (first && second) return [first, second]
  if (first || second) throw incomplete(first ? { present: a, missing: b } : { present: b, missing: a })
  return undefined
}
