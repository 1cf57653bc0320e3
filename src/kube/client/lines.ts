const newline = 0x0a

/** Used-up pieces are dropped this many at a time: one by one would be quadratic, never would keep them in memory. */
const dropEvery = 64

/**
 * Cuts a byte stream into lines on demand. Each byte is searched once and copied at most once, however small the pieces
 * it arrives in; bytes become text only as whole lines, so a character split between two pieces stays intact.
 */
export class LineBuffer {
  #chunks: Buffer[] = []
  /** The first piece not used up, and how much of it is. */
  #head = 0
  #offset = 0
  /** Pieces from `#head` up to this one hold no newline. */
  #searched = 0
  #size = 0

  /** Bytes not yet taken. */
  get size(): number {
    return this.#size
  }

  /** How many pieces they came in. */
  get pieces(): number {
    return this.#chunks.length - this.#head
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return
    this.#chunks.push(chunk)
    this.#size += chunk.length
  }

  /** The next line that is not empty, without its end; undefined when there is no whole one. */
  next(): string | undefined {
    for (let chunk = this.#chunks[this.#searched]; chunk; chunk = this.#chunks[this.#searched]) {
      const at = chunk.indexOf(newline, this.#searched === this.#head ? this.#offset : 0)
      if (at < 0) {
        this.#searched++
        continue
      }
      const line = this.#take(this.#searched, at)
      this.#skip(1)
      if (line !== '') return line
    }
    return undefined
  }

  /** Takes what is left after the last newline. */
  rest(): string {
    const last = this.#chunks.length - 1
    const chunk = this.#chunks[last]
    return chunk && last >= this.#head ? this.#take(last, chunk.length) : ''
  }

  clear(): void {
    this.#chunks = []
    this.#head = this.#offset = this.#searched = this.#size = 0
  }

  #take(index: number, end: number): string {
    const first = this.#chunks[this.#head] as Buffer
    if (index === this.#head) {
      const text = first.toString('utf8', this.#offset, end)
      this.#skip(end - this.#offset)
      return text
    }
    const parts = this.#chunks.slice(this.#head, index + 1)
    parts[0] = first.subarray(this.#offset)
    parts[parts.length - 1] = (this.#chunks[index] as Buffer).subarray(0, end)
    const line = Buffer.concat(parts)
    this.#head = index
    this.#offset = end
    this.#size -= line.length
    return line.toString('utf8')
  }

  #skip(bytes: number): void {
    this.#offset += bytes
    this.#size -= bytes
    if (this.#offset >= (this.#chunks[this.#head] as Buffer).length) {
      this.#head++
      this.#offset = 0
    }
    if (this.#head === this.#chunks.length) {
      this.#chunks = []
      this.#head = 0
    } else if (this.#head >= dropEvery) {
      this.#chunks.splice(0, this.#head)
      this.#head = 0
    }
    this.#searched = this.#head
  }
}
