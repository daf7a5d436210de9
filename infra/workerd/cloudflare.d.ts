// What is used here of the module that workerd brings.
declare module 'cloudflare:workers' {
  export class DurableObject<Env> {
    constructor(state: unknown, env: Env)
    protected env: Env
  }
  export class WorkerEntrypoint {
    fetch(request: Request): Response | Promise<Response>
  }
}
