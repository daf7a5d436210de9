// Every page and action of the dashboard. It is one function, since its pages share a menu, a session and a style.

import type { Hono } from 'hono'
import type { Context } from '../../shared/context.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { createDashboardApp } from './frame/app.tsx'
import { createProject, projectsPage, start } from './pages/projects.tsx'
import { cancelRun, runEvents, runPage } from './pages/run.tsx'
import { runsPage } from './pages/runs.tsx'
import { signIn, signInPage, signOut } from './pages/sign-in.tsx'

const open = { pages: [signInPage], actions: [signIn] }
const pages = [start, projectsPage, runsPage, runPage, runEvents]
const actions = [signOut, createProject, cancelRun]

/** The app of everything below /dashboard. */
export const createDashboard = (
  endpoints: readonly Endpoint[],
  contextFor: (request: Request) => Context,
): Hono => createDashboardApp({ pages, actions, open }, endpoints, contextFor)
