import type { PullSettings } from '../pull-secrets/settings.ts'
import type { PullSecretsConfig } from './pull-secrets-schema.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000

/** What the service is told, from how people write it. */
export function pullSettingsOf(config: PullSecretsConfig): PullSettings {
  const { rotation, pool, loops } = config
  const ms = (seconds: number) => Math.ceil(seconds * 1_000)
  const { graceDays, warnHours, ...rotating } = rotation
  const { enabled, ...pooling } = pool
  return {
    instanceId: config.instanceId,
    extraProviders: config.extraProviders,
    rotation: { ...rotating, graceMs: graceDays * dayMs, warnMs: warnHours * hourMs },
    ...(enabled && { pool: pooling }),
    sweep: { afterMs: ms(loops.sweepAfter), batch: 100 },
    loops: {
      sweepMs: ms(loops.sweep),
      rotationMs: ms(loops.rotation),
      scheduleMs: ms(loops.schedule),
      poolMs: ms(loops.pool),
      expiryMs: ms(loops.expiry),
      outboxMs: ms(loops.outbox),
      deliveryMs: ms(loops.delivery),
      reencryptionMs: ms(loops.reencryption),
    },
  }
}
