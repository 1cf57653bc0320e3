import { BreakglassSession } from '../../apis/breakglass/breakglass-session.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Session } from '../sessions/index.ts'
import type { AccessView } from '../view.ts'

const nameShape = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/

/** All sessions of this name as the server has them now: what people did a moment ago they see. */
export async function sessionsNamed(
  name: string,
  { kube, view }: { kube: Kube; view: AccessView },
  signal: AbortSignal,
): Promise<Session[]> {
  if (!nameShape.test(name)) return []
  const known = view.sessions.byIndex('name', name)
  const options = { signal }
  if (known.length === 0) {
    const fieldSelector = `metadata.name=${name}`
    return (await kube.of(BreakglassSession.resource).list({ ...options, fieldSelector })).items
  }
  const found = await Promise.all(
    known.map(({ metadata }) => kube.of(BreakglassSession.resource, metadata.namespace).find(name, options)),
  )
  return found.filter((session) => session !== undefined)
}
