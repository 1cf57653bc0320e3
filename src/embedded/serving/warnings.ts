/** From here on warnings are shortened, as the real server does: headers have no room for everything. */
const mostCharacters = 4096
const longestShortened = 256

/** What a client is told in the headers of its answer, each once. */
export class Warnings {
  readonly #texts = new Set<string>()
  #characters = 0
  /** The same when each is shortened. */
  #shortened = 0

  add(text: string): void {
    const isFull = this.#characters > mostCharacters && this.#shortened >= mostCharacters
    if (isFull || this.#texts.has(text)) return
    this.#texts.add(text)
    this.#characters += text.length
    this.#shortened += Math.min(text.length, longestShortened)
  }

  list(): string[] {
    if (this.#characters <= mostCharacters) return [...this.#texts]
    const shown: string[] = []
    let written = 0
    for (const text of this.#texts) {
      if (written >= mostCharacters) break
      shown.push(text.slice(0, longestShortened))
      written += Math.min(text.length, longestShortened)
    }
    return shown
  }
}
