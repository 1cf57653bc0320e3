import assert from 'node:assert/strict'
import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { Folder } from './testing/fixtures.ts'
import { aCertificate, aFolder, aKubeconfig, connection, failureOf, mustNotShow, revealed } from './testing/fixtures.ts'

const authority = await aCertificate('authority')
const apiVersion = 'client.authentication.k8s.io/v1beta1'

/** An executable that prints its KUBERNETES_EXEC_INFO, in base64, as a token. */
function aProgram(folder: Folder, name: string): void {
  mkdirSync(dirname(folder.at(name)), { recursive: true })
  folder.write(
    name,
    `#!${process.execPath}
    const token = Buffer.from(process.env.KUBERNETES_EXEC_INFO).toString('base64')
    console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: '${apiVersion}', status: { token } }))`,
  )
  chmodSync(folder.at(name), 0o700)
}

const infoIn = (token: string | undefined) => JSON.parse(Buffer.from(token ?? '', 'base64').toString())

test('a relative command is that of the folder of its kubeconfig', async (t) => {
  const folder = aFolder(t)
  aProgram(folder, 'bin/plugin')
  const user = `exec: {apiVersion: ${apiVersion}, command: ./bin/plugin}`
  const made = await connection(aKubeconfig({ user }), { folder })
  const credentials = await made.credentials?.()
  assert.equal(credentials?.scheme, 'Bearer')
  assert.deepEqual(infoIn(revealed(credentials?.authorization)).spec, { interactive: false })
})

test('a bare command is looked up in the PATH it is given', async (t) => {
  const folder = aFolder(t)
  aProgram(folder, 'lanyard-test-plugin')
  const user = `exec: {apiVersion: ${apiVersion}, command: lanyard-test-plugin}`
  const made = await connection(aKubeconfig({ user }), { folder, env: { PATH: folder.path } })
  assert.ok((await made.credentials?.())?.authorization)
  const elsewhere = await connection(aKubeconfig({ user }), { folder, env: { PATH: '/nowhere' } })
  await failureOf(() => elsewhere.credentials?.(), 'KUBECONFIG_EXEC_NOT_FOUND')
})

test('a plugin that asks is told of its cluster: the authority as data, and what is there for it alone', async (t) => {
  const folder = aFolder(t)
  aProgram(folder, 'plugin')
  folder.write('ca.crt', authority.certPem)
  const cluster = `
certificate-authority: ca.crt
tls-server-name: west
proxy-url: http://proxy:3128
disable-compression: true
extensions:
- {name: other, extension: {x: 1}}
- {name: client.authentication.k8s.io/exec, extension: {audience: west}}`
  const user = `exec: {apiVersion: ${apiVersion}, command: ./plugin, provideClusterInfo: true}`
  const made = await connection(aKubeconfig({ cluster, user }), { folder })
  assert.deepEqual(infoIn(revealed((await made.credentials?.())?.authorization)).spec.cluster, {
    server: 'https://west.example:6443',
    'tls-server-name': 'west',
    'certificate-authority-data': authority.certData,
    'proxy-url': 'http://proxy:3128',
    'disable-compression': true,
    config: { audience: 'west' },
  })
})

test('a user who has a credential of their own runs no plugin', async (t) => {
  const folder = aFolder(t)
  const exec = `exec: {apiVersion: ${apiVersion}, command: ./missing}`
  const token = await connection(aKubeconfig({ user: `${exec}\ntoken: T` }), { folder })
  assert.equal(revealed((await token.credentials?.())?.authorization), 'T')
  const pair = `client-certificate-data: ${authority.certData}\nclient-key-data: ${authority.keyData}`
  const certified = await connection(aKubeconfig({ user: `${exec}\n${pair}` }), { folder })
  assert.deepEqual(Object.keys((await certified.credentials?.()) ?? {}), ['certificate'])
})

test('to make a connection runs no plugin, and what it lacks shows at the first request', async () => {
  const made = await connection(aKubeconfig({ user: `exec: {apiVersion: ${apiVersion}, command: no-such-plugin}` }))
  await failureOf(() => made.credentials?.(), 'KUBECONFIG_EXEC_NOT_FOUND')
})

test('whoever gives up waiting for a plugin leaves it to the others', async (t) => {
  const folder = aFolder(t)
  aProgram(folder, 'plugin')
  const made = await connection(aKubeconfig({ user: `exec: {apiVersion: ${apiVersion}, command: ./plugin}` }), {
    folder,
  })
  const leaving = new AbortController()
  const [left, stayed] = [made.credentials?.({ signal: leaving.signal }), made.credentials?.()]
  leaving.abort(new Error('left'))
  await assert.rejects(left ?? Promise.resolve(), { message: 'left' })
  assert.ok((await stayed)?.authorization)
  await assert.rejects(async () => made.credentials?.({ signal: AbortSignal.abort(new Error('early')) }), {
    message: 'early',
  })
})

test('a token file wins over a token and is followed when it changes', async (t) => {
  const folder = aFolder(t)
  const clock = new FakeClock()
  folder.write('token', 'canary-file')
  const made = await connection(aKubeconfig({ user: 'token: canary-given\ntokenFile: token' }), { folder, clock })
  const token = async (refresh = false) => revealed((await made.credentials?.({ refresh }))?.authorization)
  assert.equal(await token(), 'canary-file')
  folder.write('token', 'canary-next')
  assert.equal(await token(), 'canary-file')
  assert.equal(await token(true), 'canary-next')
  folder.write('token', 'canary-last')
  await clock.advance('1s')
  assert.equal(await token(), 'canary-last')
  mustNotShow([made, await made.credentials?.()], 'canary-file', 'canary-given', 'canary-next', 'canary-last')
})

test('a certificate in files is looked for at once and followed when it is rotated', async (t) => {
  const folder = aFolder(t)
  const clock = new FakeClock()
  const text = aKubeconfig({ user: 'client-certificate: tls.crt\nclient-key: tls.key' })
  await failureOf(() => connection(text, { folder }), 'KUBECONFIG_UNREADABLE')
  const next = await aCertificate('next')
  folder.write('tls.crt', authority.certPem)
  folder.write('tls.key', authority.keyPem)
  const made = await connection(text, { folder, clock })
  folder.write('tls.crt', next.certPem)
  assert.equal((await made.credentials?.({ refresh: true }))?.certificate?.certPem, authority.certPem)
  folder.write('tls.key', next.keyPem)
  await clock.advance('1s')
  const { certificate } = (await made.credentials?.()) ?? {}
  assert.deepEqual([certificate?.certPem, revealed(certificate?.keyPem)], [next.certPem, next.keyPem])
  mustNotShow(await made.credentials?.(), next.keyPem)
})
