import assert from 'node:assert/strict'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { isFailure } from '../../core/failure.ts'
import { silentLog } from '../../core/log.ts'
import { Secret } from '../../core/secret.ts'
import type { AccessDeps } from './access.ts'
import { access } from './access.ts'
import type { Identity } from './contract.ts'
import { openLocalToken } from './local-token.ts'
import { permissionsOf } from './roles.ts'
import type { AccessSettings } from './settings.ts'
import { defaultAccessSettings } from './settings.ts'

const { signal } = new AbortController()
const rule = { verb: 'get', group: 'example.com', resource: 'things' }
const made = (settings: Partial<AccessSettings> = {}, more: Partial<AccessDeps> = {}) =>
  access({
    settings: { ...defaultAccessSettings, ...settings },
    rules: { read: rule, operator: rule },
    ownerRule: rule,
    clock: new FakeClock(),
    log: silentLog,
    ...more,
  })
const jwt = (claims: Record<string, unknown>): Identity => ({ name: 'x', kind: 'jwt', claims })
const owned = (owner?: string) => ({ id: 'c', owner: async () => owner })

test('the local token is everything to whoever has it, and nothing else is', async (t) => {
  const path = join(tempDir(t), 'token')
  const token = await openLocalToken(path)
  const gate = made({}, { localToken: token })
  const verdict = await gate.authenticate(Secret.of(token.reveal()), signal)
  assert.ok('identity' in verdict && verdict.identity.kind === 'local')
  assert.equal(await gate.may(verdict.identity, 'anything', undefined, signal), 'yes')
  assert.equal(await gate.owns(verdict.identity, owned(), signal), 'yes')
  for (const wrong of ['', 'x', `${token.reveal()}x`])
    assert.deepEqual(await gate.authenticate(Secret.of(wrong), signal), { refused: 'wrong' })
  assert.deepEqual(await gate.authenticate(undefined, signal), { refused: 'none' })
})

test('the local token is made once, for this user alone, however many start at once', async (t) => {
  const dir = tempDir(t)
  const path = join(dir, 'token')
  const opened = await Promise.all([1, 2, 3, 4].map(() => openLocalToken(path)))
  assert.equal(new Set(opened.map((token) => token.reveal())).size, 1)
  assert.match(readFileSync(path, 'utf8'), /^[\w-]{43}\n$/)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  chmodSync(path, 0o644)
  await openLocalToken(path)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(dir), ['token'])
})

test('an empty file lets nobody in', async (t) => {
  const path = join(tempDir(t), 'token')
  writeFileSync(path, '\n')
  const gate = made({}, { localToken: await openLocalToken(path) })
  assert.deepEqual(await gate.authenticate(Secret.of(''), signal), { refused: 'wrong' })
})

const roles = [
  { claim: 'groups', value: 'sre', permissions: ['operator'] },
  { claim: 'scope', value: 'read', permissions: ['read'] },
  { claim: 'role', value: 'admin', permissions: ['admin'], issuer: 'https://one.example.com' },
]
const given: [claims: Record<string, unknown>, permissions: string[]][] = [
  [{ groups: ['a', 'sre'] }, ['operator']],
  [{ groups: 'sre' }, ['operator']],
  [{ groups: 'sre admin' }, []],
  [{ groups: ['sre2'] }, []],
  [{ scope: 'write read' }, ['read']],
  [{ scope: 'reader' }, []],
  [{ role: 'admin', iss: 'https://one.example.com' }, ['admin']],
  [{ role: 'admin', iss: 'https://two.example.com' }, []],
  [{}, []],
]
for (const [claims, permissions] of given)
  test(`${JSON.stringify(claims)} gives ${permissions.join(', ') || 'nothing'}`, () => {
    assert.deepEqual([...permissionsOf({ claims }, roles)], permissions)
  })

test('an operator may everything, others what their roles say', async () => {
  const gate = made({ roles: roles.slice(0, 2) })
  assert.equal(await gate.may(jwt({ groups: ['sre'] }), 'read', undefined, signal), 'yes')
  assert.equal(await gate.may(jwt({ scope: 'read' }), 'read', undefined, signal), 'yes')
  assert.equal(await gate.may(jwt({ scope: 'read' }), 'operator', undefined, signal), 'no')
  assert.equal(await gate.may(jwt({}), 'read', undefined, signal), 'no')
})

test('a cluster is theirs whose claim equals its owner, whole', async () => {
  const gate = made()
  const owns = (claim: unknown, owner?: string) => gate.owns(jwt({ organization_id: claim }), owned(owner), signal)
  assert.equal(await owns('org-1', 'org-1'), 'yes')
  for (const [claim, owner] of [
    ['org-1', 'org-11'],
    ['org-11', 'org-1'],
    ['', ''],
    [undefined, undefined],
    [['org-1'], 'org-1'],
    ['ORG-1', 'org-1'],
  ] as const)
    assert.equal(await owns(claim, owner), 'no', JSON.stringify([claim, owner]))
})

test('a service account without an API server to ask may nothing', async () => {
  const account: Identity = { name: 'a', kind: 'serviceaccount', claims: {}, user: { username: 'a' } }
  assert.equal(await made().may(account, 'read', 'c', signal), 'no')
})

const issuer = { issuerUrl: 'https://a.example.com', jwksFile: 'keys.json', audience: 'us', identityClaim: 'email' }
const wrong: [name: string, settings: Partial<AccessSettings>][] = [
  ['an issuer over plain http', { issuers: [{ ...issuer, issuerUrl: 'http://a.example.com' }] }],
  ['keys over plain http', { issuers: [{ ...issuer, jwksFile: undefined, jwksUrl: 'http://a.example.com' } as never] }],
  ['an issuer without keys', { issuers: [{ ...issuer, jwksFile: undefined } as never] }],
  ['an issuer with keys of two places', { issuers: [{ ...issuer, jwksUrl: 'https://a.example.com' }] }],
  ['an issuer twice', { issuers: [issuer, issuer] }],
  ['a pattern that is none', { issuers: [{ ...issuer, identityClaimPattern: '(' }] }],
  ['a permission that is misspelt', { roles: [{ claim: 'a', value: 'b', permissions: ['raed'] }] }],
  [
    'a role of an issuer that is not configured',
    { roles: [{ claim: 'a', value: 'b', permissions: ['read'], issuer: 'x' }] },
  ],
]
for (const [name, settings] of wrong)
  test(`nothing starts with ${name}`, () => {
    assert.throws(
      () => made(settings),
      (error) => isFailure(error, 'CONFIG_WRONG_VALUE'),
    )
  })
