import type { User } from '../authentication/user.ts'
import type { Served } from '../kinds/registry.ts'
import type { ApiObject } from '../objects.ts'
import { forbidden } from '../status.ts'

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

/** What a write is about, as far as it is known before its object. */
export type WriteTarget = Pick<Admitted, 'operation' | 'served' | 'subresource'>

/** One step of admission: may change the object, then, once all have, may refuse it. Refusals are thrown `ApiFailure`s. */
export interface AdmissionStep {
  readonly name: string
  /** Whether such writes matter to it at all. Default: all do. Asked often, and nothing but a comparison. */
  concerns?(target: WriteTarget): boolean
  /** Refuses before anything is changed, DELETE included. */
  refuse?(write: Admitted): Promise<void>
  /** The object as it is to be from here on. Not asked for DELETE. */
  mutate?(write: Admitted & { object: ApiObject }): Promise<ApiObject>
  validate?(write: Admitted): Promise<void>
}

/** Whether the write is about this kind itself, or this subresource of it. */
export const isAbout = ({ served, subresource }: WriteTarget, group: string, plural: string, part = ''): boolean =>
  served.kind.plural === plural && served.kind.group === group && subresource === part

/** A step's "no": `pods "x" is forbidden: why`. */
export const refused = ({ served, name, object }: Admitted, why: string) =>
  forbidden(served.kind, name || object?.metadata.name || object?.metadata.generateName || 'Unknown', why)
