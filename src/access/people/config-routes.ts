import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import { issuerOf } from '../../fleet/identity/index.ts'
import type { RawAnswer, RawRoute } from '../../fleet/rest.ts'
import type { Stored } from '../../kube/objects.ts'
import type { AccessHubDeps } from '../hub/deps.ts'
import type { AccessView } from '../view.ts'

/** What anybody may know: where to log in, and that the hub is there. Nothing of it is secret. */
export function configRoutes({ view, spokeView, settings }: AccessHubDeps & { view: AccessView }): RawRoute[] {
  // Not the policies: decisions without them are refusals, and people can still ask, see and end.
  const watched = [view.sessions, view.escalations, spokeView.configs, spokeView.providers]
  const onceKnown = (tell: () => unknown) => (): RawAnswer =>
    watched.every(({ isSynced }) => isSynced)
      ? { status: 200, body: JSON.stringify(tell()) }
      : { status: 503, body: JSON.stringify({ error: 'not everything is known yet' }), headers: { 'retry-after': '1' } }
  const providers = () =>
    spokeView.providers
      .list()
      .filter(({ spec, metadata }) => spec && !spec.disabled && metadata.deletionTimestamp === undefined)
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
      .map(shownProvider)
  return [
    {
      method: 'GET',
      path: '/api/config',
      operationId: 'getConfig',
      summary: 'What the hub is set up for',
      description: 'For everybody, without a token. 503 until the hub knows its sessions and identity providers.',
      tag: 'Configuration',
      answers: { 200: '`url`, `frontendUrl` and `identityProviders`, as JSON.', 503: 'Not everything is known yet.' },
      handle: onceKnown(() => {
        const { url, frontendUrl } = settings()
        return { ...(url && { url }), ...(frontendUrl && { frontendUrl }), identityProviders: providers() }
      }),
    },
    {
      method: 'GET',
      path: '/api/config/idps',
      operationId: 'listIdentityProviders',
      summary: 'Where people log in',
      description: 'For everybody, without a token.',
      tag: 'Configuration',
      answers: {
        200: '`items`, each with `name`, `displayName`, `issuer`, `authority`, `clientID`, `expectedAudience` and `certificateAuthority`.',
        503: 'Not everything is known yet.',
      },
      handle: onceKnown(() => ({ items: providers() })),
    },
  ]
}

function shownProvider({ metadata, spec }: Stored<IdentityProvider>) {
  if (!spec) return { name: metadata.name }
  const { authority, clientID, expectedAudience, certificateAuthority } = spec.oidc
  return {
    name: metadata.name,
    displayName: spec.displayName ?? metadata.name,
    issuer: issuerOf(spec),
    authority,
    clientID,
    ...(expectedAudience !== undefined && { expectedAudience }),
    ...(certificateAuthority !== undefined && { certificateAuthority }),
  }
}
