import assert from 'node:assert/strict'
import { test } from 'node:test'
import { throughAlias } from './host-alias.ts'

const alias = { ip: '10.0.0.1', hostname: 'hub.example.com' }

test('the address is called by the name of the hub, port and path stay', () => {
  const { server, tls } = throughAlias({ server: 'https://hub.example.com:6443/fleet', tls: { ca: 'PEM' } }, alias)
  assert.equal(server, 'https://10.0.0.1:6443/fleet')
  assert.deepEqual(tls, { ca: 'PEM', serverName: 'hub.example.com' })
})

test('a name that the kubeconfig asks for stays; names are compared whole', () => {
  const own = throughAlias({ server: 'https://hub.example.com', tls: { serverName: 'x' } }, alias)
  assert.deepEqual([own.server, own.tls.serverName], ['https://10.0.0.1', 'x'])
  const other = { server: 'https://other.hub.example.com', tls: {} }
  assert.equal(throughAlias(other, alias), other)
  assert.equal(throughAlias(other, undefined), other)
})
