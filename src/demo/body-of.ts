import type { IncomingMessage } from 'node:http'

const largestBody = 1024 * 1024

/** The whole body of a request, as a stand-in takes it. Throws for one of more than a mebibyte. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length
    if (size > largestBody) throw new RangeError('the body is too large')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}
