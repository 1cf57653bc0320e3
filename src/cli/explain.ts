import { isFailure } from '../core/failure.ts'
import { maskText } from '../core/mask.ts'
import type { KubeFailure } from '../kube/failures.ts'
import type { Called } from './called.ts'
import { inCalledForm } from './called.ts'
import { printable } from './printable.ts'

/** An error as a person wants it: the sentence, the code to look up, no stack. */
export function explain(error: unknown, called: Called = 'lanyard'): string {
  const message = error instanceof Error ? error.message : String(error)
  const code = isFailure(error) ? ` (${error.code}, see docs/reference/errors.md)` : ''
  return maskText(printable(inCalledForm(`lanyard: ${message}${hintTo(error)}${code}`, called)))
}

/** What to do where the words are those of an API server, which cannot know. */
function hintTo(error: unknown): string {
  if (!isKubeFailure(error)) return ''
  if (error.code === 404 && error.details?.name === undefined)
    return '; this API server does not serve the kinds of a hub: check --kubeconfig, or prepare it with `lanyard init`'
  if (error.code === 500 && error.reason === 'InternalError')
    return '; if this is about its webhooks, look whether `lanyard hub` runs, and at its --webhook-url'
  return ''
}

/** By its name: to explain something must not load the Kubernetes client. */
const isKubeFailure = (error: unknown): error is KubeFailure => error instanceof Error && error.name === 'KubeFailure'
