import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { test } from 'node:test'
import { SignatureV4 } from '@smithy/signature-v4'
import { Secret } from '../../../../core/secret.ts'
import type { Signable } from './sigv4.ts'
import { presign, signedHeaders } from './sigv4.ts'

test("a presigned request has the signature of AWS's published example", () => {
  const url = presign(
    { method: 'GET', url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'), headers: {}, body: '' },
    {
      credentials: {
        accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
        secretAccessKey: Secret.of('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'),
      },
      service: 's3',
      region: 'us-east-1',
      at: new Date('2013-05-24T00:00:00Z'),
    },
    { expiresSeconds: 86_400, payloadHash: 'UNSIGNED-PAYLOAD' },
  )
  assert.equal(
    url.searchParams.get('X-Amz-Signature'),
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  )
  assert.equal(url.searchParams.get('X-Amz-Credential'), 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request')
})

const suite = {
  credentials: {
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: Secret.of('wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'),
  },
  service: 'service',
  region: 'us-east-1',
  at: new Date('2015-08-30T12:36:00Z'),
}

for (const { name, request, signature } of [
  {
    name: 'get-vanilla',
    request: { method: 'GET', url: new URL('https://example.amazonaws.com/'), headers: {}, body: '' },
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  {
    name: 'get-vanilla-query-order-key-case',
    request: {
      method: 'GET',
      url: new URL('https://example.amazonaws.com/?Param2=value2&Param1=value1'),
      headers: {},
      body: '',
    },
    signature: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  },
  {
    name: 'post-x-www-form-urlencoded',
    request: {
      method: 'POST',
      url: new URL('https://example.amazonaws.com/'),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'Param1=value1',
    },
    signature: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  },
] satisfies { name: string; request: Signable; signature: string }[])
  test(`a signed request has the signature of the case ${name} of AWS's test suite`, () => {
    assert.match(signedHeaders(request, suite).authorization ?? '', new RegExp(`Signature=${signature}$`))
  })

/** What the SDK's signer asks of a digest. */
class NodeSha256 {
  readonly #hash
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    const key = secret as string | Uint8Array | undefined
    this.#hash = key === undefined ? createHash('sha256') : createHmac('sha256', key)
  }
  update(data: string | Uint8Array): void {
    this.#hash.update(data)
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }
  reset(): void {}
}

const session = {
  accessKeyId: 'ASIAEXAMPLE',
  secretAccessKey: Secret.of('a/secret+key'),
  sessionToken: Secret.of("FwoG//a+b=c d!'()*~é"),
}
const at = new Date('2026-11-16T11:30:15.123Z')

const sdkSigner = (region: string) =>
  new SignatureV4({
    service: 'sts',
    region,
    credentials: {
      accessKeyId: session.accessKeyId,
      secretAccessKey: session.secretAccessKey.reveal(),
      sessionToken: session.sessionToken.reveal(),
    },
    sha256: NodeSha256 as never,
  })

test('a presigned request of a session is the one that the signer of the AWS SDK makes', async () => {
  for (const region of ['eu-central-1', 'cn-north-1', 'us-gov-west-1']) {
    const url = new URL(`https://sts.${region}.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15`)
    const headers = { 'x-k8s-aws-id': 'my  hub' }
    const theirs = await sdkSigner(region).presign(
      {
        method: 'GET',
        protocol: 'https:',
        hostname: url.hostname,
        path: '/',
        query: Object.fromEntries(url.searchParams),
        headers: { host: url.host, ...headers },
      } as never,
      { expiresIn: 60, signingDate: at, unhoistableHeaders: new Set(['x-k8s-aws-id']) },
    )
    const ours = presign(
      { method: 'GET', url, headers, body: '' },
      { credentials: session, service: 'sts', region, at },
      { expiresSeconds: 60 },
    )
    const sorted = (query: Iterable<[string, unknown]>) => [...query].sort()
    assert.deepEqual(sorted(ours.searchParams), sorted(Object.entries(theirs.query ?? {})))
  }
})

test('a signed POST of a session is the one that the signer of the AWS SDK makes', async () => {
  const url = new URL('https://sts.eu-central-1.amazonaws.com/')
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
  const body = 'Action=AssumeRole&RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fr&Version=2011-06-15'
  const theirs = await sdkSigner('eu-central-1').sign(
    {
      method: 'POST',
      protocol: 'https:',
      hostname: url.hostname,
      path: '/',
      query: {},
      headers: { host: url.host, ...headers },
      body,
    } as never,
    { signingDate: at, unsignableHeaders: new Set(['x-amz-content-sha256']) },
  )
  const ours = signedHeaders(
    { method: 'POST', url, headers, body },
    { credentials: session, service: 'sts', region: 'eu-central-1', at },
  )
  assert.equal(ours.authorization, theirs.headers['authorization'])
})

test('what signs does not show in what is printed of it', () => {
  assert.doesNotMatch(JSON.stringify({ suite, session }), /wJalr|a\/secret|FwoG/)
})
