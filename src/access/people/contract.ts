/** A person, as their token proves it. */
export interface Person {
  readonly email?: string
  readonly username?: string
  readonly subject?: string
  /** Without the configured prefixes. */
  readonly groups: readonly string[]
  /** The name of the IdentityProvider, and the `iss` of its tokens. */
  readonly identityProvider: string
  readonly issuer: string
}
