import { createHash, createHmac } from 'node:crypto'
import { EKSClient } from '@aws-sdk/client-eks'
import { CreateRoleCommand, IAMClient, PutRolePolicyCommand } from '@aws-sdk/client-iam'
import { STSClient } from '@aws-sdk/client-sts'
import { SignatureV4 } from '@smithy/signature-v4'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import type { TestScope } from '../../../../test/support/test-scope.ts'
import { teardown } from '../../../../test/support/test-scope.ts'
import type { AwsCredentials, AwsOptions } from '../index.ts'
import { startAws } from '../index.ts'

export const hubAccount = '111122223333'
export const managedAccount = '444455556666'
export const region = 'eu-west-1'
export const issuer = 'https://oidc.eks.eu-west-1.amazonaws.com/id/ABC'
export const providerArn = `arn:aws:iam::${managedAccount}:oidc-provider/oidc.eks.eu-west-1.amazonaws.com/id/ABC`

export type Scene = Awaited<ReturnType<typeof awsScene>>

type Changed = { headers: Record<string, string>; query: Record<string, unknown>; body?: unknown; path: string }

type Handler = (args: { request: Changed }) => unknown
interface AnyClient {
  middlewareStack: { add(middleware: (next: Handler) => Handler, options: object): void }
}
const afterSigning = { step: 'deserialize', priority: 'low' }
const changing =
  (change: (call: Changed) => void) =>
  (next: Handler): Handler =>
  (args) => {
    change(args.request)
    return next(args)
  }

/** Two accounts, a hub cluster, and the real SDK told the stand-in's time. */
export async function awsScene(t: TestScope, options: AwsOptions = {}) {
  const clock = new FakeClock('2026-03-01T12:00:00Z')
  const aws = await startAws({ clock, ...options })
  teardown(t, () => aws.close())
  const hub = aws.account(hubAccount)
  const managed = aws.account(managedAccount)
  const cluster = aws.cluster({ account: hubAccount, name: 'hub', region })

  /** `change` sees a call once it is signed; `clockOffsetMs` is how wrong the client's clock is. */
  function clients(
    credentials: AwsCredentials = hub.admin,
    {
      change,
      clockOffsetMs = 0,
      at = region,
    }: { change?: (call: Changed) => void; clockOffsetMs?: number; at?: string } = {},
  ) {
    const config = {
      endpoint: aws.url,
      region: at,
      credentials,
      maxAttempts: 1,
      systemClockOffset: clock.now().getTime() - Date.now() + clockOffsetMs,
    }
    const [iam, sts, eks] = [new IAMClient(config), new STSClient(config), new EKSClient(config)]
    for (const client of [iam, sts, eks]) {
      teardown(t, () => client.destroy())
      if (change) (client as unknown as AnyClient).middlewareStack.add(changing(change), afterSigning)
    }
    return { iam, sts, eks }
  }

  async function createRole(
    name: string,
    { by = hub.admin, trust = trustAccount(hubAccount), policy, tags = {} }: RoleWish = {},
  ): Promise<string> {
    const { iam } = clients(by)
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))
    const document = typeof trust === 'string' ? trust : JSON.stringify(trust)
    const made = await iam.send(
      new CreateRoleCommand({ RoleName: name, AssumeRolePolicyDocument: document, ...(Tags.length > 0 && { Tags }) }),
    )
    if (policy)
      await iam.send(
        new PutRolePolicyCommand({ RoleName: name, PolicyName: 'own', PolicyDocument: JSON.stringify(policy) }),
      )
    return made.Role?.Arn ?? ''
  }

  return { clock, aws, hub, managed, cluster, clients, createRole }
}

export interface RoleWish {
  by?: AwsCredentials
  trust?: object | string
  policy?: object
  tags?: Record<string, string>
}

export const policyOf = (...statements: object[]) => ({ Version: '2012-10-17', Statement: statements })

export const allow = (action: string | string[], resource: string | string[] = '*', condition?: object) => ({
  Effect: 'Allow',
  Action: action,
  Resource: resource,
  ...(condition && { Condition: condition }),
})

export const trustRole = (arn: string | string[], condition?: object) =>
  policyOf({
    Effect: 'Allow',
    Principal: { AWS: arn },
    Action: 'sts:AssumeRole',
    ...(condition && { Condition: condition }),
  })

export const trustAccount = (id: string) => trustRole(`arn:aws:iam::${id}:root`)

export const trustWeb = (subject: string, audience = 'sts.amazonaws.com') => {
  const host = issuer.slice('https://'.length)
  return policyOf({
    Effect: 'Allow',
    Principal: { Federated: providerArn },
    Action: 'sts:AssumeRoleWithWebIdentity',
    Condition: { StringEquals: { [`${host}:sub`]: subject, [`${host}:aud`]: audience } },
  })
}

/** An issuer of service account tokens, by a key of its own. */
export async function podIssuer(clock: FakeClock) {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kty: 'RSA', kid: 'one', alg: 'RS256' }] }
  const token = (subject: string, { audience = 'sts.amazonaws.com', iss = issuer, seconds = 3600 } = {}) => {
    const now = Math.floor(clock.now().getTime() / 1000)
    return new SignJWT({})
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer(iss)
      .setSubject(subject)
      .setAudience(audience)
      .setIssuedAt(now)
      .setExpirationTime(now + seconds)
      .sign(privateKey)
  }
  return { keys, token }
}

interface Presign {
  /** Default: the stand-in's. */
  url?: string
  at: Date
  cluster?: string
  expiresIn?: number
  query?: Record<string, string>
  service?: string
  region?: string
}

/** An EKS token as the SDK's own signer makes it. */
export async function eksToken(
  credentials: AwsCredentials,
  { url = '', at, cluster, ...rest }: Presign,
): Promise<string> {
  const { protocol, hostname, port, host } = new URL(url)
  const signer = new SignatureV4({
    credentials,
    region: rest.region ?? region,
    service: rest.service ?? 'sts',
    sha256: Sha256,
  })
  const signed = await signer.presign(
    {
      method: 'GET',
      protocol,
      hostname,
      path: '/',
      ...(port && { port: Number(port) }),
      query: { Action: 'GetCallerIdentity', Version: '2011-06-15', ...rest.query },
      headers: { host, ...(cluster && { 'x-k8s-aws-id': cluster }) },
    } as Parameters<SignatureV4['presign']>[0],
    {
      expiresIn: rest.expiresIn ?? 60,
      signingDate: at,
      ...(cluster && { unhoistableHeaders: new Set(['x-k8s-aws-id']) }),
    },
  )
  const query = Object.entries(signed.query ?? {}).map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  )
  return tokenOf(`${protocol}//${host}/?${query.join('&')}`)
}

export const tokenOf = (url: string): string => `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`

class Sha256 {
  readonly #hash
  constructor(secret?: unknown) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytes(secret))
  }
  update(data: unknown): void {
    this.#hash.update(bytes(data))
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }
  reset(): void {}
}

const bytes = (data: unknown): Uint8Array | string =>
  typeof data === 'string' ? data : data instanceof ArrayBuffer ? new Uint8Array(data) : (data as Uint8Array)
