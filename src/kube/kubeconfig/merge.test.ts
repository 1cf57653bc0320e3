import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { Secret } from '../../core/secret.ts'
import { emptyKubeconfig, formatKubeconfig, parseKubeconfig } from './kubeconfig.ts'
import { mergeKubeconfigs, withAbsolutePaths, withContext } from './merge.ts'

const first = parseKubeconfig(
  `
preferences: {colors: true}
clusters: [{name: a, cluster: {server: https://first}}]
users: [{name: u, user: {token: first}}]
`,
  { file: '/one/config' },
)
const second = parseKubeconfig(
  `
preferences: {colors: false}
current-context: c
clusters: [{name: a, cluster: {server: https://second, tls-server-name: x}}, {name: b, cluster: {server: https://b, certificate-authority: ca.crt}}]
users: [{name: u, user: {token: second, as: other}}]
contexts: [{name: c, context: {cluster: b, user: u}}]
`,
  { file: '/two/config' },
)

test('the first file to use a name wins whole, the first to set a value as well', () => {
  const merged = mergeKubeconfigs([first, second])
  assert.deepEqual(
    merged.clusters.map(({ name, value }) => [name, value.server, value.tlsServerName]),
    [
      ['a', 'https://first', undefined],
      ['b', 'https://b', undefined],
    ],
  )
  assert.deepEqual([merged.users[0]?.value.token?.reveal(), merged.users[0]?.value.as], ['first', undefined])
  assert.equal(merged.currentContext, 'c')
  assert.deepEqual(parse(merged.rest?.reveal() ?? ''), { preferences: { colors: true } })
})

test('an entry keeps the folder and the field of the file it stood in', () => {
  const [a, b] = mergeKubeconfigs([first, second]).clusters
  assert.deepEqual(a?.origin, { source: '/one/config', folder: '/one', field: 'clusters[0].cluster' })
  assert.deepEqual(b?.origin, { source: '/two/config', folder: '/two', field: 'clusters[1].cluster' })
})

test('a kubeconfig built from parts is what the agents of the field write', () => {
  const config = withContext(emptyKubeconfig, {
    cluster: {
      server: 'https://hub:6443',
      certificateAuthorityData: 'PEM',
      tlsServerName: 'hub',
      proxyUrl: Secret.of('http://proxy:3128'),
    },
    user: { clientCertificate: 'tls.crt', clientKey: 'tls.key' },
    namespace: 'west',
  })
  assert.equal(
    formatKubeconfig(config).reveal(),
    `apiVersion: v1
kind: Config
clusters:
  - name: default-cluster
    cluster:
      server: https://hub:6443
      tls-server-name: hub
      certificate-authority-data: UEVN
      proxy-url: http://proxy:3128
users:
  - name: default-auth
    user:
      client-certificate: tls.crt
      client-key: tls.key
contexts:
  - name: default-context
    context:
      cluster: default-cluster
      user: default-auth
      namespace: west
current-context: default-context
`,
  )
})

test('a plugin, a token and an anonymous user can be built as well', () => {
  const cluster = { server: 'https://hub' }
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'lanyard',
    args: [Secret.of('token')],
    interactiveMode: 'Never',
  }
  const plugin = parse(formatKubeconfig(withContext(emptyKubeconfig, { cluster, user: { exec } })).reveal())
  assert.deepEqual(plugin.users[0].user.exec, { ...exec, args: ['token'] })
  const token = withContext(emptyKubeconfig, { cluster, user: { token: Secret.of('T') } })
  assert.equal(parse(formatKubeconfig(token).reveal()).users[0].user.token, 'T')
  const anonymous = withContext(emptyKubeconfig, { cluster })
  assert.deepEqual(anonymous.users, [])
  assert.equal(anonymous.contexts[0]?.value.user, undefined)
})

test('a context added to a kubeconfig replaces what has its names, in place, and leaves the rest', () => {
  const names = { cluster: 'a', user: 'u', context: 'new' }
  const config = withContext(second, { cluster: { server: 'https://new' }, user: { token: Secret.of('new') }, names })
  assert.deepEqual(
    config.clusters.map(({ name, value }) => [name, value.server]),
    [
      ['a', 'https://new'],
      ['b', 'https://b'],
    ],
  )
  assert.deepEqual(
    config.contexts.map(({ name }) => name),
    ['c', 'new'],
  )
  assert.equal(config.currentContext, 'new')
  assert.equal(config.rest, second.rest)
  assert.equal(second.currentContext, 'c', 'the original is left alone')
})

test('relative paths become absolute by the folder of their file; a bare command stays for PATH', () => {
  const config = parseKubeconfig(
    `
clusters: [{name: a, cluster: {server: https://a, certificate-authority: pki/ca.crt}}]
users:
- {name: u, user: {client-certificate: tls.crt, client-key: /abs/tls.key, tokenFile: ../token, exec: {command: bin/plugin}}}
- {name: v, user: {exec: {command: plugin}}}
`,
    { file: '/etc/hub/config' },
  )
  const moved = withAbsolutePaths(config)
  assert.equal(moved.clusters[0]?.value.certificateAuthority, '/etc/hub/pki/ca.crt')
  const [u, v] = moved.users.map(({ value }) => value)
  assert.deepEqual(
    [u?.clientCertificate, u?.clientKey, u?.tokenFile, u?.exec?.command, v?.exec?.command],
    ['/etc/hub/tls.crt', '/abs/tls.key', '/etc/token', '/etc/hub/bin/plugin', 'plugin'],
  )
  assert.deepEqual(withAbsolutePaths(config, '/etc/hub'), config)
})
