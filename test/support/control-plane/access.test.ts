import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { Secret } from '../../../src/core/secret.ts'
import { tempDir } from '../temp-dir.ts'
import type { Facts } from './access.ts'
import { accessTo, attach, publish } from './access.ts'
import { createIdentities } from './identities.ts'
import { pathsIn } from './paths.ts'

async function facts(dir: string): Promise<Facts> {
  const paths = pathsIn(dir)
  const { serverCaPem, clientCa, admin } = await createIdentities(paths)
  return {
    url: 'https://127.0.0.1:1',
    caPem: serverCaPem,
    admin,
    clientCa,
    adminKubeconfigPath: paths.adminKubeconfig,
    auditLogPath: join(dir, 'none'),
    descriptorPath: paths.descriptor,
  }
}

test('another process that has the descriptor can do the same', async (t) => {
  const known = await facts(tempDir(t))
  await publish(known)
  const [here, there] = [accessTo(known), attach(known.descriptorPath)]
  assert.equal(there.kubeconfig(), here.kubeconfig())
  assert.equal((await there.connection().credentials?.())?.certificate?.keyPem.reveal(), known.admin.keyPem.reveal())
  const issued = await there.issueClientCertificate({ commonName: 'jane', organizations: ['dev'] })
  assert.match(issued.certPem, /^-----BEGIN CERTIFICATE-----/)
  assert.deepEqual(await there.auditEvents(), [])
})

test('nobody else may read the files that hold keys', async (t) => {
  const known = await facts(tempDir(t))
  await publish(known)
  for (const path of [known.adminKubeconfigPath, known.descriptorPath]) assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('a kubeconfig carries a certificate or a token', async (t) => {
  const access = accessTo(await facts(tempDir(t)))
  const { users } = parse(access.kubeconfig({ token: Secret.of('abc') }))
  assert.deepEqual(users, [{ name: 'test', user: { token: 'abc' } }])
  assert.deepEqual(Object.keys(parse(access.kubeconfig()).users[0].user), [
    'client-certificate-data',
    'client-key-data',
  ])
})
