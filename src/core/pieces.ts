/**
 * What a piece of a body takes in memory besides its bytes. To be counted with them where a body is collected by its
 * `data` events: who sends one byte by byte fills hundreds of times its length. `for await` joins what waits.
 */
export const pieceBytes = 256
