import assert from 'node:assert/strict'
import { createPublicKey, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { jwtVerify } from 'jose'
import { systemClock } from '../../core/clock.ts'
import { createSelfSigned } from '../../pki/index.ts'
import { startNexus } from './index.ts'

async function scene() {
  const { certPem, keyPem } = await createSelfSigned({
    subject: { commonName: 'tokens' },
    sans: { dnsNames: ['tokens.example'] },
    clock: systemClock,
    lifetimeMs: 3_600_000,
  })
  const pusher = { username: 'pusher', password: 'pushes' }
  const tokens = { issuer: 'stand-in', service: 'registry', certPem, keyPem: keyPem.reveal(), pusher }
  const registry = await startNexus({ roles: ['pull'], tokens })
  const made = {
    userId: 'one',
    firstName: 'a',
    lastName: 'b',
    emailAddress: 'a@b.invalid',
    password: 'pulls:all',
    status: 'active',
    roles: ['pull'],
  }
  await fetch(`${registry.url}/security/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(made),
  })
  async function token(credentials: string | undefined, query: string) {
    const response = await fetch(`http://${registry.host}/v2/auth?${query}`, {
      headers: credentials ? { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } : {},
    })
    const body = (await response.json()) as { token?: string }
    if (body.token === undefined) return { status: response.status }
    const { payload, protectedHeader } = await jwtVerify(
      body.token,
      createPublicKey(new X509Certificate(certPem).publicKey.export({ type: 'spki', format: 'pem' })),
      {
        issuer: 'stand-in',
        audience: 'registry',
      },
    )
    return { status: response.status, payload, protectedHeader }
  }
  return { registry, token, certPem }
}

test('an account gets a token that lets it pull what it asked for, signed by the key of the certificate', async () => {
  const { registry, token, certPem } = await scene()
  await using _ = registry
  const scopes = 'scope=repository:a/b:pull,push&scope=repository:host:5000/c:pull&scope=registry:catalog:*'
  const { status, payload, protectedHeader } = await token('one:pulls:all', `service=registry&${scopes}`)
  assert.equal(status, 200)
  assert.equal(payload?.sub, 'one')
  assert.deepEqual(payload?.['access'], [
    { type: 'repository', name: 'a/b', actions: ['pull'] },
    { type: 'repository', name: 'host:5000/c', actions: ['pull'] },
  ])
  assert.deepEqual(protectedHeader?.x5c, [new X509Certificate(certPem).raw.toString('base64')])
})

test('only who may push gets a token to push; nobody else gets any', async () => {
  const { registry, token } = await scene()
  await using _ = registry
  const { payload } = await token('pusher:pushes', 'service=registry&scope=repository:a/b:pull,push')
  assert.deepEqual(payload?.['access'], [{ type: 'repository', name: 'a/b', actions: ['pull', 'push'] }])
  for (const credentials of [undefined, 'one:wrong', 'nobody:pulls:all', 'pusher:wrong'])
    assert.equal((await token(credentials, 'service=registry')).status, 401)
})
