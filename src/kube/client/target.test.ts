import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { isFailure } from '../../core/failure.ts'
import { Secret } from '../../core/secret.ts'
import { targetOf } from './target.ts'

test('a server URL is taken apart, prefix and default port included', () => {
  const { host, port, prefix, authority, shown } = targetOf({ server: 'https://rancher.example/k8s/clusters/c-1/' })
  assert.deepEqual([host, port, prefix, authority], ['rancher.example', 443, '/k8s/clusters/c-1', 'rancher.example'])
  assert.equal(shown, 'https://rancher.example/k8s/clusters/c-1')
})

test('an IPv6 address loses its brackets where a host is meant', () => {
  const { host, port, authority } = targetOf({ server: 'https://[2001:db8::1]:6443' })
  assert.deepEqual([host, port, authority], ['2001:db8::1', 6443, '[2001:db8::1]:6443'])
})

test('loopback is told apart', () => {
  const isLoopback = (server: string) => targetOf({ server }).loopback
  assert.ok(['https://127.0.0.1:1', 'https://localhost', 'https://[::1]', 'http://127.1.2.3'].every(isLoopback))
  assert.ok(!['https://127.example', 'https://10.0.0.1', 'https://localhost.example'].some(isLoopback))
})

test('userinfo of a proxy becomes a header and is shown nowhere', () => {
  const { proxy } = targetOf({ server: 'https://a', proxyUrl: Secret.of('http://me:p%40ss-canary@proxy.example:3128') })
  assert.equal(proxy?.authorization?.reveal(), `Basic ${Buffer.from('me:p@ss-canary').toString('base64')}`)
  assert.doesNotMatch(inspect(proxy) + JSON.stringify(proxy), /canary/)
  assert.equal(targetOf({ server: 'https://a', proxyUrl: Secret.of('http://proxy') }).proxy?.authorization, undefined)
})

test('userinfo of a proxy with a stray % is refused without repeating it', () => {
  assert.throws(
    () => targetOf({ server: 'https://a', proxyUrl: Secret.of('http://me:100%canary@proxy.example') }),
    (error) => isFailure(error, 'KUBE_BAD_CONNECTION') && !inspect(error).includes('canary'),
  )
})

test('what is no http or https URL is refused without repeating it', () => {
  const canary = { code: 'KUBE_BAD_CONNECTION' }
  assert.throws(() => targetOf({ server: 'unix:///var/run/x' }), canary)
  assert.throws(() => targetOf({ server: 'not a url' }), canary)
  assert.throws(
    () => targetOf({ server: 'https://a', proxyUrl: Secret.of('socks5://me:canary@x') }),
    (error) => !inspect(error).includes('canary'),
  )
})
