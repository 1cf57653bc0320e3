import type { Admitted } from './admission.ts'
import type { AskDeps } from './ask.ts'
import { ask, consequence } from './ask.ts'
import type { Candidate } from './matching.ts'
import type { Question, Selection } from './selection.ts'
import { Versions } from './versions.ts'

/** Asks all validating webhooks at once, waits for all of them, and throws the refusal that came first. */
export async function askValidating(
  deps: AskDeps & { selection: Selection },
  candidates: readonly Candidate[],
  write: Admitted,
): Promise<void> {
  const versions = new Versions(write.served, { object: write.object, old: write.old })
  const questions: (Question & { candidate: Candidate })[] = []
  for (const candidate of candidates) {
    const question = await deps.selection.questionFor(candidate, write, versions)
    if (question) questions.push({ ...question, candidate })
  }
  const failures: Error[] = []
  await Promise.all(
    questions.map(async ({ candidate, request, shown }) => {
      try {
        await ask(deps, write, candidate, request, shown)
      } catch (error) {
        const failure = consequence(deps.log, candidate.webhook, error)
        if (failure) failures.push(failure)
      }
    }),
  )
  if (failures[0]) throw failures[0]
}
