import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import { processorMs } from '../../../test/support/processor-time.ts'
import { Secret } from '../../core/secret.ts'
import type { Kubeconfig } from './kubeconfig.ts'
import { emptyKubeconfig, formatKubeconfig, parseKubeconfig } from './kubeconfig.ts'
import { aKubeconfig, base64, failureOf, mustNotShow } from './testing/fixtures.ts'

const read = (text: string): Kubeconfig => parseKubeconfig(text, { file: '/home/me/.kube/config' })
const problemOf = async (text: string, ...secrets: string[]) =>
  (await failureOf(() => read(text), 'KUBECONFIG_INVALID', ...secrets)).message

test('every field that kubectl knows is read', () => {
  const config = read(`
apiVersion: v1
kind: Config
current-context: c
clusters:
- name: a
  cluster:
    server: https://a
    tls-server-name: b
    insecure-skip-tls-verify: true
    certificate-authority: ca.crt
    certificate-authority-data: ${base64('CA')}
    proxy-url: http://u:p@proxy
    disable-compression: true
users:
- name: u
  user:
    client-certificate: tls.crt
    client-certificate-data: ${base64('CERT')}
    client-key: tls.key
    client-key-data: ${base64('KEY')}
    token: T
    tokenFile: token
    username: me
    password: P
    as: you
    as-uid: 1000
    as-groups: [g]
    as-user-extra: {scope: [x, y]}
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: plugin
      args: [a, 1]
      env: [{name: N, value: 2}]
      installHint: hint
      provideClusterInfo: true
      interactiveMode: Never
contexts:
- name: c
  context: {cluster: a, user: u, namespace: n}
`)
  const source = '/home/me/.kube/config'
  const folder = '/home/me/.kube'
  assert.equal(config.currentContext, 'c')
  assert.deepEqual(config.contexts, [
    {
      name: 'c',
      value: { cluster: 'a', user: 'u', namespace: 'n' },
      origin: { source, folder, field: 'contexts[0].context' },
    },
  ])
  const [cluster, user] = [config.clusters[0]?.value, config.users[0]?.value]
  assert.equal(cluster?.proxyUrl?.reveal(), 'http://u:p@proxy')
  assert.deepEqual(
    { ...cluster, proxyUrl: undefined },
    {
      server: 'https://a',
      tlsServerName: 'b',
      insecureSkipTlsVerify: true,
      certificateAuthority: 'ca.crt',
      certificateAuthorityData: 'CA',
      proxyUrl: undefined,
      disableCompression: true,
    },
  )
  assert.deepEqual(
    [user?.clientKeyData, user?.token, user?.password, user?.exec?.args?.[0], user?.exec?.args?.[1]].map((s) =>
      s?.reveal(),
    ),
    ['KEY', 'T', 'P', 'a', '1'],
  )
  assert.equal(user?.exec?.env?.[0]?.value.reveal(), '2')
  const { clientKeyData, token, password, exec, ...open } = user ?? {}
  assert.deepEqual(open, {
    clientCertificate: 'tls.crt',
    clientCertificateData: 'CERT',
    clientKey: 'tls.key',
    tokenFile: 'token',
    username: 'me',
    as: 'you',
    asUid: '1000',
    asGroups: ['g'],
    asUserExtra: { scope: ['x', 'y'] },
  })
})

test('a kubeconfig in JSON is read, also one indented with tabs', () => {
  const json = JSON.stringify({ clusters: [{ name: 'a', cluster: { server: 'https://a' } }] }, null, '\t')
  assert.equal(read(json).clusters[0]?.value.server, 'https://a')
})

test('an empty text is a kubeconfig without entries', () => {
  assert.deepEqual(read(''), emptyKubeconfig)
  assert.deepEqual(read('clusters: null\nusers: []\ncurrent-context: ""'), emptyKubeconfig)
})

test('a name or token that looks like a number keeps all its digits', () => {
  const config = read('users: [{name: 007, user: {token: 12345678901234567890}}]\ncurrent-context: 1e3')
  assert.equal(config.users[0]?.name, '007')
  assert.equal(config.users[0]?.value.token?.reveal(), '12345678901234567890')
  assert.equal(config.currentContext, '1e3')
})

test('anchors and merge keys are followed', () => {
  const config = read(`
x-common: &common {server: https://a, tls-server-name: 12}
clusters: [{name: a, cluster: {<<: *common, proxy-url: http://p}}]
`)
  assert.equal(config.clusters[0]?.value.server, 'https://a')
  assert.equal(config.clusters[0]?.value.tlsServerName, '12')
})

test('a failure names the file, the field and what is expected there', async () => {
  const file = '/home/me/.kube/config'
  const cases: [text: string, message: string][] = [
    ['- a', `${file}: document: must be a mapping`],
    ['kind: Pod', `${file}: kind: must be Config`],
    ['apiVersion: v2', `${file}: apiVersion: must be v1`],
    ['clusters: {}', `${file}: clusters: must be a list`],
    ['clusters: [{cluster: {}}]', `${file}: clusters[0].name: is missing`],
    ['clusters: [{name: a}, {name: a}]', `${file}: clusters[1].name: "a" is already the name of clusters[0]`],
    ['clusters: [{name: a, cluster: 1}]', `${file}: clusters[0].cluster: must be a mapping`],
    ['clusters: [{name: a, cluster: {server: [1]}}]', `${file}: clusters[0].cluster.server: must be text`],
    [
      'clusters: [{name: a}, {name: b, cluster: {insecure-skip-tls-verify: "true"}}]',
      `${file}: clusters[1].cluster.insecure-skip-tls-verify: must be true or false`,
    ],
    ['users: [{name: a, user: {as-groups: x}}]', `${file}: users[0].user.as-groups: must be a list`],
    ['users: [{name: a, user: {as-groups: [null]}}]', `${file}: users[0].user.as-groups[0]: must be text`],
    ['users: [{name: a, user: {as-user-extra: {k: v}}}]', `${file}: users[0].user.as-user-extra.k: must be a list`],
    ['users: [{name: a, user: {exec: {env: [{value: x}]}}}]', `${file}: users[0].user.exec.env[0].name: is missing`],
  ]
  for (const [text, message] of cases) assert.equal(await problemOf(text), message)
})

test('data that is no base64 is refused without being shown', async () => {
  const message = await problemOf('users: [{name: a, user: {client-key-data: "canary-key!"}}]', 'canary-key')
  assert.match(message, /users\[0\]\.user\.client-key-data: is not base64$/)
  await problemOf(`clusters: [{name: a, cluster: {certificate-authority-data: ${base64('CA').slice(1)}}}]`)
})

test('base64 may be wrapped over lines', () => {
  const wrapped = base64('a certificate that is long').replace(/(.{10})/g, '$1\\n')
  const config = read(`clusters: [{name: a, cluster: {certificate-authority-data: "${wrapped}"}}]`)
  assert.equal(config.clusters[0]?.value.certificateAuthorityData, 'a certificate that is long')
})

test('a text that is no YAML is refused with its place and nothing of its content', async () => {
  for (const text of [
    'users: [\n  token: canary-token',
    'token: "canary-token\\q"',
    'a: canary-token\na: 1',
    'a: 1\n---\nb: canary-token',
    'token: *canary-token',
  ])
    await failureOf(() => read(text), 'KUBECONFIG_NOT_YAML', 'canary-token')
  const failure = await failureOf(() => read('a: 1\nb: @x'), 'KUBECONFIG_NOT_YAML')
  assert.match(failure.message, /BAD_SCALAR_START at line 2, column 4/)
})

test('F11k: some ten thousand keys are read within the time that a Secret of them should take', () => {
  const keys = Array.from({ length: 30_000 }, (_, at) => `k${at}: 1`).join(', ')
  const usedMs = processorMs(() => assert.deepEqual(read(`{${keys}}`).clusters, []))
  assert.ok(usedMs < 3_000, `${usedMs} ms`)
  assert.throws(() => read(`{${keys}, k7: 2}`), /DUPLICATE_KEY/)
  const anchors = Array.from({ length: 10_000 }, (_, at) => `&a${at} 1`).join(', ')
  const aliases = Array.from({ length: 10_000 }, (_, at) => `*a${at}`).join(', ')
  const refusedMs = processorMs(() =>
    assert.throws(() => read(`{a: [${anchors}], m: &m [${aliases}], x: *m}`), /TOO_MANY_ALIASES/),
  )
  assert.ok(refusedMs < 3_000, `${refusedMs} ms`)
})

test('a text that came from no file is called by its name', async () => {
  const failure = await failureOf(() => parseKubeconfig('kind: X', { name: 'Secret fleet/west' }), 'KUBECONFIG_INVALID')
  assert.equal(failure.message, 'Secret fleet/west: kind: must be Config')
})

test('what is read prints without its secrets', () => {
  const config = read(
    aKubeconfig({
      cluster: 'proxy-url: http://me:canary-proxy@proxy',
      user: `
token: canary-token
password: canary-password
client-key-data: ${base64('canary-key')}
auth-provider: {config: {id-token: canary-id}}
unknown: canary-unknown
exec: {command: x, args: [canary-arg], env: [{name: A, value: canary-env}]}`,
    }),
  )
  mustNotShow(
    config,
    'canary-proxy',
    'canary-token',
    'canary-password',
    'canary-key',
    'canary-id',
    'canary-unknown',
    'canary-arg',
    'canary-env',
  )
})

test('what is read and written again is the same, with the fields nobody knows', () => {
  const text = `
apiVersion: v1
kind: Config
preferences: {colors: true}
extensions: [{name: e, extension: {deep: [1, 2.5, null, {x: y}]}}]
current-context: "on"
clusters:
- name: a
  cluster:
    server: https://a
    certificate-authority: ca.crt
    extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: x}}]
    future: {field: true}
  beside: kept
users:
- name: u
  user:
    client-certificate: tls.crt
    client-key: tls.key
    auth-provider: {name: oidc, config: {id-token: t}}
    exec: {apiVersion: client.authentication.k8s.io/v1, command: c, args: ["yes", "1"], env: [{name: A, value: "b"}], interactiveMode: Never, future: 1}
contexts:
- name: "on"
  context: {cluster: a, user: u, namespace: n, extensions: [{name: e, extension: null}]}
`
  assert.deepEqual(parse(formatKubeconfig(read(text)).reveal()), parse(text))
})

test('a text is the same for the same content, and words of YAML 1.1 are quoted for the parsers of Go', () => {
  const config: Kubeconfig = {
    clusters: [{ name: 'y', value: { server: 'https://a', certificateAuthorityData: 'x'.repeat(200) } }],
    users: [{ name: 'no', value: { token: Secret.of('0777'), username: '12:30:45' } }],
    contexts: [{ name: 'c', value: { cluster: 'y', user: 'no', namespace: '1' } }],
    currentContext: 'c',
  }
  assert.equal(
    formatKubeconfig(config).reveal(),
    `apiVersion: v1
kind: Config
clusters:
  - name: "y"
    cluster:
      server: https://a
      certificate-authority-data: ${base64('x'.repeat(200))}
users:
  - name: "no"
    user:
      token: "0777"
      username: "12:30:45"
contexts:
  - name: c
    context:
      cluster: "y"
      user: "no"
      namespace: "1"
current-context: c
`,
  )
})

test('whatever text a name, token or key is, it comes back from a file as it was', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((t) => t.isWellFormed())
  fc.assert(
    fc.property(text, text, text, (name, token, key) => {
      const config: Kubeconfig = {
        clusters: [{ name, value: { server: token } }],
        users: [{ name, value: { token: Secret.of(token), clientKeyData: Secret.of(key), as: key } }],
        contexts: [],
        currentContext: name,
      }
      const again = read(formatKubeconfig(config).reveal())
      assert.equal(again.currentContext, name)
      assert.equal(again.clusters[0]?.value.server, token)
      assert.equal(again.users[0]?.value.token?.reveal(), token)
      assert.equal(again.users[0]?.value.clientKeyData?.reveal(), key)
      assert.equal(again.users[0]?.value.as, key)
    }),
    { numRuns: 300 },
  )
})
