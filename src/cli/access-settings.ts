import type { AccessSettings } from '../access/settings.ts'
import type { AccessConfig } from './access-schema.ts'

const ms = (seconds: number): number => Math.ceil(seconds * 1_000)

/**
 * What the hub is told of break glass, from how people write it.
 * @param boundUrl where the server is found, if the file does not say
 */
export function accessSettingsOf(config: AccessConfig, boundUrl?: string): AccessSettings {
  const { authorizedTtl, spokeDeadline, totalDeadline, reviewTtl, url = boundUrl, ...same } = config
  return {
    ...same,
    ...(url !== undefined && { url: url.replace(/\/+$/, '') }),
    authorizedTtlMs: ms(authorizedTtl),
    spokeDeadlineMs: ms(spokeDeadline),
    totalDeadlineMs: ms(totalDeadline),
    reviewTtlMs: { allowed: ms(reviewTtl.allowed), refused: ms(reviewTtl.refused) },
  }
}
