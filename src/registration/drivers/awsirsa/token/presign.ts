import { after } from '../../../../core/clock.ts'
import { Secret } from '../../../../core/secret.ts'
import type { Env } from '../../../../kube/kubeconfig/index.ts'
import { isRegion } from '../names.ts'
import { failures } from './failures.ts'
import type { AwsCredentials } from './sigv4.ts'
import { presign } from './sigv4.ts'

/** A bearer token for the API server of an EKS cluster. */
export interface EksToken {
  readonly token: Secret
  readonly expiresAt: Date
}

export interface EksTokenOptions {
  readonly region: string
  /** Of the EKS cluster whose API server is to be reached. */
  readonly clusterName: string
  readonly credentials: AwsCredentials
  readonly at: Date
  /** Of a stand-in, in tests. EKS itself takes only the public ones of STS. Default: that of the region. */
  readonly namedSts?: URL
}

/** EKS takes a token for 15 minutes after its signature. The last one is left out: clocks differ, requests take time. */
const lifeMs = 14 * 60_000

/** Of the signature itself, which EKS wants to be short; the life of the token does not follow from it. */
const expiresSeconds = 60

/** Who asks, proven by a request to STS that EKS sends in the asker's place. */
export function eksToken({ region, clusterName, credentials, at, namedSts }: EksTokenOptions): EksToken {
  const url = new URL(namedSts ?? stsEndpoint(region))
  url.search = 'Action=GetCallerIdentity&Version=2011-06-15'
  const request = { method: 'GET', url, headers: { 'x-k8s-aws-id': clusterName }, body: '' } as const
  const signed = presign(request, { credentials, service: 'sts', region, at }, { expiresSeconds })
  return {
    token: Secret.of(`k8s-aws-v1.${Buffer.from(signed.href).toString('base64url')}`),
    // STS refuses a signature of a session that is over, however young it is.
    expiresAt: earlier(after(at, lifeMs), credentials.expiresAt),
  }
}

const earlier = (a: Date, b: Date | undefined): Date => (b !== undefined && b < a ? b : a)

/** By how the names of regions begin, the longest first; the partition `aws` and GovCloud have the last one. */
const domains: readonly (readonly [prefix: string, domain: string])[] = [
  ['us-isob-', 'sc2s.sgov.gov'],
  ['us-isof-', 'csp.hci.ic.gov'],
  ['eu-isoe-', 'cloud.adc-e.uk'],
  ['us-iso-', 'c2s.ic.gov'],
  ['eusc-', 'amazonaws.eu'],
  ['cn-', 'amazonaws.com.cn'],
  ['', 'amazonaws.com'],
]

/** The regional endpoint: the global one is in one region only, and does not know those that are off by default. */
export function stsEndpoint(region: string): URL {
  // It becomes a part of a host name that credentials are sent to.
  if (!isRegion(region)) throw failures.AWS_REGION_INVALID({ region })
  const [, domain] = domains.find(([prefix]) => region.startsWith(prefix)) ?? []
  return new URL(`https://sts.${region}.${domain}/`)
}

/** The region that an endpoint wants its calls signed for, where its name tells: those of a VPC do. */
export function regionOfEndpoint({ hostname }: URL): string | undefined {
  if (hostname === 'sts.amazonaws.com') return 'us-east-1'
  return hostname
    .split('.')
    .find((label, index, labels) => /^sts(-fips)?$/.test(labels[index - 1] ?? '') && isRegion(label))
}

/** Another endpoint than the region's: of a VPC, or a stand-in. */
export function endpointOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback.test(url.hostname))
  const isBare = url?.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
  if (!url || !isSafe || !isBare || url.password !== '')
    throw failures.AWS_ENDPOINT_INVALID({ endpoint: withoutSecrets(url) })
  return url
}

/** As the environment has it for the AWS SDK: of STS, else of every service. Undefined: that of the region. */
export function configuredSts(env: Env): URL | undefined {
  const found = env['AWS_ENDPOINT_URL_STS'] || env['AWS_ENDPOINT_URL']
  return found && env['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] !== 'true' ? endpointOf(found) : undefined
}

/** The rest of a URL may hold a password, and so may text that is none. */
const withoutSecrets = (url: URL | undefined): string => (url?.host ? `${url.protocol}//${url.host}` : 'what was given')

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
