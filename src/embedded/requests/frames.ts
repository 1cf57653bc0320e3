import type { Clock } from '../../core/clock.ts'
import type { Served } from '../kinds/registry.ts'
import type { ApiObject } from '../objects.ts'
import type { Entry } from '../storage/store.ts'
import type { Frame } from '../watch/frame.ts'
import { bookmarkObject } from './bookmark.ts'
import { partialText, rowText } from './forms.ts'
import type { Form } from './negotiate.ts'
import { textOf } from './representation.ts'

/** A line of a watch as bytes. A promise where a conversion webhook has to be asked. */
export type FrameWriter = (frame: Frame) => Buffer | Promise<Buffer>

/**
 * The line that was written last. One change goes to all its watches in a row, and most of them want the same line: it
 * is put into words once.
 */
export interface LastLine {
  line?: { entry: Entry; type: string; served: Served; bytes: Buffer }
}

export function frameWriter(served: Served, form: Form, clock: Clock, last: LastLine): FrameWriter {
  let isFirstRow = true

  function shown(text: string): string {
    if (form.as === 'object' || form.as === 'PartialObjectMetadataList') return text
    if (form.as === 'PartialObjectMetadata') return partialText(JSON.parse(text) as ApiObject, form)
    const row = rowText(text, served, form, clock.now(), isFirstRow)
    isFirstRow = false
    return row
  }

  return (frame) => {
    if (frame.type === 'ERROR') return line(frame.type, JSON.stringify(frame.status))
    if (frame.type === 'BOOKMARK')
      return line(frame.type, shown(JSON.stringify(bookmarkObject(served, frame.revision, frame.endsInitialEvents))))
    const { type, entry } = frame
    const said = form.as === 'object' ? last.line : undefined
    if (said && said.entry === entry && said.type === type && said.served === served) return said.bytes
    const text = textOf(entry, served)
    if (typeof text !== 'string') return text.then((converted) => line(type, shown(converted)))
    const bytes = line(type, shown(text))
    if (form.as === 'object') last.line = { entry, type, served, bytes }
    return bytes
  }
}

const line = (type: string, object: string): Buffer => Buffer.from(`{"type":"${type}","object":${object}}\n`)
