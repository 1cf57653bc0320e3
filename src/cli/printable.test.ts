import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explain } from './explain.ts'
import { printable } from './printable.ts'
import { lineProgress } from './progress.ts'
import { formatTable } from './table.ts'

const evil = 'a\u001b[2Kb\rc\u009bd'

test('control characters do not reach a terminal; lines stay lines', () => {
  assert.equal(printable(evil), 'a\u{fffd}[2Kb\u{fffd}c\u{fffd}d')
  assert.equal(printable('one\ntwo'), 'one\ntwo')
})

test('marks that turn the direction of a text around do not either: what is shown would not be what is there', () => {
  for (const mark of ['\u202e', '\u2066', '\u200f', '\u2028']) assert.equal(printable(`a${mark}b`), 'a\u{fffd}b')
  assert.equal(printable('käse שלום 東京'), 'käse שלום 東京')
})

test('neither tables nor progress nor errors print them', () => {
  const lines: string[] = []
  lineProgress((line) => lines.push(line)).show({ did: evil, detail: evil })
  const shown = [formatTable([{ heading: 'NAME', cell: () => evil }], [{}]), explain(new Error(evil)), ...lines]
  for (const text of shown) for (const control of ['\u001b', '\r', '\u009b']) assert.ok(!text.includes(control))
})
