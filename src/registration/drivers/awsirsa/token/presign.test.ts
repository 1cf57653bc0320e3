import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../../../core/failure.ts'
import { Secret } from '../../../../core/secret.ts'
import { configuredSts, eksToken, endpointOf, regionOfEndpoint, stsEndpoint } from './presign.ts'

const at = new Date('2026-01-01T00:00:00Z')
const credentials = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: Secret.of('secret') }
const ask = { region: 'eu-central-1', clusterName: 'hub', credentials, at }

const urlIn = (token: Secret): URL => {
  const [, version, encoded = ''] = /^(k8s-aws-v1)\.([\w-]+)$/.exec(token.reveal()) ?? []
  assert.equal(version, 'k8s-aws-v1')
  return new URL(Buffer.from(encoded, 'base64url').toString())
}

test('a token is a presigned question to STS of who asks, for this cluster only, in base64url without padding', () => {
  for (let length = 1; length <= 4; length++) {
    const url = urlIn(eksToken({ ...ask, clusterName: 'h'.repeat(length) }).token)
    const { 'X-Amz-Signature': signature, ...query } = Object.fromEntries(url.searchParams)
    assert.match(signature ?? '', /^[\da-f]{64}$/)
    assert.equal(`${url.origin}${url.pathname}`, 'https://sts.eu-central-1.amazonaws.com/')
    assert.deepEqual(query, {
      Action: 'GetCallerIdentity',
      Version: '2011-06-15',
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': 'AKIAEXAMPLE/20260101/eu-central-1/sts/aws4_request',
      'X-Amz-Date': '20260101T000000Z',
      'X-Amz-Expires': '60',
      'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
    })
  }
})

test('the name of the cluster is signed, so that a token for one hub is none for another', () => {
  const signature = (clusterName: string) =>
    urlIn(eksToken({ ...ask, clusterName }).token).searchParams.get('X-Amz-Signature')
  assert.notEqual(signature('hub'), signature('hub1'))
})

test('a session is named in the token of its credentials', () => {
  const { token } = eksToken({ ...ask, credentials: { ...credentials, sessionToken: Secret.of('a/b+c=') } })
  assert.equal(urlIn(token).searchParams.get('X-Amz-Security-Token'), 'a/b+c=')
})

test('a token ends 14 minutes after its signature, or with the session that signed it', () => {
  assert.deepEqual(eksToken(ask).expiresAt, new Date('2026-01-01T00:14:00Z'))
  const until = (expiresAt: Date) => eksToken({ ...ask, credentials: { ...credentials, expiresAt } }).expiresAt
  assert.deepEqual(until(new Date('2026-01-01T01:00:00Z')), new Date('2026-01-01T00:14:00Z'))
  assert.deepEqual(until(new Date('2026-01-01T00:05:00Z')), new Date('2026-01-01T00:05:00Z'))
})

test('STS is asked in the region, in the domain of its partition', () => {
  const hosts = [
    'eu-central-1',
    'us-gov-west-1',
    'cn-north-1',
    'us-iso-east-1',
    'us-isob-east-1',
    'us-isof-south-1',
    'eu-isoe-west-1',
    'eusc-de-east-1',
  ]
  assert.deepEqual(
    hosts.map((region) => stsEndpoint(region).host),
    [
      'sts.eu-central-1.amazonaws.com',
      'sts.us-gov-west-1.amazonaws.com',
      'sts.cn-north-1.amazonaws.com.cn',
      'sts.us-iso-east-1.c2s.ic.gov',
      'sts.us-isob-east-1.sc2s.sgov.gov',
      'sts.us-isof-south-1.csp.hci.ic.gov',
      'sts.eu-isoe-west-1.cloud.adc-e.uk',
      'sts.eusc-de-east-1.amazonaws.eu',
    ],
  )
})

test('what is no region does not become a part of a host name', () => {
  for (const region of ['', 'eu', 'evil.example.com/', 'eu-central-1.evil', 'EU-CENTRAL-1'])
    assert.throws(
      () => stsEndpoint(region),
      (error) => isFailure(error, 'AWS_REGION_INVALID'),
    )
})

test('another endpoint is https without a path, or plain http on this machine', () => {
  assert.equal(endpointOf('https://vpce-1.sts.eu-central-1.vpce.amazonaws.com').port, '')
  assert.equal(endpointOf('http://127.0.0.1:4566').port, '4566')
  for (const bad of [
    'sts',
    'http://sts.example.com',
    'https://a.example.com/b',
    'https://u:p@a.example.com',
    'file:///a',
  ])
    assert.throws(
      () => endpointOf(bad),
      (error) => isFailure(error, 'AWS_ENDPOINT_INVALID'),
    )
})

test('an endpoint that is refused is told without its user, password, path and query', () => {
  const said = (text: string): string => {
    try {
      return assert.fail(endpointOf(text).href)
    } catch (error) {
      return isFailure(error, 'AWS_ENDPOINT_INVALID') ? error.message : assert.fail(String(error))
    }
  }
  assert.match(said('https://user:hunter2@a.example.com'), /^https:\/\/a\.example\.com cannot be used/)
  const secrets = [
    'https://user:hunter2@a.example.com:8443/',
    'http://user:hunter2@a.example.com',
    'https://hunter2@a.example.com',
    'https://a.example.com/?password=hunter2',
    'https://a.example.com/hunter2',
    'user:hunter2@a.example.com',
    '//user:hunter2@a.example.com',
    'https://user:hunter2@a b',
  ]
  for (const text of secrets) assert.doesNotMatch(said(text), /hunter2/, text)
})

test('the name of an endpoint tells the region it is in', () => {
  const regions = {
    'https://vpce-0a1-b2c.sts.eu-west-1.vpce.amazonaws.com': 'eu-west-1',
    'https://vpce-0a1-b2c-cn-north-1a.sts.cn-north-1.vpce.amazonaws.com.cn': 'cn-north-1',
    'https://sts.us-gov-west-1.amazonaws.com': 'us-gov-west-1',
    'https://sts-fips.us-east-2.amazonaws.com': 'us-east-2',
    'https://sts.amazonaws.com': 'us-east-1',
    'https://sts.internal.example.com': undefined,
    'https://eu-west-1.example.com': undefined,
    'http://127.0.0.1:4566': undefined,
  }
  for (const [url, region] of Object.entries(regions)) assert.equal(regionOfEndpoint(new URL(url)), region, url)
})

test('the environment may name another endpoint as it does for the AWS SDK: that of STS before that of all services', () => {
  const [all, sts] = [
    { AWS_ENDPOINT_URL: 'https://all.example.com' },
    { AWS_ENDPOINT_URL_STS: 'https://sts.example.com' },
  ]
  assert.equal(configuredSts({}), undefined)
  assert.equal(configuredSts(all)?.host, 'all.example.com')
  assert.equal(configuredSts({ ...all, ...sts })?.host, 'sts.example.com')
  assert.equal(configuredSts({ ...all, AWS_ENDPOINT_URL_STS: '' })?.host, 'all.example.com')
  assert.equal(configuredSts({ ...sts, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' }), undefined)
  assert.throws(() => configuredSts({ AWS_ENDPOINT_URL: 'http://sts.example.com' }), { code: 'AWS_ENDPOINT_INVALID' })
})
