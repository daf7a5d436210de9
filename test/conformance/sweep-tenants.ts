// Tenants for the sweep: two accounts with two projects each, and in every project one of everything.

import { mintKey } from '../../shared/accounts/verbs/keys.ts'
import { addMember } from '../../shared/accounts/verbs/members.ts'
import { createProject } from '../../shared/accounts/verbs/projects.ts'
import { shut } from '../support/upstreams.ts'
import { openAccount, PASSWORD, signIn } from './account-of-own.ts'
import { makeAgent } from './make.ts'
import type { World } from './world.ts'

/** A project and its account. */
export interface Tenant {
  name: string
  account_id: string
  project_id: string
  project_name: string
  key: string
  key_id: string
  spare_key_id: string
  /** The access token of the account's owner. */
  session: string
  spare_member_id: string
  spare_session_id: string
  agent_id: string
  slug: string
  deployment_id: string
  run_id: string
  record_id: string
  recovery_id: string
  cause_id: string
  trigger_id: string
  webhook_id: string
  channel_id: string
  deadline_id: string
  view_id: string
  price_id: string
  schedule_id: string
  delivery_id: string
  upstream_id: string
  item_id: string
  partition_key: string
  /** A word that is in its steps and nowhere else. */
  word: string
}

export async function makeTenants(world: World): Promise<Tenant[]> {
  const tenants: Tenant[] = []
  for (const account of ['a', 'b']) {
    const { account_id, token: session, email } = await openAccount(world)
    const spare = await addMember(world.ctx, {
      account_id,
      email: `spare-of-${email}`,
      role: 'viewer',
      password: PASSWORD,
    })
    for (const n of [1, 2]) {
      const { session_id } = await signIn(world, email)
      const name = `${account}${n}`
      const members = { spare_member_id: spare.id, spare_session_id: session_id }
      const made = await makeTenant(world, name, account_id)
      const view = await world.call('POST', `/v1/projects/${made.project_id}/views`, {
        token: session,
        body: { list: 'runs', name: `view of ${name}`, query: `q=${made.word}`, shared: true },
      })
      tenants.push({ ...members, ...made, view_id: view.json.id, session })
    }
  }
  return tenants
}

async function makeTenant(world: World, name: string, account_id: string) {
  const { ctx } = world
  const project_name = `project ${name}`
  const { id: project_id } = await createProject(ctx, { account_id, name: project_name })
  const { key, row } = await mintKey(ctx, project_id, name)
  const spare = await mintKey(ctx, project_id, 'spare')
  const agent = await makeAgent(world, key)
  await makeAgent(world, key)
  const post = (path: string, body: object) => world.call('POST', path, { token: key, body })
  const code = { kind: 'url', url: `http://127.0.0.1:9/${name}`, declaration: { name } }
  await post(`/v1/agents/${agent.id}/deployments`, { ...code, env: { FIRST: 'version' } })
  const deployed = await post(`/v1/agents/${agent.id}/deployments`, code)
  const [item_id, partition_key, word] = [`item-of-${name}`, `partition-of-${name}`, `wordof${name}`]
  const items = [{ item_id, partition_key, input: word }, { input: 2 }, { input: 3 }]
  await post('/v1/batches', { agent_id: agent.id, items })
  const batch = await post('/v1/batches', { agent_id: agent.id, items })
  const run_id: string = batch.json.group_id
  const cause_id = await fail(world, run_id, word)
  await ctx.sql`update triage set reason = 'the_last' where run_id = ${run_id} and seq = 3`
  const recovery = await post('/v1/recoveries', { filter: { reason: 'the_last' } })
  const alerts = `/v1/projects/${project_id}/alert-channels`
  const channel = await post(alerts, { url: `mailto:alerts-of-${name}@example.org` })
  const deadline = await post(`/v1/projects/${project_id}/deadlines`, {
    agent_id: agent.id,
    finished_by: '06:30',
  })
  const ownPrice = { model: 'm', input_per_mtok: 1, output_per_mtok: 2 }
  const price = await post(`/v1/projects/${project_id}/prices`, ownPrice)
  const schedule = await post('/v1/schedules', { agent_id: agent.id, cron: '59 23 31 12 *', input: word })
  await post('/v1/schedules', { agent_id: agent.id, cron: '58 23 31 12 *' })
  for (let n = 0; n < 2; n++) await post(`/v1/schedules/${schedule.json.id}/trigger`, {})
  const delivery_id = ctx.newId()
  for (const id of [ctx.newId(), delivery_id]) {
    const delivery = {
      id,
      project_id,
      run_id,
      kind: 'run.finished',
      url: `http://127.0.0.1:9/${name}`,
      due_at: null,
    }
    await ctx.sql`insert into deliveries ${ctx.sql({ ...delivery, body: JSON.stringify(word) } as never)}`
  }
  const ended = { id: ctx.newId(), project_id, eligible: 0, status: 'completed' }
  await ctx.sql`insert into recoveries ${ctx.sql({ ...ended, filter: '{}', finished_at: new Date() } as never)}`
  for (let n = 0; n < 2; n++) {
    const alert = alertAbout(ctx.newId(), project_id, agent.id, word)
    await ctx.sql`insert into alerts ${ctx.sql(alert as never)}`
  }
  const upstream_id = ctx.newId()
  for (const id of [ctx.newId(), upstream_id])
    await shut(ctx.sql, { project_id, id, host: `api-of-${name}.example`, words: word })
  await post('/v1/triggers', { agent_id: agent.id, name: 'spare' })
  const trigger = await post('/v1/triggers', { agent_id: agent.id, name: 'swept' })
  return {
    name,
    account_id,
    project_id,
    project_name,
    key,
    key_id: row.id,
    spare_key_id: spare.row.id,
    agent_id: agent.id,
    slug: agent.slug,
    deployment_id: deployed.json.id,
    run_id,
    record_id: `${run_id.slice(0, 28)}00000001`,
    recovery_id: recovery.json.id,
    cause_id,
    trigger_id: trigger.json.id,
    webhook_id: trigger.json.url.split('/').at(-2),
    channel_id: channel.json.id,
    deadline_id: deadline.json.id,
    price_id: price.json.id,
    schedule_id: schedule.json.id,
    delivery_id,
    upstream_id,
    item_id,
    partition_key,
    word,
  }
}

const alertAbout = (id: string, project_id: string, agent_id: string, word: string) => ({
  id,
  project_id,
  agent_id,
  rule: 'run_not_ok',
  reason: 'failed',
  since: new Date(),
  message: `about ${word}`,
  advice: word,
  command: word,
})

/** Makes the run look as if three items had failed, so that triage and traces could leak; returns their cause. */
async function fail({ ctx: { sql } }: World, run_id: string, word: string): Promise<string> {
  const [cause, other] = await sql<{ id: string }[]>`
    insert into causes as made (project_id, agent_id, step, error_code, reason, template)
    select project_id, agent_id, step, 'agent_error', 'agent_error', ${word}
    from runs cross join (values ('look_up'), ('answer')) as named(step) where id = ${run_id}
    returning made.id`
  await sql`
    insert into steps (project_id, run_id, seq, step_no, attempt, kind, outcome, started_at, duration_ms, key, name,
      error_code, error_message, input)
    select project_id, run_id, seq, 1, 1, 'tool_call', 'failed', now(), 1, 'k', 'look_up', 'tool_call_error',
      ${word}, ${JSON.stringify(word)}
    from items where run_id = ${run_id}`
  await sql`
    update items set status = 'failed', outcome = 'failed', outcome_reason = 'agent_error', attempt = 1,
      step_count = 1, error_code = 'agent_error', error_message = ${word}, started_at = now(), completed_at = now()
    where run_id = ${run_id}`
  await sql`
    insert into triage (run_id, seq, project_id, agent_id, lane, reason, error_code, partition_key, cause_id)
    select run_id, seq, runs.project_id, agent_id, 'dlq', 'agent_error', 'agent_error', partition_key,
      case when seq = 3 then ${other!.id} else ${cause!.id} end
    from items join runs on runs.project_id = items.project_id and runs.id = run_id where run_id = ${run_id}`
  await sql`
    insert into verdict_days (project_id, agent_id, reason, day, confirmed)
    select project_id, agent_id, ${word} || n, now()::date, 1 from runs, generate_series(1, 2) as n
    where id = ${run_id}`
  await sql`
    update runs set failed = 3, undecided = 3, next_seq = 4, started_at = now(), finished_at = now()
    where id = ${run_id}`
  return cause!.id
}
