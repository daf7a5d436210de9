// The commands about agents and their versions, as data.

import type { Command, Option } from './arguments.ts'
import { LIST_OPTIONS } from './list-options.ts'

const dryRun: Option = {
  name: 'dry-run',
  about: 'print what would be created, changed and deleted, and change nothing',
}

export const AGENT_COMMANDS: readonly Command[] = [
  {
    name: 'deploy',
    args: ['[FILE]'],
    summary: 'Make the agent in FILE, or one at a URL, the current version.',
    options: [
      dryRun,
      { name: 'slug', value: 'SLUG', about: "the agent's slug; made from its name by default" },
      {
        name: 'env',
        value: 'K=V',
        kind: 'list',
        about: 'a variable the agent sees; K alone passes on your own',
      },
      {
        name: 'secret',
        value: 'K=V',
        kind: 'list',
        about: 'the same, kept out of all that is stored and shown',
      },
      { name: 'url', value: 'URL', about: 'an agent that runs elsewhere, instead of FILE' },
      {
        name: 'protocol',
        value: 'NAME',
        choices: ['ndjson', 'json'],
        about: 'what the URL speaks; ndjson by default',
      },
      {
        name: 'model-calls',
        value: 'HOW',
        choices: ['none'],
        about: 'of one behind a URL: none says that it calls no model, so that its budgets hold',
      },
      {
        name: 'answers-later',
        about: 'the agent at the URL answers later what takes longer than a consumer has',
      },
      { name: 'name', value: 'NAME', about: "the URL agent's name, where it does not say it itself" },
      { name: 'external-id', value: 'ID', about: 'a label of your own for the version, such as a commit' },
    ],
    run: async (...given) => (await import('./deploy.ts')).deploy(...given),
  },
  {
    name: 'package',
    args: ['FILE'],
    summary: 'Write a folder that runs the agent in FILE on OpenFaaS or Knative.',
    options: [
      { name: 'out', value: 'DIR', about: "the folder; named like the agent's slug by default" },
      { name: 'image', value: 'NAME', about: 'what its image is to be called, with its registry and tag' },
    ],
    run: async (...given) => (await import('./package.ts')).packageAgent(...given),
  },
  {
    name: 'agents',
    summary: 'List agents, with the version that is deployed.',
    options: LIST_OPTIONS,
    run: async (...given) => (await import('./read.ts')).agents(...given),
  },
  {
    name: 'deployments',
    args: ['AGENT'],
    summary: 'List the versions of an agent, newest first.',
    options: [{ name: 'external-id', value: 'ID', about: 'only those with this label' }, ...LIST_OPTIONS],
    run: async (...given) => (await import('./versions.ts')).deployments(...given),
  },
  {
    name: 'promote',
    args: ['AGENT', 'VERSION'],
    summary: 'Make a version the current one, with what it declares.',
    options: [dryRun],
    run: async (...given) => (await import('./versions.ts')).promote(...given),
  },
  {
    name: 'rollback',
    args: ['AGENT'],
    summary: 'Promote the version before the current one.',
    options: [dryRun],
    run: async (...given) => (await import('./versions.ts')).rollback(...given),
  },
]
