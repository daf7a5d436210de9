// The calls that the clients' own pages show, and what those pages read of the answers. `text: false` answers no text.

import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import * as anthropicZod from '@anthropic-ai/sdk/helpers/zod'
import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime'
import { GoogleGenAI } from '@google/genai'
import { ChatAnthropic } from '@langchain/anthropic'
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
import { Mistral } from '@mistralai/mistralai'
import * as agents from '@openai/agents'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import * as ai7 from 'ai'
import * as ai5 from 'ai5'
import { createOpenAI as createOpenAI2 } from 'ai5-openai'
import * as ai6 from 'ai6'
import { createOpenAI as createOpenAI3 } from 'ai6-openai'
import { CohereClientV2 } from 'cohere-ai'
import Groq from 'groq-sdk'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
import * as z from 'zod'

export { AIMessage } from '@langchain/core/messages'
export { OutputParserException } from '@langchain/core/output_parsers'
export { z }

globalThis.AI_SDK_LOG_WARNINGS = false

const key = { apiKey: 'k' }
const messages = [{ role: 'user', content: 'x' }]
export const Order = z.object({ id: z.string() })
const orderTool = {
  type: 'function',
  function: { name: 'get_order', parameters: { type: 'object', properties: {} } },
}

const TEXT = [
  'text',
  'content',
  'finishReason',
  'usage',
  'toolCalls',
  'toolResults',
  'response',
  'reasoningText',
  'sources',
  'files',
  'steps',
  'warnings',
  'totalUsage',
  'request',
]
const MESSAGE = [
  'content',
  'text',
  'tool_calls',
  'usage_metadata',
  'response_metadata',
  'additional_kwargs',
  'id',
  'contentBlocks',
]

function ofAiSdk(name, ai, models) {
  const tools = {
    get_order: ai.tool({ inputSchema: Order, execute: async ({ id }) => ({ id, at: 'Berlin' }) }),
  }
  const broken = {
    get_order: ai.tool({
      inputSchema: Order,
      execute: async () => {
        throw new Error('no such order')
      },
    }),
  }
  const Agent = ai.ToolLoopAgent ?? ai.Experimental_Agent
  return models.flatMap(([of, model]) => [
    {
      name: `${name} generateText, ${of}`,
      reads: TEXT,
      call: url => ai.generateText({ model: model(url), prompt: 'x' }),
    },
    {
      name: `${name} generateText with tools, ${of}`,
      reads: TEXT,
      call: url => ai.generateText({ model: model(url), prompt: 'x', tools, stopWhen: ai.stepCountIs(3) }),
    },
    {
      name: `${name} generateText with a tool that fails, ${of}`,
      reads: TEXT,
      call: url => ai.generateText({ model: model(url), prompt: 'x', tools: broken }),
    },
    {
      name: `${name} agent, ${of}`,
      reads: TEXT,
      call: url => new Agent({ model: model(url) }).generate({ prompt: 'x' }),
    },
    {
      name: `${name} generateObject, ${of}`,
      json: true,
      reads: ['object', 'finishReason', 'usage', 'response', 'warnings'],
      call: url => ai.generateObject({ model: model(url), prompt: 'x', schema: Order }),
    },
    {
      name: `${name} output, ${of}`,
      json: true,
      reads: [...TEXT, ai === ai5 ? 'experimental_output' : 'output'],
      call: url =>
        ai.generateText({
          model: model(url),
          prompt: 'x',
          [ai === ai5 ? 'experimental_output' : 'output']: ai.Output.object({ schema: Order }),
        }),
    },
  ])
}

const langchain = [
  ['openai', url => new ChatOpenAI({ model: 'gpt-5-mini', ...key, configuration: { baseURL: `${url}/v1` } })],
  ['anthropic', url => new ChatAnthropic({ model: 'claude-x', ...key, anthropicApiUrl: url })],
  ['google', url => new ChatGoogleGenerativeAI({ model: 'gemini-2.5-flash', ...key, baseUrl: url })],
].flatMap(([of, model]) => [
  { name: `LangChain ${of}`, reads: MESSAGE, call: url => model(url).invoke('x') },
  {
    name: `LangChain ${of} with tools`,
    reads: MESSAGE,
    call: url =>
      model(url)
        .bindTools(
          [{ ...orderTool, name: 'get_order', schema: Order }].map(({ function: f, type }) =>
            of === 'openai'
              ? { type, function: f }
              : of === 'anthropic'
                ? { name: 'get_order', input_schema: f.parameters }
                : { functionDeclarations: [{ name: 'get_order' }] },
          ),
        )
        .invoke('x'),
  },
  {
    name: `LangChain ${of} generate`,
    reads: ['generations', 'llmOutput'],
    inner: answer => answer.generations[0][0].message,
    call: url => model(url).generate([[['user', 'x']].map(([, content]) => ({ role: 'user', content }))]),
  },
])

const openai = url => new OpenAI({ ...key, baseURL: `${url}/v1` })
const agentsModel = url => new agents.OpenAIChatCompletionsModel(openai(url), 'gpt-5-mini')
agents.setTracingDisabled(true)
const orderOfAgents = agents.tool({
  name: 'get_order',
  description: 'x',
  parameters: Order,
  execute: async ({ id }) => `${id} ships`,
})
const RUN = ['finalOutput', 'newItems', 'history', 'output', 'rawResponses', 'lastResponseId', 'input']

const STREAMED = ['text', 'steps', 'totalUsage', 'finishReason', 'toolCalls', 'response']

export const CALLS = [
  {
    name: 'AI SDK 5 streamText',
    reads: STREAMED,
    call: url =>
      ai5.streamText({
        model: createOpenAI2({ ...key, baseURL: `${url}/v1` }).chat('gpt-5-mini'),
        prompt: 'x',
      }),
  },
  {
    name: 'AI SDK 6 streamText',
    reads: STREAMED,
    call: url =>
      ai6.streamText({
        model: createOpenAI3({ ...key, baseURL: `${url}/v1` }).chat('gpt-5-mini'),
        prompt: 'x',
      }),
  },
  {
    name: 'AI SDK 7 streamText',
    reads: STREAMED,
    call: url =>
      ai7.streamText({
        model: createOpenAI({ ...key, baseURL: `${url}/v1` }).chat('gpt-5-mini'),
        prompt: 'x',
      }),
  },
  {
    name: 'OpenAI chat, streamed',
    reads: ['choices', 'usage'],
    call: url => openai(url).chat.completions.stream({ model: 'm', messages }),
  },
  {
    name: 'OpenAI chat, its pieces',
    reads: ['length'],
    call: url => openai(url).chat.completions.create({ model: 'm', messages, stream: true }),
  },
  {
    name: 'LangChain, streamed',
    reads: ['length'],
    call: url => langchainOpenAi(url).stream('x'),
  },
  ...ofAiSdk('AI SDK 5', ai5, [
    ['openai', url => createOpenAI2({ ...key, baseURL: `${url}/v1` }).chat('gpt-5-mini')],
    ['openai responses', url => createOpenAI2({ ...key, baseURL: `${url}/v1` })('gpt-5-mini')],
  ]),
  ...ofAiSdk('AI SDK 6', ai6, [
    ['openai', url => createOpenAI3({ ...key, baseURL: `${url}/v1` }).chat('gpt-5-mini')],
  ]),
  ...ofAiSdk('AI SDK 7', ai7, [
    ['openai', url => createOpenAI({ ...key, baseURL: `${url}/v1` }).chat('gpt-5-mini')],
    ['anthropic', url => createAnthropic({ ...key, baseURL: `${url}/v1` })('claude-x')],
    ['google', url => createGoogleGenerativeAI({ ...key, baseURL: `${url}/v1beta` })('gemini-2.5-flash')],
  ]),
  {
    name: 'AI SDK 7 embed',
    reads: ['embedding', 'usage', 'value'],
    call: url =>
      ai7.embed({ model: createOpenAI({ ...key, baseURL: `${url}/v1` }).embedding('e'), value: 'x' }),
  },
  {
    name: 'AI SDK 7 embedMany',
    reads: ['embeddings', 'usage', 'values'],
    call: url =>
      ai7.embedMany({ model: createOpenAI({ ...key, baseURL: `${url}/v1` }).embedding('e'), values: ['x'] }),
  },
  ...langchain,
  {
    name: 'LangChain structured with raw',
    json: true,
    reads: ['parsed', 'raw'],
    inner: answer => answer.raw,
    call: url =>
      langchainOpenAi(url)
        .withStructuredOutput(Order, { includeRaw: true, method: 'jsonSchema' })
        .invoke('x'),
  },
  {
    name: 'LangChain embeddings',
    reads: [],
    call: url =>
      new OpenAIEmbeddings({ ...key, configuration: { baseURL: `${url}/v1` } }).embedDocuments(['x']),
  },
  {
    name: 'OpenAI Agents',
    reads: RUN,
    call: url => agents.run(new agents.Agent({ name: 'a', model: agentsModel(url) }), 'x'),
  },
  {
    name: 'OpenAI Agents with tools',
    reads: RUN,
    call: url =>
      agents.run(new agents.Agent({ name: 'a', model: agentsModel(url), tools: [orderOfAgents] }), 'x'),
  },
  {
    name: 'OpenAI Agents with a type',
    json: true,
    reads: RUN,
    call: url => agents.run(new agents.Agent({ name: 'a', model: agentsModel(url), outputType: Order }), 'x'),
  },
  {
    name: 'OpenAI Agents with a context',
    reads: RUN,
    call: url =>
      agents.run(new agents.Agent({ name: 'a', model: agentsModel(url) }), 'x', {
        context: { db: new Map([['a', () => 1]]), ask() {} },
      }),
  },
  {
    name: 'OpenAI chat',
    reads: ['choices', 'usage', 'model', '_request_id'],
    call: url => openai(url).chat.completions.create({ model: 'm', messages }),
  },
  {
    name: 'OpenAI chat with tools',
    reads: ['choices', 'usage'],
    call: url => openai(url).chat.completions.create({ model: 'm', messages, tools: [orderTool] }),
  },
  {
    name: 'OpenAI chat parsed',
    json: true,
    reads: ['choices'],
    call: url =>
      openai(url).chat.completions.parse({
        model: 'm',
        messages,
        response_format: zodResponseFormat(Order, 'order'),
      }),
  },
  {
    name: 'OpenAI responses',
    reads: ['output_text', 'output', 'usage', '_request_id'],
    call: url => openai(url).responses.create({ model: 'm', input: 'x' }),
  },
  {
    name: 'OpenAI responses parsed',
    json: true,
    reads: ['output_parsed', 'output_text', 'output'],
    call: url =>
      openai(url).responses.parse({
        model: 'm',
        input: 'x',
        text: { format: zodTextFormat(Order, 'order') },
      }),
  },
  {
    name: 'OpenAI embeddings',
    reads: ['data', 'usage'],
    call: url => openai(url).embeddings.create({ model: 'm', input: 'x' }),
  },
  {
    name: 'Anthropic',
    reads: ['content', 'usage', 'stop_reason'],
    call: url => anthropic(url).messages.create({ model: 'claude-x', max_tokens: 9, messages }),
  },
  {
    name: 'Anthropic with tools',
    reads: ['content', 'stop_reason'],
    call: url =>
      anthropic(url).messages.create({
        model: 'claude-x',
        max_tokens: 9,
        messages,
        tools: [{ name: 'get_order', input_schema: { type: 'object' } }],
      }),
  },
  {
    name: 'Anthropic parsed',
    json: true,
    reads: ['parsed_output', 'content'],
    call: url =>
      anthropic(url).messages.parse({
        model: 'claude-x',
        max_tokens: 9,
        messages,
        output_config: { format: anthropicZod.zodOutputFormat(Order) },
      }),
  },
  {
    name: 'Google',
    reads: ['text', 'functionCalls', 'candidates', 'usageMetadata', 'data'],
    call: url => google(url).models.generateContent({ model: 'gemini-2.5-flash', contents: 'x' }),
  },
  {
    name: 'Google with tools',
    reads: ['text', 'functionCalls', 'candidates'],
    call: url =>
      google(url).models.generateContent({
        model: 'gemini-2.5-flash',
        contents: 'x',
        config: { tools: [{ functionDeclarations: [{ name: 'get_order' }] }] },
      }),
  },
  {
    name: 'Google embeddings',
    reads: ['embeddings'],
    call: url => google(url).models.embedContent({ model: 'e', contents: 'x' }),
  },
  {
    name: 'Mistral',
    reads: ['choices', 'usage', 'created'],
    call: url => new Mistral({ ...key, serverURL: url }).chat.complete({ model: 'm', messages }),
  },
  {
    name: 'Bedrock converse',
    reads: ['output', 'stopReason', 'usage', '$metadata'],
    call: url =>
      bedrock(url).send(
        new ConverseCommand({ modelId: 'm', messages: [{ role: 'user', content: [{ text: 'x' }] }] }),
      ),
  },
  {
    name: 'Cohere',
    reads: ['message', 'finishReason', 'usage'],
    call: url => new CohereClientV2({ token: 'k', environment: url }).chat({ model: 'm', messages }),
  },
  {
    name: 'Groq',
    reads: ['choices', 'usage'],
    call: url => new Groq({ ...key, baseURL: url }).chat.completions.create({ model: 'm', messages }),
  },
  {
    name: 'Ollama chat',
    reads: ['message', 'done_reason', 'eval_count'],
    call: url => new Ollama({ host: url }).chat({ model: 'm', messages }),
  },
  {
    name: 'Ollama generate',
    reads: ['response'],
    call: url => new Ollama({ host: url }).generate({ model: 'm', prompt: 'x' }),
  },
]

export function langchainOpenAi(url) {
  return new ChatOpenAI({
    model: 'gpt-5-mini',
    ...key,
    maxRetries: 0,
    configuration: { baseURL: `${url}/v1` },
  })
}
export const aiModel = url => createOpenAI({ ...key, baseURL: `${url}/v1` }).chat('gpt-5-mini')
export { ai7 as ai, anthropic, openai }

function anthropic(url) {
  return new Anthropic({ ...key, baseURL: url })
}
function google(url) {
  return new GoogleGenAI({ ...key, httpOptions: { baseUrl: url } })
}
function bedrock(url) {
  return new BedrockRuntimeClient({
    region: 'eu-central-1',
    endpoint: url,
    requestHandler: new NodeHttpHandler(),
    credentials: { accessKeyId: 'k', secretAccessKey: 's' },
  })
}

/** Calls that throw after their answer has come, unless that is the JSON that they ask for. */
export const STRUCTURED = [
  ...CALLS.filter(({ json, name }) => json && !/raw| output,/.test(name)),
  {
    name: 'LangChain structured',
    call: url => langchainOpenAi(url).withStructuredOutput(Order, { method: 'jsonSchema' }).invoke('x'),
  },
]
