import type { Channel, ConsumeMessage } from 'amqplib'
import { backoffMs } from '../../core/backoff.ts'
import { sleep } from '../../core/clock.ts'
import type { Run } from '../../core/lifecycle.ts'
import { aborted } from '../../core/lifecycle.ts'
import type { Random } from '../../core/random.ts'
import { failures } from '../failures.ts'
import type { CloudEvent } from './cloud-event.ts'
import { checkedEvent, checkSize, parseEvent, structuredMode } from './cloud-event.ts'
import type { Intake } from './intake.ts'
import { reconcileTypes, rotateType } from './intake.ts'
import type { RabbitOptions } from './rabbit-link.ts'
import { openLink } from './rabbit-link.ts'

export interface RabbitConsumerOptions extends RabbitOptions {
  queue: string
  /** Where the broker puts what it gives up on. Only with `declare`; else the owner of the queue has said it. */
  deadLetterExchange?: string
  /** Not acknowledged at once, at most. */
  prefetch: number
  random: Random
}

const reconnect = { baseMs: 500, maxMs: 30_000 }
/** Before what failed goes back to the queue: else a database that is away keeps the broker spinning. */
const redeliverMs = 1_000

/** Takes events from a queue until told to stop; what it has begun by then it ends first. */
export const rabbitConsumer =
  (options: RabbitConsumerOptions, intake: Intake): Run =>
  async (signal) => {
    const { clock, random, log } = options
    let attempt = 0
    while (!signal.aborted) {
      try {
        await consume(options, intake, signal, () => {
          attempt = 0
        })
      } catch (error) {
        log.warn({ err: error }, 'cannot take events from RabbitMQ; it is tried again')
      }
      if (!signal.aborted) await sleep(clock, backoffMs(attempt++, reconnect, random), signal).catch(() => {})
    }
  }

async function consume(options: RabbitConsumerOptions, intake: Intake, signal: AbortSignal, onReady: () => void) {
  await using link = await openLink<Channel>(options, (connection) => connection.createChannel())
  const { channel, lost } = link
  await provideQueue(channel, options)
  await channel.prefetch(options.prefetch)
  const underWay = new Set<Promise<void>>()
  let onCancelled = () => {}
  const cancelled = new Promise<void>((resolve) => {
    onCancelled = resolve
  })
  const { consumerTag } = await channel.consume(options.queue, (message) => {
    // The broker itself has ended the subscription, as when the queue is deleted.
    if (message === null) return onCancelled()
    const work = takeOne(message, channel, options, intake, signal).finally(() => underWay.delete(work))
    underWay.add(work)
  })
  onReady()
  await Promise.race([lost, cancelled, aborted(signal)])
  if (signal.aborted) await channel.cancel(consumerTag).catch(() => {})
  await Promise.all(underWay)
}

async function takeOne(
  message: ConsumeMessage,
  channel: Channel,
  { clock, log }: RabbitConsumerOptions,
  intake: Intake,
  signal: AbortSignal,
): Promise<void> {
  const answer = await intake
    .take(() => eventOfMessage(message), signal)
    .then(
      () => 'ack' as const,
      () => 'nack' as const,
    )
  if (answer === 'nack') await sleep(clock, redeliverMs, signal).catch(() => {})
  try {
    if (answer === 'ack') channel.ack(message)
    else channel.nack(message, false, true)
  } catch (error) {
    // The channel is gone, and with it the message is the broker's again.
    log.debug({ err: error }, 'a message could not be answered')
  }
}

async function provideQueue(channel: Channel, { queue, exchange, declare, deadLetterExchange }: RabbitConsumerOptions) {
  if (!declare) return void (await channel.checkQueue(queue))
  await channel.assertQueue(queue, { durable: true, ...(deadLetterExchange && { deadLetterExchange }) })
  for (const type of [rotateType, ...reconcileTypes]) await channel.bindQueue(queue, exchange, type)
}

/** Structured mode, or the attributes as headers by either of the two prefixes that the AMQP binding knows. */
export function eventOfMessage({ content, properties }: Pick<ConsumeMessage, 'content' | 'properties'>): CloudEvent {
  checkSize(content.length)
  const text = content.toString()
  const headers: Record<string, unknown> = properties.headers ?? {}
  const attributes = Object.entries(headers).flatMap(([name, value]) => {
    const attribute = /^cloudEvents[:_](.+)$/.exec(name)?.[1]
    return attribute ? [[attribute, value]] : []
  })
  const isStructured = String(properties.contentType ?? '').startsWith(structuredMode)
  if (isStructured || attributes.length === 0) return parseEvent(text)
  try {
    return checkedEvent({ ...Object.fromEntries(attributes), ...(text !== '' && { data: JSON.parse(text) }) })
  } catch (error) {
    if (error instanceof SyntaxError) throw failures.EVENT_MALFORMED({ detail: 'its data is no JSON' })
    throw error
  }
}
