// The part of workerd's own module that is used here.
declare module 'cloudflare:workers' {
  export class DurableObject<Env> {
    constructor(state: unknown, env: Env)
    protected env: Env
  }
  export class WorkerEntrypoint {
    fetch(request: Request): Response | Promise<Response>
  }
}

declare module 'cloudflare:sockets' {
  interface Socket {
    readable: ReadableStream<Uint8Array>
    writable: WritableStream<Uint8Array>
    opened: Promise<unknown>
    startTls(): Socket
    close(): Promise<void>
  }
  export function connect(
    address: { hostname: string; port: number },
    options: { secureTransport: 'starttls'; allowHalfOpen: boolean },
  ): Socket
}
