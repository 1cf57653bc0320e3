import { qualifiedNameFlaws } from '../kinds/names.ts'
import type { ApiObject } from '../objects.ts'

const standard: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])

/** What is told of the finalizers that a write brings to an object of a custom kind. */
export function finalizerWarnings({ metadata }: ApiObject, old?: ApiObject): string[] {
  const before = new Set(old?.metadata.finalizers)
  const added = new Set((metadata.finalizers ?? []).filter((finalizer) => !before.has(finalizer)))
  return [...added]
    .sort()
    .flatMap((finalizer) =>
      flawsOf(finalizer).map((flaw) => `metadata.finalizers: ${JSON.stringify(finalizer)}: ${flaw}`),
    )
}

function flawsOf(finalizer: string): string[] {
  const flaws = qualifiedNameFlaws(finalizer)
  if (finalizer.includes('/') || standard.has(finalizer)) return flaws
  const including = finalizer.includes('.') ? ' including a path (/)' : ''
  return [
    ...flaws,
    `prefer a domain-qualified finalizer name${including} to avoid accidental conflicts with other finalizer writers`,
  ]
}
