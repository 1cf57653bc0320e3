import { isAbsent } from '../failures.ts'
import type { Collection, DeleteOptions, Patch, Selectors, WriteOptions } from '../kube.ts'
import type { KubeObject, ObjectMeta, Stored } from '../objects.ts'
import { apiVersionOf } from '../objects.ts'
import type { Call } from './calls.ts'
import { queryString } from './path.ts'
import { Reader } from './reader.ts'
import { metadataOnly } from './view.ts'

const patchTypes: Record<Patch['type'], string> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
}

/** JSON is YAML, and the type that every version of Kubernetes knows for server-side apply. */
const applyType = 'application/apply-patch+yaml'

type Sub = { subresource?: string }

/** Reads and writes of one kind. */
export class ResourceCollection<T extends KubeObject> extends Reader<T> implements Collection<T> {
  get metadata(): Reader<{ metadata?: ObjectMeta }> {
    return new Reader({ ...this.deps, view: metadataOnly })
  }

  async create(object: T, options: WriteOptions = {}): Promise<Stored<T>> {
    const { address } = this.deps
    return this.#write('POST', address.parentOf(object, 'create'), this.#named(object), options)
  }

  async update(object: T, options: WriteOptions & Sub = {}): Promise<Stored<T>> {
    return this.#write('PUT', this.#placeOf('update', object, options), this.#named(object), options)
  }

  async patch(name: string, patch: Patch, options: WriteOptions & Sub = {}): Promise<Stored<T>> {
    const body = patch.type === 'json' ? patch.operations : patch.body
    const place = this.deps.address.one('patch', name, options)
    return this.#write('PATCH', place, body, options, { contentType: patchTypes[patch.type] })
  }

  async apply(
    object: T & { metadata: { name: string } },
    options: WriteOptions & { fieldManager: string; force?: boolean } & Sub,
  ): Promise<Stored<T>> {
    const { force } = options
    const place = this.#placeOf('apply', object, options)
    return this.#write('PATCH', place, this.#named(object), options, { contentType: applyType, force })
  }

  async delete(name: string, options: DeleteOptions = {}): Promise<boolean> {
    try {
      await this.#delete(this.deps.address.one('delete', name), options, '')
      return true
    } catch (error) {
      if (isAbsent(error)) return false
      throw error
    }
  }

  async deleteCollection(options: DeleteOptions & Selectors = {}): Promise<void> {
    const { labelSelector, fieldSelector } = options
    const place = this.deps.address.whole('delete all of')
    await this.#delete(place, options, queryString({ labelSelector, fieldSelector }))
  }

  async createSubresource<B, R>(name: string, subresource: string, body: B, options: WriteOptions = {}): Promise<R> {
    return this.#write('POST', this.deps.address.one('create', name, { subresource }), body, options)
  }

  #placeOf(verb: string, { metadata }: KubeObject, { subresource }: Sub) {
    return this.deps.address.one(verb, metadata?.name, { namespace: metadata?.namespace, subresource })
  }

  /** With the two fields that the server insists on and callers need not repeat. */
  #named(object: T): T {
    if (object.apiVersion !== undefined && object.kind !== undefined) return object
    const { resource } = this.deps.address
    return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object }
  }

  #write<R>(
    method: string,
    place: Pick<Call, 'path' | 'target'>,
    body: unknown,
    options: WriteOptions,
    extra: { contentType?: string; force?: boolean | undefined } = {},
  ): Promise<R> {
    const { fieldManager, fieldValidation, dryRun } = options
    const { contentType, force } = extra
    const query = queryString({ fieldManager, fieldValidation, force, dryRun: dryRun ? 'All' : undefined })
    return this.deps.caller.object<R>({
      ...options,
      ...place,
      method,
      query,
      contentType,
      body: Buffer.from(JSON.stringify(body)),
    })
  }

  async #delete(place: Pick<Call, 'path' | 'target'>, options: DeleteOptions, query: string): Promise<void> {
    const { propagationPolicy, gracePeriodSeconds, preconditions, dryRun } = options
    const body = { propagationPolicy, gracePeriodSeconds, preconditions, dryRun: dryRun ? ['All'] : undefined }
    const asksMore = Object.values(body).some((value) => value !== undefined)
    await this.deps.caller.call({
      ...options,
      ...place,
      method: 'DELETE',
      query,
      body: asksMore ? Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', ...body })) : undefined,
    })
  }
}
