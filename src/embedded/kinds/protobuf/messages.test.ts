import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schema } from '../../../core/schema/schema.ts'
import { apiVersionOf } from '../../objects.ts'
import { resourceFacts, schemaOf } from '../facts/facts.ts'
import type { Field, Message } from './messages.ts'
import { messageOf } from './messages.ts'

const kinds = [
  ...resourceFacts().map(({ group, version, kind }) => [apiVersionOf(group, version), kind] as const),
  ['authentication.k8s.io/v1', 'TokenRequest'],
  ['autoscaling/v1', 'Scale'],
  ['v1', 'DeleteOptions'],
] as const

/** With those of inlined structs. */
const fieldsOf = ({ fields }: Message): Field[] =>
  fields.flatMap((field) => (field?.shape === 'inline' ? fieldsOf(field.type as Message) : (field ?? [])))

function compare(message: Message, schema: Schema, path: string, seen = new Set<Message>()): void {
  if (seen.has(message) || message.toJson) return
  seen.add(message)
  const fields = fieldsOf(message)
  const { apiVersion, kind, ...properties } = schema.properties ?? {}
  const isOwn = (name: string) => Object.hasOwn(schema.properties ?? {}, name)
  assert.deepEqual(
    fields.map(({ name }) => name).filter((name) => !isOwn(name)),
    [],
    path,
  )
  for (const [name, property] of Object.entries(properties)) {
    const field = fields.find((field) => field.name === name)
    assert.ok(field, `${path}.${name} has no number`)
    assert.equal(shapeOf(property), field.shape, `${path}.${name}`)
    const element = (field.shape === 'list' ? property.items : property.additionalProperties) as Schema
    if (typeof field.type === 'object')
      compare(field.type, field.shape === 'one' ? property : element, `${path}.${name}`, seen)
  }
}

const shapeOf = ({ type, additionalProperties }: Schema) =>
  type === 'array' ? 'list' : typeof additionalProperties === 'object' ? 'map' : 'one'

for (const [apiVersion, kind] of kinds)
  test(`every field of a ${kind} of ${apiVersion} has a number, and no other has`, () => {
    const message = messageOf(apiVersion, kind)
    assert.ok(message)
    compare(message, schemaOf(apiVersion, kind), kind)
  })

test('what is not served has no message, whatever it is called', () => {
  assert.equal(messageOf('batch/v1', 'Job'), undefined)
  assert.equal(messageOf('v2', 'ConfigMap'), undefined)
  assert.equal(messageOf('', 'constructor'), undefined)
})

test('a message is made once', () => {
  assert.equal(messageOf('v1', 'Pod'), messageOf('v1', 'Pod'))
})
