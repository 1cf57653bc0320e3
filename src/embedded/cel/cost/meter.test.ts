/**
 * No expression that is let in can hold up the process: what evaluating it does is counted in steps, and there are only
 * so many. Time is measured nowhere here.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newEnvironment, settingIn, understand } from '../cel.ts'
import { OutOfBudget } from '../checks.ts'
import { Budget } from './budget.ts'
import { CostLimitExceeded, Meter, mostOfOneRun, mostSteps } from './meter.ts'

function compiled(rule: string) {
  const environment = newEnvironment()
  for (const name of ['self', 'oldSelf']) environment.registerVariable(name, 'dyn')
  return understand(rule, settingIn(environment))
}

const map = (fields: Record<string, unknown>): Map<string, unknown> => new Map(Object.entries(fields))
const ints = (count: number): bigint[] => Array.from({ length: count }, (_, index) => BigInt(index))

test('what an expression costs is counted as the API server counts it', () => {
  const self = map({ list: ints(100), text: 'x'.repeat(100), tags: ['abcdefghij'] })
  const cases: [rule: string, cost: number][] = [
    ['1 == 1', 1],
    ['self.text == self.text', 4 + 10],
    ["self.text.startsWith('x')", 2 + 10],
    ["self.text.matches('^x+$')", 2 + 11 * 1],
    ['self.list.all(x, x >= 0)', 2 + 100 * 5 + 1],
    ['self.list.all(x, x < 10)', 2 + 11 * 5 + 2 + 1],
    ['self.list.exists(x, x == 3)', 2 + 4 * 6 + 3 + 1],
    ['self.list.filter(x, x > 200).size() == 0', 2 + 100 * 2 + 1 + 2],
    ['5 in [1, 2, 5]', 0],
    ['5 in self.list', 2 + 100],
    ['self.list.map(x, x + 1).size() > 0', 2 + 1 + 100 * 14 + 2],
    ['[self.text, self.text].size() == 2', 4 + 10 + 2],
    ["duration('1s') < duration('2s')", 1],
    ['has(self.text) && has(self.list)', 2],
  ]
  for (const [rule, cost] of cases) {
    const program = compiled(rule)
    program.run({ self })
    assert.equal(program.meter.spent, cost, rule)
  }
})

test('an expression that costs too much ends, even where an operator would not mind its failure', () => {
  const self = map({ list: ints(3000) })
  for (const rule of [
    'self.list.all(x, self.list.all(y, x + y >= 0))',
    'self.list.exists(x, self.list.exists(y, x + y < 0))',
    'self.list.all(x, self.list.all(y, x + y >= 0)) || true',
    '!(self.list.exists(x, self.list.exists(y, x + y < 0)) && false)',
    'self.list.map(x, self.list.filter(y, y > x)).size() > 0',
    'self.list.all(i, x, self.list.all(j, y, true))',
  ]) {
    const program = compiled(rule)
    assert.throws(() => program.run({ self }), CostLimitExceeded, rule)
    assert.ok(program.meter.steps < 3 * mostOfOneRun, rule)
  }
})

/** Depth and width at once; every one shares its parts, so that it is large without taking memory. */
const nested = (depth: number): unknown => (depth === 0 ? 'leaf' : Array.from({ length: 10 }, () => nested(depth - 1)))

test('what costs nothing, or is charged late, is bounded by the steps that it takes', () => {
  const big = 'x'.repeat(1_000_000)
  const self = map({ list: ints(100_000), text: big, deep: nested(4), tags: Array.from({ length: 1000 }, () => big) })
  const hostile = [
    'self.list.all(x, self.deep == oldSelf.deep)',
    'self.list.all(x, self.text.size() > 0)',
    'self.list.all(x, (self.list + self.list).size() > 0)',
    'self.list.all(x, self.deep in [oldSelf.deep])',
    "self.text.replace('x', self.text).size() > 0",
    'self.tags.join(self.text).size() > 0',
    "'%s%s'.format([self.tags, self.tags]).size() > 0",
    'lists.range(1000000000000).size() > 0',
    'self.list.distinct().size() > 0',
    'self.list.sort().size() > 0',
    'sets.contains(self.list, self.list)',
    "self.text.matches('(x|xx|xxx|xxxx|xxxxx|xxxxxx|xxxxxxx|xxxxxxxx)*y')",
    `(${Array.from({ length: 20 }, () => 'self.text').join(' + ')}).size() > 0`,
    "self.text.split('').map(x, self.text).size() > 0 && self.list.all(x, self.text.upperAscii() != '')",
  ]
  for (const rule of hostile) {
    const program = compiled(rule)
    assert.throws(() => program.run({ self, oldSelf: map({ deep: nested(4) }) }), CostLimitExceeded, rule)
    assert.ok(program.meter.steps < 2 * mostSteps, `${rule}: ${program.meter.steps}`)
  }
})

test('expressions that grow what they are given, again and again, end', () => {
  const growing = (times: number) => {
    let expression = "'ab'"
    for (let round = 0; round < times; round++) expression = `optional.of(${expression}).optMap(v, v + v).orValue('')`
    return `${expression}.size() > 0`
  }
  for (const rounds of [4, 12, 24]) {
    const program = tryCompile(growing(rounds))
    if (!program) continue
    const run = () => program.run({ self: map({}) })
    if (rounds < 16) assert.equal(run(), true)
    else assert.throws(run, CostLimitExceeded)
    assert.ok(program.meter.steps < mostSteps)
  }
})

/** Nothing for what is nested too deep to be compiled. */
function tryCompile(rule: string) {
  try {
    return compiled(rule)
  } catch {
    return undefined
  }
}

test('all expressions on one object have one budget, and one that is spent stays so', () => {
  const meter = new Meter()
  const run = () => {
    meter.start()
    meter.spend(900_000)
  }
  const budget = new Budget()
  for (let round = 0; round < 11; round++) budget.run({ meter, run }, {})
  assert.throws(() => budget.run({ meter, run }, {}), {
    message: 'validation failed due to running out of cost budget, no further validation rules will be run',
  })
  const free = { meter, run: () => meter.start() }
  const other = new Budget()
  let runs = 0
  assert.throws(() => {
    for (; runs < mostSteps; runs++) other.run(free, {})
  }, OutOfBudget)
  assert.ok(runs < mostSteps)
})
