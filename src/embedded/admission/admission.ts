import type { User } from '../authentication/user.ts'
import type { Served } from '../kinds/registry.ts'
import type { ApiObject } from '../objects.ts'

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** A write on its way to storage. `object` is in the version of the request. */
export interface Admitted {
  readonly operation: Operation
  readonly served: Served
  readonly subresource: string
  readonly namespace: string
  /** Empty while a name is still to be generated. */
  readonly name: string
  /** Absent for DELETE. */
  readonly object: ApiObject | undefined
  /** Absent for CREATE. */
  readonly old: ApiObject | undefined
  readonly user: User
  readonly dryRun: boolean
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions of the request. */
  readonly options: Readonly<Record<string, unknown>>
  /** For the Warning headers of the answer. */
  warn(message: string): void
}

/** One step of admission: may change the object, then, once all have, may refuse it. Refusals are thrown `ApiFailure`s. */
export interface AdmissionStep {
  readonly name: string
  /** The object as it is to be from here on. Not asked for DELETE. */
  mutate?(write: Admitted & { object: ApiObject }): Promise<ApiObject>
  validate?(write: Admitted): Promise<void>
}
