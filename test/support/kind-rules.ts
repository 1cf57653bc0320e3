/** The rules of a kind without a server: what becomes of an object on its way in, and what is held against it. */

import type { FieldError } from '../../src/core/schema/field-errors.ts'
import { fieldErrorText } from '../../src/core/schema/field-errors.ts'
import type { Definition } from '../../src/embedded/kinds/define.ts'
import type { Found, WriteContext } from '../../src/embedded/kinds/kind.ts'
import type { ApiObject } from '../../src/embedded/objects.ts'

export const writeContext: WriteContext = {
  user: { name: 'jane', uid: 'u-1', groups: ['dev', 'system:authenticated'], extra: { scope: ['all'] } },
  now: new Date('2026-01-02T03:04:05.678Z'),
  dryRun: false,
  namespace: 'here',
}

export const anObject = (fields: Record<string, unknown> = {}): ApiObject => {
  const { metadata, ...rest } = fields
  return {
    apiVersion: 'v1',
    kind: 'Sample',
    ...rest,
    metadata: { name: 'sample', namespace: 'here', ...(metadata as object) },
  }
}

/** As it would be stored. */
export function created({ rules = {} }: Definition, fields: Record<string, unknown> = {}): ApiObject {
  const object = anObject(structuredClone(fields))
  rules.defaults?.(object)
  rules.settle?.(object)
  rules.prepareCreate?.(object, writeContext)
  return object
}

/** Of rules that find what is wrong without a pause, as those of built-in kinds do. */
export function foundAtOnce(found: Found = []): FieldError[] {
  if (found instanceof Promise) throw new Error('it is found later')
  return found
}

export function whyNotCreated(definition: Definition, fields: Record<string, unknown> = {}): string[] {
  const object = created(definition, fields)
  const { check, checkCreate } = definition.rules ?? {}
  return [...(check?.(object) ?? []), ...foundAtOnce(checkCreate?.(object))].map(fieldErrorText)
}

/** What a PUT of these fields makes of it. */
export function updated({ rules = {} }: Definition, old: ApiObject, fields: Record<string, unknown>): ApiObject {
  const object = { ...structuredClone(old), ...structuredClone(fields) }
  rules.defaults?.(object)
  rules.settle?.(object, old)
  rules.prepareUpdate?.(object, old, writeContext)
  return object
}

export function whyNotUpdated(definition: Definition, old: ApiObject, fields: Record<string, unknown>): string[] {
  const object = updated(definition, old, fields)
  const { check, checkUpdate } = definition.rules ?? {}
  return [...(check?.(object) ?? []), ...foundAtOnce(checkUpdate?.(object, old, () => {}))].map(fieldErrorText)
}

/** What a write through a subresource makes of it, and what is held against that. */
export function submitted(definition: Definition, name: string, old: ApiObject, fields: Record<string, unknown>) {
  const part = definition.subresources?.[name]
  if (part?.type !== 'part') throw new Error(`${name} is no part`)
  const before = JSON.stringify(old)
  const object = part.merge({ ...structuredClone(old), ...structuredClone(fields) }, old, writeContext)
  if (JSON.stringify(old) !== before) throw new Error('the old state was changed')
  return { object, errors: foundAtOnce(part.check?.(object, old, () => {})).map(fieldErrorText) }
}

export const cellsOf = ({ cells = {} }: Definition, object: ApiObject): Record<string, unknown> =>
  Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, cell(object, writeContext.now)]))
