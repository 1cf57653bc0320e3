import assert from 'node:assert/strict'
import { test } from 'node:test'
import { never } from '../../test/support/never.ts'
import { whyNotChance } from './chance.ts'

const path = 'test/acceptance/access/sessions.test.ts'

/** Not written out, so that nobody counts it as a test of that number. */
const numbered = (number: string) => `${number}: denied`

/** What a run sees of a test of this name that does this. */
async function failureOf(name: string, fails: () => unknown) {
  const error = await (async () => fails())().then(
    () => assert.fail('it does not fail'),
    (error: unknown) => error,
  )
  // As it comes from another process: without its class.
  return [{ name: `${name} (a.test.ts)`, error: { ...(error as object) }, text: '' }]
}

const why = async (fails: () => unknown, name = 'a session ends') =>
  whyNotChance(path, '', await failureOf(name, fails))

test('what a busy machine does may be chance', async () => {
  const late = () => assert.equal(1, 2)
  assert.equal(await why(late), undefined)
  assert.equal(await why(() => assert.deepEqual({ status: 500 }, { status: 200 })), undefined)
  assert.equal(
    await why(() => {
      throw new Error('not within 30000 ms: denied')
    }, numbered('F1')),
    undefined,
  )
})

for (const file of [
  'test/soak/informer-faults.test.ts',
  'src/embedded/storage/kill.test.ts',
  'src/cli/kill-at.test.ts',
  'test/acceptance/registration/membership-kills.test.ts',
  'test/acceptance/pull-secrets/rotation-killed.test.ts',
  'test/acceptance/addons/addon-isolation.test.ts',
  'test/acceptance/pull-secrets/leakage.test.ts',
  'test/support/canary.test.ts',
])
  test(`a failure of ${file} is never chance`, () => assert.match(whyNotChance(file, '', []) ?? '', /its name/))

test('a file may say so itself', () => {
  assert.match(whyNotChance(path, '// never tried again: two leaders at once\n', []) ?? '', /says so/)
  assert.equal(whyNotChance(path, 'const a = "// never tried again: b"\n', []), undefined)
})

for (const harm of ['lost', 'doubled', 'leaked', 'allowed'] as const)
  test(`an assertion that something was ${harm} is never chance`, async () => {
    assert.match((await why(() => never(harm, () => assert.equal(2, 1)))) ?? '', new RegExp(harm))
    assert.match((await why(() => never(harm, async () => assert.equal(2, 1)))) ?? '', new RegExp(harm))
  })

for (const [what, fails] of Object.entries({
  'a status': () => assert.equal(201, 403),
  'statuses in a list': () => assert.deepEqual([200, 200], [200, 401]),
  'a review': () => assert.deepEqual({ status: { allowed: true } }, { status: { allowed: false } }),
  'a policy': () => assert.deepEqual({ allowed: false }, { allowed: false, denied: true }),
  'a promise': () => assert.rejects(async () => 1, /forbidden/),
  'a function': () => assert.throws(() => 1),
}))
  test(`what should have been refused and was not is allowed: ${what}`, async () => {
    assert.equal(await why(fails), 'something was allowed')
  })

test('an assertion in the test of an attack is never chance', async () => {
  const no = () => assert.equal(undefined, true)
  for (const name of ['F1', 'F16b', 'F46 F7'].map(numbered)) assert.match((await why(no, name)) ?? '', /attack/, name)
  for (const name of ['F17', 'F160', 'denied as F1', 'E13'].map(numbered))
    assert.equal(await why(no, name), undefined, name)
})
