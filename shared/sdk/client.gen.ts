// Made by npm run generate from the OpenAPI document.

export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process answers
         * @description Touches no store: it stays 200 while one is out of reach.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether it can work
         * @description Whether both stores answer, each within two seconds, and PostgreSQL has what the work takes: the schema, the rights of the role, and the master key. `turns` says when a tick and a consumer at work last ended a turn; one that stands still does not change the status.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/serving": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether callers are served
         * @description For what routes traffic: 200 while PostgreSQL answers with the tables of this version, and the master key opens what it sealed. Callers are served without Redis, so a proxy that asked `/health/ready` would turn them away. It says nothing but the status; `/health/ready` says why.
         */
        get: operations["getServing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List projects
         * @description Every project of the account, oldest first; a project key sees its own.
         */
        get: operations["listProjects"];
        put?: never;
        /**
         * Create a project
         * @description Agents, runs and keys belong to one project; what is done in one is not seen in another.
         */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a project
         * @description With its settings, and what of its limits is used.
         */
        get: operations["getProject"];
        put?: never;
        post?: never;
        /**
         * Delete a project
         * @description For good. Its keys are dead within five seconds; agents, runs and items are out of reach at once and removed in the background.
         */
        delete: operations["deleteProject"];
        options?: never;
        head?: never;
        /**
         * Change a project
         * @description Only what is named changes; a limit that is null goes back to what the installation sets. Holds for every further request and item within five seconds.
         */
        patch: operations["updateProject"];
        trace?: never;
    };
    "/v1/projects/{projectId}/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sum up what a project did lately
         * @description Items and cost by the UTC day their run was submitted on, what waits for a decision, and what went wrong outside of runs within 24 hours.
         */
        get: operations["getActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sum up the calls of models, by agent
         * @description Calls, tokens, cost and latency of each model that an agent called, by the day a call began; the most expensive first, at most 200. Calls are counted shortly after they were recorded, and kept 90 days, also of runs that are removed.
         */
        get: operations["getModelUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report what waits, and what for
         * @description Runs with items that wait, each with what keeps it from starting more, and items that wait to be tried again.
         */
        get: operations["getQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/upstreams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what items wait for outside
         * @description Agents' addresses and providers' credentials that were closed at least once: rate limits, outages, empty credit, refused keys. Those that do not let everything through come first, then the newest state; at most 200. One that nobody calls is forgotten after 7 days.
         */
        get: operations["listUpstreams"];
        /**
         * Set limits of an upstream
         * @description Takes the place of the limits that were set for this host and label. They count for every upstream of that name, also for one that is called for the first time later, from the next call on; of these and of what answers report, the lower counts. A limit of seconds or a minute is spread evenly; one of an hour or a day is a stock, which may be used as fast as the others allow. Tokens are what an agent's steps report.
         */
        put: operations["setUpstreamLimits"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/upstreams/{upstreamId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try an upstream now
         * @description An item that waits for it is sent at once, and not only at the next planned try: if that goes well, the others follow. One that is open stays as it is.
         */
        post: operations["retryUpstream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/upstreams/{upstreamId}/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unset the limits of an upstream
         * @description All that people set and that counts for it, for its host too. What answers report still counts.
         */
        delete: operations["unsetUpstreamLimits"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a project's own prices
         * @description By model, those that begin last first. A model without one has the price of the list that Assay brings, or none.
         */
        get: operations["listPrices"];
        put?: never;
        /**
         * Set what a model costs, from a moment on
         * @description Of a model that a price list has, or that an owner has priced, only an owner who is signed in sets another price; an owner’s price wins over those of keys. Counts for items that are taken from then on; what was recorded keeps its cost, and what was unpriced stays so. Items that waited for this price alone continue within a minute. The same model and moment again takes the place of the price it was.
         */
        post: operations["createPrice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/prices/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See which of the models that were called lately have no price, or an old one
         * @description Of the last 30 days. Nothing is changed by it, and no recorded cost by any price that is set afterwards.
         */
        get: operations["checkPrices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/prices/{priceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a price
         * @description As with setting it, of a listed model, or one that an owner has priced, only an owner may. Items that are taken from now on have the price before it, or that of the list, or none. No recorded cost changes.
         */
        delete: operations["deletePrice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description The live keys of a project, newest first: in pages if asked for, else streamed, and an answer that breaks off was not complete. No key is ever shown again after it was made.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The key is in this answer and never again. A key may make others for its own project, unless the project's settings forbid it.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/api-keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description The key is dead everywhere within five seconds, for ever. The answer lists what was made with it that stays: keys, triggers, deployments, schedules and more. With `revoke_keys` and `revoke_triggers` these are revoked as well.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/signing-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the secret that signs callbacks and alerts
         * @description For receivers, who check with it that a message comes from here. Who read it stands in the log.
         */
        get: operations["getSigningSecret"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/signing-secret/roll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret that signs callbacks and alerts
         * @description For 24 hours messages carry two signatures, of the new secret and of the one before, so that receivers can change over without losing any. Rolling again ends the older one at once.
         */
        post: operations["rollSigningSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/alert-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a project's alert rules
         * @description Every rule as it holds for the project, then what is set for single agents.
         */
        get: operations["listAlertRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set an alert rule
         * @description Mutes or enables a rule for all agents of the project, or for one of them.
         */
        patch: operations["updateAlertRule"];
        trace?: never;
    };
    "/v1/projects/{projectId}/alert-channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List where a project's alerts go
         * @description Webhooks and e-mail addresses, oldest first.
         */
        get: operations["listAlertChannels"];
        put?: never;
        /**
         * Send a project's alerts to a webhook or an e-mail address
         * @description A webhook gets each alert, its end and the digests of runs as JSON, as blocks of Slack or as a card of Teams, signed and repeated like a callback. Mail takes an SMTP server, which whoever runs the installation names. The same URL added again is the channel it was, with what is said of it now.
         */
        post: operations["createAlertChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/alert-channels/{channelId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Stop sending alerts to a channel
         * @description Messages that were written before are still delivered.
         */
        delete: operations["deleteAlertChannel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/alert-channels/{channelId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message to an alert channel
         * @description In the format of the channel, signed and repeated like any message. Its delivery says what became of it.
         */
        post: operations["testAlertChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/deadlines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a project's deadlines
         * @description By when, each day, schedules and agents must have finished; oldest first.
         */
        get: operations["listDeadlines"];
        put?: never;
        /**
         * Set by when something must have finished each day
         * @description A dead man's switch: when a schedule had an occurrence in the day before and its run has not ended, or an agent has no run of that day that ended, the rule not_finished alerts. There is one deadline for each schedule and each agent; setting it again changes it.
         */
        post: operations["setDeadline"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/deadlines/{deadlineId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a deadline
         * @description An alert that it raised stays open until a run ends.
         */
        delete: operations["deleteDeadline"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List saved views
         * @description Your own and those that are shared, by name.
         */
        get: operations["listSavedViews"];
        put?: never;
        /**
         * Save a view of a list
         * @description A list with its filters, by a name. Who only views may save their own; sharing takes an operator.
         */
        post: operations["saveView"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}/views/{viewId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a saved view
         * @description One of your own, or as an operator a shared one.
         */
        delete: operations["deleteSavedView"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents
         * @description Oldest first, streamed: an answer that breaks off was not complete.
         */
        get: operations["listAgents"];
        put?: never;
        /**
         * Create an agent
         * @description Deploys no code: that comes before its first run. Without a slug, the name in lower case with dashes for spaces is it.
         */
        post: operations["createAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an agent
         * @description With its configuration, the version that is deployed, and what its answers said about the code behind it.
         */
        get: operations["getAgent"];
        put?: never;
        post?: never;
        /**
         * Delete an agent
         * @description For good: its deployments and runs go too, in the background. Runs under way are cancelled. Its slug is free at once.
         */
        delete: operations["deleteAgent"];
        options?: never;
        head?: never;
        /**
         * Update an agent
         * @description Bumps the version of the configuration. Deploys no code: the next run executes the current deployment.
         */
        patch: operations["updateAgent"];
        trace?: never;
    };
    "/v1/agents/{agentId}/estimate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Estimate a run
         * @description How long a run over so many items would take if it began now, beside the runs that are open. Nothing is started.
         */
        get: operations["estimateRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agentId}/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an agent's deployments
         * @description Newest first. Environments are never shown.
         */
        get: operations["listDeployments"];
        put?: never;
        /**
         * Deploy an agent
         * @description Makes the content the current version; runs submitted from now on execute it. The same code, declaration and environment deployed again is the version it was, with the external_id it had. In the same transaction the schedules and triggers of the agent become what the declaration says; those that were made through the API and are not in it stay as they are. A bundle is loaded once as its items will run, without a network, within 10 s: one that does not load is refused, with the place in the code and the way out.
         */
        post: operations["createDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agentId}/deployments/{deploymentId}/promote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make an older deployment the current one
         * @description Runs submitted from now on execute it; runs under way go on with theirs. The schedules and triggers of the agent become what this version declares, as when it was deployed; but triggers it does not declare are kept, since their URLs and secrets could not be had again.
         */
        post: operations["promoteDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agentId}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run an agent over one item
         * @description One run over one item, of the deployment that is current when it starts.
         */
        post: operations["startRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run an agent, named by slug or id, over one item
         * @description The same as starting a run of the agent by its path, for callers that know only its slug.
         */
        post: operations["startOneOffRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run an agent over a batch of items
         * @description As application/json, or, for any number of items, as application/x-ndjson: one item a line, everything else in the query. All items are accepted or none: a refusal names the bad lines.
         *
         *     The query parameters of the form as application/x-ndjson, each optional (`x-lines` has their schemas, and that of a line):
         *
         *     - `agent`: The slug of the agent; or else its id in agent_id.
         *     - `agent_id`: The agent; or else its slug in agent.
         *     - `project_id`: Where the slug is looked up; a project key's own when absent.
         *     - `name`: For people.
         *     - `concurrency`: Items at work at once at most; what the agent declares and the project's cap hold as well.
         *     - `pilot_items`: So many items of a run go first; the others follow when these have ended and one of them was ok, else the run is stopped (pilot_failed).
         *     - `budget_cents`: Money the run may spend, in cents.
         *     - `timeout_seconds`: Time one item may take.
         *     - `patience_seconds`: How long a run waits, added up, for upstreams that serve nobody; what is left then fails with upstream_unavailable. By default what the agent declares, else a day.
         *     - `callback_url`: Gets a signed summary when the run ends.
         *     - `idempotency_key`: The same key with the same body starts nothing more for 24 hours: the answer names the first run, as a duplicate.
         *     - `tags`: Tags of the run, with commas between them.
         *     - `allow_unpriced`: Under a budget: go on with models that have no price, which the budget then does not count. Otherwise they are refused where they are known, and calls of them pause their items.
         */
        post: operations["submitBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/answers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer items later
         * @description Where an agent behind a URL sends its lines after it answered 202, or ended its answer with `later`. Any POST renews the lease of what is still awaited there; without one for 25 s the items are offered again. A line that is wrong ends the item that it names as `protocol_error`; one that names none is passed over and listed in `passed_over`; the others count. A step that was reported before in the same attempt, a line about an item that has ended and one of another attempt change nothing, so lines may be sent again. Send one POST at a time, the lines of an item in their order.
         */
        post: operations["answerItems"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs
         * @description Newest first.
         */
        get: operations["listRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/runs/{runId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the rollup of a run
         * @description How far it is and how it went: a run can be `completed` and `degraded`. Of an open run also how long it still takes.
         */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the tags of a run
         * @description The list takes the place of the tags that it has. Nothing of how it runs changes.
         */
        patch: operations["updateRun"];
        trace?: never;
    };
    "/v2/runs/{runId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a run to its end
         * @description Server-sent events: `progress` with the whole run whenever it has changed, and one `end` when it has ended. A connection lasts five minutes at most; come back with the Last-Event-ID of the last event, as an EventSource does by itself. With `Prefer: wait=SECONDS` the stream of a run that has ended stays open for so long before its `end`, five seconds at most: who measures when its first line comes sees whether a proxy keeps it back.
         */
        get: operations["followRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/runs/{runId}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the items of a run
         * @description By default in the order they are dispatched. With a filter one page looks through at most 20000 items, so it may hold fewer than `limit`, or none, and still lead on; so may one whose inputs and outputs are of 8 MiB.
         */
        get: operations["listRunItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/runs/{runId}/failures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count what did not work in a run
         * @description By reason, by cluster and by partition, decided about or not; and what of its model calls was not read, or has no price.
         */
        get: operations["getRunFailures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/runs/{runId}/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare a run with another, item by item
         * @description Items are the same where they have the same item_id; those without one of yours are in no other run. It reads both batches, so a million items take many seconds; runs of more than 1000000 items are refused.
         */
        get: operations["compareRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/runs/{runId}/grade": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Grade what a run recorded by the rules of today
         * @description Nothing is run and nothing changes: the recorded answers are graded as they would be now, by what the current version of the agent declares or by what the query says. An answer is about a part of the run, of so many items at most, fewer where they are long; the parts add up.
         */
        get: operations["gradeRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/runs/{runId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run
         * @description Nothing more of it is dispatched. Items in flight finish and keep their verdicts, or are aborted: their requests are closed, and they end `cancelled` with the steps and the cost recorded so far. A run that had stopped by itself ends `cancelled` and keeps its `stop_reason`. A run that was cancelled before may be cancelled again while items of it are in flight, to abort them.
         */
        post: operations["cancelRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/runs/{runId}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove that no item of a run was lost or counted twice
         * @description Counts items and steps again and compares them with the counters of the run, all in one snapshot.
         */
        get: operations["verifyRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/durable/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export every item record
         * @description Streamed, run by run, oldest first: one record a line with Accept: application/x-ndjson, else one JSON array. An answer that breaks off was not complete.
         */
        get: operations["exportItemRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the results of a run or an agent
         * @description Each item_id once: its newest ok item, else its newest, out of the run and the replays that descend from its items, or out of all runs of the agent. Streamed to the end, of a run in the order it was submitted in, of an agent by item_id; above 100,000 items in blocks of about so many, each in that order. An answer that breaks off was not complete. What is written while it is read may be in it or not.
         */
        get: operations["exportResults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/durable/runs/clusters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List failure clusters
         * @description All failed items (status failed or budget_exceeded), decided about or not, by what went wrong with what prompt. Two are in one cluster when they share their error_code and the first 200 characters of the canonicalized input prompt; those that are alone are counted under `other`, as are clusters beyond the 1,000 largest.
         *
         *     The prompt of an input is: a string itself; of an object the first of its fields `prompt`, `messages`, `message`, `text` that says anything (a string, or an array of messages whose `content` is a string or an array of parts with a `text`); of anything else its JSON with sorted keys. It is canonicalized by composing Unicode (NFC), folding runs of white space and control characters to one space, and trimming.
         *
         *     Cached for 30 seconds, but never beyond the next failure. Items a run's budget ended before they were dispatched count under `other` until the tick has read their inputs.
         */
        get: operations["listClusters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/durable/runs/{itemId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the record of an item
         * @description By its record id: what went in, what came out, both verdicts, what it cost, what was decided about it and what may be done now.
         */
        get: operations["getItemRecord"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/durable/runs/{itemId}/lineage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the lineage of an item
         * @description The item with everything it descends from by replays, and all replays of those, oldest first; at most 100 of them.
         */
        get: operations["getLineage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/durable/runs/{itemId}/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain why an item is not running
         * @description One token, one sentence, and the figures they rest on, as they are at the moment. `runtime_starting` and `provider_rate` are conclusions: nothing has come back from the run yet, and the last attempt ended in the words of a rate limit.
         */
        get: operations["whyItem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/durable/runs/{itemId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay an item that did not work or was cancelled
         * @description Makes a new item beside it, in a run of its own; the verdict of the original stays. What it recorded is taken over at no cost, as `reuse` says: by itself (auto) the answer that was at fault is asked again, and what came before it is not. An item is replayed again only when its last replay has ended without working.
         */
        post: operations["replayItem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/durable/runs/{itemId}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a held item
         * @description The same item goes on from its last recorded step, after its agent held it or at its budget. An item that waits for the project's credit needs no resume: it continues as soon as there is some.
         */
        post: operations["resumeItem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/durable/runs/{itemId}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take an item out of the feed
         * @description Its verdict stays, and so does a run that is partial because of it: only replaying or dismissing an item decides about it, and both are still possible. A held item stays held.
         */
        post: operations["acknowledgeItem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/durable/runs/{itemId}/dismiss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide that nothing more is done about an item
         * @description The row leaves the feed and the verdict stays. A run turns from partial to completed with its last item that is replayed or dismissed. A held item ends as cancelled.
         */
        post: operations["dismissItem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/durable/runs/{itemId}/wrong": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call the verdict of an item wrong
         * @description The verdict of an item in triage: it did work. The row leaves the feed, as by dismissing. The verdict of an ok item: it did not work. It comes into triage as a review, to be decided about like any row; its run keeps its status. Of a review, say with "of" what you looked at: what is asked, or that it was called wrong. Where something else is said of the item by now, nothing is done and the answer is 409. What was recorded stays in any case; results say what people found. Only what was judged can be wrong, so not that an item failed.
         */
        post: operations["callItemWrong"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/durable/runs/{itemId}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm what is asked about an item
         * @description Of a review that asks, such as whether an answer is a refusal: it is. The row leaves the feed, results say that the item did not work, and it can be replayed; the recorded verdict stays. What is not so is called wrong, of the question.
         */
        post: operations["confirmItem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/durable/runs/{itemId}/reopen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take back a decision about an item
         * @description An item that was acknowledged, dismissed, confirmed or called wrong within the last 60 minutes waits for a decision again, where it stood in the feed; a run that that completed is partial again. What was replayed or resumed goes on, and a held item that was dismissed has ended: neither can be taken back.
         */
        post: operations["reopenItem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/triage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List items that wait for a decision
         * @description Newest first: items that did not work (dlq) and items that are held (quarantine), until they carry a disposition; and, where they are asked for, those that worked as recorded and may not have (review). A page goes on where the one before ended, whatever comes or leaves in between.
         */
        get: operations["listTriage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/verdicts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List how good verdicts are
         * @description By agent and reason, over the last 90 days: how many verdicts people judged in triage, and how many they called wrong; what was wrong most often first. A verdict counts as confirmed when its item was replayed or dismissed one by one, or when a question about it was confirmed. What was acknowledged is undecided; what was replayed or dismissed as a cohort nobody looked at: neither counts. A cohort that is called wrong does. An ok item that was called wrong counts once it is decided about.
         */
        get: operations["listVerdicts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/causes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List why items did not work
         * @description The most frequent first. Two items that did not work, or are held, have the same cause when they share agent, step, error code, reason and message, the message without what varies: numbers, ids, quoted texts, URLs, addresses, dates, paths, and texts of the item's own input. Messages that differ in no more than one word of five, beginning and end aside, count as the same as well.
         *
         *     All items count, decided about or not, as long as their records are kept. An item that ended without being dispatched has its cause once the tick has named it.
         */
        get: operations["listCauses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/causes/{causeId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a cause
         * @description With its counts over all items that are kept, and the newest runs with it.
         */
        get: operations["getCause"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recoveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List recoveries
         * @description Newest first.
         */
        get: operations["listRecoveries"];
        put?: never;
        /**
         * Act on a cohort
         * @description Replays all items in the dlq lane that pass the filter and waited for a decision when it was started, or with `status` the cancelled ones of a run: in one run for each agent; with `first`, some of them before. With `action` dismisses, acknowledges or resumes them instead, in any number. All of it is done in the background, and is one entry of the audit log.
         */
        post: operations["createRecovery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recoveries/{recoveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a recovery
         * @description With its counts and how far it is.
         */
        get: operations["getRecovery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recoveries/{recoveryId}/abort": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Abort a recovery
         * @description Its runs are cancelled; items at work finish. Items that were not dispatched are given back to triage, where they wait for a decision as before. What was dismissed, acknowledged or resumed stays so.
         */
        post: operations["abortRecovery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search steps
         * @description Filters combine. `q` finds every step whose name, error code, error message, input or output (the first 4,000 characters of each) has all its words, the last of which may be the beginning of one; and every step whose name holds `q` as it stands. With `in=messages` it finds those whose messages have them: words of parameters, schemas and names do not count. Steps that retention has taken are not found. A page may hold fewer steps than `limit` and still lead on, where their inputs and outputs are large.
         */
        get: operations["listSteps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/steps/error-categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count steps that did not work
         * @description By error code, tool and reason, the most frequent first; the first 100 of them.
         */
        get: operations["countStepErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List callbacks and alerts that were sent
         * @description Newest first, and what became of each. Those that are over are kept for 30 days.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what was sent, and every try
         * @description With the body as it is sent, and of each try what the receiver answered.
         */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/{deliveryId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send again
         * @description For what was delivered and lost by its receiver, or given up: tried once more and three times after. The id stays the same, so a receiver that has handled it recognizes it.
         */
        post: operations["resendDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List alerts
         * @description Newest first. A rule alerts once about one schedule, agent or project until that is resolved, however often it finds the same; a missed schedule is reported again after 24 hours.
         */
        get: operations["listAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List schedules
         * @description Newest first, each with its next moments and with what became of its latest.
         */
        get: operations["listSchedules"];
        put?: never;
        /**
         * Create a schedule
         * @description Starts an agent again and again, each time one run of the deployment that is current then: over one item, its input, or over all that a source holds when it is read. A source is read to its end before anything is dispatched; one that fails starts nothing (source_failed) and is read again until the next moment, one without rows starts nothing (source_empty). The cron is read on the wall clock: a time that the clock jumps over is skipped, one that it shows twice fires once. An agent has each cron once, in whatever zone: `schedule_cron_taken` names the schedule that has it.
         */
        post: operations["createSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview an expression
         * @description When it would fire next, on the wall clock and in UTC, and which times are skipped or come twice because the clocks change. Nothing is stored.
         */
        get: operations["previewSchedule"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a source
         * @description Reads a source to its end, as the next start would: how many items there are, and the first of them. Nothing is started or stored. Either of a schedule, or of an agent and a source that is yet to be saved.
         */
        post: operations["previewSource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{scheduleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a schedule
         * @description With its next moments, what became of its latest, and when its run ends.
         */
        get: operations["getSchedule"];
        put?: never;
        post?: never;
        /**
         * Delete a schedule
         * @description With its events; the runs it started stay. A declared schedule comes back with the next deploy.
         */
        delete: operations["deleteSchedule"];
        options?: never;
        head?: never;
        /**
         * Update a schedule
         * @description A new cron or timezone counts from the very next moment on. A declared schedule is set back by the next deploy.
         */
        patch: operations["updateSchedule"];
        trace?: never;
    };
    "/v1/schedules/{scheduleId}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable a schedule
         * @description It fires at its next moment; those while it was disabled are gone. One that cannot be read is refused: update it first.
         */
        post: operations["enableSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{scheduleId}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable a schedule
         * @description Nothing fires until it is enabled again; it can still be triggered by hand. A declared schedule is enabled again by the next deploy.
         */
        post: operations["disableSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{scheduleId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of a schedule
         * @description What became of every moment it named, the latest first, and every start by hand.
         */
        get: operations["listScheduleEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{scheduleId}/trigger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Trigger a schedule by hand
         * @description Starts a run at once, with the input, the budget and the deployment it would fire with; also while it is disabled. Its next moment stays as it is. With a source the answer comes when all its items are committed; POST /v1/sources/preview shows what it holds.
         */
        post: operations["triggerSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/triggers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List triggers
         * @description Newest first, with their URLs and when each last started a run.
         */
        get: operations["listTriggers"];
        put?: never;
        /**
         * Create a trigger
         * @description Gives the agent a URL that starts one run at each POST. The secret is in this answer and never again. For bearer, standard_webhooks and github it is made here, to be handed to the sender; a signing_secret that the sender made is taken instead. Stripe, Slack and Shopify always make their own: where it is known only once the sender knows the URL, give it later with PATCH; until then the trigger is not ready and refuses every fire. A fire is one run over one item, its body; with items the body is many items, and with a source they are read from there.
         */
        post: operations["createTrigger"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/triggers/{triggerId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a trigger
         * @description With its URL, and when it last started a run. Its secret is never shown again.
         */
        get: operations["getTrigger"];
        put?: never;
        post?: never;
        /**
         * Delete a trigger
         * @description Its URL answers 404 from now on, for ever. The runs it started stay.
         */
        delete: operations["deleteTrigger"];
        options?: never;
        head?: never;
        /**
         * Rename a trigger, give it its sender's secret, or say what its fires start
         * @description Another name makes another URL and another secret, which is in this answer and never again; the old URL answers 404 at once. A signing_secret that the sender made changes without a new URL.
         */
        patch: operations["updateTrigger"];
        trace?: never;
    };
    "/v1/webhooks/{webhookId}/trigger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fire a trigger
         * @description Starts one run over one item, whose input is the body. Fires with one X-Idempotency-Key start one run within 24 hours: the key alone counts, and the rest get that run's id. Of a sender that signs, its own id of the event is the key and that header is not: webhook-id, X-GitHub-Delivery, X-Shopify-Webhook-Id, Stripe's id, Slack's event_id; without one, the signature. GitHub and Shopify sign no time and not that id, so keep recorded requests of theirs to yourself. Only JSON is taken: no form bodies, as of Slack's commands. Of a trigger with items the body is the items of the run, an array or application/x-ndjson; of one with a source it is none of them: the source is read, and the answer comes when all of it is committed.
         */
        post: operations["fireTrigger"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your sessions
         * @description Those that are still good, newest first.
         */
        get: operations["listSessions"];
        put?: never;
        /**
         * Sign in
         * @description After too many failures for an e-mail or from an address it takes patience. The access token is good for 15 minutes, the refresh token once, within 30 days.
         */
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Trade a refresh token for the next pair of tokens
         * @description A refresh token works once: the answer brings the next.
         */
        post: operations["refreshSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Sign out
         * @description Both tokens of the session are dead everywhere within five seconds.
         */
        delete: operations["deleteCurrentSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a session of yours
         * @description Both of its tokens are dead everywhere within five seconds.
         */
        delete: operations["revokeSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the account, and who you are in it
         * @description A session acts for a member, and its role says what it may do.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quotas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the account's quotas, and how full they are
         * @description Of the whole account, also to a project key. What would be more is refused, and what there is stays when a quota is lowered below it. Whoever operates the installation sets them.
         */
        get: operations["listQuotas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change your password
         * @description Every session of yours but this one is dead everywhere within five seconds.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/password/by-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a password by a link
         * @description Takes the token of a link that an owner made. All sessions of the member are dead everywhere within five seconds.
         */
        post: operations["usePasswordLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/deletion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete the account
         * @description For good: members, sessions, keys and the log are gone with the answer, and what the projects hold is removed in the background.
         */
        post: operations["deleteAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List members
         * @description Everyone who can sign in to the account, oldest first.
         */
        get: operations["listMembers"];
        put?: never;
        /**
         * Add a member
         * @description Assay sends no mail: give the member the password, to be changed with POST /v1/account/password.
         */
        post: operations["createMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{memberId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description All sessions of the member are dead everywhere within five seconds. Links for passwords that the member made end. The answer lists what stays of what the member made or raised: keys, triggers, members, deployments, schedules and more, and what was made with these. With `revoke_keys` and `revoke_triggers` the keys and triggers among them are revoked as well.
         */
        delete: operations["deleteMember"];
        options?: never;
        head?: never;
        /**
         * Change a member's role
         * @description The new role holds within five seconds. Of a member who may do less than before, the answer lists what stays of what they made, as when a member is removed, and `revoke_keys` and `revoke_triggers` revoke it as well. A password is changed by its member, with POST /v1/account/password, or by a link: POST /v1/members/{memberId}/password-link.
         */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/v1/members/{memberId}/password-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link for a new password
         * @description For another member who has lost theirs: whoever opens the link sets a new password, once, within 24 hours. Assay sends no mail: pass it on. It ends with a new password of theirs or yours, when you sign out, and when you are no owner any more.
         */
        post: operations["createPasswordLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed what, and when
         * @description Newest first. A project key sees the changes of its own project.
         */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List accounts
         * @description Every account of the installation, oldest first, with how much is in it and nothing of what.
         */
        get: operations["listAccounts"];
        put?: never;
        /**
         * Open an account
         * @description With its first owner and a project. Assay sends no mail: hand the owner the password, to be changed with POST /v1/account/password.
         */
        post: operations["createAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/shared-credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List credentials that several projects use
         * @description Each project paces a provider by itself: two that call it with the same credential share its limit without knowing of each other. Compared are the values of those that were called lately; none is returned.
         */
        get: operations["listSharedCredentials"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/accounts/{accountId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set an account's plan
         * @description Holds for every further start; runs that are open go on, also where they are more than that.
         */
        patch: operations["setAccountPlan"];
        trace?: never;
    };
    "/v1/admin/accounts/{accountId}/quotas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an account's quotas, and how full they are
         * @description As GET /v1/quotas reports them to the account itself.
         */
        get: operations["listAccountQuotas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set an account's quotas
         * @description Only what is named changes; null goes back to the default. What exists beyond a quota stays and works, and only more is refused. Holds for every further request within five seconds.
         */
        patch: operations["setAccountQuotas"];
        trace?: never;
    };
    "/v1/admin/accounts/{accountId}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend an account
         * @description Within five seconds its keys are answered 403 `suspended`, starts 402, and its members may only read. No schedule of it fires and nothing of it is dispatched; what is in flight ends. Nothing is lost.
         */
        post: operations["suspendAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/accounts/{accountId}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a suspended account
         * @description Its keys open again within five seconds, and its waiting items are dispatched.
         */
        post: operations["resumeAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "run.finished": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A run has come to an end
         * @description Sent to the callback_url of a run each time its status becomes one that is an end; a partial run that turns completed is reported again, with another `transition`. Any 2xx within 15 s takes it; else it is tried 3 times more, each later than the last.
         */
        post: operations["onRunFinished"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "alert.raised": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An alert was raised
         * @description Sent to the alert channels of a project. Any 2xx within 15 s takes it; else it is tried 3 times more, each later than the last.
         */
        post: operations["onAlertRaised"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "alert.resolved": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An alert was resolved
         * @description Sent to the alert channels of a project when what an alert reported is so no more. Any 2xx within 15 s takes it; else it is tried 3 times more, each later than the last.
         */
        post: operations["onAlertResolved"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "run.digest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What became of a run, for people
         * @description Sent once to each alert channel whose `digest` asks for it, when a run that is no replay has ended. Any 2xx within 15 s takes it; else it is tried 3 times more, each later than the last.
         */
        post: operations["onRunDigest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "channel.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Somebody tests a channel
         * @description Sent to one alert channel because somebody asked for it. Any 2xx within 15 s takes it; else it is tried 3 times more, each later than the last.
         */
        post: operations["onChannelTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "run.results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The results of a run, as a file
         * @description Sent to the URL that a schedule names under `results` when a run of it has ended, in its format: text/csv, application/x-ndjson or application/json. Each item of the run is there once, as it ended; what its replays give is in GET /v1/results. Any 2xx within 15 s takes it; else it is tried 3 times more, each later than the last.
         */
        post: operations["onRunResults"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description Owns projects; its members sign in to all of them. */
        Account: {
            /**
             * Format: uuid
             * @description The account.
             */
            id: string;
            name: string;
            /**
             * @description Of a suspended account nothing is started or dispatched.
             * @enum {string}
             */
            status: "active" | "suspended";
            /** @description Runs that have not ended, at most; null is no bound. */
            open_runs_limit: number | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
            member: components["schemas"]["Member"];
        };
        /** @description What an account may do from now on. */
        AccountPlanChange: {
            /** @description The plan: runs of the account that have not ended, at most; null is no bound. */
            open_runs_limit: number | null;
        };
        /** @description What a project did lately, and what waits in it. */
        Activity: {
            /** @description The oldest first, days without a run included; the last one is today. */
            days: {
                /**
                 * Format: date
                 * @description In UTC.
                 */
                day: string;
                /** @description Runs submitted on this day, those that replay items left out. */
                runs: number;
                /** @description Their items. */
                items: number;
                /** @description Of those, items that worked. */
                ok: number;
                /** @description Of those, items that are degraded. */
                degraded: number;
                /** @description Of those, items that failed. */
                failed: number;
                /** @description Of the failed ones, items that a budget ended: most of them never ran. */
                over_budget: number;
                /** @description Of those, items that were cancelled. */
                cancelled: number;
                /** @description Items of the runs that were made on this day to replay items; no other count has them. */
                replayed: number;
                /** @description Of those, items that worked. */
                replayed_ok: number;
                /** @description What the runs of this day have cost, replays included. */
                cost_usd: number;
                /** @description Items that called a model without a known price. */
                unpriced_item_count: number;
            }[];
            /**
             * Format: date-time
             * @description Of this time and later every run is counted: the latest 200000 are.
             */
            complete_since: string;
            waiting: {
                /** @description Items that did not work and wait for a decision. At most 10000 are counted. */
                dlq: number;
                /** @description Items that are held. At most 10000 are counted. */
                quarantine: number;
            };
            last_24_hours: {
                /** @description Callbacks and alerts that were given up. At most 10000 are counted. */
                given_up_deliveries: number;
                /** @description Moments of schedules that started nothing. At most 10000 are counted. */
                unfired_moments: number;
                /** @description The latest of them. */
                unfired: (components["schemas"]["ScheduleEvent"] & {
                    agent_slug: string;
                })[];
            };
        };
        /** @description The deployable unit of code. */
        Agent: {
            /**
             * Format: uuid
             * @description What agent_id stands for elsewhere.
             */
            id: string;
            /**
             * Format: uuid
             * @description The owning project.
             */
            project_id: string;
            name: string;
            /** @description Unique within its project. */
            slug: string;
            description: string;
            /** @description Yours to use; agents are not changed by it. */
            config: {
                [key: string]: components["schemas"]["Json"] & unknown;
            };
            /** @description Bumped by every update; not the version of the code. */
            config_version: number;
            /**
             * Format: uuid
             * @description What the next run executes; null until something is deployed.
             */
            current_deployment_id: string | null;
            /** @description Version of the current deployment. */
            deployed_version: number | null;
            /** @description By day and month; the project's own hold as well. */
            budgets: components["schemas"]["Budget"][];
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            updated_at: string;
        };
        /** @description What it did lately; with activity alone. */
        AgentActivity: {
            /** @description The newest run of the agent; null before the first. */
            last_run: {
                /**
                 * Format: uuid
                 * @description The run.
                 */
                id: string;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC.
                 */
                created_at: string;
            } | null;
            /** @description Its latest runs of the last 7 days that replay nothing, at most 50. */
            runs: number;
            /** @description Items of those runs that worked. */
            ok: number;
            /** @description Items of those runs that ended otherwise: degraded, failed or over budget. */
            not_ok: number;
            /** @description Of these, items that a budget ended: most of them never ran. */
            over_budget: number;
            /** @description What its calls of models cost, by the day a call began: 30 days in UTC, today included. */
            cost_usd: number;
            /** @description Runs that have not ended. */
            open_runs: number;
            /** @description Items of those that wait for a person or for money. */
            held: number;
        };
        /** @description What an agent says about itself when it is deployed. */
        AgentDeclaration: {
            /** @description The agent's name. */
            name: string;
            /** @description What it does. */
            description?: string;
            /** @description Money one item may spend. */
            item_budget_cents?: number;
            /**
             * @description What becomes of an item that reaches its budget.
             * @enum {string}
             */
            on_budget?: "fail" | "pause";
            /**
             * @description Which refusals by wording degrade an item: 'sure' (as without it), 'balanced' (suspected ones too) or 'off'.
             * @enum {string}
             */
            refusals?: "sure" | "balanced" | "off";
            /** @description Ways not to have worked that answers of models are looked at for, and no others; without it the defaults of when it is deployed, [] for none. */
            checks?: ("template_leak" | "repeats" | "cut_json" | "fenced_json" | "asks_back" | "cannot_look_up" | "placeholders" | "echoes_prompt" | "one_answer" | "length_jump" | "cost_jump")[];
            /**
             * @description The language of its answers; one that is surely in another is degraded, wrong_language.
             * @enum {string}
             */
            language?: "en" | "de" | "fr" | "es" | "it" | "nl" | "pl" | "pt" | "tr" | "ru" | "zh" | "ja" | "ko" | "ar";
            max_steps?: number;
            concurrency?: number;
            timeout_seconds?: number;
            /** @description The longest that one step of it takes, where that is known: no consumer with less time begins it. */
            step_seconds?: number;
            /** @description Of an agent behind a URL: it answers later what takes longer than a consumer has left. */
            answers_later?: boolean;
            /** @description Further attempts after the agent's errors. */
            retries?: number;
            /** @description A run stops when so many items in a row failed. */
            max_consecutive_failures?: number;
            /** @description How long its items wait for an upstream that serves nobody. */
            patience_seconds?: number;
            /** @description How long the answer of a model call may take to begin; then the call is given up. */
            first_byte_seconds?: number;
            /** @description Limits of what its items need outside, for them alone: of these and the project's, the lower counts. */
            limits?: components["schemas"]["NamedLimits"][];
            /** @description False if it gets the refusals of its providers itself, because it has a fallback. */
            wait?: boolean;
            network?: string[];
            /** @description Models it calls: those without a price are reported at the deploy, and refused under a budget. */
            models?: string[];
            input_schema?: components["schemas"]["Json"] & unknown;
            output_schema?: components["schemas"]["Json"] & unknown;
            /**
             * @description 'none' if it calls no model: then its budgets hold although no call is recorded.
             * @enum {string}
             */
            model_calls?: "none";
            /** @description What it can make items with: methods under @items. */
            generators?: string[];
            schedule_input?: components["schemas"]["Json"] & unknown;
            schedules?: components["schemas"]["DeclaredSchedule"][];
            triggers?: components["schemas"]["DeclaredTrigger"][];
        };
        /** @description An agent, and what is known of its code. */
        AgentRead: components["schemas"]["Agent"] & {
            /**
             * @description What is known of its model calls, without which no cost is known. recorded: this run, or the latest before it of the same version whose items returned, recorded some. not_recorded: its items returned, and none recorded one. not_reported: it answers plain JSON and has reported none yet. unknown: nothing has returned yet. none: it declares that it calls no model.
             * @enum {string}
             */
            model_calls: "recorded" | "not_recorded" | "not_reported" | "unknown" | "none";
            /**
             * @description Why a budget of its next run would not be enforced; null if it would.
             * @enum {string|null}
             */
            budget_gap: "not_recorded" | "not_reported" | "unpriced_calls" | null;
            /** @description The versions of its code that answers of the current deployment named, the newest first. */
            code_versions: components["schemas"]["SeenCodeVersion"][];
        };
        /** @description Something that went wrong without anybody asking. */
        Alert: {
            /**
             * Format: uuid
             * @description The alert.
             */
            id: string;
            /**
             * Format: uuid
             * @description The project it is about.
             */
            project_id: string;
            /**
             * @description What found it.
             * @enum {string}
             */
            rule: "schedule_missed" | "run_not_ok" | "failure_share" | "budget_near" | "consumer_stalled" | "unpriced_model" | "source_failed" | "credentials_refused" | "budget_exceeded" | "not_finished" | "items_held" | "upstream_unavailable";
            /** @description A fixed token; of a missed schedule, the reason of the occurrence. */
            reason: string;
            /** @description What happened. */
            message: string;
            /** @description What to do about it. */
            advice: string;
            /** @description The command that does it. */
            command: string;
            /**
             * Format: uuid
             * @description The agent, where it is about one.
             */
            agent_id: string | null;
            /**
             * Format: uuid
             * @description The schedule, where it is about one.
             */
            schedule_id: string | null;
            /**
             * Format: uuid
             * @description The run, where it is about one.
             */
            run_id: string | null;
            /**
             * Format: date-time
             * @description Since when it is so.
             */
            since: string;
            /**
             * Format: date-time
             * @description When it was so no more, or a later alert took its place; null while it is open.
             */
            resolved_at: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
        };
        /** @description Where alerts of a project go: a webhook, signed like a callback, or an e-mail address. */
        AlertChannel: {
            /**
             * Format: uuid
             * @description The id to test and to delete it by.
             */
            id: string;
            /** @description What may be a secret in it is masked. */
            url: string;
            /**
             * @description How it is written to: Assay's JSON, Slack's blocks, a card of Teams, or a mail.
             * @enum {string}
             */
            format: "json" | "slack" | "teams" | "mail";
            /**
             * @description Which runs it gets a digest of when they end: none, those of schedules, or all but replays.
             * @enum {string}
             */
            digest: "none" | "scheduled" | "all";
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
        };
        /** @description Something went wrong without anybody asking. */
        AlertRaised: {
            /** @enum {string} */
            type: "alert.raised";
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            timestamp: string;
            data: components["schemas"]["Alert"];
        };
        /** @description What an alert reported is so no more. */
        AlertResolved: {
            /** @enum {string} */
            type: "alert.resolved";
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            timestamp: string;
            data: components["schemas"]["Alert"];
        };
        /** @description Whether a rule alerts, and from which bounds on. */
        AlertRule: {
            /** @enum {string} */
            rule: "schedule_missed" | "run_not_ok" | "failure_share" | "budget_near" | "consumer_stalled" | "unpriced_model" | "source_failed" | "credentials_refused" | "budget_exceeded" | "not_finished" | "items_held" | "upstream_unavailable";
            /** @description What the rule watches. */
            about: string;
            /**
             * Format: uuid
             * @description The agent it is set for; null holds for every agent that has none of its own.
             */
            agent_id: string | null;
            enabled: boolean;
            /** @description What it compares with. */
            bounds: {
                [key: string]: number;
            };
            /** @description Nobody has set it. */
            is_default: boolean;
        };
        /**
         * @description Lines of the agent protocol.
         * @example {
         *       "type": "result",
         *       "seq": 1,
         *       "attempt": 1,
         *       "output": {
         *         "label": "billing"
         *       }
         *     }
         */
        AnswerLine: {
            /** @enum {string} */
            type: "step" | "heartbeat" | "result" | "error" | "hold" | "yield" | "later";
            /** @description Of the item; of all types but heartbeat and later. */
            seq?: number;
            /** @description As it came with the item. */
            attempt?: number;
        } & {
            [key: string]: unknown;
        };
        /** @description A key of a project, without the key. */
        ApiKey: {
            /**
             * Format: uuid
             * @description The id to revoke it by.
             */
            id: string;
            /**
             * Format: uuid
             * @description The only project it opens.
             */
            project_id: string;
            name: string;
            /** @description How the key begins, to distinguish it from others. */
            prefix: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Exact to a minute.
             */
            last_used_at: string | null;
            /**
             * @description A viewer only reads.
             * @enum {string}
             */
            role: "operator" | "viewer";
            /**
             * Format: date-time
             * @description From then on it is refused; null is never.
             */
            expires_at: string | null;
        };
        /** @description Who changed what, and when. */
        AuditEntry: {
            /**
             * Format: uuid
             * @description The entry.
             */
            id: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
            /** @description The operationId of what was done, with `.refused` behind it where a stranger tried it in vain. */
            action: string;
            actor: {
                /** @enum {string} */
                kind: "key" | "member" | "operator" | "stranger";
                /**
                 * Format: uuid
                 * @description The key or the member; all zeros where it is whoever operates the installation, or a stranger.
                 */
                id: string;
                /** @description The key's prefix, the member's e-mail at that time (masked for a key with the role `viewer`), or the stranger's address. */
                name: string;
            };
            /**
             * Format: uuid
             * @description Null for what concerns the account as a whole.
             */
            project_id: string | null;
            /**
             * Format: uuid
             * @description What was made or changed.
             */
            target_id: string | null;
            /** @description The fields that were sent, without their values. */
            fields: string[];
        };
        /** @description What is still awaited of an agent that answers later. */
        AwaitedItems: {
            /** Format: uuid */
            run_id: string;
            /** @description By their seq, the items that are still awaited at this address. Work on no others. */
            open: number[];
            /** @description The first lines that name no item of this address. The others counted. */
            passed_over?: {
                /** @description Its number in the body, from 1. */
                line: number;
                /** @description Why nobody can use the line. */
                problem: string;
            }[];
        };
        /** @description One item of a batch. */
        BatchItem: {
            /** @description Any JSON; it is kept byte for byte. */
            input: unknown;
            /** @description Your own identifier of the item; at most 256 bytes of UTF-8. */
            item_id?: string;
            /** @description For example a tenant; at most 256 bytes of UTF-8. */
            partition_key?: string;
        };
        /**
         * @description Items for an agent.
         * @example {
         *       "agent": "ticket-triage",
         *       "name": "tickets of 2026-03-02",
         *       "budget_cents": 500,
         *       "idempotency_key": "2026-03-02-tickets",
         *       "items": [
         *         {
         *           "input": {
         *             "ticket_id": "T-4711",
         *             "tenant": "acme",
         *             "text": "Where is my order?"
         *           },
         *           "item_id": "T-4711",
         *           "partition_key": "acme"
         *         }
         *       ]
         *     }
         */
        BatchOrder: {
            /** @description The slug of the agent; or else its id in agent_id. */
            agent?: string;
            /**
             * Format: uuid
             * @description The agent; or else its slug in agent.
             */
            agent_id?: string;
            /**
             * Format: uuid
             * @description Where the slug is looked up; a project key's own when absent.
             */
            project_id?: string;
            /** @description For people. */
            name?: string;
            /** @description Items at work at once at most; what the agent declares and the project's cap hold as well. */
            concurrency?: number;
            /** @description So many items of a run go first; the others follow when these have ended and one of them was ok, else the run is stopped (pilot_failed). */
            pilot_items?: number;
            /** @description Money the run may spend, in cents. */
            budget_cents?: number;
            /** @description Time one item may take. */
            timeout_seconds?: number;
            /** @description How long a run waits, added up, for upstreams that serve nobody; what is left then fails with upstream_unavailable. By default what the agent declares, else a day. */
            patience_seconds?: number;
            /**
             * Format: uri
             * @description Gets a signed summary when the run ends.
             */
            callback_url?: string;
            /** @description The same key with the same body starts nothing more for 24 hours: the answer names the first run, as a duplicate. */
            idempotency_key?: string;
            /** @description Under a budget: go on with models that have no price, which the budget then does not count. Otherwise they are refused where they are known, and calls of them pause their items. */
            allow_unpriced?: boolean;
            /** @description Words by which runs are found again, such as a customer or a ticket. */
            tags?: string[];
            /** @description The batch; an item_id may occur once in it. */
            items: components["schemas"]["BatchItem"][];
        };
        /** @description A budget by day or by month, as it stands now. */
        Budget: {
            /** @enum {string} */
            period: "day" | "month";
            /** @description What may be spent in it. */
            limit_cents: number;
            /** @description What is spent of it; counted from when a budget was first set. */
            spent_cents: number;
            /** @description What is left of it, at least 0. */
            left_cents: number;
            /**
             * Format: date-time
             * @description When the next period begins.
             */
            ends_at: string;
        };
        /** @description Why items did not work, or are held: similar ones are one cause. */
        Cause: {
            /**
             * @description Made of what the cause is made of, so it stays the same.
             * @example cause_0509102d3433
             */
            id: string;
            /**
             * Format: uuid
             * @description The project of its items.
             */
            project_id: string;
            /**
             * Format: uuid
             * @description The agent of its items.
             */
            agent_id: string;
            agent_slug: string;
            /** @description The cause in one line. */
            title: string;
            /** @description The step that failed or was judged, without its index; null where there was none. */
            step: string | null;
            /** @description Null where the items ran to their end, or are held. */
            error_code: string | null;
            /** @description Why, as a token: the outcome reason, or hold. */
            reason: string;
            /** @description What they say, with `*` for what differs; null where they say nothing. */
            message: string | null;
            /** @description How often it was met, decided about or not: a replay that ends by it again counts once more. */
            count: number;
            /** @description Of those, items that wait for a decision. */
            waiting: number;
            /** @description Of the run's items, the share that has it; null unless the list is of a run. */
            share: number | null;
            /** @description Runs with items that have it. */
            runs: number;
            /** @description What all of that has cost. */
            cost_usd: number;
            /**
             * Format: date-time
             * @description When an item first had it.
             */
            first_seen: string;
            /**
             * Format: date-time
             * @description When an item last had it.
             */
            last_seen: string;
            /**
             * Format: uuid
             * @description Record id of an item that has it; null where none is kept any more.
             */
            record_id: string | null;
        };
        CausePage: {
            rows: components["schemas"]["Cause"][];
            /** @description Causes on all pages together; 10000 stands for as many or more. */
            total: number;
            /** @description Where the next page begins; null on the last one. */
            next_cursor: string | null;
        };
        /** @description A cause, and in which runs it was met. */
        CauseWithRuns: components["schemas"]["Cause"] & {
            /** @description The newest runs with it, the newest first. */
            latest_runs: {
                /**
                 * Format: uuid
                 * @description The run.
                 */
                run_id: string;
                name: string | null;
                /**
                 * Format: uuid
                 * @description The run whose items it replays.
                 */
                replay_of: string | null;
                /**
                 * Format: date-time
                 * @description When the run was submitted.
                 */
                created_at: string;
                /** @description Items of it that have the cause. */
                count: number;
                /** @description Of those, items that wait for a decision. */
                waiting: number;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC.
                 */
                first_seen: string;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC.
                 */
                last_seen: string;
            }[];
            /** @description What was decided about all of its items at once, the newest first. */
            decisions: {
                /**
                 * Format: uuid
                 * @description The recovery that acts on them.
                 */
                recovery_id: string;
                /** @enum {string} */
                action: "replay" | "resume" | "acknowledge" | "dismiss" | "wrong";
                /** @description Items that it was for. */
                eligible: number;
                /** @description Who decided: the e-mail of a member, or `key` and the name of a key. */
                created_by: string | null;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC.
                 */
                created_at: string;
            }[];
        };
        Challenge: {
            challenge: string;
        };
        /** @description A member with another role; of a lower one, with what the member made before. */
        ChangedMember: components["schemas"]["Member"] & {
            /** @description Keys that were revoked as well: made by it, or with keys that it made. */
            revoked_keys: number;
            /** @description Triggers that were deleted as well: it or these keys know the secret. */
            revoked_triggers: number;
            /** @description What was made, and what was made with that, as far as it stays: 1,000 at most. Not the member who asks, and nothing of theirs. */
            made: {
                /**
                 * @description A `signing_secret` is replaced by rolling it; a `deployment` is a current one, and the key that a URL is called with is replaced by deploying at another URL; an `agent` one whose configuration was changed, a `recovery` or a `run` one that has not ended.
                 * @enum {string}
                 */
                kind: "key" | "trigger" | "signing_secret" | "member" | "deployment" | "schedule" | "alert_channel" | "agent" | "recovery" | "run";
                /**
                 * Format: uuid
                 * @description What it is revoked, deleted, cancelled or aborted by; of a signing secret, its project.
                 */
                id: string;
                name: string;
                /**
                 * Format: uuid
                 * @description Null for a member.
                 */
                project_id: string | null;
                /**
                 * @description `changed` and `read`: somebody else made it. A member is changed by a role, or by a used link; what they made since that is listed too.
                 * @enum {string}
                 */
                how: "made" | "changed" | "read";
                /** @description It is a credential that its maker has: revoke it. */
                knows_secret: boolean;
            }[];
        };
        /** @description Somebody tests a channel. */
        ChannelTest: {
            /** @enum {string} */
            type: "channel.test";
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            timestamp: string;
            data: {
                /**
                 * Format: uuid
                 * @description The project.
                 */
                project_id: string;
                message: string;
            };
        };
        /** @description Code that named itself in its answers: the header assay-code-version, or the field `version` of a line. */
        CodeVersion: {
            /** @description As its answers named it; null for all beyond the first 100 of a deployment together. */
            version: string | null;
            /** @description Items that ended with an answer of this version. */
            items: number;
            /** @description Of those, items that worked. */
            ok: number;
            /** @description Of those, items that returned and did not work. */
            degraded: number;
            /** @description Of those, items that raised or reached a budget. */
            failed: number;
            /** @description What they cost. */
            cost_usd: number;
        };
        /** @description An item that goes on, and the work it skips. */
        ContinuedItem: {
            /**
             * Format: uuid
             * @description The run the item goes on in: a new one when it is replayed.
             */
            run_id: string;
            /**
             * Format: uuid
             * @description Record id of the item that runs now.
             */
            record_id: string;
            /** @description Steps taken over whatever happens: the work it skips. */
            reused_steps: number;
            /** @description What to know of the steps that it takes over. */
            warnings?: {
                /**
                 * @description other_version: steps that are taken over were made by another version of the agent or of its code than the one that runs. none_worked: it has ended, and none of its items worked.
                 * @enum {string}
                 */
                code: "other_version" | "none_worked";
                /** @description The same in words, with the way out. */
                message: string;
                /** @description The steps, of other_version. */
                steps: number;
            }[];
        };
        /** @description By when something has to have finished each day; the rule not_finished alerts when it has not. */
        Deadline: {
            /**
             * Format: uuid
             * @description The id to delete it by.
             */
            id: string;
            /**
             * Format: uuid
             * @description The agent.
             */
            agent_id: string;
            agent_slug: string;
            /**
             * Format: uuid
             * @description The schedule; null where any run of the agent will do.
             */
            schedule_id: string | null;
            /** @description Of the schedule. */
            cron: string | null;
            /** @description Of the schedule, where it has one. */
            schedule_name: string | null;
            /**
             * @description By when, each day.
             * @example 06:30
             */
            finished_by: string;
            timezone: string;
            /**
             * Format: date-time
             * @description When it comes next.
             */
            due_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
        };
        /**
         * @description A recurring start; its key is the cron. A header of its source names variables of the deployment's environment: Bearer $EXPORT_TOKEN.
         * @example {
         *       "cron": "0 9 * * 1-5",
         *       "timezone": "Europe/Berlin"
         *     }
         */
        DeclaredSchedule: {
            /** @description Five fields. */
            cron: string;
            /** @description An IANA zone; UTC by default. */
            timezone?: string;
            source?: components["schemas"]["SourceOrder"];
            /** @description Who gets the results of each run as a file when it has ended; nobody by default. */
            results?: {
                /**
                 * Format: uri
                 * @description Gets the results of each run as a file when it has ended, signed like a callback.
                 */
                url: string;
                /**
                 * @description csv by default. `csv` by default.
                 * @enum {string}
                 */
                format?: "json" | "ndjson" | "csv";
            };
        };
        /**
         * @description An inbound HTTP start; its key is the name.
         * @example {
         *       "name": "new-ticket",
         *       "secret_env": "ASSAY_TRIGGER_SECRET"
         *     }
         */
        DeclaredTrigger: {
            /**
             * @description Unique within its agent.
             * @example new-ticket
             */
            name: string;
            /**
             * @description The sender's environment variable that holds the secret.
             * @example ASSAY_TRIGGER_SECRET
             */
            secret_env?: string;
            /** @description True: the body of a fire is the items of its run, a JSON array or NDJSON, each value the input of one. For any other trigger an array is one input. */
            items?: boolean;
            /** @description With items: the field of a value that is its item_id; without it the service gives ids. */
            item_id?: string | null;
            /** @description With items: the field of a value that is its partition_key. */
            partition_key?: string | null;
            /**
             * @description Read at each fire, instead of its body; the answer comes when all items are committed.
             * @example {
             *       "url": "https://example.com/export?day={date}",
             *       "format": "ndjson",
             *       "item_id": "ticket_id",
             *       "headers": {
             *         "authorization": "Bearer token"
             *       }
             *     }
             */
            source?: {
                /**
                 * Format: uri-template
                 * @description Read with a GET at each start. {date} and {scheduled_for} stand for the day and the time of the start, on the clock of the zone.
                 */
                url?: string;
                /**
                 * @description Of a URL. ndjson: a JSON value a line. csv: names in the first line. json: one array of values. Left out it is what the end of the path says, or else ndjson, unless the body is one JSON array.
                 * @enum {string}
                 */
                format?: "ndjson" | "csv" | "json";
                /**
                 * @description Instead of a URL: a generator of the agent, which is called at each start.
                 * @example tickets
                 */
                generator?: string;
                /** @description The field of a row that is its item_id; without it the service gives ids. */
                item_id?: string | null;
                /** @description The field of a row that is its partition_key. */
                partition_key?: string | null;
                /** @description Sent along to a URL, and never shown again. In a change, headers that are left out stay while the URL keeps its host and its path. */
                headers?: {
                    [key: string]: string;
                };
            } | null;
        };
        /** @description A message to the outside. */
        Delivery: {
            /**
             * Format: uuid
             * @description The same in every try; receivers get it as webhook-id.
             */
            id: string;
            /**
             * Format: uuid
             * @description Whose secret signs it.
             */
            project_id: string;
            /**
             * @description What it reports.
             * @enum {string}
             */
            kind: "run.finished" | "alert.raised" | "alert.resolved" | "run.digest" | "channel.test" | "run.results";
            /**
             * Format: uuid
             * @description The run that has come to an end.
             */
            run_id: string | null;
            /**
             * Format: uuid
             * @description The alert that it reports.
             */
            alert_id: string | null;
            /** @description Where it goes; what may be a secret in it is masked. */
            url: string;
            /**
             * @description pending: it is still tried. failed: it was given up.
             * @enum {string}
             */
            state: "pending" | "delivered" | "failed";
            /** @description How often it was tried. */
            try_count: number;
            /** @description What the receiver answered last; null when it did not. */
            last_status: number | null;
            /** @description Why the last try was none, in words. */
            last_error: string | null;
            /**
             * Format: date-time
             * @description When it is tried next; null when it is over.
             */
            due_at: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            delivered_at: string | null;
        };
        DeliveryPage: {
            deliveries: components["schemas"]["Delivery"][];
            /** @description Where the next page begins; null on the last one. */
            next_cursor: string | null;
        };
        /** @description A message to the outside and every try to deliver it. */
        DeliveryRecord: components["schemas"]["Delivery"] & {
            body?: components["schemas"]["Json"] & unknown;
            /** @description Every try, oldest first. */
            tries: components["schemas"]["DeliveryTry"][];
        };
        DeliveryTry: {
            try: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            started_at: string;
            /** @description Null while it is under way, and for ever when its sender died. */
            duration_ms: number | null;
            /** @description What the receiver answered; null when it did not. */
            status: number | null;
            /** @description Why it was not delivered, in words. */
            error: string | null;
        };
        /** @description The deployment that is current now, and what became of its schedules and triggers. */
        Deployed: components["schemas"]["Deployment"] & {
            /** @description False when the same content had been deployed before: this is that version. */
            created: boolean;
            /** @description What requests to the URL are signed with, for ASSAY_AGENT_KEY of the function there; the same for all versions at this URL. Null for a bundle. */
            agent_key: string | null;
            plan: components["schemas"]["DeployPlan"];
            /** @description Models without a price that the agent's latest runs called or that it declares: budgets do not count them. */
            unpriced: string[];
            /** @description What the agent may need and this installation does not give it. */
            warnings: {
                /** @enum {string} */
                code: "step_outlasts_consumer" | "bundle_not_loaded" | "calls_not_reported";
                /** @description What may happen. */
                message: string;
                /** @description What to set. */
                hint: string;
            }[];
        };
        /** @description A version of an agent. It never changes. */
        Deployment: {
            /**
             * Format: uuid
             * @description The deployment.
             */
            id: string;
            /**
             * Format: uuid
             * @description The project of its agent.
             */
            project_id: string;
            /**
             * Format: uuid
             * @description The agent it is a version of.
             */
            agent_id: string;
            /** @description Counts from 1 within the agent. */
            version: number;
            /** @description The next run executes it. */
            is_current: boolean;
            /** @enum {string} */
            kind: "bundle" | "url";
            /**
             * @description What it speaks: lines of JSON, or one JSON value per request.
             * @enum {string}
             */
            protocol: "ndjson" | "json";
            url: string | null;
            /** @description SHA-256 of the code. */
            bundle_hash: string | null;
            declaration: components["schemas"]["AgentDeclaration"];
            /** @description What its answers are looked at for: as it declares, or the defaults of when it was deployed; an update adds none. */
            checks: ("template_leak" | "repeats" | "cut_json" | "fenced_json" | "asks_back" | "cannot_look_up" | "placeholders" | "echoes_prompt" | "wrong_language" | "one_answer" | "length_jump" | "cost_jump")[];
            external_id: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
        };
        /** @description Code that Assay runs, or an HTTP function that runs elsewhere. */
        DeployOrder: {
            /** @enum {string} */
            kind: "bundle";
            /** @description One ES module whose default export is what serve() of the SDK gives. */
            code: string;
            declaration: components["schemas"]["AgentDeclaration"];
            /** @description Variables the agent sees; stored encrypted and never shown. */
            env?: {
                [key: string]: string;
            };
            /** @description A label of your own, for example a commit. */
            external_id?: string;
            /** @description Report what would be done, and do nothing. */
            dry_run?: boolean;
        } | {
            /** @enum {string} */
            kind: "url";
            /**
             * Format: uri
             * @description Where the agent answers.
             */
            url: string;
            /**
             * @description `ndjson` by default.
             * @enum {string}
             */
            protocol?: "ndjson" | "json";
            /** @description The version of the code that runs there now, as it answers a GET; its answers may name others. */
            code_version?: string;
            declaration: components["schemas"]["AgentDeclaration"];
            /** @description Variables the agent sees; stored encrypted and never shown. */
            env?: {
                [key: string]: string;
            };
            /** @description A label of your own, for example a commit. */
            external_id?: string;
            /** @description Report what would be done, and do nothing. */
            dry_run?: boolean;
        };
        /** @description What a deploy does to the schedules and triggers of an agent. Those that no code ever declared are left alone and not listed. */
        DeployPlan: {
            schedules: {
                /** @enum {string} */
                action: "created" | "changed" | "deleted" | "unchanged";
                /**
                 * Format: uuid
                 * @description Null until it is created.
                 */
                id: string | null;
                cron: string;
                timezone: string;
                /** @description The fields that are set; long values are cut. */
                changes: {
                    field: string;
                    from: string | null;
                    to: string | null;
                }[];
            }[];
            triggers: {
                /** @enum {string} */
                action: "created" | "changed" | "rotated" | "deleted" | "kept" | "unchanged";
                /**
                 * Format: uuid
                 * @description Null until it is created.
                 */
                id: string | null;
                name: string;
                secret_env: string | null;
                /** @description The name of the trigger that goes, where one is renamed. */
                replaces: string | null;
                /** @description Where it is fired; null until it is created. */
                url: string | null;
                /** @description Of one that was just created; it is shown this once. */
                secret: string | null;
                /** @description The fields that are set; long values are cut. */
                changes: {
                    field: string;
                    from: string | null;
                    to: string | null;
                }[];
            }[];
            /** @description Limits that the declaration carries, for the items of this deployment alone. */
            limits: {
                /** @enum {string} */
                action: "created" | "changed" | "deleted" | "unchanged";
                host: string;
                credential: string | null;
                /** @description In words; null for no limit. */
                from: string | null;
                to: string | null;
            }[];
        };
        /** @description What a deploy would do. Nothing was changed. */
        DryRun: {
            /** @enum {boolean} */
            dry_run: true;
            /** @description The version that would be current. */
            version: number;
            /** @description Whether it would be a new one. */
            created: boolean;
            /** @description The version that is current now. */
            current_version: number | null;
            /** @description What differs from it: code, url, env, fields of the declaration; everything for a first one. */
            changes: string[];
            plan: components["schemas"]["DeployPlan"];
            /** @description Models without a price that the agent's latest runs called or that it declares: budgets do not count them. */
            unpriced?: string[];
            /** @description What the agent may need and this installation does not give it. */
            warnings?: {
                /** @enum {string} */
                code: "step_outlasts_consumer" | "bundle_not_loaded" | "calls_not_reported";
                /** @description What may happen. */
                message: string;
                /** @description What to set. */
                hint: string;
            }[];
        };
        /** @description What went wrong, where, and what to do next. */
        Error: {
            error: {
                /**
                 * @description Stable, for machines.
                 * @enum {string}
                 */
                code: "invalid_request" | "invalid_json" | "invalid_utf8" | "duplicate_key" | "too_deep" | "number_out_of_range" | "line_too_long" | "body_too_large" | "invalid_line" | "duplicate_item_id" | "no_items" | "too_many_items" | "invalid_cursor" | "invalid_cron" | "invalid_timezone" | "invalid_schema" | "max_steps_rejected" | "unpriced_model" | "load_failed" | "load_timeout" | "source_failed" | "source_empty" | "idempotency_key_reused" | "unauthenticated" | "plan_limit" | "quota_exceeded" | "account_suspended" | "forbidden" | "suspended" | "not_found" | "agent_slug_taken" | "schedule_cron_taken" | "trigger_name_taken" | "email_taken" | "last_owner" | "run_already_ended" | "item_not_replayable" | "item_not_paused" | "item_already_decided" | "verdict_not_judgeable" | "item_not_reopenable" | "nothing_to_recover" | "recovery_already_ended" | "claim_ended" | "claim_not_handed_over" | "delivery_pending" | "too_many_channels" | "too_many_deadlines" | "too_many_saved_views" | "too_many_limits" | "too_many_prices" | "rate_limited" | "too_many_open_runs" | "internal" | "store_unreachable" | "store_full" | "dependency_unreachable" | "dependency_unusable";
                /** @description For people. */
                message: string;
                /** @description What to do next. */
                hint?: string;
            };
        };
        /** @description How long it still takes; of an open run that is asked for alone. */
        Estimate: {
            /** @description Until its last call is sent; null if that is not known. */
            seconds: number | null;
            /**
             * Format: date-time
             * @description When its last item has ended; null if that is not known.
             */
            ends_at: string | null;
            /**
             * @description What binds: limit, of an upstream, set or reported; found_pace, with which an upstream without one was called before it refused; in_flight, the items that people allow there at once; places, of run, agent or project; pace, its own so far. Null if it is not known how long it takes.
             * @enum {string|null}
             */
            limited_by: "limit" | "found_pace" | "in_flight" | "places" | "pace" | null;
            /**
             * @description How long and at what pace, or why that is not known.
             * @example about 3 h 10 min at 200,000 tokens a minute of api.openai.com (OPENAI_API_KEY)
             */
            message: string;
        };
        /** @description Failed items that share an error code and a prompt. */
        FailureCluster: {
            /** @description `<error_code>:<hash>`, or `other`. */
            cluster_key: string;
            /** @description Empty in `other`. */
            error_code: string;
            /** @description First 200 characters of the canonicalized input prompt; empty in `other`. */
            sample_prompt: string;
            /** @description Failed items in it. */
            count: number;
            /** @description Your identifiers of its latest items; empty in `other`. */
            item_ids: string[];
            /** @description Record ids of the same items, in the same order. */
            record_ids: string[];
        };
        FailureClusters: {
            /** @description The largest first, `other` last. */
            clusters: components["schemas"]["FailureCluster"][];
            /** @description The sum of all counts. */
            total_failures: number;
        };
        /** @description Its item, output and all, if it has but one. */
        FinishedItem: {
            /**
             * Format: uuid
             * @description The item's record id: what {itemId} in paths stands for.
             */
            id: string;
            /**
             * Format: uuid
             * @description The run the item belongs to.
             */
            run_id: string;
            /** @description Your own identifier; the record id when you gave none. */
            item_id: string;
            partition_key: string | null;
            /** @description Its place in the submission, from 1. */
            line: number;
            /**
             * @description Whether it ran.
             * @enum {string}
             */
            status: "queued" | "running" | "paused" | "completed" | "failed" | "cancelled" | "budget_exceeded";
            /** @description Why it is not ok, as a token. */
            outcome_reason: string | null;
            /** @description Why it is degraded, in words. */
            degraded_reason: string | null;
            error_code: string | null;
            error_message: string | null;
            /** @description The version of the code that ended it or, of a held item, that holds it, as its answer named it; null if it named none, and beyond the first 100 of a deployment. */
            code_version: string | null;
            /** @description How often it was offered to the agent. */
            attempt: number;
            /** @description Steps recorded. */
            step_count: number;
            /** @description In whole cents. */
            total_cost_cents: number;
            cost_usd: number;
            /** @description It called a model without a known price: its cost is a lower bound. */
            unpriced: boolean;
            /** @description Answers of models that were to be graded. */
            model_call_count: number;
            /** @description Of those, answers that could not be read, so that nobody knows how good they are. */
            unread_call_count: number;
            /** @description Of those, answers that are ok and may be refusals: their steps have the reason suspected_refusal. */
            suspected_call_count: number;
            /** @description Input tokens of its steps. */
            total_input_tokens: number;
            /** @description Output tokens of its steps. */
            total_output_tokens: number;
            /**
             * Format: uuid
             * @description Record id of the item this one replays.
             */
            replayed_from: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            completed_at: string | null;
            /**
             * Format: date-time
             * @description When retention took its input and output; both are null from then on.
             */
            payloads_purged_at: string | null;
            /**
             * @description Whether it worked; null while there is no verdict.
             * @enum {string|null}
             */
            worst_outcome_status: "ok" | "degraded" | "failed" | null;
            output: components["schemas"]["Json"];
        } | null;
        /** @description Any JSON value: the input of the one item, kept byte for byte. Of a trigger with items, an array or NDJSON: an item each. */
        FireBody: unknown;
        FiredRun: {
            /**
             * Format: uuid
             * @description The run that was started.
             */
            run_id: string;
            /** @description True when an earlier request with the same idempotency key started this run: this one started none. */
            duplicate: boolean;
            /**
             * @description Of the run: queued, or of a duplicate what it is by now.
             * @enum {string}
             */
            status: "materializing" | "queued" | "running" | "completed" | "partial" | "failed" | "cancelled" | "budget_exceeded";
            /**
             * Format: uuid
             * @description Record id of its first item.
             */
            record_id: string;
        };
        /** @description A part of a run as it was graded, and as it would be now. */
        Grade: {
            /** @description The agent whose declaration counts. */
            agent: string;
            /** @description The version of it; null where nothing is deployed. */
            version: number | null;
            /** @enum {string} */
            refusals: "sure" | "balanced" | "off";
            checks: ("template_leak" | "repeats" | "cut_json" | "fenced_json" | "asks_back" | "cannot_look_up" | "placeholders" | "echoes_prompt")[];
            /**
             * @description Answers in another one are wrong; null where none is declared.
             * @enum {string|null}
             */
            language: "en" | "de" | "fr" | "es" | "it" | "nl" | "pl" | "pt" | "tr" | "ru" | "zh" | "ja" | "ko" | "ar" | null;
            /** @description Items that were looked at: those that returned. */
            items: number;
            /** @description Model calls that were looked at. */
            calls: number;
            /** @description Of these, calls that stay as they were: their agent reported the answer, or it (or the prompt, where that is compared) was too long to keep. */
            calls_left: number;
            /** @description Each verdict that occurs. */
            verdicts: {
                /** @description A reason; unread of a call whose answer was not read; else ok. */
                verdict: string;
                /** @description Items that were recorded so. */
                items_was: number;
                /** @description Items that would be. */
                items_now: number;
                /** @description Calls that were recorded so. */
                calls_was: number;
                /** @description Calls that would be. */
                calls_now: number;
            }[];
            /** @description Each pair of verdicts that differs, the most frequent first. */
            changes: {
                /** @enum {string} */
                of: "item" | "call";
                /** @description As recorded. */
                was: string;
                /** @description By the rules of today. */
                now: string;
                /** @description How many. */
                count: number;
                /** @description The first of them. */
                examples: {
                    item_id: string | null;
                    record_id: string | null;
                    /** @description The key of the step, of a call. */
                    step: string | null;
                }[];
            }[];
            /** @description Where the next part of the run begins; null after the last. */
            next_cursor: string | null;
        };
        /** @description The durable record of an item. */
        ItemRecord: {
            /**
             * Format: uuid
             * @description The item's record id: what {itemId} in paths stands for.
             */
            id: string;
            /**
             * Format: uuid
             * @description The run the item belongs to.
             */
            run_id: string;
            /** @description Your own identifier; the record id when you gave none. */
            item_id: string;
            partition_key: string | null;
            /** @description Its place in the submission, from 1. */
            line: number;
            /**
             * @description Whether it ran.
             * @enum {string}
             */
            status: "queued" | "running" | "paused" | "completed" | "failed" | "cancelled" | "budget_exceeded";
            /** @description Why it is not ok, as a token. */
            outcome_reason: string | null;
            /** @description Why it is degraded, in words. */
            degraded_reason: string | null;
            error_code: string | null;
            error_message: string | null;
            /** @description The version of the code that ended it or, of a held item, that holds it, as its answer named it; null if it named none, and beyond the first 100 of a deployment. */
            code_version: string | null;
            /** @description How often it was offered to the agent. */
            attempt: number;
            /** @description Steps recorded. */
            step_count: number;
            /** @description In whole cents. */
            total_cost_cents: number;
            cost_usd: number;
            /** @description It called a model without a known price: its cost is a lower bound. */
            unpriced: boolean;
            /** @description Answers of models that were to be graded. */
            model_call_count: number;
            /** @description Of those, answers that could not be read, so that nobody knows how good they are. */
            unread_call_count: number;
            /** @description Of those, answers that are ok and may be refusals: their steps have the reason suspected_refusal. */
            suspected_call_count: number;
            /** @description Input tokens of its steps. */
            total_input_tokens: number;
            /** @description Output tokens of its steps. */
            total_output_tokens: number;
            /**
             * Format: uuid
             * @description Record id of the item this one replays.
             */
            replayed_from: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            completed_at: string | null;
            /**
             * Format: date-time
             * @description When retention took its input and output; both are null from then on.
             */
            payloads_purged_at: string | null;
            /**
             * Format: uuid
             * @description The project of its run.
             */
            project_id: string;
            /**
             * Format: uuid
             * @description The agent of its run.
             */
            agent_id: string;
            agent_slug: string;
            /**
             * @description Whether it worked; null while there is no verdict.
             * @enum {string|null}
             */
            outcome_status: "ok" | "degraded" | "failed" | null;
            /**
             * Format: date
             * @description The day of the list of prices that models have today; a cost once recorded stays.
             */
            prices_as_of: string;
            input_snapshot: components["schemas"]["Json"] & unknown;
            output: components["schemas"]["Json"];
        };
        /** @description The durable record of an item, and what was decided about it. */
        ItemWithDecision: components["schemas"]["ItemRecord"] & {
            /**
             * @description What was decided about it; null while nothing was.
             * @enum {string|null}
             */
            disposition: "acknowledged" | "dismissed" | "replayed" | "resumed" | "wrong" | "confirmed" | null;
            /**
             * Format: date-time
             * @description When; of an ok item that is called wrong and waits in triage, when that was said.
             */
            decided_at: string | null;
            /** @description By whom, also once they are removed: the e-mail of a member, or `key` and the name of a key; null where no caller decided. Of an ok item that is called wrong and waits in triage, who said so. */
            decided_by: string | null;
            /**
             * @description Whether it worked as people say, where that is not what was recorded; results have this. Null where nobody differs.
             * @enum {string|null}
             */
            corrected_outcome_status: "ok" | "degraded" | "failed" | null;
            /** @description The cause it has, decided about or not; null where it has none, or none yet. */
            cause_id: string | null;
            /** @description What it accepts now. */
            available_actions: ("replay" | "resume" | "acknowledge" | "dismiss" | "wrong" | "confirm" | "reopen")[];
            /** @description A replay that ended like its original without asking anything again. */
            unchanged: boolean;
            /** @description Of a replay, what made the steps that it took over. */
            reused_versions: {
                /** @description The version of the agent; null if it is gone. */
                deployment_version: number | null;
                /** @description The code, as its answers named it; null if it named none, or is not known: an item keeps the name of the code that ended it, not of other code that its earlier attempts ran. */
                code_version: string | null;
                /** @description Steps that are taken over. */
                steps: number;
            }[];
        };
        /** @description The output, byte for byte; null when there is none. */
        Json: unknown;
        /** @description How often people found verdicts with a reason right. */
        JudgedReason: {
            /**
             * Format: uuid
             * @description The project of its items.
             */
            project_id: string;
            /**
             * Format: uuid
             * @description The agent of its items.
             */
            agent_id: string;
            agent_slug: string;
            /** @description The reason token. suspected_refusal: answers that were asked about. called_wrong: ok items that somebody called wrong. */
            reason: string;
            /** @description Verdicts with this reason that people judged. */
            judged: number;
            /** @description Of those, taken as right: replayed or dismissed one by one, or confirmed where it was asked. */
            confirmed: number;
            /** @description Of those, called wrong. */
            wrong: number;
            /** @description The share of them that was right. */
            precision: number;
            /** @description At least 20 were judged, and more than a fifth of them called wrong. */
            often_wrong: boolean;
        };
        /** @description An agent in a list. */
        ListedAgent: components["schemas"]["Agent"] & {
            activity?: components["schemas"]["AgentActivity"];
        };
        /** @description Who is asking. */
        Member: {
            /**
             * Format: uuid
             * @description The member.
             */
            id: string;
            email: string;
            /** @enum {string} */
            role: "owner" | "operator" | "viewer";
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
        };
        /** @description What the calls of one model by one agent came to. */
        ModelUsage: {
            /**
             * Format: uuid
             * @description The agent that made the calls.
             */
            agent_id: string;
            agent_slug: string;
            /** @description As the calls named it; null where they named none. */
            model: string | null;
            /** @description Calls that were made, retries included; what a replay took over was not called again. */
            calls: number;
            /** @description Of those, calls that returned and did not work, such as refusals. */
            degraded: number;
            /** @description Of those, calls that did not return an answer. */
            failed: number;
            /** @description Of those, calls whose cost is not known. */
            unpriced: number;
            /** @description Input tokens. */
            input_tokens: number;
            /** @description Output tokens. */
            output_tokens: number;
            /** @description In whole cents. */
            cost_cents: number;
            cost_usd: number;
            /** @description Half of the calls took no longer; within 9 %. */
            p50_ms: number;
            /** @description 95 of 100 calls took no longer; within 9 %. */
            p95_ms: number;
        };
        /**
         * @description Limits of what items need outside, with the host that they are for.
         * @example {
         *       "host": "api.openai.com",
         *       "credential": "OPENAI_API_KEY",
         *       "requests": "500/min"
         *     }
         */
        NamedLimits: {
            /**
             * @description A provider's host, such as api.openai.com, or an agent's URL without its query.
             * @example api.openai.com
             */
            host: string;
            /**
             * @description The variable of the environment that has the credential; without it, every credential of the host.
             * @example OPENAI_API_KEY
             */
            credential?: string;
            /**
             * @description Calls, as a number and a unit (s, min, h, d): 500/min.
             * @example 500/min
             */
            requests?: string;
            /**
             * @description Tokens of input and output, as for requests: 200000/min.
             * @example 500/min
             */
            tokens?: string;
            /** @description Items in flight that need it, of all runs. */
            in_flight?: number;
        };
        /** @description An account to be made, with its first owner. */
        NewAccount: {
            /** @description For people; need not be unique. */
            name: string;
            /** @description Of its first owner; unique in the installation. */
            email: string;
            /** @description The plan: runs of the account that have not ended, at most; null is no bound. */
            open_runs_limit?: number | null;
        };
        /** @description A key that was just made. */
        NewApiKey: {
            /**
             * Format: uuid
             * @description The id to revoke it by.
             */
            id: string;
            /**
             * Format: uuid
             * @description The only project it opens.
             */
            project_id: string;
            name: string;
            /** @description How the key begins, to distinguish it from others. */
            prefix: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Exact to a minute.
             */
            last_used_at: string | null;
            /**
             * @description A viewer only reads.
             * @enum {string}
             */
            role: "operator" | "viewer";
            /**
             * Format: date-time
             * @description From then on it is refused; null is never.
             */
            expires_at: string | null;
            /**
             * @description The key itself; it is shown this once.
             * @example pk_4fJ0…
             */
            key: string;
        };
        /** @description What a model costs from a moment on. */
        NewPrice: {
            /** @description As the provider names it; its dated snapshots have the same price. */
            model: string;
            /** @description Dollars per million input tokens. */
            input_per_mtok: number;
            /** @description Dollars per million output tokens. */
            output_per_mtok: number;
            /** @description For input read from the cache of the provider; the input price where it is not said. */
            cached_input_per_mtok?: number;
            /**
             * Format: date-time
             * @description From when on; from now where it is absent.
             */
            effective_from?: string;
        };
        /**
         * @example {
         *       "list": "runs",
         *       "name": "nights that failed",
         *       "query": "outcome=failed&tag=nightly"
         *     }
         */
        NewSavedView: {
            /**
             * @description The list that it shows.
             * @enum {string}
             */
            list: "runs" | "triage" | "search";
            /** @description For people. Saved again under the same name, it is changed. */
            name: string;
            /** @description How the list is filtered: the query of the page's address, without `?`. */
            query: string;
            /** @description Everybody in the project sees it; false by default. */
            shared?: boolean;
        };
        /** @description A trigger with the secret that was just made. */
        NewTrigger: {
            /**
             * Format: uuid
             * @description What {triggerId} in paths stands for.
             */
            id: string;
            /**
             * Format: uuid
             * @description The project of its agent.
             */
            project_id: string;
            /**
             * Format: uuid
             * @description The agent it starts.
             */
            agent_id: string;
            agent_slug: string;
            /** @description Unique within its agent. */
            name: string;
            /**
             * Format: uri
             * @description Where a POST starts a run; it changes with the name alone.
             */
            url: string;
            /**
             * @description How a fire proves who sent it.
             * @enum {string}
             */
            scheme: "bearer" | "standard_webhooks" | "github" | "stripe" | "slack" | "shopify";
            /** @description The sender's environment variable that holds the secret. */
            secret_env: string | null;
            /** @description False until the sender's signing secret was given: fires are refused. */
            ready: boolean;
            /** @description The body of a fire is the items of its run. */
            items: boolean;
            /** @description The field of such an item that is its item_id. */
            item_id: string | null;
            partition_key: string | null;
            /** @description What is read at each fire instead of its body. */
            source: components["schemas"]["Source"] | null;
            /** @description Money each run may spend; null is no bound. */
            budget_cents: number | null;
            /** @description Its runs go on with models that have no price, which a budget then does not count. */
            allow_unpriced: boolean;
            /** @description So many items of each run go first; null is all at once. */
            pilot_items: number | null;
            /** @description Items of each run at work at once at most; null is no bound of its own. */
            concurrency: number | null;
            /** @description Time an item may take; null is what the agent declares. */
            timeout_seconds: number | null;
            /** @description How long each run waits for upstreams; null is what the agent declares. */
            patience_seconds: number | null;
            /** @description What may be a secret in it is masked. */
            callback_url: string | null;
            /** @description What each of its runs is tagged with when it starts. */
            tags: string[];
            /** @description Declared in the code of its agent: a deploy changes it back. */
            declared: boolean;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last started a run, exact to a second.
             */
            last_fired_at: string | null;
            /** @description To hand to the sender; it is shown this once. Null where no new one was made. */
            secret: string | null;
        };
        /**
         * @description One item for an agent that is named in the body.
         * @example {
         *       "agent": "ticket-triage",
         *       "input": {
         *         "ticket_id": "T-4711",
         *         "tenant": "acme",
         *         "text": "Where is my order?"
         *       },
         *       "item_id": "T-4711",
         *       "partition_key": "acme"
         *     }
         */
        OneOffOrder: {
            /** @description The slug of the agent; or else its id in agent_id. */
            agent?: string;
            /**
             * Format: uuid
             * @description The agent; or else its slug in agent.
             */
            agent_id?: string;
            /**
             * Format: uuid
             * @description Where the slug is looked up; a project key's own when absent.
             */
            project_id?: string;
            /** @description Any JSON; it is kept byte for byte. */
            input: unknown;
            /** @description Your own identifier of the item; at most 256 bytes of UTF-8. */
            item_id?: string;
            /** @description For example a tenant; at most 256 bytes of UTF-8. */
            partition_key?: string;
            /** @description Money the run may spend, in cents. */
            budget_cents?: number;
            /** @description Time one item may take. */
            timeout_seconds?: number;
            /** @description How long a run waits, added up, for upstreams that serve nobody; what is left then fails with upstream_unavailable. By default what the agent declares, else a day. */
            patience_seconds?: number;
            /**
             * Format: uri
             * @description Gets a signed summary when the run ends.
             */
            callback_url?: string;
            /** @description The same key with the same body starts nothing more for 24 hours: the answer names the first run, as a duplicate. */
            idempotency_key?: string;
            /** @description Under a budget: go on with models that have no price, which the budget then does not count. Otherwise they are refused where they are known, and calls of them pause their items. */
            allow_unpriced?: boolean;
            /** @description Words by which runs are found again, such as a customer or a ticket. */
            tags?: string[];
        };
        /** @description An account that was just made. */
        OpenedAccount: {
            /**
             * Format: uuid
             * @description The account.
             */
            id: string;
            name: string;
            /**
             * @description Of a suspended account nothing is started or dispatched.
             * @enum {string}
             */
            status: "active" | "suspended";
            /** @description The plan: runs of the account that have not ended, at most; null is no bound. */
            open_runs_limit: number | null;
            /** @description E-mails of its owners, at most 5, the first ones first. */
            owners: string[];
            members: number;
            projects: number;
            /** @description Runs that have not ended. */
            open_runs: number;
            /** @description By all of its projects. */
            spent_cents: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
            owner: components["schemas"]["Member"] & unknown;
            /** @description The owner's, to be changed; it is shown this once. */
            password: string;
            /**
             * Format: uuid
             * @description Its first project.
             */
            project_id: string;
        };
        /** @description A sign-in that is still good. */
        OpenSession: {
            /**
             * Format: uuid
             * @description The id to revoke it by.
             */
            id: string;
            /** @description The session that is asking. */
            is_current: boolean;
            /** @description What the client called itself when it signed in. */
            user_agent: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When its tokens were last renewed.
             */
            last_used_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            expires_at: string;
        };
        /** @description An account, as whoever operates the installation sees it. */
        OperatedAccount: {
            /**
             * Format: uuid
             * @description The account.
             */
            id: string;
            name: string;
            /**
             * @description Of a suspended account nothing is started or dispatched.
             * @enum {string}
             */
            status: "active" | "suspended";
            /** @description The plan: runs of the account that have not ended, at most; null is no bound. */
            open_runs_limit: number | null;
            /** @description E-mails of its owners, at most 5, the first ones first. */
            owners: string[];
            members: number;
            projects: number;
            /** @description Runs that have not ended. */
            open_runs: number;
            /** @description By all of its projects. */
            spent_cents: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
        };
        /** @description A price of the project’s own; it goes before the list that Assay brings. */
        OwnPrice: {
            /**
             * Format: uuid
             * @description The id to remove it by.
             */
            id: string;
            model: string;
            /** @description Dollars per million input tokens. */
            input_per_mtok: number;
            /** @description Dollars per million output tokens. */
            output_per_mtok: number;
            /** @description For input read from the cache of the provider; the input price where it is not said. */
            cached_input_per_mtok: number | null;
            /**
             * Format: date-time
             * @description It holds from then until the next one of its model.
             */
            effective_from: string;
            /** @description An owner set it: it wins over those of keys and other members. */
            by_owner: boolean;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
        };
        /** @description Sets a new password without the one before. */
        PasswordLink: {
            /** @description To be opened once, by the member alone. */
            url: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            expires_at: string;
        };
        /** @description Whether the models that a project called lately have a price. */
        PriceCheck: {
            /**
             * Format: date
             * @description The day of the list.
             */
            prices_as_of: string;
            /** @description Where the list is from. */
            source: string;
            /**
             * Format: date-time
             * @description 30 days ago.
             */
            since: string;
            /** @description The latest runs that were looked at; 200 at most. */
            runs: number;
            /** @description Whether every step since then was looked at. If not, calls and costs are of a sample: of each run at most the first 200 steps. */
            is_whole: boolean;
            /** @description Those called most first. */
            models: {
                model: string;
                /**
                 * @description `none`: it has no price. `older_than_list`: the price is the project’s own, from before the day of the list, and the list says another.
                 * @enum {string}
                 */
                state: "current" | "older_than_list" | "none";
                /**
                 * @description Whose price it has; null for none.
                 * @enum {string|null}
                 */
                source: "own" | "list" | null;
                /** @description Provider and model by which the list knows it; null where it does not. */
                listed_as: string | null;
                /**
                 * Format: date-time
                 * @description Since when the price of the project’s own holds.
                 */
                effective_from: string | null;
                /** @description Names in the list that are most like one that is not there. */
                nearest: string[];
                /** @description Calls of it among the steps that were looked at. */
                calls: number;
                /** @description Of those, calls whose cost is not known. */
                unpriced_calls: number;
                /** @description What those calls have cost, as recorded. */
                cost_usd: number;
            }[];
        };
        /** @description Separates environments: agents, runs and keys belong to one project. */
        Project: {
            /**
             * Format: uuid
             * @description What project_id stands for elsewhere.
             */
            id: string;
            name: string;
            /** @description Items of the project at work at once at most. */
            concurrency: number;
            /** @description Items of the project at work now. */
            running: number;
            /** @description Items of one partition at work at once at most; null is no bound. */
            partition_concurrency: number | null;
            /** @description Runs that have not ended, at most. */
            open_runs: number;
            /** @description What each key of the project may ask. */
            requests_per_second: number;
            /** @description Whether a key may make other keys. */
            keys_may_mint: boolean;
            /** @description Days after its submission that a run keeps its steps, up to the end of the week. */
            step_retention_days: number | null;
            /** @description Days after its submission that a run keeps the inputs and outputs of its items. */
            payload_retention_days: number | null;
            /** @description Days after its submission that a run keeps its items, and is kept itself; alerts and events of schedules, days after they were written. */
            record_retention_days: number | null;
            /** @description The zone whose days and months budgets follow. */
            timezone: string;
            /** @description Of the whole project, by day and month. */
            budgets: components["schemas"]["Budget"][];
            /** @description Money the project may spend in all; null is no bound. */
            credit_cents: number | null;
            /** @description Money the project has spent. */
            spent_cents: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            updated_at: string;
        };
        /** @description The deployment that is current now, and what became of its schedules and triggers. */
        Promoted: {
            /**
             * Format: uuid
             * @description The deployment.
             */
            id: string;
            /**
             * Format: uuid
             * @description The project of its agent.
             */
            project_id: string;
            /**
             * Format: uuid
             * @description The agent it is a version of.
             */
            agent_id: string;
            /** @description Counts from 1 within the agent. */
            version: number;
            /** @description The next run executes it. */
            is_current: boolean;
            /** @enum {string} */
            kind: "bundle" | "url";
            /**
             * @description What it speaks: lines of JSON, or one JSON value per request.
             * @enum {string}
             */
            protocol: "ndjson" | "json";
            url: string | null;
            /** @description SHA-256 of the code. */
            bundle_hash: string | null;
            declaration: components["schemas"]["AgentDeclaration"];
            /** @description What its answers are looked at for: as it declares, or the defaults of when it was deployed; an update adds none. */
            checks: ("template_leak" | "repeats" | "cut_json" | "fenced_json" | "asks_back" | "cannot_look_up" | "placeholders" | "echoes_prompt" | "wrong_language" | "one_answer" | "length_jump" | "cost_jump")[];
            external_id: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
            /** @description What requests to the URL are signed with, for ASSAY_AGENT_KEY of the function there; the same for all versions at this URL. Null for a bundle. */
            agent_key: string | null;
            plan: components["schemas"]["DeployPlan"];
        };
        PromoteOrder: {
            /** @description Report what would be done, and do nothing. */
            dry_run?: boolean;
        };
        /** @description What of a project waits, and what for. */
        Queue: {
            /** @description Runs that have not ended. */
            runs: number;
            /** @description Items that wait in them. */
            queued: number;
            /** @description Items at work. */
            running: number;
            /** @description Items that are held, or that wait for money. */
            paused: number;
            /** @description Items that wait to be tried again, counted up to 10000. */
            retries: number;
            /** @description Items that wait for something outside that serves nobody, counted up to 10000. */
            upstream_waits: number;
            /** @description Those with items that wait, the longest first; at most 10. */
            waiting_runs: {
                /**
                 * Format: uuid
                 * @description The run.
                 */
                id: string;
                name: string | null;
                agent_slug: string;
                /** @description Items that wait. */
                queued: number;
                /** @description Items at work. */
                running: number;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC.
                 */
                created_at: string;
                /** @description Since it was submitted or last given to a consumer. */
                waited_ms: number;
                /**
                 * @description What keeps more of it from starting; null where it has room.
                 * @enum {string|null}
                 */
                token: "ended" | "running" | "runtime_starting" | "lease_runs_out" | "answer_later" | "paused_for_decision" | "item_budget" | "credit" | "period_budget" | "price" | "materializing" | "stopped" | "held" | "suspended" | "retry_backoff" | "provider_rate" | "upstream" | "no_deployment" | "budget" | "pilot" | "run_cap" | "project_cap" | "partition_share" | "paced" | "no_consumer" | "next" | null;
                /** @description The same in a sentence. */
                message: string | null;
            }[];
            /** @description The next first; at most 20. */
            next_retries: {
                /**
                 * Format: uuid
                 * @description The item.
                 */
                record_id: string;
                item_id: string;
                /**
                 * Format: uuid
                 * @description Its run.
                 */
                run_id: string;
                agent_slug: string;
                /** @description Attempts so far. */
                attempt: number;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC.
                 */
                due_at: string;
                /** @description How the last attempt ended. */
                error_code: string | null;
                message: string | null;
            }[];
        };
        /** @description What an account may have in all, and how full that is. */
        Quota: {
            /** @enum {string} */
            name: "concurrency" | "open_runs" | "requests_per_second" | "projects" | "agents" | "schedules" | "triggers" | "keys" | "bundles" | "kept_bytes" | "members";
            /** @description At most so many; null is no bound. */
            limit: number | null;
            /** @description So many there are; null of a rate, and of what is counted only where it has a bound. */
            used: number | null;
            /** @description What is counted. */
            unit: string;
            /**
             * @description Whether the operator of the installation has set it for this account.
             * @enum {string}
             */
            set_by: "default" | "operator";
            description: string;
        };
        /** @description Quotas to be set; what is not named stays. */
        QuotaChanges: {
            /** @description Items that its projects may have at work at once: the sum of the projects' own limits. Null is no bound. */
            concurrency?: number | null;
            /** @description Runs that have not ended. Null is no bound. */
            open_runs?: number | null;
            /** @description Requests of all of its keys, triggers and sessions together, in each second. Null is no bound. */
            requests_per_second?: number | null;
            /** @description Projects that were not deleted. Null is 1000, the default. */
            projects?: number | null;
            /** @description Agents that were not deleted, in all of its projects. Null is 10000, the default. */
            agents?: number | null;
            /** @description Schedules in all of its projects, those that are disabled too. Null is 10000, the default. */
            schedules?: number | null;
            /** @description Triggers of agents that were not deleted, in all of its projects. Null is 10000, the default. */
            triggers?: number | null;
            /** @description Keys of its projects that were not revoked and have not expired. Null is 10000, the default. */
            keys?: number | null;
            /** @description Deployments that are kept and hold code, of all agents that were not deleted. Null is no bound. */
            bundles?: number | null;
            /** @description Inputs of items until retention takes them, and code of deployments. Measured once a minute where it has a bound; outputs and steps are not counted. Null is no bound. */
            kept_bytes?: number | null;
            /** @description People who sign in to it. Null is 1000, the default. */
            members?: number | null;
        };
        /** @description A cohort that is acted on. */
        Recovery: {
            /**
             * Format: uuid
             * @description What {recoveryId} in paths stands for.
             */
            id: string;
            /**
             * Format: uuid
             * @description The project.
             */
            project_id: string;
            name: string | null;
            /**
             * @description What is done with the items, as with one of them: replay, or dismiss, acknowledge, resume. replay by default.
             * @enum {string}
             */
            action: "replay" | "resume" | "acknowledge" | "dismiss" | "wrong";
            filter: components["schemas"]["RecoveryFilter"] & unknown;
            /** @description How many go first; null is all at once. */
            first: number | null;
            /**
             * @description creating: items are being copied. pilot: the first ones run. running: all run, or are being decided about. stopped: the first ones did no better than before.
             * @enum {string}
             */
            status: "creating" | "pilot" | "running" | "completed" | "stopped" | "aborting" | "aborted";
            /**
             * @description Which recorded steps are taken over.
             * @enum {string}
             */
            reuse: "auto" | "all" | "none";
            /** @description The step that runs again with what follows it; items without it go by reuse. */
            from_step: string | null;
            /**
             * @description The deployment that runs: by default the current one, or the one each item ran with.
             * @enum {string}
             */
            deployment: "current" | "original";
            /** @description What it may cost; null is no bound. */
            budget_cents: number | null;
            /** @description Runs of the first items, one for each agent. */
            pilot_run_ids: string[];
            /** @description Whether they did better than before; null until it is known. */
            pilot_better: boolean | null;
            /** @description Runs of all others, one for each agent. */
            run_ids: string[];
            /** @description Of a replay, in order: the first ones, where some go first, and the rest. */
            stages: components["schemas"]["RecoveryStage"][];
            /** @description Items that were for its action when it was started. */
            eligible: number;
            /** @description Items that it has not acted on: of one that was stopped or aborted, those that it left in triage. */
            left: number;
            /** @description Items dismissed, acknowledged or resumed so far; what follows is of replays. */
            decided: number;
            /** @description Items copied so far. */
            replayed: number;
            /** @description Of those, how many have ended. */
            ended: number;
            /** @description Of those, how many worked. */
            ok: number;
            /** @description Of those, how many are degraded. */
            degraded: number;
            /** @description Of those, how many failed. */
            failed: number;
            /** @description Of those, how many ended like their original without asking anything again. */
            unchanged: number;
            /** @description Of those, how many were cancelled. */
            cancelled: number;
            /** @description Of those, how many are held. */
            paused: number;
            /** @description What it has cost so far; a lower bound while unpriced_item_count is not 0. */
            cost_usd: number;
            /** @description Items copied that called a model without a known price. */
            unpriced_item_count: number;
            /** @description What to know of it before relying on it. */
            warnings?: {
                /**
                 * @description other_version: steps that are taken over were made by another version of the agent or of its code than the one that runs. none_worked: it has ended, and none of its items worked.
                 * @enum {string}
                 */
                code: "other_version" | "none_worked";
                /** @description The same in words, with the way out. */
                message: string;
                /** @description The steps, of other_version. */
                steps: number;
            }[];
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
            /** @description Who started it: the e-mail of a member, or `key` and the name of a key. */
            created_by: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            finished_at: string | null;
        };
        /**
         * @description The filter, closed at the moment of this plan: an order with it leaves out what came into triage since.
         * @example {
         *       "reason": "step_error",
         *       "from": "2026-01-31T09:00:00Z"
         *     }
         */
        RecoveryFilter: {
            /**
             * Format: uuid
             * @description Only items of this run.
             */
            run_id?: string;
            /**
             * @description Only items of this lane.
             * @enum {string}
             */
            kind?: "dlq" | "quarantine";
            /**
             * Format: uuid
             * @description Only items of this agent.
             */
            agent_id?: string;
            /** @description Only items of this failure cluster, as the list of clusters names it. */
            cluster_key?: string;
            /**
             * @description Only items of this cause.
             * @example cause_0509102d3433
             */
            cause_id?: string;
            /** @description Only items with this reason token, for example refusal or tool_call_error. */
            reason?: string;
            /** @description For example a tenant; at most 256 bytes of UTF-8. */
            partition_key?: string;
            /**
             * Format: date-time
             * @description Only items that came into triage at or after this time.
             */
            from?: string;
            /**
             * Format: date-time
             * @description Only items that came into triage before this time.
             */
            to?: string;
            /**
             * @description cancelled: instead of items in triage those that were cancelled: what is left of the run named by run_id, which must have ended. not_ok: all of that run that did not end well, so items in triage, those that were cancelled and, if it was stopped, those that are held: these end as cancelled. Goes with run_id, agent_id and partition_key only.
             * @enum {string}
             */
            status?: "cancelled" | "not_ok";
        };
        /** @description A cohort to be acted on. */
        RecoveryOrder: {
            /**
             * Format: uuid
             * @description The project; a project key's own when absent.
             */
            project_id?: string;
            /** @description For people. */
            name?: string;
            /**
             * @description What is done with the items, as with one of them: replay, or dismiss, acknowledge, resume. replay by default.
             * @enum {string}
             */
            action?: "replay" | "resume" | "acknowledge" | "dismiss" | "wrong";
            filter: components["schemas"]["RecoveryFilter"] & unknown;
            /** @description Replay this many first, and the rest only if they do better than before: at least one of them works, and no more of them fail than had failed. */
            first?: number;
            /**
             * @description Which recorded steps are taken over. auto: where an answer was at fault (off schema, refused, empty, cut off, degraded or raised by the agent) the last model call is asked again, or the last step where there was none; steps before it are taken over, later ones only for calls with the same input. Where the attempt was at fault (time, provider, a lost process), what succeeded is. all: what succeeded, also where an answer was at fault. none: nothing. auto by default.
             * @enum {string}
             */
            reuse?: "auto" | "all" | "none";
            /** @description Key of a step: it and what follows run again, those before it are taken over. Instead of reuse. */
            from_step?: string;
            /**
             * @description The deployment that runs: by default the current one, or the one each item ran with.
             * @enum {string}
             */
            deployment?: "current" | "original";
            /** @description What the recovery may cost, the first ones included. Only for a cohort that takes one run. */
            budget_cents?: number;
            /** @description Count what would be acted on, and change nothing. */
            dry_run?: boolean;
        };
        /** @description What a recovery would act on. */
        RecoveryPlan: {
            /**
             * @description What is done with the items, as with one of them: replay, or dismiss, acknowledge, resume. replay by default.
             * @enum {string}
             */
            action: "replay" | "resume" | "acknowledge" | "dismiss" | "wrong";
            filter: components["schemas"]["RecoveryFilter"];
            /** @description Items that would be acted on. */
            eligible: number;
            /** @description Of those, how many are held: one that is dismissed ends as cancelled, for good. */
            held: number;
            /** @description Items that pass the filter and would not be acted on, by why not. */
            ineligible: {
                /**
                 * @description held: it waits to be resumed. not_held: it does not. purged: its input is kept no longer. run_ended: its run was stopped or has ended. Otherwise what was decided about it.
                 * @enum {string}
                 */
                reason: "held" | "not_held" | "acknowledged" | "dismissed" | "replayed" | "resumed" | "purged" | "run_ended" | "wrong" | "not_judged";
                /** @description Items. */
                count: number;
            }[];
            /** @description The newest runs that replay items which pass the filter and were replayed already. */
            replay_run_ids: string[];
            /** @description Agents with eligible items. */
            agent_ids: string[];
            /** @description Runs that a replay would take: one for each agent, and with original deployments for each of those. */
            runs: number;
            /** @description What the items cost that would be replayed, all of them together. This and what follows is of replays alone. */
            cost_usd: number;
            /** @description About what replaying them costs at most: the steps that are asked again, and those that may follow, at what they cost before; where an item never came to its end, what items of the same runs cost that worked. Null where nothing has cost anything yet. */
            max_cost_usd: number | null;
            /** @description Of them, items that called a model without a known price: both sums are lower bounds. */
            unpriced_item_count: number;
            /** @description Items whose steps were looked at, at most 20000: what follows is about those. */
            looked_at_items: number;
            /** @description What becomes of the steps, the most frequent first. */
            rules: {
                /**
                 * @description asks_again: the answer that was at fault is asked for again. goes_on: what succeeded is taken over. from_step, from_start: as ordered.
                 * @enum {string}
                 */
                rule: "asks_again" | "goes_on" | "from_step" | "from_start";
                /** @description Why the items did not work, as a token. */
                reason: string;
                /** @description Items. */
                items: number;
                /** @description Steps of them that run again. */
                asked_again_steps: number;
                /** @description Steps that are taken over. */
                reused_steps: number;
                /** @description Steps that are taken over where they are called with the same input. */
                offered_steps: number;
            }[];
            /** @description Tools that may be called again. */
            tool_calls: {
                /** @description The tool. */
                name: string;
                /** @description Calls that are made again. */
                again: number;
                /** @description Calls that are made again where their input differs. */
                if_changed: number;
            }[];
            /** @description What made the steps that are taken over, by a replay or a resume. */
            reused_versions: {
                /** @description The version of the agent; null if it is gone. */
                deployment_version: number | null;
                /** @description The code, as its answers named it; null if it named none, or is not known: an item keeps the name of the code that ended it, not of other code that its earlier attempts ran. */
                code_version: string | null;
                /** @description Steps that are taken over. */
                steps: number;
            }[];
            /** @description What to know of it before relying on it. */
            warnings: {
                /**
                 * @description other_version: steps that are taken over were made by another version of the agent or of its code than the one that runs. none_worked: it has ended, and none of its items worked.
                 * @enum {string}
                 */
                code: "other_version" | "none_worked";
                /** @description The same in words, with the way out. */
                message: string;
                /** @description The steps, of other_version. */
                steps: number;
            }[];
        };
        RecoveryStage: {
            /**
             * @description first: those that go before the others. rest: the others.
             * @enum {string}
             */
            stage: "first" | "rest" | "all";
            /** @description Its runs. */
            run_ids: string[];
            /** @description Items copied. */
            items: number;
            /** @description Of those, how many have ended. */
            ended: number;
            /** @description Of those, how many worked. */
            worked: number;
            /** @description Of those, how many are degraded or failed. */
            still_fail: number;
            /** @description Of those, how many ended like their original without asking anything again. */
            unchanged: number;
            /** @description It has not started: it waits for the stage before it. */
            waiting: boolean;
        };
        Relative: {
            /**
             * Format: uuid
             * @description Record id of the item.
             */
            record_id: string;
            /**
             * Format: uuid
             * @description Its run.
             */
            run_id: string;
            /** @description 0 is the item asked for; below it what it descends from, above it what replays it. */
            generation: number;
            /**
             * Format: uuid
             * @description Record id of the item it replays.
             */
            replayed_from: string | null;
            /** @enum {string} */
            status: "queued" | "running" | "paused" | "completed" | "failed" | "cancelled" | "budget_exceeded";
            /** @enum {string|null} */
            outcome_status: "ok" | "degraded" | "failed" | null;
        };
        /** @description A member who was removed, and what outlasts that. */
        RemovedMember: components["schemas"]["Member"] & {
            /** @description Keys that were revoked as well: made by it, or with keys that it made. */
            revoked_keys: number;
            /** @description Triggers that were deleted as well: it or these keys know the secret. */
            revoked_triggers: number;
            /** @description What was made, and what was made with that, as far as it stays: 1,000 at most. Not the member who asks, and nothing of theirs. */
            made: {
                /**
                 * @description A `signing_secret` is replaced by rolling it; a `deployment` is a current one, and the key that a URL is called with is replaced by deploying at another URL; an `agent` one whose configuration was changed, a `recovery` or a `run` one that has not ended.
                 * @enum {string}
                 */
                kind: "key" | "trigger" | "signing_secret" | "member" | "deployment" | "schedule" | "alert_channel" | "agent" | "recovery" | "run";
                /**
                 * Format: uuid
                 * @description What it is revoked, deleted, cancelled or aborted by; of a signing secret, its project.
                 */
                id: string;
                name: string;
                /**
                 * Format: uuid
                 * @description Null for a member.
                 */
                project_id: string | null;
                /**
                 * @description `changed` and `read`: somebody else made it. A member is changed by a role, or by a used link; what they made since that is listed too.
                 * @enum {string}
                 */
                how: "made" | "changed" | "read";
                /** @description It is a credential that its maker has: revoke it. */
                knows_secret: boolean;
            }[];
        };
        /** @description How an item is replayed. */
        ReplayOrder: {
            /**
             * @description Which recorded steps are taken over. auto: where an answer was at fault (off schema, refused, empty, cut off, degraded or raised by the agent) the last model call is asked again, or the last step where there was none; steps before it are taken over, later ones only for calls with the same input. Where the attempt was at fault (time, provider, a lost process), what succeeded is. all: what succeeded, also where an answer was at fault. none: nothing. auto by default.
             * @enum {string}
             */
            reuse?: "auto" | "all" | "none";
            /** @description Key of a step: it and what follows run again, those before it are taken over. Instead of reuse. */
            from_step?: string;
            /** @description Another input instead of the original one. No steps are taken over then, unless from_step says that those before it still hold, or reuse that all do. */
            input?: unknown;
            /**
             * @description The deployment that runs: the current one by default.
             * @enum {string}
             */
            deployment?: "current" | "original";
            /** @description Money the run may spend, in cents. */
            budget_cents?: number;
        };
        /** @description The newest ok item of an item_id, else its newest. With `fields` it has those alone, by their names. */
        Result: {
            /** @description Your own identifier; each is there once. */
            item_id?: string;
            partition_key?: string | null;
            /**
             * @description Whether it ran.
             * @enum {string}
             */
            status?: "queued" | "running" | "paused" | "completed" | "failed" | "cancelled" | "budget_exceeded";
            /**
             * @description Whether it worked; null while there is no verdict.
             * @enum {string|null}
             */
            outcome_status?: "ok" | "degraded" | "failed" | null;
            /** @description Why it is not ok, as a token. */
            outcome_reason?: string | null;
            /** @description Why it is degraded, in words. */
            degraded_reason?: string | null;
            error_code?: string | null;
            error_message?: string | null;
            input?: components["schemas"]["Json"] & unknown;
            output?: components["schemas"]["Json"];
            /** @description What this item cost, in dollars. */
            cost_usd?: number;
            /** @description What all its tries cost together. */
            total_cost_usd?: number;
            /** @description A try called a model without a known price: the costs are lower bounds. */
            unpriced?: boolean;
            /** @description Items with this item_id that were looked at: originals and replays. */
            tries?: number;
            /**
             * Format: uuid
             * @description The run it came from; of a replay, the replay’s.
             */
            run_id?: string;
            /**
             * Format: uuid
             * @description The id of its item record.
             */
            record_id?: string;
            /** @description Its place in the submission of the run, from 1: of a replay that is its result, the place it was replayed from. Of an agent, its place in its own run. */
            line?: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at?: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            completed_at?: string | null;
            /** @description People say so: outcome_status and outcome_reason are theirs, and not what was recorded. Who it was is in the audit log; the record of the item has what was recorded. */
            corrected?: boolean;
            /**
             * @description What was recorded; where people corrected it, outcome_status is another.
             * @enum {string|null}
             */
            recorded_outcome_status?: "ok" | "degraded" | "failed" | null;
            /** @description The version of the code that made it; only where `fields` asks for it. */
            code_version?: string | null;
        } & {
            [key: string]: components["schemas"]["Json"] & unknown;
        };
        /** @description How an item goes on. */
        ResumeOrder: {
            /** @description Money granted on top, in cents; at the item's budget, its declared budget once more by default. */
            budget_cents?: number;
        };
        /** @description A key that was revoked, and what outlasts that. */
        RevokedApiKey: {
            /**
             * Format: uuid
             * @description The id to revoke it by.
             */
            id: string;
            /**
             * Format: uuid
             * @description The only project it opens.
             */
            project_id: string;
            name: string;
            /** @description How the key begins, to distinguish it from others. */
            prefix: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Exact to a minute.
             */
            last_used_at: string | null;
            /**
             * @description A viewer only reads.
             * @enum {string}
             */
            role: "operator" | "viewer";
            /**
             * Format: date-time
             * @description From then on it is refused; null is never.
             */
            expires_at: string | null;
            /** @description Keys that were revoked as well: made by it, or with keys that it made. */
            revoked_keys: number;
            /** @description Triggers that were deleted as well: it or these keys know the secret. */
            revoked_triggers: number;
            /** @description What was made, and what was made with that, as far as it stays: 1,000 at most. Not the member who asks, and nothing of theirs. */
            made: {
                /**
                 * @description A `signing_secret` is replaced by rolling it; a `deployment` is a current one, and the key that a URL is called with is replaced by deploying at another URL; an `agent` one whose configuration was changed, a `recovery` or a `run` one that has not ended.
                 * @enum {string}
                 */
                kind: "key" | "trigger" | "signing_secret" | "member" | "deployment" | "schedule" | "alert_channel" | "agent" | "recovery" | "run";
                /**
                 * Format: uuid
                 * @description What it is revoked, deleted, cancelled or aborted by; of a signing secret, its project.
                 */
                id: string;
                name: string;
                /**
                 * Format: uuid
                 * @description Null for a member.
                 */
                project_id: string | null;
                /**
                 * @description `changed` and `read`: somebody else made it. A member is changed by a role, or by a used link; what they made since that is listed too.
                 * @enum {string}
                 */
                how: "made" | "changed" | "read";
                /** @description It is a credential that its maker has: revoke it. */
                knows_secret: boolean;
            }[];
        };
        /** @description The run as it was when it had come to this end. */
        Run: {
            /**
             * Format: uuid
             * @description Also the group_id of a batch.
             */
            id: string;
            /**
             * Format: uuid
             * @description The project the run belongs to.
             */
            project_id: string;
            /**
             * Format: uuid
             * @description The agent that runs over the items.
             */
            agent_id: string;
            agent_slug: string;
            /** @description The version that runs; null until something is deployed. */
            deployment_version: number | null;
            name: string | null;
            /** @description Who or what started it; null where that is not known. */
            started_by: {
                /** @enum {string} */
                kind: "member" | "key" | "schedule" | "trigger";
                /**
                 * Format: uuid
                 * @description It may have been removed since. Null of runs from before it was kept.
                 */
                id: string | null;
                /** @description Of the time of the start: the e-mail of a member, the name of a key, schedule or trigger. */
                name: string;
            } | null;
            /** @description Words by which it is found again. */
            tags: string[];
            /**
             * @description Whether it ran.
             * @enum {string}
             */
            status: "materializing" | "queued" | "running" | "completed" | "partial" | "failed" | "cancelled" | "budget_exceeded";
            /**
             * @description Whether it worked: the worst verdict of its items so far.
             * @enum {string|null}
             */
            worst_outcome_status: "ok" | "degraded" | "failed" | null;
            /**
             * @description Why dispatch stopped before all its items were dispatched: the first reason, also if it was cancelled after that.
             * @enum {string|null}
             */
            stop_reason: "cancelled" | "budget_exceeded" | "consecutive_failures" | "pilot_failed" | null;
            /** @description While the run is in its pilot, how many of its items go first; null of any other. */
            pilot_items: number | null;
            /** @description Items in the batch at submission. */
            total_items: number;
            /** @description Items that wait to be dispatched. */
            queued: number;
            /** @description Items being worked on. */
            running: number;
            /** @description Items held for a decision, for a budget or for credit. */
            paused: number;
            /** @description Whether some of the paused items continue without a decision: when there is credit, a new day or month, or the price of a model. */
            waits_for_money: boolean;
            /** @description Something outside that serves nobody: until it does, its items that need it and its fresh ones wait. Null if it waits for none. */
            waits_for: {
                /**
                 * Format: uuid
                 * @description The upstream.
                 */
                upstream_id: string;
                /** @description An agent's URL without its query and without what may be a secret, or a provider's host. */
                host: string;
                /** @description The variable of the environment that has the credential. */
                label: string | null;
                /**
                 * @description What it lets through; only `open` lets all through.
                 * @enum {string}
                 */
                state: "open" | "cooling" | "away" | "out_of_credit" | "refused";
                /** @description Why, in the words of whoever refused. */
                reason: string;
                /**
                 * Format: date-time
                 * @description When it entered the state.
                 */
                since: string;
                /**
                 * Format: date-time
                 * @description When it is tried next, or more is let through.
                 */
                next_at: string | null;
            } | null;
            /** @description Items that returned: ok or degraded. */
            completed: number;
            /** @description Items that returned but did not work. */
            degraded_count: number;
            /** @description Items that raised or reached a budget. */
            failed: number;
            /** @description Of those that failed, items that reached a budget or were left when the run did. */
            budget_exceeded_count: number;
            /** @description Items cancelled. */
            cancelled: number;
            /** @description Items that did not work and wait for a decision in triage. */
            undecided_count: number;
            /** @description Items that did not end well and can be run again: those in triage and, of a run that was stopped, those that it did not get to and those that are held. A recovery with "status": "not_ok" runs all of them. */
            left_over_count: number;
            /** @description Items that did not end ok and that a replay of them, or of their replays, has made ok since. The other counts stay as the run ended. */
            recovered_count: number;
            /** @description Replays of its items, and of their replays, that have ended since; each is counted. */
            replay_count: number;
            /**
             * Format: uuid
             * @description The newest run that replays items of it; null if there is none.
             */
            replay_run_id: string | null;
            /** @description Money the run may spend; null is no bound. */
            budget_cents: number | null;
            /**
             * @description What is known of its model calls, without which no cost is known. recorded: this run, or the latest before it of the same version whose items returned, recorded some. not_recorded: its items returned, and none recorded one. not_reported: it answers plain JSON and has reported none yet. unknown: nothing has returned yet. none: it declares that it calls no model.
             * @enum {string}
             */
            model_calls: "recorded" | "not_recorded" | "not_reported" | "unknown" | "none";
            /** @description Whether its budget bounds what it spends, as far as is known by now: its own, its items' or that of a day or month. Null if it has none. */
            budget_enforced: boolean | null;
            /**
             * @description Why a budget is not enforced: no calls are recorded or reported, as model_calls says, or calls without a price were allowed and made.
             * @enum {string|null}
             */
            budget_gap: "not_recorded" | "not_reported" | "unpriced_calls" | null;
            /** @description Spend across items, in whole cents. */
            aggregate_cost_cents: number;
            /** @description The same spend in dollars; a lower bound while unpriced_item_count is not 0. */
            cost_usd: number;
            /** @description Items that called a model without a known price. */
            unpriced_item_count: number;
            /**
             * Format: date
             * @description The day of the list of prices that models have today; a cost once recorded stays.
             */
            prices_as_of: string;
            /** @description Answers of models that were to be graded. */
            model_call_count: number;
            /** @description Of those, answers that could not be read, so that nobody knows how good they are. */
            unread_call_count: number;
            /** @description Of those, answers that are ok and may be refusals: their steps have the reason suspected_refusal. */
            suspected_call_count: number;
            /** @description What shows over the run and in no single item, a second or so after its end; no verdict and no status depends on it. Null for a run that was not looked at. */
            failed_checks: {
                /** @enum {string} */
                check: "one_answer" | "length_jump" | "cost_jump";
                /** @description What was found, in words. */
                message: string;
                /** @description Of one_answer the share of items that have it; of a jump what is typical: bytes of an answer, dollars of an item. */
                value: number;
                /** @description Of a jump, the same in the run before. */
                before: number | null;
                /**
                 * Format: uuid
                 * @description Of a jump, the run that this one is held against.
                 */
                before_run_id: string | null;
                /**
                 * Format: uuid
                 * @description Of one_answer, one of the items.
                 */
                record_id: string | null;
            }[] | null;
            /** @description Input tokens across items. */
            total_input_tokens: number;
            /** @description Output tokens across items. */
            total_output_tokens: number;
            /** @description Items at work at once at most; null is no bound but those of the agent and the project. */
            concurrency: number | null;
            /** @description Time one item may take; null is what the agent declares. */
            timeout_seconds: number | null;
            /** @description How long it waits for upstreams; null is what the agent declares, else a day. */
            patience_seconds: number | null;
            callback_url: string | null;
            estimate?: components["schemas"]["Estimate"];
            /** @description The versions of the code that its items ended by, in the order in which they were first seen; of a run that is asked for alone, compared, or has ended in its stream. */
            code_versions?: components["schemas"]["CodeVersion"][];
            /**
             * Format: uuid
             * @description The run whose items this one replays.
             */
            replay_of: string | null;
            /** @description Of a replay, items that ended like their original without asking anything again: nothing was run. */
            unchanged_count: number;
            /** @description Items that were sent again because their request, or its process, ended early and another of its items may have done it; no retry of theirs was used. */
            resent_item_count: number;
            /** @description How often they were, each counted, up to 10000. A model call that was under way then may have been paid for; recorded calls are not made again. */
            resend_count: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            finished_at: string | null;
            /**
             * Format: date-time
             * @description When retention took the steps of its items.
             */
            steps_purged_at: string | null;
            /**
             * Format: date-time
             * @description When retention took the inputs and outputs of its items.
             */
            payloads_purged_at: string | null;
        };
        /** @description Two runs, item by item. */
        RunComparison: {
            before: components["schemas"]["Run"] & unknown;
            after: components["schemas"]["Run"] & unknown;
            /** @description Each pair of verdicts that occurs, as people corrected them; the most frequent first. */
            changes: {
                /**
                 * @description The verdict in the run before; held: it waits for a person or for money. none: it has no verdict. absent: the run has no such item.
                 * @enum {string}
                 */
                before: "ok" | "degraded" | "failed" | "held" | "none" | "absent";
                /**
                 * @description The verdict in this run.
                 * @enum {string}
                 */
                after: "ok" | "degraded" | "failed" | "held" | "none" | "absent";
                /** @description Items. */
                count: number;
                /** @description What they cost in the run before. */
                before_cost_usd: number;
                /** @description What they cost in this run. */
                after_cost_usd: number;
                /** @description Some of them, where the verdict differs, in the order of this run. */
                items: {
                    item_id: string;
                    /**
                     * Format: uuid
                     * @description Its record in the run before.
                     */
                    before_record_id: string | null;
                    /**
                     * Format: uuid
                     * @description Its record in this run.
                     */
                    after_record_id: string | null;
                    /** @description Why it did not work in the run before; null where nothing says why. */
                    before_reason: string | null;
                    /** @description Why it did not work in this run; null where nothing says why. */
                    after_reason: string | null;
                }[];
            }[];
            /** @description Items whose verdict people corrected: `changes` counts them as people say, `before` as recorded. */
            before_corrected_items: number;
            /** @description The same of this run. */
            after_corrected_items: number;
        };
        /** @description What became of a run, for people. */
        RunDigest: {
            /** @enum {string} */
            type: "run.digest";
            /**
             * Format: date-time
             * @description When the run ended.
             */
            timestamp: string;
            data: {
                /** @description What people call the run: its agent, and its schedule or its name. */
                name: string;
                /** @description Whether it ran, in words. */
                ran: string;
                /** @description Whether it worked, in words. */
                worked: string;
                /** @description What it cost of its budget, in words. */
                cost: string;
                /** @description With the run of the same schedule before, in words. */
                compared: string | null;
                /** @description Why items did not work, most first; three at most. Items that were held and went on, and those that people found to have worked, are not counted. */
                causes: {
                    cause: string;
                    items: number;
                }[];
                /** @description What checks over the run found, in words. */
                noticed: string[];
                /** @description Items whose verdict people corrected: the words count them as people say, `run` as recorded. */
                corrected_items: number;
                /** @description The same of the run before. */
                previous_corrected_items: number;
                /** @description How long, and for what, it waited for something outside that served nobody; null if it did not. */
                waited: string | null;
                /** @description What items of its project wait for outside as this is written, in words; three at most. */
                waits: string[];
                /** @description How many items did not end well and can be run again, in words; null if none. */
                left: string | null;
                /** @description The command that runs all of these again; null if there are none. */
                command: string | null;
                links: {
                    /**
                     * Format: uri
                     * @description The page of the run.
                     */
                    run: string;
                    /**
                     * Format: uri
                     * @description The page of its results.
                     */
                    results: string;
                    /**
                     * Format: uri
                     * @description Where a program reads its results.
                     */
                    results_api: string;
                };
                /** @description What started the run; null where no schedule did. */
                schedule: {
                    /**
                     * Format: uuid
                     * @description The schedule.
                     */
                    id: string;
                    cron: string;
                    timezone: string;
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC.
                     */
                    scheduled_for: string;
                } | null;
                run: components["schemas"]["Run"] & unknown;
                previous: components["schemas"]["Run"] & (Record<string, never> | null);
            };
        };
        /** @description How long a run would take that has not started. */
        RunEstimate: {
            agent_slug: string;
            /** @description The version that would run; null if none is deployed. */
            deployment_version: number | null;
            items: number;
            estimate: components["schemas"]["Estimate"] & unknown;
        };
        /** @description What did not work in a run, by what went wrong and for whom. */
        RunFailures: {
            /** @description Items that did not work, or were held, and are counted here. */
            looked_at: number;
            /** @description False where there are more than 20000: then only the first of them are counted. */
            is_complete: boolean;
            /** @description By reason and error code, the most frequent first. */
            reasons: {
                /**
                 * @description dlq: it did not work. quarantine: it is or was held.
                 * @enum {string}
                 */
                kind: "dlq" | "quarantine";
                /** @description Why, as a token. */
                reason: string;
                error_code: string | null;
                /** @description Items. */
                count: number;
                /** @description Of those, items that wait for a decision. */
                waiting: number;
                /** @description What one of them says. */
                message: string | null;
                /**
                 * Format: uuid
                 * @description Record id of that one.
                 */
                record_id: string;
            }[];
            /** @description Reasons and error codes in all, those listed included. */
            reason_count: number;
            /** @description Failed items that share an error code and a prompt, if more than one does. */
            clusters: {
                cluster_key: string;
                error_code: string;
                /** @description First 200 characters of the canonicalized input prompt. */
                sample_prompt: string;
                /** @description Items. */
                count: number;
                /** @description Of those, items that wait for a decision. */
                waiting: number;
            }[];
            /** @description Such clusters in all. */
            cluster_count: number;
            /** @description Partitions with most of them. */
            partitions: {
                partition_key: string;
                /** @description Items that failed. */
                failed: number;
                /** @description Items that are degraded. */
                degraded: number;
                /** @description Items that are or were held. */
                held: number;
                /** @description Of those, items that wait for a decision. */
                waiting: number;
            }[];
            /** @description Partitions with items counted here. */
            partition_count: number;
            /** @description Model calls whose answer was not read, by what was found, the most frequent first. Empty also where the first 20000 items of the run have none. */
            unread: {
                /** @description What was found in place of an answer that is known. */
                found: string;
                /** @description Calls of the first 200 items that have such a call, among the first 20000 of the run. */
                calls: number;
                /**
                 * Format: uuid
                 * @description Record id of an item that made one.
                 */
                record_id: string;
            }[];
            /** @description Model calls that were read and whose cost is not known, by their model. Empty also where the first 20000 items of the run have none. */
            unpriced: {
                /** @description Null where the call names none. */
                model: string | null;
                /** @description Calls of the first 200 items that have such a call, among the first 20000 of the run. */
                calls: number;
                /**
                 * Format: uuid
                 * @description Record id of an item that made one.
                 */
                record_id: string;
            }[];
        };
        /** @description A run has come to an end. */
        RunFinished: {
            /** @enum {string} */
            type: "run.finished";
            /**
             * Format: date-time
             * @description When the run came to this end.
             */
            timestamp: string;
            data: {
                /**
                 * @description Which end this is. ended: its items are through. decided: it had ended partial, and all that did not work was replayed or dismissed since. reopened: such a decision was taken back.
                 * @enum {string}
                 */
                transition: "ended" | "decided" | "reopened";
                run: components["schemas"]["Run"];
                item: components["schemas"]["FinishedItem"];
                /**
                 * Format: uri
                 * @description Where its items can be read.
                 */
                items_url: string;
                /**
                 * Format: uri
                 * @description Where its results can be read, its replays taken in: each item once.
                 */
                results_url: string;
            };
        };
        /** @description An item in the list of its run. */
        RunItem: {
            /**
             * Format: uuid
             * @description The item's record id: what {itemId} in paths stands for.
             */
            id: string;
            /**
             * Format: uuid
             * @description The run the item belongs to.
             */
            run_id: string;
            /** @description Your own identifier; the record id when you gave none. */
            item_id: string;
            partition_key: string | null;
            /** @description Its place in the submission, from 1. */
            line: number;
            /**
             * @description Whether it ran.
             * @enum {string}
             */
            status: "queued" | "running" | "paused" | "completed" | "failed" | "cancelled" | "budget_exceeded";
            /** @description Why it is not ok, as a token. */
            outcome_reason: string | null;
            /** @description Why it is degraded, in words. */
            degraded_reason: string | null;
            error_code: string | null;
            error_message: string | null;
            /** @description The version of the code that ended it or, of a held item, that holds it, as its answer named it; null if it named none, and beyond the first 100 of a deployment. */
            code_version: string | null;
            /** @description How often it was offered to the agent. */
            attempt: number;
            /** @description Steps recorded. */
            step_count: number;
            /** @description In whole cents. */
            total_cost_cents: number;
            cost_usd: number;
            /** @description It called a model without a known price: its cost is a lower bound. */
            unpriced: boolean;
            /** @description Answers of models that were to be graded. */
            model_call_count: number;
            /** @description Of those, answers that could not be read, so that nobody knows how good they are. */
            unread_call_count: number;
            /** @description Of those, answers that are ok and may be refusals: their steps have the reason suspected_refusal. */
            suspected_call_count: number;
            /** @description Input tokens of its steps. */
            total_input_tokens: number;
            /** @description Output tokens of its steps. */
            total_output_tokens: number;
            /**
             * Format: uuid
             * @description Record id of the item this one replays.
             */
            replayed_from: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            completed_at: string | null;
            /**
             * Format: date-time
             * @description When retention took its input and output; both are null from then on.
             */
            payloads_purged_at: string | null;
            /**
             * @description Whether it worked; null while there is no verdict.
             * @enum {string|null}
             */
            worst_outcome_status: "ok" | "degraded" | "failed" | null;
            input: components["schemas"]["Json"] & unknown;
            output: components["schemas"]["Json"];
            /**
             * Format: uuid
             * @description Of an item that did not work, the record id of its newest replay, or replay of a replay, that did; both as people corrected the verdicts.
             */
            mended_by: string | null;
            /**
             * @description Whether it worked as people say, where that is not what was recorded; else null.
             * @enum {string|null}
             */
            corrected_outcome_status: "ok" | "degraded" | "failed" | null;
        };
        /**
         * @description One item for an agent.
         * @example {
         *       "input": {
         *         "ticket_id": "T-4711",
         *         "tenant": "acme",
         *         "text": "Where is my order?"
         *       },
         *       "item_id": "T-4711",
         *       "partition_key": "acme"
         *     }
         */
        RunOrder: {
            /**
             * Format: uuid
             * @description The agent of the path; may be left out.
             */
            agent_id?: string;
            /** @description Any JSON; it is kept byte for byte. */
            input: unknown;
            /** @description Your own identifier of the item; at most 256 bytes of UTF-8. */
            item_id?: string;
            /** @description For example a tenant; at most 256 bytes of UTF-8. */
            partition_key?: string;
            /** @description Money the run may spend, in cents. */
            budget_cents?: number;
            /** @description Time one item may take. */
            timeout_seconds?: number;
            /** @description How long a run waits, added up, for upstreams that serve nobody; what is left then fails with upstream_unavailable. By default what the agent declares, else a day. */
            patience_seconds?: number;
            /**
             * Format: uri
             * @description Gets a signed summary when the run ends.
             */
            callback_url?: string;
            /** @description The same key with the same body starts nothing more for 24 hours: the answer names the first run, as a duplicate. */
            idempotency_key?: string;
            /** @description Under a budget: go on with models that have no price, which the budget then does not count. Otherwise they are refused where they are known, and calls of them pause their items. */
            allow_unpriced?: boolean;
            /** @description Words by which runs are found again, such as a customer or a ticket. */
            tags?: string[];
        };
        /** @description A list with its filters, by a name. */
        SavedView: {
            /**
             * Format: uuid
             * @description The id to delete it by.
             */
            id: string;
            /**
             * @description The list that it shows.
             * @enum {string}
             */
            list: "runs" | "triage" | "search";
            name: string;
            query: string;
            /** @description Everybody in the project sees it; else you alone. */
            shared: boolean;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
        };
        /** @description A recurring start of an agent. */
        Schedule: {
            /**
             * Format: uuid
             * @description What {scheduleId} in paths stands for.
             */
            id: string;
            /**
             * Format: uuid
             * @description The project of its agent.
             */
            project_id: string;
            /**
             * Format: uuid
             * @description The agent it starts.
             */
            agent_id: string;
            agent_slug: string;
            /** @description What people call it; its runs are called so too. */
            name: string | null;
            /** @description Five fields: minute, hour, day of the month, month, day of the week. Read on the wall clock of the zone. */
            cron: string;
            /** @description A name of the IANA database. */
            timezone: string;
            enabled: boolean;
            /**
             * @description operator: a person disabled it. Otherwise what cannot be read. Null while it is enabled.
             * @enum {string|null}
             */
            disabled_reason: "operator" | "invalid_cron" | "invalid_timezone" | null;
            /** @description Declared in the agent's code: deploys change and remove it. */
            declared: boolean;
            input: components["schemas"]["Json"] & unknown;
            /** @description Where its items come from; null: one item, its input. */
            source: components["schemas"]["Source"] | null;
            /** @description Money each run may spend; null is no bound. */
            budget_cents: number | null;
            /** @description Its runs go on with models that have no price, which a budget then does not count. */
            allow_unpriced: boolean;
            /** @description So many items of each run go first; null is all at once. */
            pilot_items: number | null;
            /** @description Items of each run at work at once at most; null is no bound of its own. */
            concurrency: number | null;
            /** @description Time an item may take; null is what the agent declares. */
            timeout_seconds: number | null;
            /** @description How long each run waits for upstreams; null is what the agent declares. */
            patience_seconds: number | null;
            /** @description What may be a secret in it is masked. */
            callback_url: string | null;
            /** @description What each of its runs is tagged with when it starts. */
            tags: string[];
            /** @description Who gets the results of each run as a file when it has ended; nobody by default. */
            results: {
                /**
                 * Format: uri
                 * @description Gets the results of each run as a file when it has ended, signed like a callback.
                 */
                url: string;
                /**
                 * @description csv by default. `csv` by default.
                 * @enum {string}
                 */
                format?: "json" | "ndjson" | "csv";
            } | null;
            /** @description Limits of what its runs need outside: while one of them is at work, they stand in place of the project's for these upstreams, for the items of all runs, and may be higher. */
            limits: components["schemas"]["NamedLimits"][] | null;
            /** @description The next 5 moments; empty while it is disabled. */
            next_fires: string[];
            /**
             * Format: date-time
             * @description When it last submitted a run, by itself or by hand.
             */
            last_run_at: string | null;
            /** @description What became of its latest moment. */
            last_event: components["schemas"]["ScheduleEvent"] | null;
            ending?: components["schemas"]["ScheduleEnding"];
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            updated_at: string;
        };
        /**
         * @description What is to be different; what is absent stays.
         * @example {
         *       "cron": "0 3 * * *",
         *       "budget_cents": 700
         *     }
         */
        ScheduleChanges: {
            /** @description Five fields: minute, hour, day of the month, month, day of the week. Read on the wall clock of the zone. */
            cron?: string;
            /** @description A name of the IANA database. */
            timezone?: string;
            /** @description What people call it, and its runs. */
            name?: string | null;
            source?: components["schemas"]["SourceOrder"];
            /** @description Any JSON; it is kept byte for byte. Null when absent. */
            input?: unknown;
            /** @description Money the run may spend, in cents. */
            budget_cents?: number | null;
            /** @description Under a budget: go on with models that have no price, which the budget then does not count. Otherwise they are refused where they are known, and calls of them pause their items. */
            allow_unpriced?: boolean;
            /** @description So many items of a run go first; the others follow when these have ended and one of them was ok, else the run is stopped (pilot_failed). */
            pilot_items?: number | null;
            /** @description Items at work at once at most; what the agent declares and the project's cap hold as well. */
            concurrency?: number | null;
            /** @description Time one item may take. */
            timeout_seconds?: number | null;
            /** @description How long a run waits, added up, for upstreams that serve nobody; what is left then fails with upstream_unavailable. By default what the agent declares, else a day. */
            patience_seconds?: number | null;
            /**
             * Format: uri
             * @description Gets a signed summary when a run ends.
             */
            callback_url?: string | null;
            /** @description Words by which runs are found again, such as a customer or a ticket. */
            tags?: string[];
            /** @description Who gets the results of each run as a file when it has ended; nobody by default. */
            results?: {
                /**
                 * Format: uri
                 * @description Gets the results of each run as a file when it has ended, signed like a callback.
                 */
                url: string;
                /**
                 * @description csv by default. `csv` by default.
                 * @enum {string}
                 */
                format?: "json" | "ndjson" | "csv";
            } | null;
            /** @description Limits of what its runs need outside: while one of them is at work, they stand in place of the project's for these upstreams, for the items of all runs, and may be higher. Signed-in owners set it; null or an empty list for none. */
            limits?: components["schemas"]["NamedLimits"][] | null;
        };
        /** @description When its open run ends, else its next one; of a schedule that is asked for alone, and has had a run or starts one item. */
        ScheduleEnding: {
            /**
             * Format: uuid
             * @description The open run; null if it is to start.
             */
            run_id: string | null;
            /**
             * Format: date-time
             * @description When it starts; null of an open run.
             */
            starts_at: string | null;
            /** @description Of one that is to start as many as the latest run had. */
            items: number;
            /**
             * Format: date-time
             * @description By when it has to end, if the schedule has a deadline.
             */
            deadline_at: string | null;
            estimate: components["schemas"]["Estimate"] & unknown;
        };
        /** @description What became of a moment that a schedule named. */
        ScheduleEvent: {
            /**
             * Format: uuid
             * @description The schedule.
             */
            schedule_id: string;
            /**
             * Format: date-time
             * @description The moment its cron named; of a start by hand, when it was asked for.
             */
            scheduled_for: string;
            /**
             * Format: date-time
             * @description When the service acted.
             */
            occurred_at: string;
            /**
             * @description fired: a run was submitted. skipped: the service decided not to. error: something broke on its side. missed: nothing was attempted.
             * @enum {string}
             */
            outcome: "fired" | "skipped" | "error" | "missed";
            /**
             * @description Why, as a fixed token.
             * @enum {string|null}
             */
            reason: "invalid_cron" | "invalid_timezone" | "agent_not_found" | "no_deployed_version" | "plan_limit" | "agent_lookup_failed" | "account_lookup_failed" | "dispatch_failed" | "source_failed" | "source_empty" | "overdue" | "run_never_started" | "manual" | null;
            /** @description What was wrong with its source, of source_failed alone. */
            detail: components["schemas"]["SourceProblem"] | null;
            /**
             * Format: uuid
             * @description The run, where one was submitted.
             */
            run_id: string | null;
            /** @description The run as it stands, null where there is none; left out of events of a whole project. */
            run?: {
                /**
                 * @description Whether it ran.
                 * @enum {string}
                 */
                status: "materializing" | "queued" | "running" | "completed" | "partial" | "failed" | "cancelled" | "budget_exceeded";
                /**
                 * @description Whether it worked: the worst verdict of its items so far.
                 * @enum {string|null}
                 */
                worst_outcome_status: "ok" | "degraded" | "failed" | null;
                /** @description Items in the batch at submission. */
                total_items: number;
                /** @description Items that returned: ok or degraded. */
                completed: number;
                /** @description Items that returned but did not work. */
                degraded_count: number;
                /** @description Items that raised or reached a budget. */
                failed: number;
                /** @description Of those that failed, items that reached a budget or were left when the run did. */
                budget_exceeded_count: number;
                /**
                 * @description Why dispatch stopped before all its items were dispatched: the first reason, also if it was cancelled after that.
                 * @enum {string|null}
                 */
                stop_reason: "cancelled" | "budget_exceeded" | "consecutive_failures" | "pilot_failed" | null;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC.
                 */
                finished_at: string | null;
                /** @description The same spend in dollars; a lower bound while unpriced_item_count is not 0. */
                cost_usd: number;
            } | null;
            /** @description How often a start was attempted. */
            tries: number;
            /**
             * Format: date-time
             * @description When it is tried again; null once it is decided.
             */
            retry_at: string | null;
        };
        /**
         * @description A recurring start of an agent.
         * @example {
         *       "agent_id": "019c2b1e-7a40-7c3d-9f21-5be000000000",
         *       "name": "Nightly tickets",
         *       "cron": "0 2 * * *",
         *       "timezone": "Europe/Berlin",
         *       "budget_cents": 500,
         *       "source": {
         *         "url": "https://example.com/export?day={date}",
         *         "format": "ndjson",
         *         "item_id": "ticket_id"
         *       }
         *     }
         */
        ScheduleOrder: {
            /**
             * Format: uuid
             * @description The agent to start.
             */
            agent_id: string;
            /** @description Five fields: minute, hour, day of the month, month, day of the week. Read on the wall clock of the zone. */
            cron: string;
            /** @description A name of the IANA database. `UTC` by default. */
            timezone?: string;
            /** @description `true` by default. */
            enabled?: boolean;
            /** @description What people call it, and its runs. */
            name?: string | null;
            source?: components["schemas"]["SourceOrder"];
            /** @description Any JSON; it is kept byte for byte. Null when absent. */
            input?: unknown;
            /** @description Money the run may spend, in cents. */
            budget_cents?: number | null;
            /** @description Under a budget: go on with models that have no price, which the budget then does not count. Otherwise they are refused where they are known, and calls of them pause their items. */
            allow_unpriced?: boolean;
            /** @description So many items of a run go first; the others follow when these have ended and one of them was ok, else the run is stopped (pilot_failed). */
            pilot_items?: number | null;
            /** @description Items at work at once at most; what the agent declares and the project's cap hold as well. */
            concurrency?: number | null;
            /** @description Time one item may take. */
            timeout_seconds?: number | null;
            /** @description How long a run waits, added up, for upstreams that serve nobody; what is left then fails with upstream_unavailable. By default what the agent declares, else a day. */
            patience_seconds?: number | null;
            /**
             * Format: uri
             * @description Gets a signed summary when a run ends.
             */
            callback_url?: string | null;
            /** @description Words by which runs are found again, such as a customer or a ticket. */
            tags?: string[];
            /** @description Who gets the results of each run as a file when it has ended; nobody by default. */
            results?: {
                /**
                 * Format: uri
                 * @description Gets the results of each run as a file when it has ended, signed like a callback.
                 */
                url: string;
                /**
                 * @description csv by default. `csv` by default.
                 * @enum {string}
                 */
                format?: "json" | "ndjson" | "csv";
            } | null;
            /** @description Limits of what its runs need outside: while one of them is at work, they stand in place of the project's for these upstreams, for the items of all runs, and may be higher. Signed-in owners set it; null or an empty list for none. */
            limits?: components["schemas"]["NamedLimits"][] | null;
        };
        /** @description When an expression would fire. */
        SchedulePreview: {
            /** @description Five fields: minute, hour, day of the month, month, day of the week. Read on the wall clock of the zone. */
            cron: string;
            /** @description A name of the IANA database. */
            timezone: string;
            /** @description The next 5 moments, with up to 5 that are skipped among them. */
            moments: {
                /**
                 * @description What the clock shows.
                 * @example 2026-03-29T02:30
                 */
                wall_clock: string;
                /**
                 * Format: date-time
                 * @description When that is; null for a time that does not exist.
                 */
                at: string | null;
                /**
                 * @description skipped: the clock jumps over it, nothing fires. repeated: the clock shows it twice, it fires the first time.
                 * @enum {string|null}
                 */
                note: "skipped" | "repeated" | null;
            }[];
        };
        /** @description A version of the code of an agent, over its latest 1000 runs. */
        SeenCodeVersion: components["schemas"]["CodeVersion"] & {
            /**
             * Format: date-time
             * @description When an answer, or a deploy, first named it.
             */
            first_seen_at: string;
        };
        /** @description The tokens of a signed-in member. */
        Session: {
            /**
             * Format: uuid
             * @description The session.
             */
            session_id: string;
            /** @enum {string} */
            token_type: "Bearer";
            /** @description A JWT for the Authorization header. */
            access_token: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            access_expires_at: string;
            /** @description Trades once for the next pair of tokens. */
            refresh_token: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            refresh_expires_at: string;
        };
        /** @description A credential with which several projects call one host. */
        SharedCredential: {
            /** @description The provider's host. */
            host: string;
            /** @description Of at least two projects. */
            used_by: {
                /**
                 * Format: uuid
                 * @description A project that calls with it.
                 */
                project_id: string;
                /** @description The variable that has it there. */
                label: string;
            }[];
        };
        /** @description What receivers check the origin of a message with. */
        SigningSecret: {
            /** @description Signs every message of the project. Standard Webhooks libraries take it as it is. */
            secret: string;
            /**
             * Format: date-time
             * @description Since when it signs; null for the first.
             */
            rolled_at: string | null;
            /** @description The secret before, while it signs as well. */
            previous: {
                secret: string;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC.
                 */
                valid_until: string;
            } | null;
        };
        /** @description Where the items of each start come from. */
        Source: {
            /** @description What may be a secret in it is masked; null where a generator makes the items. */
            url: string | null;
            /** @enum {string|null} */
            format: "ndjson" | "csv" | "json" | null;
            /** @description The generator of the agent; null where they are read from a URL. */
            generator: string | null;
            item_id: string | null;
            partition_key: string | null;
            /** @description The headers it is asked with; their values are not shown. */
            header_names: string[];
        };
        /**
         * @description Where the items of each start come from, a URL or a generator of the agent: a row is an item, the whole row its input.
         * @example {
         *       "url": "https://example.com/export?day={date}",
         *       "format": "ndjson",
         *       "item_id": "ticket_id",
         *       "headers": {
         *         "authorization": "Bearer token"
         *       }
         *     }
         */
        SourceOrder: {
            /**
             * Format: uri-template
             * @description Read with a GET at each start. {date} and {scheduled_for} stand for the day and the time of the start, on the clock of the zone.
             */
            url?: string;
            /**
             * @description Of a URL. ndjson: a JSON value a line. csv: names in the first line. json: one array of values. Left out it is what the end of the path says, or else ndjson, unless the body is one JSON array.
             * @enum {string}
             */
            format?: "ndjson" | "csv" | "json";
            /**
             * @description Instead of a URL: a generator of the agent, which is called at each start.
             * @example tickets
             */
            generator?: string;
            /** @description The field of a row that is its item_id; without it the service gives ids. */
            item_id?: string | null;
            /** @description The field of a row that is its partition_key. */
            partition_key?: string | null;
            /** @description Sent along to a URL, and never shown again. In a change, headers that are left out stay while the URL keeps its host and its path. */
            headers?: {
                [key: string]: string;
            };
        } | null;
        /** @description What a source holds; nothing was started. */
        SourcePreview: {
            /** @description Items in all. */
            count: number;
            /** @description The first 5. */
            items: {
                /** @description Null where the service gives it one. */
                item_id: string | null;
                partition_key: string | null;
                input?: unknown;
            }[];
        };
        /**
         * @description A schedule, or an agent with a source that no schedule has yet.
         * @example {
         *       "agent_id": "019c2b1e-7a40-7c3d-9f21-5be000000000",
         *       "source": {
         *         "url": "https://example.com/export?day={date}",
         *         "format": "ndjson"
         *       }
         *     }
         */
        SourcePreviewOrder: {
            /**
             * Format: uuid
             * @description The schedule whose source is read.
             */
            schedule_id?: string;
            /**
             * Format: uuid
             * @description The agent that a source is tried for.
             */
            agent_id?: string;
            source?: components["schemas"]["SourceOrder"];
            /** @description A name of the IANA database. `UTC` by default. */
            timezone?: string;
        };
        /** @description What was wrong with a source. */
        SourceProblem: {
            /** @description The line of the source; null where it is not about one. */
            line: number | null;
            text: string;
        };
        StartedRun: {
            /**
             * Format: uuid
             * @description The run that was started.
             */
            run_id: string;
            /** @description True when an earlier request with the same idempotency key started this run: this one started none. */
            duplicate: boolean;
            /**
             * @description Of the run: queued, or of a duplicate what it is by now.
             * @enum {string}
             */
            status: "materializing" | "queued" | "running" | "completed" | "partial" | "failed" | "cancelled" | "budget_exceeded";
            /**
             * Format: uuid
             * @description Record id of its first item.
             */
            record_id: string;
        };
        /** @description A node of an item's trace. */
        Step: {
            /**
             * Format: uuid
             * @description The run of its item.
             */
            run_id: string;
            /**
             * Format: uuid
             * @description Record id of its item.
             */
            record_id: string;
            /** @description Your own identifier of its item. */
            item_id: string;
            /**
             * @description Whether its item worked, which may differ from the step; null while that has no verdict.
             * @enum {string|null}
             */
            item_outcome_status: "ok" | "degraded" | "failed" | null;
            /** @description Its place in the trace of its item. */
            step_no: number;
            /** @description The attempt it was recorded in. */
            attempt: number;
            /** @description Its name within the item, the same in every attempt. */
            key: string;
            /** @enum {string} */
            type: "llm_call" | "tool_call" | "tool_result" | "step";
            /** @description The model's or the tool's name, or the step's. */
            name: string;
            /** @description The name, where the step is a tool call or its result. */
            tool_name: string | null;
            model: string | null;
            /** @enum {string} */
            outcome_status: "ok" | "degraded" | "failed";
            outcome_reason: string | null;
            error_code: string | null;
            error_message: string | null;
            /** @description Input tokens. */
            input_tokens: number;
            /** @description Output tokens. */
            output_tokens: number;
            /** @description In whole cents. */
            cost_cents: number;
            cost_usd: number;
            /** @description The cost is the provider's own bill, as its answer has it. */
            billed: boolean;
            /** @description Of a billed call: what it costs by its price. Null without a price, and of other calls. */
            listed_cost_usd: number | null;
            unpriced: boolean;
            /** @description Of a model call whose answer could not be read, so that it is not graded: what was found. */
            unread: string | null;
            /** @description Taken over from an earlier item, at no cost. */
            reused: boolean;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            started_at: string;
            duration_ms: number;
            input: components["schemas"]["Json"] & unknown;
            output: components["schemas"]["Json"] & unknown;
            /** @description The first hit of q; null without q. */
            snippet: {
                /**
                 * @description Where q was met.
                 * @enum {string}
                 */
                field: "error_message" | "name" | "error_code" | "input" | "output";
                /** @description The text around it on one line, of the message that has it if one does; the hit stands between « and ». */
                text: string;
            } | null;
        };
        StepErrors: {
            /** @description Steps that did not work, in all categories. */
            total_steps: number;
            categories: {
                /** @enum {string} */
                outcome: "ok" | "degraded" | "failed";
                /** @description Null where a step returned, but did not work. */
                error_code: string | null;
                /** @description Null where the step is no tool call. */
                tool_name: string | null;
                outcome_reason: string | null;
                /** @description Steps of this kind. */
                steps: number;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC.
                 */
                last_at: string;
            }[];
        };
        StepPage: {
            steps: components["schemas"]["Step"][];
            next_cursor: string | null;
            /** @description With count: how many steps pass the filters, up to 1000. */
            total?: number;
            /** @description With count: whether there are more than total. */
            more_than_total?: boolean;
        };
        SubmittedBatch: {
            /**
             * Format: uuid
             * @description The run's id, by its frozen name.
             */
            group_id: string;
            /**
             * Format: uuid
             * @description The run that was started.
             */
            run_id: string;
            /** @description True when an earlier request with the same idempotency key started this run: this one started none. */
            duplicate: boolean;
            /**
             * @description Of the run: queued, or of a duplicate what it is by now.
             * @enum {string}
             */
            status: "materializing" | "queued" | "running" | "completed" | "partial" | "failed" | "cancelled" | "budget_exceeded";
            /** @description Items accepted. */
            total_items: number;
        };
        TriagePage: {
            rows: components["schemas"]["TriageRow"][];
            /** @description Where the next page begins; null on the last one. */
            next_cursor: string | null;
            /** @description All that pass the filters, counted up to 10000; with count alone. */
            total?: number;
        };
        /** @description An item that waits for a decision. */
        TriageRow: {
            /**
             * Format: uuid
             * @description Record id of the item: what {itemId} in paths stands for.
             */
            record_id: string;
            /**
             * Format: uuid
             * @description The run of the item.
             */
            run_id: string;
            run_name: string | null;
            /** @description Your own identifier of the item. */
            item_id: string;
            /**
             * Format: uuid
             * @description The project of its run.
             */
            project_id: string;
            /**
             * Format: uuid
             * @description The agent of its run.
             */
            agent_id: string;
            agent_slug: string;
            partition_key: string | null;
            /**
             * @description dlq: it did not work. quarantine: it is held. review: it worked as recorded, and somebody says or asks whether it did.
             * @enum {string}
             */
            kind: "dlq" | "quarantine" | "review";
            /** @description Why, as a token: the outcome reason, or hold; of a review suspected_refusal (is it a refusal?) or called_wrong. */
            reason: string;
            /** @description Of a review, what is asked about it: confirm it or call it wrong. Null where nothing is asked. */
            question: string | null;
            error_code: string | null;
            /** @description The error or the reason in words, shortened to 200 characters; one that goes on ends in an ellipsis. */
            message: string | null;
            /** @description Its input as JSON, shortened to 200 characters; one that goes on ends in an ellipsis. Null where it is kept no longer. */
            input_start: string | null;
            /** @description The failure cluster it belongs to; null unless it failed. */
            cluster_key: string | null;
            /** @description The cause it has; null until the tick has named that of an item that was never dispatched, and of a review. */
            cause_id: string | null;
            /**
             * @description Whether it ran.
             * @enum {string}
             */
            status: "queued" | "running" | "paused" | "completed" | "failed" | "cancelled" | "budget_exceeded";
            /**
             * @description Whether it worked; null while it is held.
             * @enum {string|null}
             */
            outcome_status: "ok" | "degraded" | "failed" | null;
            /** @description What it has cost: about what it costs again, without the steps a replay reuses. */
            cost_usd: number;
            /** @description It called a model without a known price: its cost is a lower bound. */
            unpriced: boolean;
            /** @description What the item accepts now. */
            available_actions: ("replay" | "resume" | "acknowledge" | "dismiss" | "wrong" | "confirm")[];
            /**
             * Format: date-time
             * @description When it came into the feed.
             */
            created_at: string;
        };
        /** @description An inbound HTTP start of an agent, without its secret. */
        Trigger: {
            /**
             * Format: uuid
             * @description What {triggerId} in paths stands for.
             */
            id: string;
            /**
             * Format: uuid
             * @description The project of its agent.
             */
            project_id: string;
            /**
             * Format: uuid
             * @description The agent it starts.
             */
            agent_id: string;
            agent_slug: string;
            /** @description Unique within its agent. */
            name: string;
            /**
             * Format: uri
             * @description Where a POST starts a run; it changes with the name alone.
             */
            url: string;
            /**
             * @description How a fire proves who sent it.
             * @enum {string}
             */
            scheme: "bearer" | "standard_webhooks" | "github" | "stripe" | "slack" | "shopify";
            /** @description The sender's environment variable that holds the secret. */
            secret_env: string | null;
            /** @description False until the sender's signing secret was given: fires are refused. */
            ready: boolean;
            /** @description The body of a fire is the items of its run. */
            items: boolean;
            /** @description The field of such an item that is its item_id. */
            item_id: string | null;
            partition_key: string | null;
            /** @description What is read at each fire instead of its body. */
            source: components["schemas"]["Source"] | null;
            /** @description Money each run may spend; null is no bound. */
            budget_cents: number | null;
            /** @description Its runs go on with models that have no price, which a budget then does not count. */
            allow_unpriced: boolean;
            /** @description So many items of each run go first; null is all at once. */
            pilot_items: number | null;
            /** @description Items of each run at work at once at most; null is no bound of its own. */
            concurrency: number | null;
            /** @description Time an item may take; null is what the agent declares. */
            timeout_seconds: number | null;
            /** @description How long each run waits for upstreams; null is what the agent declares. */
            patience_seconds: number | null;
            /** @description What may be a secret in it is masked. */
            callback_url: string | null;
            /** @description What each of its runs is tagged with when it starts. */
            tags: string[];
            /** @description Declared in the code of its agent: a deploy changes it back. */
            declared: boolean;
            /**
             * Format: date-time
             * @description RFC 3339, UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last started a run, exact to a second.
             */
            last_fired_at: string | null;
        };
        /**
         * @description What is to be different; what is absent stays.
         * @example {
         *       "budget_cents": 500,
         *       "tags": [
         *         "tickets"
         *       ]
         *     }
         */
        TriggerChanges: {
            /**
             * @description Unique within its agent.
             * @example new-ticket
             */
            name?: string;
            /**
             * @description The sender's environment variable that holds the secret.
             * @example ASSAY_TRIGGER_SECRET
             */
            secret_env?: string | null;
            /**
             * @description The sender's own secret, where the sender makes it.
             * @example whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH
             */
            signing_secret?: string;
            /** @description Money the run may spend, in cents. */
            budget_cents?: number | null;
            /** @description Under a budget: go on with models that have no price, which the budget then does not count. Otherwise they are refused where they are known, and calls of them pause their items. */
            allow_unpriced?: boolean;
            /** @description So many items of a run go first; the others follow when these have ended and one of them was ok, else the run is stopped (pilot_failed). */
            pilot_items?: number | null;
            /** @description Items at work at once at most; what the agent declares and the project's cap hold as well. */
            concurrency?: number | null;
            /** @description Time one item may take. */
            timeout_seconds?: number | null;
            /** @description How long a run waits, added up, for upstreams that serve nobody; what is left then fails with upstream_unavailable. By default what the agent declares, else a day. */
            patience_seconds?: number | null;
            /**
             * Format: uri
             * @description Gets a signed summary when a run ends.
             */
            callback_url?: string | null;
            /** @description Words by which runs are found again, such as a customer or a ticket. */
            tags?: string[];
            /** @description True: the body of a fire is the items of its run, a JSON array or NDJSON, each value the input of one. For any other trigger an array is one input. */
            items?: boolean;
            /** @description With items: the field of a value that is its item_id; without it the service gives ids. */
            item_id?: string | null;
            /** @description With items: the field of a value that is its partition_key. */
            partition_key?: string | null;
            /**
             * @description Read at each fire, instead of its body; the answer comes when all items are committed.
             * @example {
             *       "url": "https://example.com/export?day={date}",
             *       "format": "ndjson",
             *       "item_id": "ticket_id",
             *       "headers": {
             *         "authorization": "Bearer token"
             *       }
             *     }
             */
            source?: {
                /**
                 * Format: uri-template
                 * @description Read with a GET at each start. {date} and {scheduled_for} stand for the day and the time of the start, on the clock of the zone.
                 */
                url?: string;
                /**
                 * @description Of a URL. ndjson: a JSON value a line. csv: names in the first line. json: one array of values. Left out it is what the end of the path says, or else ndjson, unless the body is one JSON array.
                 * @enum {string}
                 */
                format?: "ndjson" | "csv" | "json";
                /**
                 * @description Instead of a URL: a generator of the agent, which is called at each start.
                 * @example tickets
                 */
                generator?: string;
                /** @description The field of a row that is its item_id; without it the service gives ids. */
                item_id?: string | null;
                /** @description The field of a row that is its partition_key. */
                partition_key?: string | null;
                /** @description Sent along to a URL, and never shown again. In a change, headers that are left out stay while the URL keeps its host and its path. */
                headers?: {
                    [key: string]: string;
                };
            } | null;
        };
        /**
         * @description A trigger for an agent.
         * @example {
         *       "agent_id": "019c2b1e-7a40-7c3d-9f21-5be000000000",
         *       "name": "new-ticket"
         *     }
         */
        TriggerOrder: {
            /**
             * Format: uuid
             * @description The agent it starts.
             */
            agent_id: string;
            /**
             * @description Unique within its agent.
             * @example new-ticket
             */
            name: string;
            /**
             * @description bearer by default: the secret that is made here. The others are signatures of known senders.
             * @enum {string}
             */
            scheme?: "bearer" | "standard_webhooks" | "github" | "stripe" | "slack" | "shopify";
            /**
             * @description The sender's environment variable that holds the secret.
             * @example ASSAY_TRIGGER_SECRET
             */
            secret_env?: string;
            /**
             * @description The sender's own secret, where the sender makes it.
             * @example whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH
             */
            signing_secret?: string;
            /** @description Money the run may spend, in cents. */
            budget_cents?: number | null;
            /** @description Under a budget: go on with models that have no price, which the budget then does not count. Otherwise they are refused where they are known, and calls of them pause their items. */
            allow_unpriced?: boolean;
            /** @description So many items of a run go first; the others follow when these have ended and one of them was ok, else the run is stopped (pilot_failed). */
            pilot_items?: number | null;
            /** @description Items at work at once at most; what the agent declares and the project's cap hold as well. */
            concurrency?: number | null;
            /** @description Time one item may take. */
            timeout_seconds?: number | null;
            /** @description How long a run waits, added up, for upstreams that serve nobody; what is left then fails with upstream_unavailable. By default what the agent declares, else a day. */
            patience_seconds?: number | null;
            /**
             * Format: uri
             * @description Gets a signed summary when a run ends.
             */
            callback_url?: string | null;
            /** @description Words by which runs are found again, such as a customer or a ticket. */
            tags?: string[];
            /** @description True: the body of a fire is the items of its run, a JSON array or NDJSON, each value the input of one. For any other trigger an array is one input. */
            items?: boolean;
            /** @description With items: the field of a value that is its item_id; without it the service gives ids. */
            item_id?: string | null;
            /** @description With items: the field of a value that is its partition_key. */
            partition_key?: string | null;
            /**
             * @description Read at each fire, instead of its body; the answer comes when all items are committed.
             * @example {
             *       "url": "https://example.com/export?day={date}",
             *       "format": "ndjson",
             *       "item_id": "ticket_id",
             *       "headers": {
             *         "authorization": "Bearer token"
             *       }
             *     }
             */
            source?: {
                /**
                 * Format: uri-template
                 * @description Read with a GET at each start. {date} and {scheduled_for} stand for the day and the time of the start, on the clock of the zone.
                 */
                url?: string;
                /**
                 * @description Of a URL. ndjson: a JSON value a line. csv: names in the first line. json: one array of values. Left out it is what the end of the path says, or else ndjson, unless the body is one JSON array.
                 * @enum {string}
                 */
                format?: "ndjson" | "csv" | "json";
                /**
                 * @description Instead of a URL: a generator of the agent, which is called at each start.
                 * @example tickets
                 */
                generator?: string;
                /** @description The field of a row that is its item_id; without it the service gives ids. */
                item_id?: string | null;
                /** @description The field of a row that is its partition_key. */
                partition_key?: string | null;
                /** @description Sent along to a URL, and never shown again. In a change, headers that are left out stay while the URL keeps its host and its path. */
                headers?: {
                    [key: string]: string;
                };
            } | null;
        };
        /** @description Something outside that items need, as far as its calls were seen or refused lately. */
        Upstream: {
            /**
             * Format: uuid
             * @description Made from what names it: the same as long as that is the same.
             */
            id: string;
            /**
             * Format: uuid
             * @description The project whose items call it.
             */
            project_id: string;
            /**
             * @description An agent's address, or a credential at a provider.
             * @enum {string}
             */
            kind: "agent" | "credential";
            /** @description An agent's URL without its query and without what may be a secret, or a provider's host. */
            host: string;
            /** @description The variable of the environment that has the credential. */
            label: string | null;
            /**
             * @description What it lets through; only `open` lets all through.
             * @enum {string}
             */
            state: "open" | "cooling" | "away" | "out_of_credit" | "refused";
            /** @description Why, in the words of whoever refused. */
            reason: string;
            /**
             * Format: date-time
             * @description When it entered the state.
             */
            since: string;
            /**
             * Format: date-time
             * @description When it is tried next, or more is let through.
             */
            next_at: string | null;
            /** @description The model that it is about, if only calls of that are refused. */
            model: string | null;
            /**
             * Format: uuid
             * @description The deployment that it stops, if it stops that alone.
             */
            deployment_id: string | null;
            /**
             * Format: uuid
             * @description The agent that declares its limit, for its own items alone.
             */
            agent_id: string | null;
            /** @description It serves again, and lets through more each second. */
            opening: boolean;
            /** @description The HTTP status of the refusal, if it had one. */
            status: number | null;
            /** @description Tries since it entered the state. */
            probes: number;
            /** @description Limits that people set; of several the lower counts. */
            declared_limits: {
                /**
                 * Format: uuid
                 * @description What names the upstream until its first call; of a schedule's limits the schedule, of an agent's the agent.
                 */
                id: string;
                /** @description The variable that it was set for; null for every credential of the host. */
                label: string | null;
                /**
                 * @description schedule: by one whose run is at work, in place of the project's. declaration: by an agent, for its own items.
                 * @enum {string}
                 */
                set_in: "project" | "schedule" | "declaration";
                /**
                 * @description Calls, as a number and a unit (s, min, h, d): 500/min.
                 * @example 500/min
                 */
                requests?: string;
                /**
                 * @description Tokens of input and output, as for requests: 200000/min.
                 * @example 500/min
                 */
                tokens?: string;
                /** @description Items in flight that need it, of all runs. */
                in_flight?: number;
            }[];
            /** @description Limits that its answers reported. */
            reported_limits: {
                /**
                 * @description What it counts.
                 * @enum {string}
                 */
                of: "requests" | "tokens" | "input_tokens" | "output_tokens";
                /** @description How much there is in a window, or in a full bucket. */
                amount: number;
                /** @description What the latest answer said was left. */
                left: number;
                /** @description The length of the window, or how long an empty bucket fills; null if not known yet. */
                seconds: number | null;
            }[];
            /** @description How many items begin in a minute at most, by all that is known; null if nothing holds them back. */
            items_per_minute: number | null;
            /** @description Calls that were answered well in each half minute of the last ten minutes, the latest last; empty if they are not paced. */
            calls_used: number[];
            /**
             * Format: date-time
             * @description When a provider's client was last seen to try again by itself, after a refusal: that is to be switched off (maxRetries: 0). Null if it never was.
             */
            client_retries_at: string | null;
            /** @description Items that wait for it, counted up to 10000. */
            waiting_items: number;
            /** @description Runs that wait for it, the newest first; at most 20. */
            runs: string[];
        };
        VerdictPage: {
            rows: components["schemas"]["JudgedReason"][];
            /** @description Where the next page begins; null on the last one. */
            next_cursor: string | null;
        };
        Verification: {
            /** Format: uuid */
            run_id: string;
            /** @description Items accepted at submission. */
            total_items: number;
            /** @description Items by what became of them, counted now. */
            counted: {
                ok: number;
                degraded: number;
                failed: number;
                budget_exceeded: number;
                cancelled: number;
                paused: number;
                queued: number;
                running: number;
            };
            /** @description The same as the run keeps it. */
            counters: {
                ok: number;
                degraded: number;
                failed: number;
                budget_exceeded: number;
                cancelled: number;
                paused: number;
                queued: number;
                running: number;
            };
            totals: {
                counted: {
                    items: number;
                    input_tokens: number;
                    output_tokens: number;
                    unpriced_items: number;
                    model_calls: number;
                    unread_calls: number;
                    suspected_calls: number;
                    undecided: number;
                };
                counters: {
                    items: number;
                    input_tokens: number;
                    output_tokens: number;
                    unpriced_items: number;
                    model_calls: number;
                    unread_calls: number;
                    suspected_calls: number;
                    undecided: number;
                };
            };
            /** @description Millionths of a dollar: as the run keeps it, summed over items, and over steps. */
            cost_micro: {
                counter: number;
                recount_items: number;
                recount_steps: number;
            };
            /** @description Those by day and month that bound it: millionths of a dollar, as kept and summed over their days. */
            budgets: {
                name: string;
                counter: number;
                recount: number;
            }[];
            /** @description Lines that became two items, and ended items that would be offered again. */
            double_verdicts: number;
            /** @description True when there is no difference. */
            balanced: boolean;
            /** @description Each figure that does not agree, with both values. */
            differences: string[];
        };
        /** @description Why an item is not running. */
        Why: {
            /**
             * @description What it waits for, for machines.
             * @enum {string}
             */
            token: "ended" | "running" | "runtime_starting" | "lease_runs_out" | "answer_later" | "paused_for_decision" | "item_budget" | "credit" | "period_budget" | "price" | "materializing" | "stopped" | "held" | "suspended" | "retry_backoff" | "provider_rate" | "upstream" | "no_deployment" | "budget" | "pilot" | "run_cap" | "project_cap" | "partition_share" | "paced" | "no_consumer" | "next";
            /** @description The same in one sentence. */
            message: string;
            /** @enum {string} */
            item_status: "queued" | "running" | "paused" | "completed" | "failed" | "cancelled" | "budget_exceeded";
            /**
             * Format: uuid
             * @description The run of the item.
             */
            run_id: string;
            /**
             * Format: date-time
             * @description When it may be offered again, after an attempt that did not end it.
             */
            due_at: string | null;
            /** @description Items of its run that are offered before it. */
            items_ahead: number;
            /** @description Items of the run at work. */
            run_running: number | null;
            /** @description How many may be; null is no cap of its own. */
            run_cap: number | null;
            /** @description Items of the project at work. */
            project_running: number | null;
            /** @description How many may be. */
            project_cap: number | null;
            /** @description Items of its partition at work, where partitions have a cap. */
            partition_running: number | null;
            /** @description How many may be. */
            partition_cap: number | null;
        };
        /** @description What of an item is called wrong. */
        WrongOrder: {
            /**
             * @description What you looked at. verdict: what was recorded. question: it is not what triage asks. correction: an ok item that was called wrong did work after all. verdict by default.
             * @enum {string}
             */
            of?: "verdict" | "question" | "correction";
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Names this request in the log. */
        RequestId: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It can. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ready";
                        dependencies: {
                            postgres: {
                                /**
                                 * @description `degraded`: it does a part of what is asked of it, such as reads alone, and work goes on with that; the status stays 200. `unusable`: a person has to fix it. `unknown`: PostgreSQL would have to report it, and does not, or the schema or a right that looking takes is missing.
                                 * @enum {string}
                                 */
                                status: "ok" | "degraded" | "unreachable" | "unusable" | "unknown";
                                /** @description How long the answer, or giving up, took. */
                                latency_ms: number;
                                /** @description What is wrong with it, and what to do. */
                                reason: string | null;
                            };
                            redis: {
                                /**
                                 * @description `degraded`: it does a part of what is asked of it, such as reads alone, and work goes on with that; the status stays 200. `unusable`: a person has to fix it. `unknown`: PostgreSQL would have to report it, and does not, or the schema or a right that looking takes is missing.
                                 * @enum {string}
                                 */
                                status: "ok" | "degraded" | "unreachable" | "unusable" | "unknown";
                                /** @description How long the answer, or giving up, took. */
                                latency_ms: number;
                                /** @description What is wrong with it, and what to do. */
                                reason: string | null;
                            };
                            /** @description Whether the database has the migrations that this version needs, or newer ones. */
                            schema: {
                                /**
                                 * @description `degraded`: it does a part of what is asked of it, such as reads alone, and work goes on with that; the status stays 200. `unusable`: a person has to fix it. `unknown`: PostgreSQL would have to report it, and does not, or the schema or a right that looking takes is missing.
                                 * @enum {string}
                                 */
                                status: "ok" | "degraded" | "unreachable" | "unusable" | "unknown";
                                /** @description How long the answer, or giving up, took. */
                                latency_ms: number;
                                /** @description What is wrong with it, and what to do. */
                                reason: string | null;
                            };
                            /** @description Whether the role that signs in may read and write what it must. */
                            role: {
                                /**
                                 * @description `degraded`: it does a part of what is asked of it, such as reads alone, and work goes on with that; the status stays 200. `unusable`: a person has to fix it. `unknown`: PostgreSQL would have to report it, and does not, or the schema or a right that looking takes is missing.
                                 * @enum {string}
                                 */
                                status: "ok" | "degraded" | "unreachable" | "unusable" | "unknown";
                                /** @description How long the answer, or giving up, took. */
                                latency_ms: number;
                                /** @description What is wrong with it, and what to do. */
                                reason: string | null;
                            };
                            /** @description Whether it is there, and the one that the installation was sealed under. */
                            master_key: {
                                /**
                                 * @description `degraded`: it does a part of what is asked of it, such as reads alone, and work goes on with that; the status stays 200. `unusable`: a person has to fix it. `unknown`: PostgreSQL would have to report it, and does not, or the schema or a right that looking takes is missing.
                                 * @enum {string}
                                 */
                                status: "ok" | "degraded" | "unreachable" | "unusable" | "unknown";
                                /** @description How long the answer, or giving up, took. */
                                latency_ms: number;
                                /** @description What is wrong with it, and what to do. */
                                reason: string | null;
                            };
                        };
                        turns: {
                            tick: {
                                /**
                                 * @description `stalled`: the last turn ended too long ago. `none`: nobody is at work, usual for consumers without items; the queue of a project names runs that nobody takes. `unknown`: Redis did not answer.
                                 * @enum {string}
                                 */
                                status: "ok" | "stalled" | "none" | "unknown";
                                /** @description Since the latest turn ended. */
                                age_ms: number | null;
                            };
                            consumer: {
                                /**
                                 * @description `stalled`: the last turn ended too long ago. `none`: nobody is at work, usual for consumers without items; the queue of a project names runs that nobody takes. `unknown`: Redis did not answer.
                                 * @enum {string}
                                 */
                                status: "ok" | "stalled" | "none" | "unknown";
                                /** @description Since the latest turn ended. */
                                age_ms: number | null;
                            };
                        };
                        /**
                         * Format: date-time
                         * @description Set where the installation was restored from a backup and does nothing of itself until it may go on.
                         */
                        held_since: string | null;
                    };
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `dependency_unreachable` names the store that did not answer, `dependency_unusable` what a person has to fix, `process_restarting` that `npm start` waits before it starts what crashed again; the message and `dependencies` say why. */
            503: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "unavailable";
                        dependencies: {
                            postgres: {
                                /**
                                 * @description `degraded`: it does a part of what is asked of it, such as reads alone, and work goes on with that; the status stays 200. `unusable`: a person has to fix it. `unknown`: PostgreSQL would have to report it, and does not, or the schema or a right that looking takes is missing.
                                 * @enum {string}
                                 */
                                status: "ok" | "degraded" | "unreachable" | "unusable" | "unknown";
                                /** @description How long the answer, or giving up, took. */
                                latency_ms: number;
                                /** @description What is wrong with it, and what to do. */
                                reason: string | null;
                            };
                            redis: {
                                /**
                                 * @description `degraded`: it does a part of what is asked of it, such as reads alone, and work goes on with that; the status stays 200. `unusable`: a person has to fix it. `unknown`: PostgreSQL would have to report it, and does not, or the schema or a right that looking takes is missing.
                                 * @enum {string}
                                 */
                                status: "ok" | "degraded" | "unreachable" | "unusable" | "unknown";
                                /** @description How long the answer, or giving up, took. */
                                latency_ms: number;
                                /** @description What is wrong with it, and what to do. */
                                reason: string | null;
                            };
                            /** @description Whether the database has the migrations that this version needs, or newer ones. */
                            schema: {
                                /**
                                 * @description `degraded`: it does a part of what is asked of it, such as reads alone, and work goes on with that; the status stays 200. `unusable`: a person has to fix it. `unknown`: PostgreSQL would have to report it, and does not, or the schema or a right that looking takes is missing.
                                 * @enum {string}
                                 */
                                status: "ok" | "degraded" | "unreachable" | "unusable" | "unknown";
                                /** @description How long the answer, or giving up, took. */
                                latency_ms: number;
                                /** @description What is wrong with it, and what to do. */
                                reason: string | null;
                            };
                            /** @description Whether the role that signs in may read and write what it must. */
                            role: {
                                /**
                                 * @description `degraded`: it does a part of what is asked of it, such as reads alone, and work goes on with that; the status stays 200. `unusable`: a person has to fix it. `unknown`: PostgreSQL would have to report it, and does not, or the schema or a right that looking takes is missing.
                                 * @enum {string}
                                 */
                                status: "ok" | "degraded" | "unreachable" | "unusable" | "unknown";
                                /** @description How long the answer, or giving up, took. */
                                latency_ms: number;
                                /** @description What is wrong with it, and what to do. */
                                reason: string | null;
                            };
                            /** @description Whether it is there, and the one that the installation was sealed under. */
                            master_key: {
                                /**
                                 * @description `degraded`: it does a part of what is asked of it, such as reads alone, and work goes on with that; the status stays 200. `unusable`: a person has to fix it. `unknown`: PostgreSQL would have to report it, and does not, or the schema or a right that looking takes is missing.
                                 * @enum {string}
                                 */
                                status: "ok" | "degraded" | "unreachable" | "unusable" | "unknown";
                                /** @description How long the answer, or giving up, took. */
                                latency_ms: number;
                                /** @description What is wrong with it, and what to do. */
                                reason: string | null;
                            };
                        };
                        turns: {
                            tick: {
                                /**
                                 * @description `stalled`: the last turn ended too long ago. `none`: nobody is at work, usual for consumers without items; the queue of a project names runs that nobody takes. `unknown`: Redis did not answer.
                                 * @enum {string}
                                 */
                                status: "ok" | "stalled" | "none" | "unknown";
                                /** @description Since the latest turn ended. */
                                age_ms: number | null;
                            };
                            consumer: {
                                /**
                                 * @description `stalled`: the last turn ended too long ago. `none`: nobody is at work, usual for consumers without items; the queue of a project names runs that nobody takes. `unknown`: Redis did not answer.
                                 * @enum {string}
                                 */
                                status: "ok" | "stalled" | "none" | "unknown";
                                /** @description Since the latest turn ended. */
                                age_ms: number | null;
                            };
                        };
                        /**
                         * Format: date-time
                         * @description Set where the installation was restored from a backup and does nothing of itself until it may go on.
                         */
                        held_since: string | null;
                        error: {
                            /** @enum {string} */
                            code: "dependency_unreachable" | "dependency_unusable" | "process_restarting";
                            message: string;
                        };
                    };
                };
            };
        };
    };
    getServing: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They are. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "serving";
                    };
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description They are not. */
            503: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "unavailable";
                    };
                };
            };
        };
    };
    listProjects: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The projects. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"][];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description For example production. */
                    name: string;
                    /** @description Items of the project at work at once at most. */
                    concurrency?: number;
                    /** @description Items of one partition at work at once at most. */
                    partition_concurrency?: number;
                    /** @description Runs that have not ended, at most. */
                    open_runs?: number;
                    /** @description What each key of the project may ask. */
                    requests_per_second?: number;
                    /** @description Whether a key may make other keys. */
                    keys_may_mint?: boolean;
                    /** @description Days after its submission that a run keeps its steps, up to the end of the week. */
                    step_retention_days?: number;
                    /** @description Days after its submission that a run keeps the inputs and outputs of its items. */
                    payload_retention_days?: number;
                    /** @description Days after its submission that a run keeps its items, and is kept itself; alerts and events of schedules, days after they were written. */
                    record_retention_days?: number;
                    /**
                     * @description The zone whose days and months budgets follow; UTC unless set.
                     * @example Europe/Berlin
                     */
                    timezone?: string;
                    /** @description Money, in cents, that may be spent in a day of the project's zone; null is no bound. When it is spent, items are paused, and continue in the next day. */
                    day_budget_cents?: number | null;
                    /** @description Money, in cents, that may be spent in a month of the project's zone; null is no bound. When it is spent, items are paused, and continue in the next month. */
                    month_budget_cents?: number | null;
                    /** @description Money the project may spend in all; null is no bound. */
                    credit_cents?: number | null;
                };
            };
        };
        responses: {
            /** @description The project. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `quota_exceeded` */
            402: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteProject: {
        parameters: {
            query: {
                /**
                 * @description The name of the project, to say that you mean it.
                 * @example confirm
                 */
                confirm: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project is gone; no body. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description For example production. */
                    name?: string;
                    /** @description Money the project may spend in all; null is no bound. */
                    credit_cents?: number | null;
                    /** @description Items of the project at work at once at most. */
                    concurrency?: number | null;
                    /** @description Items of one partition at work at once at most. */
                    partition_concurrency?: number | null;
                    /** @description Runs that have not ended, at most. */
                    open_runs?: number | null;
                    /** @description What each key of the project may ask. */
                    requests_per_second?: number | null;
                    /** @description Whether a key may make other keys. */
                    keys_may_mint?: boolean | null;
                    /** @description Days after its submission that a run keeps its steps, up to the end of the week. */
                    step_retention_days?: number | null;
                    /** @description Days after its submission that a run keeps the inputs and outputs of its items. */
                    payload_retention_days?: number | null;
                    /** @description Days after its submission that a run keeps its items, and is kept itself; alerts and events of schedules, days after they were written. */
                    record_retention_days?: number | null;
                    /**
                     * @description The zone whose days and months budgets follow; UTC unless set.
                     * @example Europe/Berlin
                     */
                    timezone?: string | null;
                    /** @description Money, in cents, that may be spent in a day of the project's zone; null is no bound. When it is spent, items are paused, and continue in the next day. */
                    day_budget_cents?: number | null;
                    /** @description Money, in cents, that may be spent in a month of the project's zone; null is no bound. When it is spent, items are paused, and continue in the next month. */
                    month_budget_cents?: number | null;
                };
            };
        };
        responses: {
            /** @description The project. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `quota_exceeded` */
            402: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getActivity: {
        parameters: {
            query?: {
                /**
                 * @description Days, today included.
                 * @example 1
                 */
                days?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sums. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Activity"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getModelUsage: {
        parameters: {
            query?: {
                /**
                 * @description Days in UTC, today included.
                 * @example 1
                 */
                days?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sums. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date
                         * @description The first day that is counted.
                         */
                        since: string;
                        models: components["schemas"]["ModelUsage"][];
                    };
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The queue. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listUpstreams: {
        parameters: {
            query?: {
                /**
                 * @description Only upstreams of this project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                project_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The upstreams. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upstream"][];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setUpstreamLimits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The project; a key has its own.
                     */
                    project_id?: string;
                    /**
                     * @description A provider's host, such as api.openai.com, or an agent's URL without its query.
                     * @example api.openai.com
                     */
                    host: string;
                    /**
                     * @description The variable of the environment that has the credential; without it, every credential of the host.
                     * @example OPENAI_API_KEY
                     */
                    label?: string;
                    /**
                     * @description Calls, as a number and a unit (s, min, h, d): 500/min.
                     * @example 500/min
                     */
                    requests?: string;
                    /**
                     * @description Tokens of input and output, as for requests: 200000/min.
                     * @example 500/min
                     */
                    tokens?: string;
                    /** @description Items in flight that need it, of all runs. */
                    in_flight?: number;
                };
            };
        };
        responses: {
            /** @description What counts from now on. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uuid
                         * @description The project.
                         */
                        project_id: string;
                        host: string;
                        label: string | null;
                        /**
                         * @description Calls, as a number and a unit (s, min, h, d): 500/min.
                         * @example 500/min
                         */
                        requests?: string;
                        /**
                         * @description Tokens of input and output, as for requests: 200000/min.
                         * @example 500/min
                         */
                        tokens?: string;
                        /** @description Items in flight that need it, of all runs. */
                        in_flight?: number;
                    };
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `too_many_limits` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    retryUpstream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the upstream.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                upstreamId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is being tried. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upstream"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    unsetUpstreamLimits: {
        parameters: {
            query?: {
                /**
                 * @description Only those that were set for this variable; empty for those of every credential of the host.
                 * @example label
                 */
                label?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the upstream.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                upstreamId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No limit that a person set counts for it. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listPrices: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The prices. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnPrice"][];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createPrice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPrice"];
            };
        };
        responses: {
            /** @description The price. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnPrice"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `too_many_prices` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    checkPrices: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The models, with their prices. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PriceCheck"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deletePrice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
                /**
                 * @description Id of the price.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                priceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The price that was removed. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnPrice"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /**
                 * @description Opaque; where the page before said the next one begins.
                 * @example Zk1xR2…
                 */
                cursor?: string;
                /**
                 * @description Entries in one page, clamped to 1 to 200; 50 with a cursor alone, and all of them in one answer with neither.
                 * @example 1
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The cursor of the next page; absent on the last one. */
                    "x-next-cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
            /** @description `invalid_cursor`, `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A label for people. */
                    name: string;
                    /**
                     * @description A viewer only reads; an operator by default.
                     * @enum {string}
                     */
                    role?: "operator" | "viewer";
                    /**
                     * Format: date-time
                     * @description From then on it is refused; never by default. A key that expires makes none that outlives it.
                     */
                    expires_at?: string;
                };
            };
        };
        responses: {
            /** @description The key. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `quota_exceeded` */
            402: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: {
                /**
                 * @description Revokes the keys that it made as well, and those made with these. Members whom it made keep theirs.
                 * @example false
                 */
                revoke_keys?: "true" | "false";
                /**
                 * @description Deletes the triggers whose secret it or these keys know, too: their URLs answer 404 at once.
                 * @example false
                 */
                revoke_triggers?: "true" | "false";
            };
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
                /**
                 * @description Id of the API key.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key that was revoked. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedApiKey"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSigningSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The secret. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningSecret"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rollSigningSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secret. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningSecret"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAlertRules: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRule"][];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateAlertRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    rule: "schedule_missed" | "run_not_ok" | "failure_share" | "budget_near" | "consumer_stalled" | "unpriced_model" | "source_failed" | "credentials_refused" | "budget_exceeded" | "not_finished" | "items_held" | "upstream_unavailable";
                    /**
                     * Format: uuid
                     * @description Only for this agent; without it, for every agent that has none of its own.
                     */
                    agent_id?: string;
                    /** @description False mutes the rule. */
                    enabled: boolean;
                    /** @description What the rule compares with; without it, the default. */
                    bounds?: {
                        [key: string]: number;
                    };
                };
            };
        };
        responses: {
            /** @description The rules as they hold now. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRule"][];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAlertChannels: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The channels. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertChannel"][];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createAlertChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description An http or https URL, or mailto: with one address. */
                    url: string;
                    /**
                     * @description How it is written to; by default guessed from the URL.
                     * @enum {string}
                     */
                    format?: "json" | "slack" | "teams" | "mail";
                    /**
                     * @description Which runs it gets a digest of when they end: none, those of schedules, or all but replays.
                     * @enum {string}
                     */
                    digest?: "none" | "scheduled" | "all";
                };
            };
        };
        responses: {
            /** @description The channel. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertChannel"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `too_many_channels` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteAlertChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
                /**
                 * @description Id of the alert channel.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                channelId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The channel that was. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertChannel"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    testAlertChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
                /**
                 * @description Id of the alert channel.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                channelId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is on its way. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uuid
                         * @description The delivery that sends it.
                         */
                        delivery_id: string;
                        /**
                         * Format: date-time
                         * @description RFC 3339, UTC.
                         */
                        created_at: string;
                    };
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDeadlines: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deadlines. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deadline"][];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setDeadline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The schedule whose run must have ended.
                     */
                    schedule_id?: string;
                    /**
                     * Format: uuid
                     * @description The agent of which some run of the day before must have ended; instead of a schedule.
                     */
                    agent_id?: string;
                    /**
                     * @description By when, each day.
                     * @example 06:30
                     */
                    finished_by: string;
                    /** @description A name of the IANA database; by default the schedule's own, and UTC for an agent. */
                    timezone?: string;
                };
            };
        };
        responses: {
            /** @description The deadline. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deadline"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_timezone`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `too_many_deadlines` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteDeadline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
                /**
                 * @description Id of the deadline.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                deadlineId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSavedViews: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The views. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedView"][];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    saveView: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSavedView"];
            };
        };
        responses: {
            /** @description The view. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedView"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `too_many_saved_views` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSavedView: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                projectId: string;
                /**
                 * @description Id of the saved view.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                viewId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAgents: {
        parameters: {
            query?: {
                /**
                 * @description Only agents of this project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                project_id?: string;
                /**
                 * @description Leaves out the configurations, each then {}: those of many agents may be long.
                 * @example false
                 */
                config?: "false";
                /**
                 * @description Also reports what each did lately.
                 * @example true
                 */
                activity?: "true";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agents. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedAgent"][];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createAgent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The owning project; a project key's own when absent.
                     */
                    project_id?: string;
                    /** @description For people. */
                    name: string;
                    /** @description Unique within its project. */
                    slug?: string;
                    /** @description What it does. */
                    description?: string;
                };
            };
        };
        responses: {
            /** @description The agent. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `quota_exceeded` */
            402: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `agent_slug_taken` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the agent.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                agentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent with its configuration. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentRead"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the agent.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                agentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent is gone; no body. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the agent.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                agentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description For people. */
                    name?: string;
                    /** @description What it does. */
                    description?: string;
                    /** @description Takes the place of the configuration as a whole. */
                    config?: {
                        [key: string]: unknown;
                    };
                    /** @description Money, in cents, that may be spent in a day of the project's zone; null is no bound. When it is spent, items are paused, and continue in the next day. */
                    day_budget_cents?: number | null;
                    /** @description Money, in cents, that may be spent in a month of the project's zone; null is no bound. When it is spent, items are paused, and continue in the next month. */
                    month_budget_cents?: number | null;
                };
            };
        };
        responses: {
            /** @description The updated agent. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    estimateRun: {
        parameters: {
            query: {
                /**
                 * @description How many items it would have.
                 * @example 1
                 */
                items: number;
                /**
                 * @description Items at work at once at most; what the agent declares and the project's cap hold as well.
                 * @example 1
                 */
                concurrency?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the agent.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                agentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How long it would take. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunEstimate"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDeployments: {
        parameters: {
            query?: {
                /**
                 * @description Only those with this label of yours.
                 * @example external id
                 */
                external_id?: string;
                /**
                 * @description Opaque; where the page before said the next one begins.
                 * @example Zk1xR2…
                 */
                cursor?: string;
                /**
                 * @description Entries in one page: 50 by default; clamped to 1 to 200.
                 * @example 1
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the agent.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                agentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deployments. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The cursor of the next page; absent on the last one. */
                    "x-next-cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deployment"][];
                };
            };
            /** @description `invalid_cursor`, `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the agent.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                agentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeployOrder"];
            };
        };
        responses: {
            /** @description The same content was a version already, and is the current one now; or a dry run, which did nothing. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deployed"] | components["schemas"]["DryRun"];
                };
            };
            /** @description A new version. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deployed"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `load_failed`, `load_timeout`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `quota_exceeded` */
            402: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    promoteDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the agent.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                agentId: string;
                /**
                 * @description Id of the deployment.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                deploymentId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PromoteOrder"];
            };
        };
        responses: {
            /** @description The deployment, now current; or a dry run, which did nothing. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Promoted"] | components["schemas"]["DryRun"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `quota_exceeded` */
            402: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    startRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the agent.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                agentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunOrder"];
            };
        };
        responses: {
            /** @description Accepted and queued. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedRun"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep`, `unpriced_model` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `account_suspended`, `plan_limit`, `quota_exceeded` */
            402: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_key_reused` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`, `too_many_open_runs` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    startOneOffRun: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OneOffOrder"];
            };
        };
        responses: {
            /** @description Accepted and queued. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedRun"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep`, `unpriced_model` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `account_suspended`, `plan_limit`, `quota_exceeded` */
            402: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_key_reused` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`, `too_many_open_runs` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    submitBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchOrder"];
            };
        };
        responses: {
            /** @description Every item is queued. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubmittedBatch"];
                };
            };
            /** @description `body_too_large`, `duplicate_item_id`, `duplicate_key`, `invalid_json`, `invalid_line`, `invalid_request`, `invalid_utf8`, `no_items`, `number_out_of_range`, `too_deep`, `too_many_items`, `unpriced_model` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `account_suspended`, `plan_limit`, `quota_exceeded` */
            402: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_key_reused` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`, `too_many_open_runs` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    answerItems: {
        parameters: {
            query?: {
                /**
                 * @description Part of the address that came with the request as assay-answer-url.
                 * @example to
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-ndjson": components["schemas"]["AnswerLine"];
            };
        };
        responses: {
            /** @description The lines were taken. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AwaitedItems"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_line`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `claim_ended`, `claim_not_handed_over` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /**
                 * @description Only runs of the agent with this slug.
                 * @example ticket-triage
                 */
                agent?: string;
                /**
                 * @description Only runs that touched this item of yours, replays included.
                 * @example ticket-4711
                 */
                item_id?: string;
                /**
                 * @description Only runs that have this tag.
                 * @example tag
                 */
                tag?: string;
                /**
                 * @description Only runs that have not ended, only those that have, or only those that wait for a person: held. One that waits for money is not held: it continues when there is some. A run that is stopped ends with its last item.
                 * @example open
                 */
                state?: "open" | "ended" | "held";
                /**
                 * @description Only runs in this status.
                 * @example materializing
                 */
                status?: "materializing" | "queued" | "running" | "completed" | "partial" | "failed" | "cancelled" | "budget_exceeded";
                /**
                 * @description Only runs whose items came to this at worst; not_ok is degraded or failed.
                 * @example ok
                 */
                outcome?: "ok" | "degraded" | "failed" | "not_ok";
                /**
                 * @description Only runs that replay items of this run.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                replay_of?: string;
                /**
                 * @description Only runs with items that have this cause.
                 * @example cause_0509102d3433
                 */
                cause_id?: string;
                /**
                 * @description Only runs submitted at or after this time.
                 * @example 2026-03-02T09:30:00.000Z
                 */
                from?: string;
                /**
                 * @description Only runs submitted before this time.
                 * @example 2026-03-02T09:30:00.000Z
                 */
                to?: string;
                /**
                 * @description Only runs of this project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                project_id?: string;
                /**
                 * @description Opaque; where the page before said the next one begins.
                 * @example Zk1xR2…
                 */
                cursor?: string;
                /**
                 * @description Entries in one page: 50 by default; clamped to 1 to 500.
                 * @example 1
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The runs. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The cursor of the next page; absent on the last one. */
                    "x-next-cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["Run"] & unknown)[];
                };
            };
            /** @description `invalid_cursor`, `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the run.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & unknown;
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the run.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                runId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Words by which runs are found again, such as a customer or a ticket. */
                    tags: string[];
                };
            };
        };
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & unknown;
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    followRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the run.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events; the data of each is the run. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["Run"] & unknown;
                };
            };
            /** @description The run has ended, and Last-Event-ID names its end: there is nothing to follow. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRunItems: {
        parameters: {
            query?: {
                /**
                 * @description Only items with this verdict; not_ok is degraded, failed or held.
                 * @example ok
                 */
                outcome?: "ok" | "degraded" | "failed" | "not_ok";
                /**
                 * @description Only items in this status.
                 * @example queued
                 */
                status?: "queued" | "running" | "paused" | "completed" | "failed" | "cancelled" | "budget_exceeded";
                /**
                 * @description Only items with this reason token, for example refusal or tool_call_error.
                 * @example reason
                 */
                reason?: string;
                /**
                 * @description Only items of this partition.
                 * @example tenant-a
                 */
                partition_key?: string;
                /**
                 * @description Only items with this identifier of yours.
                 * @example ticket-4711
                 */
                item_id?: string;
                /**
                 * @description Record id of an item of the run: only those that the list has after it.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                after?: string;
                /**
                 * @description desc is the last one to be dispatched first; asc by default.
                 * @example asc
                 */
                order?: "asc" | "desc";
                /**
                 * @description Leaves out inputs and outputs: both are null.
                 * @example none
                 */
                payloads?: "none";
                /**
                 * @description Opaque; where the page before said the next one begins.
                 * @example Zk1xR2…
                 */
                cursor?: string;
                /**
                 * @description Entries in one page: 50 by default; clamped to 1 to 500.
                 * @example 1
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the run.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The items. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The cursor of the next page; absent on the last one. */
                    "x-next-cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunItem"][];
                };
            };
            /** @description `invalid_cursor`, `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRunFailures: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the run.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunFailures"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    compareRuns: {
        parameters: {
            query: {
                /**
                 * @description The run to compare with, usually an earlier one.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                with: string;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the run.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What differs. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunComparison"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    gradeRun: {
        parameters: {
            query?: {
                /**
                 * @description Whose declaration counts, of its current version: the run's own agent by default.
                 * @example ticket-triage
                 */
                agent?: string;
                /**
                 * @description By default as declared.
                 * @example sure
                 */
                refusals?: "sure" | "balanced" | "off";
                /**
                 * @description What answers are looked at for, with commas between; none for nothing. By default as declared.
                 * @example cut_json,asks_back
                 */
                checks?: string;
                /**
                 * @description Opaque; where the page before said the next one begins.
                 * @example Zk1xR2…
                 */
                cursor?: string;
                /**
                 * @description Entries in one page: 2000 by default; clamped to 1 to 2000.
                 * @example 1
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the run.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What differs. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grade"];
                };
            };
            /** @description `invalid_cursor`, `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the run.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description `finish` by default.
                     * @enum {string}
                     */
                    in_flight?: "finish" | "abort";
                };
            };
        };
        responses: {
            /** @description The run as it is being cancelled. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        /** @description What was in flight and was aborted, and what its recorded steps had cost. */
                        aborted: {
                            items: number;
                            cost_cents: number;
                            cost_usd: number;
                        };
                    };
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `run_already_ended` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    verifyRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the run.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Both counts and where they differ. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Verification"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportItemRecords: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The records. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemRecord"][];
                    "application/x-ndjson": components["schemas"]["ItemRecord"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    exportResults: {
        parameters: {
            query?: {
                /**
                 * @description Results of this run and of all replays that descend from its items.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                run_id?: string;
                /**
                 * @description Results of all runs of the agent with this slug.
                 * @example ticket-triage
                 */
                agent?: string;
                /**
                 * @description The project of the agent, where the caller is no key of it.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                project_id?: string;
                /**
                 * @description With agent: only of runs submitted from then on.
                 * @example 2026-03-02T09:30:00.000Z
                 */
                since?: string;
                /**
                 * @description ok: what worked in some try. not_ok: what has not worked in any. all by default.
                 * @example all
                 */
                only?: "ok" | "not_ok" | "all";
                /**
                 * @description What each result is to have, in this order, with commas between; parts of the input and the output with dots, such as output.label or input.lines.0. Everything but the input and the code_version by default.
                 * @example item_id,outcome_status,output
                 */
                fields?: string;
                /**
                 * @description Instead of the Accept header.
                 * @example json
                 */
                format?: "json" | "ndjson" | "csv";
                /**
                 * @description With csv: leaves cells that begin with = + - @ as they are. Otherwise they are given a leading apostrophe, or a spreadsheet would run them; numbers are left alone.
                 * @example false
                 */
                raw?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The results. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Result"][];
                    "application/x-ndjson": components["schemas"]["Result"];
                    "text/csv": string;
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listClusters: {
        parameters: {
            query?: {
                /**
                 * @description Only failures of this project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                project_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The clusters. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FailureClusters"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getItemRecord: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the item.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000001
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemWithDecision"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getLineage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the item.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000001
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lineage. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Relative"][];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    whyItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the item.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000001
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Why. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Why"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    replayItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the item.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000001
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReplayOrder"];
            };
        };
        responses: {
            /** @description The replay is queued. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContinuedItem"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `account_suspended`, `plan_limit`, `quota_exceeded` */
            402: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `item_not_replayable` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`, `too_many_open_runs` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    resumeItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the item.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000001
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ResumeOrder"];
            };
        };
        responses: {
            /** @description The item is queued. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContinuedItem"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `item_not_paused` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    acknowledgeItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the item.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000001
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The row has left the feed. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `item_already_decided` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    dismissItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the item.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000001
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item is dismissed. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `item_already_decided` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    callItemWrong: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the item.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000001
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["WrongOrder"];
            };
        };
        responses: {
            /** @description It is called wrong. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `verdict_not_judgeable` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    confirmItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the item.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000001
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is confirmed. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `verdict_not_judgeable` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    reopenItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the item.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000001
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The row is back in the feed. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `item_not_reopenable` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTriage: {
        parameters: {
            query?: {
                /**
                 * @description Only this lane; all is each of them, and dlq and quarantine are listed when it is absent.
                 * @example dlq
                 */
                kind?: "dlq" | "quarantine" | "review" | "all";
                /**
                 * @description Only items of this partition.
                 * @example tenant-a
                 */
                partition_key?: string;
                /**
                 * @description Only items of this run.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                run_id?: string;
                /**
                 * @description Only items of this agent.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                agent_id?: string;
                /**
                 * @description Only items with this reason token, for example refusal or tool_call_error.
                 * @example reason
                 */
                reason?: string;
                /**
                 * @description Only items of this failure cluster, as the list of clusters names it.
                 * @example cluster key
                 */
                cluster_key?: string;
                /**
                 * @description Only items of this cause.
                 * @example cause_0509102d3433
                 */
                cause_id?: string;
                /**
                 * @description Only items of this project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                project_id?: string;
                /**
                 * @description Also report how many there are.
                 * @example true
                 */
                count?: "true";
                /**
                 * @description Opaque; where the page before said the next one begins.
                 * @example Zk1xR2…
                 */
                cursor?: string;
                /**
                 * @description Entries in one page: 50 by default; clamped to 1 to 200.
                 * @example 1
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rows. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriagePage"];
                };
            };
            /** @description `invalid_cursor`, `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listVerdicts: {
        parameters: {
            query?: {
                /**
                 * @description Only verdicts of this project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                project_id?: string;
                /**
                 * @description Only verdicts of the agent with this slug.
                 * @example ticket-triage
                 */
                agent?: string;
                /**
                 * @description Opaque; where the page before said the next one begins.
                 * @example Zk1xR2…
                 */
                cursor?: string;
                /**
                 * @description Entries in one page: 50 by default; clamped to 1 to 200.
                 * @example 1
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The reasons that were judged. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerdictPage"];
                };
            };
            /** @description `invalid_cursor`, `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listCauses: {
        parameters: {
            query?: {
                /**
                 * @description Only causes of this project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                project_id?: string;
                /**
                 * @description Only causes of this run, with its items counted.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                run_id?: string;
                /**
                 * @description Only causes of the agent with this slug.
                 * @example ticket-triage
                 */
                agent?: string;
                /**
                 * @description Only items that came into triage at or after this day (UTC).
                 * @example 2026-03-02T09:30:00.000Z
                 */
                from?: string;
                /**
                 * @description Only items that came into triage at or before this day (UTC).
                 * @example 2026-03-02T09:30:00.000Z
                 */
                to?: string;
                /**
                 * @description Only causes with items that wait for a decision, the one with most of them first.
                 * @example true
                 */
                waiting?: "true";
                /**
                 * @description Opaque; where the page before said the next one begins.
                 * @example Zk1xR2…
                 */
                cursor?: string;
                /**
                 * @description Entries in one page: 50 by default; clamped to 1 to 200.
                 * @example 1
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The causes. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CausePage"];
                };
            };
            /** @description `invalid_cursor`, `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getCause: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the cause.
                 * @example cause_5be0cd19137e
                 */
                causeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The cause. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CauseWithRuns"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRecoveries: {
        parameters: {
            query?: {
                /**
                 * @description Only recoveries of this project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                project_id?: string;
                /**
                 * @description Opaque; where the page before said the next one begins.
                 * @example Zk1xR2…
                 */
                cursor?: string;
                /**
                 * @description Entries in one page: 50 by default; clamped to 1 to 200.
                 * @example 1
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The recoveries. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The cursor of the next page; absent on the last one. */
                    "x-next-cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recovery"][];
                };
            };
            /** @description `invalid_cursor`, `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createRecovery: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecoveryOrder"];
            };
        };
        responses: {
            /** @description What it would act on; nothing was changed. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryPlan"];
                };
            };
            /** @description It has started. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recovery"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `account_suspended`, `plan_limit`, `quota_exceeded` */
            402: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `nothing_to_recover` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`, `too_many_open_runs` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRecovery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the recovery.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                recoveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The recovery. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recovery"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    abortRecovery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the recovery.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                recoveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The recovery as it is being aborted. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recovery"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `recovery_already_ended` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSteps: {
        parameters: {
            query?: {
                /**
                 * @description Words to find, or a part of a name.
                 * @example timeout
                 */
                q?: string;
                /**
                 * @description Where q is searched for. messages: in what people, models and tools wrote (prompts, answers, arguments and results of tools, error messages). everything: also in names, error codes, parameters of requests, schemas and definitions of tools.
                 * @example everything
                 */
                in?: "messages" | "everything";
                /**
                 * @description Only steps of items with this identifier of yours.
                 * @example ticket-4711
                 */
                item_id?: string;
                /**
                 * @description Only steps of items whose identifier begins like this.
                 * @example ticket-
                 */
                item_id_prefix?: string;
                /**
                 * @description Only the trace of the item with this record id.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000001
                 */
                record_id?: string;
                /**
                 * @description Only steps of this run.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                run_id?: string;
                /**
                 * @description Only steps of this project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                project_id?: string;
                /**
                 * @description Only steps with this verdict.
                 * @example ok
                 */
                outcome_status?: "ok" | "degraded" | "failed";
                /**
                 * @description The same as outcome_status.
                 * @example ok
                 */
                outcome?: "ok" | "degraded" | "failed";
                /**
                 * @description Only steps that the grader gave this reason.
                 * @example refusal
                 */
                outcome_reason?: "refusal" | "suspected_refusal" | "template_leak" | "repeats" | "cut_json" | "fenced_json" | "asks_back" | "cannot_look_up" | "placeholders" | "echoes_prompt" | "wrong_language" | "empty_output" | "truncated" | "interrupted" | "content_filter" | "schema_mismatch" | "agent_degraded" | "step_error" | "agent_error" | "provider_error" | "transport_error" | "limit_exceeded" | "budget_exceeded" | "unpriced_model";
                /**
                 * @description Only steps that cost at least this many dollars.
                 * @example 1
                 */
                min_cost_usd?: number;
                /**
                 * @description Only steps that began at or after this time.
                 * @example 2026-03-02T09:30:00.000Z
                 */
                from?: string;
                /**
                 * @description Only steps that began before this time.
                 * @example 2026-03-02T09:30:00.000Z
                 */
                to?: string;
                /**
                 * @description recent: the most recent first. cost: the most expensive first, without those that cost nothing.
                 * @example recent
                 */
                sort?: "recent" | "cost";
                /**
                 * @description Opaque; where the page before said the next one begins.
                 * @example Zk1xR2…
                 */
                cursor?: string;
                /**
                 * @description Also report how many steps there are, up to a bound.
                 * @example true
                 */
                count?: "true";
                /**
                 * @description Entries in one page: 50 by default; clamped to 1 to 200.
                 * @example 1
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The steps, each with its parent item and run. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StepPage"];
                };
            };
            /** @description `invalid_cursor`, `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    countStepErrors: {
        parameters: {
            query?: {
                /**
                 * @description Only steps of this project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                project_id?: string;
                /**
                 * @description Only steps that began at or after this time.
                 * @example 2026-03-02T09:30:00.000Z
                 */
                from?: string;
                /**
                 * @description Only steps that began before this time.
                 * @example 2026-03-02T09:30:00.000Z
                 */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StepErrors"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Only deliveries of this project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                project_id?: string;
                /**
                 * @description Only callbacks of this run.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                run_id?: string;
                /**
                 * @description Only those that are so far.
                 * @example pending
                 */
                state?: "pending" | "delivered" | "failed";
                /**
                 * @description Opaque; where the page before said the next one begins.
                 * @example Zk1xR2…
                 */
                cursor?: string;
                /**
                 * @description Entries in one page: 50 by default; clamped to 1 to 200.
                 * @example 1
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deliveries. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            /** @description `invalid_cursor`, `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the delivery.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryRecord"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    resendDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the delivery.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is being tried. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `delivery_pending` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAlerts: {
        parameters: {
            query?: {
                /**
                 * @description Only alerts of this project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                project_id?: string;
                /**
                 * @description Only alerts about this agent.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                agent_id?: string;
                /**
                 * @description Only alerts of this rule.
                 * @example schedule_missed
                 */
                rule?: "schedule_missed" | "run_not_ok" | "failure_share" | "budget_near" | "consumer_stalled" | "unpriced_model" | "source_failed" | "credentials_refused" | "budget_exceeded" | "not_finished" | "items_held" | "upstream_unavailable";
                /**
                 * @description Only those that are still so, or only those that are over.
                 * @example open
                 */
                state?: "open" | "resolved";
                /**
                 * @description Opaque; where the page before said the next one begins.
                 * @example Zk1xR2…
                 */
                cursor?: string;
                /**
                 * @description Entries in one page: 50 by default; clamped to 1 to 200.
                 * @example 1
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The alerts. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        alerts: components["schemas"]["Alert"][];
                        next_cursor: string | null;
                    };
                };
            };
            /** @description `invalid_cursor`, `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSchedules: {
        parameters: {
            query?: {
                /**
                 * @description Only schedules of this project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                project_id?: string;
                /**
                 * @description Only schedules of this agent.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                agent_id?: string;
                /**
                 * @description Opaque; where the page before said the next one begins.
                 * @example Zk1xR2…
                 */
                cursor?: string;
                /**
                 * @description Entries in one page: 50 by default; clamped to 1 to 200.
                 * @example 1
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedules. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The cursor of the next page; absent on the last one. */
                    "x-next-cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"][];
                };
            };
            /** @description `invalid_cursor`, `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduleOrder"];
            };
        };
        responses: {
            /** @description The schedule. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_cron`, `invalid_json`, `invalid_request`, `invalid_timezone`, `invalid_utf8`, `max_steps_rejected`, `number_out_of_range`, `too_deep`, `unpriced_model` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `quota_exceeded` */
            402: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `schedule_cron_taken` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    previewSchedule: {
        parameters: {
            query: {
                /**
                 * @description Five fields: minute, hour, day of the month, month, day of the week. Read on the wall clock of the zone.
                 * @example 0 9 * * 1-5
                 */
                cron: string;
                /**
                 * @description A name of the IANA database.
                 * @example UTC
                 */
                timezone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The moments. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SchedulePreview"];
                };
            };
            /** @description `invalid_cron`, `invalid_request`, `invalid_timezone` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    previewSource: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SourcePreviewOrder"];
            };
        };
        responses: {
            /** @description What it holds. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourcePreview"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_timezone`, `invalid_utf8`, `number_out_of_range`, `source_failed`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the schedule.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                scheduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the schedule.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                scheduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule is gone; no body. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the schedule.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                scheduleId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduleChanges"];
            };
        };
        responses: {
            /** @description The updated schedule. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_cron`, `invalid_json`, `invalid_request`, `invalid_timezone`, `invalid_utf8`, `max_steps_rejected`, `number_out_of_range`, `too_deep`, `unpriced_model` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `schedule_cron_taken` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    enableSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the schedule.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                scheduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_cron`, `invalid_json`, `invalid_request`, `invalid_timezone`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    disableSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the schedule.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                scheduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listScheduleEvents: {
        parameters: {
            query?: {
                /**
                 * @description Opaque; where the page before said the next one begins.
                 * @example Zk1xR2…
                 */
                cursor?: string;
                /**
                 * @description Entries in one page: 50 by default; clamped to 1 to 500.
                 * @example 1
                 */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the schedule.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                scheduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The cursor of the next page; absent on the last one. */
                    "x-next-cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleEvent"][];
                };
            };
            /** @description `invalid_cursor`, `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    triggerSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the schedule.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                scheduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted and queued. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedRun"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `source_empty`, `source_failed`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `account_suspended`, `plan_limit`, `quota_exceeded` */
            402: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`, `too_many_open_runs` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listTriggers: {
        parameters: {
            query?: {
                /**
                 * @description Only triggers of this project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                project_id?: string;
                /**
                 * @description Only triggers of this agent.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                agent_id?: string;
                /**
                 * @description Opaque; where the page before said the next one begins.
                 * @example Zk1xR2…
                 */
                cursor?: string;
                /**
                 * @description Entries in one page: 50 by default; clamped to 1 to 200.
                 * @example 1
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The triggers. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        triggers: components["schemas"]["Trigger"][];
                        next_cursor: string | null;
                    };
                };
            };
            /** @description `invalid_cursor`, `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createTrigger: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TriggerOrder"];
            };
        };
        responses: {
            /** @description The trigger, with its secret. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewTrigger"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep`, `unpriced_model` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `quota_exceeded` */
            402: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `trigger_name_taken` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getTrigger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the trigger.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                triggerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The trigger. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trigger"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteTrigger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the trigger.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                triggerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The trigger that was deleted. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trigger"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateTrigger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the trigger.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                triggerId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TriggerChanges"];
            };
        };
        responses: {
            /** @description The trigger, with the secret if a new one was made. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewTrigger"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep`, `unpriced_model` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `trigger_name_taken` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    fireTrigger: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Gets a signed summary when the run ends. Not with a signature scheme: senders do not sign it.
                 * @example https://example.com/
                 */
                "x-callback-url"?: string;
                /**
                 * @description Fires of one key start one run within 24 hours. Without it, the sender's own id of the event.
                 * @example x-idempotency-key
                 */
                "x-idempotency-key"?: string;
            };
            path: {
                /**
                 * @description Id of the webhook.
                 * @example whk_4fJ0Zk1xR2Qm8vTn3sLpWe
                 */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FireBody"];
            };
        };
        responses: {
            /** @description An answer to Slack's url_verification; starts no run. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Challenge"];
                };
            };
            /** @description Accepted and queued. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FiredRun"];
                };
            };
            /** @description `body_too_large`, `duplicate_item_id`, `duplicate_key`, `invalid_json`, `invalid_line`, `invalid_request`, `invalid_utf8`, `no_items`, `number_out_of_range`, `source_empty`, `source_failed`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `account_suspended`, `plan_limit`, `quota_exceeded` */
            402: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited`, `too_many_open_runs` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /**
                 * @description Opaque; where the page before said the next one begins.
                 * @example Zk1xR2…
                 */
                cursor?: string;
                /**
                 * @description Entries in one page: 50 by default; clamped to 1 to 200.
                 * @example 1
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The cursor of the next page; absent on the last one. */
                    "x-next-cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenSession"][];
                };
            };
            /** @description `invalid_cursor`, `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The e-mail of a member. */
                    email: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description The tokens of a new session. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    refreshSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The refresh token last given. */
                    refresh_token: string;
                };
            };
        };
        responses: {
            /** @description New tokens of the same session. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteCurrentSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out; no body. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the session.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked; no body. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listQuotas: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The quotas. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quota"][];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    current_password: string;
                    /** @description At least 12 characters. */
                    new_password: string;
                };
            };
        };
        responses: {
            /** @description Changed; no body. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    usePasswordLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What stands behind `token=` in the link. */
                    token: string;
                    /** @description At least 12 characters. */
                    new_password: string;
                };
            };
        };
        responses: {
            /** @description Set; no body. Sign in with it. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The name of the account, to say that you mean it. */
                    account_name: string;
                    /** @description Your own. */
                    password: string;
                };
            };
        };
        responses: {
            /** @description The account is gone; no body. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /**
                 * @description Opaque; where the page before said the next one begins.
                 * @example Zk1xR2…
                 */
                cursor?: string;
                /**
                 * @description Entries in one page: 50 by default; clamped to 1 to 200.
                 * @example 1
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The members. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The cursor of the next page; absent on the last one. */
                    "x-next-cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["Member"] & unknown)[];
                };
            };
            /** @description `invalid_cursor`, `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createMember: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description An e-mail address; unique in the installation. */
                    email: string;
                    /**
                     * @description viewer reads; operator also changes agents, keys and runs; owner also projects and members.
                     * @enum {string}
                     */
                    role: "owner" | "operator" | "viewer";
                    /** @description At least 12 characters. */
                    password: string;
                };
            };
        };
        responses: {
            /** @description The member. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"] & unknown;
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `plan_limit` */
            402: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `email_taken` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteMember: {
        parameters: {
            query?: {
                /**
                 * @description Revokes the keys that it made as well, and those made with these. Members whom it made keep theirs.
                 * @example false
                 */
                revoke_keys?: "true" | "false";
                /**
                 * @description Deletes the triggers whose secret it or these keys know, too: their URLs answer 404 at once.
                 * @example false
                 */
                revoke_triggers?: "true" | "false";
            };
            header?: never;
            path: {
                /**
                 * @description Id of the member.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member that was removed. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedMember"];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `last_owner` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateMember: {
        parameters: {
            query?: {
                /**
                 * @description Revokes the keys that it made as well, and those made with these. Members whom it made keep theirs.
                 * @example false
                 */
                revoke_keys?: "true" | "false";
                /**
                 * @description Deletes the triggers whose secret it or these keys know, too: their URLs answer 404 at once.
                 * @example false
                 */
                revoke_triggers?: "true" | "false";
            };
            header?: never;
            path: {
                /**
                 * @description Id of the member.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description viewer reads; operator also changes agents, keys and runs; owner also projects and members.
                     * @enum {string}
                     */
                    role: "owner" | "operator" | "viewer";
                };
            };
        };
        responses: {
            /** @description The member. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedMember"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `last_owner` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createPasswordLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the member.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordLink"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                /**
                 * @description Only changes in this project.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                project_id?: string;
                /**
                 * @description Only this operation, for example createApiKey.
                 * @example action
                 */
                action?: string;
                /**
                 * @description Only changes by this key or member.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                actor_id?: string;
                /**
                 * @description Opaque; where the page before said the next one begins.
                 * @example Zk1xR2…
                 */
                cursor?: string;
                /**
                 * @description Entries in one page: 50 by default; clamped to 1 to 200.
                 * @example 1
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        entries: components["schemas"]["AuditEntry"][];
                        next_cursor: string | null;
                    };
                };
            };
            /** @description `invalid_cursor`, `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden`, `suspended` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description Seconds until asking again makes sense. */
                    "retry-after"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAccounts: {
        parameters: {
            query?: {
                /**
                 * @description Opaque; where the page before said the next one begins.
                 * @example Zk1xR2…
                 */
                cursor?: string;
                /**
                 * @description Entries in one page: 50 by default; clamped to 1 to 200.
                 * @example 1
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The accounts. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    /** @description The cursor of the next page; absent on the last one. */
                    "x-next-cursor"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatedAccount"][];
                };
            };
            /** @description `invalid_cursor`, `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAccount"];
            };
        };
        responses: {
            /** @description The account. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenedAccount"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `email_taken` */
            409: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listSharedCredentials: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The credentials. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedCredential"][];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setAccountPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountPlanChange"];
            };
        };
        responses: {
            /** @description The account. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatedAccount"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAccountQuotas: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The quotas. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quota"][];
                };
            };
            /** @description `invalid_request` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setAccountQuotas: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuotaChanges"];
            };
        };
        responses: {
            /** @description All quotas of the account. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quota"][];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    suspendAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatedAccount"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    resumeAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the account.
                 * @example 019c2b1e-7a40-7c3d-9f21-5be000000000
                 */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatedAccount"];
                };
            };
            /** @description `body_too_large`, `duplicate_key`, `invalid_json`, `invalid_request`, `invalid_utf8`, `number_out_of_range`, `too_deep` */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unauthenticated` */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `forbidden` */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal`, `store_full`, `store_unreachable` */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    onRunFinished: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description t=<seconds since 1970>,v1=<hex HMAC-SHA256 of "t.body">; v1 twice in the day after a roll.
                 * @example t=1772443800,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd
                 */
                "x-service-signature": string;
                /**
                 * @description The id of the delivery, the same in every try.
                 * @example 5be0cd19-137e-4179-9f21-5be0cd19137e
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970, of this try.
                 * @example 1772443800
                 */
                "webhook-timestamp": string;
                /**
                 * @description As in Standard Webhooks: v1,<base64 HMAC-SHA256 of "id.timestamp.body">.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunFinished"];
            };
        };
        responses: {
            /** @description Taken. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onAlertRaised: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description t=<seconds since 1970>,v1=<hex HMAC-SHA256 of "t.body">; v1 twice in the day after a roll.
                 * @example t=1772443800,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd
                 */
                "x-service-signature": string;
                /**
                 * @description The id of the delivery, the same in every try.
                 * @example 5be0cd19-137e-4179-9f21-5be0cd19137e
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970, of this try.
                 * @example 1772443800
                 */
                "webhook-timestamp": string;
                /**
                 * @description As in Standard Webhooks: v1,<base64 HMAC-SHA256 of "id.timestamp.body">.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertRaised"];
            };
        };
        responses: {
            /** @description Taken. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onAlertResolved: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description t=<seconds since 1970>,v1=<hex HMAC-SHA256 of "t.body">; v1 twice in the day after a roll.
                 * @example t=1772443800,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd
                 */
                "x-service-signature": string;
                /**
                 * @description The id of the delivery, the same in every try.
                 * @example 5be0cd19-137e-4179-9f21-5be0cd19137e
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970, of this try.
                 * @example 1772443800
                 */
                "webhook-timestamp": string;
                /**
                 * @description As in Standard Webhooks: v1,<base64 HMAC-SHA256 of "id.timestamp.body">.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertResolved"];
            };
        };
        responses: {
            /** @description Taken. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onRunDigest: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description t=<seconds since 1970>,v1=<hex HMAC-SHA256 of "t.body">; v1 twice in the day after a roll.
                 * @example t=1772443800,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd
                 */
                "x-service-signature": string;
                /**
                 * @description The id of the delivery, the same in every try.
                 * @example 5be0cd19-137e-4179-9f21-5be0cd19137e
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970, of this try.
                 * @example 1772443800
                 */
                "webhook-timestamp": string;
                /**
                 * @description As in Standard Webhooks: v1,<base64 HMAC-SHA256 of "id.timestamp.body">.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunDigest"];
            };
        };
        responses: {
            /** @description Taken. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onChannelTest: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description t=<seconds since 1970>,v1=<hex HMAC-SHA256 of "t.body">; v1 twice in the day after a roll.
                 * @example t=1772443800,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd
                 */
                "x-service-signature": string;
                /**
                 * @description The id of the delivery, the same in every try.
                 * @example 5be0cd19-137e-4179-9f21-5be0cd19137e
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970, of this try.
                 * @example 1772443800
                 */
                "webhook-timestamp": string;
                /**
                 * @description As in Standard Webhooks: v1,<base64 HMAC-SHA256 of "id.timestamp.body">.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChannelTest"];
            };
        };
        responses: {
            /** @description Taken. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onRunResults: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description t=<seconds since 1970>,v1=<hex HMAC-SHA256 of "t.body">; v1 twice in the day after a roll.
                 * @example t=1772443800,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd
                 */
                "x-service-signature": string;
                /**
                 * @description The id of the delivery, the same in every try.
                 * @example 5be0cd19-137e-4179-9f21-5be0cd19137e
                 */
                "webhook-id": string;
                /**
                 * @description Seconds since 1970, of this try.
                 * @example 1772443800
                 */
                "webhook-timestamp": string;
                /**
                 * @description As in Standard Webhooks: v1,<base64 HMAC-SHA256 of "id.timestamp.body">.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Result"][];
            };
        };
        responses: {
            /** @description Taken. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
