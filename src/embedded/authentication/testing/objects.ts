import { randomUUID } from 'node:crypto'
import type { ApiObject } from '../../objects.ts'
import type { Entry, Store } from '../../storage/store.ts'

/** As much of a store as authentication looks at. */
export class FakeStore implements Pick<Store, 'get'> {
  readonly #entries = new Map<string, Entry>()
  #revision = 0

  get(storage: string, namespace: string, name: string): Entry | undefined {
    return this.#entries.get(`${storage}/${namespace}/${name}`)
  }

  /** What was put, with the uid it got. */
  put(storage: string, metadata: ApiObject['metadata'], rest: object = {}): ApiObject & { metadata: { uid: string } } {
    const { namespace = '', name = '' } = metadata
    const object = { apiVersion: 'v1', kind: 'Thing', ...rest, metadata: { uid: randomUUID(), ...metadata } }
    const revision = ++this.#revision
    const entry: Entry = { storage, namespace, name, revision, text: JSON.stringify(object), writtenAt: 0 }
    this.#entries.set(`${storage}/${namespace}/${name}`, entry)
    return object
  }

  remove(storage: string, namespace: string, name: string): void {
    this.#entries.delete(`${storage}/${namespace}/${name}`)
  }
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Takes plain text. */
export const bootstrapSecret = (id: string, secret: string, more: Record<string, string> = {}) => {
  const data = { 'token-id': id, 'token-secret': secret, 'usage-bootstrap-authentication': 'true', ...more }
  return {
    type: 'bootstrap.kubernetes.io/token',
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)])),
  }
}
