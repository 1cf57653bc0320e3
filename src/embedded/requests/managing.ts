import type { Schema } from '../../core/schema/schema.ts'
import { subresourcesOf } from '../kinds/registry.ts'
import type { ApiObject } from '../objects.ts'
import { misfitOf } from '../patch/check-typed.ts'
import { ignoredBy } from '../patch/ignored-fields.ts'
import { trackUpdate } from '../patch/manage.ts'
import { managerName } from '../patch/manager-name.ts'
import type { Convert } from '../patch/views.ts'
import { Unconvertible } from '../patch/views.ts'
import type { Call } from './call.ts'
import type { WriteParameters } from './parameters.ts'

interface Tracked {
  old: ApiObject | undefined
  next: ApiObject
  /** What a part was submitted with, if that is more than is taken of it: of a custom kind, all of it has to fit. */
  sent?: ApiObject
  parameters: Pick<WriteParameters, 'fieldManager'>
  now: Date
}

interface Form {
  readonly schema: Schema
  readonly apiVersion: string
}

const formOf = ({ served: { version, apiVersion } }: Call): Form => ({ schema: version.schema, apiVersion })

/** What the managed fields of a request depend on besides its object. */
export const managingOf = ({ served, subresource }: Call) => ({
  custom: served.kind.custom,
  ignored: ignoredBy(served.kind, subresourcesOf(served), subresource),
  ...(subresource !== '' && { subresource }),
})

/** How the object looks in the versions that its managers have written it in. */
export function convertingOf({ served: { kind } }: Call): { convert?: Convert } {
  if (!kind.inVersion) return {}
  const convert: Convert = (object, apiVersion) => {
    const view = kind.inVersion?.(object, apiVersion)
    if (!view) throw new Unconvertible(`request to convert CR to an invalid group/version: ${apiVersion}`)
    const misfit = object.apiVersion === apiVersion ? undefined : misfitOf(view.schema, view.object)
    if (misfit !== undefined) throw new Unconvertible(misfit)
    return view
  }
  return { convert }
}

/** Writes down in `next` who set which of its fields. `form`: of what was sent, where that is not the kind of the request. */
export function track(call: Call, { old, next, sent = next, parameters, now }: Tracked, form?: Form): void {
  const managed = trackUpdate({
    live: old,
    updated: call.served.kind.custom ? sent : next,
    manager: managerName(parameters.fieldManager, call.userAgent),
    now,
    ...(form ?? { ...formOf(call), ...convertingOf(call) }),
    ...managingOf(call),
  })
  if (managed.length > 0) next.metadata.managedFields = managed
  else delete next.metadata.managedFields
}
