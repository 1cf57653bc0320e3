/** What the helpers need of a test's context: to be told when it is over. */
export interface TestScope {
  after(teardown: () => void | Promise<void>): void
}
