import { webcrypto } from 'node:crypto'
import type * as X509 from '@peculiar/x509'

export type { X509 }

/**
 * Loaded by the first call that encodes: it costs 0.3 s and 17 MiB, and an agent whose certificate is fresh never
 * encodes anything. The library reads metadata by a polyfill that has to come first.
 */
export async function loadX509(): Promise<typeof X509> {
  await import('reflect-metadata')
  return import('@peculiar/x509')
}

/** Passed to every call of the library, so that its global provider is never asked. */
export const crypto = webcrypto
