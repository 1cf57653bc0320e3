/** A connection to RabbitMQ. What imports this is loaded on demand: most installations need no amqplib. */
import type { Channel, ChannelModel, ConfirmChannel } from 'amqplib'
import { connect } from 'amqplib'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Secret } from '../../core/secret.ts'

export interface RabbitOptions {
  /** `amqps://user:password@host/vhost` */
  url: Secret
  /** PEM that vouches for the broker. */
  ca?: string
  /** A topic exchange. */
  exchange: string
  /** Makes exchange and queue where they are missing; else they must be there, with what their owner gave them. */
  declare: boolean
  clock: Clock
  log: Log
}

/** What is lost with a connection, told once to whoever waits. */
export interface Link<C extends Channel> extends AsyncDisposable {
  channel: C
  /** Resolves when the channel or its connection is gone. */
  lost: Promise<void>
}

const heartbeatSeconds = 10
const connectTimeoutMs = 10_000

export async function openLink<C extends Channel = ConfirmChannel>(
  { url, ca, exchange, declare, log }: RabbitOptions,
  open: (connection: ChannelModel) => Promise<C>,
): Promise<Link<C>> {
  const address = new URL(url.reveal())
  address.searchParams.set('heartbeat', String(heartbeatSeconds))
  const connection = await connect(address.href, { timeout: connectTimeoutMs, ...(ca && { ca: [ca] }) })
  let onLost = () => {}
  const lost = new Promise<void>((resolve) => {
    onLost = resolve
  })
  // An error without a listener would end the process; every one of them is followed by a close.
  connection.on('error', (error) => log.warn({ err: error }, 'the connection to RabbitMQ failed'))
  connection.on('close', onLost)
  const close = async () => {
    await connection.close().catch(() => {})
  }
  try {
    const channel = await open(connection)
    channel.on('error', (error) => log.warn({ err: error }, 'a channel of RabbitMQ failed'))
    channel.on('close', onLost)
    if (declare) await channel.assertExchange(exchange, 'topic', { durable: true })
    else await channel.checkExchange(exchange)
    return { channel, lost, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}
