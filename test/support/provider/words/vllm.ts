// vLLM has few errors of its own; nginx in front of it has a page for each.

import type { Row, Words } from './row.ts'

const vllmError = (code: number, message: string, type: string): Words => ({
  status: code,
  headers: { server: 'uvicorn' },
  body: { error: { message, type, param: null, code } },
})
const nginxPage = (status: number, title: string) => (): Words => ({
  status,
  headers: { server: 'nginx' },
  body: `<html>\r\n<head><title>${status} ${title}</title></head>\r\n<body>\r\n<center><h1>${status} ${title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`,
  isPage: true,
})
/** It has no accounts: what others say about money, a proxy in front says with 402. */
const payment = nginxPage(402, 'Payment Required')

export const vllm: Row = {
  rate: nginxPage(429, 'Too Many Requests'),
  too_large: nginxPage(429, 'Too Many Requests'),
  // nginx's own answer for `limit_req`, unless configured otherwise.
  overloaded: nginxPage(503, 'Service Temporarily Unavailable'),
  server_error: () =>
    vllmError(
      500,
      'EngineCore encountered an issue. See stack trace (above) for the root cause.',
      'InternalServerError',
    ),
  bad_gateway: nginxPage(502, 'Bad Gateway'),
  unavailable: nginxPage(503, 'Service Temporarily Unavailable'),
  gateway_timeout: nginxPage(504, 'Gateway Time-out'),
  error_in_200: () => ({
    ...vllmError(500, 'EngineCore encountered an issue.', 'InternalServerError'),
    status: 200,
  }),
  quota: payment,
  credit: payment,
  spend_limit: payment,
  unauthorized: () => ({ status: 401, headers: { server: 'uvicorn' }, body: { error: 'Unauthorized' } }),
  forbidden: nginxPage(403, 'Forbidden'),
  forbidden_input: () => vllmError(403, 'The input of this request is not allowed.', 'Forbidden'),
  forbidden_bare: nginxPage(403, 'Forbidden'),
}
