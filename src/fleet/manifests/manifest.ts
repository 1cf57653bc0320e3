import type { KubeObject, ObjectMeta, Resource } from '../../kube/objects.ts'
import { apiVersionOf } from '../../kube/objects.ts'

/** An object that an installation consists of, with the kind it is applied as. */
export interface Manifest {
  readonly resource: Resource<KubeObject>
  readonly object: KubeObject & { apiVersion: string; kind: string; metadata: ObjectMeta & { name: string } }
}

type Named<T extends KubeObject> = T & { metadata: { name: string; namespace?: string } }

/** Fills in what the kind says already. */
export const manifest = <T extends KubeObject>(resource: Resource<T>, object: Named<T>): Manifest => ({
  resource: resource as Resource<KubeObject>,
  object: { apiVersion: apiVersionOf(resource as Resource<KubeObject>), kind: resource.kind, ...object },
})

/** On everything that we install. */
export const managedBy = { 'app.kubernetes.io/managed-by': 'lanyard' } as const

/** What a Secret holds, encoded: applied as stringData, a key that goes away later would stay. */
export const secretData = (values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([key, text]) => [key, Buffer.from(text).toString('base64')]))
