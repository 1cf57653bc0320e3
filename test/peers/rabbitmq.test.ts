import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import type { ConsumeMessage } from 'amqplib'
import { connect } from 'amqplib'
import { systemClock } from '../../src/core/clock.ts'
import { runTogether } from '../../src/core/lifecycle.ts'
import { Secret } from '../../src/core/secret.ts'
import type { CloudEvent } from '../../src/pull-secrets/events/cloud-event.ts'
import { eventually } from '../support/eventually.ts'
import { peer } from '../support/peer.ts'
import { duringOutage, outsideOf } from '../support/pull-secret-outside.ts'
import { clusterC, pullSecretScene, tester } from '../support/pull-secret-scene.ts'
import type { Broker } from '../support/rabbitmq.ts'
import { startBroker } from '../support/rabbitmq.ts'
import type { TestScope } from '../support/test-scope.ts'
import { teardown } from '../support/test-scope.ts'

const queue = 'pull-secrets'
const rotateType = 'com.redhat.hyperfleet.pullsecret.rotate.v1'

async function sceneOn(t: TestScope, broker: Broker) {
  const scene = await pullSecretScene(t)
  const rabbitmq = { url: Secret.of(broker.url), queue, declare: true }
  const outside = await outsideOf(scene, systemClock, { rabbitmq })
  const stop = new AbortController()
  const running = runTogether(stop.signal, outside.runs)
  teardown(t, async () => {
    stop.abort()
    await running
  })
  await scene.service.issuing.generate({ cluster: clusterC }, tester)
  return { scene, outside }
}

/** Another program at the broker. */
async function atBroker(t: TestScope, { url }: Broker) {
  const connection = await connect(url)
  connection.on('error', () => {})
  teardown(t, () => connection.close().catch(() => {}))
  return await connection.createConfirmChannel()
}

const needsBroker = (body: (t: TestContext, broker: Broker) => Promise<void>) => async (t: TestContext) => {
  if (peer(t, 'rabbitmq-server')) await body(t, await startBroker(t))
}

test(
  'events reach the queues of a real RabbitMQ, and those that wait while it is away reach them later',
  needsBroker(async (t, broker) => {
    const { scene, outside } = await sceneOn(t, broker)
    const listener = await atBroker(t, broker)
    await listener.assertExchange('hyperfleet', 'topic', { durable: true })
    await listener.assertQueue('listener', { durable: true })
    await listener.bindQueue('listener', 'hyperfleet', 'com.redhat.hyperfleet.pullsecret.#')
    await outside.tick('outbox')

    await broker.kill()
    await scene.service.ending.suspend(clusterC.id, 'test', tester)
    await outside.tick('outbox')
    assert.match(scene.logged(), /EVENT_UNPUBLISHED/)
    await broker.start()

    const events: CloudEvent[] = []
    const after = await atBroker(t, broker)
    await after.consume('listener', (message) => {
      if (!message) return
      assert.match(String(message.properties.contentType), /^application\/cloudevents\+json/)
      const event = JSON.parse(message.content.toString()) as CloudEvent
      assert.equal(message.fields.routingKey, event.type)
      events.push(event)
      after.ack(message)
    })
    await eventually('both events are there', async () => {
      await outside.tick('outbox')
      return events.length >= 2
    })
    assert.deepEqual(
      events.map(({ type, subject }) => [type, subject]),
      [
        ['com.redhat.hyperfleet.pullsecret.generated.v1', clusterC.id],
        ['com.redhat.hyperfleet.pullsecret.suspended.v1', clusterC.id],
      ],
    )
  }),
)

test(
  'P36: from a queue of a real RabbitMQ, the same rotate event twice makes one rotation, what is malformed is taken off, and what an outage of the database met comes again',
  needsBroker(async (t, broker) => {
    const { scene } = await sceneOn(t, broker)
    const sender = await atBroker(t, broker)
    const send = async (content: string, contentType = 'application/cloudevents+json') => {
      sender.publish('hyperfleet', rotateType, Buffer.from(content), { contentType, persistent: true })
      await sender.waitForConfirms()
    }
    const counted = async (result: string) =>
      Number(new RegExp(`events_taken_total\\{result="${result}"\\} (\\d+)`).exec(await scene.metrics.text())?.[1])
    await eventually('the queue is there', async () => {
      const probe = await atBroker(t, broker)
      return await probe.checkQueue(queue).catch(() => undefined)
    })
    const data = { cluster_id: clusterC.id, reason: 'manual', force_immediate: false }
    const event = JSON.stringify({ specversion: '1.0', id: '1', source: 'sentinel', type: rotateType, data })

    await duringOutage(scene, async () => {
      await send(event)
      await eventually('it could not be handled', async () => (await counted('failed')) > 0)
    })
    await eventually('it came again', async () => (await counted('done')) === 1)
    await send(event)
    await eventually('it is known already', async () => (await counted('repeated')) === 1)
    const { items } = await scene.service.rotating.list(clusterC.id, { page: 1, size: 20 })
    assert.equal(items.length, 1)

    await send('{ no json')
    await send(JSON.stringify({ specversion: '1.0', id: '2', source: 'sentinel', type: rotateType, data: {} }))
    await eventually('both were given up', async () => (await counted('malformed')) === 2)
    await eventually('nothing is left', async () => {
      const message: ConsumeMessage | false = (await sender.get(queue)) as ConsumeMessage | false
      return message === false && (await sender.checkQueue(queue)).messageCount === 0
    })
  }),
)
