import type { OpenSpoke } from '../../fleet/spoke/index.ts'
import type { KubeFailure } from '../../kube/failures.ts'

/** That the API server of a cluster did not tell its version, and what that comes from most often. Its words are not repeated. */
export function wordsOf({ code }: Pick<KubeFailure, 'code'>, { by, server }: Pick<OpenSpoke, 'by' | 'server'>): string {
  const cause = causeOf(code, by)
  return `${server} answers ${code} to GET /version${cause && `; ${cause}`}`
}

function causeOf(code: number, by: OpenSpoke['by']): string {
  if (code === 401) return refused[by]
  if (code === 403) return 'it knows who the hub is and lets it do nothing: bind system:public-info-viewer to that user'
  if (code >= 500) return 'what answers there does not work: look at the API server, or at the proxy before it'
  return ''
}

const refused: Readonly<Record<OpenSpoke['by'], string>> = {
  Kubeconfig:
    'the token or the client certificate of the kubeconfig has expired, was revoked, or is for another cluster',
  OIDC: 'check that this API server takes tokens of the issuer, and that it expects the audience that is asked for',
}
