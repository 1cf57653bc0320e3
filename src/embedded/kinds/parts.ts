import type { ApiObject } from '../objects.ts'
import type { Part, Rules, WriteContext } from './kind.ts'

/** The status is not the client's to set, neither with a new object nor with a change of it. */
export const serverStatus = (initial: () => unknown = () => ({})): Pick<Rules, 'prepareCreate' | 'prepareUpdate'> => ({
  prepareCreate: (object) => {
    object['status'] = initial()
  },
  prepareUpdate: keepStatus,
})

export function keepStatus(object: ApiObject, old: ApiObject): void {
  if (old['status'] === undefined) delete object['status']
  else object['status'] = old['status']
}

export interface StatusOptions {
  verbs?: Part['verbs']
  prepare?(object: ApiObject, old: ApiObject, context: WriteContext): void
  check?: NonNullable<Part['check']>
}

/** The subresource `status`: all but metadata and status stays as it was. `prepare` changes what came of it. */
export const statusPart = ({ verbs = ['get', 'patch', 'update'], prepare, check }: StatusOptions = {}): Part => ({
  type: 'part',
  verbs,
  merge: (submitted, old, context) => {
    const { apiVersion, kind, metadata } = submitted
    const merged: ApiObject = { ...old, apiVersion, kind, metadata }
    if (submitted['status'] === undefined) delete merged['status']
    else merged['status'] = submitted['status']
    prepare?.(merged, old, context)
    return merged
  },
  ...(check && { check }),
})
