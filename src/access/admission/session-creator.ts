import { isDeepStrictEqual } from 'node:util'
import type { AdmissionRequest, Verdict } from '../../fleet/admission.ts'
import { allowed } from '../../fleet/admission.ts'
import type { KubeObject } from '../../kube/objects.ts'
import { sessionAnnotations } from '../names.ts'
import type { IsOwnUser } from './own-user.ts'

const { createdBy } = sessionAnnotations

/** Writes down who makes a session, unless it is the hub, and keeps that whatever anybody sends. */
export async function recordCreator(
  { isOwnUser }: { isOwnUser: IsOwnUser },
  { object, oldObject, userInfo }: AdmissionRequest<KubeObject>,
): Promise<Verdict> {
  if (!object) return allowed
  const { username } = userInfo
  const { [createdBy]: _sent, ...others } = object.metadata?.annotations ?? {}
  const made = (await isOwnUser(username)) ? undefined : username
  const creator = oldObject ? oldObject.metadata?.annotations?.[createdBy] : made
  const wanted = creator === undefined ? others : { ...others, [createdBy]: creator }
  if (isDeepStrictEqual(wanted, { ...object.metadata?.annotations })) return allowed
  // The whole map: one operation whatever changes, and no key to escape.
  return { allowed: true, patch: [{ op: 'add', path: '/metadata/annotations', value: wanted }] }
}
