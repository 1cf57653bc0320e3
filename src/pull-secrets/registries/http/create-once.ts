import type { Failure } from '../../../core/failure.ts'
import { isFailure } from '../../../core/failure.ts'
import { failures } from '../../failures.ts'
import { NoAnswer } from './answer.ts'
import type { RegistryHttp } from './client.ts'
import { retries } from './client.ts'

export interface CreateOnce<T> {
  /** Throws REGISTRY_UNCERTAIN when nobody knows whether it had an effect, REGISTRY_NAME_TAKEN when the name exists. */
  create(): Promise<T>
  /** What is there under the name now; undefined when there is nothing. `unknown` when it cannot be told to be ours. */
  look(): Promise<T | 'unknown' | undefined>
}

/**
 * Makes something at most once, although answers get lost. After a call that may have had an effect it looks: what is
 * there is taken; where nothing is, the same call is made again, by the same name, so that nothing can be doubled.
 * That nothing was seen does not prove that nothing will come (a proxy gave up, a replica lags): in the end it is
 * REGISTRY_UNCERTAIN all the same.
 */
export async function createOnce<T>(http: RegistryHttp, steps: CreateOnce<T>, signal: AbortSignal): Promise<T> {
  let doubt: unknown
  for (let attempt = 0; ; attempt++) {
    try {
      return await steps.create()
    } catch (error) {
      // The name is taken by the call whose answer was lost, most likely; `look` tells.
      const isOurRepeat = doubt !== undefined && isFailure(error, 'REGISTRY_NAME_TAKEN')
      if (!isFailure(error, 'REGISTRY_UNCERTAIN') && !isOurRepeat) {
        if (doubt === undefined) throw error
        throw stillUncertain(http, error)
      }
      const found = await steps.look().catch((cause) => {
        throw signal.aborted ? signal.reason : stillUncertain(http, cause)
      })
      if (found === 'unknown') throw isOurRepeat ? error : stillUncertain(http, error)
      if (found !== undefined) return found
      if (attempt === retries || wasTimeout(error)) throw stillUncertain(http, error)
      doubt = error
      await http.pause(attempt, signal)
    }
  }
}

/** After a timeout the time of the caller is used up as well. */
const wasTimeout = (error: Failure) => error.cause instanceof NoAnswer && error.cause.why === 'timeout'

const stillUncertain = ({ registry }: RegistryHttp, cause: unknown) =>
  isFailure(cause, 'REGISTRY_UNCERTAIN')
    ? cause
    : failures.REGISTRY_UNCERTAIN({ registry, detail: 'it could not be asked again' }, cause)
