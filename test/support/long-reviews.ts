/** Questions of API servers about requests with selectors of any length. */

/** A selector of so many bytes. */
export const longSelector = (length: number): string => 'a,'.repeat(Math.ceil(length / 2)).slice(0, -1)

export const policiesPath = (cluster: string): string => `/api/breakglass/webhook/authorize/${cluster}/policies`

/** The SubjectAccessReview that a kube-apiserver makes of such a selector: sixteen times as long. */
export function longReview(
  asked: { user: string; verb: string; namespace: string; resource?: string },
  length: number,
): Buffer {
  const { user, verb, namespace, resource = 'secrets' } = asked
  const resourceAttributes = { namespace, verb, version: 'v1', resource, labelSelector: { requirements: '$' } }
  const spec = { resourceAttributes, user, groups: ['system:authenticated'] }
  const review = { kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', metadata: {}, spec, status: {} }
  const [start = '', end = ''] = JSON.stringify(review).split('"$"')
  const requirements = '{"key":"a","operator":"Exists"},'.repeat(Math.ceil(length / 2)).slice(0, -1)
  return Buffer.from(`${start}[${requirements}]${end}`)
}
