import { applyMergePatch } from '../../../src/embedded/patch/merge-patch.ts'
import type { Reference, Request } from './request.ts'
import { isReference } from './request.ts'

interface Seen {
  readonly metadata: { readonly name: string; readonly resourceVersion: string; readonly uid: string }
}

/** What one plane has said so far, for the references of later requests. */
export class Memory {
  readonly #objects = new Map<string, Seen[]>()
  readonly #tokens = new Map<string, string>()
  readonly #revisions: string[] = []

  /** Of an answer that succeeded. */
  learn(request: Request, body: unknown): void {
    const list = body as { metadata?: { continue?: string } } | undefined
    if (request.method === 'GET' && list?.metadata && 'items' in list)
      this.#tokens.set(request.path, list.metadata.continue ?? '')
    if (!isObject(body) || request.query?.['dryRun'] !== undefined) return
    const path = request.method === 'POST' ? `${request.path}/${body.metadata.name}` : withoutSubresource(request)
    const seen = this.#objects.get(path) ?? []
    if (seen.at(-1)?.metadata.resourceVersion !== body.metadata.resourceVersion) seen.push(body)
    this.#objects.set(path, seen)
    // What was written before the first request may be older than what the real server has cached of a new kind.
    if (request.method !== 'GET' && request.id > 0) this.#revisions.push(body.metadata.resourceVersion)
  }

  get lastRevision(): string | undefined {
    return this.#revisions.at(-1)
  }

  /** A value with every reference in it filled in. */
  resolve(value: unknown): unknown {
    if (isReference(value)) return this.#look(value)
    if (Array.isArray(value)) return value.map((item) => this.resolve(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.resolve(item)]))
  }

  #look(reference: Reference): unknown {
    switch (reference.$ref) {
      case 'version':
        return this.#at(reference.of, reference.back)?.metadata.resourceVersion ?? '1'
      case 'uid':
        return this.#at(reference.of, 0)?.metadata.uid ?? '00000000-0000-0000-0000-000000000000'
      case 'object': {
        const seen = this.#at(reference.of, reference.back) ?? { metadata: { name: 'unseen' } }
        return applyMergePatch(
          structuredClone(seen) as object as Record<string, unknown>,
          this.resolve(reference.merge),
        )
      }
      case 'continue':
        return this.#tokens.get(reference.of) ?? ''
      case 'revision':
        return this.#revisions[Math.max(0, this.#revisions.length - 1 - reference.back)] ?? '0'
    }
  }

  #at(path: string, back: number): Seen | undefined {
    const seen = this.#objects.get(path)
    return seen?.[Math.max(0, seen.length - 1 - back)]
  }
}

const subresource = /\/(status|scale|approval|token|finalize)$/

const withoutSubresource = ({ path }: Request): string => path.replace(subresource, '')

function isObject(body: unknown): body is Seen {
  const { kind, metadata } = (body ?? {}) as { kind?: string; metadata?: Partial<Seen['metadata']> }
  if (kind === 'Status' || kind === 'Scale' || kind === 'Table' || kind === 'PartialObjectMetadata') return false
  return Boolean(metadata?.name && metadata.resourceVersion && metadata.uid)
}
