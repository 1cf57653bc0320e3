import { randomUUID } from 'node:crypto'
import type { WatchAnswer } from '../requests/answer.ts'
import { failureAnswer, isWatchAnswer } from '../requests/answer.ts'
import type { ExchangeDeps } from '../serving/exchange.ts'
import { attributesOf } from '../serving/gate.ts'
import { ApiFailure, internalError } from '../status.ts'
import type { Audit } from './audit.ts'
import type { RequestRecord } from './record.ts'

type Route = ExchangeDeps['route']

/** Where the control plane's own requests come from, in the words of the real server, which asks itself over the network. */
const loopback = '::1'

/** What the control plane's own controllers do is in the log as well: they delete what others own. */
export const audited =
  (audit: Audit, route: Route): Route =>
  async (given, info, user, warn) => {
    const request = audit.follow(given, randomUUID(), loopback)
    const attributes = attributesOf(info, request, user)
    request.audit?.received(attributes)
    request.audit?.decided({ verdict: 'allow', reason: '' })
    try {
      const answer = await route(request, info, user, warn)
      if (isWatchAnswer(answer)) return untilItsEnd(answer, request.audit)
      request.audit?.completed(answer)
      return answer
    } catch (error) {
      request.audit?.failed(error, attributes)
      request.audit?.completed(failureAnswer(error instanceof ApiFailure ? error : internalError('see the log')))
      throw error
    }
  }

const untilItsEnd = (answer: WatchAnswer, record: RequestRecord | undefined): WatchAnswer => ({
  ...answer,
  open(sink) {
    record?.started()
    return answer.open({
      take: (frame) => sink.take(frame),
      end() {
        record?.completed(answer)
        sink.end()
      },
    })
  },
})
