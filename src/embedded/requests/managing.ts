import type { ApiObject } from '../objects.ts'
import { ignoredBy } from '../patch/ignored-fields.ts'
import { trackUpdate } from '../patch/manage.ts'
import { managerName } from '../patch/manager-name.ts'
import type { Call } from './call.ts'
import type { WriteParameters } from './parameters.ts'

interface Tracked {
  old: ApiObject | undefined
  next: ApiObject
  parameters: Pick<WriteParameters, 'fieldManager'>
  now: Date
}

/** What the managed fields of a request depend on besides its object. */
export const managingOf = ({ served, subresource }: Call) => ({
  custom: served.kind.custom,
  ignored: ignoredBy(served.kind, subresource),
  ...(subresource !== '' && { subresource }),
})

/** Writes down in `next` who set which of its fields. */
export function track(call: Call, { old, next, parameters, now }: Tracked): void {
  const managed = trackUpdate({
    live: old,
    updated: next,
    schema: call.served.version.schema,
    manager: managerName(parameters.fieldManager, call.userAgent),
    now,
    apiVersion: call.served.apiVersion,
    ...managingOf(call),
  })
  if (managed.length > 0) next.metadata.managedFields = managed
  else delete next.metadata.managedFields
}
