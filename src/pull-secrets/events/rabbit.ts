/** Loaded when a broker is configured. */
export { rabbitConsumer } from './rabbit-consumer.ts'
export { rabbitPublisher } from './rabbit-publisher.ts'
