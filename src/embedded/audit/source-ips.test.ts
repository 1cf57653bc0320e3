import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceIps } from './source-ips.ts'

const from = (headers: Record<string, string>, remote: string | undefined = '127.0.0.1') =>
  sourceIps({ headers }, remote)

test('the peer comes last, behind those it speaks for', () => {
  assert.deepEqual(from({}), ['127.0.0.1'])
  assert.deepEqual(from({ 'x-forwarded-for': '1.2.3.4, nonsense,5.6.7.8', 'x-real-ip': '9.9.9.9' }), [
    ...['1.2.3.4', '5.6.7.8', '9.9.9.9', '127.0.0.1'],
  ])
  assert.deepEqual(from({ 'x-forwarded-for': '127.0.0.1, 1.1.1.1' }), ['127.0.0.1', '1.1.1.1', '127.0.0.1'])
})

test('no address stands twice in a row, and none twice because a proxy tells it in two ways', () => {
  assert.deepEqual(from({ 'x-forwarded-for': '127.0.0.1' }), ['127.0.0.1'])
  assert.deepEqual(from({ 'x-real-ip': '127.0.0.1' }), ['127.0.0.1'])
  assert.deepEqual(from({ 'x-forwarded-for': '1.1.1.1,2.2.2.2', 'x-real-ip': '1.1.1.1' }), [
    ...['1.1.1.1', '2.2.2.2', '127.0.0.1'],
  ])
})

test('addresses are written in one way', () => {
  assert.deepEqual(from({ 'x-forwarded-for': '::1, 2001:DB8:0::1' }, '::ffff:127.0.0.1'), [
    ...['::1', '2001:db8::1', '127.0.0.1'],
  ])
})

test('where the peer is not known, nothing is made up', () => {
  assert.deepEqual(sourceIps({ headers: {} }, undefined), [])
})
