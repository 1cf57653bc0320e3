import type { ApiObject } from '../objects.ts'
import type { Admitted } from './admission.ts'
import type { AskDeps } from './ask.ts'
import { ask, consequence } from './ask.ts'
import type { Candidate } from './matching.ts'
import { patched } from './patched.ts'
import type { Selection } from './selection.ts'
import { Versions } from './versions.ts'
import type { Webhook } from './webhooks.ts'

/**
 * The mutating webhooks of one write, asked one after another. When one of them changes the object, those before it
 * that want to see that are asked a second time, once the built-in steps have been through it again.
 */
export class MutatingRound {
  readonly #deps: AskDeps & { selection: Selection }
  readonly #candidates: readonly Candidate[]
  #isAgain = false
  #hasChanged = false
  #seen = new Set<Webhook>()
  #toSeeAgain = new Set<Webhook>()
  #left: ApiObject | undefined

  constructor(deps: AskDeps & { selection: Selection }, candidates: readonly Candidate[]) {
    this.#deps = deps
    this.#candidates = candidates
  }

  get hasChanged(): boolean {
    return this.#hasChanged
  }

  /** The object as the webhooks leave it. Throws the first refusal. */
  async run(write: Admitted): Promise<ApiObject | undefined> {
    if (this.#isAgain && write.object !== this.#left) this.#onChange()
    const versions = new Versions(write.served, { object: write.object, old: write.old })
    for (const candidate of this.#candidates) await this.#ask(candidate, write, versions)
    this.#isAgain = true
    this.#left = versions.own.object
    return versions.own.object
  }

  async #ask(candidate: Candidate, write: Admitted, versions: Versions): Promise<void> {
    const { webhook, served } = candidate
    const question = await this.#deps.selection.questionFor(candidate, write, versions)
    if (!question || (this.#isAgain && !this.#toSeeAgain.has(webhook))) return
    const { request, shown } = question
    try {
      const verdict = await ask(this.#deps, write, candidate, request, shown)
      const next = patched(webhook, verdict, shown.object, served)
      if (next) {
        await versions.replace(next, served)
        this.#onChange()
      }
    } catch (error) {
      const failure = consequence(this.#deps.log, webhook, error)
      if (failure) throw failure
    }
    if (webhook.isReinvocable) this.#seen.add(webhook)
  }

  #onChange(): void {
    this.#hasChanged = true
    for (const webhook of this.#seen) this.#toSeeAgain.add(webhook)
    this.#seen.clear()
  }
}
