import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { uniqueName } from '../../../test/support/builders.ts'
import { aCanary, assertNoCanary } from '../../../test/support/canary.ts'
import type { RawRequest } from '../../../test/support/raw-request.ts'
import { rawRequest } from '../../../test/support/raw-request.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { systemClock } from '../../core/clock.ts'
import { silentLog } from '../../core/log.ts'
import { systemRandom } from '../../core/random.ts'
import { startEmbedded } from '../start.ts'

/** What the real server would write down word for word. */
const careless = 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n'

test('E19: no policy makes the log hold what is in a Secret, nor a token', async (t) => {
  const given = tempDir(t)
  const [auditPolicy, dir] = [join(given, 'policy.yaml'), join(given, 'data')]
  writeFileSync(auditPolicy, careless)
  const parts = { clock: systemClock, random: systemRandom, log: silentLog }
  const plane = await startEmbedded({ dir, auditPolicy, controllers: [], ...parts })
  const server = { url: plane.url, caPem: plane.identities.serverCa.certPem, admin: plane.identities.admin }
  const ask = async (method: string, path: string, body?: object | string, type = 'application/json') => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const request: RawRequest = { method, path, headers: { 'content-type': type }, ...(text && { body: text }) }
    return rawRequest(server as Parameters<typeof rawRequest>[0], request)
  }
  const canary = aCanary({ awkward: true })
  const secrets = '/api/v1/namespaces/default/secrets'
  const metadata = { name: uniqueName('secret'), finalizers: ['example.com/stays'] }
  const one = `${secrets}/${metadata.name}`
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { password: canary } }
  try {
    await ask('POST', secrets, secret)
    await ask('POST', secrets, secret)
    await ask('POST', secrets, { ...secret, metadata: { name: 'NOT A NAME' } })
    await ask('POST', secrets, `{"stringData":{"a":"${aCanaryIn(canary)}"},`)
    await ask('POST', secrets, JSON.stringify({ ...secret, data: { password: canary } }))
    await ask('PUT', one, secret)
    await ask('PATCH', one, { stringData: { other: canary } }, 'application/merge-patch+json')
    await ask('PATCH', one, [{ op: 'add', path: '/data/x', value: canary }], 'application/json-patch+json')
    const applied = JSON.stringify({ ...secret, stringData: { applied: canary } })
    await ask('PATCH', `${one}?fieldManager=me&force=true`, applied, 'application/apply-patch+yaml')
    for (const path of [one, secrets, '/api/v1/secrets', `${secrets}?watch=1&timeoutSeconds=1`]) await ask('GET', path)
    await ask('DELETE', one)
    await ask('DELETE', secrets)
    await ask('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: canary } })
    await ask('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'account' } })
    const issued = await ask('POST', '/api/v1/namespaces/default/serviceaccounts/account/token', { spec: {} })
    const { token } = issued.json.status as { token: string }
    await ask('GET', `/version?access_token=${token}&password=${encodeURIComponent(canary)}`)
    await plane.close()
    const log = readFileSync(join(dir, 'audit.log'))
    assertNoCanary({ 'the audit log': log }, [canary, aCanaryIn(canary), token])
    assert.ok(log.toString().split('\n').length > 30)
  } finally {
    await plane.close()
  }
})

/** The part of a canary that fits into any text. */
const aCanaryIn = (awkward: string): string => awkward.split(' ')[0] ?? ''
