import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf, durationMs, gatesOf, httpsUrl, listOf, pairsOf, patternsOf, wholeNumber } from './flag-values.ts'

test('lists are parted by commas, and repeated flags add to them', () => {
  assert.deepEqual(listOf('b, c,', ['a']), ['a', 'b', 'c'])
})

test('regular expressions keep the commas in their braces', () => {
  assert.deepEqual(patternsOf('a{1,2}:b, c{3,},d,', ['x']), ['x', 'a{1,2}:b', 'c{3,}', 'd'])
})

test('pairs are parted at the first =', () => {
  assert.deepEqual(pairsOf('a=1,b=x=y', { z: '0' }), { z: '0', a: '1', b: 'x=y' })
  assert.throws(() => pairsOf('=1'), /key=value/)
  assert.throws(() => pairsOf('a'), /"a" is not of the form/)
})

test('a gate is true or false and nothing else', () => {
  assert.deepEqual(gatesOf('A=true,B=false'), { A: true, B: false })
  assert.throws(() => gatesOf('A=yes'), /=true or =false/)
})

test('durations are written as Go writes them', () => {
  assert.equal(durationMs('1h30m'), 5_400_000)
  assert.equal(durationMs('1m0s'), 60_000)
  assert.equal(durationMs('500ms'), 500)
  assert.equal(durationMs('1.5s'), 1_500)
  for (const wrong of ['', '5', '5 s', 's', '5x', '1h-3m']) assert.throws(() => durationMs(wrong), /duration/)
})

test('an address has a host, or stands for all of them', () => {
  assert.deepEqual(addressOf('127.0.0.1:9443'), { host: '127.0.0.1', port: 9443 })
  assert.deepEqual(addressOf('[::1]:0'), { host: '::1', port: 0 })
  assert.deepEqual(addressOf(':8443'), { host: '0.0.0.0', port: 8443 })
  for (const wrong of ['9443', '127.0.0.1', 'a:b', ':70000', '::1:80']) assert.throws(() => addressOf(wrong), /address/)
})

test('numbers are whole and within their bounds', () => {
  assert.equal(wholeNumber(0)('12'), 12)
  for (const wrong of ['-1', '1.5', 'x', '']) assert.throws(() => wholeNumber(0)(wrong), /whole number/)
  assert.throws(() => wholeNumber(1, 5)('6'), /1 to 5/)
})

test('a URL is https, and loses the slash at its end', () => {
  assert.equal(httpsUrl('https://hub.example.com:6443/'), 'https://hub.example.com:6443')
  assert.throws(() => httpsUrl('http://hub.example.com'), /https/)
})
