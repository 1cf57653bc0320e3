import type { Registry, Served } from '../kinds/registry.ts'
import { subresourcesOf } from '../kinds/registry.ts'
import type { ApiObject } from '../objects.ts'
import { apiVersionOf } from '../objects.ts'

/** The other groups and versions under which the same objects are served. */
export function equivalentsOf(registry: Registry, { kind, apiVersion }: Served, subresource: string): Served[] {
  return registry
    .all()
    .filter(({ storage }) => storage === kind.storage)
    .flatMap((same) =>
      same.versions.map((version) => ({ kind: same, version, apiVersion: apiVersionOf(same.group, version.name) })),
    )
    .filter((served) => served.apiVersion !== apiVersion)
    .filter((served) => subresource === '' || subresource in subresourcesOf(served))
}

/** An object of one way to address it as another one shows it. */
export async function convertObject(object: ApiObject, from: Served, to: Served): Promise<ApiObject> {
  if (from.apiVersion === to.apiVersion) return object
  const { kind } = from.kind.convert ? from : to
  const converted = await kind.convert?.([object], to.apiVersion)
  return converted?.[0] ?? { ...object, apiVersion: to.apiVersion, kind: to.kind.kind }
}

/** What a webhook is shown. */
export interface Shown {
  readonly object: ApiObject | undefined
  readonly old: ApiObject | undefined
}

/** One write in the versions that webhooks want to see, each made once as long as the object stays as it is. */
export class Versions {
  readonly #served: Served
  #shown: Shown
  #converted = new Map<string, Promise<Shown>>()

  constructor(served: Served, shown: Shown) {
    this.#served = served
    this.#shown = shown
  }

  /** In the version of the request. */
  get own(): Shown {
    return this.#shown
  }

  as(served: Served): Promise<Shown> | Shown {
    if (served.apiVersion === this.#served.apiVersion) return this.#shown
    let shown = this.#converted.get(served.apiVersion)
    if (shown === undefined) {
      shown = this.#convert(served)
      this.#converted.set(served.apiVersion, shown)
    }
    return shown
  }

  /** Takes the object as it has become in one of the versions. */
  async replace(object: ApiObject, served: Served): Promise<void> {
    const own = this.#isOwnKind(object, served) ? await convertObject(object, served, this.#served) : object
    this.#shown = { object: own, old: this.#shown.old }
    this.#converted = new Map()
  }

  async #convert(served: Served): Promise<Shown> {
    const convert = async (state: ApiObject | undefined) =>
      state && this.#isOwnKind(state, this.#served) ? await convertObject(state, this.#served, served) : state
    return { object: await convert(this.#shown.object), old: await convert(this.#shown.old) }
  }

  /** Not so for what is written through a subresource of another kind: there is one version of `Scale`. */
  #isOwnKind(state: ApiObject, { apiVersion, kind }: Served): boolean {
    return state.apiVersion === apiVersion && state.kind === kind.kind
  }
}
