/** The IdentityProvider's own status. */
export type { IdentityProviderDeps } from './controller.ts'
export { identityProviderController } from './controller.ts'
