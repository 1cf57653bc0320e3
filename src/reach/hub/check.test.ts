import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { kubeFailure, unreachable } from '../../../test/support/memory-kube.ts'
import type { OpenSpoke } from '../../fleet/spoke/index.ts'
import { spokeFailures } from '../../fleet/spoke/index.ts'
import { spokeAnnotations } from '../../fleet/spoke/names.ts'
import { failures as kubeFailures } from '../../kube/failures.ts'
import { failures as pkiFailures } from '../../pki/failures.ts'
import { checkCluster } from './check.ts'
import { aConfig, anOldKey, answering, aSpoke, byOidc } from './testing/builders.ts'

const clock = new FakeClock()

function look(
  open: OpenSpoke | ((signal?: AbortSignal) => Promise<OpenSpoke>),
  { config = aConfig(), signal = new AbortController().signal } = {},
) {
  const spokes = {
    open: async (_: string, options?: { signal?: AbortSignal }) =>
      typeof open === 'function' ? open(options?.signal) : open,
    forget: () => {},
  }
  return checkCluster(config, { spokes, clock, settings: () => ({ checkDeadlineMs: 15_000 }) }, signal)
}

const failing = (error: unknown) => async (): Promise<never> => {
  throw error
}

/** Waits until it is told to stop. */
const hanging = (signal?: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

const server = 'https://west.example:6443'
const closed = kubeFailures.KUBE_CLOSED({ server })
const missing = spokeFailures.SPOKE_SECRET_MISSING({ field: 'f', namespace: 'n', name: 's' })
const unreadable = (cause: unknown) =>
  spokeFailures.SPOKE_SECRET_UNREADABLE({ field: 'f', namespace: 'n', name: 's', detail: 'd' }, cause)
const noToken = spokeFailures.SPOKE_TOKEN_REFUSED({ issuer: 'i', grant: 'g', detail: 'd' })

test('a way that works is told with all that was seen on it', async () => {
  const throttledAt = new Date('2026-01-01T00:00:00Z')
  const annotations = { [spokeAnnotations.checkRequestedAt]: 'now' }
  const config = aConfig({ metadata: { ...aConfig().metadata, annotations } })
  const result = await look(aSpoke({ notes: [anOldKey], throttledAt: () => throttledAt }), { config })
  const { permissions, credential, ...rest } = result
  assert.deepEqual(rest, {
    ...{ by: 'Kubeconfig', server, notes: [anOldKey], throttledAt, answers: 'now' },
    // Never the CA itself: a status is no place for it.
    trust: { source: 'Kubeconfig', fingerprint: 'CC:DD' },
  })
  assert.equal(credential?.issuer, 'https://issuer.example')
  assert.ok(permissions?.every(({ isAllowed }) => isAllowed))
})

describe('what fails is told by its reason', () => {
  const call = (error: unknown, by: OpenSpoke['by'] = 'OIDC') =>
    look(aSpoke({ by, kube: answering({ version: failing(error) }) }))
  const table: [what: string, result: () => ReturnType<typeof look>, reason: string][] = [
    ['an opening', () => look(failing(missing)), 'SecretMissing'],
    ['a token', () => look(aSpoke({ credential: failing(noToken) })), 'OIDCTokenFetchFailed'],
    ['a server that is away', () => call(unreachable()), 'ClusterUnreachable'],
    ['a server that refuses', () => call(kubeFailure(401, 'Unauthorized')), 'ClusterUnreachable'],
    ['a server without its store', () => call(kubeFailure(500, 'InternalError')), 'ClusterUnreachable'],
    [
      'what no kubeconfig can be',
      () => call(kubeFailures.KUBE_BAD_CONNECTION({ detail: 'd' }), 'Kubeconfig'),
      'KubeconfigParseFailed',
    ],
    [
      'a Secret that the hub may not read',
      () => look(failing(unreadable(kubeFailure(403, 'Forbidden')))),
      'ValidationFailed',
    ],
  ]
  for (const [what, result, reason] of table)
    test(what, async () => assert.equal((await result()).failure?.reason, reason))
})

describe('what a server answers in place of its version is told with its likely cause', () => {
  const told = async (code: number, by: OpenSpoke['by']) => {
    const kube = answering({ version: failing(kubeFailure(code, 'Refused')) })
    return (await look(aSpoke({ by, kube }))).failure?.message ?? ''
  }
  for (const [code, by, cause] of [
    [401, 'OIDC', /issuer.*audience/],
    [401, 'Kubeconfig', /token or the client certificate.*expired/],
    [403, 'OIDC', /public-info-viewer/],
    [503, 'Kubeconfig', /proxy/],
  ] as const)
    test(`${code} by ${by}`, async () => {
      const message = await told(code, by)
      assert.ok(message.startsWith(`${server} answers ${code} to GET /version; `), message)
      assert.match(message, cause)
    })
})

test('a certificate that cannot be read is told, never kept quiet', async () => {
  const unreadable = pkiFailures.PKI_CERTIFICATE_INVALID({ detail: 'd' })
  assert.equal((await look(failing(unreadable))).failure?.reason, 'ValidationFailed')
  assert.equal((await look(aSpoke({ credential: failing(unreadable) }))).failure?.reason, 'ValidationFailed')
})

describe('what says nothing of the cluster is thrown, for another try', () => {
  const table: [what: string, open: Parameters<typeof look>[0], error: unknown][] = [
    ['a defect', failing(new TypeError('defect')), TypeError],
    ['the hub is away', failing(unreachable()), /./],
    ['the hub is away, and a Secret was wanted', failing(unreadable(unreachable())), /cannot be read/],
    ['the hub answers 409 to the opening', failing(kubeFailure(409, 'Conflict')), /./],
    ['the hub is away while a token is made', aSpoke({ credential: failing(unreachable()) }), /./],
    [
      'the opening was given up because something changed',
      aSpoke({ kube: answering({ version: failing(closed) }) }),
      closed,
    ],
    ['the same, while rights are asked for', aSpoke({ kube: answering({ review: failing(closed) }) }), closed],
    [
      'a defect, while rights are asked for',
      aSpoke({ kube: answering({ review: failing(new TypeError()) }) }),
      TypeError,
    ],
  ]
  for (const [what, open, error] of table) test(what, () => assert.rejects(look(open), error as Error))
})

test('a pause tells when it is over, and 429 that patience is all it takes', async () => {
  const paused = spokeFailures.SPOKE_PAUSED({ server, failures: 3, seconds: 7 })
  const asks = kubeFailure(429, 'TooManyRequests')
  const { failure } = await look(aSpoke({ kube: answering({ version: failing(paused) }) }))
  assert.deepEqual([failure?.reason, failure?.pausedMs], ['ClusterUnreachable', 7_000])
  const second = await look(aSpoke({ kube: answering({ version: failing(asks) }) }))
  assert.equal(second.failure?.isThrottled, true)
})

test('a certificate that is not trusted is explained by another look at it', async () => {
  const changed = spokeFailures.SPOKE_TRUST_CHANGED({ server, cluster: 'west', offered: 'EE', fingerprint: 'CC' })
  const untrusted = kubeFailures.KUBE_UNTRUSTED({ server, detail: 'd' })
  const kube = answering({ version: failing(untrusted) })
  const { failure } = await look(aSpoke({ by: 'OIDC', kube, explainDistrust: async () => changed }))
  assert.deepEqual([failure?.reason, failure?.offered], ['TOFUFailed', { fingerprint: 'EE', onRecord: 'CC' }])
  const unexplained = await look(aSpoke({ kube }))
  assert.equal(unexplained.failure?.reason, 'ClusterUnreachable')
})

test('reviews that fail leave the cluster ready and the rights unknown', async () => {
  const result = await look(aSpoke({ kube: answering({ review: failing(unreachable()) }) }))
  assert.equal(result.failure, undefined)
  assert.ok(result.permissions?.every(({ isAllowed }) => isAllowed === undefined))
})

describe('a look that takes too long ends', () => {
  const endsIn = async (open: Parameters<typeof look>[0], config = aConfig()) => {
    const over = look(open, { config }).then(
      ({ failure }) => failure?.reason ?? 'ready',
      (error) => error.code,
    )
    await clock.advance(14_999)
    assert.equal(await Promise.race([over, clock.settle().then(() => 'under way')]), 'under way')
    await clock.advance(1)
    return over
  }
  const oidc = aConfig({ spec: byOidc() })

  test('as no token while it waits for one', async () =>
    assert.equal(await endsIn(aSpoke({ by: 'OIDC', credential: hanging }), oidc), 'OIDCTokenFetchFailed'))
  test('as no discovery while it waits for that', async () => {
    const spoke = aSpoke({ by: 'OIDC', credential: hanging, isDiscovering: () => true })
    assert.equal(await endsIn(spoke, oidc), 'OIDCDiscoveryFailed')
  })
  test('as unreachable while it waits for the cluster', async () =>
    assert.equal(await endsIn(aSpoke({ kube: answering({ version: hanging }) })), 'ClusterUnreachable'))
  test('for another try while it waits for the hub', async () =>
    assert.equal(await endsIn(hanging), 'RECONCILE_DEADLINE'))
})

test('the end of the hub ends it, whatever it waits for', async () => {
  const ending = new AbortController()
  const over = look(aSpoke({ credential: hanging }), { signal: ending.signal })
  ending.abort(new Error('the end'))
  await assert.rejects(over, /the end/)
})
