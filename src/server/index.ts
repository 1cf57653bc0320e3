/** The https server of `lanyard hub` and `lanyard agent`. */
export { failures as serverFailures } from './failures.ts'
export type { Check, Checks } from './health.ts'
export type { Address } from './listener.ts'
export type { ServeOptions } from './serve.ts'
export { serve } from './serve.ts'
export type { Bound, Server } from './server.ts'
export type { CertificateSource, ServingCertificate, ServingInput, ServingNames } from './serving-certificate.ts'
export { issuedBy, selfSigned } from './serving-certificate.ts'
