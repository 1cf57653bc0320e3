import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effectiveServer, isLoopback } from './loopback.ts'

const loopback = [
  'https://127.0.0.1:6443',
  'https://127.1.2.3',
  'https://127.1:6443',
  'https://localhost:6443',
  'https://LOCALHOST',
  'https://[::1]:6443',
  'https://[0:0:0:0:0:0:0:1]',
]
const elsewhere = [
  'https://localhost.example.com',
  'https://127.0.0.1.example.com',
  'https://notlocalhost',
  'https://128.0.0.1',
  'https://[::2]',
  'https://[::ffff:10.0.0.1]',
  'https://kubernetes.default.svc',
  'https://user@west.example.com/localhost',
  'not a URL',
]

test('a host on the loopback interface is known by its parsed name alone', () => {
  for (const server of loopback) assert.equal(isLoopback(server), true, server)
  for (const server of elsewhere) assert.equal(isLoopback(server), false, server)
})

test('only a hub inside a cluster, and only while the switch is on, goes elsewhere than it was told', () => {
  const go = (insideCluster: boolean, rewriteLoopback: boolean, server = 'https://127.0.0.1:6443') =>
    effectiveServer(server, { insideCluster, rewriteLoopback })
  assert.equal(go(true, true), 'https://kubernetes.default.svc')
  assert.equal(go(true, false), 'https://127.0.0.1:6443')
  assert.equal(go(false, true), 'https://127.0.0.1:6443')
  assert.equal(go(true, true, 'https://localhost.example.com'), 'https://localhost.example.com')
})
