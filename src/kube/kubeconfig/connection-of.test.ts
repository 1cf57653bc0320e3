import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { Secret } from '../../core/secret.ts'
import { connectionOf } from './connection-of.ts'
import { emptyKubeconfig, parseKubeconfig } from './kubeconfig.ts'
import { withContext } from './merge.ts'
import { aCertificate, aFolder, aKubeconfig, connection, failureOf, mustNotShow, revealed } from './testing/fixtures.ts'

const leaf = await aCertificate('api.example')
const other = await aCertificate('other')

const problemOf = async (parts: { cluster?: string; user?: string }, code = 'KUBECONFIG_INVALID') =>
  (await failureOf(() => connection(aKubeconfig(parts)), code, 'canary')).message

test('a cluster becomes server, trust and proxy', async () => {
  const made = await connection(
    aKubeconfig({
      cluster: `
certificate-authority-data: ${leaf.certData}
tls-server-name: api.example
proxy-url: https://me:canary@proxy:3128
disable-compression: true`,
    }),
  )
  assert.equal(made.server, 'https://west.example:6443')
  assert.deepEqual(made.tls, { ca: leaf.certPem, serverName: 'api.example' })
  assert.equal(revealed(made.proxyUrl), 'https://me:canary@proxy:3128')
  assert.equal(made.disableCompression, true)
  mustNotShow(made, 'canary')
})

test('a user without credentials and without impersonation is anonymous', async () => {
  const made = await connection(aKubeconfig())
  assert.equal(made.credentials, undefined)
  assert.equal(made.headers, undefined)
  assert.deepEqual(made.tls, {})
})

test('a path before /api stays, slashes at its end and a query do not', async () => {
  const of = async (server: string) =>
    (await connection(aKubeconfig().replace('https://west.example:6443', server))).server
  assert.equal(await of('https://rancher/k8s/clusters/c-1/'), 'https://rancher/k8s/clusters/c-1')
  assert.equal(await of('https://a:6443/'), 'https://a:6443')
  assert.equal(await of('https://[fd00::1]:6443?x=y#z'), 'https://[fd00::1]:6443')
})

test('what is wrong with a cluster is told by its field', async () => {
  const at = '/nowhere/config: clusters[0].cluster.'
  assert.equal(
    await problemOf({ cluster: `insecure-skip-tls-verify: true\ncertificate-authority-data: ${leaf.certData}` }),
    `${at}insecure-skip-tls-verify: must not be true when a certificate authority is given`,
  )
  assert.equal(
    await problemOf({ cluster: `certificate-authority: ca.crt\ncertificate-authority-data: ${leaf.certData}` }),
    `${at}certificate-authority: must not be given together with certificate-authority-data`,
  )
  assert.equal(
    await problemOf({ cluster: `certificate-authority-data: ${leaf.keyData}` }),
    `${at}certificate-authority-data: holds no PEM certificate`,
  )
  assert.match(await problemOf({ cluster: 'proxy-url: proxy:canary' }), /\.proxy-url: must be a URL/)
  assert.equal(
    await problemOf({ cluster: 'proxy-url: socks5://me:canary@proxy' }, 'KUBECONFIG_UNSUPPORTED'),
    `${at}proxy-url: socks5 proxies are not supported; use an http or https proxy`,
  )
  for (const server of ['http://a', 'a:6443', 'canary', 'https://me:canary@a']) {
    const text = aKubeconfig().replace('https://west.example:6443', server)
    const failure = await failureOf(() => connection(text), 'KUBECONFIG_INVALID', 'canary')
    assert.match(failure.message, /clusters\[0\]\.cluster\.server: must /)
  }
})

test('trust can be switched off when no authority is given', async () => {
  const made = await connection(aKubeconfig({ cluster: 'insecure-skip-tls-verify: true' }))
  assert.deepEqual(made.tls, { insecureSkipVerify: true })
})

test('an authority in a file is read again when it changes', async (t) => {
  const folder = aFolder(t)
  const clock = new FakeClock()
  folder.write('ca.crt', leaf.certPem)
  const made = await connection(aKubeconfig({ cluster: 'certificate-authority: ca.crt' }), { folder, clock })
  assert.equal(made.tls.ca, leaf.certPem)
  folder.write('ca.crt', other.certPem)
  await clock.advance('2s')
  assert.deepEqual(await made.credentials?.(), {})
  assert.equal(made.tls.ca, other.certPem)
  folder.write('ca.crt', 'half-written')
  assert.deepEqual(await made.credentials?.({ refresh: true }), {})
  assert.equal(made.tls.ca, other.certPem)
})

test('an authority file that is missing or holds none is told at once', async (t) => {
  const folder = aFolder(t)
  const text = aKubeconfig({ cluster: 'certificate-authority: ca.crt' })
  const missing = await failureOf(() => connection(text, { folder }), 'KUBECONFIG_UNREADABLE')
  assert.match(missing.message, new RegExp(folder.at('ca.crt')))
  folder.write('ca.crt', leaf.keyPem)
  await failureOf(() => connection(text, { folder }), 'KUBECONFIG_CREDENTIAL_FILE', leaf.keyPem)
})

test('a token, user and password, and a certificate are handed to the client', async () => {
  const credentialsOf = async (user: string) => (await connection(aKubeconfig({ user }))).credentials?.()
  assert.equal(revealed((await credentialsOf('token: T'))?.authorization), 'T')
  assert.equal(revealed((await credentialsOf('username: me\npassword: p:w'))?.authorization), 'me:p:w')
  const pair = `client-certificate-data: ${leaf.certData}\nclient-key-data: ${leaf.keyData}`
  const both = await credentialsOf(`${pair}\ntoken: T`)
  assert.equal(both?.certificate?.certPem, leaf.certPem)
  assert.equal(revealed(both?.certificate?.keyPem), leaf.keyPem)
  assert.equal(revealed(both?.authorization), 'T')
})

test("the scheme is named, because a token may hold a colon as Rancher's do", async () => {
  const schemeOf = async (user: string) => {
    const credentials = await (await connection(aKubeconfig({ user }))).credentials?.()
    return credentials?.scheme
  }
  assert.equal(await schemeOf('token: kubeconfig-user-abc:xyz'), 'Bearer')
  assert.equal(await schemeOf('username: me'), 'Basic')
})

test('unchanged credentials are the same object, so that a client can compare them cheaply', async () => {
  const user = `client-certificate-data: ${leaf.certData}\nclient-key-data: ${leaf.keyData}`
  const made = await connection(aKubeconfig({ user }))
  const [a, b] = [await made.credentials?.(), await made.credentials?.({ refresh: true })]
  assert.equal(a?.certificate, b?.certificate)
})

test('what is wrong with a user is told by its field', async () => {
  const at = '/nowhere/config: users[0].user.'
  const cases: [user: string, message: RegExp | string][] = [
    [
      'token: canary\nusername: me',
      `${at}username: must not be given together with a token; a request carries one of them`,
    ],
    ['tokenFile: x\npassword: canary', /\.username: must not be given together with a token/],
    ['username: "a:b"', `${at}username: must not contain a colon`],
    ['token: "canary\\nx"', /\.token: holds characters that a header cannot carry/],
    ['client-certificate: tls.crt', /\.client-key: is missing/],
    ['client-key: tls.key', /\.client-certificate: is missing/],
    [
      `client-certificate: a\nclient-certificate-data: ${leaf.certData}\nclient-key: b`,
      /\.client-certificate: must not be/,
    ],
    [
      `client-certificate: a\nclient-key: b\nclient-key-data: ${leaf.keyData}`,
      /\.client-key: must not be given together/,
    ],
    ['as-groups: [admins]', `${at}as: is missing; as-uid, as-groups and as-user-extra need it`],
    ['exec: {apiVersion: client.authentication.k8s.io/v1}', `${at}exec.command: is missing`],
    ['exec: {command: x}', /\.exec\.apiVersion: must be client\.authentication\.k8s\.io\/v1 or /],
    ['exec: {command: x, apiVersion: client.authentication.k8s.io/v1alpha1}', /\.exec\.apiVersion: must be/],
    ['exec: {command: x, apiVersion: client.authentication.k8s.io/v1}', /\.exec\.interactiveMode: is missing/],
    [
      'exec: {command: x, apiVersion: client.authentication.k8s.io/v1, interactiveMode: No}',
      /\.exec\.interactiveMode: must be Never/,
    ],
  ]
  for (const [user, message] of cases) {
    const told = await problemOf({ user })
    if (typeof message === 'string') assert.equal(told, message)
    else assert.match(told, message)
  }
  assert.match(
    await problemOf({ user: 'auth-provider: {name: oidc, config: {id-token: canary}}' }, 'KUBECONFIG_UNSUPPORTED'),
    /users\[0\]\.user\.auth-provider: is not supported.*exec plugin/,
  )
})

test('a key in the kubeconfig that is not that of the certificate is told at once', async () => {
  const user = `client-certificate-data: ${leaf.certData}\nclient-key-data: ${other.keyData}`
  const mismatch = await failureOf(() => connection(aKubeconfig({ user })), 'KUBECONFIG_KEY_MISMATCH', other.keyPem)
  assert.match(mismatch.message, /users\[0\]\.user\.client-key-data/)
  const noKey = `client-certificate-data: ${leaf.certData}\nclient-key-data: ${leaf.certData}`
  await failureOf(() => connection(aKubeconfig({ user: noKey })), 'KUBECONFIG_CREDENTIAL_FILE')
})

test('impersonation becomes headers, one for each value', async () => {
  const user = `
as: jürgen
as-uid: 12
as-groups: [admins, "a,b"]
as-user-extra: {scopes: [x, y], "acme.io/Ä%": [z], none: []}`
  const made = await connection(aKubeconfig({ user }))
  assert.deepEqual(made.headers, {
    'Impersonate-User': Buffer.from('jürgen').toString('latin1'),
    'Impersonate-Uid': '12',
    'Impersonate-Group': ['admins', 'a,b'],
    'Impersonate-Extra-scopes': ['x', 'y'],
    'Impersonate-Extra-acme.io%2F%C3%84%25': 'z',
  })
})

test('a kubeconfig that others may write names no files and no programs', async () => {
  const parts: [field: string, parts: { cluster?: string; user?: string }][] = [
    ['clusters[0].cluster.certificate-authority', { cluster: 'certificate-authority: /etc/ca.crt' }],
    ['users[0].user.client-certificate', { user: `client-certificate: /etc/c\nclient-key-data: ${leaf.keyData}` }],
    ['users[0].user.client-key', { user: `client-certificate-data: ${leaf.certData}\nclient-key: /etc/k` }],
    ['users[0].user.tokenFile', { user: 'tokenFile: /var/run/secrets/token' }],
    // As v1 it lacks its interactiveMode, too; that is not worth telling.
    ['users[0].user.exec', { user: 'exec: {command: sh, apiVersion: client.authentication.k8s.io/v1}' }],
    ['users[0].user.exec', { user: 'token: t\nexec: {command: sh, apiVersion: client.authentication.k8s.io/v1beta1}' }],
  ]
  for (const [field, part] of parts) {
    const text = aKubeconfig(part)
    const failure = await failureOf(() => connection(text, { selfContained: true }), 'KUBECONFIG_NOT_SELF_CONTAINED')
    assert.ok(failure.message.includes(`: ${field}: `), failure.message)
  }
  const made = await connection(aKubeconfig({ user: 'token: T' }), { selfContained: true })
  assert.equal(revealed((await made.credentials?.())?.authorization), 'T')
})

test('the namespace and the name of the context come with the connection', async () => {
  const config = parseKubeconfig(aKubeconfig({ namespace: 'fleet' }), { file: '/c' })
  const found = await connectionOf(config, { source: '/c', clock: new FakeClock(), env: {} })
  assert.deepEqual([found.namespace, found.context, found.source], ['fleet', 'west', '/c'])
})

test('a kubeconfig built in memory can be used without a file', async () => {
  const config = withContext(emptyKubeconfig, { cluster: { server: 'https://a' }, user: { token: Secret.of('T') } })
  const found = await connectionOf(config, { source: 'memory', clock: new FakeClock(), env: {} })
  assert.equal(revealed((await found.connection.credentials?.())?.authorization), 'T')
  const broken = withContext(emptyKubeconfig, { cluster: { server: '' } })
  const failure = await failureOf(
    () => connectionOf(broken, { source: 'memory', clock: new FakeClock(), env: {} }),
    'KUBECONFIG_INVALID',
  )
  assert.match(failure.message, /^the kubeconfig: "default-cluster"\.server: is missing/)
})
