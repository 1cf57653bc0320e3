import type { Schema } from '../schema/schema.ts'

type Read = { value: unknown } | { problem: string }

/** What a variable or an argument means for a setting: lists are parted by commas, maps and lists of maps are JSON. */
export function fromText(schema: Schema, text: string): Read {
  switch (schema.type) {
    case 'string':
      return { value: text }
    case 'boolean':
      return text === 'true' || text === 'false' ? { value: text === 'true' } : { problem: 'must be true or false' }
    case 'integer':
    case 'number': {
      const number = Number(text)
      return text.trim() !== '' && Number.isFinite(number) ? { value: number } : { problem: 'must be a number' }
    }
    case 'array':
      return schema.items?.type === 'object' || text.startsWith('[') ? fromJson(text) : fromList(schema, text)
    default:
      return schema['x-kubernetes-int-or-string'] && !/^\d+$/.test(text) ? { value: text } : fromJson(text)
  }
}

function fromList(schema: Schema, text: string): Read {
  const read = text.split(',').map((item) => fromText(schema.items ?? {}, item.trim()))
  const wrong = read.find((item) => 'problem' in item)
  return wrong ?? { value: read.map((item) => ('value' in item ? item.value : undefined)) }
}

function fromJson(text: string): Read {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { problem: 'must be JSON' }
  }
}
