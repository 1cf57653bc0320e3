import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiFailure } from '../../status.ts'
import { parseApplyPatch, parseJsonPatch, parseMergePatch, parseStrategicMergePatch } from './parse-patch.ts'

const message = (parse: (bytes: Buffer) => unknown, text: string): string => {
  try {
    parse(Buffer.from(text))
  } catch (error) {
    if (error instanceof ApiFailure) return `${error.code} ${error.message}`
    throw error
  }
  return ''
}

test('a merge patch is an object of JSON', () => {
  assert.deepEqual(parseMergePatch(Buffer.from('{"a":1,"a":2}')), { value: { a: 2 }, flaws: ['duplicate field "a"'] })
  assert.equal(message(parseMergePatch, '{"a":'), '400 error decoding patch: unexpected end of JSON input')
  assert.equal(message(parseMergePatch, 'null'), '400 Invalid JSON Patch')
  assert.equal(
    message(parseMergePatch, '[]'),
    '400 error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
  )
})

test('a strategic merge patch is an object of JSON or null', () => {
  const parse = (text: string) => parseStrategicMergePatch(Buffer.from(text))
  assert.deepEqual(parse('{"a":1,"a":2}'), { value: { a: 2 }, flaws: ['duplicate field "a"'] })
  assert.deepEqual(parse('null'), { value: {}, flaws: [] })
  assert.equal(message(parseStrategicMergePatch, '{'), '400 unexpected end of JSON input')
  assert.equal(
    message(parseStrategicMergePatch, '[]'),
    '400 json: cannot unmarshal array into Go value of type map[string]interface {}',
  )
})

test('a JSON patch is a list', () => {
  const { flaws } = parseJsonPatch(Buffer.from('[{"op":"add","value":1,"value":2}]'))
  assert.deepEqual(flaws, ['json patch duplicate field "[0].value"'])
  assert.equal(
    message(parseJsonPatch, '{}'),
    '400 error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
  )
})

test('what is applied is YAML or JSON', () => {
  assert.deepEqual(parseApplyPatch(Buffer.from('a: b')), { value: { a: 'b' }, flaws: [] })
  assert.deepEqual(parseApplyPatch(Buffer.from('{"a":"b"}')), { value: { a: 'b' }, flaws: [] })
  assert.match(
    message(parseApplyPatch, 'a: {b'),
    /^400 error decoding YAML: error converting YAML to JSON: yaml: line 1: /,
  )
  assert.equal(
    message(parseApplyPatch, '[]'),
    '400 error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}',
  )
})
