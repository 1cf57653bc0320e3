import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Chain } from './chain.ts'
import type { AuditHead } from './heads.ts'
import { anEvent } from './testing/events.ts'
import { verifyAudit } from './verify.ts'

/** The lines of two writers in turns, and the heads that the hub has of them. */
function aLog(records = 6): { lines: string[]; heads: AuditHead[] } {
  const chains = [new Chain('a'), new Chain('b')]
  const lines = Array.from({ length: records }, (_, at) =>
    JSON.stringify((chains[at % 2] as Chain).append(anEvent({ id: `${at}` }))),
  )
  const heads = chains.map((chain) => ({
    writer: chain.writer,
    ...chain.head,
    at: '2026-01-01T00:00:00Z',
    sink: 'log',
  }))
  return { lines, heads }
}

const faultOf = async (lines: readonly string[], heads: readonly AuditHead[]) => {
  const verdict = await verifyAudit(lines, heads)
  if (verdict.ok) return 'none'
  const { line, writer, seq, what } = verdict.fault
  return { line, writer, seq, what }
}
const without = (lines: readonly string[], at: number) => lines.filter((_, index) => index !== at)

describe('an audit log', () => {
  test('passes as it was written', async () => {
    const { lines, heads } = aLog()
    assert.deepEqual(await verifyAudit(lines, heads), { ok: true, records: 6, writers: 2, torn: [] })
  })

  test('may be longer than what is anchored', async () => {
    const { lines, heads } = aLog()
    const early = JSON.parse(lines[0] ?? '')
    const first = { writer: 'a', seq: 1, hash: early.hash, at: '', sink: 'log' }
    assert.equal((await verifyAudit(lines, [first, heads[1] as AuditHead])).ok, true)
  })

  test('names the line that was edited, also where its hash was made anew', async () => {
    const { lines, heads } = aLog()
    const edited = lines.map((line, at) => (at === 2 ? line.replace('dev@example.com', 'eve@example.com') : line))
    assert.deepEqual(await faultOf(edited, heads), { line: 3, writer: 'a', seq: 2, what: 'edited' })

    const forger = new Chain('a')
    const forged = lines.map((line, at) => {
      if (at % 2 === 1) return line
      return JSON.stringify(forger.append(at === 2 ? anEvent({ id: 'forged' }) : JSON.parse(line).event))
    })
    assert.deepEqual(await faultOf(forged, heads), { line: 5, writer: 'a', seq: 3, what: 'edited' })
  })

  test('names what is missing, out of order or there twice', async () => {
    const { lines, heads } = aLog()
    assert.deepEqual(await faultOf(without(lines, 2), heads), { line: 4, writer: 'a', seq: 2, what: 'missing' })
    assert.deepEqual(await faultOf(without(lines, 0), heads), { line: 2, writer: 'a', seq: 1, what: 'missing' })
    const swapped = [...lines.slice(0, 2), lines[4] ?? '', lines[3] ?? '', lines[2] ?? '', lines[5] ?? '']
    assert.deepEqual(await faultOf(swapped, heads), { line: 3, writer: 'a', seq: 2, what: 'reordered' })
    assert.deepEqual(await faultOf([...lines.slice(0, 3), lines[2] ?? '', ...lines.slice(3)], heads), {
      ...{ line: 4, writer: 'a', seq: 2, what: 'duplicated' },
    })
  })

  test('names a tail that was cut, a writer nobody knows and one that is not there', async () => {
    const { lines, heads } = aLog()
    assert.deepEqual(await faultOf(lines.slice(0, 4), heads), { line: 3, writer: 'a', seq: 3, what: 'tail cut' })
    const stranger = JSON.stringify(new Chain('c').append(anEvent()))
    assert.deepEqual(await faultOf([...lines, stranger], heads), {
      line: 7,
      writer: 'c',
      seq: 1,
      what: 'unknown writer',
    })
    const onlyA = lines.filter((_, at) => at % 2 === 0)
    assert.deepEqual(await faultOf(onlyA, heads), { line: undefined, writer: 'b', seq: 1, what: 'writer missing' })
  })

  test('takes a process that was killed after its first line for no forger, nor one that never got there', async () => {
    const { lines, heads } = aLog()
    const known = ['c', 'd'].map((writer) => ({ writer, seq: 0, hash: '', at: '', sink: 'log' }))
    const first = JSON.stringify(new Chain('c').append(anEvent()))
    assert.deepEqual(await verifyAudit([...lines, first], [...heads, ...known]), {
      ...{ ok: true, records: 7, writers: 3, torn: [], unanchored: { records: 1, line: 7 } },
    })
  })

  test('tells what is not anchored, and names it where its writer had ended or would have anchored it', async () => {
    const { lines, heads } = aLog()
    const chain = new Chain('c')
    const own = JSON.stringify(chain.append(anEvent()))
    const head = { writer: 'c', ...chain.head, at: '2026-01-01T00:00:00Z', sink: 'log' }
    const added = (timestamp: string) => {
      const forger = new Chain('c')
      forger.backTo(chain.head)
      return [...lines, own, JSON.stringify(forger.append(anEvent({ timestamp })))]
    }
    const lastMoments = added('2026-01-01T00:00:03.000Z')
    const verdict = await verifyAudit(lastMoments, [...heads, head])
    assert.deepEqual([verdict.ok, verdict.unanchored], [true, { records: 1, line: 8 }])
    const place = { line: 8, writer: 'c', seq: 2, what: 'not anchored' }
    assert.deepEqual(await faultOf(lastMoments, [...heads, { ...head, final: true }]), place)

    const later = added('2026-01-01T12:00:00.000Z')
    assert.equal(await faultOf(later, [...heads, head]), 'none')
    const others = heads.map((one) => ({ ...one, at: '2026-01-02T00:00:00Z' }))
    assert.deepEqual(await faultOf(later, [...others, head]), place)
    // It was slow, and has come this far since.
    const headsNow = async () => [{ ...head, seq: 2, hash: 'any' }]
    assert.equal((await verifyAudit(later, [...others, head], { headsNow })).ok, true)
  })

  test('asks once more about a writer that may have begun meanwhile', async () => {
    const { lines, heads } = aLog()
    const chain = new Chain('c')
    const later = [chain.append(anEvent()), chain.append(anEvent())].map((record) => JSON.stringify(record))
    const now = [...heads, { writer: 'c', ...chain.head, at: '', sink: 'log' }]
    // What it wrote since may be beyond what was read.
    const read = [...lines, later[0] ?? '']
    assert.equal((await verifyAudit(read, heads, { headsNow: async () => now })).ok, true)
    assert.equal((await verifyAudit(read, heads, { headsNow: async () => heads })).ok, false)
  })

  test('tells of a line that a killed process left half written, and of no fraud', async () => {
    const { lines, heads } = aLog()
    const dying = new Chain('c')
    const whole = JSON.stringify(dying.append(anEvent()))
    const known = [...heads, { writer: 'c', ...dying.head, at: '', sink: 'log' }]
    const half = JSON.stringify(dying.append(anEvent())).slice(0, 120)
    const cut = [...lines, whole, half]
    assert.deepEqual(await verifyAudit(cut, known), { ok: true, records: 7, writers: 3, torn: [8] })
    // The next process goes on in the same file.
    const next = new Chain('d')
    const after = JSON.stringify(next.append(anEvent()))
    const all = [...known, { writer: 'd', ...next.head, at: '', sink: 'log' }]
    assert.deepEqual(await verifyAudit([...cut, after], all), { ok: true, records: 8, writers: 4, torn: [8] })
    // But not where the hub knows that it was whole.
    const anchored = known.map((head) => (head.writer === 'c' ? { ...head, ...dying.head } : head))
    assert.deepEqual(await faultOf(cut, anchored), { line: 8, writer: 'c', seq: 2, what: 'edited' })
    assert.deepEqual(await faultOf([...lines, 'anything else'], heads), {
      ...{ line: 7, writer: undefined, seq: undefined, what: 'edited' },
    })
  })

  test('of which only a part is at hand is looked at for itself', async () => {
    const { lines, heads } = aLog()
    const end = lines.slice(2).filter((_, at) => at % 2 === 0)
    assert.equal((await verifyAudit(end, heads, { partial: true })).ok, true)
    assert.equal((await verifyAudit(end.slice(1).concat(end.slice(0, 1)), heads, { partial: true })).ok, false)
  })

  test('shows nobody one thing and proves another', async () => {
    const { lines, heads } = aLog()
    const twice = lines.map((line, at) =>
      at === 1 ? line.replace('"event":', '"event":{"id":"shown"},"event":') : line,
    )
    assert.deepEqual(await faultOf(twice, heads), { line: 2, writer: undefined, seq: undefined, what: 'edited' })
  })

  test('never passes once any character of it is another, any line is gone or moved', async () => {
    const { lines, heads } = aLog(8)
    const at = fc.nat(lines.length - 1)
    await fc.assert(
      fc.asyncProperty(at, fc.nat(), fc.constantFrom('x', '0', '"', '{', ' ', '\\'), async (index, place, other) => {
        const line = lines[index] ?? ''
        const where = place % line.length
        fc.pre(line[where] !== other)
        const edited = lines.with(index, `${line.slice(0, where)}${other}${line.slice(where + 1)}`)
        assert.equal((await verifyAudit(edited, heads)).ok, false)
      }),
    )
    await fc.assert(
      fc.asyncProperty(at, async (index) => assert.equal((await verifyAudit(without(lines, index), heads)).ok, false)),
    )
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(lines, { minLength: lines.length }), async (moved) => {
        const isSame = ['a', 'b'].every((writer) => {
          const own = (from: readonly string[]) => from.filter((line) => line.includes(`"writer":"${writer}"`)).join()
          return own(moved) === own(lines)
        })
        assert.equal((await verifyAudit(moved, heads)).ok, isSame)
      }),
    )
  })
})
