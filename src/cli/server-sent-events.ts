/** Server-sent events as the standard has them, as far as JSON data goes. */
export interface StreamedEvent {
  id?: string
  event?: string
  /** Absent: only where to resume is told. */
  data?: unknown
}

/** Ends with the stream. Comments, which only show that somebody is there, are passed over. */
export async function* eventsIn(stream: AsyncIterable<Buffer | string>): AsyncGenerator<StreamedEvent> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const part of stream) {
    rest += typeof part === 'string' ? part : decoder.decode(part, { stream: true })
    const blocks = rest.split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = eventOf(block)
      if (event) yield event
    }
  }
}

/** Undefined for a comment. */
function eventOf(block: string): StreamedEvent | undefined {
  const fields = new Map<string, string[]>()
  for (const line of block.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([^:]*)(?::[ ]?(.*))?$/s.exec(line) ?? []
    if (name !== '') fields.set(name, [...(fields.get(name) ?? []), value])
  }
  const [data, id, event] = [fields.get('data')?.join('\n'), fields.get('id')?.at(-1), fields.get('event')?.at(-1)]
  if (data === undefined && id === undefined) return undefined
  return {
    ...(id !== undefined && { id }),
    ...(event !== undefined && { event }),
    ...(data !== undefined && { data: parsed(data) }),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
