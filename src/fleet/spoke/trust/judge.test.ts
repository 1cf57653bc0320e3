import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import { after } from '../../../core/clock.ts'
import { createSelfSigned, fingerprintOf } from '../../../pki/index.ts'
import type { Captured } from './capture.ts'
import { isVouchedFor, judge } from './judge.ts'
import { aLeaf, anAuthority } from './testing/tls-server.ts'

const hour = 3_600_000
const clock = new FakeClock('2026-06-01T12:00:00Z')
const now = clock.now()
const root = await anAuthority('root', clock)
const middle = await anAuthority('middle', clock, root)
const stranger = await anAuthority('stranger', clock)
/** Another key under the same name. */
const namesake = await anAuthority('root', clock)
const names = { dnsNames: ['api.west.example.com'], ipAddresses: ['10.0.0.1', '2001:db8::1'] }
const [leaf, ofRoot] = await Promise.all([aLeaf(middle, clock, names), aLeaf(root, clock, names)])

const pems = (...all: { certPem: string }[]): Captured['chain'] => {
  const [first, ...rest] = all.map(({ certPem }) => certPem)
  return [first ?? '', ...rest]
}
const shown = (...all: { certPem: string }[]): Captured => ({ chain: pems(...all), hostname: 'api.west.example.com' })
const judged = (captured: Captured, roots: string[] = [], at = now) => judge(captured, { roots, now: at })
const pinOf = (captured: Captured) => {
  const judgement = judged(captured)
  return 'offer' in judgement ? judgement.offer.pem : judgement.fault
}

test('the highest authority shown is the one that would be trusted', () => {
  assert.equal(pinOf(shown(leaf, middle, root)), root.certPem)
  assert.equal(pinOf(shown(leaf, middle)), middle.certPem)
  assert.equal(pinOf(shown(ofRoot, root)), root.certPem)
})

test('a server that shows only its own certificate is trusted by that one', () => {
  assert.equal(pinOf(shown(leaf)), leaf.certPem)
})

test('a certificate that signed itself is trusted as itself', async () => {
  const own = await createSelfSigned({ subject: { commonName: 'api' }, sans: names, clock, lifetimeMs: hour })
  assert.equal(pinOf(shown(own)), own.certPem)
})

test('an authority that has nothing to do with the server is passed over', () => {
  assert.equal(pinOf(shown(leaf, middle, root, stranger)), root.certPem)
  assert.equal(pinOf(shown(leaf, stranger)), leaf.certPem)
})

test('an authority of the right name and the wrong key is a fault', () => {
  assert.equal(pinOf(shown(ofRoot, namesake)), 'SignatureInvalid')
})

test('it tells what people compare and what the log shows', () => {
  const judgement = judged(shown(leaf, middle, root))
  assert.ok('offer' in judgement)
  const { fingerprint, subject, issuer, notBefore, notAfter } = judgement.offer
  assert.equal(fingerprint, fingerprintOf(root.certPem))
  assert.deepEqual([subject, issuer], ['CN=root', 'CN=root'])
  assert.ok(notBefore < now && now < notAfter)
})

test('what the system vouches for is told, even when only part of the chain is shown', () => {
  const vouched = (captured: Captured, roots: string[]) => {
    const judgement = judged(captured, roots)
    return 'offer' in judgement && judgement.offer.vouchedBySystem
  }
  assert.equal(vouched(shown(leaf, middle), [stranger.certPem, root.certPem]), true)
  assert.equal(vouched(shown(leaf, middle), [stranger.certPem]), false)
  assert.equal(vouched(shown(leaf), [root.certPem]), false)
  assert.equal(vouched(shown(ofRoot), [namesake.certPem]), false)
})

test('a root of the system counts although the server shows an old cross-signature', async () => {
  const short = { commonName: 'root', clock: new FakeClock(after(now, -2_000 * hour)) }
  const expired = await anAuthority(short.commonName, short.clock)
  const judgement = judged(shown(ofRoot, expired), [root.certPem])
  assert.ok('offer' in judgement && judgement.offer.vouchedBySystem)
})

test('a wrong name is refused, whoever vouches', async () => {
  for (const hostname of [
    'other.example.com',
    'west.example.com',
    'xapi.west.example.com',
    '10.0.0.2',
    '[2001:db8::2]',
  ])
    for (const roots of [[], [root.certPem]])
      assert.deepEqual(judged({ ...shown(leaf, middle, root), hostname }, roots), { fault: 'HostnameMismatch' })
  for (const hostname of ['API.west.example.com', '10.0.0.1', '[2001:db8::1]', '2001:db8::1'])
    assert.ok('offer' in judged({ ...shown(leaf, middle, root), hostname }))
})

test('dates count by the clock that is given, of authorities too', async () => {
  const at = (ms: number) => judged(shown(leaf, middle, root), [], after(now, ms))
  assert.deepEqual(at(101 * hour), { fault: 'CertificateExpired' })
  assert.deepEqual(at(-2 * hour), { fault: 'CertificateNotYetValid' })
  assert.ok('offer' in at(99 * hour))
  const long = await aLeaf(root, clock, { ...names, notAfter: after(now, 1_000 * hour) })
  const old = await anAuthority('old', new FakeClock(after(now, -2_000 * hour)))
  const underOld = await aLeaf(old, new FakeClock(after(now, -1_500 * hour)), names)
  assert.ok('offer' in judged(shown(long, root), [], after(now, 999 * hour)))
  assert.deepEqual(judged(shown(underOld, old)), { fault: 'CertificateExpired' })
})

const extras = [middle, root, stranger, namesake, leaf]
const chains = fc
  .tuple(fc.constantFrom(leaf, ofRoot), fc.array(fc.constantFrom(...extras), { maxLength: 6 }))
  .map(([first, rest]) => shown(first, ...rest))
const moments = fc.integer({ min: -200, max: 2_000 }).map((hours) => after(now, hours * hour))
const hosts = fc.constantFrom('api.west.example.com', '10.0.0.1', 'other.example.com')

test('whatever a server shows: what would be trusted was shown, and vouches for it', () => {
  fc.assert(
    fc.property(chains, moments, hosts, fc.subarray([root.certPem, stranger.certPem]), (chain, at, hostname, roots) => {
      const captured = { ...chain, hostname }
      const judgement = judged(captured, roots, at)
      if ('fault' in judgement) return assert.notEqual(judgement.fault, 'IssuerUnknown')
      assert.ok(captured.chain.includes(judgement.offer.pem))
      assert.ok(isVouchedFor(captured, judgement.offer.pem, at))
      assert.notEqual(hostname, 'other.example.com')
    }),
    { numRuns: 200 },
  )
})

test('whatever a server shows: a wrong name or date is never put up with', () => {
  fc.assert(
    fc.property(chains, (chain) => {
      assert.ok('fault' in judged({ ...chain, hostname: 'other.example.com' }, [root.certPem]))
      assert.ok('fault' in judged(chain, [root.certPem], after(now, 101 * hour)))
      assert.ok('fault' in judged(chain, [root.certPem], after(now, -2 * hour)))
    }),
    { numRuns: 100 },
  )
})
