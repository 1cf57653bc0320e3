import type { ApiObject } from '../objects.ts'
import { ApiFailure } from '../status.ts'
import type { Call, WriteDeps } from './call.ts'

export interface Upserted {
  readonly object: ApiObject
  readonly isNew: boolean
}

/** As often as others are faster. */
const tries = 8

/** For requests that make what is not there: somebody else may make it, or take it away, in the meantime. */
export async function upsert(
  { store }: Pick<WriteDeps, 'store'>,
  { served, namespace, name }: Call,
  { create, change }: { create(): Promise<ApiObject>; change(): Promise<ApiObject> },
): Promise<Upserted> {
  const isThere = () => store.get(served.kind.storage, namespace, name) !== undefined
  for (let attempt = 1; ; attempt++) {
    const isNew = !isThere()
    try {
      return { object: await (isNew ? create() : change()), isNew }
    } catch (error) {
      const isOvertaken = error instanceof ApiFailure && error.reason === (isNew ? 'AlreadyExists' : 'NotFound')
      if (!isOvertaken || isThere() !== isNew || attempt === tries) throw error
    }
  }
}
