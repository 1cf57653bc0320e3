import type { Kind } from '../kinds/kind.ts'
import { badRequest } from '../status.ts'
import { timeText } from '../time-text.ts'
import type { ServerAuthenticator } from './authenticator.ts'
import type { User } from './user.ts'
import { isAccepted } from './verdict.ts'

type Answer = NonNullable<Kind['answer']>

/** Who answers the reviews of authentication/v1, by resource. */
export const authenticationReviews = (
  authenticator: Pick<ServerAuthenticator, 'review'>,
): Readonly<Record<string, Answer>> => ({
  'tokenreviews.authentication.k8s.io': tokenReviewAnswer(authenticator),
  'selfsubjectreviews.authentication.k8s.io': selfSubjectReviewAnswer,
})

export const tokenReviewAnswer =
  ({ review }: Pick<ServerAuthenticator, 'review'>): Answer =>
  async (object) => {
    const { token = '', audiences } = (object['spec'] ?? {}) as { token?: string; audiences?: string[] }
    if (token === '') throw badRequest('token is required for TokenReview in authentication')
    const verdict = await review(token, audiences)
    if (!isAccepted(verdict)) return { ...object, status: { user: {}, error: verdict.error } }
    const status = { authenticated: true, user: userInfo(verdict.user), audiences: verdict.audiences }
    return { ...object, status }
  }

/** Nothing of what was sent comes back. */
export const selfSubjectReviewAnswer: Answer = async ({ apiVersion, kind }, { user, now }) => ({
  apiVersion,
  kind,
  metadata: { creationTimestamp: timeText(now) },
  status: { userInfo: userInfo(user) },
})

/** A user as the API tells it: what is empty is left out, and extra comes in the order of its keys. */
const userInfo = ({ name, uid, groups, extra = {} }: User) => ({
  ...(name && { username: name }),
  ...(uid && { uid }),
  ...(groups.length > 0 && { groups }),
  ...(Object.keys(extra).length > 0 && {
    extra: Object.fromEntries(Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1))),
  }),
})
