import type { TestScope } from '../../../../test/support/test-scope.ts'
import { createLog } from '../../../core/log.ts'
import { createMetrics } from '../../../core/metrics.ts'
import type { Answer, WatchAnswer } from '../../requests/answer.ts'
import { failureAnswer, isWatchAnswer } from '../../requests/answer.ts'
import type { ApiRequest } from '../../requests/body.ts'
import { readRequestInfo } from '../../requests/request-info.ts'
import { writeScene } from '../../requests/testing/scene.ts'
import { ApiFailure } from '../../status.ts'
import { FanOut } from '../../watch/fan-out.ts'
import type { RouteDeps } from '../routes.ts'
import { route } from '../routes.ts'

interface Asked {
  body?: unknown
  headers?: Record<string, string>
}

/** All that is behind the gate, on a store of its own. */
export async function routeScene(t: TestScope) {
  const written = writeScene(t)
  const lines: string[] = []
  const fanOut = new FanOut(written.store)
  const deps: RouteDeps = {
    ...written.deps,
    ...{ fanOut, lastLine: {}, metrics: await createMetrics() },
    log: createLog({ destination: { write: (line) => lines.push(line) } }),
    health: [{ name: 'ping', isWell: () => true }],
    issuer: { configuration: () => ({}), keys: {} },
    address: () => '127.0.0.1:6443',
  }

  async function ask(method: string, uri: string, { body, headers = {} }: Asked = {}): Promise<Answer> {
    const url = new URL(uri, 'https://server')
    const request: ApiRequest = {
      ...{ method, uri, path: decodeURIComponent(url.pathname), query: url.searchParams, headers, rawHeaders: [] },
      readBody: async () => Buffer.from(body === undefined ? '' : JSON.stringify(body)),
    }
    const info = readRequestInfo(method, request.path, request.query)
    try {
      return await route(deps, request, info, { name: 'jane', groups: [] }, (text) => void written.warnings.push(text))
    } catch (error) {
      if (error instanceof ApiFailure) return failureAnswer(error)
      throw error
    }
  }

  return {
    ...written,
    ...{ deps, fanOut, lines, ask },
    /** Code and object of an answer that is no watch. */
    // biome-ignore lint/suspicious/noExplicitAny: whatever was answered, for assertions to look into
    async json(method: string, uri: string, asked?: Asked): Promise<{ code: number; object: any }> {
      const answer = await ask(method, uri, asked)
      if (isWatchAnswer(answer)) throw new Error('it is a watch')
      return { code: answer.code, object: JSON.parse(answer.body) }
    },
    async watch(uri: string, asked?: Asked): Promise<WatchAnswer> {
      const answer = await ask('GET', uri, asked)
      if (!isWatchAnswer(answer)) throw new Error(`it is no watch: ${answer.body}`)
      return answer
    },
  }
}
