import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { aCanary, assertNoCanary, findCanary } from './canary.ts'

const forms = (text: string | Uint8Array, canary: string): string[] => findCanary(text, canary).map(({ form }) => form)

const base64 = (text: string) => Buffer.from(text).toString('base64')
const wrap = (text: string, columns: number, end = '\n') => text.replace(new RegExp(`.{${columns}}`, 'g'), `$&${end}`)

const disguises: [form: string, disguise: (secret: string) => string | Uint8Array][] = [
  ['plain', (secret) => secret],
  ['plain', (secret) => Buffer.from(secret)],
  ['JSON-escaped', (secret) => JSON.stringify({ token: secret })],
  ['JSON-escaped', (secret) => JSON.stringify({ body: JSON.stringify({ token: secret }) })],
  ['URL-encoded', (secret) => `https://a.example/?token=${encodeURIComponent(secret)}`],
  ['URL-encoded', (secret) => new URLSearchParams({ a: 'b', token: secret }).toString()],
  ['URL-encoded', (secret) => encodeURIComponent(encodeURIComponent(secret))],
  ['URL-encoded', (secret) => encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase())],
  ['URL-encoded', (secret) => [...Buffer.from(secret)].map((byte) => `%${byte.toString(16).toUpperCase()}`).join('')],
  ['base64', (secret) => base64(secret)],
  ['base64', (secret) => base64(`user:${secret}:x`)],
  ['base64', (secret) => Buffer.from(`{"t":${JSON.stringify('x')},"s":"${secret}"}`).toString('base64url')],
  ['base64', (secret) => wrap(base64(`-----\n${secret}\n-----`), 8)],
  ['base64', (secret) => JSON.stringify(wrap(base64(`ab${secret}`), 64))],
  ['base64 twice', (secret) => base64(`kind: Config\ndata: ${base64(`a${secret}`)}\n`)],
  ['hex', (secret) => Buffer.from(secret).toString('hex')],
  ['hex', (secret) => Buffer.from(`x${secret}`).toString('hex').toUpperCase()],
  ['hex', (secret) => (Buffer.from(secret).toString('hex').match(/../g) ?? []).join(':')],
  ['UTF-16', (secret) => Buffer.from(secret, 'utf16le')],
]
for (const [form, disguise] of disguises)
  for (const awkward of [false, true])
    test(`${awkward ? 'an awkward' : 'a plain'} canary is found as ${form} in ${disguise}`, () => {
      const canary = aCanary({ awkward })
      const seen = forms(disguise(canary), canary)
      // Letters and digits are the same in JSON and in a URL.
      const alike = !awkward && ['JSON-escaped', 'URL-encoded'].includes(form) ? [form, 'plain'] : [form]
      assert.ok(
        seen.some((one) => alike.some((name) => one === name || one === `${name}, wrapped`)),
        `seen as ${seen}`,
      )
    })

test('a canary is found wherever it stands in what is encoded', () => {
  const around = [fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 })] as const
  const encodings = fc.constantFrom('base64' as const, 'base64url' as const, 'hex' as const, 'latin1' as const)
  fc.assert(
    fc.property(...around, encodings, fc.boolean(), (left, right, encoding, awkward) => {
      const canary = aCanary({ awkward })
      const text = Buffer.concat([left, Buffer.from(canary), right])
      assert.notDeepEqual(findCanary(encoding === 'latin1' ? text : text.toString(encoding), canary), [])
    }),
    { numRuns: 500 },
  )
})

test('base64 of base64 is found at every alignment of both', () => {
  fc.assert(
    fc.property(fc.nat({ max: 8 }), fc.nat({ max: 8 }), (inner, outer) => {
      const canary = aCanary()
      assert.ok(
        forms(base64(`${'a'.repeat(outer)}${base64('b'.repeat(inner) + canary)}c`), canary).includes('base64 twice'),
      )
    }),
  )
})

test('no text without the canary is suspected', () => {
  const canary = aCanary()
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.json(), fc.constant(aCanary())), (text) => {
      assert.deepEqual(findCanary(text, canary), [])
    }),
    { numRuns: 500 },
  )
})

test('every canary is another', () => {
  assert.equal(new Set(Array.from({ length: 100 }, () => aCanary())).size, 100)
})

test('the assertion tells source, form and place', () => {
  const [one, other] = [aCanary(), aCanary()]
  const sources = { 'hub log': `x\ntoken=${one}`, 'agent log': 'nothing', events: `data: ${base64(other)}` }
  assert.throws(() => assertNoCanary(sources, [one, other]), {
    name: 'AssertionError',
    message:
      'a secret shows in\n  hub log: plain at byte 8, after "x\\ntoken="\n  events: base64 at byte 6, after "data: "',
  })
})

test('the assertion is silent when there is nothing to tell', () => {
  assertNoCanary({ log: 'all is well', bytes: Buffer.from([1, 2, 3]) }, aCanary())
})
