/** A person, as their token proves it. */
export interface Person {
  /** One that their provider vouches for. */
  readonly email?: string
  /** One that it does not vouch for: it speaks against them, never for them. */
  readonly claimedEmail?: string
  readonly username?: string
  readonly subject?: string
  /** Without the prefixes of their provider. */
  readonly groups: readonly string[]
  /** The name of the IdentityProvider, and the `iss` of its tokens. */
  readonly identityProvider: string
  readonly issuer: string
  /** Only where there are several providers: then names and groups are compared as their own provider means them. */
  readonly amongProviders?: { readonly groupPrefixes: readonly string[] }
}
