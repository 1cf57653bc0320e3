/** Who asks, as the audit log names them. Background work goes by the name of its loop. */
export interface Actor {
  name: string
  traceId?: string
  /** W3C, handed on to what this sets off. */
  traceparent?: string
}

export const loopActor = (loop: string): Actor => ({ name: `lanyard:${loop}` })
