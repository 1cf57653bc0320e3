/** The text of a body cannot be read. The message is Kubernetes' own; what stands around it depends on the request. */
export class Unreadable extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Unreadable'
  }
}
