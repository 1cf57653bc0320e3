import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { issueForServer, testAuthority } from './control-plane/identities.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

/** As much of Keycloak as is asked who is in a group. A real one is in test/peers. */
export interface KeycloakStandIn {
  readonly url: string
  readonly caPem: string
  readonly realm: string
  readonly clientSecret: string
  /** Top groups by name, with the mail addresses of their members. Changed in place, it counts at once. */
  readonly groups: Map<string, readonly string[]>
  /** Paths of the administrator's API that were asked for, newest last. */
  readonly asked: readonly string[]
  /** `hang`: it takes requests and never answers. `refuse`: the service account may read nothing. */
  mood: 'well' | 'hang' | 'refuse'
}

export async function startKeycloakStandIn(t: TestScope, clientSecret: string): Promise<KeycloakStandIn> {
  const authority = await testAuthority('test-keycloak-ca')
  const { certPem, keyPem } = await issueForServer(authority, { ipAddresses: ['127.0.0.1'] })
  const asked: string[] = []
  const server = createServer({ cert: certPem, key: keyPem.reveal() }, async (request, response) => {
    const text = Buffer.concat(await Array.fromAsync<Buffer>(request)).toString()
    if (self.mood === 'hang') return
    const { pathname, searchParams } = new URL(request.url ?? '/', self.url)
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const issuer = `${self.url}/realms/${self.realm}`
    if (pathname.endsWith('/.well-known/openid-configuration'))
      return answer(200, {
        issuer,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/certs`,
        response_types_supported: ['code'],
      })
    if (pathname.endsWith('/token')) {
      // Some servers repeat what they were sent.
      const shown = new URLSearchParams(text).get('client_secret')
      if (shown !== clientSecret) return answer(401, { error: 'invalid_client', error_description: `not ${shown}` })
      return answer(200, { access_token: `token-of-${clientSecret}`, token_type: 'Bearer', expires_in: 300 })
    }
    asked.push(request.url ?? '')
    if (self.mood === 'refuse' || request.headers.authorization !== `Bearer token-of-${clientSecret}`)
      return answer(403, { error: 'unknown_error' })
    const [, id] = /\/groups\/([^/]+)\/members$/.exec(pathname) ?? []
    if (id !== undefined) {
      const [first, max] = ['first', 'max'].map((name) => Number(searchParams.get(name)))
      const members = self.groups.get(decodeURIComponent(id)) ?? []
      return answer(
        200,
        members.slice(first, (first ?? 0) + (max ?? 0)).map((email) => ({ email, enabled: true })),
      )
    }
    const wanted = searchParams.get('search') ?? ''
    return answer(200, self.groups.has(wanted) ? [{ id: wanted, name: wanted, path: `/${wanted}`, subGroups: [] }] : [])
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  teardown(t, () => {
    server.closeAllConnections()
    server.close()
  })
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const self: KeycloakStandIn = {
    ...{ url, caPem: authority.certPem, realm: 'people', clientSecret, groups: new Map(), asked, mood: 'well' },
  }
  return self
}
