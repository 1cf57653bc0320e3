import type { Dice } from '../dice.ts'

type Json = Record<string, unknown>

/** A body with something wrong in it. */
export function spoil(dice: Dice, body: Json): unknown {
  const text = JSON.stringify(body)
  return dice.pick<() => unknown>([
    () => ({ ...body, kind: 'Other' }),
    () => ({ ...body, apiVersion: 'other/v1' }),
    () => without(body, 'kind'),
    () => without(body, 'apiVersion'),
    () => ({ ...body, metadata: without(body['metadata'] as Json, 'name') }),
    () => ({ ...body, unknownField: 1, spec: { ...(body['spec'] as Json), alsoUnknown: { a: 1 } } }),
    () => retyped(dice, body),
    () => `${text.slice(0, -1)},"kind":"${body['kind']}"}`,
    () => text.slice(0, dice.below(text.length)),
    () => '[]',
    () => '"text"',
    () => '',
    () => ({ ...body, metadata: 1 }),
    () => ({ ...body, metadata: { ...(body['metadata'] as Json), labels: { a: 1 } } }),
    () => ({ ...body, metadata: { ...(body['metadata'] as Json), resourceVersion: '1' } }),
    () => ({ ...body, metadata: { ...(body['metadata'] as Json), generation: 7, selfLink: '/x' } }),
  ])()
}

function without(body: Json, key: string): Json {
  const { [key]: _, ...rest } = body
  return rest
}

const wrongs = [1, 'text', true, null, [], {}, [1], { a: { b: 1 } }, -1, 1.5]

/** One value somewhere is of another type. */
function retyped(dice: Dice, body: Json): Json {
  const keys = Object.keys(body).filter((key) => key !== 'apiVersion' && key !== 'kind')
  const key = keys.length === 0 ? 'metadata' : dice.pick(keys)
  const inner = body[key]
  const isJson = typeof inner === 'object' && inner !== null && !Array.isArray(inner) && !('$ref' in inner)
  const deeper = isJson && Object.keys(inner).length > 0 && dice.chance(0.75)
  return { ...body, [key]: deeper ? retyped(dice, inner as Json) : dice.pick<unknown>(wrongs) }
}
