import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiFailure } from '../../status.ts'
import { allFlaws, applyStrictness, applyStrictnessToText, patchFailure } from './strictness.ts'
import { Undecodable } from './unfit.ts'

function aReader() {
  const warnings: string[] = []
  const served = { apiVersion: 'apps/v1', kind: { kind: 'Deployment' } }
  return { warnings, reader: { served, warn: (text: string) => void warnings.push(text) } }
}

const flaws = ['duplicate field "metadata.name"', 'unknown field "spec.foo"']
const message = (refused: () => void): string => {
  try {
    refused()
  } catch (error) {
    if (error instanceof ApiFailure) return `${error.code} ${error.message}`
    throw error
  }
  return ''
}

test('Warn warns of each flaw, Ignore of none, Strict refuses', () => {
  const { warnings, reader } = aReader()
  applyStrictness(flaws, 'Ignore', reader)
  assert.deepEqual(warnings, [])
  applyStrictness(flaws, 'Warn', reader)
  assert.deepEqual(warnings, flaws)
  assert.equal(
    message(() => applyStrictness(flaws, 'Strict', reader)),
    '400 Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: duplicate field "metadata.name", unknown field "spec.foo"',
  )
  applyStrictness([], 'Strict', reader)
})

test('flaws of YAML stand on lines of their own', () => {
  const { reader } = aReader()
  const found = ['line 3: key "a" already set in map', 'line 4: key "b" already set in map', 'unknown field "foo"']
  assert.equal(
    message(() => applyStrictness(found, 'Strict', reader)),
    '400 Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: yaml: unmarshal errors:\n  line 3: key "a" already set in map\n  line 4: key "b" already set in map, unknown field "foo"',
  )
  assert.equal(
    message(() => applyStrictnessToText(found.slice(0, 1), 'Strict', reader)),
    '400 error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 3: key "a" already set in map',
  )
})

test('a built-in kind does not look into unknown fields, a custom one does', () => {
  const ofText = [
    'duplicate field "foo"',
    'duplicate field "foo.x"',
    'duplicate field "food"',
    'duplicate field "foo[0].x"',
  ]
  const ofObject = ['unknown field "foo"']
  assert.deepEqual(allFlaws(ofText, ofObject, false), ['duplicate field "food"', 'unknown field "foo"'])
  assert.deepEqual(allFlaws(ofText, ofObject, true), [...ofText, ...ofObject])
})

test('what a patch makes undecodable is a 422 that shows it', () => {
  const failure = patchFailure(new Undecodable('ConfigMap', 'v1', 'it does not fit'), { data: { a: 1 } })
  assert.ok(failure instanceof ApiFailure)
  assert.equal(failure.code, 422)
  assert.equal(failure.message, ' "" is invalid: patch: Invalid value: "{\\"data\\":{\\"a\\":1}}": it does not fit')
  assert.equal(failure.details?.causes?.[0]?.field, 'patch')
  const other = new Error('other')
  assert.equal(patchFailure(other, {}), other)
})
