import type { ConfirmChannel } from 'amqplib'
import type { Run } from '../../core/lifecycle.ts'
import { aborted } from '../../core/lifecycle.ts'
import { failures } from '../failures.ts'
import type { CloudEvent } from './cloud-event.ts'
import { structuredMode } from './cloud-event.ts'
import type { Publisher } from './publisher.ts'
import type { Link, RabbitOptions } from './rabbit-link.ts'
import { openLink } from './rabbit-link.ts'

const confirmMs = 10_000

/**
 * To a topic exchange, the type of the event as routing key; taken once the broker has confirmed it. An event that no
 * queue is bound for is confirmed too: that nobody listens is no reason to hold up a cluster's later events.
 */
export function rabbitPublisher(options: RabbitOptions): Publisher & { run: Run } {
  let link: Promise<Link<ConfirmChannel>> | undefined

  async function opened(): Promise<Link<ConfirmChannel>> {
    const mine = openLink(options, (connection) => connection.createConfirmChannel())
    link = mine
    const forget = () => {
      if (link === mine) link = undefined
    }
    mine.then(({ lost }) => lost.then(forget), forget)
    return await mine
  }

  return {
    name: 'rabbitmq',
    async publish(event, signal) {
      signal.throwIfAborted()
      const unpublished = (detail: string, cause?: unknown) =>
        failures.EVENT_UNPUBLISHED({ publisher: 'rabbitmq', detail }, cause)
      const { channel, lost } = await (link ?? opened()).catch((error: unknown) => {
        throw unpublished('no connection', error)
      })
      const { promise: late, reject } = Promise.withResolvers<never>()
      using _ = options.clock.countdown(confirmMs, () => reject(unpublished('no confirmation')))
      await Promise.race([
        confirmed(channel, options.exchange, event).catch((error: unknown) => {
          throw unpublished('not confirmed', error)
        }),
        lost.then(() => {
          throw unpublished('the connection was lost')
        }),
        late,
      ])
    },
    async run(signal) {
      await aborted(signal)
      const last = await link?.catch(() => undefined)
      await last?.[Symbol.asyncDispose]()
    },
  }
}

const confirmed = (channel: ConfirmChannel, exchange: string, event: CloudEvent): Promise<void> =>
  new Promise((resolve, reject) => {
    const properties = {
      persistent: true,
      contentType: `${structuredMode}; charset=utf-8`,
      messageId: event.id,
      ...(event.traceparent && { headers: { traceparent: event.traceparent } }),
    }
    const body = Buffer.from(JSON.stringify(event))
    channel.publish(exchange, event.type, body, properties, (error) => (error ? reject(error) : resolve()))
  })
