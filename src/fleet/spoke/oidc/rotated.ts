import { isFailure } from '../../../core/failure.ts'
import type { Log } from '../../../core/log.ts'
import { Secret } from '../../../core/secret.ts'
import type { OidcWay, SecretKey } from '../contract.ts'
import type { TokenDeps } from './index.ts'
import type { RotatingSecrets, Unsaved } from './rotating-secrets.ts'

export interface RefreshDeps extends Pick<TokenDeps, 'readSecret' | 'keepRotated'> {
  log: Log
  /** Shared by all sources. */
  rotating: RotatingSecrets
}

/** A refresh token that may be shown, and where it is from. */
export interface RefreshToken {
  readonly value: Secret
  /** `own`: an answer to another grant brought it. `given`: a person did, or it succeeds such a one. */
  readonly from: 'own' | 'given'
}

/** The refresh tokens there are, and what becomes of them. */
export interface RefreshTokens {
  /** Everything from the first candidate to the one that served is to be done in here: see RotatingSecrets. */
  inTurn<R>(work: () => Promise<R>): Promise<R>
  /** In the order they are shown. The Secret is read when its turn comes. */
  candidates(): AsyncIterable<RefreshToken>
  /** It served; the answer may have brought its successor, which is kept before anything is done with the answer. */
  served(by: RefreshToken, successor: Secret | undefined): Promise<void>
  refused(token: RefreshToken): void
  /** An answer to another grant brought one, or none. */
  brought(token: Secret | undefined): void
}

export function refreshTokens({ refresh }: OidcWay, deps: RefreshDeps): RefreshTokens {
  const { readSecret, rotating } = deps
  /** Not one whose successors are kept: the Secret knows better, others may have used up the one in memory. */
  let held: RefreshToken | undefined
  const kept = refresh?.rotatedKey === undefined ? undefined : keptIn(refresh.token, refresh.rotatedKey)

  return {
    inTurn: (work) => (refresh && kept ? rotating.inTurn(refresh.token, work) : work()),
    async *candidates() {
      const shown: Secret[] = []
      const unlessShown = (value: Secret | undefined): RefreshToken[] => {
        if (!value || shown.some((other) => other.equals(value))) return []
        shown.push(value)
        return [{ value, from: 'given' }]
      }
      if (held) {
        shown.push(held.value)
        yield held
      }
      if (kept) {
        yield* unlessShown(await kept.unsaved())
        const found = unlessShown(await kept.saved())
        yield* found
        // Refused: another process may have used it up since it was read, and kept its successor.
        if (found.length > 0) yield* unlessShown(await kept.saved())
      }
      if (refresh) yield* unlessShown(trimmed((await readSecret(refresh.token)).text))
    },
    async served(by, successor) {
      const isRotated = successor !== undefined && !successor.equals(by.value)
      if (by.from === 'own' || !kept) held = isRotated ? { value: successor, from: by.from } : by
      else if (isRotated) await kept.save(successor)
    },
    refused(token) {
      if (held?.value.equals(token.value)) held = undefined
      kept?.refused(token.value)
    },
    brought(token) {
      held = token && { value: token, from: 'own' }
    },
  }

  /** Successors of a token that was given, and the Secret that keeps them. */
  function keptIn(token: SecretKey, rotatedKey: string) {
    let original: Secret | undefined

    async function save(successor: Unsaved): Promise<void> {
      rotating.setUnsaved(token, rotatedKey, successor)
      try {
        await deps.keepRotated(token, rotatedKey, successor.value.reveal())
        rotating.setUnsaved(token, rotatedKey, undefined)
      } catch (error) {
        const { namespace, name } = token
        deps.log.error({ err: error, namespace, name, key: rotatedKey }, 'rotated refresh token not kept')
      }
    }

    return {
      async unsaved(): Promise<Secret | undefined> {
        original = await textIfThere(token)
        const found = rotating.unsaved(token, rotatedKey)
        if (!found) return undefined
        if (isSame(found.original, original)) await save(found)
        // Somebody put another token there since, and may be another person: this one is not for them.
        else rotating.setUnsaved(token, rotatedKey, undefined)
        return isSame(found.original, original) ? found.value : undefined
      },
      saved: () => textIfThere({ ...token, keys: [rotatedKey] }),
      save: (value: Secret) => save({ value, original }),
      refused(value: Secret) {
        if (rotating.unsaved(token, rotatedKey)?.value.equals(value)) rotating.setUnsaved(token, rotatedKey, undefined)
      },
    }
  }

  async function textIfThere(key: SecretKey): Promise<Secret | undefined> {
    try {
      const text = trimmed((await readSecret(key)).text)
      return text.reveal() === '' ? undefined : text
    } catch (error) {
      if (isFailure(error, 'SPOKE_SECRET_KEY_MISSING')) return undefined
      throw error
    }
  }
}

const isSame = (a: Secret | undefined, b: Secret | undefined): boolean => (a && b ? a.equals(b) : a === b)

/** Secrets are often made from files that end in a newline. */
export const trimmed = (text: Secret): Secret => Secret.of(text.reveal().trim())
