import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normalise } from './normalise.ts'

const one = '0b0e3a52-6a1c-4f0e-9d5c-0e9f1d3c2b1a'
const two = '1b0e3a52-6a1c-4f0e-9d5c-0e9f1d3c2b1a'

const rows: { what: string; from: string; to: string }[] = [
  { what: 'uids are told apart', from: `${one} ${two} ${one}`, to: '<uid 1> <uid 2> <uid 1>' },
  { what: 'times', from: 'at: "2026-01-02T03:04:05Z"', to: 'at: "<time>"' },
  { what: 'times with parts of a second', from: '2026-01-02T03:04:05.123456Z', to: '<time>' },
  { what: 'times of a diff', from: '+++ x\t2026-01-02 03:04:05.678 +0000', to: '+++ x\t<time>' },
  { what: 'times that describe tells', from: 'Mon, 16 Nov 2026 17:12:31 +0000', to: '<time>' },
  { what: 'an age at the end of a row', from: 'one   2      5m10s', to: 'one  2  <age>' },
  {
    what: 'an age within a row',
    from: 'Warning   Walked   3s (x3 over 4s)   walker',
    to: 'Warning  Walked  <age> (x3 over <age>)  walker',
  },
  { what: 'no age: a quantity', from: 'cpu: 100m', to: 'cpu: 100m' },
  { what: 'no age: how long something is waited for', from: 'for 300s', to: 'for 300s' },
  { what: 'no age: a part of a flag', from: '--timeout=10s', to: '--timeout=10s' },
  { what: 'versions in YAML', from: 'resourceVersion: "12"', to: 'resourceVersion: <version>' },
  { what: 'versions in JSON', from: '"resourceVersion": "12",', to: '"resourceVersion": <version>,' },
  { what: 'versions in a quotation', from: '\\"resourceVersion\\":\\"12\\"', to: '\\"resourceVersion\\":<version>' },
  { what: 'no version: none', from: 'resourceVersion: ""', to: 'resourceVersion: ""' },
  { what: 'the address', from: 'https://127.0.0.1:45678/api', to: '<server>/api' },
  {
    what: 'certificates',
    from: '-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\nx',
    to: '<CERTIFICATE>\nx',
  },
  { what: 'certificates in base64', from: 'ca: LS0tLS1CRUdJTiBDRVJU', to: 'ca: <base64 of a certificate>' },
  {
    what: 'addresses of services',
    from: 'web  10.0.0.17  80:31234/TCP',
    to: 'web  <cluster address>  80:<node port>/TCP',
  },
  { what: 'generated names', from: 'configmap/generated-x7k2p', to: 'configmap/generated-<random>' },
  { what: 'no generated name: one that somebody chose', from: 'made-x7k2p', to: 'made-x7k2p' },
  { what: 'the order of members', from: '{"b":1,"a":[2]}', to: '{\n  "a": [\n    2\n  ],\n  "b": 1\n}' },
  {
    what: 'the order of owners',
    from: '  managedFields:\n  - apiVersion: v1\n    manager: two\n  - apiVersion: v1\n    manager: one\n  name: x',
    to: '  managedFields:\n  - apiVersion: v1\n    manager: one\n  - apiVersion: v1\n    manager: two\n  name: x',
  },
  { what: 'the width of columns', from: 'a     b   \n', to: 'a  b\n' },
  { what: 'indentation stays', from: '    a: b', to: '    a: b' },
  {
    what: "kubectl's log",
    from: '! E1116 17:12:31.123456   12345 memcache.go:265] x',
    to: '! E <time> memcache.go] x',
  },
  { what: "kubectl's log of its watches", from: 'a\n! I1116 17:12:31.1 2 reflector.go:3] x\nb', to: 'a\nb' },
]

for (const { what, from, to } of rows) test(`normalised: ${what}`, () => assert.equal(normalise(from), to))

test('a token is told by its claims, and by how long it lasts', () => {
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const token = (from: number) =>
    `${encoded({ alg: 'RS256', kid: from })}.${encoded({ sub: 'robot', iat: from, nbf: from, exp: from + 600 })}.c2ln`
  assert.equal(normalise(token(1)), '<token {"sub":"robot","startsAfter":0,"lasts":600}>')
  assert.equal(normalise(token(1)), normalise(token(2)))
})
