import { readFile } from 'node:fs/promises'
import type { FlattenedJWSInput, JWSHeaderParameters } from 'jose'
import { createLocalJWKSet, createRemoteJWKSet, errors } from 'jose'
import type { IssuerSettings } from './settings.ts'

export type KeyFor = (
  header: JWSHeaderParameters,
  token: FlattenedJWSInput,
) => ReturnType<ReturnType<typeof createLocalJWKSet>>

/** That the keys of an issuer cannot be had now: it says nothing about the token. */
export class KeysAway extends Error {}

/** Keys change at the issuer's will: one that is not known is looked for once more before the token counts as wrong. */
export const keysOf = (issuer: IssuerSettings): KeyFor =>
  issuer.jwksFile === undefined ? remoteKeys(new URL(issuer.jwksUrl as string)) : fileKeys(issuer.jwksFile)

function remoteKeys(url: URL): KeyFor {
  const keys = createRemoteJWKSet(url, { timeoutDuration: 5_000, cooldownDuration: 30_000, cacheMaxAge: 600_000 })
  return async (header, token) => {
    try {
      return await keys(header, token)
    } catch (error) {
      throw isAboutToken(error) ? error : new KeysAway('the keys of the issuer cannot be fetched', { cause: error })
    }
  }
}

function fileKeys(path: string): KeyFor {
  let known: ReturnType<typeof createLocalJWKSet> | undefined
  const read = async () => {
    try {
      known = createLocalJWKSet(JSON.parse(await readFile(path, 'utf8')))
      return known
    } catch (error) {
      throw new KeysAway('the keys of the issuer cannot be read', { cause: error })
    }
  }
  return async (header, token) => {
    if (!known) return await (await read())(header, token)
    try {
      return await known(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      return await (await read())(header, token)
    }
  }
}

/** Everything else is about the way to the keys, or about what was found there. */
const isAboutToken = (error: unknown): boolean =>
  error instanceof errors.JWKSNoMatchingKey ||
  error instanceof errors.JWKSMultipleMatchingKeys ||
  error instanceof errors.JOSENotSupported
