import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiFailure } from '../status.ts'
import { readGetVersion, readListParameters, readWriteParameters } from './parameters.ts'

const refusal = (read: () => unknown): string => {
  try {
    read()
  } catch (error) {
    assert.ok(error instanceof ApiFailure)
    return `${error.code} ${error.message}`
  }
  return 'taken'
}

const list = (query: string) => readListParameters(new URLSearchParams(query), false)
const watch = (query: string) => readListParameters(new URLSearchParams(query), true)

test('what a client does not say is left open', () => {
  assert.deepEqual(list(''), {
    labelSelector: '',
    fieldSelector: '',
    limit: 0,
    continueToken: '',
    resourceVersion: undefined,
    match: undefined,
    timeoutSeconds: undefined,
    allowBookmarks: false,
    sendInitialEvents: undefined,
  })
})

test('what it says is read', () => {
  const { limit, continueToken, resourceVersion, match } = list('limit=5&resourceVersion=7&resourceVersionMatch=Exact')
  assert.deepEqual([limit, continueToken, resourceVersion, match], [5, '', 7, 'Exact'])
  assert.equal(list('continue=abc').continueToken, 'abc')
  const asked = watch('sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks&timeoutSeconds=9')
  assert.deepEqual([asked.sendInitialEvents, asked.allowBookmarks, asked.timeoutSeconds], [true, true, 9])
})

const options = '422 ListOptions.meta.k8s.io "" is invalid: '
const match = 'resourceVersionMatch: Forbidden: '

test('rules of a list that are broken are told, all of them', () => {
  const table: [query: string, refusal: string][] = [
    ['resourceVersionMatch=Exact', `${match}resourceVersionMatch is forbidden unless resourceVersion is provided`],
    [
      'resourceVersionMatch=x',
      `[${match}resourceVersionMatch is forbidden unless resourceVersion is provided, resourceVersionMatch: Unsupported value: "x": supported values: "Exact", "NotOlderThan", ""]`,
    ],
    [
      'continue=x&resourceVersionMatch=Exact',
      `[${match}resourceVersionMatch is forbidden unless resourceVersion is provided, ${match}resourceVersionMatch is forbidden when continue is provided]`,
    ],
    [
      'resourceVersion=0&resourceVersionMatch=Exact',
      `${match}resourceVersionMatch "exact" is forbidden for resourceVersion "0"`,
    ],
    ['sendInitialEvents=', 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list'],
  ]
  for (const [query, told] of table)
    assert.equal(
      refusal(() => list(query)),
      `${options}${told}`,
      query,
    )
})

test('rules of a watch that are broken are told, all of them', () => {
  const table: [query: string, refusal: string][] = [
    [
      'resourceVersionMatch=NotOlderThan',
      `${match}resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`,
    ],
    ['sendInitialEvents=false', `${match}sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`],
    [
      'sendInitialEvents=true&resourceVersionMatch=Exact',
      `[${match}sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]`,
    ],
    ['continue=x', `${match}resourceVersionMatch is forbidden when continue is provided`],
  ]
  for (const [query, told] of table)
    assert.equal(
      refusal(() => watch(query)),
      `${options}${told}`,
      query,
    )
})

test('a version that is none is refused in the words of each verb', () => {
  const flaw = 'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax'
  const query = 'resourceVersion=x'
  assert.equal(
    refusal(() => list(query)),
    `400 invalid resource version: ${flaw}`,
  )
  assert.equal(
    refusal(() => watch(query)),
    `500 ${flaw}`,
  )
  assert.equal(
    refusal(() => readGetVersion(new URLSearchParams(query), {})),
    `500 ${flaw}`,
  )
  assert.deepEqual(
    ['', 'resourceVersion=', 'resourceVersion=5'].map((text) => readGetVersion(new URLSearchParams(text), {})),
    [...[0, 0, 5]],
  )
})

const write = (query: string, kind = 'CreateOptions') => readWriteParameters(new URLSearchParams(query), kind)

test('nothing is written where dryRun is said, whatever is said about it', () => {
  assert.deepEqual(
    ['', 'dryRun=All', 'dryRun=All&dryRun=All'].map((query) => write(query).dryRun),
    [false, true, true],
  )
  const refused = (query: string, given: string) =>
    assert.equal(
      refusal(() => write(query)),
      `422 CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ${given}: supported values: "All"`,
    )
  refused('dryRun=', '[""]')
  refused('dryRun=all', '["all"]')
  refused('dryRun=All&dryRun=x', '["All","x"]')
})

test('unknown fields are warned of unless the client says otherwise', () => {
  const read = (query: string) => write(query).fieldValidation
  assert.deepEqual(['', 'fieldValidation=', 'fieldValidation=Strict'].map(read), ['Warn', 'Warn', 'Strict'])
  assert.equal(
    refusal(() => write('fieldValidation=foo&dryRun=bar', 'UpdateOptions')),
    '422 UpdateOptions.meta.k8s.io "" is invalid: [dryRun: Unsupported value: ["bar"]: supported values: "All", fieldValidation: Unsupported value: "foo": supported values: "", "Ignore", "Strict", "Warn"]',
  )
})

test('webhooks are shown what the client gave, and nothing else', () => {
  assert.deepEqual(write('').options, { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' })
  assert.deepEqual(write('dryRun=All&force=&fieldManager=me&fieldValidation=Warn', 'PatchOptions').options, {
    kind: 'PatchOptions',
    apiVersion: 'meta.k8s.io/v1',
    dryRun: ['All'],
    force: true,
    fieldManager: 'me',
    fieldValidation: 'Warn',
  })
})

test('a field manager that is too long is refused; of a patch, the patch says so', () => {
  const long = `fieldManager=${'x'.repeat(129)}`
  assert.match(
    refusal(() => write(long)),
    /^422 CreateOptions.*fieldManager: Too long: may not be more than 128 bytes$/,
  )
  assert.equal(write(long, 'PatchOptions').fieldManager.length, 129)
})
