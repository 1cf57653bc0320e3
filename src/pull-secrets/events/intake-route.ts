import * as Type from 'typebox'
import type { RestRoute } from '../../fleet/rest.ts'
import type { CloudEvent } from './cloud-event.ts'
import { checkedEvent, eventOfHeaders, structuredMode } from './cloud-event.ts'
import type { Intake } from './intake.ts'
import { rotateType } from './intake.ts'

const Taken = Type.Object({
  result: Type.String({ description: 'done, repeated, ignored, malformed or refused' }),
})

/**
 * CloudEvents over HTTP, structured and binary. What cannot be understood is acknowledged as well: to send it again would
 * not help. An answer that is no 2xx asks for it to be sent again.
 */
export const intakeRoute = (intake: Intake): RestRoute => ({
  method: 'POST',
  path: '/api/hyperfleet/v1/events',
  summary: 'Takes a CloudEvent: a rotation that is asked for, or a cluster to be reconciled',
  operationId: 'receiveEvent',
  description:
    'In structured mode (`application/cloudevents+json`) or binary mode. Types that are not acted on are acknowledged.',
  tag: 'Events',
  permission: 'events:receive',
  ofFleet: true,
  body: Type.Unknown(),
  answers: { 202: Taken },
  example: {
    body: {
      specversion: '1.0',
      id: '019466a0-8f8e-7abc-9def-000000000001',
      source: 'hyperfleet-sentinel',
      type: rotateType,
      data: { cluster_id: '019466a0-8f8e-7abc-9def-0123456789ab', reason: 'manual', force_immediate: false },
    },
    answers: { 202: { result: 'done' } },
  },
  async handle({ headers, body, signal }) {
    const result = await intake.take(() => eventOfRequest(headers, body), signal)
    return { status: 202, body: { result } }
  },
})

const eventOfRequest = (headers: Readonly<Record<string, string | undefined>>, body: unknown): CloudEvent =>
  (headers['content-type'] ?? '').startsWith(structuredMode) ? checkedEvent(body) : eventOfHeaders(headers, body)
