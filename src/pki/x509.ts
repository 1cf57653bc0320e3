import { webcrypto } from 'node:crypto'
import type * as X509 from '@peculiar/x509'

export type { X509 }

/**
 * The encoding library, loaded by the first call that encodes: it costs 0.2 s and 15 MiB, and an agent whose
 * certificate is fresh never encodes anything.
 */
export const loadX509 = async (): Promise<typeof X509> => (await import('./encoder.ts')).x509

/** Passed to every call of the library, so that its global provider is never asked. */
export const crypto = webcrypto
