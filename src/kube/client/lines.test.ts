import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { processorMs } from '../../../test/support/processor-time.ts'
import { LineBuffer } from './lines.ts'

function all(lines: LineBuffer): string[] {
  const taken: string[] = []
  for (let line = lines.next(); line !== undefined; line = lines.next()) taken.push(line)
  return taken
}

test('lines come out whole however the bytes are cut, and every byte is accounted for', () => {
  const text = fc.array(fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', '')))
  fc.assert(
    fc.property(text, fc.array(fc.nat(40)), fc.boolean(), (written, cuts, takeBetween) => {
      const bytes = Buffer.from(written.map((line) => `${line}\n`).join(''))
      const lines = new LineBuffer()
      const taken: string[] = []
      let at = 0
      for (const cut of [...cuts, bytes.length]) {
        lines.push(bytes.subarray(at, at + cut))
        at = Math.min(bytes.length, at + cut)
        if (takeBetween) taken.push(...all(lines))
      }
      taken.push(...all(lines))
      assert.deepEqual(
        taken,
        written.filter((line) => line !== ''),
      )
      assert.equal(lines.size, 0)
    }),
  )
})

test('what has no line end yet stays, and is taken only when asked for', () => {
  const lines = new LineBuffer()
  lines.push(Buffer.from('whole\nhal'))
  lines.push(Buffer.from('f'))
  assert.deepEqual(all(lines), ['whole'])
  assert.equal(lines.size, 4)
  assert.equal(lines.rest(), 'half')
  assert.equal(lines.rest(), '')
  assert.equal(lines.size, 0)
})

test('a line of 20 MB in pieces of 1 KB costs about what it takes to copy it', () => {
  const lines = new LineBuffer()
  const piece = Buffer.alloc(1_024, 'x')
  const tookMs = processorMs(() => {
    for (let i = 0; i < 20_480; i++) {
      lines.push(piece)
      assert.equal(lines.next(), undefined)
    }
    lines.push(Buffer.from('\n'))
    assert.equal(lines.next()?.length, 20 * 2 ** 20)
  })
  // Searched anew with each piece this takes minutes.
  assert.ok(tookMs < 5_000)
})

test('cleared lines are gone', () => {
  const lines = new LineBuffer()
  lines.push(Buffer.from('a\nb'))
  lines.clear()
  lines.push(Buffer.from('c\n'))
  assert.deepEqual(all(lines), ['c'])
})
